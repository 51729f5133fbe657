//! The proxy that the agent's connections are led to.
//!
//! ```text
//! listener ─▶ connection ─▶ CONNECT: tunnel (TLS, plain HTTP, or unread)
//!                       └─▶ answer: one request ─▶ forward to the live world, teed into the ledger
//!                                              └─▶ replay from the recording, or a miss
//! ```
//!
//! Every connection is a task of one set, which ends with the session. What is seen goes to the ledger.

mod answer;
mod belonging;
mod body_kinds;
mod connection;
mod credentials;
mod fork;
mod fork_session;
mod fork_stream;
mod forward;
mod frames;
mod gated;
mod headers;
mod intake;
mod ledger;
mod listener;
mod listening;
mod ongoing;
mod player;
mod program;
mod questions;
mod reach;
mod replay;
mod sniff;
mod socket;
mod speech;
mod spoil;
mod target;
mod tee;
mod tunnel;
mod upstream;
mod user_proxy;
pub(crate) mod warnings;

pub(crate) use belonging::in_streams;
pub(crate) use connection::Shared;
pub(crate) use fork::{Forking, Step};
pub(crate) use frames::Splitter;
pub(crate) use headers::to_server;
pub(crate) use intake::response_headers;
pub(crate) use ledger::Ledger;
pub(crate) use listener::Listener;
pub use listening::{Endpoint, StreamAnswer, is_mcp_stream};
pub(crate) use ongoing::{LARGEST_ANSWER, MOST_FRAMES, Ongoing};
pub(crate) use player::Clock;
pub(crate) use reach::Reach;
pub(crate) use replay::{RecordedLookup, Replay, moved};
pub use spoil::Spoil;
pub(crate) use spoil::spoilt;
pub(crate) use target::Target;
pub(crate) use upstream::{Upstream, words};
