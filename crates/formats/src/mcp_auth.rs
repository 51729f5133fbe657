//! The authentication schemes that are supported for MCP servers.

use agentci_plan::{ApiKeyPlace, Auth, McpTransport};
use agentci_source::{Diagnostics, Span};

/// Reports an authentication scheme that is not supported for this transport.
pub(crate) fn check(auth: &Auth, transport: &McpTransport, span: Span, problems: &mut Diagnostics) {
    let (message, help) = match (transport, auth) {
        (McpTransport::Stdio { .. }, _) => {
            ("`auth` is not supported for an MCP server over stdio", "pass values to the program with `env`")
        }
        (_, Auth::ApiKey { place: ApiKeyPlace::Query | ApiKeyPlace::Cookie, .. }) => {
            ("an MCP server accepts an API key only in a header", "remove `in`, or write `in: header`")
        }
        (_, Auth::Mtls { .. }) => {
            ("client certificates are not supported for MCP servers", "use a token, an API key or client credentials")
        }
        (
            McpTransport::Http(_),
            Auth::ApiKey { place: ApiKeyPlace::Header, .. } | Auth::Bearer(_) | Auth::OAuth2 { .. },
        ) => return,
    };
    problems.error(span, message, "not for this target").help(help);
}
