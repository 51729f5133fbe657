//! The parts of a recording in memory.

use std::path::PathBuf;

use agentci_text::{is_event_stream, media_type};
use bytes::Bytes;
use serde_json::Value;

use crate::{ProviderApi, api_of};

/// All requests and answers of one run of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// The circumstances of the run.
    pub header: Header,
    /// Requests with their answers, in the order of the requests; `id` is the position, from 1.
    pub exchanges: Vec<Exchange>,
    /// Places in requests that are known to differ from run to run.
    pub holes: Vec<LearnedHole>,
    /// How the command ended; `None` if there was none, as in a suite with several turns.
    pub exit: Option<CommandExit>,
}

impl Recording {
    pub(crate) fn exchange(&self, id: u64) -> Option<&Exchange> {
        let position = self.exchanges.binary_search_by_key(&id, |exchange| exchange.id).ok()?;
        self.exchanges.get(position)
    }
}

/// The circumstances of a recording, which a replay compares with its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The command without its secrets; empty in suites.
    pub command: Vec<String>,
    /// Unix time in milliseconds at which the recording began.
    pub now_ms: u64,
    /// The name of the local time zone.
    pub zone: Option<String>,
    /// The offset of the local time from UTC, in seconds.
    pub offset_s: i32,
    /// The folders that requests may mention.
    pub roots: Roots,
    /// Names of environment variables whose values were seen as keys in requests.
    pub keys: Vec<String>,
    /// Addresses of this machine that the agent called and where nothing ever listened: `127.0.0.1:11434`.
    pub absent: Vec<String>,
}

/// Folders of this machine that an agent may mention in its requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    /// The working directory of the agent.
    pub cwd: PathBuf,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The temporary directory.
    pub tmp: Option<PathBuf>,
}

/// A request and its answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// Its number, from 1.
    pub id: u64,
    pub request: RecordedRequest,
    /// The answer; `None` if there was none.
    pub response: Option<RecordedResponse>,
    /// How it ended.
    pub end: ExchangeEnd,
    /// Whether it is telemetry or similar, which no agent waits for.
    pub chatter: bool,
    /// The exchange whose messages and answer this request continues.
    pub after: Option<u64>,
}

impl Exchange {
    /// Whether its answer was small enough to be recorded.
    pub(crate) fn is_kept(&self) -> bool {
        self.end.how != EndKind::TooLarge
    }
}

/// A recorded request. Only headers on the allowlist are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedRequest {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// The program that sent it, if known.
    pub by: Option<String>,
    /// `GET`, `POST` and so on.
    pub method: String,
    /// Scheme, host and port: `https://api.openai.com`. The default port of the scheme is omitted.
    pub origin: String,
    /// Path and query.
    pub path: String,
    /// The API that it belongs to, if it is supported.
    pub speaks: Option<ProviderApi>,
    /// The headers that are kept, lower case, in order.
    pub headers: Vec<(String, String)>,
    pub body: RecordedBody,
}

impl RecordedRequest {
    /// Method, origin and path.
    pub(crate) fn line(&self) -> String {
        format!("{} {}{}", self.method, self.origin, self.path)
    }

    /// The API that it belongs to: the recorded one, or the one determined by its path and body.
    pub(crate) fn api(&self) -> Option<ProviderApi> {
        self.speaks.or_else(|| api_of(self))
    }
}

/// The body of a request.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub enum RecordedBody {
    /// No body.
    #[default]
    Empty,
    /// JSON, with its original digits and order of keys.
    Json(Value),
    /// Text that is not JSON.
    Text(String),
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, String)>),
    /// `multipart/form-data`, without its boundary.
    Parts(Vec<FormPart>),
    /// Anything else.
    Bytes(Bytes),
    /// Larger than the limit; it was forwarded, but not recorded.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

impl RecordedBody {
    pub(crate) fn as_json(&self) -> Option<&Value> {
        if let Self::Json(value) = self { Some(value) } else { None }
    }
}

/// A part of a multipart body.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub struct FormPart {
    /// The name of its field.
    pub name: String,
    /// The name of its file.
    pub filename: Option<String>,
    pub content_type: Option<String>,
    pub content: Bytes,
}

/// A recorded answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedResponse {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// The status code.
    pub status: u16,
    /// The headers that are kept, lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body in the pieces in which it arrived, byte for byte. Each server-sent event is one piece.
    pub frames: Vec<AnswerFrame>,
}

impl RecordedResponse {
    /// The value of a header; its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The content type in lower case, without parameters; empty if there is none.
    pub(crate) fn media_type(&self) -> String {
        media_type(self.header("content-type").unwrap_or_default())
    }

    /// Whether it is a stream of server-sent events.
    pub fn is_event_stream(&self) -> bool {
        let mut types = self.headers.iter().filter(|(name, _)| name == "content-type");
        types.any(|(_, value)| is_event_stream(value))
    }

    /// The complete body.
    pub fn whole(&self) -> Vec<u8> {
        self.frames.iter().flat_map(|frame| &frame.bytes).copied().collect()
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFrame {
    /// Microseconds since the recording began.
    pub at_us: u64,
    pub bytes: Bytes,
}

/// How an exchange ended, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExchangeEnd {
    /// Microseconds since the recording began.
    pub at_us: u64,
    pub how: EndKind,
}

/// How an exchange ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EndKind {
    /// The answer was complete.
    Closed,
    /// The client disconnected before that.
    #[default]
    Left,
    /// The answer was cut off.
    Broken(String),
    /// The server could not be reached.
    Unreachable(String),
    /// The answer is larger than the limit; it was forwarded, but not recorded.
    TooLarge,
}

/// A place in requests that differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedHole {
    /// The API whose requests have it; `None` for all requests.
    pub speaks: Option<ProviderApi>,
    /// A JSON pointer; `*` stands for any one name or index.
    pub at: String,
    /// How it was learned: `rehearsal` or `volatile`.
    pub from: String,
}

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandExit {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
}
