//! Answers tool calls: checks the allow-list first, then injected faults, then the recording or the tool itself.

use std::sync::Arc;

use agentci_drivers::{Delivery, PendingAnswer, StoppedError, ToolHost, ToolReply};
use agentci_plan::{FaultKind, World};
use agentci_source::{Sources, did_you_mean};
use agentci_trace::{ToolCall, ToolResult};
use agentci_verdict::{Cause, Finding};

use crate::tools::{LiveSource, Tools, cassette};
use crate::{attempt_watch::ConversationWatch, findings, job::CaseJob};

/// Answers the tool calls of one attempt.
pub(crate) struct AttemptToolHost<'h, 'w> {
    pub(crate) job: &'h CaseJob<'h>,
    pub(crate) tools: &'h Tools,
    /// Receives refusals.
    pub(crate) watch: &'h ConversationWatch<'w>,
}

impl ToolHost for AttemptToolHost<'_, '_> {
    fn call<'h>(&'h self, call: &'h ToolCall) -> PendingAnswer<'h> {
        Box::pin(async move {
            self.reply(call).await.map_err(|finding| {
                self.watch.find([*finding]);
                StoppedError
            })
        })
    }
}

impl AttemptToolHost<'_, '_> {
    async fn reply(&self, call: &ToolCall) -> Result<ToolReply, Box<Finding>> {
        allowed(&self.job.case.world, self.job.run.sources, call)?;
        let planned = self.tools.faults.borrow_mut().next(&call.name);
        if let Some(FaultKind::Error(words)) = planned {
            // The recorded answer stays available for the next try.
            return Ok(ToolReply { result: failed(call, words), delivery: Delivery::Whole });
        }
        let (mut result, own) = self.answer(call).await?;
        let mut delivery = Delivery::Whole;
        let fault = planned.or(own);
        result.fault = fault.as_ref().map(|fault| fault.name().to_owned());
        match fault {
            None => {}
            Some(FaultKind::Error(words)) => result = failed(call, words),
            Some(FaultKind::Delay(time)) => Box::pin(tokio::time::sleep(time)).await,
            Some(FaultKind::Malformed) => delivery = Delivery::Malformed,
            Some(FaultKind::Truncated) => delivery = Delivery::Truncated,
            Some(FaultKind::Hang) => delivery = Delivery::Never,
        }
        Ok(ToolReply { result, delivery })
    }

    /// The answer, and the fault that the recording specifies for it.
    async fn answer(&self, call: &ToolCall) -> Result<(ToolResult, Option<FaultKind>), Box<Finding>> {
        let scripted = self.tools.scripted.borrow_mut().answer(&call.name);
        let recorded = scripted.is_none();
        let (outcome, fault) = match &self.tools.source {
            _ if let Some(outcome) = scripted => (outcome.map(Arc::new), None),
            LiveSource::Nothing => return Err(no_source(call)),
            LiveSource::Replay(player) => {
                let mut player = player.borrow_mut();
                let entry = player.answer(&call.name, &call.args).map_err(|miss| self.missed(miss))?;
                let outcome =
                    if entry.ok { Ok(Arc::clone(&entry.result)) } else { Err(entry.error.clone().unwrap_or_default()) };
                (outcome, entry.fault.clone())
            }
            LiveSource::Execute(toolbox, _) => {
                // Boxed, so that replayed answers do not pay for its size.
                let outcome = Box::pin(toolbox.call(&call.call_id, &call.name, &call.args)).await;
                let outcome = outcome.map_err(|error| Box::new(findings::toolbox(error, self.job.run.sources)))?;
                (outcome.map(Arc::new), None)
            }
        };
        // Exactly one of result and error is set.
        let (ok, mut result, mut error) = match outcome {
            Ok(result) => (true, result, None),
            Err(error) => (false, Arc::default(), Some(error)),
        };
        self.tools.normalizer.shared(&mut result);
        if let Some(error) = &mut error {
            self.tools.normalizer.text(error);
        }
        if let LiveSource::Execute(_, Some(recorder)) = &self.tools.source
            && recorded
        {
            let answer = if ok { Ok(&*result) } else { Err(error.as_deref().unwrap_or_default()) };
            recorder.borrow_mut().add(&call.name, &call.args, answer);
        }
        Ok((ToolResult { call_id: call.call_id.clone(), ok, result, error, ..ToolResult::default() }, fault))
    }

    fn missed(&self, miss: agentci_stubs::CassetteMiss) -> Box<Finding> {
        let finding = Finding::new(Cause::ReplayMiss, miss.message)
            .help("if this call is intended, record the case again: `agentci record`");
        let place = cassette(&self.job.case.world).map(|cassette| self.job.place(cassette.span));
        Box::new(Finding { notes: miss.notes, place, label: "this recording".into(), ..finding })
    }
}

/// Checks that the case allows this tool.
pub(crate) fn allowed(world: &World, sources: &Sources, call: &ToolCall) -> Result<(), Box<Finding>> {
    let Some(allowed) = &world.allowed else { return Ok(()) };
    if allowed.iter().any(|name| name.value == call.name) {
        return Ok(());
    }
    let mut names: Vec<&str> = allowed.iter().map(|name| name.value.as_str()).collect();
    names.sort_unstable();
    let list = if names.is_empty() { "<none>".to_owned() } else { names.join(", ") };
    let meant = did_you_mean(&call.name, names.iter().copied());
    let message = format!("tool not allowed: {}. Allowed tools: {list}", call.name);
    let finding = Finding::new(Cause::ToolNotAllowed, message).help(match meant {
        Some(meant) => format!("the agent may have meant `{meant}`"),
        None => "add it to the allowed tools, or find out why the agent calls it".into(),
    });
    Err(Box::new(match allowed.first() {
        Some(first) => finding.at(sources.place(first.span), "the allowed tools"),
        None => finding,
    }))
}

fn failed(call: &ToolCall, words: String) -> ToolResult {
    let (call_id, fault) = (call.call_id.clone(), Some("error".to_owned()));
    ToolResult { call_id, ok: false, error: Some(words), fault, ..ToolResult::default() }
}

fn no_source(call: &ToolCall) -> Box<Finding> {
    let message = format!("the agent called `{}`, but there is no recording to answer from", call.name);
    Box::new(Finding::new(Cause::ReplayMiss, message).help(findings::how_to_record(&call.name)))
}
