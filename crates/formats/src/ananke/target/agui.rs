//! Reads a target of type `agui`.

use agentci_plan::{AguiTarget, AguiWire, OutputRule, Strictness, Target, Text};
use agentci_source::shape::{Field, Kind, optional, required, words};
use agentci_source::{Reader, read};

use super::TargetSettings;
use crate::ananke::readers::url;
use crate::ananke::tool::{TOOLS, WrittenTool, tools as read_tools};
use crate::texts::{object_data, template};

/// The keys in addition to the common ones.
pub(super) static KEYS: &[Field] = &[
    required("endpoint", Kind::Address, "URL that runs are sent to."),
    required("agentId", Kind::Name, "Name of the agent, for servers with several agents."),
    optional("threadId", Kind::Text, "Thread of all turns. Default: a new one for each test."),
    optional("forwardedProps", Kind::Object, "`forwardedProps` sent with every run."),
    optional("state", Kind::Object, "State of the first run."),
    optional("tools", TOOLS, "Tools that the client offers."),
    optional("wire", Kind::Choice(&words(&AguiWire::NAMES)), "Format of requests. Default: `auto`."),
    optional(
        "protocol",
        Kind::Choice(&words(&Strictness::NAMES)),
        "How to treat a protocol violation. Default: `warn`.",
    ),
];

pub(super) fn target(
    fields: &mut Reader<'_, '_>,
    common: TargetSettings,
    tools: &mut Vec<WrittenTool>,
) -> Option<Target> {
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
