//! A size-limited table of texts by position: the first positions are kept, whichever was added first.

use std::collections::BTreeMap;

/// Texts by position. When they exceed the limit, those of the last positions are dropped, and no text of such a
/// position is accepted any more; so the result does not depend on the order in which the texts were added.
#[derive(Debug, Default)]
pub(super) struct TextTable<const ROOM: usize> {
    texts: BTreeMap<usize, String>,
    used: usize,
    full_from: Option<usize>,
}

impl<const ROOM: usize> TextTable<ROOM> {
    /// Adds a text, which is created only if the position is accepted.
    pub(super) fn put(&mut self, position: usize, text: impl FnOnce() -> String) {
        if self.full_from.is_some_and(|full| position >= full) {
            return;
        }
        let text = text();
        self.used += text.len();
        if let Some(before) = self.texts.insert(position, text) {
            self.used -= before.len();
        }
        while self.used > ROOM {
            let Some((position, text)) = self.texts.pop_last() else { return };
            self.used -= text.len();
            self.full_from = Some(position);
        }
    }

    pub(super) fn get(&self, position: usize) -> Option<&str> {
        self.texts.get(&position).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_texts_do_not_depend_on_insertion_order() {
        let texts = [(1, 8), (2, 5), (3, 1), (4, 1)];
        let orders = [[0, 1, 2, 3], [0, 2, 1, 3], [2, 1, 0, 3], [3, 2, 1, 0], [1, 3, 0, 2]];
        for order in orders {
            let mut shelf = TextTable::<10>::default();
            for (position, size) in order.map(|at| texts[at]) {
                shelf.put(position, || "x".repeat(size));
                assert!(shelf.used <= 10);
            }
            let kept: Vec<usize> = (0..5).filter(|position| shelf.get(*position).is_some()).collect();
            assert_eq!(kept, [1], "{order:?}");
        }
    }
}
