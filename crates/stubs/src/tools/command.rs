//! Tools that are programs: one process per call, or one for all calls.
//!
//! For each call, a process for all calls reads a line `{"call_id":"c1","tool":"search","args":{..}}` and writes a line
//! `{"ok":true,"result":..}` or `{"ok":false,"error":".."}`.

use std::ffi::OsString;
use std::time::Duration;

use agentci_plan::{CommandPart, Text, UnsetVariableError};
use agentci_process::{Exit, Grace, LineReader, Process, ProcessCommand, SpawnError};
use agentci_source::print_duration;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Maximum size of a result in bytes.
pub(super) const RESULT_LIMIT: usize = 64 << 20;
const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };
const POLITE: Grace = Grace { before_asking: Duration::from_millis(300), before_killing: Duration::from_millis(300) };

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolCallError {
    /// The tool answered with an error, or did not answer.
    Failed(String),
    /// Its program does not exist or cannot be started.
    NotStarted(String),
}

impl From<String> for ToolCallError {
    fn from(words: String) -> Self {
        ToolCallError::Failed(words)
    }
}

impl From<SpawnError> for ToolCallError {
    fn from(error: SpawnError) -> Self {
        ToolCallError::NotStarted(error.to_string())
    }
}

/// Fills in the variables of a command and its environment.
pub fn fill_command(
    command: &[CommandPart],
    environment: &[(String, Text)],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<ProcessCommand, UnsetVariableError> {
    let part = |part: &CommandPart| match &part.file {
        // Made absolute, because the program may run in another working directory.
        Some(file) => Ok(std::path::absolute(file).unwrap_or_else(|_| file.clone()).into_os_string()),
        None => part.text.fill(lookup).map(OsString::from),
    };
    let mut parts = command.iter().map(part).collect::<Result<Vec<_>, _>>()?.into_iter();
    let environment = fill_pairs(environment, lookup)?;
    let program = parts.next().unwrap_or_default();
    Ok(ProcessCommand { program, arguments: parts.collect(), folder: None, environment })
}

/// Fills in the variables of values.
pub(super) fn fill_pairs(
    pairs: &[(String, Text)],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(String, String)>, UnsetVariableError> {
    pairs.iter().map(|(name, value)| Ok((name.clone(), value.fill(lookup)?))).collect()
}

/// Runs a program for one call: arguments on standard input, the result on standard output.
pub(super) async fn once(command: &ProcessCommand, args: &Value, limit: Duration) -> Result<Value, ToolCallError> {
    let (mut process, pipes) = Process::spawn(command)?;
    let (mut input, body) = (pipes.input, args.to_string());
    // The program may exit without reading; then its exit status says more than the broken pipe.
    let write = async move {
        let _ = input.write_all(body.as_bytes()).await;
    };
    let work = async { tokio::join!(write, process.printed(pipes.output, RESULT_LIMIT)).1 };
    let done = timeout(limit, work).await;
    let ending = process.end(AT_ONCE).await;
    match done {
        Err(_) => Err(late(limit).into()),
        Ok(Err(error)) => Err(error.to_string().into()),
        Ok(Ok((Exit::Code(0), output))) => {
            serde_json::from_slice(&output).map_err(|error| format!("its result is not JSON: {error}").into())
        }
        Ok(Ok((exit, _))) => {
            let words = ending.stderr_tail.iter().rev().find(|line| !line.trim().is_empty()).cloned();
            Err(words.unwrap_or_else(|| format!("it ended with {exit}")).into())
        }
    }
}

fn late(limit: Duration) -> String {
    format!("no answer within {}", print_duration(limit))
}

/// A process that answers many calls; the first call starts it.
#[derive(Debug)]
pub(super) struct LongLived {
    command: ProcessCommand,
    limit: Duration,
    /// One call at a time, because answers carry no id.
    running: Mutex<Option<RunningCommand>>,
}

#[derive(Debug)]
struct RunningCommand {
    process: Process,
    input: ChildStdin,
    output: LineReader<ChildStdout>,
}

impl LongLived {
    pub(super) fn new(command: ProcessCommand, limit: Duration) -> Self {
        Self { command, limit, running: Mutex::new(None) }
    }

    pub(super) async fn call(&self, call_id: &str, tool: &str, args: &Value) -> Result<Value, ToolCallError> {
        let mut answer = self.exchange(&json!({ "call_id": call_id, "tool": tool, "args": args })).await?;
        match answer["ok"].as_bool() {
            Some(true) => Ok(answer["result"].take()),
            Some(false) => Err(answer["error"].as_str().unwrap_or("it failed").to_owned().into()),
            None => Err("its answer has no `ok`".to_owned().into()),
        }
    }

    /// Sends a line and reads one. A process that times out or fails is ended; the next call starts a new one.
    async fn exchange(&self, request: &Value) -> Result<Value, ToolCallError> {
        let mut slot = self.running.lock().await;
        let mut running = if let Some(running) = slot.take() {
            running
        } else {
            let (process, pipes) = Process::spawn(&self.command)?;
            RunningCommand { process, input: pipes.input, output: LineReader::new(pipes.output, RESULT_LIMIT) }
        };
        let line = format!("{request}\n");
        let talk = async {
            running.input.write_all(line.as_bytes()).await.map_err(|_| "it no longer reads its input".to_owned())?;
            let answer = running.output.next().await.map_err(|error| error.to_string())?;
            let answer = answer.ok_or("it ended without an answer")?;
            serde_json::from_slice(answer).map_err(|error| format!("its answer is not JSON: {error}"))
        };
        let answered: Result<Value, String> = timeout(self.limit, talk).await.unwrap_or_else(|_| Err(late(self.limit)));
        match answered {
            Ok(answer) => {
                *slot = Some(running);
                Ok(answer)
            }
            Err(why) => {
                let ending = running.process.end(AT_ONCE).await;
                let words = ending.stderr_tail.iter().rev().find(|line| !line.trim().is_empty());
                Err(words.map_or(why.clone(), |words| format!("{why}: {words}")).into())
            }
        }
    }

    /// Ends the process, if it is running.
    pub(super) async fn close(self) {
        if let Some(running) = self.running.into_inner() {
            drop(running.input);
            running.process.end(POLITE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    fn shell(script: &str) -> ProcessCommand {
        ProcessCommand {
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            ..ProcessCommand::default()
        }
    }

    fn words(error: ToolCallError) -> String {
        let ToolCallError::Failed(words) = error else { panic!("{error:?}") };
        words
    }

    #[tokio::test]
    async fn refuses_endless_tool_output() {
        let endless = "head -c 70000000 /dev/zero | tr '\\0' x; sleep 60";
        assert_eq!(words(once(&shell(endless), &json!({}), LONG).await.unwrap_err()), "it printed more than 64 MiB");
        let tool = LongLived::new(shell(&format!("read line; {endless}")), LONG);
        let error = words(tool.call("1", "t", &json!({})).await.unwrap_err());
        assert!(error.contains("67108864") || error.contains("64 MiB"), "{error}");
        tool.close().await;
    }

    #[tokio::test]
    async fn kills_tool_that_ignores_sigterm() {
        let stays = "trap '' TERM; while :; do sleep 1; done";
        let limit = Duration::from_millis(100);
        assert_eq!(words(once(&shell(stays), &json!({}), limit).await.unwrap_err()), "no answer within 100ms");
        let answers = "read line; echo '{\"ok\":true,\"result\":1}'";
        let tool = LongLived::new(shell(&format!("{answers}; {stays}")), LONG);
        assert_eq!(tool.call("1", "t", &json!({})).await.unwrap(), json!(1));
        tool.close().await;
    }
}
