//! Handles the start and the end of a run.

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::ending::{self, AnswerEnding, FinishedOutcome, RunOutcome};
use super::fields::{AguiFields, AguiResult, quote};
use super::interrupt::Interrupt;
use super::lint::QuotedName;
use super::message;
use super::reader::{EventReader, Phase, SeenInRun};
use super::usage::usage;

impl EventReader<'_> {
    pub(super) fn run_started(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        self.flush();
        self.state.phase = Phase::Running;
        self.state.ending = None;
        if self.state.joined {
            // A joined thread starts with earlier runs, of which only the last counts.
            self.state.failed = None;
        }
        self.state.seen = SeenInRun::default();
        let (thread, run) = (fields.optional_text("threadId")?, fields.optional_text("runId")?);
        self.compare("threadId", thread.as_deref(), Some(&self.state.thread.clone()));
        let asked = self.state.run.take();
        self.compare("runId", run.as_deref(), asked.as_deref());
        // The server repeats the input; in a replay this is the only source of the user's messages.
        let Some(Value::Object(mut input)) = fields.take("input") else { return Ok(()) };
        if let Some(Value::Array(messages)) = input.remove("messages") {
            for message in messages {
                if let Value::Object(map) = message {
                    self.conversation.history.push_unknown(message::without_nulls(map));
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, field: &str, given: Option<&str>, asked: Option<&str>) {
        match (given, asked) {
            (None, _) => self.state.violation(format!("the field `{field}` is missing")),
            (Some(given), Some(asked)) if given != asked => {
                self.state.violation(format!("`{field}` is {}, expected {}", QuotedName(given), QuotedName(asked)));
            }
            _ => {}
        }
    }

    pub(super) fn run_finished(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let said = ending::said(&mut fields)?;
        for open in self.state.open() {
            self.state.violation(format!("{open} is still open"));
        }
        self.flush();
        self.use_up(&mut fields);
        let custom = std::mem::take(&mut self.state.seen.interrupts);
        let outcome = match said {
            FinishedOutcome::Interrupt(interrupts) => RunOutcome::Interrupted(interrupts),
            FinishedOutcome::Cancelled => RunOutcome::Cancelled,
            FinishedOutcome::Unknown(kind) => {
                self.state.violation(format!("unknown outcome {}, treated as success", QuotedName(&kind)));
                self.done(Vec::new(), custom)
            }
            FinishedOutcome::Success(pending) => self.done(pending, custom),
        };
        self.conversation.interrupts = match &outcome {
            RunOutcome::Interrupted(interrupts) => interrupts.clone(),
            RunOutcome::Success { .. } | RunOutcome::Cancelled => Vec::new(),
        };
        for Interrupt { id, reason, value, .. } in &self.conversation.interrupts {
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", quote(reason, 200)) };
            self.state.log("info", format!("interrupt {}{reason}", QuotedName(id)), Some(value.clone()));
        }
        self.state.phase = Phase::Finished;
        self.state.ending = Some(AnswerEnding::Finished { outcome, result: fields.take("result") });
        Ok(())
    }

    /// The outcome of a successful run.
    fn done(&mut self, named: Vec<String>, custom: Vec<Interrupt>) -> RunOutcome {
        if !custom.is_empty() {
            return RunOutcome::Interrupted(custom);
        }
        let mut ids = named;
        if ids.is_empty() {
            ids = std::mem::take(&mut self.state.seen.begun);
            ids.retain(|id| !self.state.seen.answered.contains(id));
        }
        let mut pending = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(call) = self.conversation.history.call(&id) else {
                let id = QuotedName(&id);
                self.state.violation(format!("call {id} is listed as pending but was never started"));
                continue;
            };
            pending.push(call);
        }
        RunOutcome::Success { pending }
    }

    pub(super) fn run_error(&mut self, mut fields: AguiFields<'_>) -> AguiResult {
        let message = fields.text("message")?;
        let code = fields.optional_text("code")?;
        self.flush();
        self.use_up(&mut fields);
        let data = code.as_ref().map(|code| json!({ "code": code }));
        self.state.push(EventKind::AgentError { message: message.clone(), data: data.map(Into::into) });
        self.state.phase = Phase::Failed;
        self.state.failed.get_or_insert(AnswerEnding::Failed { message, code });
        Ok(())
    }

    fn use_up(&mut self, fields: &mut AguiFields<'_>) {
        match fields.take("usage").map(|value| usage(&value)) {
            Some(Ok(Some(usage))) => self.state.push(EventKind::Usage(usage)),
            Some(Err(words)) => self.state.violation(words),
            Some(Ok(None)) | None => {}
        }
    }

    /// Ends a run: completes everything that is open, and emits the state if it changed.
    pub(super) fn flush(&mut self) {
        for open in std::mem::take(&mut self.state.texts) {
            self.finish_text(open);
        }
        let completed = self.state.calls.complete_all();
        self.complete_calls(completed);
        self.state.scopes.clear();
        if self.state.before.take().is_some_and(|before| before != self.conversation.state) {
            self.state.push(EventKind::State(self.conversation.state.clone().into()));
        }
    }
}
