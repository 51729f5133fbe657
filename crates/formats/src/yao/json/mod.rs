//! Reads JSON with positions: files with comments, and streams of values that may span lines.

mod cursor;
mod read;
mod word;

pub(super) use read::{document, first, stream};
