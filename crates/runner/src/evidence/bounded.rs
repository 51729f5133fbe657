//! Evaluates schemas and paths in a worker: this program, started again, which can be killed and whose memory is
//! limited.
//!
//! A worker is started for the first task, prints `ready`, and answers one task after another; a worker that is late,
//! crashes or whose case is stopped is killed. Programs without a worker, such as most that use this library, do the
//! work in a thread: its time is limited too, since the caller stops waiting, but its memory is not.

use std::cell::RefCell;
use std::time::Duration;

use agentci_checks::{BoundedTask, Evaluator, ReadyCheck};
use agentci_process::{LineReader, Pipes, Process, ProcessCommand};
use agentci_source::print_duration;
use agentci_trace::Trace;
use agentci_verdict::{Cause, Finding, Outcome};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, timeout};

use super::{EvidenceError, in_time};
use crate::{job::CaseJob, options::RunOptions};

/// The total time that workers may spend on the evaluations of one case.
const TIME: Duration = Duration::from_secs(10);
/// The minimum of that time, even if the case has a shorter limit: a busy machine must not decide the result.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// The maximum number of concurrent workers.
const WORKERS: usize = 4;
/// The maximum length of a worker's answer line.
const ANSWER: usize = 16 << 20;
/// The message of the allocator when it is out of memory.
const NO_MEMORY: &str = "memory allocation of";

/// The memory limit of a worker, which it sets for itself.
pub const WORKER_MEMORY: u64 = 256 << 20;
/// The first line that a worker prints.
pub const WORKER_READY: &str = "ready";

/// The workers of a run.
#[derive(Debug)]
pub(super) struct EvidenceWorkers {
    /// The worker program, if one is configured.
    command: Option<ProcessCommand>,
    /// Idle workers, shared by all lanes on one thread; a busy worker is not in this list.
    idle: RefCell<Vec<Worker>>,
    free: Semaphore,
}

#[derive(Debug)]
struct Worker {
    process: Process,
    input: ChildStdin,
    output: LineReader<ChildStdout>,
}

/// Why a worker did not answer.
enum WorkerError {
    /// It could not be started, or crashed.
    Broken(String),
    /// It ran out of memory.
    NoMemory,
}

impl EvidenceWorkers {
    pub(super) fn new(options: &RunOptions<'_>) -> Self {
        let at_once = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(WORKERS);
        let command = options.settings.worker.as_ref().map(|(program, arguments)| ProcessCommand {
            program: program.into(),
            arguments: arguments.clone(),
            ..ProcessCommand::default()
        });
        Self { command, idle: RefCell::default(), free: Semaphore::new(at_once) }
    }

    /// Runs a task. Only the work itself counts as time of the case, not waiting for a worker.
    pub(super) async fn evaluate(
        &self,
        job: &CaseJob<'_>,
        spent: &mut Duration,
        task: BoundedTask,
    ) -> Result<Value, EvidenceError> {
        let allowed = time(job);
        let left = allowed.saturating_sub(*spent);
        if left.is_zero() {
            return Err(late(allowed));
        }
        let Ok(_free) = self.free.acquire().await else { return Err(broken("the run is over")) };
        let mut worker = match &self.command {
            Some(command) => Some(self.worker(command).await?),
            None => None,
        };
        let begun = Instant::now();
        let answer = match &mut worker {
            Some(worker) => timeout(left, worker.answer(&task)).await.ok(),
            None => beside(&task, left).await,
        };
        *spent += begun.elapsed();
        if matches!(answer, Some(Ok(_))) {
            self.idle.borrow_mut().extend(worker);
        }
        let answer = match answer {
            None => return Err(late(allowed)),
            Some(Err(WorkerError::NoMemory)) => return Err(exceeded(&format!("{} MB of memory", WORKER_MEMORY >> 20))),
            Some(Err(WorkerError::Broken(reason))) => return Err(broken(&reason)),
            Some(Ok(answer)) => answer,
        };
        let answer: Value = serde_json::from_str(&answer).map_err(|error| broken(&error.to_string()))?;
        match (answer["exceeded"].as_str(), answer["unusable"].as_str()) {
            (Some(what), _) => Err(exceeded(what)),
            (_, Some(reason)) => {
                let message = format!("the check could not be evaluated: {reason}");
                Err(Finding::new(Cause::Config, message).into())
            }
            (None, None) => Ok(answer),
        }
    }

    /// An idle worker, or a new one.
    async fn worker(&self, command: &ProcessCommand) -> Result<Worker, EvidenceError> {
        let idle = self.idle.borrow_mut().pop();
        if let Some(worker) = idle {
            return Ok(worker);
        }
        let late = || Err("it did not start in time".to_owned());
        let started = timeout(TIME, Worker::start(command)).await.unwrap_or_else(|_| late());
        started.map_err(|reason| broken(&reason))
    }
}

