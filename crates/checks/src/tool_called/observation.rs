//! The key `seen`: what must have been observed of a call for it to count.

use agentci_source::shape::Kind;
use agentci_source::{Diagnostics, Node, read};
use agentci_trace::{Trace, TracedCall};

use crate::call_words::{goes_by, shown};

/// The values of `seen`.
const WORDS: [(&str, CallObservation); 3] = [
    ("requested", CallObservation::Requested),
    ("executed", CallObservation::Executed),
    ("answered", CallObservation::Answered),
];

/// How suites write `seen`.
pub(crate) const SEEN: Kind = Kind::Choice(&["requested", "executed", "answered"]);

/// The description of `seen`.
pub(crate) const ABOUT: &str = "What must have been observed of a call: that a model `requested` it, that it was \
                                `executed`, or that it was `answered`. Default: the agent made the call.";

/// What must have been observed of a call for it to count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CallObservation {
    /// The agent made the call: it reports it itself, or a call that its model requested was executed or answered.
    #[default]
    Made,
    /// A model requested it, or the agent reports it.
    Requested,
    /// It was seen to run.
    Executed,
    /// Its result was sent back to the model or to agentci.
    Answered,
    /// A result says that it was not run.
    Refused,
}

impl CallObservation {
    pub(crate) fn read(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Self> {
        read::choice(node, name, &WORDS, problems)
    }

    pub(crate) fn fits(self, call: &TracedCall<'_>) -> bool {
        match self {
            CallObservation::Made => call.counts,
            CallObservation::Requested => call.part_of.is_none(),
            CallObservation::Executed => call.was_executed,
            CallObservation::Answered => call.was_answered,
            CallObservation::Refused => call.refused().is_some() && !call.was_executed,
        }
    }

    /// The calls of a trace that count.
    pub(crate) fn calls(self, trace: &Trace) -> Vec<TracedCall<'_>> {
        let mut calls = trace.asked_calls();
        calls.retain(|call| self.fits(call));
        calls
    }

    /// The participle for such a call: `called`.
    pub(crate) fn words(self) -> &'static str {
        match self {
            CallObservation::Made => "called",
            CallObservation::Requested => "requested",
            CallObservation::Executed => "seen to be executed",
            CallObservation::Answered => "seen to be answered",
            CallObservation::Refused => "refused",
        }
    }

    /// The label for a call that is forbidden.
    pub(crate) fn forbidden(self) -> String {
        if self == CallObservation::Made {
            "the agent called this".into()
        } else {
            format!("this was {}", self.words())
        }
    }

    /// Notes on why calls of these tools do not count.
    pub(crate) fn missed(self, trace: &Trace, names: &[&str], suffix: bool) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        let mut unobserved = false;
        for call in trace.asked_calls() {
            let of = |name: &&&str| call.goes_by(|tool| goes_by(tool, name, suffix));
            let Some(name) = names.iter().find(of) else { continue };
            if self.fits(&call) {
                continue;
            }
            let asked = format!("the model requested `{name}`");
            let note = if let Some(form) = call.refused() {
                format!("{asked}, but it was refused ({form})")
            } else if !call.counts {
                unobserved |= call.is_unobserved;
                format!("{asked}, but the agent never sent a result")
            } else {
                format!("`{name}` was called, but not {}", self.words())
            };
            let note = format!("{note}: {}", shown(call.call));
            if !notes.contains(&note) && notes.len() < NOTES {
                notes.push(note);
            }
        }
        if unobserved {
            notes.push(WAYS_OUT.to_owned());
        }
        notes
    }

    /// Warnings about calls of these tools that could not be observed.
    pub(crate) fn unobserved(self, trace: &Trace, names: &[&str], suffix: bool) -> Vec<String> {
        if matches!(self, CallObservation::Requested | CallObservation::Refused) {
            return Vec::new();
        }
        let mut warnings: Vec<String> = Vec::new();
        for call in trace.asked_calls().iter().filter(|call| call.is_unobserved) {
            let of = |name: &&&str| call.goes_by(|tool| goes_by(tool, name, suffix));
            let Some(name) = names.iter().find(of) else { continue };
            let warning = format!(
                "`{name}` counts as not called, but the call could not be observed: the model requested it in its last \
                 answer, and nothing followed"
            );
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }
}

/// The most notes about calls that do not count.
const NOTES: usize = 5;

/// The remedy for a call that could not be observed.
const WAYS_OUT: &str = "it was the last answer of its conversation, so nothing shows whether the tool ran: if the \
                        request is all there is to see, write `seen: requested` in the check; otherwise make the call \
                        observable, with `world.tools.routes` for tools over HTTP, or by reporting it in the agent's \
                        protocol";
