//! The run folder: creates it, appends events, writes files and reads them back.
//!
//! ```text
//! .agentci/runs/refunds/20260314-092653/
//!     run.jsonl       grows by one line an event, readable after a crash
//!     summary.json    complete or absent, like every file but run.jsonl
//! ```
//!
//! [`RunFolder`] creates a folder for each run, [`RunJournal`] appends run events to it, and [`read`] and [`play`] read
//! them back. A [`JournalLines`] reads single events again.

mod error;
mod folder;
mod jsonl;
mod line_reader;
mod name;

pub use agentci_files::{write_pieces, write_whole};
pub use error::LedgerError;
pub use folder::RunFolder;
pub use jsonl::{
    Damage, JournalContent, JournalDamage, RunJournal, is_being_written, play, play_places, play_while, read,
};
pub use line_reader::JournalLines;
pub use name::safe_name;
