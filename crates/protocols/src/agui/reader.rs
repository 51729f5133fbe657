//! Reads the events of one answer.

use std::collections::HashSet;
use std::fmt;

use agentci_trace::{Kind, Moment};
use serde_json::Value;

use super::bracket::Brackets;
use super::calls::Calls;
use super::chunks::{Ends, Lanes, ends};
use super::conversation::{Conversation, Method};
use super::ending::Ending;
use super::fields::{Broken, Fields, quote};
use super::frame::{self, Delta, Frame, Type};
use super::interrupt::Interrupt;
use super::lint::Lint;
use super::texts::{Texts, Voice};
use crate::Fresh;

/// How much an answer may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) events: usize,
    /// Text, arguments, answers and logs, in bytes.
    pub(super) bytes: usize,
    /// Messages, calls, steps and the like that are open at one time.
    pub(super) open: usize,
    /// Messages and calls of the whole thread.
    pub(super) entities: usize,
}

const LIMITS: Limits = Limits { events: 2_000_000, bytes: 64 << 20, open: 1_000, entities: 20_000 };

/// Something for the trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// When it happened: the arrival of the event that made it complete.
    pub at: Moment,
    /// What happened.
    pub kind: Kind,
}

/// How far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Before,
    Running,
    Finished,
    Failed,
}

/// Reads the events of one answer. Calls come out in the order they were begun; of parallel ones, what is complete waits for
/// what was begun before it and keeps its moment.
#[derive(Debug)]
pub struct Reader {
    pub(super) thread: String,
    /// The run that was asked for, until the first run begins.
    pub(super) run: Option<String>,
    /// Whether the thread was only joined, so that a snapshot tells what happened before.
    pub(super) joined: bool,
    pub(super) number: usize,
    kept: usize,
    pub(super) last: String,
    kind: &'static str,
    pub(super) at: Moment,
    pub(super) phase: Phase,
    lint: Lint,
    pub(super) lanes: Lanes,
    pub(super) texts: Texts,
    pub(super) calls: Calls,
    pub(super) brackets: Brackets,
    /// The calls of this run that are the client's to answer if nobody else does, in order.
    pub(super) begun: Vec<String>,
    pub(super) answered: HashSet<String>,
    /// All calls of this run.
    pub(super) made: HashSet<String>,
    /// What the agent said in this run, piece by piece.
    pub(super) said: HashSet<String>,
    /// Interrupts that came as custom events in this run.
    pub(super) interrupts: Vec<Interrupt>,
    /// The state before this run changed it.
    pub(super) before: Option<Value>,
    /// What was put out beside the messages.
    pub(super) fresh: Fresh,
    pub(super) ending: Option<Ending>,
    /// The first error of a run that was asked for. No later event takes it back.
    pub(super) failed: Option<Ending>,
    pub(super) raw_logged: usize,
    pub(super) limits: Limits,
    pub(super) out: Vec<Step>,
}

impl Reader {
    /// Begins to read an answer. What was said in the conversation counts as sent from here on.
    pub fn new(method: Method, run_id: &str, conversation: &mut Conversation) -> Self {
        conversation.begin();
        Self {
            thread: conversation.thread().to_owned(),
            // Who connects is told of earlier runs.
            run: Some(run_id.to_owned()).filter(|_| method == Method::Run),
            joined: method == Method::Connect,
            number: 0,
            kept: 0,
            last: String::new(),
            kind: "",
            at: Moment::default(),
            phase: Phase::Before,
            lint: Lint::default(),
            lanes: Lanes::default(),
            texts: Texts::default(),
            calls: Calls::default(),
            brackets: Brackets::default(),
            begun: Vec::new(),
            answered: HashSet::new(),
            made: HashSet::new(),
            said: HashSet::new(),
            interrupts: Vec::new(),
            before: None,
            fresh: Fresh::default(),
            ending: None,
            failed: None,
            raw_logged: 0,
            limits: LIMITS,
            out: Vec::new(),
        }
    }

    /// Takes one event: the data of one server-sent event, and when it arrived. What [`Broken`] leaves open is still to be had
    /// from [`end`](Self::end).
    pub fn event(&mut self, data: &str, at: Moment, conversation: &mut Conversation) -> Result<Vec<Step>, Broken> {
        self.number += 1;
        self.at = at;
        if self.number > self.limits.events {
            return Err(too_much(format!("the agent sent more than {} events in one answer", self.limits.events)));
        }
        match frame::read(data, self.number)? {
            Frame::Delta(delta) => self.delta(delta, conversation)?,
            Frame::Known(fields) => self.known(fields, data.len(), conversation)?,
            Frame::Unknown(kind) => {
                self.last = quote(&kind, 80);
                let sentence = self.lint.violation(self.number, &self.last, format_args!("unknown event type"));
                self.out.extend(sentence.map(|sentence| Step { at, kind: Kind::Violation(sentence) }));
            }
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Whether the last run has ended, so that nothing more needs to come.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Finished | Phase::Failed)
    }

    /// How many events came.
    pub fn events(&self) -> usize {
        self.number
    }

