//! Calls without a session that wait for what their client says. The client gets a token and comes back with it.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use agentci_plan::FaultKind;
use serde_json::{Map, Value};

/// The most calls that wait at once; the oldest is forgotten for a new one.
const MOST: usize = 1_000;

/// A call of a tool, as it is told of.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PausedCall {
    pub(crate) number: u64,
    /// What goes wrong with it on purpose.
    pub(crate) fault: Option<FaultKind>,
}

/// A call that waits.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pause {
    /// Which call, where it is one of a tool.
    pub(crate) call: PausedCall,
    /// Which answer of the tool was begun.
    pub(crate) answer: usize,
    /// What the client said so far.
    pub(crate) answers: Map<String, Value>,
}

/// Calls that wait, each with its token, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Paused(VecDeque<(String, Pause)>);

impl Paused {
    /// Keeps a call, and gives the token by which it is found again.
    pub(crate) fn keep(&mut self, pause: Pause) -> String {
        let token = token();
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((token.clone(), pause));
        token
    }

    /// The call of a token. It may be asked for again: a client that got no answer tries once more.
    pub(crate) fn find(&self, token: &str) -> Option<Pause> {
        self.0.iter().find(|(known, _)| known == token).map(|(_, pause)| pause.clone())
    }
}

/// A text that nobody can guess.
pub(crate) fn token() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_call_is_forgotten() {
        let mut paused = Paused::default();
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
