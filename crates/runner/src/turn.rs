//! One turn with an agent, and how it ended.

use agentci_drivers::{DriveError, Driver, Input, ToolHost, TraceSink};
use agentci_plan::{Case, Target};
use agentci_verdict::Finding;
use tokio::task::coop::{consume_budget, unconstrained};
use tokio::time::sleep_until;

use crate::{attempt::Attempt, deadline::Deadline, drive_findings::drive_target, findings, job::CaseJob};

/// How a turn ended.
pub(crate) enum TurnEnd {
    Done,
    Broken(DriveError),
    TooLate,
    Interrupted,
}

impl TurnEnd {
    /// Whether the agent may still be busy with the turn although nothing waits for it any more.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self, TurnEnd::TooLate | TurnEnd::Broken(DriveError::Timeout { .. } | DriveError::Stopped))
    }

    /// Whether the agent was unreachable or rate-limited, so that a retry may pass.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, TurnEnd::Broken(error) if error.may_pass())
    }

    /// The finding for a turn that did not end well, unless the component that stopped it already reported one; `facts`
    /// is what is known about the agent.
    pub(crate) fn trouble(
        &self,
        job: &CaseJob<'_>,
        deadline: &Deadline,
        facts: impl FnOnce() -> Vec<String>,
    ) -> Option<Finding> {
        match self {
            TurnEnd::Done => None,
            TurnEnd::Broken(error) => drive_target(error, &job.case.target, job.run.sources),
            TurnEnd::Interrupted => Some(findings::interrupted()),
            TurnEnd::TooLate => Some(deadline.missed(job, facts)),
        }
    }
}

/// Takes a turn until it is done, times out, or the run is stopped.
pub(crate) async fn take_turn(
    attempt: &Attempt<'_>,
    deadline: &Deadline,
    agent: &mut Driver,
    input: &Input,
    sink: &mut TraceSink<'_>,
    host: &dyn ToolHost,
) -> TurnEnd {
    let stop = attempt.job.run.stop;
    // Turns that never wait would starve signals and timers.
    consume_budget().await;
    let turn = agent.turn(input, sink, host);
    tokio::select! {
        biased;
        () = stop.wait() => TurnEnd::Interrupted,
        // Outside of tokio's cooperative budget, which a turn that always has work would use up.
        () = unconstrained(sleep_until(deadline.at)) => TurnEnd::TooLate,
        result = turn => result.map_or_else(TurnEnd::Broken, |()| TurnEnd::Done),
    }
}

/// Whether findings name their turn; the only question of a case needs no number.
pub(crate) fn counts_turns(case: &Case) -> bool {
    let one_question = matches!(&*case.target, Target::Http(_)) && case.turns.len() == 1;
    case.target.takes_requests() && !one_question
}
