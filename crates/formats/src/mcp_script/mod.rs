//! Reads the script of an MCP server that replaces a real one.
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
//! The list entries of tools, resources and prompts have the protocol's own keys, so that they can be copied from the
//! lists of a real server.

use std::path::Path;

mod answer;
mod prompt;
mod read;
mod resource;
mod step;
mod tool;

pub(crate) use read::SCRIPT;
pub use read::load_mcp_script;

/// Whether a file has the name of such a script, and therefore need not belong to a suite.
pub(crate) fn is_named_so(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".mcp.yaml") || name.ends_with(".mcp.yml")
}
