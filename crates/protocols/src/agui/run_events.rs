//! How a run begins and ends.

use agentci_trace::{Kind, Moment};
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::ending::{self, Ending, Outcome, Said};
use super::fields::{Broken, Fields, quote};
use super::interrupt::Interrupt;
use super::lint::Named;
use super::message;
use super::reader::{Phase, Reader, Step};
use super::usage::usage;

impl Reader {
    pub(super) fn run_started(&mut self, mut fields: Fields, conversation: &mut Conversation) -> Result<(), Broken> {
        self.flush(conversation);
        self.phase = Phase::Running;
        self.ending = None;
        if self.joined {
            // Who joins a thread is told of earlier runs, of which only the last is the present one.
            self.failed = None;
        }
        self.begun.clear();
        self.answered.clear();
        self.made.clear();
        self.said.clear();
        self.interrupts.clear();
        let (thread, run) = (fields.optional_text("threadId")?, fields.optional_text("runId")?);
        self.compare("threadId", thread.as_deref(), Some(&self.thread.clone()));
        let asked = self.run.take();
        self.compare("runId", run.as_deref(), asked.as_deref());
        // What the server was asked, as it repeats it; in a replay that is all there is of what the user said.
        let Some(Value::Object(mut input)) = fields.take("input") else { return Ok(()) };
        if let Some(Value::Array(messages)) = input.remove("messages") {
            for message in messages {
                if let Value::Object(map) = message {
                    conversation.history.push_unknown(message::without_nulls(map));
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, field: &str, given: Option<&str>, asked: Option<&str>) {
        match (given, asked) {
            (None, _) => self.violation(format_args!("the field `{field}` is missing")),
            (Some(given), Some(asked)) if given != asked => {
                self.violation(format_args!("`{field}` is {}, and {} was sent", Named(given), Named(asked)));
            }
            _ => {}
        }
    }

    pub(super) fn run_finished(&mut self, mut fields: Fields, conversation: &mut Conversation) -> Result<(), Broken> {
        let said = ending::said(&mut fields)?;
        for open in self.open() {
            self.violation(format_args!("{open} is still open"));
        }
        self.flush(conversation);
        self.use_up(&mut fields);
        let custom = std::mem::take(&mut self.interrupts);
        let outcome = match said {
            Said::Interrupt(interrupts) => Outcome::Interrupted(interrupts),
            Said::Cancelled => Outcome::Cancelled,
            Said::Unknown(kind) => {
                self.violation(format_args!("the outcome {} is unknown, and taken for success", Named(&kind)));
                self.done(None, custom, conversation)
            }
            Said::Success(pending) => self.done(pending, custom, conversation),
        };
        conversation.interrupts = match &outcome {
            Outcome::Interrupted(interrupts) => interrupts.clone(),
            Outcome::Success { .. } | Outcome::Cancelled => Vec::new(),
        };
        for Interrupt { id, reason, value, .. } in &conversation.interrupts {
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", quote(reason, 200)) };
            self.log("info", format!("interrupt {}{reason}", Named(id)), Some(value.clone()));
        }
        self.phase = Phase::Finished;
        self.ending = Some(Ending::Finished { outcome, result: fields.take("result") });
        Ok(())
    }

    /// The run is done, as far as it depends on the agent.
    fn done(&mut self, named: Option<Vec<String>>, custom: Vec<Interrupt>, conversation: &mut Conversation) -> Outcome {
        if !custom.is_empty() {
            return Outcome::Interrupted(custom);
        }
        let ids = match named.filter(|named| !named.is_empty()) {
            Some(named) => named,
            None => std::mem::take(&mut self.begun).into_iter().filter(|id| !self.answered.contains(id)).collect(),
        };
        let mut pending = Vec::with_capacity(ids.len());
        for id in ids {
            match conversation.call(&id) {
                Some(call) => pending.push(call),
                None => self.violation(format_args!("call {} is said to be pending, and was never begun", Named(&id))),
            }
        }
        Outcome::Success { pending }
    }

    pub(super) fn run_error(&mut self, mut fields: Fields, conversation: &mut Conversation) -> Result<(), Broken> {
        let message = fields.text("message")?;
        let code = fields.optional_text("code")?;
        self.flush(conversation);
        self.use_up(&mut fields);
        let data = code.as_ref().map(|code| json!({ "code": code }));
        self.push(Kind::AgentError { message: message.clone(), data: data.map(Into::into) });
        self.phase = Phase::Failed;
        self.failed.get_or_insert(Ending::Failed { message, code });
        Ok(())
    }

    fn use_up(&mut self, fields: &mut Fields) {
        match fields.take("usage").map(|value| usage(&value)) {
            Some(Ok(Some(usage))) => self.push(Kind::Usage(usage)),
            Some(Err(words)) => self.violation(format_args!("{words}")),
            Some(Ok(None)) | None => {}
        }
    }

    /// The stream has ended: gives out what was left, and how it ended.
    pub fn end(mut self, at: Moment, conversation: &mut Conversation) -> (Vec<Step>, Ending) {
        self.at = at;
        let open = self.open();
        self.close_lanes(conversation);
        self.flush(conversation);
        for id in conversation.history.settle() {
            self.violation(format_args!("message {} has the id of an earlier one", Named(&id)));
        }
        let ending = match self.failed.or(self.ending) {
            Some(ending) => ending,
            None if self.last.is_empty() => Ending::Silent,
            None => Ending::Truncated { events: self.number, last: self.last, open },
        };
        (self.out, ending)
    }

    /// What is open, each with its kind and id.
    fn open(&self) -> Vec<String> {
        let texts = self.texts.iter().filter(|open| !open.implied);
        let texts = texts.map(|open| format!("{} {}", open.voice.noun(), Named(&open.id)));
        let calls = self.calls.open().map(|id| format!("call {}", Named(id)));
        texts.chain(calls).chain(self.brackets.names()).collect()
    }

    /// The run is over: what is left open is complete as it is, and a state that changed is written down.
    fn flush(&mut self, conversation: &mut Conversation) {
        for open in self.texts.take_all() {
            self.finish_text(open, conversation);
        }
        for completed in self.calls.complete_all() {
            self.complete_call(completed, conversation);
        }
        self.calls.release(&mut self.out);
        self.brackets.clear();
        if self.before.take().is_some_and(|before| before != conversation.state) {
            self.push(Kind::State(conversation.state.clone().into()));
        }
    }
}
