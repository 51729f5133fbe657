//! Normalizes answers: decompresses those that a server compressed without being asked, and splits streams into one
//! server-sent event per piece. If a client is slow and a server fast, several events arrive at once, or a part of one.

use crate::compression::unpacked;
use crate::proxy::Splitter;
use crate::{AnswerFrame, RecordedResponse};

const ENCODING: &str = "content-encoding";

/// A compressed answer, decompressed; `None` if it is not compressed, or cannot be decompressed.
pub(crate) fn plain(response: &RecordedResponse) -> Option<RecordedResponse> {
    let bytes = unpacked(response.header(ENCODING)?, &response.whole())?.into();
    let at_us = response.frames.last()?.at_us;
    let headers = response.headers.iter().filter(|(name, _)| name != ENCODING).cloned().collect();
    let mut plain = RecordedResponse { headers, frames: vec![AnswerFrame { at_us, bytes }], ..response.clone() };
    into_events(&mut plain);
    Some(plain)
}

/// Splits a stream into one event per piece; the bytes do not change.
pub(super) fn into_events(response: &mut RecordedResponse) {
    if !response.is_event_stream() {
        return;
    }
    let mut splitter = Splitter::new("text/event-stream", "");
    let last_us = response.frames.last().map_or(0, |frame| frame.at_us);
    for AnswerFrame { at_us, bytes } in std::mem::take(&mut response.frames) {
        response.frames.extend(splitter.push(&bytes).into_iter().map(|bytes| AnswerFrame { at_us, bytes }));
    }
    response.frames.extend(splitter.rest().map(|bytes| AnswerFrame { at_us: last_us, bytes }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> Vec<(u64, String)> {
        let frame = |(at, text): (usize, &&str)| AnswerFrame { at_us: at as u64, bytes: (*text).to_owned().into() };
        let headers = vec![("content-type".to_owned(), "text/event-stream; charset=utf-8".to_owned())];
        let frames = pieces.iter().enumerate().map(frame).collect();
        let mut response = RecordedResponse { headers, frames, ..RecordedResponse::default() };
        into_events(&mut response);
        let text = |frame: &AnswerFrame| String::from_utf8(frame.bytes.to_vec()).unwrap();
        response.frames.iter().map(|frame| (frame.at_us, text(frame))).collect()
    }

    #[test]
    fn each_complete_event_is_one_piece() {
        let whole = |at: u64, text: &str| (at, text.to_owned());
        assert_eq!(
            split(&["data: 1\n\ndata: 2\r\n", "\r\nda", "ta: 3\n\n", "data: 4"]),
            [whole(0, "data: 1\n\n"), whole(1, "data: 2\r\n\r\n"), whole(2, "data: 3\n\n"), whole(3, "data: 4"),]
        );
        assert_eq!(split(&["data: 1\n\n", ": ping\n\n"]), [whole(0, "data: 1\n\n"), whole(1, ": ping\n\n")]);
    }
}
