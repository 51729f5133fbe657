//! Reads a target that is an MCP server.

use agentci_plan::{McpTarget, McpTransport, REQUEST_TIMEOUT, Target};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node};

use super::super::readers::{SuiteFolder, command, named_texts};
use super::a2a::{AUTH, auth};
use super::{ReadTarget, read_address};
use crate::mcp_auth;

pub(super) static MCP: Shape = Shape::new(
    "`mcp`",
    "A server that speaks MCP.",
    &[
        optional("env", Kind::Map(&Kind::Word), "Environment variables to set for the program."),
        optional(
            "command",
            Kind::Filled(&Kind::Text),
            "The program and its arguments; files are looked up in the folder of the suite.",
        ),
        optional("url", Kind::Address, "URL of the server; it may contain variables."),
        optional("headers", Kind::Map(&Kind::Word), "Additional request headers."),
        optional("timeout", Kind::Duration, "Timeout of one request. Default: 2m."),
        optional("auth", Kind::Shape(&AUTH), "Authentication."),
    ],
)
.rules(&[KeyRule::One(&["command", "url"])]);

pub(super) fn mcp(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let mut fields = MCP.reader(node, problems)?;
    let environment = fields.named_or_default("env", named_texts);
    let transport = match (fields.node("command"), fields.node("url")) {
        (Some(written), None) => command(written, "command", fields.problems)
            .map(|command| McpTransport::Stdio { command: place.command(command), environment }),
        (None, Some(url)) => read_address(url, "url", fields.problems).map(McpTransport::Http),
        _ => {
            let message = "`mcp` needs either `command` or `url`";
            let help = "write `command: [program, argument]` or `url: https://..`";
            fields.problems.error(node.span, message, "no way to reach the server").help(help);
            None
        }
    };
    let headers = fields.named_or_default("headers", named_texts);
    let timeout = fields.duration("timeout").unwrap_or(REQUEST_TIMEOUT);
    let written = fields.node("auth");
    let auth = fields.valid("auth", |node, _, problems| auth(node, place, problems));
    fields.finish();
    let (transport, auth) = (transport?, auth?);
    if let (Some(auth), Some(node)) = (&auth, written) {
        mcp_auth::check(auth, &transport, node.span, problems);
    }
    Some(Target::Mcp(Box::new(McpTarget { transport, auth, headers, timeout, span: node.span })).into())
}
