//! Requests to an agent over HTTP and their answers: live, recorded or replayed.
//!
//! A driver calls [`AgentLine::send`] and reads the [`StreamedAnswer`]; it does not know which of the three it is. A
//! replay needs neither network nor time: everything arrives immediately, with the recorded times, and a recorded
//! failure is repeated with the same message.
//!
//! A recording is a file of JSON lines for one attempt at a case. Every `at_us` is in microseconds since the start of
//! the attempt.
//!
//! ```text
//! {"v":1,"type":"recording","seed":17}
//! {"type":"variables","hook":0,"variables":{"thread":"t-1"}}
//! {"type":"request","at_us":1200,"method":"POST","identity":{"messages":["hello"]}}
//! {"type":"response","at_us":5300,"status":200,"headers":{"content-type":"text/event-stream"}}
//! {"type":"frame","at_us":5400,"raw":"data: {\"type\":\"RUN_STARTED\"}\n\n"}
//! {"type":"end","at_us":9000,"how":"closed"}
//! ```
//!
//! - `recording`: `seed` is the seed of the ids in requests.
//! - `variables`: the output of a hook, so that it need not run again.
//! - `request`: a replay finds the request by its `identity`.
//! - `response`: absent if none arrived. Only the headers that drivers need are stored.
//! - `frame`: one event of a stream with all bytes since the previous one; `line`: one line of an answer that is read line
//!   by line; `body`: any other answer; `rest`: bytes after the last event that are not an event. All have `raw`, or
//!   `raw_base64` if the bytes are not UTF-8.
//! - `end`: `how` is `closed`, `left` (the driver stopped reading), `timeout` (with `after_us`), or, with a `message`,
//!   `unreachable`, `unsendable`, `broken` or `too_large`.
//!
//! Exchanges that are not HTTP, such as calls of an MCP server, are stored in the same lines, with one `body`, which is
//! JSON. So are events of another observer, such as the server that plays the agent's tools: their `identity` is
//! `{"seen": ..}`, and they match no request.
//!
//! Secrets are removed when a recording is written; their placeholders match any text when a request is compared.

mod agent_connection;
mod answer;
mod clean;
mod clock;
mod difference;
mod error;
mod ids;
mod lines;
mod live;
mod parse;
mod player;
mod recorder;
mod recording;
mod write;

pub use agent_connection::{AgentLine, Request};
pub use agentci_wire::http::HttpMethod;
pub use answer::{ArrivedEvent, NextPiece, StreamedAnswer};
pub use clock::Clock;
pub use difference::{first_difference, shown};
pub use error::{ExchangeError, MismatchError};
pub use ids::{UuidSource, random_seed};
pub use parse::AgentRecordingError;
pub use player::ExchangePlayer;
pub use recorder::{ExchangeRecorder, OpenExchange};
pub use recording::{
    AgentExchange, AgentExchangeEnd, AgentRecording, AnswerHead, AnswerPiece, ConversationEnding, HookOutput, PieceKind,
};

/// The warning about an answer in which bytes were replaced.
pub const NOT_UTF8: &str = "the answer contains bytes that are not UTF-8; they were replaced";

#[cfg(test)]
mod tests;
