//! Reads a target that is an AG-UI server.

use agentci_plan::{AguiTarget, AguiWire, ClientTool, OutputRule, REQUEST_TIMEOUT, Strictness, Target};
use agentci_source::shape::{Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, read};
use serde_json::json;

use super::super::readers::{named_texts, object, object_data, template};
use super::{ReadTarget, read_address};

pub(super) static AGUI: Shape = Shape::new(
    "`agui`",
    "A server that speaks AG-UI.",
    &[
        required("endpoint", Kind::Address, "URL that runs are sent to."),
        optional("agent", Kind::Text, "Name of the agent, for servers with several agents."),
        optional("thread", Kind::Text, "Thread of all turns. Default: a new one for each attempt."),
        optional("headers", Kind::Map(&Kind::Word), "Additional request headers."),
        optional("timeout", Kind::Duration, "Timeout of one run. Default: 2m."),
        optional("forwarded_props", Kind::Object, "`forwardedProps` sent with every run."),
        optional("state", Kind::Object, "State of the first run."),
        optional("tools", Kind::List(&Kind::Shape(&CLIENT_TOOL)), "Tools that the client offers."),
        optional("wire", Kind::Choice(&words(&AguiWire::NAMES)), "Format of requests. Default: `auto`."),
        optional(
            "protocol",
            Kind::Choice(&words(&Strictness::NAMES)),
            "How to treat a protocol violation. Default: `warn`.",
        ),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
);

static CLIENT_TOOL: Shape = Shape::new(
    "a tool",
    "A tool that the client offers.",
    &[
        required("name", Kind::Name, "Its name."),
        optional("description", Kind::Text, "Description for the agent."),
        optional("parameters", Kind::Object, "The JSON Schema of its arguments."),
    ],
);

pub(super) fn agui(node: &Node, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let agui = AGUI.read(node, problems, |fields| {
        let endpoint = fields.required("endpoint", read_address);
        Some(AguiTarget {
            agent: fields.optional("agent", template),
            thread: fields.optional("thread", template),
            headers: fields.named_or_default("headers", named_texts),
            timeout: fields.duration("timeout").unwrap_or(REQUEST_TIMEOUT),
            forwarded_props: fields.optional("forwarded_props", object_data),
            state: fields.optional("state", object_data),
            tools: fields.or_default("tools", |node, problems| read::each(node, "tools", problems, client_tool)),
            wire: fields.choice("wire", &AguiWire::NAMES).unwrap_or_default(),
            protocol: fields.choice("protocol", &Strictness::NAMES).unwrap_or_default(),
            output: fields.choice("output", &OutputRule::NAMES).unwrap_or_default(),
            span: node.span,
            endpoint: endpoint?,
        })
    });
    Some(Target::Agui(Box::new(agui?)).into())
}

fn client_tool(node: &Node, problems: &mut Diagnostics) -> Option<ClientTool> {
    CLIENT_TOOL.read(node, problems, |fields| {
        let name = fields.required("name", read::name);
        let description = fields.text("description").unwrap_or_default();
        let parameters = fields.valid("parameters", object);
        let parameters = parameters?.unwrap_or_else(|| json!({ "type": "object" }));
        Some(ClientTool { name: name?, description, parameters })
    })
}
