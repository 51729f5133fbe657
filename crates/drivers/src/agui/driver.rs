//! A thread with a server that speaks AG-UI: each turn is one run or several.

use std::time::Duration;

use agentci_plan::{AguiTarget, AguiWire, Data, Strictness, Text};
use agentci_protocols::agui::{
    self, AguiMethod, AguiReader, AguiStep, AguiThread, AnswerEnding, Resume, RunOutcome, VERSION, envelope,
};
use agentci_trace::{EventKind, Moment};
use serde_json::{Value, json};

use super::refusal::{asks_for_method, no_stream, refused, refuses_version};
use crate::error::OpenError;
use crate::host::NO_ANSWER;
use crate::stream::next_event;
use crate::template_parts::filled;
use crate::{Delivery, DriveError, DriveResult, DriverContext, Input, ToolHost, TraceSink};
use agentci_exchange::{AgentLine, HttpMethod, NOT_UTF8, Request, StreamedAnswer, UuidSource};

/// How often one turn may go back to the agent with answers to its calls.
const ROUNDS: usize = 50;
/// How long a server may keep its answer open after the run is over.
const AFTER_END: Duration = Duration::from_millis(100);
/// The most bytes that are read of an answer that is no stream.
const LARGEST_REFUSAL: usize = 1 << 20;

/// A thread with a server.
#[derive(Debug)]
pub(crate) struct AguiDriver {
    endpoint: String,
    headers: Vec<(String, String)>,
    agent: String,
    timeout: Duration,
    wire: AguiWire,
    /// Whether requests say which version of the protocol they are of; some servers refuse what they do not know.
    says_version: bool,
    protocol: Strictness,
    /// The rules that were broken in the present turn.
    violations: Vec<String>,
    conversation: AguiThread,
    pub(crate) line: AgentLine,
    ids: UuidSource,
}

/// What one request asks for, and the answers to interrupts that it brings.
type RunRequest = (AguiMethod, Option<Resume>);

