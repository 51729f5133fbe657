//! Most suites, read at once.
//!
//! Nearly everything people write in a suite is a small part of YAML: mappings and lists by indentation, words, quoted texts, and
//! brackets within a line. That part is read here in one pass, several times quicker than a parser can that has to be ready for
//! everything. Whatever is not plainly of that part (an anchor, a tag, a text over several lines, a tab, an error) ends the
//! attempt, and the whole text goes to the parser: so there is one place that knows YAML and one that words its errors, and the
//! tree is the same whoever read it, spans included. Tests hold the two against each other.

mod block;
mod cursor;
mod flow;
mod scalar;
#[cfg(test)]
mod tests;

use crate::{FileId, Node};

use cursor::Cursor;

/// The tree of a text that is plain enough.
pub(super) fn read(text: &str, file: FileId) -> Option<Node> {
    let mut cursor = Cursor::new(text, file)?;
    cursor.next_line()?;
    let indent = cursor.indent()?;
    let root = block::node(&mut cursor, indent, None)?;
    cursor.indent().is_none().then_some(root)
}
