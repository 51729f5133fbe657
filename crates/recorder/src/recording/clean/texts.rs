//! Texts without their secrets; one that is JSON stays JSON.

use std::ops::Range;

use agentci_trace::{PLACEHOLDER, Redactor};
use bytes::Bytes;

use super::keys;

/// A stretch of a text, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) at: Range<usize>,
    pub(super) with: String,
}

/// What is to be removed from a text, in order.
pub(super) fn cuts(text: &str, redactor: &Redactor) -> Vec<Cut> {
    let places = redactor.places(text).into_iter().filter(|place| !place.is_empty());
    let cuts: Vec<Cut> = places.map(|at| Cut { at, with: PLACEHOLDER.into() }).collect();
    if cuts.is_empty() {
        return cuts;
    }
    match keys::structured(text) {
        // A number, say, or half of an escape was removed.
        Some(mut value) if keys::structured(&without(text, &cuts)).is_none() => {
            keys::scrub(&mut value, redactor);
            vec![Cut { at: 0..text.len(), with: value.to_string() }]
        }
        _ => cuts,
    }
}

/// A text without secrets; nothing if it has none.
pub(super) fn clean(text: &str, redactor: &Redactor) -> Option<String> {
    let cuts = cuts(text, redactor);
    (!cuts.is_empty()).then(|| without(text, &cuts))
}

/// The same, in place.
pub(super) fn scrub(text: &mut String, redactor: &Redactor) {
    if let Some(clean) = clean(text, redactor) {
        *text = clean;
    }
}

/// Bytes without secrets, as far as they are text; nothing if they have none.
pub(super) fn clean_bytes(bytes: &[u8], redactor: &Redactor) -> Option<Bytes> {
    let mut clean = Vec::new();
    let mut changed = false;
    for chunk in bytes.utf8_chunks() {
        let text = self::clean(chunk.valid(), redactor);
        changed |= text.is_some();
        clean.extend_from_slice(text.as_deref().unwrap_or(chunk.valid()).as_bytes());
        clean.extend_from_slice(chunk.invalid());
    }
    changed.then(|| clean.into())
}

fn without(text: &str, cuts: &[Cut]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for cut in cuts {
        clean.push_str(text.get(done..cut.at.start).unwrap_or_default());
        clean.push_str(&cut.with);
        done = cut.at.end;
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    clean
}

/// What each part of a text is without secrets, for those that change. A placeholder stands in the part in which the secret
/// begins.
pub(super) fn clean_parts(text: &str, parts: &[Range<usize>], redactor: &Redactor) -> Vec<(usize, String)> {
    let mut changed = Vec::new();
    let mut cuts = cuts(text, redactor).into_iter().peekable();
    if cuts.peek().is_none() {
        return changed;
    }
    let mut done = 0;
    for (index, part) in parts.iter().enumerate() {
        let mut clean = String::new();
        done = part.start.max(done);
        while let Some(cut) = cuts.next_if(|cut| cut.at.start < part.end) {
            clean.push_str(text.get(done..cut.at.start).unwrap_or_default());
            clean.push_str(&cut.with);
            done = cut.at.end;
        }
        if done < part.end {
            clean.push_str(text.get(done..part.end).unwrap_or_default());
        }
        if text.get(part.clone()) != Some(clean.as_str()) {
            changed.push((index, clean));
        }
    }
    changed
}
