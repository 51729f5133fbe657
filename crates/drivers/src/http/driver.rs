//! The driver of HTTP agents.

use std::collections::BTreeMap;
use std::time::Duration;

use agentci_plan::{HttpTarget, OutputRule, Text, UnsetVariableError};
use agentci_trace::{EventKind, Moment};
use serde_json::{Value, json};

use super::body::{BodyTemplate, with_bases};
use super::observer::{self, AgentWatch};
use super::reader::{HttpAnswerError, HttpReader, ReadResult, ReadingManner};
use super::refusal::refused;
use crate::error::OpenError;
use crate::observer::SeenEvents;
use crate::template_parts::{as_text, filled};
use crate::{DriveError, DriveResult, DriverContext, Input, ToolBases, TraceSink};
use agentci_exchange::{AgentLine, HttpMethod, Request, StreamedAnswer};

/// The size limit of an answer that is read whole, in bytes.
const LARGEST: usize = 16 << 20;
/// The size limit of an error response, in bytes.
const LARGEST_REFUSAL: usize = 1 << 20;
/// Prefers a stream.
const ACCEPT: &str = "text/event-stream, application/x-ndjson;q=0.9, application/json;q=0.8, */*;q=0.5";

/// The content types of JSON lines.
const JSON_LINES: [&str; 5] = [
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/json-lines",
];

/// A conversation with an HTTP agent.
#[derive(Debug)]
pub(crate) struct HttpDriver {
    url: String,
    headers: Vec<(String, String)>,
    body: BodyTemplate,
    manner: ReadingManner,
    timeout: Duration,
    bases: ToolBases,
    /// The messages so far, if turns consist of messages.
    history: Vec<Value>,
    /// Whether an answer is required.
    output: OutputRule,
    pub(crate) line: AgentLine,
    pub(crate) watch: AgentWatch,
    /// When the end of the last answer was read.
    latest: Moment,
}

