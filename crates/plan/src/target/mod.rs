//! How to reach the agent.

mod a2a;
mod agui;
mod kind;
mod mcp;
mod process;

pub use a2a::{A2aCard, A2aTarget, ApiKeyPlace, Auth};
pub use agui::{AguiTarget, AguiWire, ClientTool, Strictness};
pub use kind::{REQUEST_TIMEOUT, Target};
pub use mcp::{McpTarget, McpTransport};
pub use process::{CommandPart, ProcessTarget};
