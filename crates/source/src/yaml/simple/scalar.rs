//! A word or a quoted text, within a line.

use std::borrow::Cow;

use crate::{Scalar, Span};

use super::cursor::Cursor;

/// A scalar, and where it stands.
pub(super) struct Word<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) quoted: bool,
    pub(super) span: Span,
}

impl Word<'_> {
    pub(super) fn into_scalar(self) -> (Scalar, Span) {
        (Scalar { text: self.text.into(), quoted: self.quoted }, self.span)
    }
}

/// Reads a scalar, which stands within brackets or not.
pub(super) fn word<'t>(cursor: &mut Cursor<'t>, in_flow: bool) -> Option<Word<'t>> {
    match cursor.peek()? {
        b'"' => double(cursor),
        b'\'' => single(cursor),
        _ => plain(cursor, in_flow),
    }
}

fn plain<'t>(cursor: &mut Cursor<'t>, in_flow: bool) -> Option<Word<'t>> {
    let first = cursor.peek()?;
    if matches!(
        first,
        b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`'
    ) {
        return None;
    }
    if first == b'-' && ends_word(cursor.ahead(1), true) {
        return None;
    }
    let rest = cursor.rest();
    let mut end = 0;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b' ' => {}
            b'\n' => break,
            b':' if ends_word(rest.get(at + 1).copied(), in_flow) => break,
            b'#' if end < at => break,
            b',' | b'[' | b']' | b'{' | b'}' if in_flow => break,
            _ => end = at + 1,
        }
    }
    let start = cursor.at();
    cursor.skip(end);
    Some(Word { text: Cow::Borrowed(cursor.since(start)?), quoted: false, span: cursor.span(start, cursor.at()) })
}

/// Whether a dash or a colon with this behind it is more than a part of a word.
fn ends_word(next: Option<u8>, in_flow: bool) -> bool {
    match next {
        None | Some(b' ' | b'\n') => true,
        Some(b',' | b'[' | b']' | b'{' | b'}') => in_flow,
        Some(_) => false,
    }
}

fn single<'t>(cursor: &mut Cursor<'t>) -> Option<Word<'t>> {
    let start = cursor.at();
    cursor.skip(1);
    let mut doubled = false;
    loop {
        match (cursor.peek()?, cursor.ahead(1)) {
            (b'\'', Some(b'\'')) => {
                doubled = true;
                cursor.skip(2);
            }
            (b'\'', _) => break,
            (b'\n', _) => return None,
            _ => cursor.skip(1),
        }
    }
    let inside = cursor.since(start + 1)?;
    cursor.skip(1);
    let text = if doubled { Cow::Owned(inside.replace("''", "'")) } else { Cow::Borrowed(inside) };
    Some(Word { text, quoted: true, span: cursor.span(start, cursor.at()) })
}

fn double<'t>(cursor: &mut Cursor<'t>) -> Option<Word<'t>> {
    let start = cursor.at();
    cursor.skip(1);
    let mut text = Cow::Borrowed("");
    let mut piece = cursor.at();
    loop {
        match cursor.peek()? {
            b'"' => break,
            b'\n' => return None,
            b'\\' => {
                let meant = match cursor.ahead(1)? {
                    b'"' => '"',
                    b'\\' => '\\',
                    b'n' => '\n',
                    b't' => '\t',
                    _ => return None,
                };
                let text = text.to_mut();
                text.push_str(cursor.since(piece)?);
                text.push(meant);
                cursor.skip(2);
                piece = cursor.at();
            }
            _ => cursor.skip(1),
        }
    }
    let last = cursor.since(piece)?;
    let text = if text.is_empty() { Cow::Borrowed(last) } else { text + last };
    cursor.skip(1);
    Some(Word { text, quoted: true, span: cursor.span(start, cursor.at()) })
}
