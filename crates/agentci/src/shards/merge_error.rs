//! Why parts do not make a run.

use std::io;
use std::path::PathBuf;

use agentci_ledger::LedgerError;

use super::auto::MOST_PARTS;

/// Why parts do not make a run.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is none.
    #[error("no run folder in `{0}`")]
    Nothing(PathBuf),
    /// A folder cannot be searched.
    #[error("`{path}` can not be searched: {source}")]
    Search {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is too much to search.
    #[error("below `{path}` there are more than {most} folders")]
    Endless {
        /// The folder.
        path: PathBuf,
        /// How many are searched.
        most: usize,
    },
    /// A record cannot be read.
    #[error("the run can not be read: {0}")]
    Unreadable(#[from] LedgerError),
    /// A record has lines that are none.
    #[error("`{path}` is damaged in line {line}")]
    Damaged {
        /// The record.
        path: PathBuf,
        /// The first such line.
        line: u64,
    },
    /// A run did not come to its end.
    #[error("the run in `{0}` did not come to its end")]
    Unfinished(PathBuf),
    /// A run is whole.
    #[error("the run in `{0}` is whole, not a part: it was made without `--shard`")]
    Whole(PathBuf),
    /// A run is one of more parts than there may be.
    #[error("the run in `{path}` is one of {count} parts, and there are from 1 to {MOST_PARTS}")]
    TooMany {
        /// The record.
        path: PathBuf,
        /// How many there are by it.
        count: u32,
    },
    /// Parts of different runs.
    #[error("`{first}` and `{second}` are no parts of one run of `{suite}`: {difference}")]
    Strangers {
        /// The suite.
        suite: String,
        /// One record.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// How they differ.
        difference: String,
    },
    /// A part is there twice.
    #[error("part {index} of `{suite}` is there twice: `{first}` and `{second}`")]
    Doubled {
        /// The suite.
        suite: String,
        /// Which part.
        index: u32,
        /// One record.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// Parts are missing.
    #[error("of `{suite}` {there} of {cases} cases are there: of {count} parts there is no {parts}")]
    Missing {
        /// The suite.
        suite: String,
        /// How many cases there are.
        there: usize,
        /// How many there should be.
        cases: usize,
        /// The parts that are missing, in words.
        parts: String,
        /// Of how many.
        count: u32,
    },
    /// A case is in two parts.
    #[error("the case `{case}` of `{suite}` is in two parts; they were split by different durations")]
    Twice {
        /// The suite.
        suite: String,
        /// The case.
        case: String,
    },
}
