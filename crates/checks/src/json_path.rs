//! # What it checks
//! The agent's final output has this value at this path. Without `value`, the path must exist, with any value;
//! `value: null` expects null. With `optional: true`, a path that does not exist passes as well.
//!
//! A plain path has keys separated by dots and indexes in brackets, `items[0].name`, with or without `$.` before it. A
//! path with any other selector is a `JSONPath` (RFC 9535), with or without `$`: `items[*].name`, `items[-1]`,
//! `$..name`. Brackets are always selectors: a key that contains brackets must be quoted, `$['a[x]']`, and so must a
//! key named `*`.
//!
//! A list as `value` means one of its items, unless there is a list at the path. For a path that can match several
//! places (a wildcard, a filter, a slice, `..`) it means all values found, in order; any other `value` expects exactly
//! one place with this value, and under `not` none.
//!
//! A final output that is a string is parsed as JSON, all of it or a fenced block in it; if it is not JSON, the check
//! fails.
//!
//! A path that may take long, with several `..` or nested filters, is evaluated in a separate process with the same
//! limits as a schema (see `json_schema`). Filters may be nested 8 levels deep.
//!
//! # Why
//! It checks one field of a structured answer, whatever the others contain.
//!
//! # Example
//! ```yaml
//! checks:
//!   - json_path: { path: need_search, value: false }
//!   - json_path: { path: "items[0].colour", value: [red, green] }
//!   - json_path: { path: order.id }
//!   - json_path: { path: "items[*].name", value: [lamp, desk] }
//!   - json_path: { path: "$.items[?@.price > 10].name", value: lamp }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, KeyRule, Kind, Shape, optional, required};
use agentci_source::{Node, Span, Spanned, read};
use agentci_text::ValueType;
use agentci_trace::{Trace, same_value};
use agentci_verdict::{Failure, Outcome};
use serde_json::{Value, json};

use crate::bounded::{BoundedTask, Weight, is_cheap, nests_too_deep};
use crate::call_words::cut;
use crate::compiler::{Compiler, data, spanned};
use crate::evaluate::{Evaluate, no_output};
use crate::output::json_in;
use crate::value_path::PathWalk;
use crate::{EvidenceQuestion, KeptAnswer};

#[derive(Debug)]
struct AtPath {
    walk: PathWalk,
    written: String,
    path_span: Span,
    /// Absent if the path only has to exist.
    value: Option<Value>,
    /// Whether a path that does not exist passes.
    optional: bool,
    span: Span,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "json_path",
    about: "The agent's final output has this value at a path.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape = Shape::new(
    "`json_path`",
    "A path into the final output, and the value expected there.",
    &[
        required("path", Kind::Text, "Keys separated by dots and indexes in brackets, or a JSONPath."),
        optional("value", Kind::Data, "The expected value; of a list, one item is enough. Default: any value."),
        optional("optional", Kind::Truth, "Whether a path that does not exist passes. Default: false."),
    ],
)
.rules(&[KeyRule::Needs("optional", "value")]);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    // An explicit null expects null.
    let value = arguments.get("value");
    let span = value.map_or(arguments.span, |value| value.span);
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let path = arguments.required("path", spanned(read::text));
    arguments.node("value");
    let optional = arguments.optional("optional", spanned(read::truth));
    arguments.finish()?;
    let value = match value {
        Some(node) => Some(data(node, "value", &mut compiler.problems)?),
        None => None,
    };
    if let Some(optional) = optional.as_ref().filter(|_| value.is_none()) {
        let message = "`optional` needs `value`: without it the check could not fail";
        let help = "write the value expected at the path if it exists";
        return compiler.refuse(optional.span, message, "no `value`", help);
    }
    let Spanned { value: written, span: path_span } = path?;
    if nests_too_deep(&written) {
        let message = "this path has filters or brackets nested too deep";
        let help = "filters may be nested 8 levels deep, brackets 64";
        return compiler.refuse(path_span, message, "nested too deep", help);
    }
    match PathWalk::read(&written) {
        Ok(walk) => {
            let optional = optional.is_some_and(|optional| optional.value);
            Some(Arc::new(AtPath { walk, written, path_span, value, optional, span }))
        }
        Err(error) => {
            let message = if written.starts_with('$') {
                format!("this is not a JSONPath: {error}")
            } else {
                "this is neither a plain path nor a JSONPath".into()
            };
            let help = "a plain path looks like `a.b[0].c`; any other path is a JSONPath (RFC 9535), `$.a[*].b`, with \
                        quotes around keys with characters other than letters, digits and `_`: `$['a[x]']`";
            compiler.refuse(path_span, message, "not a path", help)
        }
    }
}

impl AtPath {
    fn fits(&self, found: &[&Value]) -> bool {
        match (&self.value, found) {
            (_, []) if self.optional => true,
            (None, found) => !found.is_empty(),
            (Some(value @ Value::Array(items)), found) if self.walk.can_branch() => {
                let all =
                    items.len() == found.len() && items.iter().zip(found).all(|(item, found)| same_value(item, found));
                // A single match that is a list is compared as a list.
                all || matches!(found, [one] if one.is_array() && same_value(value, one))
            }
            (Some(Value::Array(choices)), [one]) if !one.is_array() => {
                choices.iter().any(|choice| same_value(choice, one))
            }
            (Some(value), [one]) => same_value(value, one),
            (Some(_), _) => false,
        }
    }

