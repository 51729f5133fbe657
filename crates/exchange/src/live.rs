//! Exchanges over the network.

use std::pin::Pin;
use std::time::{Duration, Instant};

use agentci_trace::Moment;
use agentci_wire::http::{self, ClientCertificate, Incoming, StreamRequest};
use tokio::time::{Sleep, sleep, timeout, timeout_at};

use super::answer::{ByteSource, ReadPiece};
use crate::{AgentExchangeEnd, AnswerHead, Clock, ExchangeError, ExchangeRecorder, Request, StreamedAnswer};

/// The headers of an answer that drivers can see. The others are not stored: they may contain secrets.
const VISIBLE: [&str; 8] = [
    "a2a-version",
    "content-encoding",
    "content-type",
    "location",
    "mcp-protocol-version",
    "mcp-session-id",
    "retry-after",
    "www-authenticate",
];

/// An answer that is still being received.
#[derive(Debug)]
pub(super) struct IncomingAnswer {
    incoming: Incoming,
    clock: Clock,
    /// The timeout of the exchange.
    limit: Duration,
    /// Fires when the time is up.
    alarm: Pin<Box<Sleep>>,
}

/// Sends a request, and records it if there is a recorder.
pub(super) async fn send(
    request: &Request,
    clock: Clock,
    at: Moment,
    certificate: Option<&ClientCertificate>,
    recorder: Option<&mut ExchangeRecorder>,
) -> Result<StreamedAnswer, ExchangeError> {
    let limit = request.timeout;
    let alarm = Box::pin(sleep(limit));
    let mut slot = recorder.map(|recorder| recorder.begin(request.method, &request.identity, clock, at));
    let wire = StreamRequest {
        url: request.url.clone(),
        method: request.method,
        headers: request.headers.clone(),
        body: request.body.clone().into(),
    };
    let answered = match timeout_at(alarm.deadline(), http::send_as(wire, certificate)).await {
        Ok(answered) => answered.map_err(ExchangeError::from),
        Err(_) => Err(ExchangeError::Timeout { after: limit }),
    };
    let came = clock.now();
    let incoming = match answered {
        Ok(incoming) => incoming,
        Err(error) => {
            let ended = Err(error.clone());
            if let (Some(slot), Some(how)) = (&mut slot, AgentExchangeEnd::of(&ended)) {
                slot.end(came, how);
            }
            return Err(error);
        }
    };
    let visible = VISIBLE.iter().filter_map(|name| Some(((*name).to_owned(), incoming.header(name)?.to_owned())));
    let head = AnswerHead { at_us: came.offset_us, status: incoming.status, headers: visible.collect() };
    if let Some(slot) = &mut slot {
        slot.head(head.clone());
    }
    let source = ByteSource::Live(Box::new(IncomingAnswer { incoming, clock, limit, alarm }));
    Ok(StreamedAnswer::new(at, came, head, source, slot))
}

impl IncomingAnswer {
    /// The next bytes; `Quiet` if none arrive before `until`.
    pub(super) async fn read(&mut self, until: Option<Instant>) -> Result<ReadPiece, ExchangeError> {
        let Self { incoming, limit, alarm, .. } = self;
        let next = async {
            tokio::select! {
                biased;
                chunk = incoming.chunk() => Some(chunk),
                () = &mut *alarm => None,
            }
        };
        let came = match until {
            None => next.await,
            Some(until) => match timeout(until.saturating_duration_since(Instant::now()), next).await {
                Ok(came) => came,
                Err(_) => return Ok(ReadPiece::Quiet),
            },
        };
        // The timeout also applies to a stream that always has data.
        let came = came.filter(|_| tokio::time::Instant::now() < alarm.deadline());
        let came = came.ok_or(ExchangeError::Timeout { after: *limit })?;
        Ok(came?.map_or(ReadPiece::End, ReadPiece::Bytes))
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.now()
    }
}
