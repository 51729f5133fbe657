//! A server that speaks AG-UI.

use agentci_plan::{AguiTarget, AguiWire, OutputRule, Strictness, Target, Text};
use agentci_source::shape::{Field, Kind, optional, required, words};
use agentci_source::{Diagnostics, read};

use super::Common;
use crate::ananke::tool::{TOOLS, Tool, tools as read_tools};
use crate::ananke::words::{object, url};
use crate::texts::template;

/// The keys of such a target beside the common ones.
pub(super) static KEYS: &[Field] = &[
    required("endpoint", Kind::Address, "The address that runs are sent to."),
    required("agentId", Kind::Name, "The agent that is asked."),
    optional("threadId", Kind::Text, "The thread of the conversation; without it, a new one for each test."),
    optional("forwardedProps", Kind::Object, "What the agent is told as `forwardedProps`."),
    optional("state", Kind::Object, "The state that the conversation begins with."),
    optional("tools", TOOLS, "Tools that the client offers."),
    optional("wire", Kind::Choice(&words(&AguiWire::NAMES)), "Which form of the protocol is spoken."),
    optional("protocol", Kind::Choice(&words(&Strictness::NAMES)), "What a breach of the protocol comes to."),
];

pub(super) fn target(
    fields: &mut read::Fields<'_>,
    common: Common,
    tools: &mut Vec<Tool>,
    problems: &mut Diagnostics,
) -> Option<Target> {
    let endpoint = fields.required("endpoint", problems).and_then(|node| url(node, "endpoint", problems));
    let agent = fields.required("agentId", problems).and_then(|node| read::name(node, "agentId", problems));
    let thread = fields.optional("threadId").and_then(|node| template(node, "threadId", problems));
    let forwarded_props = fields.optional("forwardedProps").and_then(|node| object(node, "forwardedProps", problems));
    let state = fields.optional("state").and_then(|node| object(node, "state", problems));
    *tools = fields.optional("tools").map(|node| read_tools(node, &[], problems)).unwrap_or_default();
    let wire = fields.optional("wire").and_then(|node| read::choice(node, "wire", &AguiWire::NAMES, problems));
    let protocol =
        fields.optional("protocol").and_then(|node| read::choice(node, "protocol", &Strictness::NAMES, problems));
    Some(Target::Agui(Box::new(AguiTarget {
        endpoint: endpoint?,
        agent: Some(Text::parse(&agent?.value)),
        thread,
        headers: common.headers,
        timeout: common.timeout,
        forwarded_props,
        state,
        tools: tools.iter().map(Tool::client).collect(),
        wire: wire.unwrap_or_default(),
        protocol: protocol.unwrap_or_default(),
        output: OutputRule::Optional,
        span: common.span,
    })))
}
