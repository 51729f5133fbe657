//! The recorded world of an attempt: a recorder sits between the agent and everything that it reaches over HTTP.
//!
//! ```text
//! open: the recording is read, a session is started ─▶ environment of the agent
//! while the agent runs: what the session sees ─▶ observe ─▶ events of the trace, costs
//! close: the session ends ─▶ judge: misses, requests never sent ─▶ findings; keep: the recording is written
//! ```
//!
//! In replay mode the agent talks to the recording; in record mode it talks to the live world, and the exchanges are
//! saved. In live mode it talks to the live world and nothing is saved: the session only produces the same trace.

mod environment;
mod faults;
mod file;
mod judge;
mod mcp_streams;
mod observe;
mod open;
mod save;
mod session;
mod tool_exchange;

pub(crate) use environment::{agent_roots, handed_environment, started_program};
pub(crate) use file::{earlier, is_conversation};
pub(crate) use judge::{conclude, misses, take_late};
pub(crate) use observe::price_table;
pub(crate) use open::open;
pub(crate) use session::WorldSession;
