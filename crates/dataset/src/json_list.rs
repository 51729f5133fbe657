//! Rows of a JSON array of objects, read one at a time.

use std::io::{BufRead, BufReader};

use agentci_source::DataInput;

use crate::bounded_lines::{ROW_LIMIT, seek};
use crate::json_lines::parse;
use crate::reader::{PlacedRow, RowSource};
use crate::row::{DataError, RowSpot};

pub(crate) struct JsonList {
    input: BufReader<Box<dyn DataInput>>,
    offset: u64,
    line: u32,
    column: u32,
    /// Whether the array has ended, or cannot be read further.
    ended: bool,
    /// Whether a row was read, so that a comma must follow.
    begun: bool,
}

impl JsonList {
    pub(crate) fn open(input: Box<dyn DataInput>) -> Result<Self, DataError> {
        let input = BufReader::with_capacity(64 << 10, input);
        let mut list = Self { input, offset: 0, line: 1, column: 1, ended: false, begun: false };
        if list.input.fill_buf()?.starts_with("\u{feff}".as_bytes()) {
            list.input.consume(3);
            list.offset = 3;
        }
        match list.next_token()? {
            Some(b'[') => {
                list.step()?;
                Ok(list)
            }
            None => Err(DataError::of_file("the file is empty").help("write a list of objects: `[{..}, {..}]`")),
            Some(_) => Err(DataError::at(list.line, list.column, "the file must be an array of objects")
                .help("write `[{..}, {..}]`, or one object a line in a file that ends in `.jsonl`")),
        }
    }

    fn spot(&self) -> RowSpot {
        RowSpot { offset: self.offset, line: self.line, column: self.column }
    }

    fn peek(&mut self) -> Result<Option<u8>, DataError> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Skips one byte.
    fn step(&mut self) -> Result<(), DataError> {
        let Some(byte) = self.peek()? else { return Ok(()) };
        self.input.consume(1);
        self.offset += 1;
        if byte == b'\n' {
            (self.line, self.column) = (self.line.saturating_add(1), 1);
        } else if byte & 0b1100_0000 != 0b1000_0000 {
            // Columns count characters, so the further bytes of one do not count.
            self.column = self.column.saturating_add(1);
        }
        Ok(())
    }

    /// The next byte that is not white space.
    fn next_token(&mut self) -> Result<Option<u8>, DataError> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.step()?;
        }
        Ok(None)
    }

    fn read_row(&mut self) -> Result<Option<PlacedRow>, DataError> {
        let mut token = self.next_token()?;
        if self.begun && token == Some(b',') {
            self.step()?;
            token = self.next_token()?;
        } else if self.begun && !matches!(token, None | Some(b']')) {
            return Err(DataError::at(self.line, self.column, "a comma is missing between two rows"));
        }
        match token {
            None => {
                let help = "the array has no `]`; the file may have been cut off";
                return Err(DataError::at(self.line, self.column, "the file ends inside of its array").help(help));
            }
            Some(b']') => {
                self.step()?;
                return self.nothing_after().map(|()| None);
            }
            Some(_) => {}
        }
        self.begun = true;
        let spot = self.spot();
        let text = self.value()?;
        Ok(Some((spot, parse(&text, spot.line, spot.column))))
    }

    /// Fails if there is more after the array: it would be lost without a word.
    fn nothing_after(&mut self) -> Result<(), DataError> {
        if self.next_token()?.is_none() {
            return Ok(());
        }
        let help = "write all rows into one array, or one object a line in a file that ends in `.jsonl`";
        Err(DataError::at(self.line, self.column, "there is more after the array").help(help))
    }

    /// The text of a value: up to the comma or bracket after it.
    fn value(&mut self) -> Result<Vec<u8>, DataError> {
        let (mut text, mut depth, mut quoted, mut escaped) = (Vec::new(), 0_usize, false, false);
        while let Some(byte) = self.peek()? {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b',' | b']' | b'}' if depth == 0 => break,
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            if text.len() <= ROW_LIMIT {
                text.push(byte);
            }
            self.step()?;
        }
        Ok(text)
    }
}

impl RowSource for JsonList {
    fn next(&mut self) -> Option<PlacedRow> {
        if self.ended {
            return None;
        }
        match self.read_row() {
            Ok(Some(row)) => Some(row),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some((self.spot(), Err(error)))
            }
        }
    }

    fn seek(&mut self, spot: RowSpot) -> Result<(), DataError> {
        seek(&mut self.input, self.offset, spot.offset)?;
        (self.offset, self.line, self.column) = (spot.offset, spot.line, spot.column);
        (self.ended, self.begun) = (false, false);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Line and column, and the row or the message.
    type Placed = (u32, u32, String);

    fn all(text: &str) -> Vec<Result<Placed, Placed>> {
        let mut rows = JsonList::open(Box::new(Cursor::new(text.as_bytes().to_vec()))).unwrap();
        std::iter::from_fn(|| rows.next())
            .map(|(_, row)| match row {
                Ok(row) => Ok((row.line, row.column, serde_json::to_string(&row.fields).unwrap())),
                Err(error) => Err((error.line, error.column, error.message)),
            })
            .collect()
    }

    #[test]
    fn rows_are_located_however_they_are_laid_out() {
        let rows = all(" [ {\"a\": \"], }\"},\n  {\"b\": [1, {\"c\": 2}]} , 5\n]\n");
        assert_eq!(rows[0], Ok((1, 4, "{\"a\":\"], }\"}".into())));
        assert_eq!(rows[1], Ok((2, 3, "{\"b\":[1,{\"c\":2}]}".into())));
        assert_eq!(rows[2], Err((2, 26, "the row must be an object, found a number".into())));
        assert_eq!(rows.len(), 3);
        assert_eq!(all("[]"), []);
    }

    #[test]
    fn files_that_are_cut_off_are_an_error() {
        assert_eq!(
            all("[{\"a\": 1},"),
            [Ok((1, 2, "{\"a\":1}".into())), Err((1, 11, "the file ends inside of its array".into()))]
        );
        for more in ["[{\"a\": 1}]\n[{\"a\": 2}]", "[{\"a\": 1}]\n,", "[{\"a\": 1}]\nx", "[{\"a\": 1}]\n]"] {
            let rows = all(more);
            assert_eq!(rows[0], Ok((1, 2, "{\"a\":1}".into())));
            assert_eq!(rows[1..], [Err((2, 1, "there is more after the array".into()))], "{more}");
        }
        let missing = all("[{\"a\": 1} {\"a\": 2}]");
        assert_eq!(missing, [Err((1, 11, "the row is not JSON: trailing characters".into()))]);
    }
}
