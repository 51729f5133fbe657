//! Maps places of the code to the file.

/// Maps places of the code to the file. Lines are the same in both; columns differ after an insertion in the line.
#[derive(Debug, Default)]
pub(crate) struct CodePlaces {
    /// The line and column of each insertion in the code, both counted from 0, and its length in characters; in order.
    inserted: Vec<(usize, usize, usize)>,
}

impl CodePlaces {
    /// Records an insertion. Insertions must be recorded in the order of the code.
    pub(crate) fn inserted(&mut self, line: usize, column: usize, characters: usize) {
        self.inserted.push((line, column, characters));
    }

    /// The column in the file of a place in the code, all counted from 1.
    pub(crate) fn original(&self, line: u32, column: u32) -> u32 {
        let (line, column) = (line as usize - 1, column.saturating_sub(1) as usize);
        let in_line = self.inserted.iter().filter(|(at, _, _)| *at == line);
        let before = in_line.take_while(|(_, start, _)| *start < column);
        let moved: usize = before.map(|(_, start, characters)| (*characters).min(column - start)).sum();
        counted(column - moved)
    }
}

/// The line and column of an offset in a text, counted from 1.
pub(crate) fn place_of(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    (counted(before.matches('\n').count()), counted(column))
}

/// Converts a number counted from 0 to one counted from 1.
fn counted(number: usize) -> u32 {
    u32::try_from(number + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_columns_after_inserted_code_to_original() {
        let mut places = CodePlaces::default();
        places.inserted(2, 4, 10);
        places.inserted(2, 20, 3);
        let columns = [1, 5, 6, 15, 16, 21, 24, 25].map(|column| places.original(3, column));
        assert_eq!(columns, [1, 5, 5, 5, 6, 11, 11, 12]);
        assert_eq!(places.original(2, 30), 30, "another line");
    }

    #[test]
    fn converts_offsets_to_lines_and_columns() {
        assert_eq!(place_of("ä\nbc", 0), (1, 1));
        assert_eq!(place_of("ä\nbc", 4), (2, 2));
        assert_eq!(place_of("ä\nbc", 99), (2, 3));
    }
}
