//! Rows of CSV and TSV files. The first record is the header.

use std::collections::HashSet;

use agentci_source::DataInput;
use serde_json::{Map, Value};

use crate::bounded_lines::{BoundedLines, ROW_LIMIT};
use crate::csv_record::{CsvRecordError, line_end, split};
use crate::reader::{PlacedRow, RowSource};
use crate::row::{DataError, DataRow, RowSpot};

/// The number of rows with an open quote after which the search for its end is short: it reads the same lines again and
/// again.
const MOST_OPEN: usize = 100;
/// The longest row, in bytes, that a short search finds.
const SHORT_ROW: usize = 64 << 10;
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

pub(crate) struct CsvRows {
    lines: BoundedLines,
    delimiter: u8,
    columns: Vec<String>,
    record: Vec<u8>,
    fields: Vec<(Vec<u8>, usize)>,
    open: usize,
    /// Why the last record may be several rows.
    doubt: Option<DataError>,
}

impl CsvRows {
    /// Reads the header. Without a delimiter, it is guessed from the header.
    pub(crate) fn open(input: Box<dyn DataInput>, delimiter: Option<u8>) -> Result<Self, DataError> {
        let lines = BoundedLines::new(input)?;
        let mut rows = Self {
            lines,
            delimiter: delimiter.unwrap_or(b','),
            columns: Vec::new(),
            record: Vec::new(),
            fields: Vec::new(),
            open: 0,
            doubt: None,
        };
        let Some(spot) = rows.skip_blank()? else {
            return Err(DataError::of_file("the file is empty").help("the first line names the columns: `id,question`"));
        };
        if delimiter.is_none() {
            let has = |delimiter: &&u8| rows.record.contains(delimiter);
            rows.delimiter = DELIMITERS.iter().find(has).copied().unwrap_or(b',');
        }
        let header = rows.record(spot)?;
        rows.columns = header;
        rows.refuse_bad_header(spot)?;
        Ok(rows)
    }

    fn refuse_bad_header(&self, spot: RowSpot) -> Result<(), DataError> {
        let mut known = HashSet::new();
        for (position, name) in self.columns.iter().enumerate() {
            let column = || self.column_of(self.fields[position].1);
            if name.contains('\r') {
                return Err(DataError::at(spot.line, column(), "the lines end with a carriage return only")
                    .help("save the file with Unix or Windows line ends"));
            }
            if name.is_empty() {
                return Err(DataError::at(spot.line, column(), format!("column {} has no name", position + 1))
                    .help("the first line names the columns"));
            }
            if !known.insert(name) {
                let message = format!("two columns are named `{}`", name.escape_debug());
                return Err(DataError::at(spot.line, column(), message).help("rename one of them"));
            }
        }
        Ok(())
    }

    /// Reads the first line of the next record, without blank lines before it.
    fn skip_blank(&mut self) -> Result<Option<RowSpot>, DataError> {
        loop {
            let spot = self.lines.next_spot();
            self.record.clear();
            if !self.lines.append_line(&mut self.record)? {
                return Ok(None);
            }
            let is_blank = self.columns.len() > 1 && self.record.trim_ascii().is_empty();
            if self.record.len() > line_end(&self.record) && !is_blank {
                return Ok(Some(spot));
            }
        }
    }

    /// Splits the record whose first line was read, and reads its other lines. After an error, the next record begins
    /// on the next line.
    fn record(&mut self, spot: RowSpot) -> Result<Vec<String>, DataError> {
        let after = self.lines.next_spot();
        self.doubt = None;
        loop {
            if self.record.len() > ROW_LIMIT {
                let message = format!("the row is longer than {} MiB", ROW_LIMIT >> 20);
                self.lines.seek(after)?;
                return Err(DataError::at(spot.line, 1, message).help("put long texts into files of their own"));
            }
            match split(&self.record, self.delimiter, &mut self.fields) {
                Ok(()) => {
                    self.doubt = self.swallowed_rows(spot);
                    return self.texts(spot);
                }
                Err(CsvRecordError::AfterQuote(quote, at)) => {
                    self.lines.seek(after)?;
                    let (mut line, mut column) = self.position(spot, at);
                    let opened = self.position(spot, quote);
                    let mut message = "there is text after a closing quote".to_owned();
                    if opened.0 != line {
                        message = format!("a quote is not closed: the next one, at line {line}, has text after it");
                        (line, column) = opened;
                    }
                    return Err(DataError::at(line, column, message)
                        .help("write a quote inside of a quoted value twice: `\"say \"\"hi\"\"\"`"));
                }
                Err(CsvRecordError::Open(quote)) => {
                    // An append at the limit would only skip lines.
                    let limit = if self.open < MOST_OPEN { ROW_LIMIT } else { SHORT_ROW };
                    if self.record.len() <= limit && self.lines.append_line(&mut self.record)? {
                        continue;
                    }
                    self.open += 1;
                    self.lines.seek(after)?;
                    let (line, column) = self.position(spot, quote);
                    return Err(DataError::at(line, column, "a quote is not closed")
                        .help("close it, or put quotes around a value that contains quotes and write these twice"));
                }
            }
        }
    }

