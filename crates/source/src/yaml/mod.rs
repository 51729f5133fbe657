//! YAML text to a tree in which every node knows its place, and back to text.
//!
//! One document, keys that are plain words or texts, no key twice, merge keys and aliases resolved. Scalars keep their text:
//! what `010` or `yes` means is decided by whoever knows the field. Depth and the copies that aliases make are limited, since
//! the text may come from anyone.

mod anchors;
mod mapping;
mod parse;
mod spans;
mod syntax;
mod write;

pub use parse::parse;
pub use write::write;
