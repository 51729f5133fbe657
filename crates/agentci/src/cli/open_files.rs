//! Limits the number of parallel cases to what the limit on open files allows. Any more could fail for a reason that
//! has nothing to do with the agent.

use agentci::plan::{CasePosition, Suite, Target};

use super::CliContext;

/// Open files besides those of cases: reports, servers, the guard, and temporary ones while a process starts.
const OURS: u64 = 64;
/// The most open files of a case: three pipes and a process handle, or its connections and those to the servers of its
/// world.
const OF_A_CASE: u64 = 8;

/// The number of cases that may run in parallel. Prints a note if it is lower than `parallel`.
pub(super) fn fit(parallel: usize, suite: &Suite, selected: &[CasePosition], context: &CliContext) -> usize {
    let at_once = parallel.min(selected.len());
    let in_memory = |at: &CasePosition| matches!(&*suite.cases[at.case as usize].target, Target::Mock(_));
    let Some(limit) = agentci_process::open_files_limit().filter(|_| !selected.iter().all(in_memory)) else {
        return parallel;
    };
    let fitting = usize::try_from(fitting(limit)).unwrap_or(usize::MAX);
    if at_once <= fitting {
        return parallel;
    }
    context.say(&format!(
        "note: running {fitting} cases in parallel instead of {at_once}: more could exceed the {limit} \
         open files that the system allows\n\
         help: raise the limit with `ulimit -n`, or lower `--parallel`\n"
    ));
    fitting
}

fn fitting(limit: u64) -> u64 {
    (limit.saturating_sub(OURS) / OF_A_CASE).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_allows_at_least_one_case() {
        assert_eq!([fitting(0), fitting(64), fitting(71), fitting(256), fitting(1024)], [1, 1, 1, 24, 120]);
    }
}
