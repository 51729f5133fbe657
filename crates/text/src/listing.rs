//! Lists for use in sentences.

/// The first `most` items, separated by commas, and the number of further items: `a, b and 3 more`.
pub fn first_of<W: AsRef<str>>(words: &[W], most: usize) -> String {
    let shown: Vec<&str> = words.iter().take(most).map(AsRef::as_ref).collect();
    shown.join(", ") + &and_more(words.len() - shown.len())
}

/// What follows a list of which `left` items are not shown: ` and 3 more`; empty if all are.
pub fn and_more(left: usize) -> String {
    if left == 0 { String::new() } else { format!(" and {left} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_only_items_that_are_not_shown() {
        assert_eq!(first_of(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(first_of(&["a", "b"], 2), "a, b");
        assert_eq!(first_of::<&str>(&[], 2), "");
    }
}
