//! Finds calls that differ from what the model requested: in their arguments or their name.

use agentci_text::excerpt;
use agentci_trace::{ArgumentDifference, Trace, TracedCall, same_tool};
use serde_json::Value;

use crate::findings::each_once;

/// The maximum number of changed arguments per call, and of changed calls, that are reported.
const DIFFERENCES: usize = 5;

/// The number of characters of an argument that are shown.
const VALUE: usize = 80;

/// One line for each call that differs from the model's request.
pub(crate) fn told(trace: &Trace) -> Vec<String> {
    if trace.is_protocol_alone() {
        return Vec::new();
    }
    let calls = trace.calls();
    each_once(calls.iter().flat_map(|call| [renamed(call), changed(call)]).flatten()).take(DIFFERENCES).collect()
}

/// A call that the agent reports with the same id but under a different name than its model used.
fn renamed(call: &TracedCall<'_>) -> Option<String> {
    let (asked, told) = (&call.request?.name, &call.call.name);
    (!same_tool(asked, told)).then(|| {
        format!(
            "the model requested `{asked}`, but the agent reports that call as `{told}`: it counts under both names"
        )
    })
}

/// A call that ran with different arguments.
fn changed(call: &TracedCall<'_>) -> Option<String> {
    let differ = call.differences();
    let words: Vec<String> = differ.iter().take(DIFFERENCES).map(difference).collect();
    if words.is_empty() {
        return None;
    }
    let more = differ.len() - words.len();
    let more = if more == 0 { String::new() } else { format!("; {more} more") };
    let (name, words) = (&call.call.name, words.join("; "));
    Some(format!("`{name}` ran with different arguments than the model requested: {words}{more}"))
}

fn difference(difference: &ArgumentDifference) -> String {
    let ArgumentDifference { name, requested, executed } = difference;
    let asked = cut(requested);
    match executed {
        Some(sent) => format!("`{name}` was {}, not {asked}", cut(sent)),
        None => format!("`{name}` was missing, not {asked}"),
    }
}

/// The beginning of a value as JSON.
fn cut(value: &Value) -> String {
    excerpt(&value.to_string(), VALUE).into_owned()
}
