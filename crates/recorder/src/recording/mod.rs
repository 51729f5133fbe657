//! A recording: one JSON line per event, version 2 of the format.
//!
//! ```text
//! {"v":2,"type":"recording","command":["python3","agent.py"],"now_ms":1794800263838,"zone":"Europe/Berlin","roots":{"cwd":"/home/me/shop","home":"/home/me","tmp":"/tmp"},"keys":["OPENAI_API_KEY"]}
//! {"type":"request","id":1,"at_us":152034,"by":"python3","to":"https://api.openai.com","method":"POST","path":"/v1/responses","speaks":"openai.responses","headers":{"content-type":"application/json"},"json":{"model":"gpt-4o","input":[],"stream":true}}
//! {"type":"response","id":1,"at_us":611200,"status":200,"headers":{"content-type":"text/event-stream"}}
//! {"type":"frame","id":1,"at_us":633910,"text":"event: response.created\ndata: {}\n\n"}
//! {"type":"end","id":1,"at_us":1904410,"how":"closed"}
//! {"type":"hole","speaks":"openai.responses","at":"/client_metadata/session_id","from":"rehearsal"}
//! {"type":"exit","at_us":3100000,"code":0}
//! ```
//!
//! A message of a host to its MCP server over standard input and output is a request `to` `stdio:` with the command;
//! its `method` is that of the message, `reply` for an answer of the host, and `listen` for messages that the server
//! sends by itself.
//!
//! Exchanges overlap, so each line has the `id` of its exchange; a request also has the one that it continues (`after`)
//! and whether it is telemetry (`chatter`). Its body is `json`, `text`, `form`, `parts`, `base64` or `too_large`;
//! deeply nested JSON is `json_text`. A body that repeats most of an earlier one is `like` that one, with a `patch`
//! (RFC 6902). A frame is `text` or `base64`. Content of more than a MiB is a `file` beside the recording, named by its
//! SHA-256. An exchange ends `closed`, `left`, `too_large`, or `broken` and `unreachable` with a `message`.
//!
//! Secrets are removed when a recording is written, and a text that still contains a known secret is not written at
//! all.

mod clean;
mod content;
mod diff;
mod exchange;
mod fields;
mod headers;
mod lines;
mod parse;
mod patch;
mod remove;
mod show;
mod stored;
mod write;

pub(crate) use clean::{clean_path, plain, values_of, variables_shown};
pub use clean::{learn_request, learn_response};
pub use diff::diff;
pub use exchange::{
    AnswerFrame, CommandExit, EndKind, Exchange, ExchangeEnd, FormPart, Header, LearnedHole, RecordedBody,
    RecordedRequest, RecordedResponse, Recording, Roots,
};
pub(crate) use headers::{is_credential, is_word};
pub use headers::{keep_request_header, keep_response_header};
pub use remove::{Remove, Removed};
pub use show::show;
pub use stored::{RecordingLoadError, load, load_with_text, save};
pub use write::{SecretLeftError, StoredRecording};

#[cfg(test)]
mod tests;

/// Why a text is not a recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RecordingError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}
