//! As many cases at once as the system lets us have files and sockets for. One more would fail for a reason that has nothing to
//! do with the agent.

use agentci::plan::{Suite, Target};

use super::CliContext;

/// What we need beside the cases: reports, servers, the guard, and what a process needs for a moment while it is started.
const OURS: u64 = 64;
/// What a case needs at most: three pipes and a handle of its process, or its connections and those to the servers of its world.
const OF_A_CASE: u64 = 8;

/// How many of the selected cases may run at once, if that is less than was asked for, and tells so.
pub(super) fn fit(parallel: usize, suite: &Suite, selected: &[usize], context: &CliContext) -> usize {
    let at_once = parallel.min(selected.len());
    let in_memory = |index: &usize| matches!(&*suite.cases[*index].target, Target::Mock(_));
    let Some(limit) = agentci_process::open_files_limit().filter(|_| !selected.iter().all(in_memory)) else {
        return parallel;
    };
    let fitting = usize::try_from(fitting(limit)).unwrap_or(usize::MAX);
    if at_once <= fitting {
        return parallel;
    }
    context.say(&format!(
        "note: {fitting} cases run at once instead of {at_once}: more could need more open files than the system allows ({limit})\n\
         help: raise the limit with `ulimit -n`, or ask for less with `--parallel`\n"
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
    fn one_case_runs_however_little_is_allowed() {
        assert_eq!([fitting(0), fitting(64), fitting(71), fitting(256), fitting(1024)], [1, 1, 1, 24, 120]);
    }
}
