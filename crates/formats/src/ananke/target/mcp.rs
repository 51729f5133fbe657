//! Reads a target of type `mcp`.

use agentci_plan::{McpTarget, McpTransport, Target};
use agentci_source::shape::{Field, Kind, depends, optional, required, words};
use agentci_source::{Node, Reader};

use super::auth::AUTH;
use super::{SuiteFolder, TargetSettings, auth};
use crate::ananke::readers::{command as read_command, url};
use crate::mcp_auth;
use crate::texts::named_texts;

#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenTransport {
    Stdio,
    Http,
}

const TRANSPORTS: [(&str, WrittenTransport); 3] =
    [("stdio", WrittenTransport::Stdio), ("sse", WrittenTransport::Http), ("http", WrittenTransport::Http)];

/// The keys in addition to the common ones.
pub(super) static KEYS: &[Field] = &[
    required("transport", Kind::Choice(&words(&TRANSPORTS)), "How to reach the server."),
    depends("command", Kind::Filled(&Kind::Text), "The program and its arguments, for `stdio`."),
    depends("endpoint", Kind::Address, "URL of the server, for `sse` and `http`."),
    optional("env", Kind::Map(&Kind::Word), "Environment variables to set for the program."),
    optional("auth", AUTH, "Authentication."),
];

pub(super) fn target(fields: &mut Reader<'_, '_>, common: TargetSettings, place: SuiteFolder<'_>) -> Option<Target> {
    let node = fields.required_node("transport");
    let transport = fields.choice("transport", &TRANSPORTS);
    let [command, endpoint] = ["command", "endpoint"].map(|key| fields.node(key));
    let parts =
        fields.optional("command", |node, key, problems| read_command(node, key, "[python3, server.py]", problems));
    let address = fields.optional("endpoint", url);
    let written = fields.node("auth");
    let auth = fields.optional("auth", |node, _, problems| auth::auth(node, place, problems));
    let environment = fields.named_or_default("env", named_texts);
    let transport = match transport? {
        WrittenTransport::Stdio => {
            misplaced(fields, &["endpoint"], "stdio");
            if !common.headers.is_empty() {
                let span = fields.key_span("headers").unwrap_or(common.span);
                let message = "`headers` are not sent over the transport `stdio`";
                fields.problems.warning(span, message, "has no effect").help("pass values to the program with `env`");
            }
            if command.is_none() {
                fields.required_node("command");
            }
            McpTransport::Stdio { command: place.command(parts?), environment }
        }
        WrittenTransport::Http => {
            let word = node.and_then(Node::scalar).map_or("sse", |scalar| &*scalar.text);
            misplaced(fields, &["command", "env"], word);
            if endpoint.is_none() {
                fields.required_node("endpoint");
            }
            McpTransport::Http(address?)
        }
    };
    if let (Some(auth), Some(node)) = (&auth, written) {
        mcp_auth::check(auth, &transport, node.span, fields.problems);
    }
    let TargetSettings { headers, timeout, span } = common;
    Some(Target::Mcp(Box::new(McpTarget { transport, auth, headers, timeout, span })))
}

/// Reports keys that belong to the other transport.
fn misplaced(fields: &mut Reader<'_, '_>, keys: &[&str], transport: &str) {
    for key in keys {
        let Some(span) = fields.key_span(key) else { continue };
        let message = format!("`{key}` does not apply to the transport `{transport}`");
        let help = "`stdio` takes `command` and `env`; `sse` and `http` take `endpoint`";
        fields.problems.error(span, message, "belongs to the other transport").help(help);
    }
}
