//! Both readers, within reach of the fuzz targets; no part of the library.

use crate::FileId;

use super::parse::parse_anything;
use super::simple;

/// Whether the parser that knows all of YAML makes the same tree of a text that is read at once.
pub fn readers_agree(text: &str, file: FileId) -> bool {
    simple::read(text, file).is_none_or(|tree| parse_anything(text, file).is_ok_and(|parsed| parsed == tree))
}
