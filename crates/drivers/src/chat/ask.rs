//! One question to a model: the request goes out, its answer is read as it comes, and a busy server is asked again.

use std::time::{Duration, Instant, SystemTime};

use agentci_source::print_duration;
use agentci_trace::{Kind, Moment};
use agentci_wire::http::retry_after;
use serde_json::Value;

use super::completion::{AnswerReader, Broken, Completion, Piece};
use super::refusal::{refused, unusable};
use super::retry::{RETRIES, Trouble, pause};
use super::session::{Api, Session};
use super::{anthropic, openai, scripted};
use crate::stream::next_event;
use crate::{DriveError, DriveResult, TraceSink};
use agentci_exchange::{Answer, Line, Method, NOT_UTF8, Request};

/// How long a server may keep its answer open when everything is said.
const AFTER_END: Duration = Duration::from_millis(50);
/// The most bytes that are read of an answer that is no stream.
const LARGEST: usize = 64 << 20;

/// A question: the request, and what makes it the same when it is replayed.
#[derive(Debug)]
pub(super) struct Question {
    /// When it is asked.
    pub(super) at: Moment,
    pub(super) body: String,
    pub(super) identity: Value,
}

/// Asks, and again if the server is busy. What the model says is written to the sink as it comes.
pub(super) async fn ask(
    line: &mut Line,
    session: &Session,
    question: &Question,
    sink: &mut TraceSink<'_>,
) -> DriveResult<(Completion, Moment)> {
    let begun = Instant::now();
    let mut time = 0;
    let mut at = question.at;
    loop {
        let left = session.timeout.saturating_sub(begun.elapsed());
        let (error, wait, busy) = match once(line, session, question, (at, left), sink).await {
            Ok(answered) => return Ok(answered),
            // Whatever time was left, the whole limit is what was exceeded.
            Err(Trouble::Final(DriveError::Timeout { .. })) => {
                return Err(DriveError::Timeout { after: session.timeout });
            }
            Err(Trouble::Final(error)) => return Err(error),
            Err(Trouble::Busy { error, wait, at }) => (error, wait, at),
        };
        time += 1;
        let wait = pause(time, wait);
        if time > RETRIES || wait >= session.timeout.saturating_sub(begun.elapsed()) {
            return Err(error);
        }
        let message = format!("{error}; asked again after {}", print_duration(wait));
        sink.push_at(busy, Kind::Log { level: "warn".into(), message, data: None })?;
        if wait > Duration::ZERO && !matches!(line, Line::Replay(_)) {
            tokio::time::sleep(wait).await;
        }
        at = line.next(sink.clock());
    }
}

async fn once(
    line: &mut Line,
    session: &Session,
    question: &Question,
    (at, left): (Moment, Duration),
    sink: &mut TraceSink<'_>,
) -> Result<(Completion, Moment), Trouble> {
    let reader = match &session.api {
        Api::Scripted(model) => {
            let completion = scripted::once(&**model, &question.body, left, sink).await?;
            return Ok((completion, sink.clock().now()));
        }
        Api::OpenAi => Box::<openai::Reader>::default() as Box<dyn AnswerReader>,
        Api::Anthropic => Box::<anthropic::Reader>::default(),
    };
    let request = Request {
        url: session.url.clone(),
        method: Method::Post,
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
        return Err(Trouble::of_status(answer.status, error, wait, answer.latest()));
    }
    let kind = answer.content_type();
    if kind == "application/json" || kind.ends_with("+json") {
        return whole(answer, reader, sink).await;
    }
    stream(answer, &kind, reader, sink).await
}

/// Reads an answer that comes at once.
async fn whole(
    mut answer: Answer,
    mut reader: Box<dyn AnswerReader>,
    sink: &mut TraceSink<'_>,
) -> Result<(Completion, Moment), Trouble> {
    let (body, at) = answer.body(LARGEST).await?;
    let read = serde_json::from_slice(&body).map_err(|error| Broken::Malformed(format!("it is no JSON: {error}")));
    let said = read.and_then(|value| reader.whole(&value));
    push(said.map_err(|broken| unusable(broken, false, at))?, at, sink)?;
    let completion = reader.finish().map_err(|broken| unusable(broken, true, at))?;
    Ok((completion, at))
}

/// Reads an answer as it comes.
async fn stream(
    mut answer: Answer,
    kind: &str,
    mut reader: Box<dyn AnswerReader>,
    sink: &mut TraceSink<'_>,
) -> Result<(Completion, Moment), Trouble> {
    let mut over = answer.latest();
    let (mut events, mut said) = (0_usize, false);
    // Nobody has to close the connection; where it is closed, it can be used again.
    while let Some(arrived) = next_event(&mut answer, reader.is_over(), AFTER_END).await? {
        if reader.is_over() {
            continue;
        }
        over = arrived.at;
        events += 1;
        if arrived.frame.lossy {
            sink.push_at(over, Kind::Violation(NOT_UTF8.into())).map_err(DriveError::from)?;
        }
        let pieces = reader.event(&arrived.frame.data).map_err(|broken| unusable(broken, said, over))?;
        said |= !pieces.is_empty();
        push(pieces, arrived.at, sink)?;
    }
    if events == 0 {
        let what = if kind.is_empty() { "nothing".to_owned() } else { format!("`{kind}` without an event") };
        return Err(unusable(Broken::Malformed(format!("it is {what}")), false, over));
    }
    let completion = reader.finish().map_err(|broken| unusable(broken, true, over))?;
    Ok((completion, over))
}

fn push(pieces: Vec<Piece>, at: Moment, sink: &mut TraceSink<'_>) -> DriveResult {
    for piece in pieces {
        sink.push_at(at, piece.into())?;
    }
    Ok(())
}
