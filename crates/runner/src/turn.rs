//! One turn with an agent, and how it ended.

use agentci_drivers::{DriveError, Driver, Input, ToolHost, TraceSink};
use agentci_plan::{Case, Target};
use agentci_verdict::Finding;
use agentci_wire::Seldom;
use tokio::time::Instant;

use crate::attempt::Attempt;
use crate::deadline::Deadline;
use crate::drive_findings::drive_target;
use crate::findings;
use crate::job::Job;

/// How a turn ended.
pub(crate) enum TurnEnd {
    Done,
    Broken(DriveError),
    TooLate,
    Interrupted,
}

impl TurnEnd {
    fn of(result: Result<(), DriveError>) -> Self {
        match result {
            Ok(()) => TurnEnd::Done,
            Err(error) => TurnEnd::Broken(error),
        }
    }

    /// Whether the agent may still be busy with it, though nobody waits for it any more.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self, TurnEnd::TooLate | TurnEnd::Broken(DriveError::Timeout { .. } | DriveError::Stopped))
    }

    /// Whether the agent could not be reached or had too many requests, which may be over the next time.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, TurnEnd::Broken(error) if error.may_pass())
    }

    /// What a turn that did not end well comes to, unless whoever stopped it said so already; `facts` are what is known of the
    /// agent.
    pub(crate) fn trouble(
        &self,
        job: &Job<'_>,
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

/// Takes a turn, until it is done, it is too late, or the run is stopped.
pub(crate) async fn take_turn(
    attempt: &Attempt<'_>,
    deadline: &Deadline,
    agent: &mut Driver,
    input: &Input,
    sink: &mut TraceSink<'_>,
    host: &dyn ToolHost,
) -> TurnEnd {
    let stop = attempt.job.run.stop;
    if agent.answers_at_once() {
        // Neither a timer nor a signal could come between. Ten thousand of them must not keep others from their turn, though.
        tokio::task::coop::consume_budget().await;
        return if stop.stopped() {
            TurnEnd::Interrupted
        } else if deadline.at <= Instant::now() {
            TurnEnd::TooLate
        } else {
            TurnEnd::of(agent.turn_at_once(input, sink))
        };
    }
    let turn = agent.turn(input, sink, host);
    tokio::select! {
        biased;
        () = Seldom::new(stop.wait()) => TurnEnd::Interrupted,
        // Before the turn, which may use up what the runtime lets a task do at a time.
        () = Seldom::new(tokio::time::sleep_until(deadline.at)) => TurnEnd::TooLate,
        result = turn => TurnEnd::of(result),
    }
}

/// Whether it is said in which turn something happened; a question that is the only one needs no number.
pub(crate) fn counts_turns(case: &Case) -> bool {
    let one_question = matches!(&*case.target, Target::Http(_)) && case.turns.len() == 1;
    case.target.takes_requests() && !one_question
}
