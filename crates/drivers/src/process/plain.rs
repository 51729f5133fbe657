//! The driver of programs without a protocol: a program gets its task when it is started, and its output is the answer.

use std::collections::BTreeMap;

use agentci_plan::{OutputRule, ProcessTarget, Text, UnsetVariableError, is_input};
use agentci_process::{Ending, Exit, Pipes, PrintError, Process, ProcessCommand};
use agentci_trace::EventKind;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;
use tokio::sync::mpsc::UnboundedSender;

use super::command::command;
use super::{DONE, UNDONE, tell_started};
use crate::observer::SeenEvents;
use crate::template_parts::{as_text, part};
use crate::{DriveError, DriveResult, DriverContext, Input, TraceSink};

/// The limit on its output, in bytes.
const PRINTED_LIMIT: usize = 16 << 20;

/// An agent that is started for every turn.
#[derive(Debug)]
pub(crate) struct PlainDriver {
    target: ProcessTarget,
    environment: Vec<(String, String)>,
    enforced: Vec<(String, String)>,
    started: Option<UnboundedSender<u32>>,
    /// The variables of the command, except the input.
    variables: BTreeMap<String, String>,
    running: Option<Process>,
    ended: Option<Ending>,
    /// The events of another observer.
    pub(crate) seen: SeenEvents,
}

impl PlainDriver {
    /// Looks up the command's variables, except the input. Nothing is started yet.
    pub(crate) fn open(target: &ProcessTarget, context: &DriverContext<'_>) -> Result<Self, UnsetVariableError> {
        let texts = target.command.iter().map(|part| &part.text).chain(target.environment.iter().map(|(_, text)| text));
        let names = texts.flat_map(Text::variables).filter(|name| !is_input(name));
        let variables = names.filter_map(|name| Some((name.to_owned(), (context.lookup)(name)?))).collect();
        let driver = Self {
            target: target.clone(),
            environment: context.environment.to_vec(),
            enforced: context.enforced.to_vec(),
            started: context.started.clone(),
            variables,
            running: None,
            ended: None,
            seen: SeenEvents::default(),
        };
        // Report unset variables before anything is started.
        driver.command(&|name| if is_input(name) { Some(String::new()) } else { (context.lookup)(name) })?;
        Ok(driver)
    }

    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>) -> DriveResult {
        let asked = asked(input)?;
        let command = self.command(&|name| match part(&asked, name) {
            Some(part) => Some(as_text(part)),
            None => self.variables.get(name).cloned(),
        });
        let command = command.map_err(|unset| {
            DriveError::Unsupported(format!("the command cannot be filled in: {unset}, and the turn has no such field"))
        })?;
        let named = self.target.command.iter().any(|part| part.text.uses_input());
        let given = if named { String::new() } else { as_text(&asked) + "\n" };
        sink.push(EventKind::TurnStart(input.value()))?;
        let mut printed = Vec::new();
        let exit = self.run(command, given, &mut printed, sink).await?;
        let text = String::from_utf8_lossy(&printed).trim_end().to_owned();
        if str::from_utf8(&printed).is_err() {
            sink.push(EventKind::Violation("the output contains bytes that are not UTF-8; they were replaced".into()))?;
        }
        if !text.is_empty() {
            sink.push(EventKind::Text(text.clone()))?;
        }
        if exit != Exit::Code(0) {
            return Err(DriveError::Failed { exit });
        }
        if text.trim().is_empty() {
            if self.target.output == OutputRule::Required {
                return Err(DriveError::Silent);
            }
        } else {
            // Objects and lists are data; a single number or word is text.
            let data = serde_json::from_str(&text).ok().filter(|value: &Value| value.is_object() || value.is_array());
            sink.push(EventKind::FinalOutput(data.unwrap_or(Value::String(text)).into()))?;
        }
        sink.push(EventKind::TurnEnd)?;
        Ok(())
    }

    /// Runs the program to its end.
    async fn run(
        &mut self,
        command: ProcessCommand,
        given: String,
        printed: &mut Vec<u8>,
        sink: &mut TraceSink<'_>,
    ) -> DriveResult<Exit> {
        let (process, Pipes { input, output }) = Process::spawn_beside(command).await?;
        tell_started(self.started.as_ref(), &process);
        let process = self.running.insert(process);
        let exit = {
            let mut feed = std::pin::pin!(feed(input, given));
            let mut given_all = false;
            let mut printing = std::pin::pin!(process.print_to(printed, output, PRINTED_LIMIT));
            loop {
                tokio::select! {
                    biased;
                    Some(kind) = self.seen.next() => sink.push(kind)?,
                    () = &mut feed, if !given_all => given_all = true,
                    exit = &mut printing => break exit,
                }
            }
        };
        let exit = exit.map_err(|error| match error {
            PrintError::Io(error) => DriveError::Transport(error),
            too_much @ PrintError::TooMuch(_) => DriveError::protocol(
                format!("the agent printed too much: {too_much}"),
                "print logs to standard error, and put large data elsewhere",
            ),
        })?;
        // Events that were observed before the exit.
        self.seen.take_all(sink)?;
        if let Some(process) = self.running.take() {
            self.ended = Some(process.end(DONE).await);
        }
        Ok(exit)
    }

    pub(crate) async fn close(self) -> Ending {
        match (self.running, self.ended) {
            (Some(process), _) => process.end(UNDONE).await,
            (None, ended) => ended.unwrap_or(Ending { exit: None, stderr_tail: Vec::new() }),
        }
    }

    fn command(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<ProcessCommand, UnsetVariableError> {
        command(&self.target, &self.environment, &self.enforced, lookup)
    }
}

/// Writes the input and closes the pipe. A program need not read it, so errors are ignored.
async fn feed(mut input: ChildStdin, given: String) {
    let _ = input.write_all(given.as_bytes()).await;
}

/// The input of a turn as one value: the task, or the content of the last user message.
fn asked(input: &Input) -> DriveResult<Value> {
    match input {
        Input::Task(task) => Ok(Value::clone(task)),
        Input::Messages(messages) => {
            let last = messages.iter().rev().find(|message| message["role"] == "user").or(messages.last());
            Ok(last.map(|message| message["content"].clone()).unwrap_or_default())
        }
        Input::Action { .. } => Err(DriveError::Unsupported(format!("a program does not accept {}", input.value()))),
    }
}
