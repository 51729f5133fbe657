//! # What it checks
//! A call of this tool had this result: objects need only hold what is listed, lists must be as long, texts are compared letter for
//! letter, numbers by value (`20` is `20.0`), and a text that begins with `regex:` is a pattern. A result that is a text is read as
//! JSON, or as what Python prints (`{'paid': True}`), where an object, a list, a number or a boolean is asked for; a failure shows
//! what was read. Where the agent was seen to tell its model what came of the call, that must be this result too, or a text with the
//! same values in it. Without `result`, a call must have been answered without an error. With `suffix: true` a tool counts as well whose
//! name ends in `.` or `__` and this name.
//!
//! # Why
//! That a tool was called says little; what came of it is what the agent worked with.
//!
//! # Example
//! ```yaml
//! checks:
//!   - tool_result: { name: find_order, result: { status: paid, id: "regex:^A-" } }
//!   - tool_result: { name: refund_order }
//! ```

mod paraphrase;
mod result_pattern;

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Node, Span, Spanned, read};
use agentci_trace::{ToolResult, Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use self::paraphrase::{SaidResult, said};
use self::result_pattern::ResultPattern;
use crate::call_words::{cut, goes_by, listed, observed};
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::tool_called::CallObservation;

/// How many texts that were read are shown.
const READ: usize = 10;

#[derive(Debug)]
struct ResultOf {
    name: Spanned<String>,
    suffix: bool,
    result: Option<(ResultPattern, Span)>,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "tool_result", about: "A tool gave this result.", arguments: Kind::Shape(&ARGUMENTS) };

static ARGUMENTS: Shape = Shape::new(
    "`tool_result`",
    "A tool, and what it gave.",
    &[
        required("name", Kind::Name, "The name of the tool."),
        optional("suffix", Kind::Truth, "Whether a tool counts whose name ends in this one."),
        optional(
            "result",
            Kind::Data,
            "What was given: values, texts that begin with `regex:`, or parts of a mapping.",
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

/// What a call gave.
fn given<'t>(call: &TracedCall<'t>) -> Option<Cow<'t, Value>> {
    call.result.map(given_by)
}

/// What an answer says. A tool that only complained gave its complaint.
fn given_by(answer: &ToolResult) -> Cow<'_, Value> {
    match &answer.error {
        Some(error) if !answer.ok && answer.result.is_null() => Cow::Owned(error.as_str().into()),
        _ => Cow::Borrowed(&*answer.result),
    }
}

impl ResultOf {
    /// Whether a call had this result, as anyone saw it: what must not be must not be anywhere.
    fn had(&self, call: &TracedCall<'_>) -> bool {
        match &self.result {
            None => call.result.is_some() && call.results().chain(call.told_model()).all(|answer| answer.ok),
            Some((wanted, _)) => call.results().any(|answer| wanted.fits(&given_by(answer))),
        }
    }

    /// Whether the agent went on with this result: what it told its model must say it too, if in other words.
    fn was_passed_on(&self, call: &TracedCall<'_>) -> SaidResult {
        if !self.had(call) {
            return SaidResult::No;
        }
        let (Some((wanted, _)), Some(told)) = (&self.result, call.told_model()) else { return SaidResult::Yes };
        // A good result that is passed on as a failure is another one.
        if !told.ok && call.results().any(|answer| answer.ok) {
            return SaidResult::No;
        }
        said(wanted, &given_by(told))
    }

    /// What the texts among the results were read as.
    fn shown(&self, calls: &[&TracedCall<'_>]) -> Vec<String> {
        let mut lines = listed(calls.iter().copied());
        let Some((wanted, _)) = self.result.as_ref().filter(|(wanted, _)| wanted.is_data()) else { return lines };
        let texts = calls.iter().enumerate().filter_map(|(index, call)| Some((index + 1, given(call)?)));
        let texts = texts.filter(|(_, given)| given.is_string());
        let all = calls.len();
        let note = |(number, given): (usize, Cow<'_, Value>)| match wanted.read_from(&given) {
            Some(read) => format!("call {number} of {all}: its text was read as {}", cut(&read)),
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
            return Outcome::Held;
        }
        let name = &self.name.value;
        if named.is_empty() {
            let failure = Failure::new(format!("`{name}` was never called")).at(self.name.span, "never called");
            let missed = CallObservation::Made.missed(trace, &[name], self.suffix);
            return Outcome::Failed(failure.notes(missed).note(observed(&calls)));
        }
        let (message, span, label) = match &self.result {
            None => (format!("no call of `{name}` was answered without an error"), self.name.span, "no good answer"),
            Some((_, span)) if named.iter().any(|call| self.had(call)) => {
                let message = format!("`{name}` gave this result, and the agent told its model another");
                (message, *span, "its model was not told this")
            }
            Some((_, span)) => (format!("no call of `{name}` had this result"), *span, "no result is like this"),
        };
        Outcome::Failed(Failure::new(message).at(span, label).notes(self.shown(&named)))
    }

    /// Negated, no call may have had it.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let fitting: Vec<&TracedCall<'_>> = self.named(&calls).into_iter().filter(|call| self.had(call)).collect();
        if fitting.is_empty() {
            return Outcome::Held;
        }
        let message = format!("a call of `{}` had this result, and must not", self.name.value);
        let span = self.result.as_ref().map_or(self.name.span, |(_, span)| *span);
        Outcome::Failed(Failure::new(message).at(span, "a result is like this").notes(self.shown(&fitting)))
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        let calls = trace.calls();
        let said = self.named(&calls).into_iter().map(|call| (self.was_passed_on(call), call));
        let Some((SaidResult::Unknown, call)) = said.max_by_key(|(said, _)| *said).filter(|_| !negate) else {
            return Vec::new();
        };
        let told = call.told_model().map(|told| cut(&given_by(told))).unwrap_or_default();
        let name = &self.name.value;
        vec![format!("`{name}` gave this result; whether the agent told its model so cannot be seen in {told}")]
    }
}
