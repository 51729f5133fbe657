//! Server-sent events, one a piece. A client may be slow and a server quick, and then several come at once, or a part of one.

use bytes::{Bytes, BytesMut};

use super::answer::is_event_stream;
use crate::{Frame, Response};

/// Makes each piece of a stream of events one event; the bytes stay as they are.
pub(super) fn into_events(response: &mut Response) {
    if !is_event_stream(response) || response.frames.iter().all(is_one) {
        return;
    }
    let mut frames = Vec::with_capacity(response.frames.len());
    let mut rest = BytesMut::new();
    let mut at_us = 0;
    for frame in std::mem::take(&mut response.frames) {
        at_us = frame.at_us;
        rest.extend_from_slice(&frame.bytes);
        while let Some(end) = end_of_event(&rest) {
            frames.push(Frame { at_us, bytes: rest.split_to(end).freeze() });
        }
    }
    if !rest.is_empty() {
        frames.push(Frame { at_us, bytes: Bytes::from(rest) });
    }
    response.frames = frames;
}

fn is_one(frame: &Frame) -> bool {
    end_of_event(&frame.bytes) == Some(frame.bytes.len())
}

/// Where the first event ends: behind an empty line.
fn end_of_event(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\n', bytes.get(from..)?) {
        let next = from + at + 1;
        match bytes.get(next..)? {
            [b'\n', ..] => return Some(next + 1),
            [b'\r', b'\n', ..] => return Some(next + 2),
            _ => from = next,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> Vec<(u64, String)> {
        let frame = |(at, text): (usize, &&str)| Frame { at_us: at as u64, bytes: (*text).to_owned().into() };
        let headers = vec![("content-type".to_owned(), "text/event-stream; charset=utf-8".to_owned())];
        let frames = pieces.iter().enumerate().map(frame).collect();
        let mut response = Response { headers, frames, ..Response::default() };
        into_events(&mut response);
        let text = |frame: &Frame| String::from_utf8(frame.bytes.to_vec()).unwrap();
        response.frames.iter().map(|frame| (frame.at_us, text(frame))).collect()
    }

    #[test]
    fn events_are_one_a_piece_and_come_when_they_are_complete() {
        let whole = |at: u64, text: &str| (at, text.to_owned());
        assert_eq!(
            split(&["data: 1\n\ndata: 2\r\n", "\r\nda", "ta: 3\n\n", "data: 4"]),
            [whole(0, "data: 1\n\n"), whole(1, "data: 2\r\n\r\n"), whole(2, "data: 3\n\n"), whole(3, "data: 4"),]
        );
        assert_eq!(split(&["data: 1\n\n", ": ping\n\n"]), [whole(0, "data: 1\n\n"), whole(1, ": ping\n\n")]);
    }
}
