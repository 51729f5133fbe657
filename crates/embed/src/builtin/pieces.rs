//! Cuts long texts into pieces, since the model reads at most 128 tokens at once.

/// The token ids of `.`, `!` and `?`.
const ENDS: [u16; 3] = [1012, 999, 1029];

/// Cuts token ids into pieces of at most `most`, if possible after the last sentence that ends in the second half of a
/// piece.
pub(super) fn pieces(mut ids: &[u16], most: usize) -> impl Iterator<Item = &[u16]> {
    std::iter::from_fn(move || {
        if ids.is_empty() {
            return None;
        }
        let (window, _) = ids.split_at(most.min(ids.len()));
        let ended = window.iter().rposition(|id| ENDS.contains(id)).map(|last| last + 1);
        let length = match ended {
            Some(ended) if window.len() < ids.len() && ended * 2 > most => ended,
            _ => window.len(),
        };
        let (piece, rest) = ids.split_at(length);
        ids = rest;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(ids: &[u16], most: usize) -> Vec<usize> {
        pieces(ids, most).map(<[u16]>::len).collect()
    }

    #[test]
    fn short_text_is_one_piece() {
        assert_eq!(lengths(&[5, 1012, 5, 5], 4), [4]);
        assert!(lengths(&[], 4).is_empty());
    }

    #[test]
    fn splits_after_a_sentence() {
        assert_eq!(lengths(&[5, 5, 1012, 5, 5], 4), [3, 2]);
    }

    #[test]
    fn early_sentence_end_does_not_create_a_small_piece() {
        assert_eq!(lengths(&[1012, 5, 5, 5, 5, 5], 4), [4, 2]);
    }
}
