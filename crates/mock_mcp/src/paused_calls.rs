//! Calls without a session that wait for answers of their client. The client gets a token, and repeats the request with
//! it.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use agentci_plan::FaultKind;
use serde_json::{Map, Value};

/// The maximum number of paused calls; a new one replaces the oldest.
const MOST: usize = 1_000;

/// A tool call, as it is reported.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PausedCall {
    pub(crate) number: u64,
    /// The fault to inject.
    pub(crate) fault: Option<FaultKind>,
}

/// The state of a paused call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pause {
    /// The call, if it is a tool call.
    pub(crate) call: PausedCall,
    /// The index of the tool's answer that was begun.
    pub(crate) answer: usize,
    /// The client's answers so far.
    pub(crate) answers: Map<String, Value>,
}

/// Paused calls, each with its token, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct PausedCalls(VecDeque<(String, Pause)>);

impl PausedCalls {
    /// Keeps a call, and returns its token.
    pub(crate) fn keep(&mut self, pause: Pause) -> String {
        let token = token();
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((token.clone(), pause));
        token
    }

    /// The call of a token. It is kept, since a client that gets no answer retries.
    pub(crate) fn find(&self, token: &str) -> Option<Pause> {
        self.0.iter().find(|(known, _)| known == token).map(|(_, pause)| pause.clone())
    }
}

/// A token that cannot be guessed.
pub(crate) fn token() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_call_is_dropped() {
        let mut paused = PausedCalls::default();
        let first = paused.keep(Pause { answer: 1, ..Pause::default() });
        assert_eq!(paused.find(&first).map(|pause| pause.answer), Some(1));
        assert_eq!(paused.find(&format!("{first}x")), None);
        for _ in 0..MOST {
            paused.keep(Pause::default());
        }
        assert_eq!(paused.find(&first), None);
        assert_eq!(paused.0.len(), MOST);
    }
}
