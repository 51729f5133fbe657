//! Sends a recorded answer at its pace, and reports the exchange.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use super::replay_body;
use crate::proxy::own_answers::{of_miss, refusal, unreachable};
use crate::proxy::{
    ClientProgram, LiveEvent, OngoingExchange, PlayClock, ProxyAnswer, ProxyState, RecordingReplay, ReplayBody,
    UpstreamBrokenError,
};
use crate::{
    AnswerFrame, EndKind, Exchange, ExchangeEnd, MissAnswer, RecordedRequest, RecordedResponse, SeenHow, with_reply_id,
};

/// How long a request without a recorded answer waits: its client disconnected, and is expected to do so again.
const NO_ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// How an exchange that the recording answers is reported.
pub(crate) enum ReplayNotice {
    Replayed,
    /// It becomes part of the new recording; this program sent it. A live server may continue it if it is a stream.
    Kept(ClientProgram, Option<Receiver<LiveEvent>>),
    /// This fault was injected.
    Spoilt(&'static str),
}

/// Sends a recorded answer.
pub(crate) async fn play(
    recorded: &Exchange,
    request: RecordedRequest,
    reply_id: Option<&Value>,
    clock: PlayClock,
    shared: &Arc<ProxyState>,
    playback: ReplayNotice,
) -> ProxyAnswer {
    let began = recorded.request.at_us;
    let exchange = moved(recorded, request, reply_id);
    let (ongoing, goes_on) = match playback {
        ReplayNotice::Kept(program, live) => (shared.ledger.begin_again(exchange).by(program), Some(live)),
        ReplayNotice::Replayed => (OngoingExchange::replayed(&shared.ledger, exchange, SeenHow::Replayed), None),
        ReplayNotice::Spoilt(how) => (OngoingExchange::replayed(&shared.ledger, exchange, SeenHow::Spoilt(how)), None),
    };
    let Some(answer) = &recorded.response else {
        return match &recorded.end.how {
            EndKind::Unreachable(words) => {
                ongoing.end(recorded.end.how.clone());
                Ok(unreachable(words))
            }
            EndKind::Left => {
                tokio::time::sleep(NO_ANSWER_TIMEOUT).await;
                Ok(refusal(StatusCode::GATEWAY_TIMEOUT, "no_answer", "no answer came when this was recorded either"))
            }
            _ => Err(UpstreamBrokenError),
        };
    };
    if let Some(due) = clock.due(answer.at_us.saturating_sub(began)) {
        tokio::time::sleep_until(due).await;
    }
    let headers = answer.headers.clone();
    let mut response = of_miss(MissAnswer { status: answer.status, headers, body: String::new() });
    let waiting = |replay| Some((replay, replay_body::pieces(recorded, RecordingReplay::exchanges(replay))?));
    let body = if let Some((replay, pieces)) = shared.replay.as_ref().and_then(waiting) {
        let mut body = ReplayBody::new(recorded, pieces, &replay.questions, replay.pace, ongoing);
        if let Some(live) = goes_on {
            body.keep(live);
        }
        body
    } else {
        let stream = is_stream(answer);
        let bodiless = matches!(answer.status, 204 | 304) || recorded.request.method == "HEAD";
        let frames = pieces(answer, began, reply_id);
        ReplayBody::paced(frames, stream || bodiless, recorded.end.how.clone(), clock, ongoing)
    };
    *response.body_mut() = body.boxed_unsync();
    Ok(response)
}

/// Whether an answer was streamed, so that its length was unknown.
fn is_stream(answer: &RecordedResponse) -> bool {
    let kind = answer.header("content-type").unwrap_or_default();
    ["event-stream", "eventstream", "ndjson", "jsonl"].iter().any(|stream| kind.contains(stream))
}

/// The pieces of an answer, with the microseconds from the request to each. A JSON-RPC answer gets the id of the
/// current request.
fn pieces(answer: &RecordedResponse, began: u64, reply_id: Option<&Value>) -> Vec<(u64, Bytes)> {
    let after = |frame: &AnswerFrame| frame.at_us.saturating_sub(began);
    match reply_id {
        None => answer.frames.iter().map(|frame| (after(frame), frame.bytes.clone())).collect(),
        Some(id) if is_stream(answer) => {
            answer.frames.iter().map(|frame| (after(frame), with_reply_id(&frame.bytes, id).into())).collect()
        }
        Some(id) => {
            let whole = answer.whole();
            answer.frames.last().map(|frame| (after(frame), with_reply_id(&whole, id).into())).into_iter().collect()
        }
    }
}

/// The recorded exchange with the current request: its times are shifted accordingly.
pub(crate) fn moved(recorded: &Exchange, request: RecordedRequest, reply_id: Option<&Value>) -> Exchange {
    let (from, to) = (recorded.request.at_us, request.at_us);
    let moved = |at_us: u64| to.saturating_add(at_us.saturating_sub(from));
    let response = recorded.response.as_ref().map(|response| {
        let frames = pieces(response, from, reply_id).into_iter();
        let frames = frames.map(|(after, bytes)| AnswerFrame { at_us: to.saturating_add(after), bytes });
        let (status, headers) = (response.status, response.headers.clone());
        RecordedResponse { at_us: moved(response.at_us), status, headers, frames: frames.collect() }
    });
    let end = ExchangeEnd { at_us: moved(recorded.end.at_us), how: recorded.end.how.clone() };
    Exchange { id: recorded.id, request, response, end, chatter: recorded.chatter, after: recorded.after }
}
