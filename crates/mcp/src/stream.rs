//! Streams of messages over HTTP: the answer to one request, and unsolicited messages of a legacy server.

use std::sync::Weak;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::error::McpError;
use super::http::{Http, failed};
use super::router::MessageOrigin;
use super::stdio::MESSAGE_LIMIT;
use agentci_protocols::sse::{Decoder, SseError, SseEvent};
use agentci_wire::http::Incoming;

/// Default delay before an interrupted stream is requested again.
const RETRY: Duration = Duration::from_secs(1);
/// Minimum and maximum delay that a server may set.
const RETRY_LEAST: Duration = Duration::from_millis(50);
const RETRY_LIMIT: Duration = Duration::from_secs(30);
/// How often in a row a stream is requested again without new messages.
const ATTEMPTS: usize = 5;
/// How long to wait for the end of a stream after its answer, so that the connection can be reused.
const AFTER_ANSWER: Duration = Duration::from_millis(100);
/// Timeout for a server of the 2024 revision to name its other URL.
const ADDRESS: Duration = Duration::from_secs(10);

/// Where to resume a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamResumption {
    pub(super) last_id: Option<String>,
    retry: Option<u64>,
}

impl StreamResumption {
    fn note(&mut self, frame: &SseEvent) {
        if let Some(id) = &frame.id {
            self.last_id = Some(id.clone()).filter(|id| !id.is_empty());
        }
        self.retry = frame.retry.or(self.retry);
    }

    fn delay(&self) -> Duration {
        self.retry.map_or(RETRY, Duration::from_millis).clamp(RETRY_LEAST, RETRY_LIMIT)
    }
}

/// Reads the stream that answers one call. If it ends early, it is resumed, provided the server sent an event id.
pub(super) async fn answer(http: &Http, incoming: Incoming, id: u64) -> Result<(), McpError> {
    let mut resume = StreamResumption::default();
    let mut events = McpEvents::new(incoming);
    let mut attempts = 0;
    loop {
        let heard = match read(http, &mut events, id, &mut resume).await {
            Ok(heard) => heard,
            // A broken connection ends the stream too.
            Err(error @ McpError::Http(_)) if resume.last_id.is_none() => return Err(error),
            Err(McpError::Http(_)) => false,
            Err(error) => return Err(error),
        };
        attempts = if heard { 0 } else { attempts + 1 };
        if !http.router.is_open(id) || resume.last_id.is_none() || attempts > ATTEMPTS {
            return Ok(());
        }
        sleep(resume.delay()).await;
        let incoming = http.get(&resume).await?;
        if incoming.status != 200 || incoming.content_type() != "text/event-stream" {
            return Ok(());
        }
        events = McpEvents::new(incoming);
    }
}

/// Reads unsolicited messages until the stream yields nothing more or the client is dropped.
pub(super) async fn listen(http: Weak<Http>) {
    let mut resume = StreamResumption::default();
    let mut attempts = 0;
    while attempts <= ATTEMPTS {
        let Some(alive) = http.upgrade() else { return };
        let Ok(incoming) = alive.get(&resume).await else { return };
        if incoming.status != 200 || incoming.content_type() != "text/event-stream" {
            return;
        }
        drop(alive);
        let heard = read_weakly(&http, &mut McpEvents::new(incoming), &mut resume).await;
        attempts = if heard { 0 } else { attempts + 1 };
        sleep(resume.delay()).await;
    }
}

/// The stream of a server of the 2024 revision, after it has named its other URL.
pub(super) struct OldStream(McpEvents);

/// Waits for the URL to post messages to.
pub(super) async fn find_address(incoming: Incoming) -> Result<(String, OldStream), McpError> {
    if incoming.status != 200 || incoming.content_type() != "text/event-stream" {
        return Err(McpError::Status { status: incoming.status, body: String::new() });
    }
    let mut events = McpEvents::new(incoming);
    let first = timeout(ADDRESS, events.next()).await.unwrap_or(Err(McpError::Cut))?;
    match first {
        Some(frame) if frame.event.as_deref() == Some("endpoint") => Ok((frame.data, OldStream(events))),
        _ => Err(McpError::Cut),
    }
}

impl OldStream {
    /// Reads all answers; when the stream ends, all calls fail.
    pub(super) async fn read(mut self, http: Weak<Http>) {
        read_weakly(&http, &mut self.0, &mut StreamResumption::default()).await;
        if let Some(http) = http.upgrade() {
            http.router.fail_all(&McpError::Cut);
        }
    }
}

/// Reads without keeping the client alive. Returns whether there was any event.
async fn read_weakly(http: &Weak<Http>, events: &mut McpEvents, resume: &mut StreamResumption) -> bool {
    let mut heard = false;
    while let Ok(Some(frame)) = events.next().await {
        let Some(http) = http.upgrade() else { return heard };
        heard = true;
        take(&http, &frame, MessageOrigin::Shared, resume).await;
    }
    heard
}

async fn read(http: &Http, events: &mut McpEvents, id: u64, resume: &mut StreamResumption) -> Result<bool, McpError> {
    let mut heard = false;
    while let Some(frame) = events.next().await? {
        heard |= !frame.data.is_empty();
        take(http, &frame, MessageOrigin::Call(id), resume).await;
        if !http.router.is_open(id) {
            let _ = timeout(AFTER_ANSWER, events.next()).await;
            return Ok(true);
        }
    }
    Ok(heard)
}

async fn take(http: &Http, frame: &SseEvent, origin: MessageOrigin, resume: &mut StreamResumption) {
    resume.note(frame);
    if frame.data.is_empty() || !matches!(frame.event.as_deref(), None | Some("message")) {
        return;
    }
    for answer in http.router.arrive(frame.data.as_bytes(), origin) {
        // A server that does not accept the answer to its own request harms only itself.
        let _ = http.tell(answer).await;
    }
}

/// The events of a stream.
struct McpEvents {
    incoming: Incoming,
    decoder: Decoder,
    ended: bool,
}

impl McpEvents {
    fn new(incoming: Incoming) -> Self {
        // Some extra space for the fields of an event besides its data.
        Self { incoming, decoder: Decoder::new(MESSAGE_LIMIT + (64 << 10)), ended: false }
    }

    async fn next(&mut self) -> Result<Option<SseEvent>, McpError> {
        while !self.ended {
            match self.decoder.next() {
                Ok(Some(frame)) => return Ok(Some(frame)),
                Ok(None) => {}
                Err(SseError::TooLarge { .. }) => {
                    return Err(McpError::TooMuch { what: "bytes in one message", limit: MESSAGE_LIMIT });
                }
            }
            match self.incoming.chunk().await.map_err(failed)? {
                Some(chunk) => self.decoder.push(&chunk),
                None => self.ended = true,
            }
        }
        Ok(self.decoder.finish())
    }
}
