//! The body of a recorded answer, in its recorded pieces and, if requested, at its recorded pace.
//!
//! In a stream of an MCP server over HTTP, the answer to another request of the client waits until that request is
//! sent.
//!
//! With Streamable HTTP, a server asks its client a question in the middle of an answer, and continues when the client
//! has posted its reply. With the transport of 2024, all answers come over one stream that is opened first.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::{Sleep, sleep_until};

use crate::proxy::playing::spoil::spoilt_event;
use crate::proxy::streams::mcp_stream::message;
use crate::proxy::{
    AnswerAbort, ClientMessages, Listening, LiveEvent, OngoingExchange, PlayClock, Questions, Spoil,
    UpstreamBrokenError,
};
use crate::{EndKind, Exchange, ReplayPace, with_reply_id};

/// How long a stream waits for the client to continue.
const CLIENT_TIMEOUT: Duration = Duration::from_mins(10);

/// A piece of a stream, and the requests that must precede it.
#[derive(Debug)]
pub(crate) struct GatedPiece {
    bytes: Bytes,
    at_us: u64,
    /// The exchange that it belongs to.
    of: Option<u64>,
    /// The reply of the client that it waits for.
    after: Option<u64>,
    /// The JSON-RPC id of the request that it answers.
    answers: Option<Value>,
    /// The reply of the client, if this is a question that later pieces depend on.
    reply: Option<u64>,
}

/// Where the pieces of an answer come from.
enum PieceSource {
    /// The answer itself.
    Timed(TimedPieces),
    /// A task that waits for requests of the client.
    Fed(Receiver<Result<Bytes, UpstreamBrokenError>>, JoinHandle<()>),
}

/// The remaining pieces of an answer, each with the microseconds from the request to it.
struct TimedPieces {
    frames: VecDeque<(u64, Bytes)>,
    clock: PlayClock,
    /// The wait for the next piece.
    pause: Option<Pin<Box<Sleep>>>,
}

impl TimedPieces {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some((after_us, _)) = self.frames.front() else { return Poll::Ready(None) };
        if self.pause.is_none() {
            self.pause = self.clock.due(*after_us).map(|due| Box::pin(sleep_until(due)));
        }
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        Poll::Ready(self.frames.pop_front().map(|(_, bytes)| bytes))
    }
}

/// A recorded answer that is sent to the client.
pub(crate) struct ReplayBody {
    pieces: PieceSource,
    /// The number of remaining bytes, if the client is told the length.
    length: Option<u64>,
    how: EndKind,
    /// Set when it is aborted, as recorded or on purpose.
    breaking: Option<AnswerAbort>,
    ongoing: Option<OngoingExchange>,
    /// Whether it becomes part of a recording.
    kept: bool,
    /// The events of a live server after the recorded pieces; they keep the stream open.
    live: Option<Receiver<LiveEvent>>,
}

impl ReplayBody {
    /// A stream of JSON-RPC messages.
    pub(crate) fn new(
        stream: &Exchange,
        pieces: Vec<GatedPiece>,
        asked: &Arc<Questions>,
        pace: ReplayPace,
        ongoing: OngoingExchange,
    ) -> Self {
        let how = stream.end.how.clone();
        asked.open(stream.id, pieces.iter().filter_map(|piece| piece.of));
        let (out, received) = channel(1);
        let asked = Arc::clone(asked);
        // A client that closed such a stream was waiting for more, and does so again.
        let stays = how == EndKind::Left;
        let feeding = tokio::spawn(async move {
            feed(pieces, asked, pace, &out).await;
            if stays {
                let _ = tokio::time::timeout(CLIENT_TIMEOUT, out.closed()).await;
            }
        });
        Self::of(PieceSource::Fed(received, feeding), None, how, ongoing)
    }

