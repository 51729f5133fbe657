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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningKind {
    /// An answer with this status says that a key is missing or wrong.
    Denied(u16),
    /// A server could not be reached, and the agent got an answer of the recorder's: which server, and why, in a sentence.
    Unreachable(String),
    /// A request or an answer is too large to be kept.
    TooLarge {
        /// Whether it is the request.
        request: bool,
        /// Method, origin and path, without the query.
        place: String,
    },
    /// An answer is packed in a way that secrets cannot be looked for in.
    Unsearched {
        /// Where it came from.
        origin: String,
        /// How it is packed.
        encoding: String,
    },
    /// A recording has no room for a further exchange than this many.
    Full(usize),
    /// A request was refused, since nothing more may be asked of the live world for this reason.
    Refused(String),
    /// A connection was passed on that is not HTTP.
    NotHttp {
        /// Where it went.
        to: String,
        /// What it is.
        what: String,
    },
    /// A WebSocket was asked for; what goes through one is not recorded.
    WebSocket {
        /// Where.
        to: String,
        /// The status with which the server refused it, if it did.
        refused: Option<u16>,
    },
    /// Connections to a host were passed on unread, as the user wants.
    PassedOn {
        /// The host.
        host: String,
        /// How much went through them.
        bytes: u64,
    },
    /// The model was offered the tools of an MCP server that is not in the recording; its host has this name for it.
    McpNotRecorded(String),
    /// The MCP server of this origin, whose first calls a recording answered, was started where a fork goes on live.
    StartedAtFork(String),
    /// A session with the MCP server of this origin over HTTP was begun anew where a fork goes on live.
    SessionAtFork(String),
    /// An MCP server ran that the recorder was not between.
    McpUntapped {
        /// Its command.
        command: String,
        /// What tells that it is one, in words that follow the command.
        why: String,
        /// Whether this is a replay, in which it ran all the same.
        replayed: bool,
    },
    /// A program was started without what leads it to the recorder. Whether it asked anything is not known.
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
            kind => kind.fmt(out)?,
        }
        if times == 1 { Ok(()) } else { write!(out, " ({times} times)") }
    }
}

impl WarningKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(_) | Self::PassedOn { .. } => Ok(()),
            Self::Unreachable(what) => {
                write!(out, "{what}; the agent got an error of the recorder's instead")?;
                // Words of the TLS library, and there is one.
                if what.contains("certificate") {
                    out.write_str("; name the file of the server's authority in `SSL_CERT_FILE`")?;
                }
                Ok(())
            }
            Self::TooLarge { request, place } => {
                let what = if *request { "the request" } else { "the answer to" };
                write!(out, "{what} {place} is too large to be recorded; in a replay it will be missing")
            }
            Self::Unsearched { origin, encoding } => write!(
                out,
                "an answer of {origin} is packed with `{encoding}`, which the recorder cannot read: \
                 it is recorded as it is, and may hold secrets"
            ),
            Self::Full(most) => {
                write!(out, "a recording has at most {most} exchanges: one was passed on and not recorded")
            }
            Self::Refused(reason) => write!(out, "requests were refused: {reason}"),
            Self::NotHttp { to, what } => {
                write!(out, "a connection to {to} is {what}: it was passed on and not recorded")
            }
            Self::WebSocket { to, refused: None } => write!(out, "a WebSocket to {to} was passed on and not recorded"),
            Self::WebSocket { to, refused: Some(status) } => {
                write!(out, "a WebSocket to {to} was refused with status {status} and not recorded")
            }
            Self::McpNotRecorded(server) => write!(
                out,
                "the model was offered the tools of MCP server {server}, which was not recorded; \
                 put `agentci tap --` before its command in the settings of the host"
            ),
            Self::StartedAtFork(server) => write!(
                out,
                "{server} was started at the fork: the calls before it were answered from the recording, \
                 so the server knows nothing of them"
            ),
            Self::SessionAtFork(server) => write!(
                out,
                "a new session with {server} was begun at the fork: the calls before it were answered from the recording, \
                 so the session knows nothing of them"
            ),
            Self::McpUntapped { command, why, replayed } => {
                let result = if *replayed {
                    "it ran for real and was not replayed"
                } else {
                    "it was not recorded, and in a replay it runs for real"
                };
                write!(
                    out,
                    "`{command}` {why}, and the recorder did not reach it: {result}; \
                     put `agentci tap --` before this command in the settings of the host"
                )
            }
            Self::NotLed { program, why } => write!(out, "{program} {why}, so it may have gone around the recorder"),
        }
    }
}
