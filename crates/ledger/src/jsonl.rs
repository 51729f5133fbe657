//! `run.jsonl`: one run event per line, appended as it happens.
//!
//! ```json
//! {"v":1,"type":"run_start","suite":"demo","timestamp":1763176000123,"run_id":"20251115-030640", ...}
//! {"v":1,"type":"task_start","suite":"demo","case_id":"t1","attempt":1,"timestamp":1763176000125, ...}
//! ```
//!
//! Lines may be buffered briefly, so that those of many short cases are written together; reports of a case flush them
//! first, so a killed run loses nothing that was reported. What can remain is a torn last line, which [`read`]
//! distinguishes from damage.

use std::fs::TryLockError;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use agentci_verdict::{LinePlace, RunEvent};
use fs_err::File;

use crate::{LedgerError, RunFolder};

/// The name of the file in the run folder.
const FILE_NAME: &str = "run.jsonl";

/// The maximum length of a line that is read back, in bytes.
const LINE_LIMIT: u64 = 256 * 1024 * 1024;

/// The maximum number of lines that are recorded as damaged. A later build may write events that this one does not
/// support, but not this many.
const DAMAGE_LIMIT: usize = 100_000;

/// The maximum size of the buffer, in bytes.
const HELD_LIMIT: usize = 64 * 1024;

/// How long the lock of a run that was killed may stay: a process that it was just starting shares it for a moment.
const LOCK_TIME: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct RunJournal {
    file: File,
    /// Complete lines that are not written yet.
    held: Vec<u8>,
    /// The number of bytes that are in the file.
    written: u64,
    /// The place of the last event.
    last: Option<LinePlace>,
    failed: bool,
}

impl RunJournal {
    /// Creates `run.jsonl` in a run folder.
    pub fn create(folder: &RunFolder) -> Result<Self, LedgerError> {
        let path = folder.path().join(FILE_NAME);
        let file = fs_err::OpenOptions::new().append(true).create_new(true).open(path)?;
        // Shows that the run goes on, until the process ends in whatever way. Not every file system supports it.
        let _ = file.file().try_lock();
        Ok(Self { file, held: Vec::new(), written: 0, last: None, failed: false })
    }

    /// Appends an event and flushes it to the file. After the first failure nothing more is written, because the file
    /// may end in half a line; only that failure is returned, so that a caller that warns does so once.
    pub fn append(&mut self, event: &RunEvent) -> Result<(), LedgerError> {
        self.hold(event)?;
        self.flush()
    }

    /// Adds an event that may be buffered until [`RunJournal::flush`] is called, more events follow, or the journal is
    /// dropped.
    pub fn hold(&mut self, event: &RunEvent) -> Result<(), LedgerError> {
        self.last = None;
        if self.failed {
            return Ok(());
        }
        let before = self.held.len();
        if let Err(source) = event.write_line(&mut self.held) {
            self.held.truncate(before);
            // The lines before it are complete.
            let _ = self.flush();
            self.failed = true;
            return Err(LedgerError::Event { path: self.file.path().to_path_buf(), source });
        }
        let length = u32::try_from(self.held.len() - before).ok();
        self.last = length.map(|length| LinePlace { at: self.written + before as u64, length });
        self.held.push(b'\n');
        if self.held.len() < HELD_LIMIT { Ok(()) } else { self.flush() }
    }

    /// Writes the buffered lines.
    pub fn flush(&mut self) -> Result<(), LedgerError> {
        if self.failed || self.held.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(&self.held);
        self.failed = written.is_err();
        self.written += self.held.len() as u64;
        self.held.clear();
        // A single huge event must not occupy its memory for the rest of the run.
        self.held.shrink_to(2 * HELD_LIMIT);
        Ok(written?)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Where the last event is, or will be after [`RunJournal::flush`]; `None` if it could not be written.
    pub fn last_place(&self) -> Option<LinePlace> {
        self.last.filter(|_| !self.failed)
    }

    /// Whether all events are in the file.
    pub fn is_flushed(&self) -> bool {
        self.held.is_empty()
    }
}

impl Drop for RunJournal {
    fn drop(&mut self) {
        // Callers that need the error flush before.
        let _ = self.flush();
    }
}

/// The content of a stored run.
#[derive(Debug, Default)]
pub struct JournalContent {
    /// The events, in the order they were appended.
    pub events: Vec<RunEvent>,
    /// Lines without an event that this build can read.
    pub damaged: Vec<Damage>,
    /// Whether the last line is incomplete because the run was killed.
    pub torn: bool,
}

/// A damaged line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The line number, from 1.
    pub line: u64,
    /// What is wrong with the line.
    pub reason: String,
}

