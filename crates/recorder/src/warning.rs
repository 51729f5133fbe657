//! The warnings at the end of a session, as data and as sentences.

use std::fmt;

use agentci_text::count_of;

/// A warning at the end of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// How often it occurred.
    pub times: usize,
}

/// The kinds of warnings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum WarningKind {
    /// An answer with this status means that a key is missing or wrong.
    #[error("an answer has status {0}")]
    Denied(u16),
    /// A server could not be reached, and the agent got an error from the recorder: which server, and why, in a
    /// sentence.
    #[error("{0}; the agent got an error from the recorder instead{help}", help = certificate_help(.0))]
    Unreachable(String),
    /// A request or an answer is too large to be recorded.
    #[error("{} {place} is too large to be recorded; in a replay it will be missing", if *request { "the request" } else { "the answer to" })]
    TooLarge {
        request: bool,
        /// Method, origin and path, without the query.
        place: String,
    },
    /// An answer has a compression that prevents searching it for secrets.
    #[error(
        "an answer from {origin} is compressed with `{encoding}`, which the recorder cannot read: \
         it is recorded as it is, and may contain secrets"
    )]
    Unsearched {
        /// The origin of the answer.
        origin: String,
        /// The compression.
        encoding: String,
    },
    /// The recording has reached the maximum of this many exchanges.
    #[error("a recording may have at most {0} exchanges: another one was passed through and not recorded")]
    Full(usize),
    /// Requests to the live world are refused for this reason.
    #[error("requests were refused: {0}")]
    Refused(String),
    /// A connection that is not HTTP was passed through.
    #[error("a connection to {to} uses {what}: it was passed through and not recorded")]
    NotHttp {
        /// Its target.
        to: String,
        /// The protocol.
        what: String,
    },
    /// A WebSocket was requested; its frames are not recorded.
    #[error("a WebSocket to {to} was {} and not recorded", outcome(*refused))]
    WebSocket {
        /// Its target.
        to: String,
        /// The status with which the server refused it, if it did.
        refused: Option<u16>,
    },
    /// Connections to a host were passed through unread, as the user requested.
    #[error("{host} was passed through unread: {bytes} bytes")]
    PassedOn {
        host: String,
        /// The number of bytes.
        bytes: u64,
    },
    /// The model was offered the tools of an MCP server that is not in the recording; its host calls it by this name.
    #[error(
        "the model was offered the tools of the MCP server {0}, which was not recorded; \
         put `agentci tap --` before its command in the settings of the host"
    )]
    McpNotRecorded(String),
    /// The MCP server of this origin, whose first calls the recording answered, was started when a fork continued live.
    #[error(
        "{0} was started at the fork: the calls before it were answered from the recording, \
         so the server does not know about them"
    )]
    StartedAtFork(String),
    /// A new session over HTTP with the MCP server of this origin was started when a fork continued live.
    #[error(
        "a new session with {0} was started at the fork: the calls before it were answered from the recording, \
         so the session does not know about them"
    )]
    SessionAtFork(String),
    /// An MCP server ran without the recorder in between.
    #[error(
        "`{command}` {why}, but it bypassed the recorder: {}; \
         put `agentci tap --` before this command in the settings of the host",
        if *replayed {
            "it ran live and was not replayed"
        } else {
            "it was not recorded, and a replay will run it live"
        }
    )]
    McpUntapped {
        command: String,
        /// Why it counts as an MCP server, as a verb phrase that follows the command.
        why: String,
        /// Whether this is a replay, in which it ran nevertheless.
        replayed: bool,
    },
    /// The watch for connections that bypass the recorder failed, so that they are unknown.
    #[error(
        "traffic that bypasses the recorder was not watched, because of an error in agentci: \
         requests may be missing from the recording, or may have reached live servers"
    )]
    NotWatched,
    /// A program was started without the recorder's environment. Whether it sent requests is unknown.
    #[error("{program} {why}, so it may have bypassed the recorder")]
    NotRouted {
        /// The name of the program.
        program: String,
        /// What it lacks, as a verb phrase that follows its name.
        why: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = self.times;
        match &self.kind {
            WarningKind::Denied(status) if times == 1 => return write!(out, "1 answer has status {status}"),
            WarningKind::Denied(status) => return write!(out, "{times} answers have status {status}"),
            WarningKind::PassedOn { host, bytes } => {
                let many = count_of(times, "connection");
                return write!(out, "{host} was passed through unread: {many}, {bytes} bytes");
            }
            kind => write!(out, "{kind}")?,
        }
        if times == 1 { Ok(()) } else { write!(out, " ({times} times)") }
    }
}

fn certificate_help(what: &str) -> &'static str {
    // Matches the wording of the only TLS library in use.
    if what.contains("certificate") { "; set `SSL_CERT_FILE` to the file of the server's authority" } else { "" }
}

fn outcome(refused: Option<u16>) -> String {
    refused.map_or("passed through".into(), |status| format!("refused with status {status}"))
}
