//! The functions of a suite's Python files: one child for the files of a folder, started by the first call.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use agentci_plan::ScriptFile;
use agentci_source::print_duration;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::host::{HostError, PythonHost, StackFrame};
use crate::interpreter::find_python;

/// The default time limit of a call.
const CALL_LIMIT: Duration = Duration::from_secs(5);
/// The default time limit for starting Python and for running the top level of a file, which imports packages.
const LOAD_LIMIT: Duration = Duration::from_secs(30);
/// The default memory limit of a child, in bytes: packages such as `torch` need more than a gigabyte.
const MEMORY: u64 = 2 << 30;
/// The maximum size of a result, as JSON.
const RETURNED: usize = 64 * 1024;
/// The maximum size of an answer: a result, or a message with a traceback.
const ANSWER: usize = 1 << 20;

/// The limits of Python functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonLimits {
    /// The time limit of a call. Default: 5 seconds.
    pub call: Duration,
    /// The time limit for starting Python and loading a file. Default: 30 seconds.
    pub load: Duration,
    /// The memory limit of the child in bytes, which only Linux enforces. Default: 2 GiB.
    pub memory: u64,
}

impl Default for PythonLimits {
    fn default() -> Self {
        Self { call: CALL_LIMIT, load: LOAD_LIMIT, memory: MEMORY }
    }
}

/// The Python files whose functions a run calls.
#[derive(Debug, Default)]
pub struct PythonFunctions {
    limits: PythonLimits,
    /// By folder: files in different folders may import different modules of the same name.
    folders: RefCell<HashMap<PathBuf, Rc<FolderHost>>>,
}

#[derive(Debug, Default)]
struct FolderHost {
    /// One call at a time.
    running: Mutex<Option<RunningHost>>,
    /// The files that could not be loaded, which is not tried again.
    refused: RefCell<HashMap<PathBuf, PythonAnswer>>,
}

#[derive(Debug)]
struct RunningHost {
    host: PythonHost,
    loaded: HashSet<PathBuf>,
}

/// The result of a call, and what the function printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PythonAnswer {
    /// The returned value as JSON, or why there is none.
    pub result: Result<Value, PythonError>,
    /// What the function, or the file while it was loaded, printed.
    pub printed: String,
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PythonError {
    /// There is no interpreter.
    NoInterpreter,
    /// The interpreter or the file cannot be used.
    NotLoaded(PythonException),
    /// The file has a syntax error.
    Syntax {
        /// The line of the error.
        line: u32,
        /// The column of the error.
        column: u32,
        /// The description of the error.
        message: String,
    },
    /// The file has no function of this name.
    NoFunction {
        /// The names of the functions in the file.
        known: Vec<String>,
    },
    /// The function did not return a result.
    Thrown(PythonException),
}

/// An exception, or what else ended a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PythonException {
    /// The type and the text of the exception.
    pub message: String,
    /// The line in the file of the function.
    pub line: Option<u32>,
    /// The traceback, without the frames of agentci.
    pub traceback: Vec<String>,
}

/// An answer of the child.
#[derive(Debug, Deserialize)]
struct Answer {
    returned: Option<Value>,
    thrown: Option<String>,
    missing: Option<Vec<String>>,
    syntax: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    #[serde(default)]
    traceback: Vec<String>,
    /// Whether the child ran out of memory, so that its state is unknown.
    #[serde(default)]
    memory: bool,
}

impl PythonFunctions {
    /// Functions with these limits.
    pub fn new(limits: PythonLimits) -> Self {
        Self { limits, folders: RefCell::default() }
    }