/// The damage of a stored run.
#[derive(Debug, Default)]
pub struct JournalDamage {
    /// Lines without an event that this build can read.
    pub damaged: Vec<Damage>,
    /// Whether the last line is incomplete because the run was killed.
    pub torn: bool,
}

/// Reads a `run.jsonl`. Only a file that cannot be opened or read is an error: bad lines are recorded and skipped.
pub fn read(path: &Path) -> Result<JournalContent, LedgerError> {
    let mut events = Vec::new();
    let JournalDamage { damaged, torn } = play(path, |event| events.push(event))?;
    Ok(JournalContent { events, damaged, torn })
}

/// Reads a `run.jsonl` like [`read`], and passes on each event as it is read: a long run need not fit into memory.
pub fn play(path: &Path, mut on_event: impl FnMut(RunEvent)) -> Result<JournalDamage, LedgerError> {
    play_places(path, |event, _| on_event(event))
}

/// The same, with the place of each event, from which a [`crate::JournalLines`] can read it again. A pipe has no places.
pub fn play_places(
    path: &Path,
    mut on_event: impl FnMut(RunEvent, Option<LinePlace>),
) -> Result<JournalDamage, LedgerError> {
    let file = File::open(path)?;
    let is_file = file.metadata()?.is_file();
    let played = play_lines(BufReader::new(file), LINE_LIMIT, |_, event, place| {
        on_event(event, place.filter(|_| is_file));
        true
    });
    Ok(played?)
}

/// Reads a `run.jsonl` like [`play`], with the number of each line, until `on_event` returns `false`.
pub fn play_while(path: &Path, mut on_event: impl FnMut(u64, RunEvent) -> bool) -> Result<JournalDamage, LedgerError> {
    Ok(play_lines(BufReader::new(File::open(path)?), LINE_LIMIT, |number, event, _| on_event(number, event))?)
}