    /// The final output as JSON, or the outcome if it is not JSON.
    fn read<'t>(&self, trace: &'t Trace) -> Result<Cow<'t, Value>, Box<Outcome>> {
        let output = trace.output().value().ok_or_else(|| Box::new(no_output()))?;
        let read = match output.as_ref() {
            Value::Object(_) | Value::Array(_) => Some(output.clone()),
            Value::String(text) => json_in(text).map(Cow::Owned),
            _ => None,
        };
        read.ok_or_else(|| {
            let kind = ValueType::of(&output).name();
            let message =
                format!("the final output has no `{}`: it is of type `{kind}` and contains no JSON", self.written);
            let failure = Failure::new(message).at(self.path_span, "expects JSON");
            Box::new(Outcome::Failed(failure.note(format!("the final output is {}", cut(&output)))))
        })
    }

    /// The values at the path, as one value to show.
    fn shown(&self, found: &[&Value]) -> Value {
        match found {
            [] => Value::Null,
            [one] if !self.walk.can_branch() || !matches!(self.value, Some(Value::Array(_))) => (*one).clone(),
            several => several.iter().map(|value| (*value).clone()).collect(),
        }
    }

    /// Evaluates the check, with the values that a worker found if there is an answer.
    fn judge_output(&self, trace: &Trace, answer: Option<&Value>, negate: bool) -> Outcome {
        let read = match self.read(trace) {
            Ok(read) => read,
            Err(outcome) if negate && matches!(*outcome, Outcome::Failed(_)) => return Outcome::Passed,
            Err(outcome) => return *outcome,
        };
        let found = match answer {
            Some(answer) => answer["found"].as_array().into_iter().flatten().collect(),
            None => self.walk.find(&read),
        };
        if negate { self.judge_negated(&read, &found) } else { self.judge(&read, &found) }
    }

    /// Compares the values at the path with the expected value.
    fn judge(&self, read: &Value, found: &[&Value]) -> Outcome {
        if self.fits(found) {
            return Outcome::Passed;
        }
        let (path, actual) = (&self.written, self.shown(found));
        let wanted = match &self.value {
            None => "anything".into(),
            Some(value @ Value::Array(_)) if !actual.is_array() && !self.walk.can_branch() => {
                format!("one of {}", cut(value))
            }
            Some(value) => cut(value),
        };
        let (message, label) = match (found, &self.value) {
            ([], None) => (format!("`{path}` does not exist in the final output"), "does not exist".into()),
            ([], Some(_)) => {
                let message = format!("`{path}` does not exist in the final output, expected {wanted}");
                (message, "does not exist".into())
            }
            _ => {
                let actual = cut(&actual);
                (format!("`{path}` is {actual}, expected {wanted}"), format!("found {actual}"))
            }
        };
        let failure = Failure::new(message).at(self.span, label).note(format!("the final output is {}", cut(read)));
        let expected = self.value.clone().unwrap_or_else(|| "present".into());
        Outcome::Failed(failure.detail(path, expected, actual))
    }

    /// Checks that the values at the path are not the forbidden value.
    fn judge_negated(&self, read: &Value, found: &[&Value]) -> Outcome {
        let forbidden = match &self.value {
            // None of several places may have the value.
            Some(value) if self.walk.can_branch() && !value.is_array() && !found.is_empty() => {
                found.iter().any(|found| same_value(value, found))
            }
            _ => self.fits(found),
        };
        if !forbidden {
            return Outcome::Passed;
        }
        let path = &self.written;
        let (message, label) = match found {
            [] => (format!("`{path}` does not exist, which `not` with `optional` forbids"), "does not exist".into()),
            found => {
                let shown = cut(&self.shown(found));
                let there = match &self.value {
                    Some(value) if found.len() > 1 && !value.is_array() => format!("{} (one of {shown})", cut(value)),
                    _ => shown,
                };
                (format!("`{path}` is {there}, which `not` forbids"), format!("found {there}"))
            }
        };
        Outcome::Failed(Failure::new(message).at(self.span, label).note(format!("the final output is {}", cut(read))))
    }
}

impl Evaluate for AtPath {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        self.judge_output(trace, None, false)
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        self.judge_output(trace, None, true)
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let path = self.walk.standard()?;
        let read = self.read(trace).ok()?;
        if is_cheap(path, Weight::of(&read)) {
            return None;
        }
        Some(EvidenceQuestion::Bounded(BoundedTask::path(path.to_owned(), read.into_owned())))
    }

    fn conclude(&self, trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        if !answer["found"].is_array() {
            return Outcome::Error(Failure::new("the path could not be evaluated").at(self.path_span, "this path"));
        }
        self.judge_output(trace, Some(answer), negate)
    }

    fn keep(&self, answer: Value, _negate: bool) -> KeptAnswer {
        let found = answer["found"].as_array().map_or(0, Vec::len);
        KeptAnswer { evidence: json!({ "found": found }), ..KeptAnswer::default() }
    }
}
