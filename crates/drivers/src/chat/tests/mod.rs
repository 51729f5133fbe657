//! Reads answers of models in pieces of any size.

mod anthropic;
mod openai;

use agentci_protocols::sse::{Decoder, EVENT_LIMIT};
use agentci_trace::EventKind;

use super::completion::{Completion, CompletionError};

/// Reads a stream that arrives in pieces; `event` and `finish` are those of a reader.
fn read<R>(
    chunks: &[&[u8]],
    mut reader: R,
    event: impl Fn(&mut R, &str) -> Result<Vec<EventKind>, CompletionError>,
    finish: impl Fn(&mut R) -> Result<Completion, CompletionError>,
) -> Result<(Vec<EventKind>, Completion), CompletionError> {
    let mut decoder = Decoder::new(EVENT_LIMIT);
    let mut pieces = Vec::new();
    let mut frames = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(frame) = decoder.next().unwrap() {
            frames.push(frame);
        }
    }
    frames.extend(decoder.finish());
    for frame in frames {
        pieces.extend(event(&mut reader, &frame.data)?);
    }
    Ok((pieces, finish(&mut reader)?))
}

/// A stream, cut at these positions.
fn cut<'s>(stream: &'s str, places: &[usize]) -> Vec<&'s [u8]> {
    let mut places: Vec<usize> = places.iter().map(|place| place % (stream.len() + 1)).collect();
    places.sort_unstable();
    let mut chunks = Vec::new();
    let mut from = 0;
    for place in places.into_iter().chain([stream.len()]) {
        chunks.push(&stream.as_bytes()[from..place]);
        from = place;
    }
    chunks
}

/// The joined text.
fn said(pieces: &[EventKind]) -> (String, String) {
    let mut joined = (String::new(), String::new());
    for piece in pieces {
        match piece {
            EventKind::Text(text) => joined.0.push_str(text),
            EventKind::Reasoning(text) => joined.1.push_str(text),
            other => panic!("{other:?} was not said"),
        }
    }
    joined
}
