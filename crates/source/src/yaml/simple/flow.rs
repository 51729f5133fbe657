//! Lists and mappings in brackets, within a line.

use crate::{Content, Node, Pair};

use super::block::{key_of, pairs_from};
use super::cursor::Cursor;
use super::scalar::{Word, word};

/// Reads what stands within brackets: a scalar, or brackets again.
pub(super) fn node(cursor: &mut Cursor<'_>) -> Option<Node> {
    match cursor.peek()? {
        b'{' => mapping(cursor),
        b'[' => list(cursor),
        _ => Some(scalar(word(cursor, true)?)),
    }
}

/// A scalar as a node.
pub(super) fn scalar(word: Word<'_>) -> Node {
    let (scalar, span) = word.into_scalar();
    Node { span, content: Content::Scalar(scalar) }
}

fn mapping(cursor: &mut Cursor<'_>) -> Option<Node> {
    cursor.enter()?;
    let (start, first) = (cursor.at(), cursor.pairs.len());
    cursor.skip(1);
    loop {
        cursor.skip_spaces();
        if cursor.peek()? == b'}' {
            break;
        }
        let key = word(cursor, true)?;
        if cursor.peek()? != b':' || (!key.quoted && cursor.ahead(1)? != b' ') {
            return None;
        }
        cursor.skip(1);
        cursor.skip_spaces();
        let key = key_of(cursor, &key)?;
        let value = node(cursor)?;
        cursor.pairs.push(Pair { key, value });
        if !goes_on(cursor, b'}')? {
            break;
        }
    }
    cursor.skip(1);
    cursor.leave();
    let content = Content::Map(pairs_from(cursor, first)?);
    Some(Node { span: cursor.span(start, cursor.at()), content })
}

fn list(cursor: &mut Cursor<'_>) -> Option<Node> {
    cursor.enter()?;
    let (start, first) = (cursor.at(), cursor.items.len());
    cursor.skip(1);
    loop {
        cursor.skip_spaces();
        if cursor.peek()? == b']' {
            break;
        }
        let item = node(cursor)?;
        cursor.items.push(item);
        if !goes_on(cursor, b']')? {
            break;
        }
    }
    cursor.skip(1);
    cursor.leave();
    let content = Content::List(cursor.items.drain(first..).collect());
    Some(Node { span: cursor.span(start, cursor.at()), content })
}

/// Whether another item may follow, or the bracket closes.
fn goes_on(cursor: &mut Cursor<'_>, close: u8) -> Option<bool> {
    cursor.skip_spaces();
    match cursor.peek()? {
        b',' => {
            cursor.skip(1);
            Some(true)
        }
        byte if byte == close => Some(false),
        _ => None,
    }
}
