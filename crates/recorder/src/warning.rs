//! What is worth knowing at the end of a session, beside the recording: as data, and as a sentence.

use std::fmt;

/// Something that is worth knowing at the end of a session, and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What was seen.
    pub kind: WarningKind,
    /// How often.
    pub times: usize,
}

/// What a session warns of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum WarningKind {
    /// An answer with this status says that a key is missing or wrong.
    #[error("an answer is {0}")]
    Denied(u16),
    /// A server could not be reached, and the agent got an answer of the recorder's: which server, and why, in a sentence.
    #[error("{0}; the agent got an error of the recorder's instead{help}", help = certificate_help(.0))]
    Unreachable(String),
    /// A request or an answer is too large to be kept.
    #[error("{} {place} is too large to be recorded; in a replay it will be missing", if *request { "the request" } else { "the answer to" })]
    TooLarge {
        /// Whether it is the request.
        request: bool,
        /// Method, origin and path, without the query.
        place: String,
    },
    /// An answer is packed in a way that secrets cannot be looked for in.
    #[error(
        "an answer of {origin} is packed with `{encoding}`, which the recorder cannot read: \
         it is recorded as it is, and may hold secrets"
    )]
    Unsearched {
        /// Where it came from.
        origin: String,
        /// How it is packed.
        encoding: String,
    },
    /// A recording has no room for a further exchange than this many.
    #[error("a recording has at most {0} exchanges: one was passed on and not recorded")]
    Full(usize),
    /// A request was refused, since nothing more may be asked of the live world for this reason.
    #[error("requests were refused: {0}")]
    Refused(String),
    /// A connection was passed on that is not HTTP.
    #[error("a connection to {to} is {what}: it was passed on and not recorded")]
    NotHttp {
        /// Where it went.
        to: String,
        /// What it is.
        what: String,
    },
    /// A WebSocket was asked for; what goes through one is not recorded.
    #[error("a WebSocket to {to} was {} and not recorded", outcome(*refused))]
    WebSocket {
        /// Where.
        to: String,
        /// The status with which the server refused it, if it did.
        refused: Option<u16>,
    },
    /// Connections to a host were passed on unread, as the user wants.
    #[error("{host} was passed on unread: {bytes} bytes")]
    PassedOn {
        /// The host.
        host: String,
        /// How much went through them.
        bytes: u64,
    },
    /// The model was offered the tools of an MCP server that is not in the recording; its host has this name for it.
    #[error(
        "the model was offered the tools of MCP server {0}, which was not recorded; \
         put `agentci tap --` before its command in the settings of the host"
    )]
    McpNotRecorded(String),
    /// The MCP server of this origin, whose first calls a recording answered, was started where a fork goes on live.
    #[error(
        "{0} was started at the fork: the calls before it were answered from the recording, \
         so the server knows nothing of them"
    )]
    StartedAtFork(String),
    /// A session with the MCP server of this origin over HTTP was begun anew where a fork goes on live.
    #[error(
        "a new session with {0} was begun at the fork: the calls before it were answered from the recording, \
         so the session knows nothing of them"
    )]
    SessionAtFork(String),
    /// An MCP server ran that the recorder was not between.
    #[error(
        "`{command}` {why}, and the recorder did not reach it: {}; \
         put `agentci tap --` before this command in the settings of the host",
        if *replayed {
            "it ran for real and was not replayed"
        } else {
            "it was not recorded, and in a replay it runs for real"
        }
    )]
    McpUntapped {
        /// Its command.
        command: String,
        /// What tells that it is one, in words that follow the command.
        why: String,
        /// Whether this is a replay, in which it ran all the same.
        replayed: bool,
    },
    /// A program was started without what leads it to the recorder. Whether it asked anything is not known.
    #[error("{program} {why}, so it may have gone around the recorder")]
    NotLed {
        /// The program.
        program: String,
        /// What it lacks, in words that follow its name.
        why: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = self.times;
        match &self.kind {
            WarningKind::Denied(status) if times == 1 => return write!(out, "1 answer is {status}"),
            WarningKind::Denied(status) => return write!(out, "{times} answers are {status}"),
            WarningKind::PassedOn { host, bytes } => {
                let many = if times == 1 { "1 connection".into() } else { format!("{times} connections") };
                return write!(out, "{host} was passed on unread: {many}, {bytes} bytes");
            }
            kind => write!(out, "{kind}")?,
        }
        if times == 1 { Ok(()) } else { write!(out, " ({times} times)") }
    }
}

fn certificate_help(what: &str) -> &'static str {
    // Words of the TLS library, and there is one.
    if what.contains("certificate") { "; name the file of the server's authority in `SSL_CERT_FILE`" } else { "" }
}

fn outcome(refused: Option<u16>) -> String {
    refused.map_or("passed on".into(), |status| format!("refused with status {status}"))
}