    /// Calls a function of a file with up to three arguments. The interpreter is that of the suite's folder.
    pub async fn call(&self, suite: &Path, file: &ScriptFile, function: &str, arguments: &[Value]) -> PythonAnswer {
        let path = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
        let folder = path.parent().unwrap_or(&path).to_path_buf();
        let host = Rc::clone(self.folders.borrow_mut().entry(folder.clone()).or_default());
        // A call that is dropped takes its child along.
        let mut slot = host.running.lock().await;
        if let Some(refused) = host.refused.borrow().get(&path) {
            return refused.clone();
        }
        let mut running = slot.take();
        if running.as_mut().is_some_and(|running| running.host.has_exited())
            && let Some(RunningHost { host, .. }) = running.take()
        {
            host.close().await;
        }
        let is_used = running.is_some();
        let loaded = match running {
            Some(running) => running.load(&path, file, &self.limits).await,
            None => start_with(suite, &folder, &path, file, &self.limits).await,
        };
        let loaded = match loaded {
            // What other files keep in memory, or left running, does not count against this one.
            Err((None, _)) if is_used => start_with(suite, &folder, &path, file, &self.limits).await,
            loaded => loaded,
        };
        let running = match loaded {
            Ok(running) => running,
            Err((running, refused)) => {
                *slot = running;
                host.refused.borrow_mut().insert(path, refused.clone());
                return refused;
            }
        };
        let (running, answer) = running.call(&path, file, (function, arguments), &self.limits).await;
        *slot = running;
        answer
    }

    /// Ends all children with all their descendants.
    pub async fn close(&self) {
        let folders = self.folders.take();
        for host in folders.into_values() {
            let running = host.running.lock().await.take();
            if let Some(RunningHost { host, .. }) = running {
                host.close().await;
            }
        }
    }
}

/// Starts a child that has loaded a file.
async fn start_with(
    suite: &Path,
    folder: &Path,
    path: &Path,
    file: &ScriptFile,
    limits: &PythonLimits,
) -> Result<RunningHost, (Option<RunningHost>, PythonAnswer)> {
    match start(suite, folder.to_path_buf(), limits) {
        Ok(running) => running.load(path, file, limits).await,
        Err(refused) => Err((None, refused)),
    }
}

fn start(suite: &Path, folder: PathBuf, limits: &PythonLimits) -> Result<RunningHost, PythonAnswer> {
    let refused = |error| PythonAnswer { result: Err(error), printed: String::new() };
    let python = find_python(suite).ok_or_else(|| refused(PythonError::NoInterpreter))?;
    let started = PythonHost::start(python, Some(limits.memory), [folder], ANSWER);
    let host = started.map_err(|error| refused(PythonError::NotLoaded(exception(error, Path::new("")))))?;
    Ok(RunningHost { host, loaded: HashSet::new() })
}

