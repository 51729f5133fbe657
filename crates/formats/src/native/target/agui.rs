//! A server that speaks AG-UI.

use agentci_plan::{AguiTarget, AguiWire, ClientTool, Data, OutputRule, REQUEST_TIMEOUT, Strictness};
use agentci_source::shape::{Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reading, read};
use serde_json::json;

use super::super::words::{named_texts, template};
use super::read_address;

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

pub(super) fn agui(node: &Node, problems: &mut Diagnostics) -> Option<AguiTarget> {
    let mut fields = AGUI.open(node, problems)?;
    let endpoint = fields.required("endpoint", problems).and_then(|node| read_address(node, "endpoint", problems));
    let agent = fields.optional("agent").and_then(|node| template(node, "agent", problems));
    let thread = fields.optional("thread").and_then(|node| template(node, "thread", problems));
    let headers = fields.optional("headers").map(|node| named_texts(node, "headers", problems)).unwrap_or_default();
    let timeout = fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems));
    let object = |node: &Node, name: &str, problems: &mut Diagnostics| {
        read::object(node, name, Reading::Core, problems).map(|value| Data::parse(&value))
    };
    let forwarded_props = fields.optional("forwarded_props").and_then(|node| object(node, "forwarded_props", problems));
    let state = fields.optional("state").and_then(|node| object(node, "state", problems));
    let tools = fields.optional("tools").map(|node| client_tools(node, problems)).unwrap_or_default();
    let wire = fields.optional("wire").and_then(|node| read::choice(node, "wire", &AguiWire::NAMES, problems));
    let protocol =
        fields.optional("protocol").and_then(|node| read::choice(node, "protocol", &Strictness::NAMES, problems));
    let output = fields.optional("output").and_then(|node| read::choice(node, "output", &OutputRule::NAMES, problems));
    fields.finish(problems);
    Some(AguiTarget {
        endpoint: endpoint?,
        agent,
        thread,
        headers,
        timeout: timeout.unwrap_or(REQUEST_TIMEOUT),
        forwarded_props,
        state,
        tools,
        wire: wire.unwrap_or_default(),
        protocol: protocol.unwrap_or_default(),
        output: output.unwrap_or_default(),
        span: node.span,
    })
}

fn client_tools(node: &Node, problems: &mut Diagnostics) -> Vec<ClientTool> {
    let items = read::list(node, "tools", problems).unwrap_or_default();
    items.iter().filter_map(|item| client_tool(item, problems)).collect()
}

fn client_tool(node: &Node, problems: &mut Diagnostics) -> Option<ClientTool> {
    let mut fields = CLIENT_TOOL.open(node, problems)?;
    let name = fields.required("name", problems).and_then(|node| read::name(node, "name", problems));
    let description = fields.optional("description").and_then(|node| read::text(node, "description", problems));
    let parameters =
        fields.optional("parameters").map(|node| read::object(node, "parameters", Reading::Core, problems));
    fields.finish(problems);
    let parameters = parameters.unwrap_or_else(|| Some(json!({ "type": "object" })))?;
    Some(ClientTool { name: name?, description: description.unwrap_or_default(), parameters })
}
