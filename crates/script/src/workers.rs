//! The threads that run engines, at most one per processor. An engine never leaves its thread; calls are sent to it and
//! results come back, so the async caller is not blocked.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::ScriptError;
use crate::engine::{Engine, FunctionRun};

/// How long after its time limit a call may end. The engine checks the clock only between its steps, and a few steps
/// can take arbitrarily long; a thread that is stuck in one is given up.
const GRACE: Duration = Duration::from_secs(1);
/// The number of stuck threads at which no further ones are started.
const MOST_LOST: usize = 16;
/// The stack size of a thread: enough for the engine's stack and the native functions that it calls.
const STACK: usize = 8 * 1024 * 1024;

/// Calls a function on a worker thread and waits for its result.
pub(crate) async fn call(call: FunctionRun) -> Result<String, ScriptError> {
    static WORKERS: OnceLock<Arc<ScriptWorkers>> = OnceLock::new();
    WORKERS.get_or_init(ScriptWorkers::new).call(call).await
}

struct ScriptWorkers {
    /// The most threads.
    most: usize,
    state: Mutex<WorkerState>,
    /// Notified when a job is added.
    more: Condvar,
}

#[derive(Default)]
struct WorkerState {
    jobs: VecDeque<WorkerJob>,
    threads: usize,
    idle: usize,
    lost: usize,
}

struct WorkerJob {
    call: FunctionRun,
    progress: Arc<CallProgress>,
    reply: oneshot::Sender<Result<String, ScriptError>>,
}

/// The state of a call, shared by the caller and the worker.
#[derive(Default)]
struct CallProgress {
    begun: OnceLock<Instant>,
    stage: AtomicU8,
}

const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const DONE: u8 = 2;
const GIVEN_UP: u8 = 3;

impl CallProgress {
    fn advance(&self, from: u8, to: u8) -> bool {
        self.stage.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

impl ScriptWorkers {
    fn new() -> Arc<Self> {
        let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Arc::new(Self { most, state: Mutex::default(), more: Condvar::new() })
    }

    async fn call(self: &Arc<Self>, call: FunctionRun) -> Result<String, ScriptError> {
        let longest = call.limits.time.saturating_add(GRACE);
        let progress = Arc::new(CallProgress::default());
        let (reply, mut answer) = oneshot::channel();
        self.submit(WorkerJob { call, progress: Arc::clone(&progress), reply })?;
        loop {
            match tokio::time::timeout(longest, &mut answer).await {
                Ok(Ok(answer)) => return answer,
                Ok(Err(_)) => return Err(ScriptError::Engine("the engine crashed".into())),
                Err(_) => {
                    // A call that has not started is not late.
                    let late = progress.begun.get().is_some_and(|begun| begun.elapsed() >= longest);
                    if late && progress.advance(RUNNING, GIVEN_UP) {
                        self.lose_one();
                        return Err(ScriptError::TooLong(longest.saturating_sub(GRACE)));
                    }
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(self: &Arc<Self>, job: WorkerJob) -> Result<(), ScriptError> {
        let mut state = self.state();
        if state.idle <= state.jobs.len() && state.threads < self.most {
            self.start(&mut state);
        }
        if state.threads == 0 {
            return Err(no_threads());
        }
        state.jobs.push_back(job);
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    fn start(self: &Arc<Self>, state: &mut WorkerState) {
        if state.lost >= MOST_LOST {
            return;
        }
        let workers = Arc::clone(self);
        let thread = std::thread::Builder::new().name("script".into()).stack_size(STACK);
        if thread.spawn(move || workers.work()).is_ok() {
            state.threads += 1;
        }
    }

    /// Gives up a stuck thread and starts another in its place.
    fn lose_one(self: &Arc<Self>) {
        let mut state = self.state();
        state.threads = state.threads.saturating_sub(1);
        state.lost += 1;
        if state.jobs.is_empty() {
            return;
        }
        self.start(&mut state);
        if state.threads == 0 {
            for job in std::mem::take(&mut state.jobs) {
                // The caller may be gone.
                let _ = job.reply.send(Err(no_threads()));
            }
        }
    }

    /// The main loop of a worker thread.
    fn work(&self) {
        let mut engine = None;
        loop {
            let WorkerJob { call, progress, reply } = self.next();
            if reply.is_closed() || !progress.advance(WAITING, RUNNING) {
                continue;
            }
            progress.begun.get_or_init(Instant::now);
            let result = catch_unwind(AssertUnwindSafe(|| run(&mut engine, &call)));
            let result = result.unwrap_or_else(|_| Err(ScriptError::Engine("the engine crashed".into())));
            let exhausted = !matches!(result, Ok(_) | Err(ScriptError::Thrown { .. } | ScriptError::NoFunction { .. }));
            if exhausted || engine.as_ref().is_some_and(Engine::is_spent) {
                engine = None;
            }
            if !progress.advance(RUNNING, DONE) {
                self.state().lost -= 1;
                return;
            }
            // The caller may be gone.
            let _ = reply.send(result);
        }
    }

    fn next(&self) -> WorkerJob {
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return job;
            }
            state.idle += 1;
            state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

fn run(engine: &mut Option<Engine>, call: &FunctionRun) -> Result<String, ScriptError> {
    let engine = match engine {
        Some(engine) => engine,
        None => engine.insert(Engine::new()?),
    };
    engine.call(call)
}

fn no_threads() -> ScriptError {
    ScriptError::Engine("no thread is left to run them".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallLimits;
    use crate::code::ReadyCode;

    /// A stuck thread is replaced until too many are stuck.
    #[test]
    fn stuck_threads_are_replaced_up_to_limit() {
        let workers = ScriptWorkers::new();
        let (reply, mut answer) = oneshot::channel();
        let file = agentci_plan::ScriptFile { path: "f.js".into(), source: "function f() {}".into() };
        let code = Arc::new(ReadyCode::read(&file).unwrap());
        let call = FunctionRun { code, function: "f".into(), arguments: Vec::new(), limits: CallLimits::default() };
        {
            let mut state = workers.state();
            (state.threads, state.lost) = (1, MOST_LOST - 1);
            state.jobs.push_back(WorkerJob { call, progress: Arc::default(), reply });
        }
        workers.lose_one();
        let state = workers.state();
        assert_eq!((state.threads, state.lost), (0, MOST_LOST));
        assert_eq!(answer.try_recv().unwrap(), Err(no_threads()));
    }
}
