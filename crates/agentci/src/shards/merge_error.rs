//! Why shards cannot be merged.

use std::io;
use std::path::PathBuf;

use agentci_ledger::LedgerError;

use super::auto::MOST_PARTS;

/// Why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is no run folder.
    #[error("no run folder in `{0}`")]
    Nothing(PathBuf),
    /// A folder cannot be searched.
    #[error("`{path}` cannot be searched: {source}")]
    Search {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// There are too many folders to search.
    #[error("below `{path}` there are more than {most} folders")]
    Endless {
        /// The folder.
        path: PathBuf,
        /// How many folders are searched.
        most: usize,
    },
    /// A journal cannot be read.
    #[error("the run cannot be read: {0}")]
    Unreadable(#[from] LedgerError),
    /// A journal has invalid lines.
    #[error("`{path}` is damaged in line {line}")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The first invalid line.
        line: u64,
    },
    /// A run did not finish.
    #[error("the run in `{0}` did not finish")]
    Unfinished(PathBuf),
    /// A run is not a shard.
    #[error("the run in `{0}` is not a shard: it ran without `--shard`")]
    Whole(PathBuf),
    /// A run has an invalid number of shards.
    #[error("the run in `{path}` is one of {count} shards, expected 1 to {MOST_PARTS}")]
    TooMany {
        /// The journal.
        path: PathBuf,
        /// The number of shards.
        count: u32,
    },
    /// The shards are of different runs.
    #[error("`{first}` and `{second}` are not shards of the same run of `{suite}`: {difference}")]
    Strangers {
        /// The suite.
        suite: String,
        /// One journal.
        first: PathBuf,
        /// The other journal.
        second: PathBuf,
        /// How they differ.
        difference: String,
    },
    /// A shard occurs twice.
    #[error("shard {index} of `{suite}` occurs twice: `{first}` and `{second}`")]
    Doubled {
        /// The suite.
        suite: String,
        /// The number of the shard.
        index: u32,
        /// One journal.
        first: PathBuf,
        /// The other journal.
        second: PathBuf,
    },
    /// Shards are missing.
    #[error("`{suite}` is incomplete: found {there} of {cases} cases; missing of {count} shards: {parts}")]
    Missing {
        /// The suite.
        suite: String,
        /// The number of cases found.
        there: usize,
        /// The number of cases expected.
        cases: usize,
        /// The missing shards, in words.
        parts: String,
        /// The number of shards.
        count: u32,
    },
    /// A case is in two shards.
    #[error("case `{case}` of `{suite}` is in two shards; they were split by different durations")]
    Twice {
        /// The suite.
        suite: String,
        /// The case.
        case: String,
    },
}
