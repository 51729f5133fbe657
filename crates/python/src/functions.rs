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

/// The time limit of a call.
const CALL_LIMIT: Duration = Duration::from_secs(5);
/// The time limit for starting Python and for running the top level of a file, which imports packages.
const LOAD_LIMIT: Duration = Duration::from_secs(30);
/// The memory limit of a child, in bytes: packages such as `torch` need more than a gigabyte.
const MEMORY: u64 = 2 << 30;
/// The maximum size of a result, as JSON.
const RETURNED: usize = 64 * 1024;
/// The maximum size of an answer: a result, or a message with a traceback.
const ANSWER: usize = 1 << 20;

/// The Python files whose functions a run calls.
#[derive(Debug, Default)]
pub struct PythonFunctions {
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
        let loaded = match slot.take() {
            Some(running) => running.load(&path, file).await,
            None => match start(suite, folder).await {
                Ok(running) => running.load(&path, file).await,
                Err(refused) => Err((None, refused)),
            },
        };
        let running = match loaded {
            Ok(running) => running,
            Err((running, refused)) => {
                *slot = running;
                host.refused.borrow_mut().insert(path, refused.clone());
                return refused;
            }
        };
        let (running, answer) = running.call(&path, file, function, arguments).await;
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

async fn start(suite: &Path, folder: PathBuf) -> Result<RunningHost, PythonAnswer> {
    let refused = |error| PythonAnswer { result: Err(error), printed: String::new() };
    let python = find_python(suite).ok_or_else(|| refused(PythonError::NoInterpreter))?;
    let started = PythonHost::start(python, Some(MEMORY), [folder], ANSWER).await;
    let host = started.map_err(|error| refused(PythonError::NotLoaded(exception(error, Path::new("")))))?;
    Ok(RunningHost { host, loaded: HashSet::new() })
}

impl RunningHost {
    /// Loads a file, unless it is loaded. Fails with the child, if it still runs, and the reason.
    async fn load(mut self, path: &Path, file: &ScriptFile) -> Result<Self, (Option<Self>, PythonAnswer)> {
        if self.loaded.contains(path) {
            return Ok(self);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let request = json!({
            "load": path.to_string_lossy(), "path": file.path.to_string_lossy(), "file": path.to_string_lossy(), "name": name,
            "source": file.source.trim_start_matches('\u{feff}'),
        });
        let (host, answer, printed) = self.host.exchange(request.to_string(), LOAD_LIMIT).await;
        let answer = answer.map_err(|error| exception(error, &file.path)).and_then(read);
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
            Ok(answer) => PythonError::NotLoaded(answer.exception()),
            Err(exception) => PythonError::NotLoaded(exception),
        };
        let running = host.map(|host| Self { host, loaded: self.loaded });
        Err((running, PythonAnswer { result: Err(error), printed }))
    }

    async fn call(
        self,
        path: &Path,
        file: &ScriptFile,
        function: &str,
        arguments: &[Value],
    ) -> (Option<Self>, PythonAnswer) {
        let request =
            json!({ "call": path.to_string_lossy(), "function": function, "arguments": arguments, "most": RETURNED });
        let (host, answer, printed) = self.host.exchange(request.to_string(), CALL_LIMIT).await;
        let answer = answer.map_err(|error| exception(error, &file.path)).and_then(read);
        let is_spent = answer.as_ref().is_ok_and(|answer| answer.memory);
        let result = match answer {
            Ok(Answer { missing: Some(known), .. }) => Err(PythonError::NoFunction { known }),
            Ok(answer) if answer.thrown.is_some() => Err(PythonError::Thrown(answer.exception())),
            Ok(Answer { returned, .. }) => Ok(returned.unwrap_or_default()),
            Err(exception) => Err(PythonError::Thrown(exception)),
        };
        let host = match host {
            Some(host) if is_spent => {
                host.close().await;
                None
            }
            host => host,
        };
        (host.map(|host| Self { host, loaded: self.loaded }), PythonAnswer { result, printed })
    }
}

impl Answer {
    fn exception(self) -> PythonException {
        let message = if self.memory {
            format!("it exceeded the memory limit of {} MB", MEMORY >> 20)
        } else {
            self.thrown.unwrap_or_default()
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