/// Whether a run is still writing this `run.jsonl`.
pub fn is_being_written(path: &Path) -> Result<bool, LedgerError> {
    let file = File::open(path)?;
    let until = Instant::now() + LOCK_TIME;
    // Other errors mean that the file system does not support locks.
    while matches!(file.file().try_lock_shared(), Err(TryLockError::WouldBlock)) {
        if Instant::now() > until {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(false)
}

fn play_lines(
    mut reader: impl BufRead,
    limit: u64,
    mut on_event: impl FnMut(u64, RunEvent, Option<LinePlace>) -> bool,
) -> io::Result<JournalDamage> {
    let mut playback = JournalDamage::default();
    let mut line = Vec::new();
    let mut at = 0;
    for number in 1.. {
        line.clear();
        // A single huge line must not occupy its memory for the rest of the file.
        line.shrink_to(1024 * 1024);
        let length = reader.by_ref().take(limit + 1).read_until(b'\n', &mut line)?;
        if length == 0 {
            break;
        }
        let begin = at;
        at += length as u64;
        let ended = line.last() == Some(&b'\n');
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if text.len() as u64 > limit {
            at += reader.skip_until(b'\n')? as u64;
            playback.damaged.push(Damage { line: number, reason: format!("longer than {limit} bytes") });
            continue;
        }
        match parse(text) {
            Ok(event) => {
                let length = u32::try_from(text.len()).ok();
                if !on_event(number, event, length.map(|length| LinePlace { at: begin, length })) {
                    break;
                }
            }
            Err(_) if !ended => playback.torn = true,
            Err(reason) => playback.damaged.push(Damage { line: number, reason }),
        }
        if playback.damaged.len() > DAMAGE_LIMIT {
            return Err(io::Error::other(format!("more than {DAMAGE_LIMIT} of its lines are not run events")));
        }
    }
    Ok(playback)
}

pub(crate) fn parse(line: &[u8]) -> Result<RunEvent, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    RunEvent::from_line(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use agentci_verdict::{Body, RunEnd, TextSaid};

    use super::*;

    fn said(text: &str) -> RunEvent {
        RunEvent {
            suite: "demo".into(),
            case_id: Some("t1".into()),
            attempt: Some(1),
            timestamp: 7,
            body: Body::Text(TextSaid { turn: 0, text: text.to_owned() }),
        }
    }

    fn read_lines(bytes: &[u8], limit: u64) -> io::Result<JournalContent> {
        let mut events = Vec::new();
        let JournalDamage { damaged, torn } = play_lines(bytes, limit, |_, event, _| {
            events.push(event);
            true
        })?;
        Ok(JournalContent { events, damaged, torn })
    }

    fn line(event: &RunEvent) -> String {
        event.to_line().unwrap() + "\n"
    }

    #[test]
    fn appended_events_are_immediately_on_disk() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "demo", 0).unwrap();
        let mut journal = RunJournal::create(&folder).unwrap();
        for count in 1..=3 {
            journal.append(&said("a\nb\u{2028}c")).unwrap();
            let readback = read(&folder.path().join("run.jsonl")).unwrap();
            assert_eq!(readback.events, vec![said("a\nb\u{2028}c"); count]);
            assert!(readback.damaged.is_empty() && !readback.torn);
        }
        assert!(RunJournal::create(&folder).is_err(), "a second journal would write into the first");
    }

    #[test]
    fn buffered_events_are_written_in_whole_lines() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "demo", 0).unwrap();
        let path = folder.path().join("run.jsonl");
        let mut journal = RunJournal::create(&folder).unwrap();
        journal.hold(&said("one")).unwrap();
        assert!(!journal.is_flushed() && read(&path).unwrap().events.is_empty());
        journal.flush().unwrap();
        assert_eq!(read(&path).unwrap().events, [said("one")]);
        let long = said(&"x".repeat(HELD_LIMIT / 3));
        for _ in 0..3 {
            journal.hold(&long).unwrap();
        }
        assert!(journal.is_flushed(), "there is a limit to what is held back");
        journal.hold(&said("last")).unwrap();
        drop(journal);
        let readback = read(&path).unwrap();
        assert_eq!(readback.events, [said("one"), long.clone(), long.clone(), long, said("last")]);
        assert!(readback.damaged.is_empty() && !readback.torn);
    }

    #[test]
    fn truncated_last_line_is_not_damage() {
        let whole = line(&said("one"));
        let torn = format!("{whole}{}", &whole[..20]);
        let readback = read_lines(torn.as_bytes(), 1000).unwrap();
        assert_eq!(readback.events.len(), 1);
        assert!(readback.torn && readback.damaged.is_empty());
        let unended = read_lines(whole.trim_end().as_bytes(), 1000).unwrap();
        assert_eq!(unended.events.len(), 1);
        assert!(!unended.torn);
    }

    #[test]
    fn refuses_file_with_too_many_damaged_lines() {
        let damaged = read_lines(&b"x\n".repeat(DAMAGE_LIMIT), 100).unwrap().damaged;
        assert_eq!(damaged.len(), DAMAGE_LIMIT);
        let error = read_lines(&b"x\n".repeat(DAMAGE_LIMIT + 1), 100).unwrap_err();
        assert_eq!(error.to_string(), "more than 100000 of its lines are not run events");
    }

    #[test]
    fn damaged_lines_are_reported_and_skipped() {
        let long = line(&said(&"x".repeat(300)));
        let newer = line(&said("y")).replace("\"text\",", "\"hologram\",");
        let version = line(&said("y")).replace("\"v\":1", "\"v\":2");
        let mut bytes = b"\xff\n\n".to_vec();
        bytes.extend_from_slice([long, line(&said("kept")), newer, version].concat().as_bytes());
        let readback = read_lines(&bytes, 200).unwrap();
        assert_eq!(readback.events, [said("kept")]);
        let numbers: Vec<u64> = readback.damaged.iter().map(|damage| damage.line).collect();
        assert_eq!(numbers, [1, 2, 3, 5, 6]);
        assert_eq!(readback.damaged[2].reason, "longer than 200 bytes");
        assert_eq!(readback.damaged[3].reason, "unknown event type `hologram`");
        assert!(!readback.torn);
    }

    #[test]
    fn missing_file_error_names_the_path() {
        let error = read(Path::new("nowhere/run.jsonl")).unwrap_err();
        assert!(error.to_string().contains("nowhere/run.jsonl"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn full_disk_is_reported_once() {
        let file = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut journal = RunJournal { file, held: Vec::new(), written: 0, last: None, failed: false };
        let end = RunEvent { body: Body::RunEnd(RunEnd::default()), ..said("") };
        let error = journal.append(&end).unwrap_err();
        assert!(error.to_string().contains("/dev/full"), "{error}");
        assert_eq!(journal.last_place(), None);
        journal.append(&end).unwrap();
    }
}
