//! Schemas and paths that are evaluated by a worker: this program, started again, which can be stopped and whose memory is bounded.
//!
//! A worker is started when the first task comes, says `ready`, and answers one task after the other; one that is late, that
//! breaks down or whose case is stopped is killed. A program that has no worker, as most that use this as a library, has the
//! work done by a thread: its time is bounded as well, since nobody waits for it any longer than that, but not its memory.

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

use super::{Unanswered, in_time};
use crate::{job::CaseJob, options::RunOptions};

/// How long the evaluations of a case that are left to a worker may take together.
const TIME: Duration = Duration::from_secs(10);
/// They may take so long also where the case itself may not: how busy the machine is must not decide.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// How many workers there are at once at most.
const WORKERS: usize = 4;
/// The longest line that a worker answers with.
const ANSWER: usize = 16 << 20;
/// What the system's allocator says when there is no more memory.
const NO_MEMORY: &str = "memory allocation of";

/// The memory of a worker, which bounds it itself.
pub const WORKER_MEMORY: u64 = 256 << 20;
/// The first line of a worker.
pub const WORKER_READY: &str = "ready";

/// The workers of a run.
#[derive(Debug)]
pub(super) struct EvidenceWorkers {
    /// What to start, if that is known.
    command: Option<ProcessCommand>,
    /// All lanes share them, on one thread; one that works is not in here.
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
enum Silent {
    /// It could not be started, or broke down.
    Broken(String),
    /// It had no more memory.
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

    /// Has a task done. Only the work itself counts as time of the case, not what is waited for a worker.
    pub(super) async fn evaluate(
        &self,
        job: &CaseJob<'_>,
        spent: &mut Duration,
        task: BoundedTask,
    ) -> Result<Value, Unanswered> {
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
            Some(Err(Silent::NoMemory)) => return Err(exceeded(&format!("{} MB of memory", WORKER_MEMORY >> 20))),
            Some(Err(Silent::Broken(reason))) => return Err(broken(&reason)),
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

    /// A worker that is idle, or a new one.
    async fn worker(&self, command: &ProcessCommand) -> Result<Worker, Unanswered> {
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
            Ok(line) => Err(format!("it said `{line}`")),
            Err(Silent::Broken(reason)) => Err(reason),
            Err(Silent::NoMemory) => Err("there was no memory to start it".into()),
        }
    }

    async fn answer(&mut self, task: &BoundedTask) -> Result<String, Silent> {
        // One that reads no more has left, and its output says why.
        let _ = self.input.write_all(task.lines().as_bytes()).await;
        self.line().await
    }

    async fn line(&mut self) -> Result<String, Silent> {
        match self.output.next().await {
            Ok(Some(line)) => Ok(String::from_utf8_lossy(line).into_owned()),
            Err(error) => Err(Silent::Broken(error.to_string())),
            Ok(None) => {
                let exit = self.process.exited().await;
                let said = self.process.last_words().await;
                if said.iter().any(|line| line.contains(NO_MEMORY)) {
                    return Err(Silent::NoMemory);
                }
                let exit = exit.map_or_else(|error| error.to_string(), |exit| exit.to_string());
                Err(Silent::Broken(format!("it ended with {exit}")))
            }
        }
    }
}

/// Has a task done by a thread.
async fn beside(task: &BoundedTask, left: Duration) -> Option<Result<String, Silent>> {
    let lines = task.lines();
    let answer = on_thread(left, "its thread ended", move || {
        let mut lines = lines.lines();
        let mut next = || lines.next().unwrap_or_default();
        Evaluator::default().answer(next(), next(), next())
    });
    answer.await.map(|answer| answer.map_err(Silent::Broken))
}

/// Does work on a thread of its own, which is left alone when it takes too long; then there is nothing to be had of it.
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

/// How long the evaluations of a case may take together: no longer than the case.
fn time(job: &CaseJob<'_>) -> Duration {
    let wall = job.case.limits.wall_ms.and_then(|limit| Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0).ok());
    within([wall, job.run.options.settings.timeout, job.case.timeout])
}

fn within(limits: [Option<Duration>; 3]) -> Duration {
    limits.into_iter().flatten().fold(TIME, Duration::min).max(LEAST_TIME)
}

/// Evaluates a check that may take long on a thread of its own, unless the run is stopped meanwhile. The time of the case that was
/// spent on this so far grows by it. A thread that is late is left behind: it
/// looks at patterns, whose memory has a limit, and ends with the program at the latest.
pub(crate) async fn evaluate(
    job: &CaseJob<'_>,
    spent: &mut Duration,
    ready: &ReadyCheck,
    trace: &Trace,
) -> Result<Outcome, Unanswered> {
    let allowed = time(job);
    let (ready, trace, begun) = (ready.clone(), trace.clone(), Instant::now());
    let left = allowed.saturating_sub(*spent);
    let outcome = on_thread(left, "its evaluation broke down", move || ready.evaluate(&trace));
    let outcome = in_time(job, async { Ok(outcome.await) }).await?;
    *spent += begun.elapsed();
    outcome.ok_or_else(|| late(allowed))?.map_err(|reason| broken(&reason))
}

fn late(allowed: Duration) -> Unanswered {
    exceeded(&print_duration(allowed))
}

fn exceeded(what: &str) -> Unanswered {
    let help = "simplify the schema, the path or the pattern: fewer references, wildcards, `..`, filters within each other and \
                counted repetitions";
    Finding::new(Cause::CheckTimeout, format!("the check could not be evaluated within {what}")).help(help).into()
}

fn broken(reason: &str) -> Unanswered {
    let message = format!("the check could not be evaluated: its worker did not answer: {reason}");
    Finding::new(Cause::CheckTimeout, message).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_case_count_within_bounds() {
        let seconds = Duration::from_secs;
        assert_eq!(within([None, None, None]), TIME);
        assert_eq!(within([Some(seconds(60)), Some(seconds(3)), Some(seconds(5))]), seconds(3));
        assert_eq!(within([Some(seconds(60)), None, None]), TIME);
        assert_eq!(within([Some(Duration::from_millis(50)), None, None]), LEAST_TIME);
    }
}
