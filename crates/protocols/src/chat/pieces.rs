//! Assembles tool calls whose arguments are streamed.

use super::answer::AnswerCall;

/// The maximum number of calls that are read of one answer.
const CALLS_MOST: usize = 1024;

/// The calls of an answer so far.
#[derive(Debug, Default)]
pub(super) struct CallPieces(Vec<(Option<u64>, AnswerCall)>);

impl CallPieces {
    /// Adds a piece of a call. It belongs to the call with its index, or to the last one if it has no index. Some
    /// servers use the same index for all calls, so a new id starts a new call.
    pub(super) fn take(&mut self, index: Option<u64>, part: AnswerCall) {
        let of_index = |(known, _): &(Option<u64>, AnswerCall)| index.is_none() || *known == index;
        let is_other = |call: &AnswerCall| !part.id.is_empty() && !call.id.is_empty() && call.id != part.id;
        let begins = index.is_none() && !part.name.is_empty() && part.id.is_empty();
        let found = self.0.iter().rposition(of_index).filter(|at| !is_other(&self.0[*at].1) && !begins);
        if let Some((_, call)) = found.and_then(|at| self.0.get_mut(at)) {
            if call.id.is_empty() {
                call.id = part.id;
            }
            if call.name.is_empty() {
                call.name = part.name;
            }
            call.arguments.push_str(&part.arguments);
        } else if self.0.len() < CALLS_MOST {
            self.0.push((index, part));
        }
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn calls(self) -> impl Iterator<Item = AnswerCall> {
        self.0.into_iter().map(|(_, call)| call)
    }
}