    fn known(&mut self, mut fields: Fields, length: usize, conversation: &mut Conversation) -> Result<(), Broken> {
        let kind = fields.kind;
        self.arrives(kind);
        let lane = fields.lane()?;
        match ends(kind) {
            Ends::None => {}
            Ends::Lane => self.close_lane(lane.as_deref(), conversation),
            Ends::All => self.close_lanes(conversation),
        }
        match kind {
            Type::RunStarted => self.run_started(fields, conversation)?,
            Type::RunFinished => self.run_finished(fields, conversation)?,
            Type::RunError => self.run_error(fields, conversation)?,
            Type::TextMessageStart => self.text_start(fields, lane, conversation)?,
            Type::ReasoningMessageStart => self.reasoning_start(fields, lane, conversation)?,
            Type::TextMessageEnd => self.text_end(Voice::Text, &fields.text("messageId")?, conversation),
            Type::ReasoningMessageEnd => self.text_end(Voice::Reasoning, &fields.text("messageId")?, conversation),
            Type::TextMessageChunk => self.text_chunk(fields, lane.as_deref(), conversation)?,
            Type::ReasoningMessageChunk => self.reasoning_chunk(fields, lane.as_deref(), conversation)?,
            Type::ThinkingTextMessageStart => self.thinking_start(conversation),
            Type::ThinkingTextMessageContent => self.thinking_content(&fields.text("delta")?, conversation)?,
            Type::ThinkingTextMessageEnd => self.thinking_end(conversation),
            Type::ToolCallStart => self.call_start(fields, lane, conversation)?,
            Type::ToolCallEnd => self.call_end(&fields.text("toolCallId")?, conversation),
            Type::ToolCallChunk => self.call_chunk(fields, lane.as_deref(), conversation)?,
            Type::ToolCallResult => {
                self.keep(length)?;
                self.call_result(fields, lane, conversation)?;
            }
            Type::StepStarted
            | Type::StepFinished
            | Type::TextMessageContent
            | Type::ToolCallArgs
            | Type::StateSnapshot
            | Type::StateDelta
            | Type::MessagesSnapshot
            | Type::ActivitySnapshot
            | Type::ActivityDelta
            | Type::Raw
            | Type::Custom
            | Type::ReasoningStart
            | Type::ReasoningMessageContent
            | Type::ReasoningEnd
            | Type::ReasoningEncryptedValue
            | Type::SubagentStarted
            | Type::SubagentFinished
            | Type::SubagentError
            | Type::ThinkingStart
            | Type::ThinkingEnd => self.other(fields, lane, length, conversation)?,
        }
        let open = self.texts.len() + self.calls.len() + self.brackets.len() + self.lanes.len();
        let Limits { open: most, entities, .. } = self.limits;
        if open > most {
            return Err(too_much(format!("more than {most} messages, calls and steps are open at one time")));
        }
        if conversation.history.size() > entities {
            return Err(too_much(format!("the thread has more than {entities} messages and calls")));
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>, conversation: &mut Conversation) -> Result<(), Broken> {
        self.arrives(delta.kind);
        self.close_lane(delta.lane.as_deref(), conversation);
        let Delta { kind, id, piece, lane, metadata } = delta;
        if kind == Type::ToolCallArgs {
            return self.call_arguments(&id, &piece, metadata);
        }
        let voice = if kind == Type::ReasoningMessageContent { Voice::Reasoning } else { Voice::Text };
        self.text_content(voice, &id, &piece, lane, metadata, conversation)
    }

    /// Looks at whether an event may come now.
    fn arrives(&mut self, kind: Type) {
        self.kind = kind.name();
        self.last.clear();
        self.last.push_str(self.kind);
        let run = matches!(kind, Type::RunStarted | Type::RunError);
        match self.phase {
            Phase::Before if !run => {
                self.violation(format_args!("the first event must be `RUN_STARTED` or `RUN_ERROR`"));
                self.phase = Phase::Running;
            }
            Phase::Running if kind == Type::RunStarted => {
                self.violation(format_args!("a run is still going on: `RUN_FINISHED` or `RUN_ERROR` must come first"));
            }
            Phase::Finished if !run => {
                self.violation(format_args!("it follows `RUN_FINISHED`, after which only a new run may begin"));
            }
            Phase::Failed if kind != Type::RunStarted => {
                self.violation(format_args!("it follows `RUN_ERROR`, after which only a new run may begin"));
            }
            Phase::Before | Phase::Running | Phase::Finished | Phase::Failed => {}
        }
    }

    /// Writes down a violation, unless it was said before.
    pub(super) fn violation(&mut self, words: fmt::Arguments<'_>) {
        if let Some(sentence) = self.lint.violation(self.number, self.kind, words) {
            self.push(Kind::Violation(sentence));
        }
    }

    pub(super) fn push(&mut self, kind: Kind) {
        self.out.push(Step { at: self.at, kind });
    }

    pub(super) fn log(&mut self, level: &str, message: String, data: Option<Value>) {
        self.push(Kind::Log { level: level.into(), message, data: data.map(Into::into) });
    }

    /// Counts what is kept in memory.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<(), Broken> {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > self.limits.bytes {
            return Err(too_much(format!("the agent sent more than {} bytes in one answer", self.limits.bytes)));
        }
        Ok(())
    }
}

fn too_much(message: String) -> Broken {
    Broken { message, help: "nothing a user waits for is that long: look for a loop in the agent" }
}
