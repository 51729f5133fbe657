//! Who answers tool calls: the allow-list first, then the world.

use std::cell::RefCell;
use std::rc::Rc;

use agentci_drivers::{Answer, Stopped, ToolHost};
use agentci_plan::{Sources, World};
use agentci_stubs::Player;
use agentci_trace::{ToolCall, ToolResult};
use agentci_verdict::{Cause, Finding};

/// Answers the tool calls of one attempt.
pub(crate) struct Host<'h> {
    pub(crate) world: &'h World,
    pub(crate) sources: &'h Sources,
    /// The recording, if there is one.
    pub(crate) player: Option<RefCell<Player>>,
    /// Where a refusal is written down.
    pub(crate) findings: Rc<RefCell<Vec<Finding>>>,
}

impl ToolHost for Host<'_> {
    fn call<'h>(&'h self, call: &'h ToolCall) -> Answer<'h> {
        Box::pin(async move {
            self.answer(call).map_err(|finding| {
                self.findings.borrow_mut().push(*finding);
                Stopped
            })
        })
    }
}

impl Host<'_> {
    fn answer(&self, call: &ToolCall) -> Result<ToolResult, Box<Finding>> {
        self.allowed(call)?;
        let Some(player) = &self.player else {
            return Err(Box::new(Finding {
                cause: Cause::ReplayMiss,
                name: Cause::ReplayMiss.name().into(),
                message: format!("the agent called `{}`, and there is no recording to answer from", call.name),
                help: Some("give the case a `cassette`".into()),
                ..Finding::default()
            }));
        };
        let mut player = player.borrow_mut();
        match player.answer(&call.name, &call.args) {
            Ok(entry) => Ok(ToolResult {
                call_id: call.call_id.clone(),
                ok: entry.ok,
                // Each of the two is null where the other speaks.
                result: if entry.ok { entry.result.clone() } else { serde_json::Value::Null },
                error: if entry.ok { None } else { Some(entry.error.clone().unwrap_or_default()) },
            }),
            Err(miss) => Err(Box::new(Finding {
                cause: Cause::ReplayMiss,
                name: Cause::ReplayMiss.name().into(),
                message: miss.message,
                notes: miss.notes,
                place: self.cassette_place(),
                label: "this recording".into(),
                help: Some("if the agent is right to ask this, record the case again".into()),
                ..Finding::default()
            })),
        }
    }

    fn cassette_place(&self) -> Option<agentci_plan::Place> {
        match &self.world.tools {
            agentci_plan::ToolSource::Cassette(cassette) => Some(self.sources.place(cassette.span)),
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
        let meant = agentci_plan::did_you_mean(&call.name, names.iter().copied());
        Err(Box::new(Finding {
            cause: Cause::ToolNotAllowed,
            name: Cause::ToolNotAllowed.name().into(),
            message: format!("tool not allowed: {}. Allowed tools: {list}", call.name),
            place: allowed.first().map(|name| self.sources.place(name.span)),
            label: "the allowed tools".into(),
            help: Some(match meant {
                Some(meant) => format!("the agent may have meant `{meant}`"),
                None => "add it to the allowed tools, or find out why the agent calls it".into(),
            }),
            ..Finding::default()
        }))
    }
}