    /// The problem that a quoted value consists of lines that look like rows: a quote that was left open ends at the
    /// next one, and the rows between would be lost without a word.
    fn swallowed_rows(&self, spot: RowSpot) -> Option<DataError> {
        let columns = self.columns.len();
        if columns < 2 {
            return None;
        }
        // Lines with one delimiter also occur in text.
        let least = if columns > 2 { 1 } else { 3 };
        let delimiters = |line: &[u8]| line.split(|byte| *byte == self.delimiter).count() - 1;
        let (number, begin, lines) = self.fields.iter().enumerate().find_map(|(index, (text, begin))| {
            let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            let [first, inner @ .., _] = lines.as_slice() else { return None };
            let whole = inner.iter().filter(|line| !line.trim_ascii().is_empty());
            let like_rows = index < columns
                && delimiters(first) == columns - 1 - index
                && whole.clone().all(|line| delimiters(line) == columns - 1);
            (like_rows && whole.count() >= least).then_some((index + 1, *begin, lines.len()))
        })?;
        let (line, column) = self.position(spot, begin);
        let message = format!("the quoted value of column {number} has {lines} lines that look like rows");
        let help = "if a quote was left open here, close it; a quote inside of a quoted value is written twice";
        Some(DataError::at(line, column, message).help(help))
    }

    fn texts(&self, spot: RowSpot) -> Result<Vec<String>, DataError> {
        let text = |(bytes, begin): &(Vec<u8>, usize)| {
            String::from_utf8(bytes.clone()).map_err(|_| {
                let (line, column) = self.position(spot, *begin);
                DataError::at(line, column, "the value is not UTF-8 text").help("save the file as UTF-8")
            })
        };
        self.fields.iter().map(text).collect()
    }

    /// Line and column of a byte of the record.
    fn position(&self, spot: RowSpot, at: usize) -> (u32, u32) {
        let before = &self.record[..at];
        let lines = before.split(|byte| *byte == b'\n').count() - 1;
        (spot.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX)), self.column_of(at))
    }

    fn column_of(&self, at: usize) -> u32 {
        let line = self.record[..at].rsplit(|byte| *byte == b'\n').next().expect("a split has a first part");
        u32::try_from(String::from_utf8_lossy(line).chars().count() + 1).unwrap_or(u32::MAX)
    }

    fn row(&self, spot: RowSpot, texts: Vec<String>) -> Result<DataRow, DataError> {
        if texts.len() != self.columns.len() {
            if let Some(doubt) = &self.doubt {
                return Err(doubt.clone());
            }
            let (found, expected) = (texts.len(), self.columns.len());
            let last = self.fields.get(expected).or(self.fields.last()).map_or(0, |(_, begin)| *begin);
            let (line, column) = self.position(spot, last);
            let values = if found == 1 { "value" } else { "values" };
            let message = format!("the row has {found} {values}, but the header has {expected} columns");
            return Err(DataError::at(line, column, message)
                .help("put quotes around values that contain the delimiter, and write empty values"));
        }
        let fields: Map<String, Value> =
            self.columns.iter().cloned().zip(texts.into_iter().map(Value::String)).collect();
        Ok(DataRow { fields, line: spot.line, column: 1 })
    }
}

impl RowSource for CsvRows {
    fn next(&mut self) -> Option<PlacedRow> {
        match self.skip_blank() {
            Ok(None) => None,
            Err(error) => Some((self.lines.next_spot(), Err(error))),
            Ok(Some(spot)) => {
                let row = self.record(spot).and_then(|texts| self.row(spot, texts));
                Some((spot, row))
            }
        }
    }

    fn doubt(&mut self) -> Option<DataError> {
        self.doubt.take()
    }

