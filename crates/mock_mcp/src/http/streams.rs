//! Streams that a client can resume: each event has an id, and the events after it are sent again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agentci_wire::lock;
use bytes::Bytes;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::answer_body::McpAnswerBody;
use crate::client::Outgoing;
use crate::faults::{SpoiltMessage, remains};

/// The maximum number of streams of a session that can be resumed; a new one replaces the oldest.
const MOST: usize = 100;
/// The reconnection time for clients, in milliseconds.
const RETRY: u64 = 100;

#[derive(Debug, Default)]
pub(super) struct SessionStreams(Mutex<BTreeMap<u64, ClientStream>>);

#[derive(Debug, Default)]
struct ClientStream {
    /// All events so far.
    said: Vec<Bytes>,
    /// The current listener.
    listener: Option<UnboundedSender<Bytes>>,
    over: bool,
}

impl SessionStreams {
    /// Opens the stream of one request. With `primed`, its first event has only an id.
    pub(super) fn open(
        self: &Arc<Self>,
        first: Outgoing,
        out: UnboundedReceiver<Outgoing>,
        primed: bool,
    ) -> McpAnswerBody {
        let (to, events) = unbounded_channel();
        let number = {
            let mut all = lock(&self.0);
            let number = all.keys().next_back().map_or(1, |last| last + 1);
            if all.len() >= MOST {
                all.pop_first();
            }
            let mut stream = ClientStream { listener: Some(to), ..ClientStream::default() };
            if primed {
                stream.say(Bytes::from(format!("id: {number}-1\nretry: {RETRY}\ndata:\n\n")));
            }
            all.insert(number, stream);
            number
        };
        let streams = Arc::clone(self);
        tokio::spawn(async move {
            let mut out = out;
            let mut next = Some(first);
            while let Some(outgoing) = next {
                streams.pass(number, &outgoing);
                next = out.recv().await;
            }
            streams.close(number);
        });
        McpAnswerBody::Stream(events)
    }

    /// Resumes a stream after an event.
    pub(super) fn resume(&self, event: &str) -> Option<McpAnswerBody> {
        let (number, seen) = event.split_once('-')?;
        let (number, seen): (u64, usize) = (number.parse().ok()?, seen.parse().ok()?);
        let mut all = lock(&self.0);
        let stream = all.get_mut(&number)?;
        let (to, events) = unbounded_channel();
        for said in stream.said.iter().skip(seen) {
            let _ = to.send(said.clone());
        }
        if !stream.over {
            stream.listener = Some(to);
        }
        Some(McpAnswerBody::Stream(events))
    }

    fn pass(&self, number: u64, outgoing: &Outgoing) {
        let mut all = lock(&self.0);
        let Some(stream) = all.get_mut(&number) else { return };
        match outgoing {
            Outgoing::Close => stream.listener = None,
            outgoing => {
                let id = format!("{number}-{}", stream.said.len() + 1);
                if let Some(event) = event_of(Some(&id), outgoing) {
                    stream.say(event);
                }
            }
        }
    }

    fn close(&self, number: u64) {
        if let Some(stream) = lock(&self.0).get_mut(&number) {
            stream.listener = None;
            stream.over = true;
        }
    }
}

impl ClientStream {
    fn say(&mut self, event: Bytes) {
        if let Some(listener) = &self.listener {
            let _ = listener.send(event.clone());
        }
        self.said.push(event);
    }
}

pub(super) fn event(id: Option<&str>, message: &Value) -> Bytes {
    Bytes::from(format!("{}\n\n", begun(id, &message.to_string())))
}

/// Forwards messages as events without ids.
pub(super) async fn pass(mut out: UnboundedReceiver<Outgoing>, to: UnboundedSender<Bytes>) {
    while let Some(outgoing) = out.recv().await {
        if let Some(event) = event_of(None, &outgoing) {
            let _ = to.send(event);
        }
    }
}

/// A message as an event; `None` for the end of a stream.
fn event_of(id: Option<&str>, outgoing: &Outgoing) -> Option<Bytes> {
    match outgoing {
        Outgoing::Message(message) => Some(event(id, message)),
        Outgoing::Spoilt { text, spoilt } => {
            let end = if *spoilt == SpoiltMessage::Truncated { "" } else { "\n\n" };
            Some(Bytes::from(format!("{}{end}", begun(id, &remains(text, *spoilt)))))
        }
        Outgoing::Close => None,
    }
}

fn begun(id: Option<&str>, text: &str) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("event: message\n{id}data: {text}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn next(body: &mut McpAnswerBody) -> Option<String> {
        let McpAnswerBody::Stream(events) = body else { panic!("{body:?}") };
        events.recv().await.map(|event| String::from_utf8(event.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn resumed_stream_replays_missed_events() {
        let streams: Arc<SessionStreams> = Arc::default();
        let (to, out) = unbounded_channel();
        let mut body = streams.open(Outgoing::Message(json!(1)), out, true);
        assert_eq!(next(&mut body).await.unwrap(), "id: 1-1\nretry: 100\ndata:\n\n");
        assert_eq!(next(&mut body).await.unwrap(), "event: message\nid: 1-2\ndata: 1\n\n");
        to.send(Outgoing::Close).unwrap();
        assert_eq!(next(&mut body).await, None);
        to.send(Outgoing::Message(json!(2))).unwrap();
        let mut again = streams.resume("1-1").unwrap();
        assert_eq!(next(&mut again).await.unwrap(), "event: message\nid: 1-2\ndata: 1\n\n");
        assert_eq!(next(&mut again).await.unwrap(), "event: message\nid: 1-3\ndata: 2\n\n");
        drop(to);
        assert_eq!(next(&mut again).await, None);
        // A stream that has ended can still be resumed.
        let mut late = streams.resume("1-2").unwrap();
        assert_eq!(next(&mut late).await.unwrap(), "event: message\nid: 1-3\ndata: 2\n\n");
        assert_eq!(next(&mut late).await, None);
        assert!(streams.resume("9-1").is_none() && streams.resume("x").is_none());
    }

    #[tokio::test]
    async fn oldest_stream_is_dropped() {
        let streams: Arc<SessionStreams> = Arc::default();
        let senders: Vec<_> = (0..=MOST)
            .map(|_| {
                let (to, out) = unbounded_channel();
                (to, streams.open(Outgoing::Message(json!(1)), out, false))
            })
            .collect();
        assert!(streams.resume("1-0").is_none());
        assert!(streams.resume("2-0").is_some());
        assert_eq!(senders.len(), MOST + 1);
    }
}
