//! Describes tool calls in messages.

use agentci_trace::{ToolCall, ToolResult, TracedCall, same_value};
use serde_json::Value;

use crate::output::json_in;
use crate::python::literal;
use agentci_text::shorten;

/// The most names that a message lists.
const NAMES: usize = 20;
/// The most calls that a message lists, one per line.
const LINES: usize = 10;
/// The longest part of a line before the result, in characters.
const LINE: usize = 400;
/// The longest argument, in characters.
const ARGUMENT: usize = 80;
/// The longest result, in characters.
const RESULT: usize = 160;

/// A note with the names of all calls in order.
pub(crate) fn observed(calls: &[TracedCall<'_>]) -> String {
    if calls.is_empty() {
        return NONE.into();
    }
    let names = calls.iter().map(|call| call.call.name.clone());
    format!("the agent called {}", at_most(NAMES, names).join(", "))
}

/// The first `most` facts, and how many more there are.
pub(crate) fn at_most(most: usize, facts: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = facts.len().saturating_sub(most);
    facts.take(most).chain((more > 0).then(|| format!("and {more} more"))).collect()
}

const NONE: &str = "the agent called no tool";

/// Whether a tool goes by a name: its own, or with `suffix` the part of its own after a `.` or `__`.
pub(crate) fn goes_by(tool: &str, name: &str, suffix: bool) -> bool {
    let before = || tool.strip_suffix(name).filter(|_| suffix && !name.is_empty());
    tool == name || before().is_some_and(|before| before.ends_with('.') || before.ends_with("__"))
}

/// Notes with these calls, their arguments and results, one line each.
pub(crate) fn listed<'t>(calls: impl IntoIterator<Item = &'t TracedCall<'t>>) -> Vec<String> {
    listed_with(calls, 0)
}

/// Like [`listed`], but never leaves out the call at index `kept`.
pub(crate) fn listed_with<'t>(calls: impl IntoIterator<Item = &'t TracedCall<'t>>, kept: usize) -> Vec<String> {
    let calls: Vec<&TracedCall<'_>> = calls.into_iter().collect();
    if calls.is_empty() {
        return vec![NONE.into()];
    }
    let line = |(index, call): (usize, &&TracedCall<'_>)| {
        let (turn, number, all) = (call.turn + 1, index + 1, calls.len());
        let (shown, asked, answer, told) = (shown(call.call), asked(call), answer(call), told(call));
        format!("turn {turn}, call {number} of {all}: {shown}{asked} -> {answer}{told}")
    };
    let chosen = calls.iter().enumerate().filter(|(index, _)| *index < LINES || *index == kept);
    let mut lines: Vec<String> = chosen.map(line).collect();
    if lines.len() < calls.len() {
        lines.push(format!("and {} more", calls.len() - lines.len()));
    }
    lines
}

/// One call as code: `refund_order(order="A-17", amount=200)`.
pub(crate) fn shown(call: &ToolCall) -> String {
    let arguments = match &*call.args {
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}={}", cut(value))).collect::<Vec<_>>().join(", ")
        }
        other => cut(other),
    };
    shorten(&format!("{}({arguments})", call.name), LINE).into_owned()
}

/// The call as its model requested it, if it was executed with other arguments.
fn asked(call: &TracedCall<'_>) -> String {
    match call.request {
        Some(request) if !call.differences().is_empty() => format!(" (the model requested {})", shown(request)),
        _ => String::new(),
    }
}

/// The result of a call, in words.
pub(crate) fn answer(call: &TracedCall<'_>) -> String {
    if let Some(form) = call.refused() {
        return format!("refused, {form}");
    }
    let Some(result) = call.result else { return "no result".into() };
    let value = || shorten(&result.result.to_string(), RESULT).into_owned();
    match &result.error {
        _ if result.ok => value(),
        None => format!("failed: {}", value()),
        Some(error) if let Some(form) = &result.recognised => {
            format!("failed, recognised by {form}: {}", shorten(error, RESULT))
        }
        Some(error) if result.result.is_null() => format!("failed: {}", shorten(error, RESULT)),
        Some(error) => format!("failed: {}, {}", shorten(error, RESULT), value()),
    }
}

/// The result that the agent passed to its model, if it differs from what the tool returned.
fn told(call: &TracedCall<'_>) -> String {
    let (Some(result), Some(told)) = (call.result, call.told_model()) else { return String::new() };
    let read = |result: &ToolResult| match result.result.as_str() {
        Some(text) => json_in(text).or_else(|| literal(text)).unwrap_or_else(|| text.into()),
        None => (*result.result).clone(),
    };
    if std::ptr::eq(result, told) || (result.ok == told.ok && same_value(&read(result), &read(told))) {
        return String::new();
    }
    let told = told.error.as_deref().map_or_else(|| told.result.to_string(), |error| format!("failed: {error}"));
    format!(" (passed to its model: {})", shorten(&told, RESULT))
}

/// A value as compact JSON, shortened if it is long.
pub(crate) fn cut(value: &Value) -> String {
    shorten(&value.to_string(), ARGUMENT).into_owned()
}
