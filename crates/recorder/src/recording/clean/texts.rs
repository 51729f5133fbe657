//! Removes secrets from texts; JSON stays JSON.

use std::ops::Range;

use agentci_trace::{PLACEHOLDER, Redactor};
use bytes::Bytes;

use super::keys;

/// A range of a text, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextCut {
    pub(super) at: Range<usize>,
    pub(super) with: String,
}

/// The ranges to remove from a text, in order.
pub(super) fn cuts(text: &str, redactor: &Redactor) -> Vec<TextCut> {
    let places = redactor.places(text).into_iter().filter(|place| !place.is_empty());
    let cuts: Vec<TextCut> = places.map(|at| TextCut { at, with: PLACEHOLDER.into() }).collect();
    if cuts.is_empty() {
        return cuts;
    }
    match keys::structured(text) {
        // For example, a number or half of an escape was removed.
        Some(mut value) if keys::structured(&without(text, &cuts)).is_none() => {
            keys::scrub(&mut value, redactor);
            vec![TextCut { at: 0..text.len(), with: value.to_string() }]
        }
        _ => cuts,
    }
}

/// A text without secrets; `None` if it has none.
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

/// Removes the secrets of bytes, as far as they are text.
pub(super) fn scrub_bytes(bytes: &mut Bytes, redactor: &Redactor) {
    let mut cleaned = Vec::new();
    let mut changed = false;
    for chunk in bytes.utf8_chunks() {
        let text = clean(chunk.valid(), redactor);
        changed |= text.is_some();
        cleaned.extend_from_slice(text.as_deref().unwrap_or(chunk.valid()).as_bytes());
        cleaned.extend_from_slice(chunk.invalid());
    }
    if changed {
        *bytes = cleaned.into();
    }
}

fn without(text: &str, cuts: &[TextCut]) -> String {
    parts_without(text, cuts, std::slice::from_ref(&(0..text.len()))).concat()
}

/// The parts of a text that change when secrets are removed.
pub(super) fn clean_parts(text: &str, parts: &[Range<usize>], redactor: &Redactor) -> Vec<(usize, String)> {
    let cuts = cuts(text, redactor);
    if cuts.is_empty() {
        return Vec::new();
    }
    let clean = parts_without(text, &cuts, parts).into_iter().enumerate();
    clean.filter(|(index, clean)| text.get(parts[*index].clone()) != Some(clean.as_str())).collect()
}

/// Each part of a text without the removed ranges. A placeholder is in the part in which the secret begins.
fn parts_without(text: &str, cuts: &[TextCut], parts: &[Range<usize>]) -> Vec<String> {
    let mut cuts = cuts.iter().peekable();
    let mut done = 0;
    let mut clean_part = |part: &Range<usize>| {
        let mut clean = String::new();
        done = part.start.max(done);
        while let Some(cut) = cuts.next_if(|cut| cut.at.start < part.end) {
            clean.push_str(&text[done..cut.at.start]);
            clean.push_str(&cut.with);
            done = cut.at.end;
        }
        // A secret that ends in a later part leaves nothing of this one.
        clean.push_str(&text[done.min(part.end)..part.end]);
        clean
    };
    parts.iter().map(&mut clean_part).collect()
}
