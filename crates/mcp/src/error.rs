//! Why there is no result.

use std::fmt::Display;
use std::time::Duration;

use serde_json::Value;

use agentci_process::Exit;
use agentci_protocols::jsonrpc::RpcError;
use agentci_protocols::mcp::{Defect, MalformedResultError};

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The server's program did not start.
    #[error("{0}")]
    NotStarted(String),
    /// The server left.
    #[error("the server left{}{}{}", after(" with ", *exit), after("; ", noise.as_ref()), last_words(stderr_tail))]
    Died {
        /// How, unless it only closed its output.
        exit: Option<Exit>,
        /// The last lines of its standard error.
        stderr_tail: Vec<String>,
        /// What it wrote that is no message, if it did.
        noise: Option<Box<Defect>>,
    },
    /// There was no answer in time.
    #[error("no answer to `{method}` within {} s{}{}", limit.as_secs_f64(), after("; ", noise.as_ref()), last_words(stderr_tail))]
    TimedOut {
        /// What was asked.
        method: String,
        /// How long was waited.
        limit: Duration,
        /// What the server wrote that is no message, if it did.
        noise: Option<Box<Defect>>,
        /// The last lines of its standard error, if there was no connection yet; later they come with its ending.
        stderr_tail: Vec<String>,
    },
    /// The server answered with an error.
    #[error("the server answered with an error: {0}")]
    Rpc(#[from] RpcError),
    /// The server's answer is not what the protocol says.
    #[error(transparent)]
    Malformed(#[from] MalformedResultError),
    /// The server asked the user, and there is no answer left for it.
    #[error("the server asked `{message}` and there is no answer left{}", after("; it wants ", schema.as_ref()))]
    NoAnswer {
        /// Its words.
        message: String,
        /// What an answer would have to look like.
        schema: Option<Value>,
    },
    /// The server wants something before it answers that can not be given.
    #[error("the server wants `{0}` before it answers, which the client did not offer")]
    NotOffered(String),
    /// The server speaks no revision that is understood here.
    #[error("no common revision of the protocol: the server speaks {}", if versions.is_empty() { "an unknown one".into() } else { versions.join(", ") })]
    NoCommonVersion {
        /// The revisions it speaks.
        versions: Vec<String>,
    },
    /// The server sent too much.
    #[error("the server sent more than {limit} {what}")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// The most there may be.
        limit: usize,
    },
    /// The HTTP request failed.
    #[error("{0}")]
    Http(String),
    /// The server answered with an HTTP status and no message.
    #[error("the server answered with status {status}{}", after(": ", Some(body).filter(|body| !body.is_empty())))]
    Status {
        /// The status.
        status: u16,
        /// The beginning of the body.
        body: String,
    },
    /// The stream of an answer ended before the answer.
    #[error("the server's stream ended before its answer")]
    Cut,
    /// No access token, or none that the server takes.
    #[error("not authorized: {0}")]
    Unauthorized(String),
    /// The session was lost, and the one begun after it too.
    #[error("the server does not know the session any more")]
    SessionLost,
    /// The connection was closed here.
    #[error("the connection was closed")]
    Closed,
}

impl Error {
    /// What may help, where it is known.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Error::NotStarted(_) => Some("check `command` and that the program is installed"),
            Error::Died { .. } => Some("run the server's command by hand; its standard error says why it left"),
            Error::TimedOut { noise: Some(_), .. } => {
                Some("a server on stdio may write nothing but messages to its standard output; log to standard error")
            }
            Error::NoAnswer { .. } => Some("add an answer for it to `answers`"),
            Error::Unauthorized(_) => {
                Some("give a header with credentials, or a client id and secret that the server takes")
            }
            _ => None,
        }
    }
}

/// What may be known, after the words that introduce it.
fn after(words: &str, known: Option<impl Display>) -> String {
    known.map_or_else(String::new, |known| format!("{words}{known}"))
}

fn last_words(tail: &[String]) -> String {
    after("; it said: ", tail.iter().rev().find(|line| !line.trim().is_empty()))
}
