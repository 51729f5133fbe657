//! A server that speaks AG-UI.

use agentci_plan::{AguiTarget, AguiWire, Diagnostics, Strictness, Target, Text, read};

use super::Common;
use crate::ananke::tool::{Tool, tools as read_tools};
use crate::ananke::words::{object, url};
use crate::texts::template;

pub(super) const KEYS: [&str; 8] =
    ["endpoint", "agentId", "threadId", "forwardedProps", "state", "tools", "wire", "protocol"];

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
        span: common.span,
    })))
}
