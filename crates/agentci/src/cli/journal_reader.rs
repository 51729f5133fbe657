//! Lets reports read the journal of a run again, so that they need not keep all of it in memory.

use std::path::Path;

use agentci::ledger::LineReader;
use agentci::report::EventReader;

/// Reads events of a `run.jsonl` again. They must be flushed.
pub(super) fn journal_reader(path: &Path) -> EventReader {
    let mut reader = LineReader::new(path);
    EventReader::new(move |place| reader.read(place))
}
