//! `target`: how the agent is reached. Each kind is read in its own file, and all are printed in one.

mod a2a;
mod address;
mod agui;
mod http;
mod mcp;
mod mock;
mod print;
mod process;
mod read;

pub(crate) use address::read_address;
pub(crate) use http::{ReadHttp, read_http};
pub(super) use read::{ReadTarget, target};
