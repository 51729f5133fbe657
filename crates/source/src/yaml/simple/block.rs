//! Lists and mappings by indentation.

use crate::{Content, Key, Node, Pair, Span};

use super::cursor::Cursor;
use super::flow;
use super::scalar::{Word, word};
use crate::yaml::mapping::find_twice;

/// The longest key that is read here, in bytes; YAML has a limit of 1024 characters.
const KEY_LIMIT: usize = 1000;

/// Reads what begins here, at this indentation, and all lines that belong to it; `parent` is how far what it stands in is indented.
pub(super) fn node(cursor: &mut Cursor<'_>, indent: usize, parent: Option<usize>) -> Option<Node> {
    if begins_item(cursor) {
        return list(cursor, indent);
    }
    if matches!(cursor.peek()?, b'{' | b'[') {
        let node = flow::node(cursor)?;
        return alone(cursor, parent).map(|()| node);
    }
    let first = word(cursor, false)?;
    if cursor.peek() == Some(b':') {
        return mapping(cursor, indent, first);
    }
    let node = flow::scalar(first);
    alone(cursor, parent).map(|()| node)
}

/// Whether a dash stands here with an item behind it.
fn begins_item(cursor: &Cursor<'_>) -> bool {
    cursor.peek() == Some(b'-') && matches!(cursor.ahead(1), None | Some(b' ' | b'\n'))
}

/// Goes to the next line, which must not go on with what stands on this one.
fn alone(cursor: &mut Cursor<'_>, parent: Option<usize>) -> Option<()> {
    cursor.next_line()?;
    match (cursor.indent(), parent) {
        (Some(indent), Some(parent)) if indent > parent => None,
        (Some(_), None) => None,
        _ => Some(()),
    }
}

fn list(cursor: &mut Cursor<'_>, indent: usize) -> Option<Node> {
    let span = cursor.span(cursor.at(), cursor.at());
    list_at(cursor, indent, span)
}

fn list_at(cursor: &mut Cursor<'_>, indent: usize, span: Span) -> Option<Node> {
    cursor.enter()?;
    let first = cursor.items.len();
    while cursor.indent() == Some(indent) && begins_item(cursor) {
        cursor.skip(1);
        cursor.skip_spaces();
        let inner = if cursor.line_is_over() {
            cursor.next_line()?;
            cursor.indent().filter(|inner| *inner > indent)?
        } else {
            cursor.set_indent()
        };
        let item = node(cursor, inner, Some(indent))?;
        cursor.items.push(item);
    }
    if cursor.indent().is_some_and(|next| next > indent) {
        return None;
    }
    cursor.leave();
    Some(Node { span, content: Content::List(cursor.items.drain(first..).collect()) })
}

fn mapping(cursor: &mut Cursor<'_>, indent: usize, word_of_first: Word<'_>) -> Option<Node> {
    cursor.enter()?;
    let span = word_of_first.span;
    let first = cursor.pairs.len();
    let mut next = Some(word_of_first);
    while let Some(key) = next.take() {
        let key = key_of(cursor, &key)?;
        if cursor.peek()? != b':' || !matches!(cursor.ahead(1), None | Some(b' ' | b'\n')) {
            return None;
        }
        cursor.skip(1);
        let value = value(cursor, indent)?;
        cursor.pairs.push(Pair { key, value });
        match cursor.indent() {
            Some(same) if same == indent => next = Some(word(cursor, false)?),
            Some(more) if more > indent => return None,
            _ => {}
        }
    }
    cursor.leave();
    Some(Node { span, content: Content::Map(pairs_from(cursor, first)?) })
}

/// What stands behind a colon, or below it.
fn value(cursor: &mut Cursor<'_>, indent: usize) -> Option<Node> {
    cursor.skip_spaces();
    if !cursor.line_is_over() {
        let node = match cursor.peek()? {
            b'{' | b'[' => flow::node(cursor)?,
            _ => flow::scalar(word(cursor, false)?),
        };
        return alone(cursor, Some(indent)).map(|()| node);
    }
    cursor.next_line()?;
    match cursor.indent()? {
        inner if inner > indent => node(cursor, inner, Some(indent)),
        same if same == indent && begins_item(cursor) => level_list(cursor, indent),
        _ => None,
    }
}

/// A list that is not indented further than the key it belongs to. The parser has it begin at its first item.
fn level_list(cursor: &mut Cursor<'_>, indent: usize) -> Option<Node> {
    let spaces = cursor.rest().iter().skip(1).take_while(|byte| **byte == b' ').count();
    let item = cursor.at() + 1 + spaces;
    if matches!(cursor.ahead(1 + spaces), None | Some(b'\n' | b'#')) {
        return None;
    }
    let span = cursor.span(item, item);
    list_at(cursor, indent, span)
}

/// A key, unless it means more than itself.
pub(super) fn key_of(cursor: &mut Cursor<'_>, word: &Word<'_>) -> Option<Key> {
    // The limit is on what is written, which is more than what is meant where something is escaped.
    let long = word.text.len() > KEY_LIMIT || usize::try_from(word.span.width).is_ok_and(|width| width > KEY_LIMIT);
    if long || (!word.quoted && word.text == "<<") {
        return None;
    }
    Some(Key { text: cursor.names.of(&word.text), span: word.span })
}

/// Takes the pairs of a mapping that is closed; nothing when a key stands in it twice.
pub(super) fn pairs_from(cursor: &mut Cursor<'_>, first: usize) -> Option<Box<[Pair]>> {
    if find_twice(cursor.pairs.get(first..)?).is_some() {
        return None;
    }
    Some(cursor.pairs.drain(first..).collect())
}
