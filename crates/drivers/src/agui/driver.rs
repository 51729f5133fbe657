//! The driver of AG-UI servers: a thread in which each turn is one run or several.

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

/// The maximum number of runs per turn; each further run carries tool results.
const ROUNDS: usize = 50;
/// How long to wait for the end of an answer after the run is over.
const AFTER_END: Duration = Duration::from_millis(100);
/// The size limit of an answer that is not a stream, in bytes.
const LARGEST_REFUSAL: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct AguiDriver {
    endpoint: String,
    headers: Vec<(String, String)>,
    agent: String,
    timeout: Duration,
    wire: AguiWire,
    /// Whether requests carry the protocol version; some servers reject unknown fields.
    says_version: bool,
    protocol: Strictness,
    /// The violations of the current turn.
    violations: Vec<String>,
    conversation: AguiThread,
    pub(crate) line: AgentLine,
    ids: UuidSource,
}

/// The method of a request, and its answers to interrupts.
type RunRequest = (AguiMethod, Option<Resume>);

impl AguiDriver {
    pub(crate) fn open(target: &AguiTarget, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        let mut ids = UuidSource::new(line.seed());
        // The target's values are not part of a request's identity, so a replay does not need them.
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
                    // The text of a run is its answer; without text, its result is.
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
                AnswerEnding::CutShort(cut) => {
                    let (message, help) = cut.words();
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
                // Tool results are dated with the run that carries them.
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
        let message = format!("the agent called client tools in {ROUNDS} consecutive runs");
        let help = "look for a loop in the agent, or for a tool result that it does not understand";
        Err(DriveError::protocol(message, help))
    }

    /// Adds the input of a turn to the thread.
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
                Err(wrong(format!("an AG-UI server does not accept {}", other.value())))
            }
        }
    }

    /// Sends one run; returns how and when it ended.
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
            // Another run may follow after the end of one, but the server need not close the connection.
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

    /// Sends a request and checks that the answer is an event stream. If the server expects `CopilotKit`'s envelope or
    /// rejects the version field, the request is repeated accordingly; a rejected request has no effect.
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

    /// Fails the turn if it has violations and `protocol` is `fail`.
    fn judged(&self) -> DriveResult {
        if self.protocol != Strictness::Fail || self.violations.is_empty() {
            return Ok(());
        }
        let help = "fix the server, or set `protocol: warn`";
        let message = format!("the agent violates the AG-UI protocol:\n{}", self.violations.join("\n"));
        Err(DriveError::protocol(message, help))
    }

    /// Writes steps to the trace; violations are dropped if `protocol` is `off`.
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
