//! The expected result of a tool, and the calls that returned it.

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Node, Span, Spanned, read};
use agentci_trace::{ToolResult, Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use super::paraphrase::{SaidResult, said};
use super::result_pattern::ResultPattern;
use crate::call_words::{cut, goes_by, listed, observed};
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::tool_called::CallObservation;

/// The most parsed texts that are shown.
const READ: usize = 10;

#[derive(Debug)]
struct ResultOf {
    name: Spanned<String>,
    suffix: bool,
    result: Option<(ResultPattern, Span)>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "tool_result", about: "A tool returned this result.", arguments: Kind::Shape(&ARGUMENTS) };

static ARGUMENTS: Shape = Shape::new(
    "`tool_result`",
    "A tool, and its expected result.",
    &[
        required("name", Kind::Name, "The name of the tool."),
        optional(
            "suffix",
            Kind::Truth,
            "Whether to count tools whose name ends in `.` or `__` and this name. Default: false.",
        ),
        optional(
            "result",
            Kind::Data,
            "The expected result: a value, a string that begins with `regex:`, or part of a mapping.",
        ),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let name = arguments.required("name", read::name);
    let suffix = arguments.optional("suffix", read::truth).unwrap_or_default();
    let wanted = |node: &Node, compiler: &mut Compiler<'_>| Some((ResultPattern::read(node, compiler)?, node.span));
    let result = arguments.optional_with("result", wanted);
    arguments.finish()?;
    Some(Arc::new(ResultOf { name: name?, suffix, result }))
}

/// The result of a call.
fn given<'t>(call: &TracedCall<'t>) -> Option<Cow<'t, Value>> {
    call.result.map(given_by)
}

/// The value of a result, or its error message if there is nothing else.
fn given_by(answer: &ToolResult) -> Cow<'_, Value> {
    match &answer.error {
        Some(error) if !answer.ok && answer.result.is_null() => Cow::Owned(error.as_str().into()),
        _ => Cow::Borrowed(&*answer.result),
    }
}

impl ResultOf {
    /// Whether any observer of a call saw this result.
    fn had(&self, call: &TracedCall<'_>) -> bool {
        match &self.result {
            None => call.result.is_some() && call.results().chain(call.told_model()).all(|answer| answer.ok),
            Some((wanted, _)) => call.results().any(|answer| wanted.fits(&given_by(answer))),
        }
    }

    /// Whether the agent used this result: what it passed to its model must contain it too, even if in other words.
    fn was_passed_on(&self, call: &TracedCall<'_>) -> SaidResult {
        if !self.had(call) {
            return SaidResult::No;
        }
        let (Some((wanted, _)), Some(told)) = (&self.result, call.told_model()) else { return SaidResult::Yes };
        // A result that is passed on as a failure is a different one.
        if !told.ok && call.results().any(|answer| answer.ok) {
            return SaidResult::No;
        }
        said(wanted, &given_by(told))
    }

    /// Notes with the calls, and what their text results were parsed as.
    fn shown(&self, calls: &[&TracedCall<'_>]) -> Vec<String> {
        let mut lines = listed(calls.iter().copied());
        let Some((wanted, _)) = self.result.as_ref().filter(|(wanted, _)| wanted.is_data()) else { return lines };
        let texts = calls.iter().enumerate().filter_map(|(index, call)| Some((index + 1, given(call)?)));
        let texts = texts.filter(|(_, given)| given.is_string());
        let all = calls.len();
        let note = |(number, given): (usize, Cow<'_, Value>)| match wanted.read_from(&given) {
            Some(read) => format!("call {number} of {all}: its text was parsed as {}", cut(&read)),
            None => format!("call {number} of {all}: its text is neither JSON nor a Python literal"),
        };
        lines.extend(texts.take(READ).map(note));
        lines
    }

    fn named<'c>(&self, calls: &'c [TracedCall<'c>]) -> Vec<&'c TracedCall<'c>> {
        calls.iter().filter(|call| call.goes_by(|tool| goes_by(tool, &self.name.value, self.suffix))).collect()
    }
}

impl Evaluate for ResultOf {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let named = self.named(&calls);
        if named.iter().any(|call| self.was_passed_on(call) > SaidResult::No) {
            return Outcome::Passed;
        }
        let name = &self.name.value;
        if named.is_empty() {
            let failure = Failure::new(format!("`{name}` was never called")).at(self.name.span, "never called");
            let missed = CallObservation::Made.missed(trace, &[name], self.suffix);
            return Outcome::Failed(failure.notes(missed).note(observed(&calls)));
        }
        let (message, span, label) = match &self.result {
            None => (format!("no call of `{name}` returned without an error"), self.name.span, "no successful call"),
            Some((_, span)) if named.iter().any(|call| self.had(call)) => {
                let message = format!("`{name}` returned this result, but the agent passed another one to its model");
                (message, *span, "not passed to its model")
            }
            Some((_, span)) => {
                let found = named.first().filter(|_| named.len() == 1).and_then(|call| given(call));
                let found = found.map(|found| format!(": it returned {}", cut(&found))).unwrap_or_default();
                (format!("no call of `{name}` returned the expected result{found}"), *span, "no result matches this")
            }
        };
        Outcome::Failed(Failure::new(message).at(span, label).notes(self.shown(&named)))
    }

    /// Negated, no call may have returned it.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let fitting: Vec<&TracedCall<'_>> = self.named(&calls).into_iter().filter(|call| self.had(call)).collect();
        if fitting.is_empty() {
            return Outcome::Passed;
        }
        let is_forbidden = |given: &Cow<'_, Value>| self.result.as_ref().is_none_or(|(wanted, _)| wanted.fits(given));
        let found = fitting.iter().flat_map(|call| call.results()).map(given_by).find(is_forbidden);
        let found = cut(&found.expect("each of these calls has such a result"));
        let message = format!("a call of `{}` returned {found}, which `not` forbids", self.name.value);
        let span = self.result.as_ref().map_or(self.name.span, |(_, span)| *span);
        Outcome::Failed(Failure::new(message).at(span, "a result matches this").notes(self.shown(&fitting)))
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        let calls = trace.calls();
        let said = self.named(&calls).into_iter().map(|call| (self.was_passed_on(call), call));
        let Some((SaidResult::Unknown, call)) = said.max_by_key(|(said, _)| *said).filter(|_| !negate) else {
            return Vec::new();
        };
        let told = call.told_model().expect("the result is unknown only if the model received something else");
        let told = cut(&given_by(told));
        let name = &self.name.value;
        vec![format!("`{name}` returned this result; {told} does not show whether the agent passed it to its model")]
    }
}
