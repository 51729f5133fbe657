//! Lists for use in sentences.

/// The first `most` items, separated by commas, and the number of further items: `a, b and 3 more`.
pub fn first_of<W: AsRef<str>>(words: &[W], most: usize) -> String {
    let shown = words.iter().take(most).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match words.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
