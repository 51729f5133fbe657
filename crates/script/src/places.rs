//! Where in the file a place of the code comes from.

/// Line and column, counted from nothing.
type Position = (u32, u32);

/// Where in the file each place of the code comes from.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// In the code, and in the file; in the order of the code.
    tokens: Vec<(Position, Position)>,
}

impl Places {
    pub(crate) fn new(tokens: impl Iterator<Item = (Position, Position)>) -> Self {
        let mut tokens: Vec<_> = tokens.collect();
        tokens.sort_unstable();
        Self { tokens }
    }

    /// Line and column in the file, counted from one, of a place in the code, counted from one as well.
    pub(crate) fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let place = (line.checked_sub(1)?, column.saturating_sub(1));
        let after = self.tokens.partition_point(|(code, _)| *code <= place);
        let near = after.checked_sub(1).and_then(|at| self.tokens.get(at)).filter(|(code, _)| code.0 == place.0);
        let (_, file) = near.or_else(|| self.tokens.get(after))?;
        Some((file.0 + 1, file.1 + 1))
    }
}

/// Line and column of an offset in a text, counted from one.
pub(crate) fn place_of(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (count(line), count(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_between_two_known_ones_is_the_one_before() {
        let places = Places::new([((2, 4), (7, 1)), ((0, 0), (0, 0)), ((2, 0), (6, 8))].into_iter());
        assert_eq!(places.original(3, 5), Some((8, 2)));
        assert_eq!(places.original(3, 4), Some((7, 9)));
        assert_eq!(places.original(2, 9), Some((7, 9)), "a line of which nothing is known");
        assert_eq!(places.original(4, 1), None);
        assert_eq!(places.original(0, 1), None);
    }

    #[test]
    fn offsets_have_lines_and_columns() {
        assert_eq!(place_of("ä\nbc", 0), (1, 1));
        assert_eq!(place_of("ä\nbc", 4), (2, 2));
        assert_eq!(place_of("ä\nbc", 99), (2, 3));
    }
}
