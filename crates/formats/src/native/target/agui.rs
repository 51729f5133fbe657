//! A server that speaks AG-UI.

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
        required("endpoint", Kind::Address, "The address that runs are sent to."),
        optional("agent", Kind::Text, "The agent that is asked."),
        optional("thread", Kind::Text, "The thread of the conversation; without it, a new one for each case."),
        optional("headers", Kind::Map(&Kind::Word), "Headers that are sent along."),
        optional("timeout", Kind::Duration, "How long one run may take."),
        optional("forwarded_props", Kind::Object, "What the agent is told as `forwardedProps`."),
        optional("state", Kind::Object, "The state that the conversation begins with."),
        optional("tools", Kind::List(&Kind::Shape(&CLIENT_TOOL)), "Tools that the client offers."),
        optional("wire", Kind::Choice(&words(&AguiWire::NAMES)), "Which form of the protocol is spoken."),
        optional("protocol", Kind::Choice(&words(&Strictness::NAMES)), "What a breach of the protocol comes to."),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
);

static CLIENT_TOOL: Shape = Shape::new(
    "a tool",
    "A tool that the client offers.",
    &[
        required("name", Kind::Name, "Its name."),
        optional("description", Kind::Text, "What the agent is told about it."),
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
