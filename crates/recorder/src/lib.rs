//! Records and replays the HTTP requests of an agent to its model and tools, and its messages to the MCP servers that
//! it starts.
//!
//! ```text
//! agent ─▶ environment (proxy, certificates, hooks) ─▶ proxy ─▶ recording: live world, teed into a `Recording`
//!                                                          └──▶ replaying: `Matcher` finds the answer, or a `Miss`
//!       ─▶ shims and hooks ─▶ tap ─▶ MCP server, or the same
//! ```
//!
//! A [`RecorderSession`] is one recorder, started for one command or one attempt at a case. It provides the environment
//! that routes the agent to it, and ends with a [`FinishedSession`]: the recording, or the outcome of the replay. The
//! agent itself is not changed: environment variables route its connections to a proxy on loopback, and small hooks do
//! so for Node and Python clients that ignore the variables. TLS is terminated with a certificate authority that exists
//! only for this session; its key never leaves memory.

mod authority;
mod compression;
mod environment;
mod fork;
mod health;
mod leaks;
mod matching;
mod providers;
mod proxy;
mod recording;
mod session;
mod tap;
mod warning;
mod zone;

pub use fork::{AfterFork, AnswerChange, ChangeError, Fork, Forked, SpokenCall, change};
pub use health::{
    BadAnswer, BadAnswers, Drift, ExchangeLines, IdMapping, KnownShapes, LiveAnswer, LiveWorld, Login,
    NotRepeatableError, RepeatPolicy, ShapeChange, bad_answers, goes_to, login, may_repeat, places,
};
pub use matching::{
    Answered, Circumstances, Holes, MatchRules, Matcher, MentionedTime, Miss, NearestRequest, NormalizedText, Remedy,
    Renamed, ReplayTally, TextNormalizer, with_reply_id,
};
pub use providers::{
    Conversations, MissAnswer, PriceTable, ProviderApi, TokenPrice, after, api_of, is_chatter, miss_answer,
    model_answer,
};
pub use proxy::{PostEndpoint, Spoil, StreamAnswer, is_mcp_stream};
pub use recording::{
    AnswerFrame, CommandExit, EndKind, Exchange, ExchangeEnd, FormPart, Header, LearnedHole, RecordedBody,
    RecordedRequest, RecordedResponse, Recording, RecordingError, RecordingLoadError, Remove, Removed, Roots,
    SecretLeftError, StoredRecording, diff, keep_request_header, keep_response_header, learn_request, learn_response,
    load, load_with_text, save, show,
};
pub use session::{
    Bypass, FinishedSession, OnMiss, RecorderSession, ReplayPace, SeenHow, SessionError, SessionEvent, SessionMode,
    SessionOptions,
};
pub use tap::{TapError, is_stdio, messages_in, tap};
pub use warning::{Warning, WarningKind};
