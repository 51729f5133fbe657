//! How to reach the agent.

mod a2a;
mod agui;
mod assistant;
mod chat;
mod http;
mod kind;
mod mcp;
mod output;
mod process;

pub use a2a::{A2aCard, A2aKeys, A2aTarget, ApiKeyPlace, Auth};
pub use agui::{AguiTarget, AguiWire, ClientTool, Strictness};
pub use assistant::{Assistant, ScriptFile};
pub use chat::{ChatApi, ChatPrompt, ChatTarget, Connector, EnvironmentFile, KeyHeader};
pub use http::{HttpServer, HttpTarget, TextEvents};
pub use kind::{REQUEST_TIMEOUT, Target};
pub use mcp::{McpTarget, McpTransport};
pub use output::OutputRule;
pub use process::{CommandPart, ProcessTarget, Speech};
