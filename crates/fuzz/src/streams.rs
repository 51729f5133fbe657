//! Server-sent events.

use agentci_protocols::sse::{Decoder, SseError, SseEvent};

/// Small, so that the limit is reached too.
const LIMIT: usize = 64;

pub(crate) fn sse(bytes: &[u8]) {
    let whole = read([bytes]);
    let single = read(bytes.chunks(1));
    assert_eq!(whole, single);
    let (frames, rest) = whole;
    if let Ok(rest) = rest {
        let raws: Vec<u8> = frames.iter().flat_map(|frame| frame.raw.to_vec()).chain(rest).collect();
        assert_eq!(raws, bytes);
    }
}

/// The events, and the rest or the error that ended them.
fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<SseEvent>, Result<Vec<u8>, SseError>) {
    let mut decoder = Decoder::new(LIMIT);
    let mut frames = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Err(error)),
            }
        }
    }
    while let Some(frame) = decoder.finish() {
        frames.push(frame);
    }
    let rest = decoder.rest().to_vec();
    (frames, Ok(rest))
}
