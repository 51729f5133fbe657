//! Which ways to say who we are an MCP server understands.

use agentci_plan::{ApiKeyPlace, Auth, McpTransport};
use agentci_source::{Diagnostics, Span};

/// Reports a way that is of no use with a server that is reached like this.
pub(crate) fn check(auth: &Auth, transport: &McpTransport, span: Span, problems: &mut Diagnostics) {
    let (message, help) = match (transport, auth) {
        (McpTransport::Stdio { .. }, _) => {
            ("a program is not told who asks by `auth`", "hand values to the program with `env`")
        }
        (_, Auth::ApiKey { place: ApiKeyPlace::Query | ApiKeyPlace::Cookie, .. }) => {
            ("an MCP server takes a key in a header", "leave `in` out, or write `in: header`")
        }
        (_, Auth::Mtls { .. }) => {
            ("a client certificate can not be shown to an MCP server yet", "use a token, a key, or client credentials")
        }
        (
            McpTransport::Http(_),
            Auth::ApiKey { place: ApiKeyPlace::Header, .. } | Auth::Bearer(_) | Auth::OAuth2 { .. },
        ) => return,
    };
    problems.error(span, message, "not for this target").help(help);
}
