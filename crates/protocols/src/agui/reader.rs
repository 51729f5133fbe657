//! Reads the events of one answer.

use std::collections::HashSet;
use std::fmt;

use agentci_trace::{EventKind, Moment};
use serde_json::Value;

use super::calls::OpenToolCalls;
use super::chunks::{ChunkLanes, EndedStreams};
use super::conversation::{AguiMethod, AguiThread};
use super::ending::{AnswerEnding, CutShort};
use super::event_types::{EventType, event_type};
use super::fields::{self, AguiError, AguiFields, AguiResult, quote};
use super::interrupt::Interrupt;
use super::lint::{Lint, QuotedName};
use super::other_events::EventScope;
use super::text_events::OpenText;
use crate::SeenValues;

#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLimits {
    pub(super) events: usize,
    /// Text, arguments, results and logs, in bytes.
    pub(super) bytes: usize,
    /// Messages, calls, steps and the like that are open at the same time.
    pub(super) open: usize,
    /// Messages and calls of the whole thread.
    pub(super) entities: usize,
}

const LIMITS: AnswerLimits = AnswerLimits { events: 2_000_000, bytes: 64 << 20, open: 1_000, entities: 20_000 };

impl Default for AnswerLimits {
    fn default() -> Self {
        LIMITS
    }
}

/// An event for the trace.
#[derive(Debug, Clone, PartialEq)]
pub struct AguiStep {
    /// When it happened: the arrival of the event that completed it.
    pub at: Moment,
    /// What happened.
    pub kind: EventKind,
}

/// The phase of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Phase {
    #[default]
    Before,
    Running,
    Finished,
    Failed,
}

/// Reads the events of one answer. Calls are returned in the order in which they were started; a complete call waits
/// for those started before it, and keeps its time.
#[derive(Debug, Default)]
pub struct AguiReader {
    pub(super) thread: String,
    /// The requested run, until the first run starts.
    pub(super) run: Option<String>,
    /// Whether the thread was only joined, so that a snapshot contains earlier messages.
    pub(super) joined: bool,
    pub(super) number: usize,
    kept: usize,
    /// The type of the last event.
    pub(super) last: String,
    pub(super) at: Moment,
    pub(super) phase: Phase,
    lint: Lint,
    pub(super) lanes: ChunkLanes,
    /// The messages that are being streamed, in the order in which they were opened.
    pub(super) texts: Vec<OpenText>,
    pub(super) calls: OpenToolCalls,
    /// The steps, subagents and spans of reasoning that are open.
    pub(super) scopes: Vec<EventScope>,
    pub(super) seen: SeenInRun,
    /// The state before this run changed it.
    pub(super) before: Option<Value>,
    /// The data alongside the messages so far.
    pub(super) side_data: SeenValues,
    pub(super) ending: Option<AnswerEnding>,
    /// The first error of a requested run. Later events do not revoke it.
    pub(super) failed: Option<AnswerEnding>,
    pub(super) raw_logged: usize,
    pub(super) limits: AnswerLimits,
    pub(super) out: Vec<AguiStep>,
}

/// What was seen in the current run.
#[derive(Debug, Default)]
pub(super) struct SeenInRun {
    /// The calls of client tools, in order; the client answers them unless the agent does.
    pub(super) begun: Vec<String>,
    pub(super) answered: HashSet<String>,
    /// All calls.
    pub(super) made: HashSet<String>,
    /// The streamed texts of the agent.
    pub(super) said: HashSet<String>,
    /// Interrupts that came as custom events.
    pub(super) interrupts: Vec<Interrupt>,
}

impl AguiReader {
    /// Starts to read an answer. The messages of the conversation now count as sent.
    pub fn new(method: AguiMethod, run_id: &str, conversation: &mut AguiThread) -> Self {
        conversation.begin();
        Self {
            thread: conversation.thread().to_owned(),
            // A joined thread starts with earlier runs.
            run: Some(run_id.to_owned()).filter(|_| method == AguiMethod::Run),
            joined: method == AguiMethod::Connect,
            ..Self::default()
        }
    }

