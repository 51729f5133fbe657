//! Who answers tool calls: the allow-list first, then what goes wrong on purpose, then the recording or the tool itself.

use std::cell::RefCell;
use std::rc::Rc;

use agentci_drivers::{Answer, Delivery, Reply, Stopped, ToolHost};
use agentci_plan::{FaultKind, Place, Sources, ToolSource, World, did_you_mean};
use agentci_stubs::{Faults, Normalizer, Player, Recorder, Toolbox};
use agentci_trace::{Redactor, ToolCall, ToolResult};
use agentci_verdict::{Cause, Finding};
use serde_json::Value;

/// Where answers come from.
pub(crate) enum Source {
    /// Nowhere.
    Nothing,
    /// A recording.
    Replay(RefCell<Player>),
    /// The tools themselves; and into a recording, if one is made.
    Execute(Box<Toolbox>, Option<RefCell<Recorder>>),
}

/// Answers the tool calls of one attempt.
pub(crate) struct Host<'h> {
    pub(crate) world: &'h World,
    pub(crate) sources: &'h Sources,
    pub(crate) source: Source,
    pub(crate) faults: RefCell<Faults>,
    pub(crate) normalizer: &'h Normalizer,
    /// What a recording must not hold.
    pub(crate) secrets: &'h Redactor,
    /// Where a refusal is written down.
    pub(crate) findings: Rc<RefCell<Vec<Finding>>>,
}

impl ToolHost for Host<'_> {
    fn call<'h>(&'h self, call: &'h ToolCall) -> Answer<'h> {
        Box::pin(async move {
            self.reply(call).await.map_err(|finding| {
                self.findings.borrow_mut().push(*finding);
                Stopped
            })
        })
    }
}

impl Host<'_> {
    async fn reply(&self, call: &ToolCall) -> Result<Reply, Box<Finding>> {
        self.allowed(call)?;
        let planned = self.faults.borrow_mut().next(&call.name);
        if let Some(FaultKind::Error(words)) = planned {
            // The recorded answer is kept for the next try.
            return Ok(Reply { result: failed(call, words), delivery: Delivery::Whole });
        }
        let (mut result, own) = self.answer(call).await?;
        let mut delivery = Delivery::Whole;
        match planned.or(own) {
            None => {}
            Some(FaultKind::Error(words)) => result = failed(call, words),
            Some(FaultKind::Delay(time)) => tokio::time::sleep(time).await,
            Some(FaultKind::Malformed) => delivery = Delivery::Malformed,
            Some(FaultKind::Truncated) => delivery = Delivery::Truncated,
            Some(FaultKind::Hang) => delivery = Delivery::Never,
        }
        Ok(Reply { result, delivery })
    }

    /// The answer, and what goes wrong with it according to the recording.
    async fn answer(&self, call: &ToolCall) -> Result<(ToolResult, Option<FaultKind>), Box<Finding>> {
        let (outcome, fault) = match &self.source {
            Source::Nothing => return Err(no_source(call)),
            Source::Replay(player) => {
                let mut player = player.borrow_mut();
                let entry = player.answer(&call.name, &call.args).map_err(|miss| self.missed(miss))?;
                let outcome =
                    if entry.ok { Ok(entry.result.clone()) } else { Err(entry.error.clone().unwrap_or_default()) };
                (outcome, entry.fault.clone())
            }
            Source::Execute(toolbox, _) => (toolbox.call(&call.call_id, &call.name, &call.args).await, None),
        };
        // Each of the two is null where the other speaks.
        let (ok, mut result, mut error) = match outcome {
            Ok(result) => (true, result, None),
            Err(error) => (false, Value::Null, Some(error)),
        };
        self.normalizer.value(&mut result);
        if let Some(error) = &mut error {
            self.normalizer.text(error);
        }
        if let Source::Execute(_, Some(recorder)) = &self.source {
            self.record(&mut recorder.borrow_mut(), call, ok, &result, error.as_deref());
        }
        Ok((ToolResult { call_id: call.call_id.clone(), ok, result, error }, fault))
    }

    /// Writes the exchange down without its secrets.
    fn record(&self, recorder: &mut Recorder, call: &ToolCall, ok: bool, result: &Value, error: Option<&str>) {
        let (mut args, mut result) = (call.args.clone(), result.clone());
        let mut secrets = self.secrets.clone();
        secrets.learn(&args);
        secrets.learn(&result);
        secrets.value(&mut args);
        secrets.value(&mut result);
        let error = error.map(|error| secrets.text(error).into_owned());
        recorder.add(&call.name, &args, ok, &result, error.as_deref());
    }

    fn missed(&self, miss: agentci_stubs::Miss) -> Box<Finding> {
        Box::new(Finding {
            cause: Cause::ReplayMiss,
            name: Cause::ReplayMiss.name().into(),
            message: miss.message,
            notes: miss.notes,
            place: self.cassette_place(),
            label: "this recording".into(),
            help: Some("if the agent is right to ask this, record the case again: `agentci record`".into()),
            ..Finding::default()
        })
    }

    fn cassette_place(&self) -> Option<Place> {
        match &self.world.tools {
            ToolSource::Cassette(cassette) => Some(self.sources.place(cassette.span)),
            _ => None,
        }
    }

    fn allowed(&self, call: &ToolCall) -> Result<(), Box<Finding>> {
        let Some(allowed) = &self.world.allowed else { return Ok(()) };
        if allowed.iter().any(|name| name.value == call.name) {
            return Ok(());
        }
        let mut names: Vec<&str> = allowed.iter().map(|name| name.value.as_str()).collect();
        names.sort_unstable();
        let list = if names.is_empty() { "<none>".to_owned() } else { names.join(", ") };
        let meant = did_you_mean(&call.name, names.iter().copied());
        let place = allowed.first().map(|name| self.sources.place(name.span));
        Err(Box::new(Finding {
            cause: Cause::ToolNotAllowed,
            name: Cause::ToolNotAllowed.name().into(),
            message: format!("tool not allowed: {}. Allowed tools: {list}", call.name),
            label: if place.is_some() { "the allowed tools".into() } else { String::new() },
            place,
            help: Some(match meant {
                Some(meant) => format!("the agent may have meant `{meant}`"),
                None => "add it to the allowed tools, or find out why the agent calls it".into(),
            }),
            ..Finding::default()
        }))
    }
}

fn failed(call: &ToolCall, words: String) -> ToolResult {
    ToolResult { call_id: call.call_id.clone(), ok: false, result: Value::Null, error: Some(words) }
}

fn no_source(call: &ToolCall) -> Box<Finding> {
    Box::new(Finding {
        cause: Cause::ReplayMiss,
        name: Cause::ReplayMiss.name().into(),
        message: format!("the agent called `{}`, and there is no recording to answer from", call.name),
        help: Some("give the case a `cassette`".into()),
        ..Finding::default()
    })
}
