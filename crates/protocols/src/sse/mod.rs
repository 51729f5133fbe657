//! Server-sent events, read as they come in pieces of any size.
//!
//! Bytes go in with [`Decoder::push`], events come out of [`Decoder::next`], by the rules of the HTML standard
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>). Two things go beyond it: a last
//! event that lacks its blank line is handed out too and says so, and every event carries the bytes it was made of, so that a
//! stream can be stored and given back byte for byte.

mod decoder;
mod fields;

pub use decoder::{Decoder, SseError, SseEvent};

/// The most bytes of one event, unless something else is asked for.
pub const EVENT_LIMIT: usize = 10 << 20;

#[cfg(test)]
mod tests;
