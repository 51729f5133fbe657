//! A scripted HTTP server.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::LIMIT;
use crate::{McpEndpoint, ServerAddress};

/// A request as the server received it: its first line and headers in lower case, and its body.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) head: String,
    pub(super) body: Value,
    pub(super) form: String,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(super) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

/// A server with scripted answers that keeps the requests it received.
pub(super) struct Listener {
    pub(super) url: String,
    pub(super) seen: Arc<Mutex<Vec<Seen>>>,
    /// The method of each message received, and `closed` for each answer that the client did not wait for.
    events: UnboundedReceiver<String>,
}

/// An answer that is never sent.
pub(super) const NEVER: &str = "never";
/// Marks an answer that never ends.
pub(super) const OPEN: &str = "...";

impl Listener {
    pub(super) async fn start(answer: impl Fn(&Seen) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&seen));
        let (happened, events) = unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(take(stream, Arc::clone(&answer), Arc::clone(&log), happened.clone()));
            }
        });
        Self { url, seen, events }
    }

    pub(super) fn server(&self) -> ServerAddress {
        ServerAddress::Http(McpEndpoint { url: self.url.clone(), ..McpEndpoint::default() })
    }

    /// Waits until an event has happened.
    pub(super) async fn until(&mut self, event: &str) {
        let happens = async { while self.events.recv().await.unwrap() != event {} };
        tokio::time::timeout(LIMIT, happens).await.unwrap();
    }

    pub(super) fn all(&self, method: &str) -> Vec<Seen> {
        self.seen.lock().unwrap().iter().filter(|seen| seen.method() == method).cloned().collect()
    }
}

async fn take(
    mut stream: TcpStream,
    answer: Arc<impl Fn(&Seen) -> String + Send + Sync>,
    log: Arc<Mutex<Vec<Seen>>>,
    happened: UnboundedSender<String>,
) {
    let mut bytes = Vec::new();
    let seen = loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                let lower = head.lines().map(|line| match line.split_once(": ") {
                    Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
                    None => line.to_owned(),
                });
                let head = lower.collect::<Vec<_>>().join("\n");
                break Seen { head, body: serde_json::from_str(body).unwrap_or_default(), form: body.to_owned() };
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    };
    log.lock().unwrap().push(seen.clone());
    let _ = happened.send(seen.method().to_owned());
    let answer = answer(&seen);
    let (begun, stays) = match answer.strip_suffix(OPEN) {
        Some(begun) => (begun, true),
        None if answer == NEVER => ("", true),
        None => (answer.as_str(), false),
    };
    let _ = stream.write_all(begun.as_bytes()).await;
    if stays {
        while stream.read_buf(&mut bytes).await.unwrap_or(0) > 0 {}
        let _ = happened.send("closed".into());
    }
}

pub(super) fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

pub(super) fn message(body: &Value) -> String {
    http("200 OK", "content-type: application/json\r\n", &body.to_string())
}

pub(super) fn result(seen: &Seen, result: &Value) -> String {
    message(&json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": result }))
}

pub(super) fn stream(events: &str) -> String {
    http("200 OK", "content-type: text/event-stream\r\n", events)
}

pub(super) fn modern(seen: &Seen) -> Option<String> {
    let facts = json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} });
    (seen.method() == "server/discover").then(|| result(seen, &facts))
}

/// The answers of a legacy server to everything except calls.
pub(super) fn legacy(seen: &Seen) -> Option<String> {
    match seen.method() {
        "server/discover" => Some(http("400 Bad Request", "", "what?")),
        "initialize" => {
            let facts = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "protocolVersion": "2025-11-25", "capabilities": {} } });
            let headers = "content-type: application/json\r\nmcp-session-id: s1\r\n";
            Some(http("200 OK", headers, &facts.to_string()))
        }
        "notifications/initialized" | "notifications/cancelled" => Some(http("202 Accepted", "", "")),
        _ if seen.head.starts_with("GET") && seen.header("last-event-id").is_none() => {
            Some(http("405 Method Not Allowed", "", ""))
        }
        _ => None,
    }
}
