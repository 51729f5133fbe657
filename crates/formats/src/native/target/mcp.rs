//! A server that speaks MCP.

use agentci_plan::{McpTarget, McpTransport, REQUEST_TIMEOUT};
use agentci_source::shape::{Kind, Rule, Shape, optional};
use agentci_source::{Diagnostics, Node, read};

use super::super::words::{Place, command, named_texts};
use super::a2a::{AUTH, auth};
use super::read_address;
use crate::command::part;
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
.rules(&[Rule::One(&["command", "url"])]);

pub(super) fn mcp(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<McpTarget> {
    let mut fields = MCP.open(node, problems)?;
    let environment = fields.optional("env").map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    let transport = match (fields.optional("command"), fields.optional("url")) {
        (Some(written), None) => command(written, "command", problems).map(|command| McpTransport::Stdio {
            command: command.into_iter().map(|text| part(place.files, place.folder, text)).collect(),
            environment,
        }),
        (None, Some(url)) => read_address(url, "url", problems).map(McpTransport::Http),
        _ => {
            problems
                .error(node.span, "`mcp` needs either `command` or `url`", "it is not said how the server is reached")
                .help("write `command: [program, argument]` or `url: https://..`");
            None
        }
    };
    let headers = fields.optional("headers").map(|node| named_texts(node, "headers", problems)).unwrap_or_default();
    let timeout = fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems));
    let written = fields.optional("auth");
    let auth = written.map(|node| auth(node, place, problems));
    fields.finish(problems);
    let transport = transport?;
    let auth = match auth {
        None => None,
        Some(auth) => Some(auth?),
    };
    if let (Some(auth), Some(node)) = (&auth, written) {
        mcp_auth::check(auth, &transport, node.span, problems);
    }
    Some(McpTarget { transport, auth, headers, timeout: timeout.unwrap_or(REQUEST_TIMEOUT), span: node.span })
}
