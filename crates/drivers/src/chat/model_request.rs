//! Sends one request to a model, reads the answer as it arrives, and retries if the server is busy.

use std::time::{Duration, Instant, SystemTime};

use agentci_source::print_duration;
use agentci_trace::{EventKind, Moment};
use agentci_wire::http::retry_after;
use serde_json::Value;

use super::completion::{AnswerReader, Completion, CompletionError};
use super::refusal::{refused, unusable};
use super::retry::{AnswerError, RETRIES, pause};
use super::session::{ChatSession, ModelApi};
use super::{anthropic, openai, scripted};
use crate::stream::next_event;
use crate::{DriveError, DriveResult, TraceSink};
use agentci_exchange::{AgentLine, HttpMethod, NOT_UTF8, Request, StreamedAnswer};

/// How long to wait for the end of an answer after its last event.
const AFTER_END: Duration = Duration::from_millis(50);
/// The size limit of an answer that is not a stream, in bytes.
const LARGEST: usize = 64 << 20;

/// A request, and the identity by which a replay finds it.
#[derive(Debug)]
pub(super) struct ChatQuestion {
    /// When it is sent.
    pub(super) at: Moment,
    pub(super) body: String,
    pub(super) identity: Value,
}

/// Sends the request, with retries if the server is busy. The model's output is written to the sink as it arrives.
pub(super) async fn send(
    line: &mut AgentLine,
    session: &ChatSession,
    question: &ChatQuestion,
    sink: &mut TraceSink<'_>,
) -> DriveResult<(Completion, Moment)> {
    let begun = Instant::now();
    let mut time = 0;
    let mut at = question.at;
    loop {
        let left = session.timeout.saturating_sub(begun.elapsed());
        let (error, wait, busy) = match once(line, session, question, (at, left), sink).await {
            Ok(answered) => return Ok(answered),
            // Report the whole limit, not the time that was left.
            Err(AnswerError::Final(DriveError::Timeout { .. })) => {
                return Err(DriveError::Timeout { after: session.timeout });
            }
            Err(AnswerError::Final(error)) => return Err(error),
            Err(AnswerError::Busy { error, wait, at }) => (error, wait, at),
        };
        time += 1;
        let wait = pause(time, wait);
        if time > RETRIES || wait >= session.timeout.saturating_sub(begun.elapsed()) {
            return Err(error);
        }
        let message = format!("{error}; retried after {}", print_duration(wait));
        sink.push_at(busy, EventKind::Log { level: "warn".into(), message, data: None })?;
        if wait > Duration::ZERO && !matches!(line, AgentLine::Replay(_)) {
            tokio::time::sleep(wait).await;
        }
        at = line.next(sink.clock());
    }
}

async fn once(
    line: &mut AgentLine,
    session: &ChatSession,
    question: &ChatQuestion,
    (at, left): (Moment, Duration),
    sink: &mut TraceSink<'_>,
) -> Result<(Completion, Moment), AnswerError> {
    let mut reader = match &session.api {
        ModelApi::Scripted(model) => {
            let completion = scripted::once(&**model, &question.body, left, sink).await?;
            return Ok((completion, sink.clock().now()));
        }
        ModelApi::OpenAi => Box::<openai::OpenAiReader>::default() as Box<dyn AnswerReader>,
        ModelApi::Anthropic => Box::<anthropic::AnthropicReader>::default(),
    };
    let request = Request {
        url: session.url.clone(),
        method: HttpMethod::Post,
        headers: session.headers.clone(),
        body: question.body.clone(),
        identity: question.identity.clone(),
        timeout: left,
    };
    let mut answer = line.send(&request, sink.clock(), at).await?;
    if !(200..300).contains(&answer.status) {
        let wait = answer.header("retry-after").and_then(|value| retry_after(value, SystemTime::now()));
        let body = answer.body(LARGEST).await.map(|(body, _)| body).unwrap_or_default();
        let error = refused(answer.status, &body);
        return Err(AnswerError::of_status(answer.status, error, wait, answer.latest()));
    }
    let kind = answer.content_type();
    let over = if kind == "application/json" || kind.ends_with("+json") {
        let (body, at) = answer.body(LARGEST).await?;
        let read = serde_json::from_slice(&body);
        let read = read.map_err(|error| CompletionError::Malformed(format!("it is not JSON: {error}")));
        let said = read.and_then(|value| reader.whole(&value));
        push(said.map_err(|broken| unusable(broken, false, at))?, at, sink)?;
        at
    } else {
        stream(answer, &kind, &mut *reader, sink).await?
    };
    let completion = reader.finish().map_err(|broken| unusable(broken, true, over))?;
    Ok((completion, over))
}

/// Reads an answer as it arrives; returns when it was over.
async fn stream(
    mut answer: StreamedAnswer,
    kind: &str,
    reader: &mut dyn AnswerReader,
    sink: &mut TraceSink<'_>,
) -> Result<Moment, AnswerError> {
    let mut over = answer.latest();
    let (mut events, mut said) = (0_usize, false);
    // Servers need not close the stream; reading to its end allows the connection to be reused.
    while let Some(arrived) = next_event(&mut answer, reader.is_over(), AFTER_END).await? {
        if reader.is_over() {
            continue;
        }
        over = arrived.at;
        events += 1;
        if arrived.frame.lossy {
            sink.push_at(over, EventKind::Violation(NOT_UTF8.into())).map_err(DriveError::from)?;
        }
        let pieces = reader.event(&arrived.frame.data).map_err(|broken| unusable(broken, said, over))?;
        said |= !pieces.is_empty();
        push(pieces, arrived.at, sink)?;
    }
    if events == 0 {
        let what = if kind.is_empty() { "nothing".to_owned() } else { format!("`{kind}` without an event") };
        return Err(unusable(CompletionError::Malformed(format!("found {what}")), false, over));
    }
    Ok(over)
}

fn push(pieces: Vec<EventKind>, at: Moment, sink: &mut TraceSink<'_>) -> DriveResult {
    for piece in pieces {
        sink.push_at(at, piece)?;
    }
    Ok(())
}
