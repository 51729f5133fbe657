//! A server that speaks MCP.

use agentci_plan::{McpTarget, McpTransport, Target};
use agentci_source::shape::{Field, Kind, depends, optional, required, words};
use agentci_source::{Diagnostics, Node, read};

use super::auth::AUTH;
use super::{Common, Place, auth};
use crate::ananke::words::{command as read_command, url};
use crate::command::part;
use crate::mcp_auth;
use crate::texts::named_texts;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
}

const TRANSPORTS: [(&str, Transport); 3] =
    [("stdio", Transport::Stdio), ("sse", Transport::Http), ("http", Transport::Http)];

/// The keys of such a target beside the common ones.
pub(super) static KEYS: &[Field] = &[
    required("transport", Kind::Choice(&words(&TRANSPORTS)), "How the server is reached."),
    depends("command", Kind::Filled(&Kind::Text), "The program and its arguments, for `stdio`."),
    depends("endpoint", Kind::Address, "The address of the server, for `sse` and `http`."),
    optional("env", Kind::Map(&Kind::Word), "Variables of the environment of the program."),
    optional("auth", AUTH, "How we say who we are."),
];

pub(super) fn target(
    fields: &mut read::Fields<'_>,
    common: Common,
    place: Place<'_>,
    problems: &mut Diagnostics,
) -> Option<Target> {
    let node = fields.required("transport", problems);
    let transport = node.and_then(|node| read::choice(node, "transport", &TRANSPORTS, problems));
    let [command, endpoint, env] = ["command", "endpoint", "env"].map(|key| fields.optional(key));
    let parts = command.and_then(|node| read_command(node, "command", "[python3, server.py]", problems));
    let parts = parts.map(|parts| parts.into_iter().map(|text| part(place.files, place.folder, text)).collect());
    let address = endpoint.and_then(|node| url(node, "endpoint", problems));
    let written = fields.optional("auth");
    let auth = written.and_then(|node| auth::auth(node, place, problems));
    let environment = env.map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    let transport = match transport? {
        Transport::Stdio => {
            misplaced(fields, &["endpoint"], "stdio", problems);
            if !common.headers.is_empty() {
                let span = fields.key_span("headers").unwrap_or(common.span);
                let help = "hand values to the program with `env`";
                problems.warning(span, "`headers` are not sent over the transport `stdio`", "has no effect").help(help);
            }
            if command.is_none() {
                fields.required("command", problems);
            }
            McpTransport::Stdio { command: parts?, environment }
        }
        Transport::Http => {
            let word = node.and_then(Node::scalar).map_or("sse", |scalar| &*scalar.text);
            misplaced(fields, &["command", "env"], word, problems);
            if endpoint.is_none() {
                fields.required("endpoint", problems);
            }
            McpTransport::Http(address?)
        }
    };
    if let (Some(auth), Some(node)) = (&auth, written) {
        mcp_auth::check(auth, &transport, node.span, problems);
    }
    Some(Target::Mcp(Box::new(McpTarget {
        transport,
        auth,
        headers: common.headers,
        timeout: common.timeout,
        span: common.span,
    })))
}

/// Reports keys that belong to the other transport.
fn misplaced(fields: &read::Fields<'_>, keys: &[&str], transport: &str, problems: &mut Diagnostics) {
    for (key, span) in keys.iter().filter_map(|key| Some((key, fields.key_span(key)?))) {
        let message = format!("`{key}` has no use with the transport `{transport}`");
        let help = "`stdio` has `command` and `env`, `sse` has `endpoint`";
        problems.error(span, message, "belongs to the other transport").help(help);
    }
}
