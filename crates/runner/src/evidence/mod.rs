//! Answers questions of checks that need more than the trace: one module per kind of question.

mod agent;
mod bounded;
mod python;
mod script;
mod similarity;

use std::time::Duration;

use agentci_checks::EvidenceQuestion;
use agentci_plan::Suite;
use agentci_python::{PythonFunctions, is_python};
use agentci_verdict::Finding;
use serde_json::Value;

use crate::{findings, job::CaseJob, options::RunOptions};
use similarity::Meanings;

pub(crate) use bounded::evaluate;
pub use bounded::{WORKER_MEMORY, WORKER_READY};
pub use similarity::chosen_embedder;
pub(crate) use similarity::{BUILTIN, differing};

/// Why a question has no answer, so that the check cannot be evaluated. The caller adds which check asked.
pub(crate) type EvidenceError = Box<Finding>;

/// State that is kept between questions, for a whole run of a suite.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// The embedder for semantic checks.
    meanings: Meanings,
    /// Evaluate tasks that may take long.
    workers: bounded::EvidenceWorkers,
    /// Call the functions of Python files.
    python: PythonFunctions,
}

impl Evidence {
    pub(crate) fn new(suite: &Suite, options: &RunOptions<'_>) -> Self {
        Self {
            meanings: Meanings::new(suite, options),
            workers: bounded::EvidenceWorkers::new(options),
            python: PythonFunctions::default(),
        }
    }

    /// Ends the processes that run Python functions.
    pub(crate) async fn close(&self) {
        self.python.close().await;
    }

    /// Answers a question of a check. Adds the time of workers to `spent`.
    pub(crate) async fn answer(
        &self,
        job: &CaseJob<'_>,
        spent: &mut Duration,
        question: EvidenceQuestion,
    ) -> Result<Value, EvidenceError> {
        match question {
            EvidenceQuestion::Similarity { expected, said, contradictions } => {
                self.meanings.compare(job, &expected, &said, contradictions).await
            }
            EvidenceQuestion::Numbers { said } => Ok(similarity::numbers(&said)),
            EvidenceQuestion::Script { file, function, arguments } if is_python(&file.path) => {
                in_time(job, python::call(job, &self.python, &file, &function, &arguments)).await
            }
            EvidenceQuestion::Script { file, function, arguments } => {
                in_time(job, script::call(job, file, function, arguments)).await
            }
            EvidenceQuestion::Bounded(task) => in_time(job, self.workers.evaluate(job, spent, task)).await,
            EvidenceQuestion::Agent { agent, message } => agent::ask(job, &agent, message).await,
        }
    }
}

/// Waits for an answer, unless the run is stopped or the suite times out in the meantime.
async fn in_time<T>(
    job: &CaseJob<'_>,
    answer: impl Future<Output = Result<T, EvidenceError>>,
) -> Result<T, EvidenceError> {
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
