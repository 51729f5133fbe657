//! Lets reports read the journal of a run again, so that they need not keep all of it in memory.

use std::path::Path;

use agentci::ledger::JournalLines;
use agentci::report::JournalReader;

/// Reads events of a `run.jsonl` again. They must be flushed.
pub(super) fn journal_reader(path: &Path) -> JournalReader {
    let mut reader = JournalLines::new(path);
    JournalReader::new(move |place| reader.read(place))
}
