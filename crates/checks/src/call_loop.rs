//! The calls of an agent that used up a budget, so that a loop is seen at once.
//!
//! ```text
//! the agent called search(q="reset"), 6 times in a row
//! the agent called get_order(id=7)
//! ```

use agentci_trace::{Trace, TracedCall, same_value};

use crate::call_words::{at_most, shown};

/// How many lines are shown.
const LINES: usize = 10;

/// The calls of a trace in order, a line each; consecutive calls of the same tool with the same arguments share one.
pub fn call_sequence(trace: &Trace) -> Vec<String> {
    let calls = trace.calls();
    let repeats = |one: &TracedCall<'_>, other: &TracedCall<'_>| {
        one.call.name == other.call.name && same_value(&one.call.args, &other.call.args)
    };
    let lines: Vec<String> = calls.chunk_by(repeats).map(line).collect();
    at_most(LINES, lines.into_iter())
}

fn line(same: &[TracedCall<'_>]) -> String {
    let times = if same.len() > 1 { format!(", {} times in a row", same.len()) } else { String::new() };
    format!("the agent called {}{times}", shown(same[0].call))
}
