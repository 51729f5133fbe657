//! # What it checks
//! At this path of the agent's final output stands this value. A path is names with dots between them and indexes in brackets,
//! `items[0].name`, with or without `$.` before it; one that begins with `$` and is more than that is a `JSONPath` of RFC 9535, and
//! several places that it leads to are compared as a list. A list as `value` means one of it, where no list stands at the path.
//! Nothing at the path is `null`, as is a `value` that is left out. A final output that is a text is read as JSON, all of it or
//! what is between fences; one that is none does not pass.
//!
//! A path that may take long, by several `..` or filters within each other, is evaluated by a process of its own with the same
//! bounds as a schema (see `json_schema`). Filters may be nested 8 levels deep.
//!
//! # Why
//! One field of a structured answer, whatever the others say.
//!
//! # Example
//! ```yaml
//! checks:
//!   - json_path: { path: need_search, value: false }
//!   - json_path: { path: "items[0].colour", value: [red, green] }
//!   - json_path: { path: "$.items[?@.price > 10].name", value: lamp }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use agentci_plan::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_plan::{Detail, Diagnostic, Failure, Node, Outcome, Reading, Span, read};
use agentci_trace::Trace;
use serde_json::{Value, json};

use crate::bounded::{PathCost, Task, Weight, nests_too_deep};
use crate::called::cut;
use crate::compiler::Compiler;
use crate::equality::same;
use crate::evaluate::{Evaluate, no_output, opposite};
use crate::output::{json_in, output, type_name};
use crate::walk::{Walk, together};
use crate::{Kept, Question};

#[derive(Debug)]
struct AtPath {
    walk: Walk,
    /// Of a path that is more than names and indexes.
    cost: Option<PathCost>,
    written: String,
    path_span: Span,
    value: Value,
    span: Span,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "json_path",
    about: "At a path of the agent's final output stands this value.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape = Shape::new(
    "`json_path`",
    "A path into the final output, and what stands there.",
    &[
        required(
            "path",
            Kind::Text,
            "Names with dots between them and indexes in brackets, or a JSONPath that begins with `$`.",
        ),
        optional("value", Kind::Data, "What stands at the path; of a list, one item."),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let problems = &mut compiler.problems;
    let mut fields = ARGUMENTS.open(arguments, problems)?;
    let path = fields.required("path", problems);
    let value = fields.optional("value");
    fields.finish(problems);
    let span = value.map_or(arguments.span, |value| value.span);
    let value = value.map_or(Some(Value::Null), |node| read::data(node, "value", Reading::Core, problems));
    let path_span = path?.span;
    let written = read::text(path?, "path", problems)?;
    if nests_too_deep(&written) {
        let problem = Diagnostic::error(path_span, "this path has filters or brackets nested too deep");
        problems.push(problem.label("nested too deep").help("filters may be nested 8 levels deep, brackets 64"));
        return None;
    }
    match Walk::read(&written) {
        Ok(walk) => Some(Arc::new(AtPath {
            cost: walk.standard().map(PathCost::of),
            walk,
            written,
            path_span,
            value: value?,
            span,
        })),
        Err(error) => {
            let message = format!("this is not a JSONPath: {error}");
            let problem = Diagnostic::error(path_span, message).label("not a path");
            problems.push(
                problem.help("plain paths are `a.b[0].c`; all others are written as RFC 9535 has it: `$.a[*].b`"),
            );
            None
        }
    }
}

impl AtPath {
    fn fits(&self, found: &Value) -> bool {
        match (&self.value, found) {
            (Value::Array(choices), found) if !found.is_array() => choices.iter().any(|choice| same(choice, found)),
            (value, found) => same(value, found),
        }
    }

    /// Judges the output, by what a worker found where there is an answer of one.
    fn judge(&self, trace: &Trace, answer: Option<&Value>) -> Outcome {
        let Some(output) = output(trace) else { return no_output() };
        let Some(read) = readable(&output) else {
            let kind = type_name(&output);
            let message = format!("the final output is not valid JSON with a `{}` in it, but a {kind}", self.written);
            let failure = Failure::new(message).at(self.path_span, "asks for JSON");
            return Outcome::Failed(failure.note(format!("the final output is {}", cut(&output))));
        };
        let found = match answer {
            Some(answer) => together(&answer["found"].as_array().into_iter().flatten().collect::<Vec<_>>()),
            None => self.walk.find(&read),
        };
        let actual = found.as_deref().unwrap_or(&Value::Null);
        if self.fits(actual) {
            return Outcome::Held;
        }
        let wanted = match &self.value {
            value @ Value::Array(_) if !actual.is_array() => format!("one of {}", cut(value)),
            value => cut(value),
        };
        let (message, label) = match &found {
            None => {
                (format!("nothing stands at `{}`, which should be {wanted}", self.written), "nothing is there".into())
            }
            Some(found) => (
                format!("at `{}` stands {} instead of {wanted}", self.written, cut(found)),
                format!("there is {}", cut(found)),
            ),
        };
        let mut failure =
            Failure::new(message).at(self.span, label).note(format!("the final output is {}", cut(&read)));
        let detail = Detail { path: self.written.clone(), expected: self.value.clone(), actual: actual.clone() };
        failure.details = vec![detail];
        Outcome::Failed(failure)
    }
}

impl Evaluate for AtPath {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        self.judge(trace, None)
    }

    fn question(&self, trace: &Trace) -> Option<Question> {
        let cost = self.cost.as_ref()?;
        let output = output(trace)?;
        let read = readable(&output)?;
        if cost.is_cheap(Weight::of(&read)) {
            return None;
        }
        Some(Question::Bounded(Task::path(self.walk.standard()?.to_owned(), read.into_owned())))
    }

    fn conclude(&self, trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        if !answer["found"].is_array() {
            return Outcome::Error(
                Failure::new("it is not known what the path leads to").at(self.path_span, "this path"),
            );
        }
        let outcome = self.judge(trace, Some(answer));
        if negate { opposite(outcome) } else { outcome }
    }

    fn keep(&self, answer: Value, _negate: bool) -> Kept {
        let found = answer["found"].as_array().map_or(0, Vec::len);
        Kept { evidence: json!({ "found": found }), ..Kept::default() }
    }
}

/// The output as JSON, if it is or holds any.
fn readable<'v>(output: &'v Value) -> Option<Cow<'v, Value>> {
    match output {
        Value::Object(_) | Value::Array(_) => Some(Cow::Borrowed(output)),
        Value::String(text) => json_in(text).map(Cow::Owned),
        _ => None,
    }
}
