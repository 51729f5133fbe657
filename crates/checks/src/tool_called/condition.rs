//! The conditions that a call must meet to count.

use std::borrow::Cow;

use agentci_source::Span;
use agentci_trace::{ToolResult, TracedCall, same_value};
use agentci_verdict::Detail;
use serde_json::Value;

use super::path::Path;
use crate::call_words::{answer, cut};
use crate::pattern::PlacedPattern;
use crate::python::literal;
use crate::spelling::{compact, spaced};
use agentci_text::{passage, pointer, shorten};

/// The longest result in a detail, in characters.
const DETAIL: usize = 2000;

#[derive(Debug)]
pub(super) enum CallCondition {
    /// An argument has this value.
    Argument {
        name: String,
        value: Value,
        span: Span,
    },
    /// The value at a path of the arguments matches.
    ArgumentMatches {
        path: Path,
        pattern: PlacedPattern,
    },
    ResultMatches(PlacedPattern),
    /// The result, if there is one, does not match.
    ResultDoesNotMatch(PlacedPattern),
}

impl CallCondition {
    /// Whether a call meets the condition: a result must also be the one that the agent passed to its model.
    pub(super) fn holds(&self, call: &TracedCall<'_>) -> bool {
        let passed_on = match self {
            CallCondition::ResultMatches(pattern) => {
                call.told_model().is_none_or(|told| is_passed_on(pattern, call, told))
            }
            _ => true,
        };
        passed_on && self.holds_anywhere(call)
    }

    /// Whether a call meets the condition for any observer, for calls that are forbidden.
    pub(super) fn holds_anywhere(&self, call: &TracedCall<'_>) -> bool {
        match self {
            CallCondition::Argument { value, .. } => self.sent(call).is_some_and(|sent| equal(value, &sent)),
            CallCondition::ArgumentMatches { path, pattern } => {
                path.find(&call.call.args).into_iter().any(|sent| pattern.is_in(&compact(sent)))
            }
            CallCondition::ResultMatches(pattern) => found(pattern, call).is_some(),
            CallCondition::ResultDoesNotMatch(pattern) => found(pattern, call).is_none(),
        }
    }

    /// The pattern of the condition, if it has one.
    pub(super) fn pattern(&self) -> Option<&PlacedPattern> {
        match self {
            CallCondition::Argument { .. } => None,
            CallCondition::ArgumentMatches { pattern, .. }
            | CallCondition::ResultMatches(pattern)
            | CallCondition::ResultDoesNotMatch(pattern) => Some(pattern),
        }
    }

    /// The place of the condition in the suite.
    pub(super) fn span(&self) -> Span {
        match self {
            CallCondition::Argument { span, .. } => *span,
            CallCondition::ArgumentMatches { pattern, .. }
            | CallCondition::ResultMatches(pattern)
            | CallCondition::ResultDoesNotMatch(pattern) => pattern.span,
        }
    }

    /// What a call that meets the condition has, in words.
    pub(super) fn words(&self) -> String {
        match self {
            CallCondition::Argument { name, value, .. } => format!("`{name}` = {}", cut(value)),
            CallCondition::ArgumentMatches { path, pattern } => {
                format!("`{}` matching {}", path.written, pattern.shown())
            }
            CallCondition::ResultMatches(pattern) => format!("a result matching {}", pattern.shown()),
            CallCondition::ResultDoesNotMatch(pattern) => format!("a result not matching {}", pattern.shown()),
        }
    }

    /// What a call that does not meet the condition has instead.
    pub(super) fn seen(&self, call: &TracedCall<'_>) -> String {
        match self {
            CallCondition::Argument { .. } | CallCondition::ArgumentMatches { .. } => match self.sent(call) {
                None => "the agent did not send it".into(),
                Some(sent) => format!("the agent sent {}", cut(&sent)),
            },
            CallCondition::ResultMatches(_) if call.result.is_none() => "the call has no result".into(),
            CallCondition::ResultMatches(_) => match call.told_model().filter(|_| self.holds_anywhere(call)) {
                Some(told) => format!("the agent passed {} to its model", cut(&given(told))),
                None => format!("the result is {}", answer(call)),
            },
            CallCondition::ResultDoesNotMatch(pattern) => {
                let found = found(pattern, call).expect("the result of a call that does not meet this matches");
                format!("the result contains {found}")
            }
        }
    }

