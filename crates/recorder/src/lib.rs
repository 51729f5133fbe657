//! Records everything that an agent sends to its model and its tools over HTTP, and to MCP servers that it starts, and replays it.
//!
//! ```text
//! agent ─▶ environment (proxy, certificates, hooks) ─▶ proxy ─▶ recording: live world, teed into a `Recording`
//!                                                          └──▶ replaying: `Matcher` finds the recorded answer, or a `Miss`
//!       ─▶ shims and hooks ─▶ tap ─▶ MCP server, or the same
//! ```
//!
//! A [`Session`] is one recorder: it is started for one command or one attempt at a case, gives out the environment that leads
//! the agent to it, and ends with a [`Finished`]: the recording, or how the replay went. The agent itself is not changed: its
//! connections are led to a proxy on loopback by environment variables, and by small hooks for Node and Python clients that
//! ignore them. TLS is ended by a certificate authority that exists only for this session, whose key never leaves memory.

mod authority;
mod environment;
mod fork;
mod health;
mod json_type;
mod leaks;
mod matching;
mod packed;
mod providers;
mod proxy;
mod recording;
mod session;
mod tap;
mod warning;
mod zone;

pub use fork::{AnswerChange, ChangeError, Fork, Forked, Spoken, Then, change};
pub use health::{
    BadAnswer, BadAnswers, Change, Drift, Known, Live, LiveAnswer, Login, NotAsked, Places, Sequel, WhatToAsk,
    bad_answers, goes_to, login, may_ask, places,
};
pub use matching::{
    Answered, Holes, MatchRules, Matcher, Miss, Nearest, Remedy, Renamed, SaidTime, Steadier, Steady, Surroundings,
    Tally, with_reply_id,
};
pub use providers::{
    Api, Conversations, MissAnswer, Price, PriceTable, after, api_of, is_chatter, miss_answer, model_answer,
};
pub use proxy::{Endpoint, Spoil, StreamAnswer, is_mcp_stream};
pub use recording::{
    Body, End, Exchange, Exit, Frame, Header, How, LearnedHole, LoadError, Part, Recording, RecordingError, Remove,
    Removed, Request, Response, Roots, SecretLeft, Written, diff, keep_request_header, keep_response_header,
    learn_request, learn_response, load, save, show,
};
pub use session::{Bypass, Finished, Mode, OnMiss, Pace, Seen, SeenHow, Session, SessionError, SessionOptions};
pub use tap::{TapError, is_stdio, tap};
pub use warning::{Warning, WarningKind};
