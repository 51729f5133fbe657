//! Values as compact JSON, written into bytes that are there already.
//!
//! What is written is what `serde_json` writes, byte for byte; maps have texts for keys. Events hold many short texts, of which hardly any needs an escape:
//! here eight letters are looked at together, and a text that is plain is copied as it is.

#[cfg(test)]
mod tests;
mod text;
mod write;

pub use text::write_text;
pub use write::{write_beginning, write_json};
