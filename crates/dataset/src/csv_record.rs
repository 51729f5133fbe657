//! Splits a record of CSV into fields.

/// Why the text read so far is not a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CsvRecordError {
    /// A quote is not closed, so that the record may continue on the next line. The byte at which the quote is.
    Open(usize),
    /// There is text after a closing quote. The bytes at which the quote opened and at which the text is.
    AfterQuote(usize, usize),
}

/// Splits a record, with its line end, into `fields`: for each its text and the byte at which it begins.
pub(crate) fn split(record: &[u8], delimiter: u8, fields: &mut Vec<(Vec<u8>, usize)>) -> Result<(), CsvRecordError> {
    fields.clear();
    let end = record.len() - line_end(record);
    let record = &record[..end];
    let mut at = 0;
    loop {
        let begin = at;
        let mut text = Vec::new();
        if record.get(at) == Some(&b'"') {
            at += 1;
            loop {
                let length = record[at..].iter().position(|byte| *byte == b'"').ok_or(CsvRecordError::Open(begin))?;
                text.extend_from_slice(&record[at..at + length]);
                at += length + 1;
                if record.get(at) != Some(&b'"') {
                    break;
                }
                text.push(b'"');
                at += 1;
            }
        } else {
            let length = record[at..].iter().position(|byte| *byte == delimiter).unwrap_or(end - at);
            text.extend_from_slice(&record[at..at + length]);
            at += length;
        }
        fields.push((text, begin));
        match record.get(at) {
            None => return Ok(()),
            Some(byte) if *byte == delimiter => at += 1,
            Some(_) => return Err(CsvRecordError::AfterQuote(begin, at)),
        }
    }
}

/// The length of the line end of a line.
pub(crate) fn line_end(line: &[u8]) -> usize {
    if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(record: &str) -> Result<Vec<String>, CsvRecordError> {
        let mut fields = Vec::new();
        split(record.as_bytes(), b',', &mut fields)?;
        Ok(fields.into_iter().map(|(text, _)| String::from_utf8(text).unwrap()).collect())
    }

    #[test]
    fn quotes_protect_delimiters_line_ends_and_quotes() {
        assert_eq!(fields("a,,c\r\n").unwrap(), ["a", "", "c"]);
        assert_eq!(fields("\"a,\"\"b\"\"\nc\",d").unwrap(), ["a,\"b\"\nc", "d"]);
        assert_eq!(fields("").unwrap(), [""]);
        assert_eq!(fields("a\"b,\"\"").unwrap(), ["a\"b", ""]);
        assert_eq!(fields("a,").unwrap(), ["a", ""]);
    }

    #[test]
    fn broken_quotes_are_located() {
        assert_eq!(fields("a,\"b\n"), Err(CsvRecordError::Open(2)));
        assert_eq!(fields("a,\"b\"c"), Err(CsvRecordError::AfterQuote(2, 5)));
    }
}
