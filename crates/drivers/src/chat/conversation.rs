//! One conversation with one agent: its functions, its model, its tools, until there is a result.

use std::sync::Arc;

use agentci_plan::Prompt;
use agentci_trace::{Kind, Moment, ToolResult};
use serde_json::{Value, json};

use super::ask::{Question, ask};
use super::calendar::Calendar;
use super::completion::{Call, Completion, cut_short};
use super::create_hook::Plan;
use super::message::{all_normal, tool_result};
use super::output::{Called, output};
use super::prompts::Words;
use super::session::{Api, Seat};
use super::{anthropic, openai};
use crate::host::NO_ANSWER;
use crate::{Delivery, DriveError, ToolHost, TraceSink};
use agentci_exchange::Line;

/// How often one turn may go back to the model with results of tools.
const ROUNDS: usize = 16;

/// A conversation with an agent.
pub(super) struct Talk<'t> {
    pub(super) seat: &'t Seat,
    pub(super) line: &'t mut Line,
    /// Whether someone answers the tools that the model wants called.
    pub(super) tools: bool,
    pub(super) calendar: Calendar,
    /// When it begins: the moment of its first request.
    pub(super) at: Moment,
}

/// What comes of it.
pub(super) enum Told {
    Output {
        output: Value,
        /// Everything that was said.
        messages: Vec<Value>,
        over: Moment,
    },
    /// Another agent shall say it.
    Delegated { agent: String, messages: Vec<Value> },
}

/// What the model came to.
#[derive(Default)]
struct Answered {
    completion: Completion,
    called: Vec<Called>,
    over: Moment,
}