    /// An answer that only waits for its times: its pieces, each with the microseconds from the request to it. With
    /// `stream`, the client is not told the length.
    pub(crate) fn paced(
        frames: Vec<(u64, Bytes)>,
        stream: bool,
        how: EndKind,
        clock: PlayClock,
        ongoing: OngoingExchange,
    ) -> Self {
        let is_whole = !stream && how == EndKind::Closed;
        let length = is_whole.then(|| frames.iter().map(|(_, bytes)| bytes.len() as u64).sum());
        let pieces = TimedPieces { frames: frames.into(), clock, pause: None };
        Self::of(PieceSource::Timed(pieces), length, how, ongoing)
    }

    fn of(pieces: PieceSource, length: Option<u64>, how: EndKind, ongoing: OngoingExchange) -> Self {
        Self { pieces, length, how, breaking: None, ongoing: Some(ongoing), kept: false, live: None }
    }

    /// The sent data becomes part of a recording, and a live server may continue the stream.
    pub(crate) fn keep(&mut self, live: Option<Receiver<LiveEvent>>) {
        self.ongoing = self.ongoing.take().map(OngoingExchange::afresh);
        self.kept = true;
        self.live = live;
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, UpstreamBrokenError>>> {
        let next = match &mut self.pieces {
            PieceSource::Timed(pieces) => pieces.poll_next(context).map(|piece| piece.map(Ok)),
            PieceSource::Fed(pieces, _) => pieces.poll_recv(context),
        };
        let is_over = match next {
            Poll::Ready(Some(piece)) => return Poll::Ready(Some(piece)),
            Poll::Ready(None) => true,
            Poll::Pending => false,
        };
        match self.live.as_mut().map(|live| live.poll_recv(context)) {
            Some(Poll::Ready(Some(Ok(bytes)))) => return Poll::Ready(Some(Ok(bytes))),
            Some(Poll::Ready(Some(Err(how)))) => {
                self.how = how;
                return Poll::Ready(self.over());
            }
            Some(Poll::Pending) => return Poll::Pending,
            Some(Poll::Ready(None)) => self.live = None,
            None => {}
        }
        if is_over { Poll::Ready(self.over()) } else { Poll::Pending }
    }

    fn over(&self) -> Option<Result<Bytes, UpstreamBrokenError>> {
        matches!(self.how, EndKind::Broken(_)).then_some(Err(UpstreamBrokenError))
    }

    fn end(&mut self) {
        if let Some(ongoing) = self.ongoing.take() {
            ongoing.end(self.how.clone());
        }
    }
}

impl Body for ReplayBody {
    type Data = Bytes;
    type Error = UpstreamBrokenError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, UpstreamBrokenError>>> {
        if self.breaking.is_none() {
            match ready!(self.poll_next(context)) {
                Some(Ok(bytes)) => {
                    self.length = self.length.map(|length| length - bytes.len() as u64);
                    let kept = self.kept;
                    match &mut self.ongoing {
                        Some(ongoing) if kept => ongoing.chunk(&bytes),
                        Some(ongoing) => ongoing.hear(&bytes),
                        None => {}
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                None => {
                    self.end();
                    return Poll::Ready(None);
                }
                Some(Err(UpstreamBrokenError)) => {}
            }
        }
        let broken_off = ready!(self.breaking.get_or_insert_default().poll(context));
        self.end();
        Poll::Ready(Some(Err(broken_off)))
    }

    fn is_end_stream(&self) -> bool {
        let is_over = matches!(&self.pieces, PieceSource::Timed(pieces) if pieces.frames.is_empty());
        is_over && !matches!(self.how, EndKind::Broken(_))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Drop for ReplayBody {
    fn drop(&mut self) {
        if let PieceSource::Fed(_, feeding) = &self.pieces {
            feeding.abort();
        }
    }
}

/// Sends each piece as soon as the requests it depends on were sent. A waiting piece does not delay others, and a piece
/// that was replaced by a fault waits for its request to be sent again.
async fn feed(
    mut pieces: Vec<GatedPiece>,
    asked: Arc<Questions>,
    pace: ReplayPace,
    out: &Sender<Result<Bytes, UpstreamBrokenError>>,
) {
    let mut changed = asked.subscribe();
    loop {
        // Before the check, so that no request in between is missed.
        changed.mark_unchanged();
        while let Some(position) = pieces.iter().position(|piece| piece.is_due(&asked)) {
            if let Some(sent) = pieces[position].spoilt(&asked) {
                for piece in sent {
                    if out.send(piece).await.is_err() {
                        return;
                    }
                }
                continue;
            }
            let piece = pieces.remove(position);
            if let Some(due) = piece.of.and_then(|of| asked.due(of, piece.at_us, pace)) {
                sleep_until(due).await;
            }
            // Before sending: the reply may arrive immediately.
            if let Some(reply) = piece.reply {
                asked.expect(reply);
            }
            if out.send(Ok(piece.numbered(&asked))).await.is_err() {
                return;
            }
        }
        if pieces.is_empty() || tokio::time::timeout(CLIENT_TIMEOUT, changed.changed()).await.is_err() {
            return;
        }
    }
}

impl GatedPiece {
    fn is_due(&self, asked: &Questions) -> bool {
        self.of.into_iter().chain(self.after).all(|id| asked.contains(id))
    }

    /// The data that is sent instead, if a fault is injected.
    fn spoilt(&self, asked: &Questions) -> Option<Vec<Result<Bytes, UpstreamBrokenError>>> {
        let (of, recorded) = self.of.zip(self.answers.as_ref())?;
        let id = asked.number(of).unwrap_or_else(|| recorded.clone());
        let spoil = asked.take_spoilt(of)?;
        let event = spoilt_event(&self.bytes, &id, &spoil).map(Ok);
        Some(event.into_iter().chain((spoil == Spoil::Truncated).then_some(Err(UpstreamBrokenError))).collect())
    }

    /// Its bytes with the id of the current request.
    fn numbered(&self, asked: &Questions) -> Bytes {
        match self.of.and_then(|of| asked.number(of)) {
            Some(id) => with_reply_id(&self.bytes, &id).into(),
            None => self.bytes.clone(),
        }
    }
}

/// A question of the server, and its position in the stream.
struct ServerQuestion {
    id: Value,
    at_us: u64,
    position: usize,
}

/// Whether an event contains only a comment: many servers send one now and then to keep the connection alive.
fn says_nothing(event: &[u8]) -> bool {
    event.split(|byte| *byte == b'\n').all(|line| matches!(line, [] | [b'\r'] | [b':', ..]))
}

/// The pieces of a stream of messages; `None` for any other answer.
pub(crate) fn pieces<'r>(exchange: &Exchange, recorded: impl Iterator<Item = &'r Exchange>) -> Option<Vec<GatedPiece>> {
    let response = exchange.response.as_ref().filter(|response| response.is_event_stream())?;
    let messages: Vec<Option<Value>> = response.frames.iter().map(|frame| message(&frame.bytes)).collect();
    let is_listening =
        exchange.request.method == "GET" && response.frames.iter().all(|frame| says_nothing(&frame.bytes));
    if !is_listening && !messages.iter().any(Option::is_some) {
        return None;
    }
    let all = ClientMessages::by_client(exchange, recorded);
    let mut listening = Listening::to(&exchange.request, response);
    let mut said = match &listening {
        Some(listening) => all.to(&listening.endpoint),
        None => all.clone(),
    };
    let mut question: Option<ServerQuestion> = None;
    let mut pieces: Vec<GatedPiece> = Vec::with_capacity(messages.len());
    for (frame, message) in response.frames.iter().zip(&messages) {
        if let Some(listening) = &mut listening {
            let before = listening.endpoint.clone();
            listening.hear(&frame.bytes);
            if before != listening.endpoint {
                said = all.to(&listening.endpoint);
            }
        }
        let answered = question.as_ref().and_then(|question| said.answer(&question.id, question.at_us, frame.at_us));
        let of = message.as_ref().and_then(|message| said.request(message, frame.at_us));
        let answers = message.as_ref().filter(|message| message.get("method").is_none()).map(|it| it["id"].clone());
        if answered.is_some()
            && let Some(asking) = question.take().and_then(|question| pieces.get_mut(question.position))
        {
            asking.reply = answered;
        }
        let asks = message.as_ref().filter(|message| message.get("method").is_some() && message.get("id").is_some());
        let asked =
            |message: &Value| ServerQuestion { id: message["id"].clone(), at_us: frame.at_us, position: pieces.len() };
        question = asks.map(asked).or(question);
        let (bytes, at_us) = (frame.bytes.clone(), frame.at_us);
        pieces.push(GatedPiece { bytes, at_us, of, after: answered, answers, reply: None });
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        AnswerFrame as Event, ExchangeEnd, RecordedBody as RequestBody, RecordedRequest, RecordedResponse, Recording,
    };

    fn event(message: &Value) -> Bytes {
        format!("event: message\ndata: {message}\n\n").into()
    }

    fn exchange(id: u64, at_us: u64, method: &str, body: Option<Value>, frames: Vec<(u64, Bytes)>) -> Exchange {
        let headers = vec![("content-type".to_owned(), "text/event-stream; charset=utf-8".to_owned())];
        let frames = frames.into_iter().map(|(at_us, bytes)| Event { at_us, bytes }).collect();
        Exchange {
            id,
            request: RecordedRequest {
                at_us,
                method: method.into(),
                origin: "http://127.0.0.1:1".into(),
                body: body.map_or(RequestBody::Empty, RequestBody::Json),
                ..RecordedRequest::default()
            },
            response: Some(RecordedResponse { at_us, status: 200, headers, frames }),
            end: ExchangeEnd { at_us: 100, how: EndKind::Left },
            chatter: false,
            after: None,
        }
    }

    fn rpc(id: u64, method: &str) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": method })
    }

    fn answer(id: u64) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "result": {} })
    }

