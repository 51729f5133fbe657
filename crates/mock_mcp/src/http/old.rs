//! The transport of 2024: one stream for all answers, and an address where messages are posted.

use std::sync::Arc;

use agentci_protocols::jsonrpc::{self, Message};
use bytes::Bytes;
use hyper::Response;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::reply::{accepted, events, refused};
use super::sessions::{Session, Sessions};
use super::streams::{event, event_of};
use super::talk::Talk;
use crate::answer::{Asked, Era};
use crate::client::{Client, Line, Logged};
use crate::mind::Mind;
use crate::stdio::reply;

const VERSION: &str = "2024-11-05";

/// Opens the stream; its first event says where messages are posted.
pub(super) fn open(sessions: &Sessions) -> Response<Talk> {
    let (to, talk) = unbounded_channel();
    let session = Session::new(Client::new(VERSION, json!({}), Logged::All));
    session.hold(to.clone());
    let Some(id) = sessions.begin(session) else { return refused(503, "there are too many sessions") };
    let _ = to.send(Bytes::from(format!("event: endpoint\ndata: /messages?session_id={id}\n\n")));
    events(Talk::Stream(talk))
}

/// Takes a message; what there is to say comes over the stream.
pub(super) fn post(mind: &Arc<Mind>, sessions: &Sessions, query: &str, bytes: &[u8]) -> Response<Talk> {
    let id = query.split('&').find_map(|pair| pair.strip_prefix("session_id="));
    let Some((id, session)) = id.and_then(|id| Some((id, sessions.find(id)?))) else {
        return refused(404, "there is no such session");
    };
    let messages = match jsonrpc::read(bytes) {
        Ok(messages) => messages,
        Err(error) => return refused(400, &error.to_string()),
    };
    let Some(stream) = session.stream() else { return refused(409, "nobody listens to the stream of this session") };
    for message in messages {
        match message {
            Message::Reply { id, outcome } => session.client.answered(&id, outcome),
            Message::Notification { .. } => {}
            Message::Request { id: request, method, params } => {
                let params = params.as_object().cloned().unwrap_or_default();
                if method == "initialize" {
                    let (version, greeting) = mind.greet(&params);
                    let capabilities = params.get("capabilities").cloned().unwrap_or_default();
                    let client = Client::new(version, capabilities, Logged::All);
                    let begun = Session::new(client);
                    begun.hold(stream.clone());
                    sessions.replace(id, begun);
                    let _ = stream.send(event(None, &reply(&request, Ok(greeting))));
                    continue;
                }
                let (mind, client) = (Arc::clone(mind), Arc::clone(&session.client));
                let line = line(stream.clone());
                tokio::spawn(async move {
                    let asked =
                        Asked { method: &method, params: &params, era: Era::Legacy, client: &client, line: &line };
                    let answer = mind.respond(&request, &asked).await;
                    line.send(answer);
                });
            }
        }
    }
    accepted()
}

/// A way back over the stream.
fn line(stream: UnboundedSender<Bytes>) -> Line {
    let (to, mut out) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(outgoing) = out.recv().await {
            if let Some(event) = event_of(None, &outgoing) {
                let _ = stream.send(event);
            }
        }
    });
    Line(to)
}
