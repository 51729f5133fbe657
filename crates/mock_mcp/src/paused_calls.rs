//! Calls without a session that wait for what their client says. The client gets a token and comes back with it.

use std::collections::BTreeMap;
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

/// Calls that wait, by their tokens.
#[derive(Debug, Default)]
pub(crate) struct Paused {
    calls: BTreeMap<String, Pause>,
    order: VecDeque<String>,
}

impl Paused {
    /// Keeps a call, and gives the token by which it is found again.
    pub(crate) fn keep(&mut self, pause: Pause) -> String {
        let token = token();
        if self.order.len() >= MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.calls.remove(&oldest);
        }
        self.order.push_back(token.clone());
        self.calls.insert(token.clone(), pause);
        token
    }

    /// The call of a token. It may be asked for again: a client that got no answer tries once more.
    pub(crate) fn find(&self, token: &str) -> Option<Pause> {
        self.calls.get(token).cloned()
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
        assert_eq!(paused.calls.len(), MOST);
    }
}
