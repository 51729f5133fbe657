//! What an update removes: recorded calls that the agent no longer makes, and those that never reached their host.

use agentci_recorder::{EndKind, FinishedSession, Recording, Remove};

use super::summary::counted;
use crate::cli::recorded::AgentEnd;
use crate::cli::{CliContext, ExitStatus};

/// Drops calls that did not reach their host, so that they are made again.
pub(super) fn drop_unreachable(recording: &mut Recording) {
    let unreachable = recording.exchanges.iter().filter(|exchange| matches!(exchange.end.how, EndKind::Unreachable(_)));
    let ids: Vec<u64> = unreachable.map(|exchange| exchange.id).collect();
    if !ids.is_empty() {
        recording.remove(&Remove { ids, ..Remove::default() });
    }
}

/// Drops what nobody asked for any more, if the agent got to its end: else it may still have come to it. Gives how many calls
/// were dropped.
pub(super) fn drop_unused(finished: &mut FinishedSession, ended: &AgentEnd, context: &CliContext) -> usize {
    let ids = std::mem::take(&mut finished.tally.unused);
    if ids.is_empty() || ended.status() != ExitStatus::Success {
        return 0;
    }
    let count = counted(ids.len(), "recorded call is", "recorded calls are");
    context.say(&format!("{count} no longer made, and removed from the recording\n"));
    finished.recording.remove(&Remove { ids, ..Remove::default() }).exchanges
}
