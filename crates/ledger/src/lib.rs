//! The run folder: create, append, write whole, read back.
//!
//! ```text
//! .agentci/runs/refunds/20260314-092653/
//!     run.jsonl       grows by one line an event, readable after a crash
//!     summary.json    complete or absent, like every file but run.jsonl
//! ```
//!
//! [`RunFolder`] gives each run a folder of its own, [`RunJournal`] appends run events to it, [`read`] and [`play`] get them back.

mod atomic_file;
mod error;
mod folder;
mod jsonl;
mod name;

pub use atomic_file::{write_pieces, write_whole};
pub use error::LedgerError;
pub use folder::RunFolder;
pub use jsonl::{Damage, Playback, Readback, RunJournal, play, read};
pub use name::safe_name;
