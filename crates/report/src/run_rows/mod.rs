//! The rows of a run, as all of its reports see them.
//!
//! A run may have a million cases, and nearly all of them pass. So only the rows that reports refer to stay in memory:
//! those that did not pass, or of which there is more to say, and the first 10,000 cases. Of the others, [`RunRows`]
//! keeps the place of their last event in the journal of the run, and reads it again when a report lists all cases.
//! What reports count over all cases is counted when a row leaves memory ([`RowTally`]).
//!
//! ```text
//! position  0 .. 9999                       all rows            in memory
//!           10000 ..  failed, warned, ..    the row             in memory
//!                     passed                24 bytes and its id the rest is in run.jsonl
//! ```

mod reader;
mod row_ref;
mod rows;
mod stored;
mod tally;

pub use reader::JournalReader;
pub use row_ref::RowRef;
pub(crate) use rows::FIRST;
pub use rows::RunRows;
