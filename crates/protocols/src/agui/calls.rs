//! Releases tool calls in the order in which they were started.
//!
//! Calls may run in parallel, and the first call need not be complete first. A trace lists calls in the order in which
//! the agent made them, so a complete call waits for those that were started before it, and its result waits with it.

use std::collections::VecDeque;

use agentci_trace::{EventKind, Moment, Observer, ToolCall, ToolResult};
use serde_json::{Map, Value};

use super::content::arguments;
use super::reader::AguiStep;

/// A call that was started and is not in the trace yet.
#[derive(Debug, Default)]
pub(super) struct OpenToolCall {
    id: String,
    name: String,
    pub(super) arguments: String,
    begun: Moment,
    /// When its last piece arrived.
    pub(super) heard: Moment,
    /// When it was complete, and its arguments.
    complete: Option<(Moment, Value)>,
    /// Whether it was closed, which may happen after its result.
    closed: bool,
    answers: Vec<(Moment, ToolResult)>,
    pub(super) metadata: Option<Map<String, Value>>,
}

/// A call that has just become complete.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Completed {
    pub(super) id: String,
    /// The text of its arguments.
    pub(super) arguments: String,
    /// Whether the arguments are a JSON object, as required.
    pub(super) sound: bool,
    pub(super) metadata: Option<Map<String, Value>>,
}

/// The waiting calls, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct OpenToolCalls {
    waiting: VecDeque<OpenToolCall>,
    /// Calls that were answered and released before they were closed.
    unclosed: Vec<String>,
}

impl OpenToolCalls {
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.unclosed.len()
    }

    /// Starts a call, unless one with this id is still receiving arguments.
    pub(super) fn begin(&mut self, id: &str, name: String, at: Moment) {
        if self.growing(id).is_some() {
            return;
        }
        // Closes an earlier call that was answered and never closed.
        self.close(id, None);
        let id = id.to_owned();
        self.waiting.push_back(OpenToolCall { id, name, begun: at, heard: at, ..OpenToolCall::default() });
    }

    /// The call with this id that is still receiving arguments.
    pub(super) fn growing(&mut self, id: &str) -> Option<&mut OpenToolCall> {
        self.waiting.iter_mut().rev().find(|call| call.complete.is_none() && call.id == id)
    }

    /// Closes a call; without a time, it was complete with its last piece. Returns whether it was open, and the call if
    /// this completed it.
    pub(super) fn close(&mut self, id: &str, at: Option<Moment>) -> (bool, Option<Completed>) {
        if let Some(found) = self.unclosed.iter().position(|open| open == id) {
            self.unclosed.remove(found);
            return (true, None);
        }
        let Some(call) = self.waiting.iter_mut().rev().find(|call| !call.closed && call.id == id) else {
            return (false, None);
        };
        call.closed = true;
        (true, call.complete(at))
    }

    /// Holds a result until its call is released, or returns it if the call was already released. A result completes
    /// its call.
    pub(super) fn answer(&mut self, at: Moment, result: ToolResult) -> (Option<Completed>, Option<ToolResult>) {
        let Some(call) = self.waiting.iter_mut().rev().find(|call| call.id == result.call_id) else {
            return (None, Some(result));
        };
        let completed = call.complete(None);
        call.answers.push((at, result));
        (completed, None)
    }

    /// Releases every complete call that waits for no other.
    pub(super) fn release(&mut self, out: &mut Vec<AguiStep>) {
        while let Some(call) = self.waiting.pop_front() {
            let OpenToolCall { id: call_id, name, begun, complete: Some((at, args)), closed, answers, .. } = call
            else {
                self.waiting.push_front(call);
                return;
            };
            if !closed {
                self.unclosed.push(call_id.clone());
            }
            let made = ToolCall { call_id, name, args: args.into(), observer: Observer::Protocol, begun: Some(begun) };
            out.push(AguiStep { at, kind: EventKind::ToolCall(made) });
            out.extend(answers.into_iter().map(|(at, result)| AguiStep { at, kind: EventKind::ToolResult(result) }));
        }
    }

    /// Completes all remaining calls at the end of a run.
    pub(super) fn complete_all(&mut self) -> Vec<Completed> {
        self.unclosed.clear();
        let finish = |call: &mut OpenToolCall| {
            call.closed = true;
            call.complete(None)
        };
        self.waiting.iter_mut().filter_map(finish).collect()
    }

    /// The ids of the open calls.
    pub(super) fn open(&self) -> impl Iterator<Item = &str> {
        let waiting = self.waiting.iter().filter(|call| !call.closed).map(|call| call.id.as_str());
        waiting.chain(self.unclosed.iter().map(String::as_str))
    }
}

impl OpenToolCall {
    fn complete(&mut self, at: Option<Moment>) -> Option<Completed> {
        if self.complete.is_some() {
            return None;
        }
        let text = std::mem::take(&mut self.arguments);
        let (args, sound) = arguments(&text);
        self.complete = Some((at.unwrap_or(self.heard), args));
        Some(Completed { id: self.id.clone(), arguments: text, sound, metadata: self.metadata.take() })
    }
}
