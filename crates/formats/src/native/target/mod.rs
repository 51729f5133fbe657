//! `target`: how to reach the agent. Each kind is read in its own file; most are printed in `print`.

mod a2a;
mod address;
mod agui;
mod chat;
mod chat_print;
mod http;
mod mcp;
mod mock;
mod print;
mod process;
mod read;

pub(crate) use address::read_address;
pub(crate) use http::{HTTP_KEYS, SERVER_KEYS, read_http, usual_http};
pub(super) use read::{ReadTarget, TARGET, target};
pub(crate) use read::{has_target, named_target};