impl AguiDriver {
    pub(crate) fn open(target: &AguiTarget, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        let mut ids = UuidSource::new(line.seed());
        // Nothing of the target makes a request another than the recorded one.
        let text = |text: &Text| line.fill(context.lookup, |lookup| text.fill(lookup));
        let data = |data: &Data| line.fill(context.lookup, |lookup| data.fill(lookup));
        let thread = target.thread.as_ref().map(text).transpose()?;
        let tools = target.tools.iter().map(
            |tool| json!({ "name": tool.name.value, "description": tool.description, "parameters": tool.parameters }),
        );
        let conversation = AguiThread::new(
            thread.unwrap_or_else(|| ids.fresh()),
            target.state.as_ref().map(data).transpose()?,
            tools.collect(),
            target.forwarded_props.as_ref().map(data).transpose()?,
        );
        let mut headers = vec![("accept".to_owned(), "text/event-stream".to_owned())];
        headers.extend(filled(&target.headers, text)?);
        Ok(Self {
            endpoint: text(&target.endpoint.value)?,
            headers,
            agent: target.agent.as_ref().map(text).transpose()?.unwrap_or_default(),
            timeout: context.request_timeout.unwrap_or(target.timeout),
            wire: target.wire,
            says_version: true,
            protocol: target.protocol,
            violations: Vec::new(),
            conversation,
            line,
            ids,
        })
    }

    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        let mut at = self.line.next(sink.clock());
        sink.push_at(at, EventKind::TurnStart(input.value()))?;
        let mut ask = self.begin(input)?;
        self.violations.clear();
        for _ in 0..ROUNDS {
            let (ending, over) = self.run(&ask, at, sink).await?;
            let pending = match ending {
                AnswerEnding::Finished { outcome: RunOutcome::Success { pending }, result } => {
                    // What a run says is its answer; one that says nothing answers with its result.
                    let spoke = sink.trace().output().value().is_some();
                    if let Some(result) = result.filter(|result| !result.is_null() && !spoke) {
                        sink.push_at(over, EventKind::FinalOutput(result.into()))?;
                    }
                    pending
                }
                AnswerEnding::Finished { outcome: RunOutcome::Interrupted(open), .. } => {
                    let message = format!("the run waits for {}", agui::names(&open));
                    sink.push_at(over, EventKind::Log { level: "interrupt".into(), message, data: None })?;
                    Vec::new()
                }
                AnswerEnding::Finished { outcome: RunOutcome::Cancelled, .. } => {
                    return Err(DriveError::AgentError("its run was cancelled".into()));
                }
                AnswerEnding::Failed { message, code } => {
                    let code = code.map(|code| format!(" (code {code})")).unwrap_or_default();
                    return Err(DriveError::AgentError(format!("{message}{code}")));
                }
                cut_short @ (AnswerEnding::Truncated { .. } | AnswerEnding::Silent) => {
                    let (message, help) = cut_short.cut_short().unwrap_or_default();
                    return Err(DriveError::protocol(message, help));
                }
            };
            let mut answered = false;
            let mut results = Vec::with_capacity(pending.len());
            for call in &pending {
                let reply = host.call(call).await?;
                let content = match reply.delivery {
                    Delivery::Never => continue,
                    Delivery::Malformed => Value::from(NO_ANSWER),
                    Delivery::Truncated => reply.half(),
                    Delivery::Whole => Value::clone(&reply.result.result),
                };
                self.conversation
                    .answer(&call.call_id, &content, reply.result.error.as_deref(), &mut || self.ids.fresh());
                answered = true;
                results.push(reply.result);
            }
            if answered {
                // The moment of the answers is that of the run that carries them.
                at = self.line.next(sink.clock());
                for result in results {
                    sink.push_at(at, EventKind::ToolResult(result))?;
                }
                ask = (AguiMethod::Run, None);
                continue;
            }
            sink.push_at(over, EventKind::TurnEnd)?;
            return self.judged();
        }
        let message = format!("the agent called tools of the client in {ROUNDS} runs one after another");
        let help = "look for a loop in the agent, or for an answer that it does not understand";
        Err(DriveError::protocol(message, help))
    }

    /// Says what the turn says.
    fn begin(&mut self, input: &Input) -> DriveResult<RunRequest> {
        let wrong = |message: String| DriveError::Unsupported(message);
        match input {
            Input::Messages(messages) => {
                self.conversation.say(messages, &mut || self.ids.fresh()).map_err(wrong)?;
                Ok((AguiMethod::Run, None))
            }
            Input::Action { kind, .. } if kind == "agui:connect" => Ok((AguiMethod::Connect, None)),
            Input::Action { kind, arguments } if kind == "agui:resume" => {
                Ok((AguiMethod::Run, Some(self.conversation.resume(arguments).map_err(wrong)?)))
            }
            other @ (Input::Task(_) | Input::Action { .. }) => {
                Err(wrong(format!("an AG-UI server can not take {}", other.value())))
            }
        }
    }

    /// One run: how it ended, and when.
    async fn run(
        &mut self,
        (method, resume): &RunRequest,
        at: Moment,
        sink: &mut TraceSink<'_>,
    ) -> DriveResult<(AnswerEnding, Moment)> {
        let run_id = self.ids.fresh();
        let identity = self.conversation.identity(*method, resume.as_ref());
        let input = match method {
            AguiMethod::Run => self.conversation.run_input(&run_id, resume.as_ref()),
            AguiMethod::Connect => self.conversation.connect_input(&run_id),
        };
        let mut answer = self.send(*method, &input, identity, at, sink).await?;
        let mut reader = AguiReader::new(*method, &run_id, &mut self.conversation);
        let mut over = answer.latest();
        let broken = loop {
            // After the end of a run another may follow, but nobody has to close the connection.
            let arrived = match next_event(&mut answer, reader.is_over(), AFTER_END).await {
                Ok(Some(arrived)) => arrived,
                Ok(None) => break None,
                Err(error) => break Some(error.into()),
            };
            over = arrived.at;
            if arrived.frame.lossy {
                let step = AguiStep { at: over, kind: EventKind::Violation(NOT_UTF8.into()) };
                self.take(vec![step], sink)?;
            }
            match reader.event(&arrived.frame.data, arrived.at, &mut self.conversation) {
                Ok(steps) => self.take(steps, sink)?,
                Err(broken) => break Some(DriveError::protocol(broken.message, broken.help)),
            }
        };
        let (steps, ending) = reader.end(over, &mut self.conversation);
        self.take(steps, sink)?;
        match broken {
            Some(error) => Err(error),
            None => Ok((ending, over)),
        }
    }

    /// Sends a request and makes sure that the answer is a stream of events. A server that asks for `CopilotKit`'s shape gets
    /// it, and one that refuses a field of newer servers is asked without it; a request that was refused has no effect.
    async fn send(
        &mut self,
        method: AguiMethod,
        input: &Value,
        identity: Value,
        mut at: Moment,
        sink: &TraceSink<'_>,
    ) -> DriveResult<StreamedAnswer> {
        loop {
            let mut input = input.clone();
            if let (false, Some(fields)) = (self.says_version, input.as_object_mut()) {
                fields.shift_remove(VERSION);
            }
            let wrapped = self.wire == AguiWire::Copilotkit;
            let body = if wrapped { envelope(method, &self.agent, input) } else { input }.to_string();
            let request = Request {
                url: self.endpoint.clone(),
                method: HttpMethod::Post,
                headers: self.headers.clone(),
                body,
                identity: identity.clone(),
                timeout: self.timeout,
            };
            let mut answer = self.line.send(&request, sink.clock(), at).await?;
            let (good, kind) = ((200..300).contains(&answer.status), answer.content_type());
            if good && (kind == "text/event-stream" || kind.is_empty()) {
                return Ok(answer);
            }
            let body = answer.body(LARGEST_REFUSAL).await.map(|(body, _)| body).unwrap_or_default();
            if good {
                return Err(no_stream(&kind, &body));
            }
            let mendable = (400..500).contains(&answer.status);
            if mendable && self.wire == AguiWire::Auto && asks_for_method(&body) {
                self.wire = AguiWire::Copilotkit;
            } else if mendable && self.says_version && refuses_version(&body) {
                self.says_version = false;
            } else {
                return Err(refused(answer.status, &body));
            }
            at = self.line.next(sink.clock());
        }
    }

    /// What the broken rules of the turn come to.
    fn judged(&self) -> DriveResult {
        if self.protocol != Strictness::Fail || self.violations.is_empty() {
            return Ok(());
        }
        let help = "mend the server, or lower `protocol` to `warn`";
        let message = format!("the agent breaks the rules of AG-UI:\n{}", self.violations.join("\n"));
        Err(DriveError::protocol(message, help))
    }

    /// Writes steps to the trace. What a target lets pass is no violation.
    fn take(&mut self, steps: Vec<AguiStep>, sink: &mut TraceSink<'_>) -> DriveResult {
        for AguiStep { at, kind } in steps {
            if let EventKind::Violation(message) = &kind {
                if self.protocol == Strictness::Off {
                    continue;
                }
                self.violations.push(message.clone());
            }
            sink.push_at(at, kind)?;
        }
        Ok(())
    }
}
