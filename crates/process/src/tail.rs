//! The last lines of a stream that may be endless.

use std::collections::VecDeque;

const MOST_LINES: usize = 200;
const MOST_LINE: usize = 2_000;
const MOST_BYTES: usize = 64 * 1024;

/// The end of a truncated line. Secrets are removed later: the redactor knows this mark and treats the beginning of a
/// secret before it as the whole secret.
const CUT: &[u8] = b" [cut]";

/// Keeps the last lines, each truncated to a maximum length.
#[derive(Debug, Default)]
pub(crate) struct LastLines {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The beginning of the line being read.
    open: Vec<u8>,
    open_cut: bool,
}

impl LastLines {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        // Always keep the start of a line: the end of a secret alone could not be recognised.
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            let room = MOST_LINE.saturating_sub(self.open.len());
            self.open_cut |= text.len() > room;
            self.open.extend_from_slice(&text[..text.len().min(room)]);
            if ended {
                self.close();
            }
        }
    }

    fn close(&mut self) {
        let mut line = std::mem::take(&mut self.open);
        if std::mem::take(&mut self.open_cut) {
            line.truncate(whole_letters(&line));
            line.extend_from_slice(CUT);
        }
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > MOST_LINES || self.bytes > MOST_BYTES {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
        }
    }

    /// The lines as text; bytes that are not UTF-8 become the replacement character.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        if !self.open.is_empty() {
            self.close();
        }
        self.lines.iter().map(|line| String::from_utf8_lossy(line).trim_end_matches('\r').to_owned()).collect()
    }
}

/// The length of a line without an incomplete last character.
fn whole_letters(line: &[u8]) -> usize {
    match str::from_utf8(line) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => line.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_last_lines_of_large_output() {
        let mut tail = LastLines::default();
        for number in 0..100_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        tail.push(b"un");
        tail.push(b"finished \xff");
        let lines = tail.lines();
        assert_eq!(lines.len(), MOST_LINES);
        assert_eq!(lines.last().map(String::as_str), Some("unfinished \u{fffd}"));
        assert_eq!(lines[MOST_LINES - 2], "line 99999");
    }

    #[test]
    fn keeps_fewer_lines_when_lines_are_long() {
        let mut tail = LastLines::default();
        for number in 0..MOST_LINES {
            tail.push(format!("{number}{}\n", "x".repeat(MOST_LINE)).as_bytes());
        }
        let lines = tail.lines();
        assert!(lines.iter().map(String::len).sum::<usize>() <= MOST_BYTES && lines.len() > MOST_BYTES / MOST_LINE / 2);
        assert!(lines.last().is_some_and(|line| line.starts_with(&(MOST_LINES - 1).to_string())));
    }

    #[test]
    fn cuts_long_line_at_character_boundary() {
        let mut tail = LastLines::default();
        tail.push(format!("{}ö and more\n", "x".repeat(MOST_LINE - 1)).as_bytes());
        assert_eq!(tail.lines(), [format!("{} [cut]", "x".repeat(MOST_LINE - 1))]);
    }

    #[test]
    fn unterminated_line_uses_bounded_memory() {
        let mut tail = LastLines::default();
        for _ in 0..1_000 {
            tail.push(&vec![b'x'; 64 * 1024]);
        }
        assert!(tail.open.len() <= MOST_LINE);
        assert!(tail.lines()[0].ends_with(" [cut]"));
    }
}