    fn seek(&mut self, spot: RowSpot) -> Result<(), DataError> {
        Ok(self.lines.seek(spot)?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;

    use super::*;

    fn open(text: &str) -> Result<CsvRows, DataError> {
        CsvRows::open(Box::new(Cursor::new(text.as_bytes().to_vec())), None)
    }

    /// The line of a row, and its values or the place of the error with its message.
    type FoundRow = (u32, Result<Value, (u32, u32, String)>);

    fn all(text: &str) -> Vec<FoundRow> {
        let mut rows = open(text).unwrap();
        std::iter::from_fn(|| rows.next())
            .map(|(spot, row)| {
                let row = row.map(|row| Value::Object(row.fields));
                (spot.line, row.map_err(|error| (error.line, error.column, error.message)))
            })
            .collect()
    }

    #[test]
    fn bad_rows_do_not_hide_the_rows_after_them() {
        let text = "id,text\n\n1,\"two\nlines\"\n2,\"open\n3,x,y\n4,\"a\" b\n5,ok\n";
        let rows = all(text);
        assert_eq!(rows[0], (3, Ok(json!({ "id": "1", "text": "two\nlines" }))));
        assert_eq!(rows[1].0, 5);
        let open = "a quote is not closed: the next one, at line 7, has text after it".to_owned();
        assert_eq!(rows[1].1, Err((5, 3, open)));
        assert_eq!(rows[2].1, Err((6, 5, "the row has 3 values, but the header has 2 columns".into())));
        assert_eq!(rows[3].1, Err((7, 6, "there is text after a closing quote".into())));
        assert_eq!(rows[4], (8, Ok(json!({ "id": "5", "text": "ok" }))));
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn open_quote_at_the_end_is_an_error_of_its_own_row() {
        let rows = all("id,text\n1,\"open\n2,b\n");
        assert_eq!(rows[0].1, Err((2, 3, "a quote is not closed".into())));
        assert_eq!(rows[1], (3, Ok(json!({ "id": "2", "text": "b" }))));
    }

    #[test]
    fn delimiter_is_guessed_from_the_header() {
        for text in ["a;b\n1,5;2\n", "a\tb\n1,5\t2\n", "a|b\n1,5|2\n"] {
            assert_eq!(all(text), [(2, Ok(json!({ "a": "1,5", "b": "2" })))]);
        }
        assert_eq!(all("a\n1;2\n"), [(2, Ok(json!({ "a": "1;2" })))]);
    }

    #[test]
    fn refuses_headers_without_names_for_all_columns() {
        for (text, line, column, message) in [
            ("", 0, 0, "the file is empty"),
            ("a,,b\n", 1, 3, "column 2 has no name"),
            ("a,b,a\n", 1, 5, "two columns are named `a`"),
            ("a,b\r1,2\r", 1, 3, "the lines end with a carriage return only"),
        ] {
            let error = open(text).err().unwrap();
            assert_eq!((error.line, error.column, error.message.as_str()), (line, column, message));
        }
    }

    #[test]
    fn quoted_rows_are_doubted() {
        let doubts = |text: &str| {
            let mut rows = open(text).unwrap();
            let mut found = Vec::new();
            while let Some((_, row)) = rows.next() {
                found.extend(row.err().or_else(|| rows.doubt()).map(|error| (error.line, error.column, error.message)));
            }
            found
        };
        let message = |column: usize, lines: usize| {
            format!("the quoted value of column {column} has {lines} lines that look like rows")
        };
        let swallowed = "id,q,a\n1,\"Refund?,yes\n2,Where is it?,no\n3,What is 5\",no\n4,x,y\n";
        assert_eq!(doubts(swallowed), [(2, 3, message(2, 3))]);
        assert_eq!(doubts("id,q\n1,\"open\n2,x\n3,x\n4,x\n5,size 5\"\n6,ok\n"), [(2, 3, message(2, 5))]);
        // The row has too few values, and the reason is where the quote was opened.
        assert_eq!(doubts("a,b,c\n1,\"open,x\n2,x,y\n3,\"\n"), [(2, 3, message(2, 3))]);
        for honest in [
            "id,q\n1,\"Dear team,\nfirst, do this\nthanks\"\n",
            "id,q,a\n1,\"one\ntwo\nthree\",x\n",
            "id,q,a\n1,x,\"Steps:\n1, then 2, then 3\n\n- go, on\nend\"\n",
            "q\n\"one\ntwo\nthree\nfour\nfive\"\n",
        ] {
            assert_eq!(doubts(honest), [], "{honest}");
        }
    }

    #[test]
    fn search_for_closing_quotes_is_limited() {
        let text = format!("a\n\"open\n{}\"\n", "x\n".repeat(SHORT_ROW));
        let errors = |open_before: usize| {
            let mut rows = open(&text).unwrap();
            rows.open = open_before;
            std::iter::from_fn(|| rows.next()).filter(|(_, row)| row.is_err()).count()
        };
        assert_eq!(errors(0), 0);
        // The row, and the line with the quote that would have closed it.
        assert_eq!(errors(MOST_OPEN), 2);
    }

    #[test]
    fn rows_of_several_lines_are_read_after_many_open_quotes() {
        let text = "a\n\"two\nlines\"\n";
        let mut rows = open(text).unwrap();
        rows.open = MOST_OPEN;
        let (_, row) = rows.next().unwrap();
        assert_eq!(row.unwrap().fields["a"], "two\nlines");
    }
}
