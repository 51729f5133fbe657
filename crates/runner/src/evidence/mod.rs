//! Answers to what checks ask beside the trace: one file for each kind of question.

mod agent;
mod bounded;
mod script;
mod similarity;

use std::time::Duration;

use agentci_checks::EvidenceQuestion;
use agentci_plan::Suite;
use agentci_verdict::Finding;
use serde_json::Value;

use crate::{findings, job::CaseJob, options::RunOptions};
use similarity::Meanings;

pub(crate) use bounded::evaluate;
pub use bounded::{WORKER_MEMORY, WORKER_READY};

/// Why a question has no answer: whatever a check asks of it, it cannot be told. Which check asks is added later.
pub(crate) type Unanswered = Box<Finding>;

/// What is kept from one question to the next, for a whole run of a suite.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// Who compares meanings.
    meanings: Meanings,
    /// Evaluates what may take long.
    workers: bounded::EvidenceWorkers,
}

impl Evidence {
    /// Nothing is known yet.
    pub(crate) fn new(suite: &Suite, options: &RunOptions<'_>) -> Self {
        Self { meanings: Meanings::new(suite, options), workers: bounded::EvidenceWorkers::new(options) }
    }

    /// Finds out what a check wants to know. The time of the case that workers spent so far grows by theirs.
    pub(crate) async fn answer(
        &self,
        job: &CaseJob<'_>,
        spent: &mut Duration,
        question: EvidenceQuestion,
    ) -> Result<Value, Unanswered> {
        match question {
            EvidenceQuestion::Similarity { expected, said } => self.meanings.compare(job, &expected, &said).await,
            EvidenceQuestion::Script { file, function, arguments } => {
                in_time(job, script::call(job, file, function, arguments)).await
            }
            EvidenceQuestion::Bounded(task) => in_time(job, self.workers.evaluate(job, spent, task)).await,
            EvidenceQuestion::Agent { agent, message } => agent::ask(job, &agent, message).await,
        }
    }
}

/// Waits for an answer, unless the run is stopped or the suite has used up its time meanwhile.
async fn in_time<T>(job: &CaseJob<'_>, answer: impl Future<Output = Result<T, Unanswered>>) -> Result<T, Unanswered> {
    let late = async {
        match job.run.deadline {
            Some(deadline) => {
                tokio::time::sleep_until(deadline.at).await;
                findings::suite_timeout(deadline.after, deadline.flag)
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = job.run.stop.wait() => Err(findings::interrupted().into()),
        answer = answer => answer,
        late = late => Err(late.into()),
    }
}
