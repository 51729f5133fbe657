//! Reads the body of a request within limits.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};

/// The size limit of a request, in bytes.
const BODY_LIMIT: usize = 32 << 20;
/// How much of a larger request is read before it is refused: a client that is still sending would not see the refusal.
const DISCARDED: usize = 512 << 20;
/// The timeout of reading a request.
const BODY_TIME: Duration = Duration::from_mins(1);

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestBodyError {
    /// It exceeds the size limit.
    #[error("the request is larger than {} MiB", BODY_LIMIT >> 20)]
    TooLarge,
    /// It took too long to arrive.
    #[error("the request took longer than {} s", BODY_TIME.as_secs())]
    Slow,
    /// It ended early.
    #[error("the request broke off")]
    Broken,
}

impl RequestBodyError {
    /// The HTTP status of the error.
    pub fn status(self) -> u16 {
        match self {
            RequestBodyError::TooLarge => 413,
            RequestBodyError::Slow => 408,
            RequestBodyError::Broken => 400,
        }
    }
}

/// Reads the body; fails if it is too large or takes too long.
pub async fn collect(mut body: Incoming) -> Result<Vec<u8>, RequestBodyError> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut kept = Vec::with_capacity(announced.min(BODY_LIMIT));
    let mut received = 0;
    let read = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return Err(RequestBodyError::Broken) };
            let Some(data) = frame.data_ref() else { continue };
            received += data.len();
            if received <= BODY_LIMIT {
                kept.extend_from_slice(data);
            } else if received > DISCARDED {
                break;
            }
        }
        if received > BODY_LIMIT { Err(RequestBodyError::TooLarge) } else { Ok(()) }
    };
    match tokio::time::timeout(BODY_TIME, read).await {
        Ok(read) => read.map(|()| kept),
        Err(_) => Err(RequestBodyError::Slow),
    }
}
