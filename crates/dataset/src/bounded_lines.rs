//! Reads lines of limited length, and counts where they begin.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use agentci_source::DataInput;

use crate::row::RowSpot;

/// The maximum size of a row in bytes, so that a file that is no data cannot fill the memory.
pub(crate) const ROW_LIMIT: usize = 10 << 20;

/// The byte order mark that some editors write.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines of a file. Both the position and the number of the next line are known.
pub(crate) struct BoundedLines {
    input: BufReader<Box<dyn DataInput>>,
    next: RowSpot,
}

impl BoundedLines {
    pub(crate) fn new(input: Box<dyn DataInput>) -> io::Result<Self> {
        let mut input = BufReader::with_capacity(64 << 10, input);
        let mut next = RowSpot { offset: 0, line: 1, column: 1 };
        if input.fill_buf()?.starts_with(MARK) {
            input.consume(MARK.len());
            next.offset = MARK.len() as u64;
        }
        Ok(Self { input, next })
    }

    /// Where the next line begins.
    pub(crate) fn next_spot(&self) -> RowSpot {
        self.next
    }

    /// Appends the next line with its end to `into`; `false` at the end of the file. At most [`ROW_LIMIT`] bytes are
    /// appended in total; the rest of a longer line is skipped, and `into` is then longer than the limit by one byte.
    pub(crate) fn append_line(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        let before = into.len();
        let left = (ROW_LIMIT + 1).saturating_sub(before);
        let mut count = self.input.by_ref().take(left as u64).read_until(b'\n', into)?;
        if count == 0 && left > 0 {
            return Ok(false);
        }
        if into.last() != Some(&b'\n') || count == 0 {
            count += self.skip_line()?;
        }
        self.next.offset += count as u64;
        self.next.line = self.next.line.saturating_add(1);
        Ok(true)
    }

    /// Skips to the end of the line; returns the number of bytes.
    fn skip_line(&mut self) -> io::Result<usize> {
        let mut skipped = 0;
        loop {
            let available = self.input.fill_buf()?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let (count, ended) = end.map_or((available.len(), available.is_empty()), |at| (at + 1, true));
            self.input.consume(count);
            skipped += count;
            if ended {
                return Ok(skipped);
            }
        }
    }

    /// Continues at another line.
    pub(crate) fn seek(&mut self, spot: RowSpot) -> io::Result<()> {
        seek(&mut self.input, self.next.offset, spot.offset)?;
        self.next = spot;
        Ok(())
    }
}

/// Moves from one position to another, inside of the buffer if possible.
pub(crate) fn seek(input: &mut BufReader<Box<dyn DataInput>>, from: u64, to: u64) -> io::Result<()> {
    if from == to {
        return Ok(());
    }
    match i64::try_from(i128::from(to) - i128::from(from)) {
        Ok(distance) => input.seek_relative(distance),
        Err(_) => input.seek(SeekFrom::Start(to)).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn lines(text: &[u8]) -> BoundedLines {
        BoundedLines::new(Box::new(Cursor::new(text.to_vec()))).unwrap()
    }

    #[test]
    fn positions_allow_reading_a_line_again() {
        let mut lines = lines("\u{feff}one\r\n\ntwo".as_bytes());
        let mut line = Vec::new();
        let mut all = Vec::new();
        loop {
            let spot = lines.next_spot();
            line.clear();
            if !lines.append_line(&mut line).unwrap() {
                break;
            }
            all.push((spot, line.clone()));
        }
        assert_eq!(all.iter().map(|(spot, _)| spot.line).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(all[0].1, b"one\r\n");
        for (spot, text) in all.iter().rev() {
            lines.seek(*spot).unwrap();
            line.clear();
            assert!(lines.append_line(&mut line).unwrap());
            assert_eq!(line, *text);
        }
    }

    #[test]
    fn long_lines_are_cut_and_the_next_line_is_found() {
        let mut text = vec![b'x'; ROW_LIMIT * 2];
        text.extend_from_slice(b"\nnext\n");
        let mut lines = lines(&text);
        let mut line = Vec::new();
        assert!(lines.append_line(&mut line).unwrap());
        assert_eq!(line.len(), ROW_LIMIT + 1);
        line.clear();
        assert!(lines.append_line(&mut line).unwrap());
        assert_eq!((line.as_slice(), lines.next_spot().line), (b"next\n".as_slice(), 3));
    }
}
