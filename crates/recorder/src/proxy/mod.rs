//! The proxy that the agent's connections are led to.
//!
//! ```text
//! listener ─▶ connection ─▶ CONNECT: tunnel (TLS, plain HTTP, or unread)
//!                       └─▶ answer: one request ─▶ forward to the live world, teed into the ledger
//!                                              └─▶ replay from the recording, or a miss
//! ```
//!
//! Every connection is a task of one set, which ends with the session. What is seen goes to the ledger.

mod accepting;
mod answer;
mod exchange_log;
mod forking;
mod forwarding;
mod open_exchange;
mod own_answers;
mod playing;
mod streams;
pub(crate) mod warnings;

pub(crate) use accepting::connection::ProxyState;
pub(crate) use accepting::connection_policy::ReachRules;
pub(crate) use accepting::listener::ProxyListener;
pub(crate) use accepting::request_reader::response_headers;
pub(crate) use accepting::target::RequestTarget;
pub(crate) use exchange_log::ExchangeLog;
pub(crate) use forking::fork::{ForkStep, Forking};
pub(crate) use forwarding::headers::to_server;
pub(crate) use forwarding::upstream::{Upstream, words};
pub(crate) use open_exchange::{LARGEST_ANSWER, MOST_FRAMES, OngoingExchange};
pub(crate) use playing::pace::PlayClock;
pub(crate) use playing::replay::{RecordedLookup, RecordingReplay, moved};
pub use playing::spoil::Spoil;
pub(crate) use playing::spoil::spoilt;
pub(crate) use streams::event_owner::in_streams;
pub(crate) use streams::frames::Splitter;
pub use streams::mcp_stream::{PostEndpoint, StreamAnswer, is_mcp_stream};
