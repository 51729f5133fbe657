//! What must have been observed of a call for it to count.

use agentci_source::shape::Kind;
use agentci_source::{Diagnostics, Node, read};
use agentci_trace::{Trace, TracedCall};

use crate::call_words::{goes_by, shown};

/// The words, and what they ask for.
const WORDS: [(&str, CallObservation); 3] = [
    ("requested", CallObservation::Requested),
    ("executed", CallObservation::Executed),
    ("answered", CallObservation::Answered),
];

/// What a check is given for it.
pub(crate) const SEEN: Kind = Kind::Choice(&["requested", "executed", "answered"]);

/// What the key means, for its documentation.
pub(crate) const ABOUT: &str = "What must have been observed of a call: that a model `requested` it, that somebody saw it `executed`, that it was `answered`.";

/// What must have been observed of a call for it to count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CallObservation {
    /// The agent made it: it tells of the call itself, or of what its model asked for it was executed or answered.
    #[default]
    Made,
    /// A model asked for it, or the agent tells of it.
    Requested,
    /// Somebody saw it run.
    Executed,
    /// Its result came back to the model or to us.
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

    /// What such a call is: `called`.
    pub(crate) fn words(self) -> &'static str {
        match self {
            CallObservation::Made => "called",
            CallObservation::Requested => "asked for",
            CallObservation::Executed => "seen to be executed",
            CallObservation::Answered => "seen to be answered",
            CallObservation::Refused => "refused",
        }
    }

    /// What is said of a call that must not be.
    pub(crate) fn forbidden(self) -> String {
        if self == CallObservation::Made {
            "the agent called this".into()
        } else {
            format!("this was {}", self.words())
        }
    }

    /// Why calls of these tools do not count, as facts to show beside a failure.
    pub(crate) fn missed(self, trace: &Trace, names: &[&str], suffix: bool) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        let mut unobserved = false;
        for call in trace.asked_calls() {
            let of = |name: &&&str| call.goes_by(|tool| goes_by(tool, name, suffix));
            let Some(name) = names.iter().find(of) else { continue };
            if self.fits(&call) {
                continue;
            }
            let asked = format!("the model asked for `{name}`");
            let note = if let Some(form) = call.refused() {
                format!("{asked}, and it was refused ({form})")
            } else if !call.counts {
                unobserved |= call.is_unobserved;
                format!("{asked}, and the agent never sent a result")
            } else {
                format!("`{name}` was called, and not {}", self.words())
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

    /// What is odd where none of these tools counts as called: a call that nobody could see.
    pub(crate) fn unobserved(self, trace: &Trace, names: &[&str], suffix: bool) -> Vec<String> {
        if matches!(self, CallObservation::Requested | CallObservation::Refused) {
            return Vec::new();
        }
        let mut warnings: Vec<String> = Vec::new();
        for call in trace.asked_calls().iter().filter(|call| call.is_unobserved) {
            let of = |name: &&&str| call.goes_by(|tool| goes_by(tool, name, suffix));
            let Some(name) = names.iter().find(of) else { continue };
            let warning = format!(
                "`{name}` counts as not called, and nothing could observe it: the model asked for it in its last answer, and \
                 nothing came after that"
            );
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }
}

/// How many calls that do not count are told of.
const NOTES: usize = 5;

/// What to do about a call that nobody could see.
const WAYS_OUT: &str = "it was the last answer of its conversation, so that nothing shows whether the tool ran: if asking for it is \
                        all there is to see, say `seen: requested` in the check; else let the call be observed, by `world.tools.routes` \
                        for tools over HTTP, or by the agent telling of it in its protocol";
