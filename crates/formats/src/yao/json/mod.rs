//! JSON with positions: whole files with comments, and streams of values, on one line each or on many.

mod cursor;
mod read;
mod word;

pub(super) use read::{document, first, stream};
