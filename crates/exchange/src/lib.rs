//! What is sent to an agent over HTTP and what comes back: live, recorded or replayed.
//!
//! A driver calls [`AgentLine::send`] and reads the [`StreamedAnswer`]; it does not know which of the three it is. A replay needs neither
//! network nor time: everything comes at once, with the moments at which it came when it was recorded, and what failed then
//! fails again in the same words.
//!
//! A recording is a file of JSON lines for one attempt at a case. Every `at_us` is in microseconds since the attempt began.
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
//! - `recording`: `seed` is what the ids in requests were made from.
//! - `variables`: what a hook printed, so that it need not run again.
//! - `request`: `identity` is what makes it the same request when it is replayed.
//! - `response`: absent when none came. Only the headers that a driver can see are kept.
//! - `frame`: one event of a stream with all bytes since the one before; `line`: one line of an answer that is read line by line;
//!   `body`: any other answer; `rest`: what came after the last event and was none. All have `raw`, or `raw_base64` where it is no UTF-8.
//! - `end`: `how` is `closed`, `left` (nobody read on), `timeout` (with `after_us`), or, with a `message`, `unreachable`,
//!   `unsendable`, `broken` or `too_large`.
//!
//! What is none of HTTP, such as a call of an MCP server, is kept in the same lines: one `body`, which is JSON. So is what someone
//! else saw of the agent meanwhile, such as the server that plays its tools: its `identity` is `{"seen": ..}`, and nobody asks for it.
//!
//! Secrets are removed when a recording is written, and where one stood any text fits when a request is compared.

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
pub use answer::{Arrived, NextPiece, StreamedAnswer};
pub use clock::Clock;
pub use difference::{first_difference, shown};
pub use error::{ExchangeError, MismatchError};
pub use ids::{UuidSource, random_seed};
pub use parse::AgentRecordingError;
pub use player::ExchangePlayer;
pub use recorder::{ExchangeRecorder, Slot};
pub use recording::{
    AgentExchange, AgentExchangeEnd, AgentRecording, AnswerHead, AnswerPiece, ConversationEnding, HookOutput, PieceKind,
};

/// What is wrong with an answer in which bytes had to be replaced.
pub const NOT_UTF8: &str = "the answer has bytes that are not UTF-8, which were replaced";

#[cfg(test)]
mod tests;
