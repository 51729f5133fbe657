//! The driver of MCP servers.

use std::path::PathBuf;
use std::sync::Arc;

use agentci_mcp::{CallResult, ServerMessages, text_of_parts};
use agentci_plan::McpTarget;
use agentci_process::Ending;
use agentci_trace::{EventKind, Moment, Observer, ToolCall, ToolResult};
use serde_json::Value;

use super::action::McpAction;
use super::action_result::{ActionResult, McpOutcome};
use super::failure::McpFailure;
use super::server::LazyServer;
use super::snapshot;
use crate::error::OpenError;
use crate::{DriveError, DriveResult, DriverContext, Input, TraceSink};
use agentci_exchange::{AgentLine, Clock};

/// A server under test.
#[derive(Debug)]
pub(crate) struct McpDriver {
    pub(crate) line: AgentLine,
    /// `None` in a replay.
    server: Option<LazyServer>,
    /// The folder for relative paths of turns.
    folder: PathBuf,
    /// Whether a missing snapshot is created.
    records: bool,
    /// The number of tool calls.
    calls: usize,
}

impl McpDriver {
    pub(crate) fn open(target: &McpTarget, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        // A replay needs no server, and its variables may be unset.
        let server = match line {
            AgentLine::Replay(_) => None,
            AgentLine::Live | AgentLine::Record(_) => Some(LazyServer::new(target, context)?),
        };
        Ok(Self { line, server, folder: context.folder.to_path_buf(), records: context.records, calls: 0 })
    }

    /// Takes one turn.
    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>) -> DriveResult {
        let clock = sink.clock();
        let action = McpAction::read(input).map_err(DriveError::Unsupported);
        // Connect before the turn starts: the start of a program does not count towards its time.
        if let Some(server) = self.server.as_mut().filter(|_| action.is_ok()) {
            server.reach().await;
        }
        let begun = self.line.next(clock);
        sink.push_at(begun, EventKind::TurnStart(input.value()))?;
        let action = action?;
        let mut call_id = String::new();
        if let McpAction::Call { tool, args, .. } = &action {
            self.calls += 1;
            call_id = format!("call-{}", self.calls);
            let (name, args) = (tool.clone(), Arc::new(args.clone()));
            let call = ToolCall { call_id: call_id.clone(), name, args, observer: Observer::Protocol, begun: None };
            sink.push_at(begun, EventKind::ToolCall(call))?;
        }
        let (ActionResult { outcome, logs, defects }, over) = self.ask(&action, clock, begun).await?;
        for logged in logs {
            // Notifications between two turns belong to the later one.
            let at = logged.at_us.max(begun.offset_us);
            sink.push_at(clock.after(at), logged.event())?;
        }
        for defect in defects {
            sink.push_at(over, EventKind::Violation(defect))?;
        }
        match outcome {
            McpOutcome::Result(result) => self.finish(&action, result, call_id, sink, over)?,
            McpOutcome::Failure(failure) => {
                if !call_id.is_empty() && failure.is_answer() {
                    let error = Some(failure.message.clone());
                    sink.push_at(over, EventKind::ToolResult(ToolResult { call_id, error, ..ToolResult::default() }))?;
                }
                return Err(failure.into());
            }
        }
        sink.push_at(over, EventKind::TurnEnd)?;
        Ok(())
    }

    /// Gets the result from the server or the recording.
    async fn ask(&mut self, action: &McpAction, clock: Clock, at: Moment) -> DriveResult<(ActionResult, Moment)> {
        let identity = action.identity();
        if let Some(recalled) = self.line.recall(&identity, clock) {
            let (body, came) = recalled?;
            let told = serde_json::from_slice(&body).map_err(|error| McpFailure::unreadable(&error.to_string()))?;
            return Ok((told, came));
        }
        let Some(server) = &mut self.server else {
            return Err(DriveError::Unsupported("there is neither a server nor a recording".into()));
        };
        let slot = self.line.note(&identity, clock, at);
        let (told, came) = server.perform(action, clock).await;
        if let Some(slot) = slot {
            slot.answered(came, serde_json::to_string(&told).map_err(std::io::Error::from)?);
        }
        Ok((told, came))
    }

    /// Writes a result to the trace.
    fn finish(
        &self,
        action: &McpAction,
        result: Value,
        call_id: String,
        sink: &mut TraceSink<'_>,
        over: Moment,
    ) -> DriveResult {
        match action {
            McpAction::Call { tool, strict, .. } => {
                let result = CallResult::read(result, ServerMessages::default())
                    .map_err(|malformed| McpFailure::unreadable(&malformed.to_string()))?;
                let text = result.text();
                sink.push_at(over, EventKind::ToolResult(answered(call_id, &result, &text)))?;
                say(&text, sink, over)?;
                if let Some(structured) = result.structured {
                    sink.push_at(over, EventKind::FinalOutput(structured.into()))?;
                }
                if result.is_error && *strict {
                    return Err(DriveError::Refused {
                        message: format!(
                            "the tool `{tool}` failed: {}",
                            if text.is_empty() { "no message" } else { &text }
                        ),
                        help: "without `errors: fail` the turn continues and its checks run on the result".into(),
                    });
                }
            }
            McpAction::Read { .. } | McpAction::Prompt { .. } => say(&text_of_parts(&result), sink, over)?,
            McpAction::List { snapshot: path } => {
                let tools = result["tools"].clone();
                sink.push_at(over, EventKind::FinalOutput(result.into()))?;
                if let Some(path) = path {
                    snapshot::compare(&tools, &self.folder.join(path), self.records)?;
                }
            }
        }
        Ok(())
    }

    /// Ends the server, if agentci started it.
    pub(crate) async fn close(self) -> Ending {
        match self.server {
            Some(server) => server.close().await,
            None => Ending { exit: None, stderr_tail: Vec::new() },
        }
    }
}

fn answered(call_id: String, result: &CallResult, text: &str) -> ToolResult {
    let ok = !result.is_error;
    let error = (!ok).then(|| text.to_owned());
    ToolResult { call_id, ok, result: Arc::new(result.value().into_owned()), error, ..ToolResult::default() }
}

fn say(text: &str, sink: &mut TraceSink<'_>, at: Moment) -> DriveResult {
    if !text.is_empty() {
        sink.push_at(at, EventKind::Text(text.to_owned()))?;
    }
    Ok(())
}