impl Talk<'_> {
    pub(super) async fn run(
        mut self,
        messages: Vec<Value>,
        sink: &mut TraceSink<'_>,
        host: &dyn ToolHost,
    ) -> Result<Told, DriveError> {
        let mut plan = Plan::new(self.seat, messages);
        if let Some(hooks) = &self.seat.hooks {
            let arguments = [plan.setting.value(), Value::Array(plan.messages.clone())];
            if let Some(returned) = hooks.call("Create", &arguments).await? {
                plan.change(returned, self.seat, hooks)?;
            }
        }
        for name in &plan.ignored {
            let message = format!("`Create` returned `{name}`, which means nothing here");
            sink.push_at(self.at, Kind::Log { level: "warn".into(), message, data: None })?;
        }
        let answered = self.rounds(&mut plan, sink, host).await;
        let answered = match answered {
            Err(error) if is_of_model(&error) => {
                let next = self.next(&plan, &Answered::default(), Some(error.to_string())).await?;
                let over = self.line.now(sink.clock());
                return next.map(|next| next.told(plan.messages, over)).ok_or(error);
            }
            answered => answered?,
        };
        let over = answered.over;
        if let Some(next) = self.next(&plan, &answered, None).await? {
            return Ok(next.told(plan.messages, over));
        }
        let output = output(&answered.completion, &answered.called);
        Ok(Told::Output { output, messages: plan.messages, over })
    }

    /// Asks the model until it wants no more tools called, or nobody answers them.
    async fn rounds(
        &mut self,
        plan: &mut Plan,
        sink: &mut TraceSink<'_>,
        host: &dyn ToolHost,
    ) -> Result<Answered, DriveError> {
        let (prompts, warning) = self.prompts(plan);
        if let Some(message) = warning {
            sink.push_at(self.at, Kind::Log { level: "warn".into(), message, data: None })?;
        }
        let words = |calendar| Words { calendar, environment: &self.seat.environment, setting: &plan.setting };
        let before = words(Some(self.calendar)).messages(&prompts)?;
        let known = matches!(self.line, Line::Live).then(Vec::new);
        let known = known.map_or_else(|| words(None).messages(&prompts), Ok)?;
        let mut called = Vec::new();
        for round in 0..ROUNDS {
            let (body, left_out) = self.body(&before, plan);
            if let (0, Some(message)) = (round, left_out) {
                sink.push_at(self.at, Kind::Log { level: "warn".into(), message, data: None })?;
            }
            let identity = match self.line {
                Line::Live => Value::Null,
                Line::Record(_) | Line::Replay(_) => self.body(&known, plan).0,
            };
            let question = Question { at: self.at, body: body.to_string(), identity };
            let (completion, over) = ask(self.line, self.seat, &question, sink).await?;
            plan.messages.push(completion.message());
            tell(body, &completion, over, sink)?;
            let pending = self.tools && !completion.calls.is_empty();
            if !pending {
                called.extend(completion.calls.iter().map(|call| Called { call: call.clone(), result: None }));
                return Ok(Answered { completion, called, over });
            }
            let mut results = Vec::with_capacity(completion.calls.len());
            for call in &completion.calls {
                results.push(self.answer(call, plan, host).await?);
            }
            // The moment of the answers is that of the request that carries them.
            self.at = self.line.next(sink.clock());
            for (call, result) in completion.calls.into_iter().zip(results) {
                sink.push_at(self.at, Kind::ToolResult(result.clone()))?;
                called.push(Called { call, result: Some(result) });
            }
        }
        Err(DriveError::Protocol {
            message: format!("the model called tools in {ROUNDS} answers one after another"),
            help: "look for a loop: a result that the model does not understand, or a script that always wants more"
                .into(),
        })
    }

    /// A request, and what could not be put into it.
    fn body(&self, before: &[Value], plan: &Plan) -> (Value, Option<String>) {
        let messages: Vec<Value> = before.iter().chain(&plan.messages).cloned().collect();
        match &self.seat.api {
            Api::OpenAi | Api::Scripted(_) => (openai::body(&self.seat.model, messages, &plan.options), None),
            Api::Anthropic => {
                let made = anthropic::body(&self.seat.model, &messages, &plan.options);
                let names = made.left_out.join("`, `");
                let warning = format!("not sent, since Anthropic's Messages have no such option: `{names}`");
                (made.body, (!names.is_empty()).then_some(warning))
            }
        }
    }

    /// What stands before the conversation, and what is wrong with that: in place of prompts that are not there come the usual
    /// ones.
    fn prompts(&self, plan: &Plan) -> (Vec<Prompt>, Option<String>) {
        let presets = &self.seat.presets;
        let wanted = plan.preset.as_ref().map(|wanted| presets.iter().find(|(name, _)| name == wanted).ok_or(wanted));
        let (prompts, warning) = match wanted {
            None => (&self.seat.prompts, None),
            Some(Ok((_, prompts))) => (prompts, None),
            Some(Err(wanted)) => {
                let known: Vec<&str> = presets.iter().map(|(name, _)| name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let warning = format!("there are no prompts `{wanted}`; those with a name are: {known}");
                (&self.seat.prompts, Some(warning))
            }
        };
        let left_out = plan.own_prompts();
        (prompts.iter().filter(|prompt| !(left_out && prompt.shared)).cloned().collect(), warning)
    }

    /// Has a tool answered.
    async fn answer(&self, call: &Call, plan: &mut Plan, host: &dyn ToolHost) -> Result<ToolResult, DriveError> {
        let (result, content) = if call.parsed().is_ok() {
            let reply = host.call(&call.traced()).await?;
            let content = match (reply.delivery, &reply.result.error) {
                (Delivery::Never, _) => {
                    // Who waits for a tool that never answers waits as long as it may.
                    tokio::time::sleep(self.seat.timeout).await;
                    return Err(DriveError::Timeout { after: self.seat.timeout });
                }
                (Delivery::Malformed, _) => NO_ANSWER.into(),
                (Delivery::Truncated, _) => reply.half(),
                (Delivery::Whole, Some(error)) if !reply.result.ok => json!({ "error": error }),
                (Delivery::Whole, _) => Value::clone(&reply.result.result),
            };
            (reply.result, content)
        } else {
            let error = "the arguments are no JSON".to_owned();
            let content = json!({ "error": error });
            let call_id = call.id.clone();
            (
                ToolResult { call_id, ok: false, result: Arc::default(), error: Some(error), ..ToolResult::default() },
                content,
            )
        };
        plan.messages.push(tool_result(&call.id, &content));
        Ok(result)
    }

    /// What `Next` says to it.
    async fn next(&self, plan: &Plan, answered: &Answered, error: Option<String>) -> Result<Option<Next>, DriveError> {
        let Some(hooks) = &self.seat.hooks else { return Ok(None) };
        let completion = if error.is_some() { Value::Null } else { answered.completion.value() };
        let tools: Vec<Value> = answered.called.iter().map(Called::value).collect();
        let payload = json!({ "messages": plan.messages, "completion": completion, "tools": tools, "error": error });
        let Some(returned) = hooks.call("Next", &[plan.setting.value(), payload]).await? else { return Ok(None) };
        let wrong = |message: &str| hooks.wrong("Next", message);
        let Value::Object(mut returned) = returned else {
            return Err(wrong("returned no object: it returns `{ data }`, `{ delegate }` or nothing"));
        };
        if let Some(delegate) = returned.remove("delegate").filter(|delegate| !delegate.is_null()) {
            let Some(agent) = delegate.get("agent_id").and_then(Value::as_str) else {
                return Err(wrong("delegates to nobody: `delegate` has an `agent_id`"));
            };
            let messages = match delegate.get("messages").filter(|messages| !messages.is_null()) {
                Some(messages) => all_normal(messages).map_err(|error| wrong(&error))?,
                None => plan.messages.clone(),
            };
            return Ok(Some(Next::Delegate(agent.to_owned(), messages)));
        }
        Ok(returned.remove("data").filter(|data| !data.is_null()).map(Next::Data))
    }
}

/// What `Next` wants.
enum Next {
    Data(Value),
    Delegate(String, Vec<Value>),
}

impl Next {
    fn told(self, messages: Vec<Value>, over: Moment) -> Told {
        match self {
            Next::Data(output) => Told::Output { output, messages, over },
            Next::Delegate(agent, messages) => Told::Delegated { agent, messages },
        }
    }
}

/// Whether it is the model that failed, and not the suite or the run.
fn is_of_model(error: &DriveError) -> bool {
    matches!(
        error,
        DriveError::Refused { .. } | DriveError::Busy { .. } | DriveError::AgentError(_) | DriveError::Protocol { .. }
    )
}

/// Writes down what the model answered.
fn tell(request: Value, completion: &Completion, at: Moment, sink: &mut TraceSink<'_>) -> Result<(), DriveError> {
    sink.push_at(at, Kind::ModelCall { request: request.into(), response: completion.value().into() })?;
    if completion.usage != agentci_trace::Usage::default() {
        sink.push_at(at, Kind::Usage(completion.usage))?;
    }
    if let Some(warning) = completion.finish.as_deref().and_then(cut_short) {
        sink.push_at(at, Kind::Violation(warning))?;
    }
    for told in &completion.provided {
        sink.push_at(at, told.clone())?;
    }
    for call in &completion.calls {
        if call.parsed().is_err() {
            sink.push_at(at, Kind::Violation(format!("the arguments of `{}` are no JSON", call.name)))?;
        }
        sink.push_at(at, Kind::ToolCall(call.traced()))?;
    }
    Ok(())
}