    /// The difference as a detail.
    pub(super) fn detail(&self, call: &TracedCall<'_>) -> Detail {
        let told = call.told_model().filter(|_| self.holds_anywhere(call));
        let result = || told.or(call.result).map(given).unwrap_or_default();
        let (path, expected, actual) = match self {
            CallCondition::Argument { name, value, .. } => {
                (pointer::of([name.as_str()]), value.clone(), self.sent(call).map(Cow::into_owned).unwrap_or_default())
            }
            CallCondition::ArgumentMatches { path, pattern } => (
                path.place(&call.call.args),
                pattern.written().into(),
                self.sent(call).map(Cow::into_owned).unwrap_or_default(),
            ),
            CallCondition::ResultMatches(pattern) => (String::new(), pattern.written().into(), result()),
            CallCondition::ResultDoesNotMatch(pattern) => {
                (String::new(), format!("not {}", pattern.written()).into(), result())
            }
        };
        Detail { path, expected, actual }
    }

    /// The value that was sent; a list if a path matches several places.
    fn sent<'t>(&self, call: &TracedCall<'t>) -> Option<Cow<'t, Value>> {
        match self {
            CallCondition::Argument { name, .. } => call.call.args.get(name).map(Cow::Borrowed),
            CallCondition::ArgumentMatches { path, .. } => match path.find(&call.call.args).as_slice() {
                [] => None,
                [one] => Some(Cow::Borrowed(one)),
                several => Some(Cow::Owned(several.iter().map(|value| (*value).clone()).collect())),
            },
            CallCondition::ResultMatches(_) | CallCondition::ResultDoesNotMatch(_) => None,
        }
    }
}

/// Objects need only contain the listed keys; everything else must be equal, numbers by value.
fn equal(expected: &Value, sent: &Value) -> bool {
    match (expected, sent) {
        (Value::Object(expected), Value::Object(sent)) => {
            expected.iter().all(|(key, value)| sent.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => same_value(expected, sent),
    }
}

/// The passage of a result that matches. A pattern may match either spelling of JSON.
fn found(pattern: &PlacedPattern, call: &TracedCall<'_>) -> Option<String> {
    call.results().find_map(|result| found_in(pattern, result))
}

/// Whether the agent passed a matching result to its model, and did not report a failure of a tool that succeeded.
fn is_passed_on(pattern: &PlacedPattern, call: &TracedCall<'_>, told: &ToolResult) -> bool {
    let made_a_failure = !told.ok && call.results().any(|result| result.ok);
    !made_a_failure && found_in(pattern, told).is_some()
}

fn found_in(pattern: &PlacedPattern, result: &ToolResult) -> Option<String> {
    let found = |text: Cow<'_, str>| pattern.find(&text).map(|range| passage(&text, range));
    let in_value = |value: &Value| found(compact(value)).or_else(|| found(spaced(value)));
    // A Python literal is also searched as the data that it stands for.
    let printed = || in_value(&literal(value(result)?.as_str()?)?);
    complaint(result)
        .and_then(|error| found(Cow::Borrowed(error)))
        .or_else(|| value(result).and_then(in_value))
        .or_else(printed)
}

fn complaint(result: &ToolResult) -> Option<&str> {
    result.error.as_deref().filter(|_| !result.ok)
}

/// A result as a detail, shortened if it is long.
fn given(result: &ToolResult) -> Value {
    match value(result) {
        None => complaint(result).unwrap_or_default().into(),
        Some(value) if compact(value).len() <= DETAIL => value.clone(),
        Some(value) => shorten(&compact(value), DETAIL).into(),
    }
}

/// The value of a result; `None` if there is only an error message.
fn value(result: &ToolResult) -> Option<&Value> {
    Some(&*result.result).filter(|value| complaint(result).is_none() || !value.is_null())
}
