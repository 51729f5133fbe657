//! Assembles tool calls whose arguments are streamed.

use serde_json::json;

use super::answer::AnswerCall;

/// The maximum number of calls that are read of one answer.
const CALLS_MOST: usize = 1024;

/// The calls of an answer so far.
#[derive(Debug, Default)]
pub(super) struct CallPieces(Vec<GrowingCall>);

/// A call whose arguments may still grow.
#[derive(Debug)]
struct GrowingCall {
    index: Option<u64>,
    call: AnswerCall,
    input: CallInput,
}

/// The form in which a model writes the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallInput {
    Json,
    FreeText,
}

impl CallPieces {
    /// Adds a piece of a call. It belongs to the last call with its index, or to the last call if it has no index.
    pub(super) fn take(&mut self, index: Option<u64>, part: AnswerCall, input: CallInput) {
        let has_space = self.0.len() < CALLS_MOST;
        let known = self.0.iter_mut().rfind(|open| index.is_none() || open.index == index);
        match known.filter(|open| !open.is_before(index, &part)) {
            Some(open) => open.grow(part, input),
            None if has_space => self.0.push(GrowingCall { index, call: part, input }),
            None => {}
        }
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The calls, with arguments in JSON. Free text of which more may follow is left as it is, which is not JSON.
    pub(super) fn calls(self, complete: bool) -> impl Iterator<Item = AnswerCall> {
        self.0.into_iter().map(move |GrowingCall { mut call, input, .. }| {
            if complete && input == CallInput::FreeText {
                call.arguments = json!(call.arguments).to_string();
            }
            call
        })
    }
}

impl GrowingCall {
    /// Whether a piece is the beginning of another call. Pieces with a name begin one if they have another id, since some
    /// servers use the same index for all calls. Other servers give every piece of a call an id of its own, but only the
    /// first one a name.
    fn is_before(&self, index: Option<u64>, part: &AnswerCall) -> bool {
        let AnswerCall { id, name, .. } = &self.call;
        let has_other_id = !part.id.is_empty() && !id.is_empty() && part.id != *id;
        let has_other_name = !name.is_empty() && part.name != *name;
        let begins = index.is_none() && (part.id.is_empty() || has_other_name);
        !part.name.is_empty() && (has_other_id || begins)
    }

    fn grow(&mut self, part: AnswerCall, input: CallInput) {
        let Self { call, input: known, .. } = self;
        if call.id.is_empty() {
            call.id = part.id;
        }
        // Some servers repeat the name in every piece, and some send it in pieces.
        if part.name != call.name {
            call.name.push_str(&part.name);
        }
        if call.arguments.is_empty() {
            *known = input;
        }
        call.arguments.push_str(&part.arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(parts: &[(Option<u64>, &str, &str, &str)]) -> Vec<(String, String)> {
        let mut pieces = CallPieces::default();
        for (index, id, name, arguments) in parts {
            let part = AnswerCall { id: (*id).into(), name: (*name).into(), arguments: (*arguments).into() };
            pieces.take(*index, part, CallInput::Json);
        }
        pieces.calls(true).map(|call| (call.name, call.arguments)).collect()
    }

    fn call(name: &str, arguments: &str) -> (String, String) {
        (name.into(), arguments.into())
    }

    #[test]
    fn pieces_with_changing_ids_are_one_call() {
        let parts = [(Some(0), "a", "find", "{\"q\""), (Some(0), "b", "", ":1"), (Some(0), "c", "", "}")];
        assert_eq!(joined(&parts), [call("find", r#"{"q":1}"#)]);
    }

    #[test]
    fn calls_that_share_an_index_are_separate() {
        let parts = [(Some(0), "a", "find", "{}"), (Some(0), "b", "find", "{}")];
        assert_eq!(joined(&parts), [call("find", "{}"), call("find", "{}")]);
    }

    #[test]
    fn calls_without_index_are_separate() {
        for (first, second) in [("call_1", "call_1"), ("", "b"), ("", ""), ("a", "b"), ("a", "")] {
            let parts = [(None, first, "find", "{}"), (None, second, "refund", "{\"a\""), (None, "", "", ":1}")];
            assert_eq!(joined(&parts), [call("find", "{}"), call("refund", r#"{"a":1}"#)], "{first} {second}");
        }
    }

    #[test]
    fn name_may_be_in_pieces_or_repeated() {
        assert_eq!(joined(&[(Some(0), "a", "get_", ""), (Some(0), "", "order", "{}")]), [call("get_order", "{}")]);
        assert_eq!(joined(&[(Some(0), "a", "find", "{"), (Some(0), "a", "find", "}")]), [call("find", "{}")]);
        assert_eq!(joined(&[(None, "a", "find", "{"), (None, "a", "find", "}")]), [call("find", "{}")]);
    }
}
