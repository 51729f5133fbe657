//! Why there is no answer.

use std::error::Error;
use std::io;

/// Why there is no answer, or not all of it. No message holds an address beyond host and port, since the rest may be secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The address is none.
    #[error("the URL can not be used: {0}")]
    Url(String),
    /// A header can not be sent.
    #[error("`{0}` can not be sent as a header")]
    Header(String),
    /// A client certificate or what goes with it can not be read.
    #[error("{0}")]
    Certificate(String),
    /// No request can be made at all, for example because the certificates of the system can not be read.
    #[error("no request can be made: {0}")]
    Client(String),
    /// Nobody could be reached there.
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
    /// The server sends us from one address to the next.
    #[error("the server redirects too often")]
    Redirects,
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// The answer is too large.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
}

/// What is said of a connection that was closed before anything came.
const CLOSED: &str = "the connection was closed before an answer came";

impl HttpError {
    /// Whether a connection was closed before anything came.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, HttpError::Broken(reason) if reason == CLOSED)
    }

    /// What went wrong before the head of an answer was there.
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

    /// What went wrong in the body of an answer.
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
        return format!("its name can not be found ({})", last_cause(error));
    }
    match io_kind(error) {
        Some(io::ErrorKind::ConnectionRefused) => "connection refused, nothing listens there".into(),
        _ => last_cause(error),
    }
}

/// The kind of the I/O error behind an error.
fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>().map(io::Error::kind)).last()
}

/// What lies behind an error, from the outside in. The error itself is left out, as it tells the address.
pub(super) fn causes(error: &reqwest::Error) -> Vec<String> {
    chain(error).map(ToString::to_string).collect()
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| Error::source(*cause))
}

fn last_cause(error: &reqwest::Error) -> String {
    causes(error).pop().unwrap_or_else(|| "the request failed".into())
}
