//! One run on several machines: which cases each takes, and how their runs become one again.
//!
//! Machines need not know of each other. Each works out the same split from the same suites, runs its part and keeps its run
//! folder; [`gather`] finds the folders of all parts, and [`GatheredShards::play`] makes one run of them.

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
