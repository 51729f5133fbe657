//! Decodes server-sent events from pieces of any size.
//!
//! Bytes go in with [`Decoder::push`], events come out of [`Decoder::next`], according to the HTML standard
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>), with two additions: a
//! last event without a blank line is returned as well, marked as unfinished, and every event carries its raw bytes, so
//! that a stream can be stored and reproduced exactly.

mod decoder;
mod fields;

pub use decoder::{Decoder, SseError, SseEvent};

/// The default size limit of an event, in bytes.
pub const EVENT_LIMIT: usize = 10 << 20;

#[cfg(test)]
mod tests;
