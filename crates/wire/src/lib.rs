//! How bytes travel, with no notion of a test: HTTP on either side, server-sent events, JSON-RPC, and a client of the Model Context Protocol.

mod fetched;
mod fields;
pub mod http;
pub mod jsonrpc;
pub mod mcp;
mod seldom;
pub mod serve;
pub mod sse;

pub use fetched::FetchedSecrets;
pub use fields::{Fields, NoObject};
pub use seldom::Seldom;
