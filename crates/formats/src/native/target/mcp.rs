//! A server that speaks MCP.

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
        optional("env", Kind::Map(&Kind::Word), "Variables of the environment of the program."),
        optional(
            "command",
            Kind::Filled(&Kind::Text),
            "The program and its arguments; files in it are found beside the suite.",
        ),
        optional("url", Kind::Address, "The address of the server; variables may stand in it."),
        optional("headers", Kind::Map(&Kind::Word), "Headers that are sent along."),
        optional("timeout", Kind::Duration, "How long one request may take."),
        optional("auth", Kind::Shape(&AUTH), "How we say who we are."),
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
            fields.problems.error(node.span, message, "it is not said how the server is reached").help(help);
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
