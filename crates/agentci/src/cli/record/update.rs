//! What an update removes: recorded calls that the agent no longer makes.

use agentci::verdict::ExitStatus;
use agentci_recorder::{Finished, Remove};

use super::summary::counted;
use crate::cli::context::Context;
use crate::cli::recorded::Ended;

/// Drops what nobody asked for any more, if the agent got to its end: else it may still have come to it. Gives how many calls
/// were dropped.
pub(super) fn drop_unused(finished: &mut Finished, ended: &Ended, context: &Context) -> usize {
    let ids = std::mem::take(&mut finished.tally.unused);
    if ids.is_empty() || ended.status() != ExitStatus::Success {
        return 0;
    }
    let count = counted(ids.len(), "recorded call is", "recorded calls are");
    context.say(&format!("{count} no longer made, and removed from the recording\n"));
    finished.recording.remove(&Remove { ids, ..Remove::default() }).exchanges
}
