//! Errors of HTTP requests.

use std::error::Error;
use std::io;

/// Why a request failed or its answer is incomplete. Messages contain only the host and port of a URL, because the rest
/// may be secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The URL is invalid.
    #[error("invalid URL: {0}")]
    Url(String),
    /// A header cannot be sent.
    #[error("`{0}` cannot be sent as a header")]
    Header(String),
    /// A client certificate, its key or a certificate authority cannot be read.
    #[error("{0}")]
    Certificate(String),
    /// The client cannot be created, for example because the certificates of the system cannot be read.
    #[error("the HTTP client could not be created: {0}")]
    Client(String),
    /// The server could not be reached.
    #[error("could not connect to `{server}`: {reason}")]
    Connect {
        /// Host and port.
        server: String,
        /// What went wrong.
        reason: String,
    },
    /// The connection broke before the end of the answer.
    #[error("{0}")]
    Broken(String),
    /// There are too many redirects.
    #[error("the server redirects too often")]
    Redirects,
    /// It took too long.
    #[error("the request timed out")]
    Timeout,
    /// The answer is too large.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
}

/// The message for a connection that was closed before the answer.
const CLOSED: &str = "the connection was closed before an answer came";

impl HttpError {
    /// Whether the connection was closed before the answer.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, HttpError::Broken(reason) if reason == CLOSED)
    }

    /// The error before the head of an answer.
    pub(super) fn before_answer(error: &reqwest::Error) -> Self {
        if error.is_connect() {
            let server = error.url().map(server).unwrap_or_default();
            return HttpError::Connect { server, reason: why_unreachable(error) };
        }
        if error.is_redirect() {
            return HttpError::Redirects;
        }
        let closed = matches!(
            io_kind(error),
            Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
        ) || causes(error).iter().any(|cause| cause.contains("closed before message completed"));
        HttpError::Broken(if closed { CLOSED.into() } else { format!("no answer came: {}", last_cause(error)) })
    }

    /// The error within the body of an answer.
    pub(super) fn in_answer(error: &reqwest::Error) -> Self {
        HttpError::Broken(match io_kind(error) {
            Some(io::ErrorKind::UnexpectedEof) => {
                "the answer is truncated: the connection was closed before its end".into()
            }
            _ => format!("the connection broke in the middle of the answer: {}", last_cause(error)),
        })
    }
}

/// Host and port.
pub(super) fn server(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn why_unreachable(error: &reqwest::Error) -> String {
    let causes = causes(error);
    if causes.iter().any(|cause| cause.starts_with("dns error")) {
        return format!("the host name cannot be resolved ({})", last_cause(error));
    }
    match io_kind(error) {
        Some(io::ErrorKind::ConnectionRefused) => "connection refused, nothing is listening there".into(),
        _ => last_cause(error),
    }
}

/// The kind of the I/O error behind an error.
fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>().map(io::Error::kind)).last()
}

/// The causes of an error, from the outside in. The error itself is left out, because it contains the URL.
pub(super) fn causes(error: &reqwest::Error) -> Vec<String> {
    chain(error).map(ToString::to_string).collect()
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| Error::source(*cause))
}

fn last_cause(error: &reqwest::Error) -> String {
    causes(error).pop().unwrap_or_else(|| "the request failed".into())
}
