//! A conversation with one agent: calls its model and tools until there is a result.

use agentci_protocols::chat::AnswerCall;
use agentci_trace::{EventKind, Moment, ToolResult};
use serde_json::{Value, json};

use super::assistant::{NextStep, Opening};
use super::completion::{Completion, cut_short};
use super::message::tool_result;
use super::model_request::{ChatQuestion, send};
use super::output::{CallWithResult, output};
use super::session::{ChatSession, ModelApi};
use super::{anthropic, openai};
use crate::host::NO_ANSWER;
use crate::{Delivery, DriveError, DriveResult, ToolHost, TraceSink};
use agentci_exchange::AgentLine;

/// The maximum number of model calls per turn; each further call carries tool results.
const ROUNDS: usize = 16;

/// A conversation with an agent.
pub(super) struct ChatConversation<'c, 's> {
    pub(super) session: &'c ChatSession,
    pub(super) line: &'c mut AgentLine,
    /// Whether the host answers the tool calls of the model.
    pub(super) tools: bool,
    /// The time for prompt variables, in Unix milliseconds.
    pub(super) unix_ms: u64,
    /// When the next request is sent.
    pub(super) at: Moment,
    pub(super) sink: &'c mut TraceSink<'s>,
    pub(super) host: &'c dyn ToolHost,
}

/// The result of all model calls of a turn.
#[derive(Debug)]
pub(super) struct ModelTurn {
    pub(super) completion: Completion,
    pub(super) called: Vec<CallWithResult>,
    pub(super) over: Moment,
}

impl ChatConversation<'_, '_> {
    /// Returns the result or the next agent, all messages, and when it was over.
    pub(super) async fn run(mut self, messages: Vec<Value>) -> DriveResult<(NextStep, Vec<Value>, Moment)> {
        let assistant = &self.session.assistant;
        let mut opening = assistant.create(messages, self.session.options.clone()).await?;
        for message in std::mem::take(&mut opening.warnings) {
            self.warn(message)?;
        }
        let answered = match self.rounds(&mut opening).await {
            Err(error) if is_of_model(&error) => {
                let step = assistant.next(&opening, Err(&error)).await?;
                let over = self.line.now(self.sink.clock());
                return step.map(|step| (step, opening.messages, over)).ok_or(error);
            }
            answered => answered?,
        };
        let over = answered.over;
        let step = assistant.next(&opening, Ok(&answered)).await?;
        let step = step.unwrap_or_else(|| NextStep::Output(output(&answered.completion, &answered.called)));
        Ok((step, opening.messages, over))
    }

    /// Calls the model until it requests no more tools, or the host does not answer them.
    async fn rounds(&mut self, opening: &mut Opening) -> DriveResult<ModelTurn> {
        let assistant = &self.session.assistant;
        let before = assistant.prompts(opening, Some(self.unix_ms))?;
        let known = match self.line {
            AgentLine::Live => Vec::new(),
            AgentLine::Record(_) | AgentLine::Replay(_) => assistant.prompts(opening, None)?,
        };
        let mut called = Vec::new();
        for round in 0..ROUNDS {
            let (body, left_out) = self.body(&before, opening);
            if let (0, Some(message)) = (round, left_out) {
                self.warn(message)?;
            }
            let identity = match self.line {
                AgentLine::Live => Value::Null,
                AgentLine::Record(_) | AgentLine::Replay(_) => self.body(&known, opening).0,
            };
            let question = ChatQuestion { at: self.at, body: body.to_string(), identity };
            let (completion, over) = send(self.line, self.session, &question, self.sink).await?;
            opening.messages.push(completion.message());
            tell(body, &completion, over, self.sink)?;
            let pending = self.tools && !completion.calls.is_empty();
            if !pending {
                called.extend(completion.calls.iter().map(|call| CallWithResult { call: call.clone(), result: None }));
                return Ok(ModelTurn { completion, called, over });
            }
            let mut results = Vec::with_capacity(completion.calls.len());
            for call in &completion.calls {
                results.push(self.answer(call, opening).await?);
            }
            // Tool results are dated with the request that carries them.
            self.at = self.line.next(self.sink.clock());
            for (call, result) in completion.calls.into_iter().zip(results) {
                self.sink.push_at(self.at, EventKind::ToolResult(result.clone()))?;
                called.push(CallWithResult { call, result: Some(result) });
            }
        }
        let message = format!("the model called tools in {ROUNDS} consecutive answers");
        let help = "look for a loop: a tool result that the model does not understand, or a script that never stops";
        Err(DriveError::protocol(message, help))
    }

