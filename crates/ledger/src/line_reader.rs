//! Reads single events of a `run.jsonl` again.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use agentci_verdict::{LinePlace, RunEvent};
use fs_err::File;

use crate::jsonl::parse;

/// The most that is read at once while events are read in the order of the file.
const PIECE: usize = 256 * 1024;
/// How much is read at once after a jump. Each further piece is twice as large.
const FIRST_PIECE: usize = 4 * 1024;

/// Reads events by their places. Fast for events in the order of the file, in which most of them are read.
#[derive(Debug)]
pub struct JournalLines {
    path: PathBuf,
    file: Option<File>,
    /// A piece of the file, and its offset.
    piece: Vec<u8>,
    begin: u64,
}

impl JournalLines {
    /// A reader of this file, which is opened for the first event.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), file: None, piece: Vec::new(), begin: 0 }
    }

    /// Reads an event. The file must not have changed since its place was known.
    pub fn read(&mut self, place: LinePlace) -> io::Result<RunEvent> {
        let length = place.length as usize;
        let offset = match self.offset(place.at, length) {
            Some(offset) => offset,
            None => self.load(place.at, length)?,
        };
        let line = self.piece.get(offset..offset + length);
        line.ok_or_else(|| "the file is too short".to_owned()).and_then(parse).map_err(|reason| {
            io::Error::other(format!("an event cannot be read again from `{}`: {reason}", self.path.display()))
        })
    }

    /// Where the current piece has these bytes, if it has them.
    fn offset(&self, at: u64, length: usize) -> Option<usize> {
        let offset = usize::try_from(at.checked_sub(self.begin)?).ok()?;
        (offset.checked_add(length)? <= self.piece.len()).then_some(offset)
    }

    /// Reads a piece with these bytes, and returns where it has them: a larger one if they follow the current piece.
    fn load(&mut self, at: u64, length: usize) -> io::Result<usize> {
        let end = self.begin + self.piece.len() as u64;
        let follows = at >= self.begin && at <= end.saturating_add(FIRST_PIECE as u64);
        let size = if follows { (2 * self.piece.len()).clamp(FIRST_PIECE, PIECE) } else { FIRST_PIECE };
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::open(&self.path)?),
        };
        file.seek(SeekFrom::Start(at))?;
        self.piece.clear();
        // A single huge event must not occupy its memory until the end.
        self.piece.shrink_to(PIECE);
        self.begin = at;
        file.by_ref().take(size.max(length) as u64).read_to_end(&mut self.piece)?;
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use agentci_verdict::{Body, TextSaid};

    use super::*;
    use crate::{RunFolder, RunJournal, play_places};

    fn said(text: &str) -> RunEvent {
        let body = Body::Text(TextSaid { turn: 0, text: text.to_owned() });
        RunEvent { suite: "demo".into(), case_id: Some("t1".into()), attempt: Some(1), timestamp: 7, body }
    }

    #[test]
    fn reads_events_in_any_order() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "demo", 0).unwrap();
        let path = folder.path().join("run.jsonl");
        let mut journal = RunJournal::create(&folder).unwrap();
        let events: Vec<RunEvent> = (0..500_usize).map(|number| said(&"é".repeat(number * 7 % 3000))).collect();
        let mut places = Vec::new();
        for event in &events {
            journal.hold(event).unwrap();
            places.push(journal.last_place().unwrap());
        }
        journal.flush().unwrap();
        let mut played = Vec::new();
        play_places(&path, |_, place| played.extend(place)).unwrap();
        assert_eq!(played, places);
        let mut reader = JournalLines::new(&path);
        let backwards = (0..500).rev();
        for at in (0..500).chain(backwards).chain([7, 499, 0, 250]) {
            assert_eq!(reader.read(places[at]).unwrap(), events[at]);
        }
    }

    #[test]
    fn changed_file_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        std::fs::write(&path, said("x").to_line().unwrap()).unwrap();
        let error = |place| JournalLines::new(&path).read(place).unwrap_err().to_string();
        assert!(error(LinePlace { at: 1, length: 9 }).starts_with("an event cannot be read again from `"));
        assert!(error(LinePlace { at: 0, length: 9999 }).ends_with("the file is too short"));
        assert!(JournalLines::new("nowhere").read(LinePlace { at: 0, length: 1 }).is_err());
    }
}