impl HttpDriver {
    pub(crate) fn open(target: &HttpTarget, context: &DriverContext<'_>, line: AgentLine) -> Result<Self, OpenError> {
        let mut headers = vec![("accept".to_owned(), ACCEPT.to_owned())];
        let text = |text: &Text| line.fill(context.lookup, |lookup| text.fill(lookup));
        headers.extend(filled(&target.headers, text)?);
        let recorder = match &line {
            AgentLine::Record(recorder) => Some(recorder.clone()),
            AgentLine::Live | AgentLine::Replay(_) => None,
        };
        Ok(Self {
            url: text(&target.url.value)?,
            headers,
            body: BodyTemplate::new(target.body.as_ref(), context.lookup)?,
            manner: ReadingManner {
                pointer: target.answer.as_ref().map(|pointer| pointer.value.clone()),
                events: target.events.clone(),
                protocol: target.protocol,
            },
            timeout: context.request_timeout.unwrap_or(target.timeout),
            bases: context.bases.clone(),
            history: Vec::new(),
            output: target.output,
            line,
            watch: AgentWatch { seen: SeenEvents::default(), recorder },
            latest: Moment::default(),
        })
    }

    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>) -> DriveResult {
        let at = self.line.next(sink.clock());
        sink.push_at(at, EventKind::TurnStart(input.value()))?;
        let request = self.request(input)?;
        let output = match self.ask(&request, at, sink).await {
            Err(DriveError::AgentError(message)) => {
                let at = latest(self.latest, sink);
                sink.push_at(at, EventKind::AgentError { message: message.clone(), data: None })?;
                return Err(DriveError::AgentError(message));
            }
            asked => asked?,
        };
        if let Input::Messages(messages) = input {
            self.history.extend_from_slice(messages);
            let said = output.as_ref().map(as_text);
            self.history.push(json!({ "role": "assistant", "content": said }));
        }
        let over = latest(self.latest, sink);
        if let Some(output) = output {
            sink.push_at(over, EventKind::FinalOutput(output.into()))?;
        }
        sink.push_at(over, EventKind::TurnEnd)?;
        Ok(())
    }

    /// The request. Its identity contains the names of the tool URLs, because the URLs differ in every run.
    fn request(&self, input: &Input) -> DriveResult<Request> {
        let (plain, led) = match input {
            Input::Task(task) => {
                let led = if self.bases.tell { &self.bases.bases[..] } else { &[] };
                (Value::clone(task), with_bases(Value::clone(task), led))
            }
            Input::Messages(messages) => {
                let all: Vec<&Value> = self.history.iter().chain(messages).collect();
                let all = json!({ "messages": all });
                (all.clone(), all)
            }
            Input::Action { .. } => {
                return Err(DriveError::Unsupported(format!("an HTTP agent does not accept {}", input.value())));
            }
        };
        let wrong = |unset: UnsetVariableError| {
            DriveError::Unsupported(format!("the body cannot be filled in: {unset}, and the turn has no such field"))
        };
        let names = self.bases.bases.iter().map(|(name, _)| (name.clone(), format!("${{{name}}}"))).collect();
        let identity = self.body.fill(&plain, &names).map_err(wrong)?;
        let body = self.body.fill(&led, &BTreeMap::new()).map_err(wrong)?;
        Ok(Request {
            url: self.url.clone(),
            method: HttpMethod::Post,
            headers: self.headers.clone(),
            body: body.to_string(),
            identity: json!({ "body": identity }),
            timeout: self.timeout,
        })
    }

    /// Sends the request and reads the answer to its end.
    async fn ask(&mut self, request: &Request, at: Moment, sink: &mut TraceSink<'_>) -> DriveResult<Option<Value>> {
        let clock = sink.clock();
        let mut answer = self.watch.beside(sink, self.line.send(request, clock, at)).await??;
        if !(200..300).contains(&answer.status) {
            let body = self.watch.beside(sink, answer.body(LARGEST_REFUSAL)).await?;
            self.recall(None, sink)?;
            return Err(refused(answer.status, &body.map(|(body, _)| body).unwrap_or_default()));
        }
        let mut reader = HttpReader::new(self.manner.clone());
        let read = self.read(&mut answer, &mut reader, sink).await;
        self.latest = answer.latest();
        // Close the connection now, not after the checks.
        drop(answer);
        self.recall(None, sink)?;
        read?;
        let ended = reader.end();
        self.take(self.latest, ended, &mut reader, sink)?;
        match reader.finish() {
            Err(HttpAnswerError::Empty(_)) if self.output == OutputRule::Optional => Ok(None),
            finished => Ok(finished?),
        }
    }

    /// Reads an answer as it arrives: as events, as lines, or whole.
    async fn read(
        &mut self,
        answer: &mut StreamedAnswer,
        reader: &mut HttpReader,
        sink: &mut TraceSink<'_>,
    ) -> DriveResult {
        let content_type = answer.content_type();
        if content_type == "text/event-stream" {
            while let Some(arrived) = self.watch.beside(sink, answer.frame()).await?? {
                let read = reader.event(&arrived.frame);
                self.take(arrived.at, read, reader, sink)?;
                if reader.is_over() {
                    return Ok(());
                }
            }
            let torn = answer.torn_line().map_or(Ok(()), |line| reader.torn_line(line));
            return self.take(answer.latest(), torn, reader, sink);
        }
        if !JSON_LINES.contains(&content_type.as_str()) {
            let (body, at) = self.watch.beside(sink, answer.body(LARGEST)).await??;
            let read = reader.whole(&content_type, &body);
            return self.take(at, read, reader, sink);
        }
        let mut number = 0;
        while let Some((line, at)) = self.watch.beside(sink, answer.line()).await?? {
            number += 1;
            let read = reader.line(number, &line);
            self.take(at, read, reader, sink)?;
            if reader.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// Writes what was read to the trace, after the events that were observed before it.
    fn take(&mut self, at: Moment, read: ReadResult, reader: &mut HttpReader, sink: &mut TraceSink<'_>) -> DriveResult {
        self.recall(Some(at), sink)?;
        read?;
        for kind in std::mem::take(&mut reader.steps) {
            sink.push_at(at, kind)?;
        }
        Ok(())
    }

    /// Adds recorded observer events to the trace, in a replay.
    fn recall(&mut self, until: Option<Moment>, sink: &mut TraceSink<'_>) -> DriveResult {
        while let Some((kept, at)) = self.line.seen(until, sink.clock()) {
            if let Some(kind) = observer::read(&kept) {
                sink.push_at(at, kind)?;
            }
        }
        Ok(())
    }
}

/// The time of the last read, or of a later event in the trace.
fn latest(read: Moment, sink: &TraceSink<'_>) -> Moment {
    let seen = sink.trace().events().last().map(|event| event.at);
    seen.filter(|seen| seen.offset_us > read.offset_us).unwrap_or(read)
}
