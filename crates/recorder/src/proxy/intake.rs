//! Reads the body of a request as far as it is kept.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::tee::BrokenOff;

/// The most bytes of a request that are kept.
pub(crate) const LARGEST_REQUEST: usize = 32 * 1024 * 1024;

/// The body of a request.
#[derive(Debug)]
pub(crate) enum Intake {
    /// All of it.
    Whole(Bytes),
    /// More than is kept: what was read of it, and the rest.
    TooLarge(Vec<Bytes>, Incoming),
}

/// Reads a body as far as it is kept. An error is a client that left.
pub(crate) async fn read(mut body: Incoming) -> Result<Intake, BrokenOff> {
    let mut pieces: Vec<Bytes> = Vec::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BrokenOff)?.into_data() else { continue };
        length += data.len();
        pieces.push(data);
        if length > LARGEST_REQUEST {
            return Ok(Intake::TooLarge(pieces, body));
        }
    }
    if pieces.len() <= 1 {
        return Ok(Intake::Whole(pieces.pop().unwrap_or_default()));
    }
    let mut whole = BytesMut::with_capacity(length);
    for piece in pieces {
        whole.extend_from_slice(&piece);
    }
    Ok(Intake::Whole(whole.freeze()))
}
