//! A server that speaks AG-UI.

use agentci_plan::{
    AguiTarget, AguiWire, ClientTool, Data, Diagnostics, Node, REQUEST_TIMEOUT, Reading, Strictness, read,
};
use serde_json::json;

use super::super::words::{named_texts, template};
use super::read_address;

pub(super) fn agui(node: &Node, problems: &mut Diagnostics) -> Option<AguiTarget> {
    let mut fields = read::Fields::open(node, "`agui`", problems)?;
    let endpoint = fields.required("endpoint", problems).and_then(|node| read_address(node, "endpoint", problems));
    let agent = fields.optional("agent").and_then(|node| template(node, "agent", problems));
    let thread = fields.optional("thread").and_then(|node| template(node, "thread", problems));
    let headers = fields.optional("headers").map(|node| named_texts(node, "headers", problems)).unwrap_or_default();
    let timeout = fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems));
    let object = |node: &Node, name: &str, problems: &mut Diagnostics| {
        read::object(node, name, Reading::Core, problems).map(Data::parse)
    };
    let forwarded_props = fields.optional("forwarded_props").and_then(|node| object(node, "forwarded_props", problems));
    let state = fields.optional("state").and_then(|node| object(node, "state", problems));
    let tools = fields.optional("tools").map(|node| client_tools(node, problems)).unwrap_or_default();
    let wire = fields.optional("wire").and_then(|node| read::choice(node, "wire", &AguiWire::NAMES, problems));
    let protocol =
        fields.optional("protocol").and_then(|node| read::choice(node, "protocol", &Strictness::NAMES, problems));
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
        span: node.span,
    })
}

fn client_tools(node: &Node, problems: &mut Diagnostics) -> Vec<ClientTool> {
    let items = read::list(node, "tools", problems).unwrap_or_default();
    items.iter().filter_map(|item| client_tool(item, problems)).collect()
}

fn client_tool(node: &Node, problems: &mut Diagnostics) -> Option<ClientTool> {
    let mut fields = read::Fields::open(node, "a tool", problems)?;
    let name = fields.required("name", problems).and_then(|node| read::name(node, "name", problems));
    let description = fields.optional("description").and_then(|node| read::text(node, "description", problems));
    let parameters =
        fields.optional("parameters").map(|node| read::object(node, "parameters", Reading::Core, problems));
    fields.finish(problems);
    let parameters = parameters.unwrap_or_else(|| Some(json!({ "type": "object" })))?;
    Some(ClientTool { name: name?, description: description.unwrap_or_default(), parameters })
}
