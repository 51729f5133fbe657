//! Calls that were made otherwise than the model asked for them: with other arguments, or under another name.

use agentci_trace::{ArgumentDifference, Trace, TracedCall, same_tool};
use serde_json::Value;

use crate::findings::each_once;

/// How many arguments of a call, and how many such calls, are told of as changed.
const DIFFERENCES: usize = 5;

/// How much of an argument is shown.
const VALUE: usize = 80;

/// What the model asked for and what became of it, a line for each call where they differ.
pub(crate) fn told(trace: &Trace) -> Vec<String> {
    if trace.is_protocol_alone() {
        return Vec::new();
    }
    let calls = trace.calls();
    each_once(calls.iter().flat_map(|call| [renamed(call), changed(call)]).flatten()).take(DIFFERENCES).collect()
}

/// A call that the agent reports under another name than its model used, with the same id.
fn renamed(call: &TracedCall<'_>) -> Option<String> {
    let (asked, told) = (&call.request?.name, &call.call.name);
    (!same_tool(asked, told)).then(|| {
        format!(
            "the model asked for `{asked}`, and the agent reports that call as `{told}`: it counts under both names"
        )
    })
}

/// A call that ran with other arguments.
fn changed(call: &TracedCall<'_>) -> Option<String> {
    let differ = call.differences();
    let words: Vec<String> = differ.iter().take(DIFFERENCES).map(difference).collect();
    if words.is_empty() {
        return None;
    }
    let more = differ.len() - words.len();
    let more = if more == 0 { String::new() } else { format!("; {more} more") };
    let (name, words) = (&call.call.name, words.join("; "));
    Some(format!("`{name}` ran with other arguments than its model asked for: {words}{more}"))
}

fn difference(difference: &ArgumentDifference) -> String {
    let ArgumentDifference { name, requested, executed } = difference;
    let asked = cut(requested);
    match executed {
        Some(sent) => format!("`{name}` was {}, not {asked}", cut(sent)),
        None => format!("`{name}` was left out, not {asked}"),
    }
}

/// The beginning of a value as JSON.
fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE) {
        None => text,
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}
