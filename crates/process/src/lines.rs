//! Reads lines of bytes with a length limit, split on `\n` only.

use tokio::io::{AsyncRead, AsyncReadExt as _};

const CHUNK: usize = 16 * 1024;

/// Reads lines. Reading is cancellation safe.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The start of the next line.
    start: usize,
    /// How far from `start` the buffer was searched for a line end.
    searched: usize,
    limit: usize,
    ended: bool,
}

/// Why there is no next line.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The line exceeds the limit.
    #[error("a line is longer than {limit} bytes")]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
        /// The beginning of the line.
        beginning: Vec<u8>,
    },
    /// The stream broke.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads lines of at most `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        Self { reader, buffer: Vec::new(), start: 0, searched: 0, limit, ended: false }
    }

    /// The next line without its line end; the last line need not have one. `None` at the end.
    pub async fn next(&mut self) -> Result<Option<&[u8]>, LineError> {
        loop {
            let unseen = self.start + self.searched;
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[unseen..]) {
                let (start, end) = (self.start, unseen + length);
                self.start = end + 1;
                self.searched = 0;
                return Ok(Some(&self.buffer[start..end]));
            }
            self.searched = self.buffer.len() - self.start;
            if self.searched > self.limit {
                let beginning = self.buffer[self.start..].iter().take(200).copied().collect();
                return Err(LineError::TooLong { limit: self.limit, beginning });
            }
            if self.ended {
                let start = self.start;
                self.start = self.buffer.len();
                self.searched = 0;
                return Ok((start < self.buffer.len()).then(|| &self.buffer[start..]));
            }
            self.make_room();
            self.ended = self.reader.read_buf(&mut self.buffer).await? == 0;
        }
    }

    /// Drops the lines that were returned and reserves space for one read.
    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        // Reads grow with the line, so that a long line does not take many small reads.
        self.buffer.reserve(self.buffer.len().clamp(CHUNK, 1 << 20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], limit: usize) -> Result<Vec<String>, LineError> {
        let mut lines = LineReader::new(bytes, limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await? {
            found.push(String::from_utf8_lossy(line).into_owned());
        }
        Ok(found)
    }

    #[tokio::test]
    async fn splits_on_line_feeds_only() {
        let found = all("a\r\n\nb\u{2028}c\u{85}d\nlast".as_bytes(), 100).await.unwrap();
        assert_eq!(found, ["a\r", "", "b\u{2028}c\u{85}d", "last"]);
        assert!(all(b"", 100).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn reads_lines_of_any_length_completely() {
        let lines: Vec<String> =
            [0, 1, CHUNK - 1, 3, CHUNK, 3 * CHUNK, 10 * CHUNK, 2].iter().map(|length| "x".repeat(*length)).collect();
        assert_eq!(all(lines.join("\n").as_bytes(), 1 << 20).await.unwrap(), lines);
    }

    #[tokio::test]
    async fn refuses_a_line_beyond_the_limit() {
        let mut bytes = b"fine\n".to_vec();
        bytes.extend(vec![b'x'; 300]);
        let mut lines = LineReader::new(&bytes[..], 250);
        assert_eq!(lines.next().await.unwrap(), Some(&b"fine"[..]));
        let error = lines.next().await.unwrap_err();
        assert!(matches!(error, LineError::TooLong { limit: 250, ref beginning } if beginning.len() == 200), "{error}");
    }
}
