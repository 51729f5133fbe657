//! The script of an MCP server that stands in for a real one.
//!
//! ```yaml
//! server: { name: orders, instructions: Orders of the shop. }
//! tools:
//!   find_order:
//!     description: Finds an order.
//!     inputSchema: { type: object, required: [id], properties: { id: { type: string } } }
//!     answers:
//!       - { when: { id: A-17 }, reply: { id: A-17, total: 60 } }
//!       - { error: "there is no order ${INPUT.id}" }
//! resources:
//!   "shop://terms": { mimeType: text/plain, text: No returns. }
//! prompts:
//!   refund: { arguments: [{ name: id, required: true }], messages: [{ user: "Refund order ${INPUT.id}." }] }
//! ```
//!
//! What a list says of a tool, a resource or a prompt has the protocol's own keys, so that it can be copied from the answer of a
//! real server.

use std::path::Path;

mod answer;
mod prompt;
mod read;
mod resource;
mod step;
mod tool;

pub(crate) use read::SCRIPT;
pub use read::load_mcp_script;

/// Whether a file has the name that such scripts have: it need not belong to a suite.
pub(crate) fn is_named_so(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".mcp.yaml") || name.ends_with(".mcp.yml")
}
