//! Rows of JSON lines: one object a line.

use agentci_source::DataInput;
use serde_json::Value;

use crate::bounded_lines::{BoundedLines, ROW_LIMIT};
use crate::reader::{PlacedRow, RowSource};
use crate::row::{DataError, DataRow, RowSpot};

pub(crate) struct JsonLines {
    lines: BoundedLines,
    line: Vec<u8>,
}

impl JsonLines {
    pub(crate) fn open(input: Box<dyn DataInput>) -> Result<Self, DataError> {
        Ok(Self { lines: BoundedLines::new(input)?, line: Vec::new() })
    }
}

impl RowSource for JsonLines {
    fn next(&mut self) -> Option<PlacedRow> {
        loop {
            let spot = self.lines.next_spot();
            self.line.clear();
            match self.lines.append_line(&mut self.line) {
                Ok(false) => return None,
                Err(error) => return Some((spot, Err(error.into()))),
                Ok(true) if self.line.trim_ascii().is_empty() => {}
                // Without the line end, a row that is cut off ends on its own line.
                Ok(true) => return Some((spot, parse(self.line.trim_ascii_end(), spot.line, 1))),
            }
        }
    }

    fn seek(&mut self, spot: RowSpot) -> Result<(), DataError> {
        Ok(self.lines.seek(spot)?)
    }
}

/// Parses a row that begins at this line and column.
pub(crate) fn parse(text: &[u8], line: u32, column: u32) -> Result<DataRow, DataError> {
    if text.len() > ROW_LIMIT {
        return Err(DataError::at(line, column, format!("the row is longer than {} MiB", ROW_LIMIT >> 20)));
    }
    let parsed = serde_json::from_slice(text).map_err(|error| {
        let below = u32::try_from(error.line().saturating_sub(1)).unwrap_or(u32::MAX);
        let at = u32::try_from(error.column()).unwrap_or(u32::MAX).max(1);
        let at = if below == 0 { at.saturating_add(column - 1) } else { at };
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        DataError::at(line.saturating_add(below), at, format!("the row is not JSON: {message}"))
    })?;
    object(parsed, line, column)
}

pub(crate) fn object(value: Value, line: u32, column: u32) -> Result<DataRow, DataError> {
    let found = match value {
        Value::Object(fields) => return Ok(DataRow { fields, line, column }),
        Value::Array(_) => "an array",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a boolean",
        Value::Null => "null",
    };
    Err(DataError::at(line, column, format!("the row must be an object, found {found}"))
        .help("write the columns of the row as keys: `{\"question\": \"..\"}`"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn bad_lines_are_located_and_skipped() {
        let text = "{\"a\": 1}\n\n{\"a\": }\r\n[1]\n{\"a\": 2}";
        let mut rows = JsonLines::open(Box::new(Cursor::new(text.as_bytes().to_vec()))).unwrap();
        let all: Vec<_> = std::iter::from_fn(|| rows.next()).map(|(_, row)| row).collect();
        assert_eq!(all[0].as_ref().unwrap().fields["a"], 1);
        let bad = all[1].as_ref().unwrap_err();
        assert_eq!((bad.line, bad.column, bad.message.as_str()), (3, 7, "the row is not JSON: expected value"));
        let list = all[2].as_ref().unwrap_err();
        assert_eq!((list.line, list.message.as_str()), (4, "the row must be an object, found an array"));
        assert_eq!(all[3].as_ref().unwrap().line, 5);
        let mut rows = JsonLines::open(Box::new(Cursor::new(b"{\"a\": 2\n{\"a\": 3}\n".to_vec()))).unwrap();
        let (_, cut) = rows.next().unwrap();
        let cut = cut.unwrap_err();
        assert_eq!((cut.line, cut.column), (1, 7));
    }
}
