//! Counts for use in sentences.

use std::fmt::Display;

/// A count with its noun, in the plural unless the count is 1: `1 case`, `2 cases`.
pub fn count_of<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_singular_for_one() {
        assert_eq!([0, 1, 2].map(|count| count_of(count, "case")), ["0 cases", "1 case", "2 cases"]);
    }
}