    /// The body of a request, and a warning about options that are not supported.
    fn body(&self, before: &[Value], opening: &Opening) -> (Value, Option<String>) {
        let messages: Vec<Value> = before.iter().chain(&opening.messages).cloned().collect();
        match &self.session.api {
            ModelApi::OpenAi | ModelApi::Scripted(_) => {
                (openai::body(&self.session.model, messages, &opening.options), None)
            }
            ModelApi::Anthropic => {
                let (body, left_out) = anthropic::body(&self.session.model, &messages, &opening.options);
                let names = left_out.join("`, `");
                let warning = format!("not sent, because Anthropic's Messages API has no such option: `{names}`");
                (body, (!names.is_empty()).then_some(warning))
            }
        }
    }

    /// Has the host answer a tool call.
    async fn answer(&self, call: &AnswerCall, opening: &mut Opening) -> DriveResult<ToolResult> {
        let (result, content) = if call.parsed().is_ok() {
            let reply = self.host.call(&call.traced()).await?;
            let content = match (reply.delivery, &reply.result.error) {
                (Delivery::Never, _) => {
                    // A tool that never answers takes up the whole timeout.
                    tokio::time::sleep(self.session.timeout).await;
                    return Err(DriveError::Timeout { after: self.session.timeout });
                }
                (Delivery::Malformed, _) => NO_ANSWER.into(),
                (Delivery::Truncated, _) => reply.half(),
                (Delivery::Whole, Some(error)) if !reply.result.ok => json!({ "error": error }),
                (Delivery::Whole, _) => Value::clone(&reply.result.result),
            };
            (reply.result, content)
        } else {
            let error = "the arguments are not JSON".to_owned();
            let content = json!({ "error": error });
            (ToolResult { call_id: call.id.clone(), error: Some(error), ..ToolResult::default() }, content)
        };
        opening.messages.push(tool_result(&call.id, &content));
        Ok(result)
    }

    fn warn(&mut self, message: String) -> DriveResult {
        Ok(self.sink.push_at(self.at, EventKind::Log { level: "warn".into(), message, data: None })?)
    }
}

/// Whether the model failed, rather than the suite or the run.
fn is_of_model(error: &DriveError) -> bool {
    matches!(
        error,
        DriveError::Refused { .. } | DriveError::Busy { .. } | DriveError::AgentError(_) | DriveError::Protocol { .. }
    )
}

/// Writes the model's answer to the trace.
fn tell(request: Value, completion: &Completion, at: Moment, sink: &mut TraceSink<'_>) -> DriveResult {
    sink.push_at(at, EventKind::ModelCall { request: request.into(), response: completion.value().into() })?;
    if completion.usage != agentci_trace::Usage::default() {
        sink.push_at(at, EventKind::Usage(completion.usage))?;
    }
    if let Some(warning) = completion.finish.as_deref().and_then(cut_short) {
        sink.push_at(at, EventKind::Violation(warning))?;
    }
    for told in &completion.provided {
        sink.push_at(at, told.clone())?;
    }
    for call in &completion.calls {
        if call.parsed().is_err() {
            sink.push_at(at, EventKind::Violation(format!("the arguments of `{}` are not JSON", call.name)))?;
        }
        sink.push_at(at, EventKind::ToolCall(call.traced()))?;
    }
    Ok(())
}