    /// Handles the data of one server-sent event, and its arrival time. After an [`AguiError`], [`end`](Self::end)
    /// still returns what was left open.
    pub fn event(&mut self, data: &str, at: Moment, conversation: &mut AguiThread) -> AguiResult<Vec<AguiStep>> {
        self.number += 1;
        self.at = at;
        if self.number > self.limits.events {
            return Err(too_much(format!("the agent sent more than {} events in one answer", self.limits.events)));
        }
        let fields = fields::read(data, self.number)?;
        if let Some(kind) = event_type(&fields.kind) {
            EventReader { state: self, conversation }.event(kind, fields)?;
        } else {
            self.last = quote(&fields.kind, 80);
            self.violation("unknown event type");
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Handles the end of the stream: returns the remaining steps, and how the answer ended.
    pub fn end(mut self, at: Moment, conversation: &mut AguiThread) -> (Vec<AguiStep>, AnswerEnding) {
        self.at = at;
        let open = self.open();
        let mut reader = EventReader { state: &mut self, conversation };
        reader.close_lanes();
        reader.flush();
        for id in conversation.history.settle() {
            self.violation(format!("message {} has the id of an earlier one", QuotedName(&id)));
        }
        let ending = match self.failed.or(self.ending) {
            Some(ending) => ending,
            None if self.last.is_empty() => AnswerEnding::CutShort(CutShort::Silent),
            None => AnswerEnding::CutShort(CutShort::Truncated { events: self.number, last: self.last, open }),
        };
        (self.out, ending)
    }

    /// Whether the last run has ended, so that nothing more is required.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Finished | Phase::Failed)
    }

    /// What is open, each with its kind and id.
    pub(super) fn open(&self) -> Vec<String> {
        let texts = self.texts.iter().filter(|open| !open.implied);
        let texts = texts.map(|open| format!("{} {}", open.stream.noun(), QuotedName(&open.id)));
        let calls = self.calls.open().map(|id| format!("call {}", QuotedName(id)));
        texts.chain(calls).chain(self.scopes.iter().map(ToString::to_string)).collect()
    }

    /// Reports a violation, unless it was already reported.
    pub(super) fn violation(&mut self, words: impl fmt::Display) {
        if let Some(sentence) = self.lint.violation(self.number, &self.last, words) {
            self.push(EventKind::Violation(sentence));
        }
    }

    pub(super) fn push(&mut self, kind: EventKind) {
        self.out.push(AguiStep { at: self.at, kind });
    }

    pub(super) fn log(&mut self, level: &str, message: String, data: Option<Value>) {
        self.push(EventKind::Log { level: level.into(), message, data: data.map(Into::into) });
    }

    /// Counts what is kept in memory.
    pub(super) fn keep(&mut self, bytes: usize) -> AguiResult {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > self.limits.bytes {
            return Err(too_much(format!("the agent sent more than {} bytes in one answer", self.limits.bytes)));
        }
        Ok(())
    }
}

/// Handles one event: updates the reader and the conversation.
pub(super) struct EventReader<'e> {
    pub(super) state: &'e mut AguiReader,
    pub(super) conversation: &'e mut AguiThread,
}

impl EventReader<'_> {
    fn event(&mut self, (name, ends, read): EventType, mut fields: AguiFields<'_>) -> AguiResult {
        self.arrives(name);
        fields.lane = fields.optional_text("subagentRunId")?;
        match ends {
            EndedStreams::None => {}
            EndedStreams::Lane => self.close_lane(fields.lane.as_deref()),
            EndedStreams::All => self.close_lanes(),
        }
        read(self, fields)?;
        let state = &*self.state;
        let open = state.texts.len() + state.calls.len() + state.scopes.len() + state.lanes.0.len();
        let AnswerLimits { open: most, entities, .. } = state.limits;
        if open > most {
            return Err(too_much(format!("more than {most} messages, calls and steps are open at the same time")));
        }
        if self.conversation.history.size() > entities {
            return Err(too_much(format!("the thread has more than {entities} messages and calls")));
        }
        Ok(())
    }

    /// Checks that an event is allowed in the current phase.
    fn arrives(&mut self, kind: &'static str) {
        kind.clone_into(&mut self.state.last);
        let run = matches!(kind, "RUN_STARTED" | "RUN_ERROR");
        let words = match self.state.phase {
            Phase::Before if !run => {
                self.state.phase = Phase::Running;
                "the first event must be `RUN_STARTED` or `RUN_ERROR`"
            }
            Phase::Running if kind == "RUN_STARTED" => {
                "a run is still in progress: `RUN_FINISHED` or `RUN_ERROR` must come first"
            }
            Phase::Finished if !run => "it follows `RUN_FINISHED`, after which only a new run may begin",
            Phase::Failed if kind != "RUN_STARTED" => "it follows `RUN_ERROR`, after which only a new run may begin",
            Phase::Before | Phase::Running | Phase::Finished | Phase::Failed => return,
        };
        self.state.violation(words);
    }
}

fn too_much(message: String) -> AguiError {
    AguiError { message, help: "an answer should never be that long: look for a loop in the agent" }
}
