//! The parts of a recording, as they are in memory.

use std::path::PathBuf;

use bytes::Bytes;
use serde_json::Value;

use crate::{ProviderApi, api_of};

/// Everything that was seen of one run of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// The circumstances.
    pub header: Header,
    /// Requests with their answers, in the order of the requests; `id` is the position, from 1.
    pub exchanges: Vec<Exchange>,
    /// Places in requests that are known to differ from run to run.
    pub holes: Vec<LearnedHole>,
    /// How the command ended; absent where there was none, as in a suite with several turns.
    pub exit: Option<CommandExit>,
}

impl Recording {
    /// The exchange with this id.
    pub(crate) fn exchange(&self, id: u64) -> Option<&Exchange> {
        let position = self.exchanges.binary_search_by_key(&id, |exchange| exchange.id).ok()?;
        self.exchanges.get(position)
    }
}

/// The circumstances under which a recording was made: what may differ in a replay is compared relative to them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The command, its secrets removed; empty in suites.
    pub command: Vec<String>,
    /// Unix time in milliseconds at which the recording began.
    pub now_ms: u64,
    /// The name of the local time zone.
    pub zone: Option<String>,
    /// How many seconds the local time was ahead of UTC.
    pub offset_s: i32,
    /// The folders that requests may mention.
    pub roots: Roots,
    /// Names of environment variables whose values were seen as keys in requests.
    pub keys: Vec<String>,
    /// Addresses of this machine that were asked and where nobody ever listened: `127.0.0.1:11434`.
    pub absent: Vec<String>,
}

/// Folders of this machine that an agent may mention in its requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    /// The working folder of the agent.
    pub cwd: PathBuf,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The folder for temporary files.
    pub tmp: Option<PathBuf>,
}

/// A request and what came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// Its number, from 1.
    pub id: u64,
    /// What was sent.
    pub request: RecordedRequest,
    /// What came back; absent when nothing came.
    pub response: Option<RecordedResponse>,
    /// How it ended.
    pub end: ExchangeEnd,
    /// Whether it is telemetry and the like, which nobody waits for.
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

/// A request as it was sent. Headers that are not on the allow-list are not kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedRequest {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// The program that sent it, where it could be told.
    pub by: Option<String>,
    /// `GET`, `POST` and so on.
    pub method: String,
    /// Scheme, host and port: `https://api.openai.com`. A port that is the scheme's default is left out.
    pub origin: String,
    /// Path and query.
    pub path: String,
    /// The API that it belongs to, where it is a known one.
    pub speaks: Option<ProviderApi>,
    /// The headers that are kept, lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: RecordedBody,
}

impl RecordedRequest {
    /// Method, origin and path.
    pub(crate) fn line(&self) -> String {
        format!("{} {}{}", self.method, self.origin, self.path)
    }

    /// The API that it belongs to: the one that was noted, or what its path and body tell.
    pub(crate) fn api(&self) -> Option<ProviderApi> {
        self.speaks.or_else(|| api_of(self))
    }
}

/// The body of a request.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub enum RecordedBody {
    /// None.
    #[default]
    Empty,
    /// JSON; digits and the order of keys are kept.
    Json(Value),
    /// Text that is not JSON.
    Text(String),
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, String)>),
    /// `multipart/form-data`, without its boundary.
    Parts(Vec<FormPart>),
    /// Anything else.
    Bytes(Bytes),
    /// More than is kept; it was passed on.
    TooLarge {
        /// How much it was.
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
    /// What it says it is.
    pub content_type: Option<String>,
    /// Its content.
    pub content: Bytes,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedResponse {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// The status code.
    pub status: u16,
    /// The headers that are kept, lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body in the pieces in which it came, byte for byte. Server-sent events are one piece each.
    pub frames: Vec<AnswerFrame>,
}

impl RecordedResponse {
    /// The value of a header; its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All pieces of the body in one.
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.frames.iter().flat_map(|frame| &frame.bytes).copied().collect()
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFrame {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// Its bytes.
    pub bytes: Bytes,
}

/// How an exchange ended, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExchangeEnd {
    /// Microseconds since the recording began.
    pub at_us: u64,
    /// How.
    pub how: EndKind,
}

/// How an exchange ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EndKind {
    /// The answer was complete.
    Closed,
    /// The client left before it was.
    #[default]
    Left,
    /// The answer broke off.
    Broken(String),
    /// The server could not be reached.
    Unreachable(String),
    /// The answer is larger than is kept; it was passed on.
    TooLarge,
}

/// A place in requests that differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedHole {
    /// The API whose requests have it; all requests without one.
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
    /// Its exit code; absent when a signal ended it.
    pub code: Option<i32>,
}
