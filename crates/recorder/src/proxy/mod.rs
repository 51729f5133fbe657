//! The proxy that the connections of the agent are routed to.
//!
//! ```text
//! listener ─▶ connection ─▶ CONNECT: tunnel (TLS, plain HTTP, or unread)
//!                       └─▶ answer: one request ─▶ forward to the live world, teed into the exchange log
//!                                              └─▶ replay from the recording, or a miss
//! ```
//!
//! The connections are tasks of one set, which ends with the session. Everything is recorded in the exchange log.

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

pub(crate) use accepting::connection::{ConnectionEnds, ProxyState, Upgrade, UpgradeSlot};
pub(crate) use accepting::connection_policy::{ConnectionRule, ReachRules};
pub(crate) use accepting::listener::ProxyListener;
pub(crate) use accepting::program::ClientProgram;
pub(crate) use accepting::request_reader::{ReceivedBody, response_headers};
pub(crate) use accepting::sniff::TunnelProtocol;
pub(crate) use accepting::target::RequestTarget;
pub(crate) use accepting::tunnel::Tunnel;
pub(crate) use exchange_log::{ExchangeLog, SeenSoFar};
pub(crate) use forking::fork::{ForkStep, Forking};
pub(crate) use forking::session::{ForkSessions, SessionChoice};
pub(crate) use forking::stream::{ForkStreams, LiveEvent};
pub(crate) use forwarding::forward::{ObservedRequest, OutgoingRequest};
pub(crate) use forwarding::headers::to_server;
pub(crate) use forwarding::tee::{AnswerAbort, Tee, Upload, UpstreamBrokenError};
pub(crate) use forwarding::upstream::{Upstream, words};
pub(crate) use forwarding::user_proxy::UserProxy;
pub(crate) use open_exchange::{LARGEST_ANSWER, MOST_FRAMES, OngoingExchange};
pub(crate) use own_answers::{AnswerBody, ProxyAnswer};
pub(crate) use playing::pace::PlayClock;
pub(crate) use playing::play::{ReplayNotice, moved};
pub(crate) use playing::questions::Questions;
pub(crate) use playing::replay::{RecordedLookup, RecordingReplay};
pub(crate) use playing::replay_body::ReplayBody;
pub use playing::spoil::Spoil;
pub(crate) use playing::spoil::{Decide, spoilt};
pub(crate) use streams::event_owner::{ClientMessages, StreamPosition, in_streams};
pub(crate) use streams::frames::Splitter;
pub(crate) use streams::mcp_stream::Listening;
pub use streams::mcp_stream::{PostEndpoint, StreamAnswer, is_mcp_stream};
