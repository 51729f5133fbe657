//! A server that speaks AG-UI.

use agentci_plan::{AguiTarget, AguiWire, OutputRule, Strictness, Target, Text};
use agentci_source::shape::{Field, Kind, optional, required, words};
use agentci_source::{Reader, read};

use super::Common;
use crate::ananke::readers::url;
use crate::ananke::tool::{TOOLS, WrittenTool, tools as read_tools};
use crate::texts::{object_data, template};

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

pub(super) fn target(fields: &mut Reader<'_, '_>, common: Common, tools: &mut Vec<WrittenTool>) -> Option<Target> {
    let endpoint = fields.required("endpoint", url);
    let agent = fields.required("agentId", read::name);
    let thread = fields.optional("threadId", template);
    let forwarded_props = fields.optional("forwardedProps", object_data);
    let state = fields.optional("state", object_data);
    *tools = fields.or_default("tools", |node, problems| read_tools(node, &[], problems));
    Some(Target::Agui(Box::new(AguiTarget {
        wire: fields.choice("wire", &AguiWire::NAMES).unwrap_or_default(),
        protocol: fields.choice("protocol", &Strictness::NAMES).unwrap_or_default(),
        endpoint: endpoint?,
        agent: Some(Text::parse(&agent?.value)),
        thread,
        headers: common.headers,
        timeout: common.timeout,
        forwarded_props,
        state,
        tools: tools.iter().map(WrittenTool::client).collect(),
        output: OutputRule::Optional,
        span: common.span,
    })))
}
