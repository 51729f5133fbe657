//! Sharding: splits a run across machines, and merges their runs into one.
//!
//! The machines do not communicate. Each computes the same split from the same suites, runs its shard and keeps its run
//! folder. [`gather`] finds the run folders of all shards, and [`GatheredShards::play`] merges them into one run.

mod auto;
mod gather;
mod merge_error;
mod play;
mod search;
mod split;
mod stored_part;

pub use auto::{Shard, ShardError};
pub use gather::{GatheredShards, gather};
pub use merge_error::MergeError;
pub use split::{Durations, split};