impl Worker {
    async fn start(command: &ProcessCommand) -> Result<Self, String> {
        let (process, Pipes { input, output }) =
            Process::spawn_beside(command.clone()).await.map_err(|error| error.to_string())?;
        let mut worker = Self { process, input, output: LineReader::new(output, ANSWER) };
        match worker.line().await {
            Ok(line) if line == WORKER_READY => Ok(worker),
            Ok(line) => Err(format!("it printed `{line}`")),
            Err(WorkerError::Broken(reason)) => Err(reason),
            Err(WorkerError::NoMemory) => Err("not enough memory to start it".into()),
        }
    }

    async fn answer(&mut self, task: &BoundedTask) -> Result<String, WorkerError> {
        // If the worker has exited, its output says why.
        let _ = self.input.write_all(task.lines().as_bytes()).await;
        self.line().await
    }

    async fn line(&mut self) -> Result<String, WorkerError> {
        match self.output.next().await {
            Ok(Some(line)) => Ok(String::from_utf8_lossy(line).into_owned()),
            Err(error) => Err(WorkerError::Broken(error.to_string())),
            Ok(None) => {
                let exit = self.process.exited().await;
                let said = self.process.last_words().await;
                if said.iter().any(|line| line.contains(NO_MEMORY)) {
                    return Err(WorkerError::NoMemory);
                }
                let exit = exit.map_or_else(|error| error.to_string(), |exit| exit.to_string());
                Err(WorkerError::Broken(format!("it ended with {exit}")))
            }
        }
    }
}

/// Runs a task on a thread.
async fn beside(task: &BoundedTask, left: Duration) -> Option<Result<String, WorkerError>> {
    let lines = task.lines();
    let answer = on_thread(left, "its thread ended", move || {
        let mut lines = lines.lines();
        let mut next = || lines.next().unwrap_or_default();
        Evaluator::default().answer(next(), next(), next())
    });
    answer.await.map(|answer| answer.map_err(WorkerError::Broken))
}

/// Runs work on its own thread; returns `None` if it takes too long, and leaves the thread behind.
async fn on_thread<T: Send + 'static>(
    left: Duration,
    ended: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<Result<T, String>> {
    let (send, done) = oneshot::channel();
    let thread = std::thread::Builder::new().name("agentci-check".into());
    match thread.spawn(move || drop(send.send(work()))) {
        Err(error) => Some(Err(error.to_string())),
        Ok(_) => timeout(left, done).await.ok().map(|done| done.map_err(|_| ended.to_owned())),
    }
}

/// The total time for the evaluations of a case: no longer than the case.
fn time(job: &CaseJob<'_>) -> Duration {
    let wall = job.case.limits.wall_ms.and_then(|limit| Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0).ok());
    within([wall, job.run.options.settings.timeout, job.case.timeout])
}

fn within(limits: [Option<Duration>; 3]) -> Duration {
    limits.into_iter().flatten().fold(TIME, Duration::min).max(LEAST_TIME)
}

/// Evaluates a check that may take long on its own thread, unless the run is stopped in the meantime. Adds the time to
/// `spent`. A thread that is late is left behind: it matches patterns, whose memory is limited, and ends with the
/// program at the latest.
pub(crate) async fn evaluate(
    job: &CaseJob<'_>,
    spent: &mut Duration,
    ready: &ReadyCheck,
    trace: &Trace,
) -> Result<Outcome, EvidenceError> {
    let allowed = time(job);
    let (ready, trace, begun) = (ready.clone(), trace.clone(), Instant::now());
    let left = allowed.saturating_sub(*spent);
    let outcome = on_thread(left, "its evaluation panicked", move || ready.evaluate(&trace));
    let outcome = in_time(job, async { Ok(outcome.await) }).await?;
    *spent += begun.elapsed();
    outcome.ok_or_else(|| late(allowed))?.map_err(|reason| broken(&reason))
}

fn late(allowed: Duration) -> EvidenceError {
    exceeded(&print_duration(allowed))
}

fn exceeded(what: &str) -> EvidenceError {
    let help = "simplify the schema, the path or the pattern: fewer references, wildcards, `..`, nested filters and \
                counted repetitions";
    Finding::new(Cause::CheckTimeout, format!("the check could not be evaluated within {what}")).help(help).into()
}

fn broken(reason: &str) -> EvidenceError {
    let message = format!("the check could not be evaluated: its worker did not answer: {reason}");
    Finding::new(Cause::CheckTimeout, message).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_smallest_case_timeout_within_bounds() {
        let seconds = Duration::from_secs;
        assert_eq!(within([None, None, None]), TIME);
        assert_eq!(within([Some(seconds(60)), Some(seconds(3)), Some(seconds(5))]), seconds(3));
        assert_eq!(within([Some(seconds(60)), None, None]), TIME);
        assert_eq!(within([Some(Duration::from_millis(50)), None, None]), LEAST_TIME);
    }
}