    /// The stream of 2024: two answers in reverse order, then one that depends on a reply of the client.
    fn recording() -> Recording {
        let question = json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create" });
        let said = json!({ "jsonrpc": "2.0", "id": "q", "result": { "action": "accept" } });
        let stream = vec![
            (1, Bytes::from_static(b"event: endpoint\ndata: /messages\n\n")),
            (12, event(&answer(2))),
            (13, event(&answer(1))),
            (21, event(&question)),
            (23, event(&answer(3))),
        ];
        Recording {
            exchanges: vec![
                exchange(1, 0, "GET", None, stream),
                exchange(2, 10, "POST", Some(rpc(1, "tools/call")), vec![]),
                exchange(3, 11, "POST", Some(rpc(2, "tools/call")), vec![]),
                exchange(4, 20, "POST", Some(rpc(3, "tools/call")), vec![]),
                exchange(5, 22, "POST", Some(said), vec![]),
            ],
            ..Recording::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_response_waits_only_for_its_own_request() {
        let recording = recording();
        let asked = Arc::new(Questions::default());
        let pieces = pieces(&recording.exchanges[0], recording.exchanges.iter()).unwrap();
        let (out, mut received) = channel(16);
        let feeding = tokio::spawn({
            let asked = Arc::clone(&asked);
            async move { feed(pieces, asked, ReplayPace::Fast, &out).await }
        });
        let ask = |id: u64, number: u64| {
            let recorded = &recording.exchanges[usize::try_from(id).unwrap() - 1];
            let mut sent = recorded.request.clone();
            if let RequestBody::Json(body) = &mut sent.body
                && body.get("method").is_some()
            {
                body["id"] = json!(number);
            }
            asked.add(recorded, &sent, None);
        };
        let mut next = async || {
            tokio::task::yield_now().await;
            let received = tokio::time::timeout(Duration::from_secs(1), received.recv()).await;
            received
                .ok()
                .flatten()
                .map(|bytes| bytes.unwrap())
                .map(|bytes| message(&bytes).map(|message| message["id"].clone()))
        };
        assert_eq!(next().await, Some(None));
        assert_eq!(next().await, None);
        ask(2, 41);
        assert_eq!(next().await, Some(Some(json!(41))));
        ask(3, 2);
        assert_eq!(next().await, Some(Some(json!(2))));
        ask(4, 3);
        assert_eq!(next().await, Some(Some(json!("q"))));
        assert_eq!(next().await, None);
        ask(5, 0);
        assert_eq!(next().await, Some(Some(json!(3))));
        feeding.await.unwrap();
    }

    /// The data on the stream if call 2 is sent twice with other ids, and a fault is injected the first time.
    async fn asked_twice(spoil: Spoil) -> Vec<Result<Option<Value>, UpstreamBrokenError>> {
        let recording = recording();
        let pieces = pieces(&recording.exchanges[0], recording.exchanges.iter()).unwrap();
        let asked = Arc::new(Questions::default());
        let (out, mut received) = channel(16);
        let feeding = tokio::spawn({
            let asked = Arc::clone(&asked);
            async move { feed(pieces, asked, ReplayPace::Fast, &out).await }
        });
        let mut came = Vec::new();
        for (number, spoil) in [(41, Some(&spoil)), (42, None)] {
            let recorded = recording.exchanges[1].clone();
            let mut sent = recorded.request.clone();
            sent.body = RequestBody::Json(json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call" }));
            asked.add(&recorded, &sent, spoil.cloned());
            while let Ok(Some(piece)) = tokio::time::timeout(Duration::from_secs(1), received.recv()).await {
                came.push(piece.map(|bytes| message(&bytes)));
            }
        }
        feeding.abort();
        came.remove(0).unwrap();
        came
    }

    #[tokio::test(start_paused = true)]
    async fn injected_fault_is_gone_when_the_request_is_repeated() {
        let id =
            |came: &Result<Option<Value>, UpstreamBrokenError>| came.as_ref().unwrap().as_ref().unwrap()["id"].clone();
        let failed = asked_twice(Spoil::Error("down".into())).await;
        let [error, answer] = failed.as_slice() else { panic!("{failed:?}") };
        assert_eq!((id(error), id(answer)), (json!(41), json!(42)));
        assert_eq!(error.as_ref().unwrap().as_ref().unwrap()["result"]["isError"], true);
        let hung = asked_twice(Spoil::Hang).await;
        assert_eq!(hung.iter().map(id).collect::<Vec<_>>(), [json!(42)]);
        let malformed = asked_twice(Spoil::Malformed).await;
        assert!(matches!(malformed.as_slice(), [Ok(None), answer] if id(answer) == json!(42)), "{malformed:?}");
        let truncated = asked_twice(Spoil::Truncated).await;
        assert!(
            matches!(truncated.as_slice(), [Ok(None), Err(UpstreamBrokenError), answer] if id(answer) == json!(42))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_the_next_request_has_a_timeout() {
        let recording = recording();
        let pieces = pieces(&recording.exchanges[0], recording.exchanges.iter()).unwrap();
        let (out, mut received) = channel(16);
        let begun = tokio::time::Instant::now();
        feed(pieces, Arc::default(), ReplayPace::Fast, &out).await;
        assert_eq!(begun.elapsed().as_secs(), CLIENT_TIMEOUT.as_secs());
        assert!(received.recv().await.is_some());
    }

    #[test]
    fn other_streams_are_not_split() {
        let text = |text: &str| vec![(1, Bytes::from(format!("data: {text}\n\n")))];
        for frames in [text(r#"{"choices":[]}"#), text("[DONE]"), text("plain")] {
            assert!(pieces(&exchange(1, 0, "POST", None, frames), std::iter::empty()).is_none());
        }
        assert!(pieces(&exchange(1, 0, "POST", None, vec![]), std::iter::empty()).is_none());
        // A client that listens, and receives nothing.
        for frames in [vec![], vec![(1, Bytes::from_static(b": ping - 2026-01-01\r\n\r\n"))]] {
            assert!(pieces(&exchange(1, 0, "GET", None, frames), std::iter::empty()).is_some());
        }
    }
}
