//! Answers that are compressed although nobody asked for it.

use super::split;
use crate::packed::unpacked;
use crate::{Frame, Response};

const ENCODING: &str = "content-encoding";

/// A packed answer as one that is not; nothing if it is not packed, or cannot be unpacked.
pub(crate) fn plain(response: &Response) -> Option<Response> {
    let bytes = unpacked(response.header(ENCODING)?, &response.whole())?.into();
    let at_us = response.frames.last()?.at_us;
    let headers = response.headers.iter().filter(|(name, _)| name != ENCODING).cloned().collect();
    let mut plain = Response { headers, frames: vec![Frame { at_us, bytes }], ..response.clone() };
    split::into_events(&mut plain);
    Some(plain)
}
