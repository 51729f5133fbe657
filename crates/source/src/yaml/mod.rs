//! Parses YAML into a tree in which every node has its position, and writes such a tree as YAML.
//!
//! A file is one document with scalar keys and without duplicate keys; merge keys and aliases are resolved. Scalars
//! keep their text: the reader of a field decides what `010` or `yes` means. Depth and the copies made by aliases are
//! limited, since the text may be untrusted.

mod anchors;
mod mapping;
mod parse;
mod spans;
mod syntax;
mod write;

pub use parse::parse;
pub use write::{flow, quoted, scalar, write};
