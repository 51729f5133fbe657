//! Tools of a Python module, hosted in a Python process.

use std::path::Path;

use agentci_plan::TOOL_TIMEOUT;
use agentci_python::{HostError, NO_PYTHON, PythonHost, find_python};
use agentci_source::print_duration;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::command::{RESULT_LIMIT, ToolCallError};

/// A Python process that imports a module and answers calls of the functions in its mapping `TOOLS`.
#[derive(Debug)]
pub(super) struct Module {
    name: String,
    start: ModuleStart,
    /// One call at a time; a process that fails is replaced by the next call.
    running: Mutex<Option<PythonHost>>,
    /// The names of its tools.
    pub(super) names: Vec<String>,
}

/// How its process is started.
#[derive(Debug)]
struct ModuleStart {
    python: std::ffi::OsString,
    /// The folders to import from.
    folders: Vec<std::path::PathBuf>,
}

impl ModuleStart {
    /// Starts a process and imports the module; returns the answer as well.
    async fn host(&self, module: &str) -> Result<(PythonHost, Value), String> {
        let started = PythonHost::start(self.python.clone(), None, self.folders.iter().cloned(), RESULT_LIMIT);
        let host = started.map_err(|error| error.to_string())?;
        let (host, answer, _) = host.exchange(json!({ "module": module }).to_string(), TOOL_TIMEOUT).await;
        let answer = answer.map_err(|error| words(&error))?;
        match (host, answer["thrown"].as_str()) {
            (Some(host), None) => Ok((host, answer)),
            (host, thrown) => {
                let error = thrown.unwrap_or("it ended without an answer").to_owned();
                if let Some(host) = host {
                    host.close().await;
                }
                Err(error)
            }
        }
    }
}

impl Module {
    /// Starts the process and lists the tools of the module.
    pub(super) async fn open(module: &str, folder: &Path) -> Result<Self, String> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let python = find_python(&folder).ok_or_else(|| format!("`python3` was not found; {NO_PYTHON}"))?;
        let folders = [folder].into_iter().chain(std::env::current_dir().ok()).collect();
        let start = ModuleStart { python, folders };
        let (host, answer) = start.host(module).await?;
        let names = answer["tools"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Ok(Self { name: module.to_owned(), names: names.collect(), start, running: Mutex::new(Some(host)) })
    }

    pub(super) async fn call(&self, tool: &str, args: &Value) -> Result<Value, ToolCallError> {
        let mut slot = self.running.lock().await;
        let host = match slot.take() {
            Some(host) => host,
            None => self.start.host(&self.name).await?.0,
        };
        let (host, answer, printed) =
            host.exchange(json!({ "tool": tool, "args": args }).to_string(), TOOL_TIMEOUT).await;
        *slot = host;
        let mut answer = answer.map_err(|error| {
            let last = printed.lines().rev().find(|line| !line.trim().is_empty());
            last.map_or_else(|| words(&error), |last| format!("{}: {last}", words(&error)))
        })?;
        match answer["thrown"].as_str() {
            Some(thrown) => Err(thrown.to_owned().into()),
            None => Ok(answer["returned"].take()),
        }
    }

    /// Ends the process, if it is running.
    pub(super) async fn close(self) {
        if let Some(host) = self.running.into_inner() {
            host.close().await;
        }
    }
}

fn words(error: &HostError) -> String {
    match error {
        HostError::Late { limit, .. } => format!("no answer within {}", print_duration(*limit)),
        other => other.to_string(),
    }
}
