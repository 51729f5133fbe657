//! # What it checks
//! The agent's final output equals this value. The order of keys does not matter, numbers are compared by value (`1`
//! is `1.0`) and strings exactly. If the value is an object or a list and the final output is a string, the string is
//! parsed as JSON first, or the JSON in a fenced block in it; a failure then says `parsed as JSON`.
//!
//! The output of a case is that of its last turn. Without any output the check fails, also under `not`.
//!
//! # Why
//! An answer that a program reads must be right as a whole.
//!
//! # Example
//! ```yaml
//! checks:
//!   - equals: Paris
//!   - equals: { keywords: [AI, agents], count: 2 }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, Reading, Span, read};
use agentci_text::{Difference, first_difference};
use agentci_trace::{Trace, same_value};
use agentci_verdict::{Detail, Failure, Outcome};
use serde_json::Value;

use crate::call_words::cut;
use crate::compiler::Compiler;
use crate::evaluate::{Evaluate, no_output};
use crate::output::structured;

#[derive(Debug)]
struct Equals {
    value: Value,
    span: Span,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "equals", about: "The agent's final output equals this value.", arguments: Kind::Data };

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let value = read::data(arguments, "equals", Reading::Core, &mut compiler.problems)?;
    Some(Arc::new(Equals { value, span: arguments.span }))
}

impl Evaluate for Equals {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let Some(output) = trace.output().value() else { return no_output() };
        let whole = self.value.is_object() || self.value.is_array();
        let (seen, parsed) = structured(&output).filter(|_| whole).unwrap_or((Cow::Borrowed(&*output), false));
        let Some(detail) = difference(&self.value, &seen) else { return Outcome::Passed };
        let how = if parsed { " (parsed as JSON)" } else { "" };
        let at = if detail.path.is_empty() { String::new() } else { format!(" at {}", detail.path) };
        let message =
            format!("the final output{how}{at} is {}, expected {}", cut(&detail.actual), cut(&detail.expected));
        let mut failure = Failure::new(message)
            .at(self.span, "the final output differs")
            .note(format!("the final output is {}", cut(&seen)));
        failure.details = vec![detail];
        Outcome::Failed(failure)
    }

    fn forbidden(&self, _trace: &Trace) -> Failure {
        let message = format!("the final output is {}, which `not` forbids", cut(&self.value));
        Failure::new(message).at(self.span, "the final output is this")
    }
}

/// The first difference between two values. Objects may have their keys in any order, and numbers are compared by
/// value.
fn difference(expected: &Value, actual: &Value) -> Option<Detail> {
    let Difference { path, expected, actual } = first_difference(expected, actual, same_value)?;
    Some(Detail { path, expected: expected.unwrap_or_default(), actual: actual.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference_of(one: &str, other: &str) -> Option<String> {
        let read = |text| serde_json::from_str(text).unwrap();
        difference(&read(one), &read(other)).map(|detail| detail.path)
    }

    #[test]
    fn compares_values_by_meaning() {
        for (one, other) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("-0", "0"),
            ("0.10", "0.1"),
            (r#"{"a":1,"b":[2,{"c":null}]}"#, r#"{"b":[2.0,{"c":null}],"a":1}"#),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("9007199254740993", "9007199254740993.0"),
            ("1e400", "10e399"),
        ] {
            assert_eq!(difference_of(one, other), None, "{one} {other}");
        }
    }

    #[test]
    fn first_difference_has_a_path() {
        for (one, other, path) in [
            ("1", "2", ""),
            ("1", "\"1\"", ""),
            ("null", "false", ""),
            ("9007199254740993", "9007199254740992", ""),
            ("9007199254740993", "9007199254740992.0", ""),
            ("0.1", "0.10000000000000001", ""),
            (r#"{"a":{"b":[1,2]}}"#, r#"{"a":{"b":[1,3]}}"#, "/a/b/1"),
            ("[1]", "[1,2]", "/1"),
            ("[1,null]", "[1]", "/1"),
            (r#"{"a":null}"#, "{}", "/a"),
            ("{}", r#"{"x/y":null}"#, "/x~1y"),
        ] {
            assert_eq!(difference_of(one, other).as_deref(), Some(path), "{one} {other}");
        }
    }
}
