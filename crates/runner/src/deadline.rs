//! The deadline of a turn, and the finding for missing it.

use std::time::Duration;

use agentci_plan::{Limit, Speech, Target, Turn};
use agentci_verdict::Finding;
use tokio::time::Instant;

use crate::{attempt::Attempt, findings, job::CaseJob, meter};

/// When a turn times out.
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    after: Duration,
    whose: DeadlineOwner,
}

/// Which limit sets the deadline.
enum DeadlineOwner {
    /// A wall time limit of the case or of the turn.
    Limit(Limit),
    /// The timeout of the case, or the run's timeout for each case.
    Case,
    /// The timeout of the suite, with the flag that sets it.
    Suite(&'static str),
}

impl Deadline {
    /// The earliest of all deadlines for a turn that begins now.
    pub(crate) fn new(attempt: &Attempt<'_>, turn: &Turn) -> Self {
        let job = attempt.job;
        let started = Instant::from_std(attempt.clock.started());
        let far = Duration::from_hours(24 * 365);
        // For a server this is the timeout of each request, which its driver enforces.
        let of_run = job.run.options.settings.timeout.filter(|_| !job.case.target.takes_requests());
        let timeout = of_run.or(job.case.timeout).unwrap_or(far);
        let mut deadline = Deadline { at: started + timeout.min(far), after: timeout, whose: DeadlineOwner::Case };
        if let Some(suite) = job.run.deadline.filter(|suite| suite.at < deadline.at) {
            deadline = Deadline { at: suite.at, after: suite.after, whose: DeadlineOwner::Suite(suite.flag) };
        }
        let own = job.case.limits.wall_ms.map(|limit| (started, limit));
        let turn = turn.limits.wall_ms.map(|limit| (Instant::now(), limit));
        for (from, limit) in own.into_iter().chain(turn) {
            let after = Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0).unwrap_or(Duration::MAX).min(far);
            if from + after < deadline.at {
                deadline = Deadline { at: from + after, after, whose: DeadlineOwner::Limit(limit) };
            }
        }
        deadline
    }

    /// The finding for a turn that missed the deadline; `facts` is what is known about its agent.
    pub(crate) fn missed(&self, job: &CaseJob<'_>, facts: impl FnOnce() -> Vec<String>) -> Finding {
        match self.whose {
            DeadlineOwner::Suite(flag) => findings::suite_timeout(self.after, flag),
            DeadlineOwner::Limit(limit) => {
                let used = (self.at.elapsed() + self.after).as_secs_f64() * 1000.0;
                let mut finding = meter::exceeded("max_wall_ms", limit, used.ceil(), job.run.sources);
                finding.notes = facts();
                finding.label = "the agent did not finish in time".into();
                finding
            }
            DeadlineOwner::Case => {
                let mut finding = findings::timeout(self.after, facts());
                let speaks = matches!(&*job.case.target, Target::Process(target) if target.speaks == Speech::Protocol);
                if speaks && finding.notes.first().is_some_and(|note| note == findings::SILENT) {
                    finding.help = Some(
                        "an agent speaks in JSON lines; for one that just prints its answer, set `speaks: text` next \
                         to its `command`. Raise `--timeout` or the case's own limit if it needs longer"
                            .into(),
                    );
                }
                finding
            }
        }
    }
}
