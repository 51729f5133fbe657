//! The key `by`: counts only the calls of one of several agents, which is known by the system prompt of its model
//! requests.

use std::collections::HashSet;

use agentci_source::shape::{Shape, required};
use agentci_source::{Node, read};
use agentci_text::count_of;
use agentci_trace::{Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};

use super::calls::CalledTool;
use crate::call_words::{goes_by, listed};
use crate::compiler::Compiler;
use crate::wanted_text::{WANTED, WantedText, quoted};

/// How suites write `by`.
pub(super) static BY: Shape = Shape::new(
    "`by`",
    "The agent that made the call, if there are several.",
    &[required("system", WANTED, "The system prompt of the request whose answer requested the call.")],
);

/// The system prompt of the agent that made a call.
#[derive(Debug)]
pub(super) struct CallingAgent {
    pub(super) system: WantedText,
}

/// Calls of the tool that are not counted.
#[derive(Debug, Default)]
pub(super) struct UncountedCalls<'t> {
    /// Calls requested under another system prompt, and that prompt.
    others: Vec<(TracedCall<'t>, String)>,
    /// Calls that no observed answer requested.
    untold: Vec<TracedCall<'t>>,
    /// Whether the answer to a request with the right system prompt requested such a call.
    asked: bool,
}

impl CallingAgent {
    pub(super) fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Self> {
        let mut arguments = compiler.open(&BY, node)?;
        let system = arguments.required_node("system");
        arguments.finish()?;
        Some(Self { system: WantedText::contained(system?, "system", compiler)? })
    }
}

impl CalledTool {
    /// The calls that count, including those of other tools, and the calls of this tool that do not.
    pub(super) fn counted<'t>(&self, trace: &'t Trace) -> (Vec<TracedCall<'t>>, UncountedCalls<'t>) {
        let (calls, mut apart) = (self.seen.calls(trace), UncountedCalls::default());
        let Some(by) = &self.by else { return (calls, apart) };
        let is_own = |name: &str| goes_by(name, &self.name.value, self.suffix);
        let requests = trace.model_requests();
        let mut own: HashSet<&str> = HashSet::new();
        for request in requests.iter().filter(|request| by.system.is_met(&request.system)) {
            own.extend(request.calls.iter().map(|call| call.id).filter(|id| !id.is_empty()));
            apart.asked |= request.calls.iter().any(|call| is_own(call.name));
        }
        let all = trace.asked_calls();
        let mut counted = Vec::with_capacity(calls.len());
        for call in calls {
            let id = asked_as(&call, &all);
            if own.contains(id) || !is_own(&call.call.name) {
                counted.push(call);
                continue;
            }
            let asked = requests.iter().find(|request| request.calls.iter().any(|asked| asked.id == id));
            match asked {
                Some(request) => apart.others.push((call, request.system.to_string())),
                None => apart.untold.push(call),
            }
        }
        (counted, apart)
    }
}

/// The id of the call that the model requested. A stub that ran the call uses ids of its own, and an exchange belongs
/// to the call that it is part of.
fn asked_as<'t>(call: &TracedCall<'t>, all: &[TracedCall<'t>]) -> &'t str {
    let is_whole = |other: &&TracedCall<'t>| other.part_of.is_none() && Some(other.number) == call.part_of;
    let whole = all.iter().find(is_whole).unwrap_or(call);
    whole.request.unwrap_or(whole.call).call_id.as_str()
}

impl UncountedCalls<'_> {
    /// Adds notes about the calls that were not counted to a failure.
    pub(super) fn explain(&self, outcome: Outcome, name: &str) -> Outcome {
        let Outcome::Failed(mut failure) = outcome else { return outcome };
        if let Some((_, system)) = self.others.first() {
            let prompt = if system.is_empty() { "no system prompt".into() } else { quoted(system) };
            let calls = count_of(self.others.len(), "call");
            let note = format!("{calls} of `{name}` not counted: requested under another system prompt, {prompt}");
            failure.notes.push(note);
        }
        if !self.untold.is_empty() {
            failure.notes.push(self.untold_words(name));
        }
        Outcome::Failed(failure)
    }

    /// The failure if a call may have been made by the agent with this prompt, but that cannot be known.
    pub(super) fn doubt(&self, calls: &CalledTool, fits: impl Fn(&TracedCall<'_>) -> bool) -> Option<Failure> {
        let by = calls.by.as_ref().filter(|_| self.asked && (calls.count.span.is_none() || calls.count.is_none()))?;
        let doubtful: Vec<&TracedCall<'_>> = self.untold.iter().filter(|call| fits(call)).collect();
        if doubtful.is_empty() {
            return None;
        }
        let name = &calls.name.value;
        let message = format!("`{name}` was called, and it is unknown which agent called it");
        let failure = Failure::new(message).at(by.system.span(), "a model with this prompt requested such a call");
        Some(failure.note(self.untold_words(name)).notes(listed(doubtful)))
    }

    fn untold_words(&self, name: &str) -> String {
        let calls = count_of(self.untold.len(), "call");
        let ids: Vec<&str> = self.untold.iter().take(5).map(|call| call.call.call_id.as_str()).collect();
        format!("{calls} of `{name}` not counted: no observed answer of a model requested {}", read::quoted_list(&ids))
    }
}
