//! A text from which secrets are removed step by step, with their places.

use std::borrow::Cow;
use std::ops::Range;

use super::redactor::PLACEHOLDER;

/// A text, its removed ranges, and the remaining text.
#[derive(Debug)]
pub(super) struct MarkedText<'t> {
    original: &'t str,
    /// The removed ranges of the original, in order and without overlaps.
    removed: Vec<Range<usize>>,
    clean: Cow<'t, str>,
}

impl<'t> MarkedText<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { original: text, removed: Vec::new(), clean: Cow::Borrowed(text) }
    }

    /// The remaining text, with placeholders.
    pub(super) fn clean(&self) -> &str {
        &self.clean
    }

    pub(super) fn into_clean(self) -> Cow<'t, str> {
        self.clean
    }

    pub(super) fn into_removed(self) -> Vec<Range<usize>> {
        self.removed
    }

    /// Removes ranges of the remaining text. Overlapping ranges are merged, so that no tail of a secret remains.
    pub(super) fn remove(&mut self, found: &[Range<usize>]) {
        if found.is_empty() {
            return;
        }
        let placed = self.placed();
        let mut removed = std::mem::take(&mut self.removed);
        removed.extend(found.iter().map(|found| start(&placed, found.start)..end(&placed, found.end)));
        removed.sort_unstable_by_key(|range| (range.start, range.end));
        removed.dedup();
        for range in removed {
            match self.removed.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => self.removed.push(range),
            }
        }
        let mut clean = String::with_capacity(self.original.len());
        let mut done = 0;
        for range in &self.removed {
            clean.push_str(&self.original[done..range.start]);
            clean.push_str(PLACEHOLDER);
            done = range.end;
        }
        clean.push_str(&self.original[done..]);
        self.clean = Cow::Owned(clean);
    }

    /// The positions of the placeholders, each with the range that it replaces.
    fn placed(&self) -> Vec<(usize, Range<usize>)> {
        let (mut at, mut done) = (0, 0);
        let mut placed = Vec::with_capacity(self.removed.len());
        for range in &self.removed {
            at += range.start - done;
            placed.push((at, range.clone()));
            at += PLACEHOLDER.len();
            done = range.end;
        }
        placed
    }
}

/// The start in the original of a range of the remaining text; a range that starts in a placeholder includes all of it.
fn start(placed: &[(usize, Range<usize>)], position: usize) -> usize {
    let before = placed.partition_point(|(at, _)| *at <= position);
    match before.checked_sub(1).and_then(|last| placed.get(last)) {
        Some((at, range)) if position < at + PLACEHOLDER.len() => range.start,
        Some((at, range)) => range.end + (position - at - PLACEHOLDER.len()),
        None => position,
    }
}

/// The end in the original of a range of the remaining text.
fn end(placed: &[(usize, Range<usize>)], position: usize) -> usize {
    let before = placed.partition_point(|(at, _)| *at < position);
    match before.checked_sub(1).and_then(|last| placed.get(last)) {
        Some((at, range)) => range.end + position.saturating_sub(at + PLACEHOLDER.len()),
        None => position,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remove(marked: &mut MarkedText, found: Range<usize>) {
        marked.remove(std::slice::from_ref(&found));
    }

    #[test]
    fn ranges_refer_to_original_text() {
        let mut marked = MarkedText::new("one two three four");
        remove(&mut marked, 4..7);
        assert_eq!(marked.clean(), "one [REDACTED] three four");
        marked.remove(&[15..20, 0..3]);
        assert_eq!(marked.clean(), "[REDACTED] [REDACTED] [REDACTED] four");
        assert_eq!(marked.into_removed(), [0..3, 4..7, 8..13]);
    }

    #[test]
    fn removal_touching_placeholder_covers_it() {
        let mut marked = MarkedText::new("one two  a four");
        remove(&mut marked, 4..7);
        remove(&mut marked, 2..6);
        assert_eq!(marked.clean(), "on[REDACTED]  a four");
        remove(&mut marked, 11..14);
        assert_eq!(marked.clean(), "on[REDACTED]a four");
    }
}