impl RunningHost {
    /// Loads a file, unless it is loaded. Fails with the child, if it still runs, and the reason.
    async fn load(
        mut self,
        path: &Path,
        file: &ScriptFile,
        limits: &PythonLimits,
    ) -> Result<Self, (Option<Self>, PythonAnswer)> {
        if self.loaded.contains(path) {
            return Ok(self);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let request = json!({
            "load": path.to_string_lossy(), "path": file.path.to_string_lossy(), "file": path.to_string_lossy(), "name": name,
            "source": file.source.trim_start_matches('\u{feff}'),
        });
        let (host, answer, printed) = self.host.exchange(request.to_string(), limits.load).await;
        let answer = answer.map_err(|error| exception(error, &file.path)).and_then(read);
        let host = unless_spent(host, &answer).await;
        let error = match answer {
            Ok(Answer { thrown: None, syntax: None, .. }) => match host {
                Some(host) => {
                    self.loaded.insert(path.to_path_buf());
                    return Ok(Self { host, loaded: self.loaded });
                }
                None => PythonError::NotLoaded(PythonException::default()),
            },
            Ok(Answer { syntax: Some(message), line, column, .. }) => {
                PythonError::Syntax { line: line.unwrap_or(1), column: column.unwrap_or(1), message }
            }
            Ok(answer) => PythonError::NotLoaded(answer.exception(limits.memory)),
            Err(exception) => PythonError::NotLoaded(exception),
        };
        let running = host.map(|host| Self { host, loaded: self.loaded });
        Err((running, PythonAnswer { result: Err(error), printed }))
    }

    async fn call(
        self,
        path: &Path,
        file: &ScriptFile,
        (function, arguments): (&str, &[Value]),
        limits: &PythonLimits,
    ) -> (Option<Self>, PythonAnswer) {
        let request =
            json!({ "call": path.to_string_lossy(), "function": function, "arguments": arguments, "most": RETURNED });
        let (host, answer, printed) = self.host.exchange(request.to_string(), limits.call).await;
        let answer = answer.map_err(|error| exception(error, &file.path)).and_then(read);
        let host = unless_spent(host, &answer).await;
        let result = match answer {
            Ok(Answer { missing: Some(known), .. }) => Err(PythonError::NoFunction { known }),
            Ok(answer) if answer.thrown.is_some() => Err(PythonError::Thrown(answer.exception(limits.memory))),
            Ok(Answer { returned, .. }) => Ok(returned.unwrap_or_default()),
            Err(exception) => Err(PythonError::Thrown(exception)),
        };
        (host.map(|host| Self { host, loaded: self.loaded }), PythonAnswer { result, printed })
    }
}

/// The child, unless it ran out of memory: then it is ended.
async fn unless_spent(host: Option<PythonHost>, answer: &Result<Answer, PythonException>) -> Option<PythonHost> {
    match host {
        Some(host) if answer.as_ref().is_ok_and(|answer| answer.memory) => {
            host.close().await;
            None
        }
        host => host,
    }
}

impl Answer {
    fn exception(self, limit: u64) -> PythonException {
        let message = if self.memory {
            format!("it exceeded the memory limit of {} MB", limit >> 20)
        } else {
            self.thrown.expect("the callers checked that an exception was thrown")
        };
        PythonException { message, line: self.line, traceback: self.traceback }
    }
}

fn read(answer: Value) -> Result<Answer, PythonException> {
    let unreadable =
        |error| PythonException { message: format!("Python gave no answer: {error}"), ..Default::default() };
    serde_json::from_value(answer).map_err(unreadable)
}

/// What is known about a call that the child did not answer.
fn exception(error: HostError, path: &Path) -> PythonException {
    let HostError::Late { limit, stack } = error else {
        return PythonException { message: error.to_string(), ..PythonException::default() };
    };
    let own = |frame: &&StackFrame| Path::new(&frame.path) == path;
    let line = stack.iter().rev().find(own).map(|frame| frame.line);
    let traceback = stack
        .iter()
        .map(|StackFrame { path, line, function }| format!("  File \"{path}\", line {line}, in {function}"));
    PythonException {
        message: format!("it timed out after {}", print_duration(limit)),
        line,
        traceback: traceback.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(folder: &Path, source: &str) -> ScriptFile {
        ScriptFile { path: folder.join("checks.py"), source: source.into() }
    }

    /// Calls `f` of a file with these limits.
    async fn call(source: &str, limits: PythonLimits) -> PythonAnswer {
        let folder = tempfile::tempdir().unwrap();
        let functions = PythonFunctions::new(limits);
        let answer = functions.call(folder.path(), &script(folder.path(), source), "f", &[json!(1)]).await;
        functions.close().await;
        answer
    }

    fn message(answer: PythonAnswer) -> String {
        match answer.result {
            Err(PythonError::Thrown(error) | PythonError::NotLoaded(error)) => error.message,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn late_call_is_stopped() {
        let limits = PythonLimits { call: Duration::from_millis(200), ..PythonLimits::default() };
        let source = "import time\ndef f(output):\n    time.sleep(60)\n";
        let answer = call(source, limits.clone()).await;
        let Err(PythonError::Thrown(error)) = &answer.result else { panic!("{answer:?}") };
        assert_eq!((error.message.as_str(), error.line), ("it timed out after 200ms", Some(3)));
        // One that ignores the signal.
        let deaf =
            "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ndef f(output):\n    time.sleep(60)\n";
        assert_eq!(message(call(deaf, limits).await), "it timed out after 200ms");
    }

    #[tokio::test]
    async fn file_that_takes_too_long_to_load_is_not_loaded_again() {
        let limits = PythonLimits { load: Duration::from_millis(300), ..PythonLimits::default() };
        let folder = tempfile::tempdir().unwrap();
        let file = script(folder.path(), "import time\ntime.sleep(60)\n");
        let functions = PythonFunctions::new(limits);
        let first = functions.call(folder.path(), &file, "f", &[]).await;
        let begun = std::time::Instant::now();
        assert_eq!(functions.call(folder.path(), &file, "f", &[]).await, first);
        assert!(begun.elapsed() < Duration::from_millis(100));
        assert_eq!(message(first), "it timed out after 300ms");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn memory_is_limited() {
        let limits = PythonLimits { memory: 128 << 20, ..PythonLimits::default() };
        let answer = call("def f(output):\n    return bool(bytearray(200 << 20))\n", limits).await;
        assert_eq!(message(answer), "it exceeded the memory limit of 128 MB");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn memory_that_other_files_keep_does_not_prevent_loading() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| ScriptFile {
            path: folder.path().join(name),
            source: "KEPT = bytearray(150 << 20)\ndef f(output): return True\n".into(),
        };
        let functions = PythonFunctions::new(PythonLimits { memory: 256 << 20, ..PythonLimits::default() });
        for name in ["a.py", "b.py", "a.py"] {
            let answer = functions.call(folder.path(), &file(name), "f", &[json!(1)]).await;
            assert_eq!(answer.result, Ok(json!(true)), "{name}");
        }
        // A file that is too large by itself is refused.
        let large = ScriptFile { source: "KEPT = bytearray(300 << 20)\n".into(), ..file("c.py") };
        let answer = functions.call(folder.path(), &large, "f", &[json!(1)]).await;
        assert_eq!(message(answer), "it exceeded the memory limit of 256 MB");
        functions.close().await;
    }

    #[tokio::test]
    async fn size_of_results_and_answers_is_limited() {
        let limits = PythonLimits { call: Duration::from_secs(30), ..PythonLimits::default() };
        let answer = call("def f(output):\n    return 'x' * 65535\n", limits.clone()).await;
        assert_eq!(message(answer), "it returned more than 64 KB");
        let answer = call("def f(output):\n    return 'x' * 65534\n", limits.clone()).await;
        assert!(answer.result.is_ok(), "{answer:?}");
        // Code that writes to the pipe of the answers itself.
        let floods = "import os\ndef f(output):\n    for n in range(3, 9):\n        try: os.write(n, b'x' * 2000000)\n        \
                      except OSError: pass\n";
        assert_eq!(message(call(floods, limits).await), "its answer is longer than 1 MiB");
    }

    #[tokio::test]
    async fn dropped_call_takes_its_process_along() {
        let folder = tempfile::tempdir().unwrap();
        let source = "import os, time\ndef f(output, seconds):\n    time.sleep(seconds)\n    return os.getpid()\n";
        let file = script(folder.path(), source);
        let functions = PythonFunctions::default();
        let first = functions.call(folder.path(), &file, "f", &[json!(0), json!(0)]).await.result.unwrap();
        let again = functions.call(folder.path(), &file, "f", &[json!(0), json!(0)]).await.result.unwrap();
        assert_eq!(first, again);
        let arguments = [json!(0), json!(60)];
        let slow = functions.call(folder.path(), &file, "f", &arguments);
        assert!(tokio::time::timeout(Duration::from_millis(200), slow).await.is_err());
        let other = functions.call(folder.path(), &file, "f", &[json!(0), json!(0)]).await.result.unwrap();
        assert_ne!(first, other);
        functions.close().await;
    }

    #[tokio::test]
    async fn process_that_ended_after_its_answer_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let source = "import os, threading\ndef f(output):\n    threading.Timer(0.1, os._exit, (5,)).start()\n    return os.getpid()\n";
        let file = script(folder.path(), source);
        let functions = PythonFunctions::default();
        let first = functions.call(folder.path(), &file, "f", &[json!(0)]).await.result.unwrap();
        let gone = format!("/proc/{first}/status");
        let ended = || !std::fs::read_to_string(&gone).is_ok_and(|status| !status.contains("State:\tZ"));
        for _ in 0..500 {
            if cfg!(target_os = "linux") && ended() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let again = functions.call(folder.path(), &file, "f", &[json!(0)]).await.result.unwrap();
        assert_ne!(first, again);
        functions.close().await;
    }

    #[tokio::test]
    async fn output_that_is_kept_is_limited() {
        let answer = call("def f(output):\n    print('x' * 1000000)\n    return True\n", PythonLimits::default()).await;
        assert_eq!((answer.printed.len(), answer.printed.ends_with("x [cut]")), (8 * 1024 + 6, true));
    }
}
