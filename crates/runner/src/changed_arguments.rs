//! Arguments that the model asked for and that were not what the tool got.

use agentci_trace::{Difference, Trace};
use serde_json::Value;

/// How many arguments of a call, and how many such calls, are told of as changed.
const DIFFERENCES: usize = 5;

/// How much of an argument is shown.
const VALUE: usize = 80;

/// Arguments that the model asked for and that were not what the tool got, a line for each call.
pub(crate) fn told(trace: &Trace) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for call in trace.calls() {
        let differ = call.differences();
        let words: Vec<String> = differ.iter().take(DIFFERENCES).map(difference).collect();
        if words.is_empty() {
            continue;
        }
        let more = differ.len() - words.len();
        let more = if more == 0 { String::new() } else { format!("; {more} more") };
        let warning = format!(
            "`{}` ran with other arguments than its model asked for: {}{more}",
            call.call.name,
            words.join("; ")
        );
        if !warnings.contains(&warning) && warnings.len() < DIFFERENCES {
            warnings.push(warning);
        }
    }
    warnings
}

fn difference(difference: &Difference) -> String {
    let Difference { name, requested, executed } = difference;
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
