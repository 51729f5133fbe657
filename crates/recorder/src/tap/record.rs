//! Records a server: assigns lines to exchanges.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::message::{self, LISTEN, MessageKind};
use crate::proxy::{ExchangeLog, OngoingExchange};
use crate::{EndKind, RecordedBody, RecordedRequest, is_chatter};

/// The answer of a server is a stream of lines.
pub(super) const LINES: (&str, &str) = ("content-type", "application/x-ndjson");

pub(super) struct RecordedServer {
    ledger: Arc<ExchangeLog>,
    origin: String,
    /// Whether it becomes part of the recording.
    keep: bool,
    /// Requests without an answer, in order.
    open: Vec<OpenRequest>,
    /// The exchange of the host's last message.
    last: Option<u64>,
}

/// A request without an answer.
struct OpenRequest {
    id: Value,
    token: Option<Value>,
    ongoing: OngoingExchange,
    /// Whether the server has sent anything for it.
    begun: bool,
}

impl RecordedServer {
    pub(super) fn new(ledger: Arc<ExchangeLog>, origin: String, keep: bool) -> Self {
        Self { ledger, origin, keep, open: Vec::new(), last: None }
    }

    /// The host sent a line. Returns the number of calls in it.
    pub(super) fn host(&mut self, line: &[u8]) -> usize {
        message::messages(line).into_iter().filter_map(|message| self.message(message, line.len() as u64)).sum()
    }

    /// Records a message of the host, in a line of this many bytes.
    fn message(&mut self, message: Value, bytes: u64) -> Option<usize> {
        let kind = message::kind(&message)?;
        let (id, token) = (message["id"].clone(), message::progress_token(&message).cloned());
        let mut request = message::request(&self.origin, message, self.ledger.now_us());
        let calls = usize::from(!is_chatter(&request));
        if !self.ledger.keeps(bytes) {
            request.body = RecordedBody::TooLarge { bytes };
        }
        let ongoing = self.ledger.begin(request, self.keep);
        self.last = Some(ongoing.id());
        if kind == MessageKind::Request {
            self.open.push(OpenRequest { id, token, ongoing, begun: false });
        } else {
            ongoing.end(EndKind::Closed);
        }
        Some(calls)
    }

    /// The server sent a line.
    pub(super) fn server(&mut self, line: &[u8]) {
        for message in message::messages(line) {
            let Some(kind) = message::kind(&message) else { continue };
            let mut line = message.to_string().into_bytes();
            line.push(b'\n');
            let line = Bytes::from(line);
            let answered = self.open.iter().position(|open| kind == MessageKind::Answer && open.id == message["id"]);
            if let Some(position) = answered {
                let mut open = self.open.remove(position);
                open.say(&line);
                open.ongoing.end(EndKind::Closed);
                continue;
            }
            let told = self.open.iter().position(|open| open.token.is_some() && open.token == token_of(&message));
            // A message without a token belongs to the last open request.
            match told.or(self.open.len().checked_sub(1)).and_then(|position| self.open.get_mut(position)) {
                Some(open) => open.say(&line),
                None => self.aside(&line),
            }
        }
    }

    /// The server sent a message without an open request.
    fn aside(&self, line: &Bytes) {
        let (at_us, origin) = (self.ledger.now_us(), self.origin.clone());
        let request = RecordedRequest { at_us, method: LISTEN.into(), origin, ..RecordedRequest::default() };
        let mut ongoing = self.ledger.begin(request, self.keep).continuing(self.last);
        ongoing.head(200, vec![(LINES.0.into(), LINES.1.into())]);
        ongoing.chunk(line);
        ongoing.end(EndKind::Closed);
    }

    /// Ends the open requests: the server exited, or the host closed its end.
    pub(super) fn end(&mut self, by_server: bool) {
        for open in self.open.drain(..) {
            open.ongoing.end(if by_server { EndKind::Broken("the server ended".into()) } else { EndKind::Left });
        }
    }
}

impl OpenRequest {
    fn say(&mut self, line: &Bytes) {
        if !self.begun {
            self.begun = true;
            self.ongoing.head(200, vec![(LINES.0.into(), LINES.1.into())]);
        }
        self.ongoing.chunk(line);
    }
}

/// The token of a progress notification.
fn token_of(message: &Value) -> Option<Value> {
    message["params"].get("progressToken").cloned()
}

#[cfg(test)]
mod tests {
    use agentci_trace::Redactor;
    use serde_json::json;

    use super::*;
    use crate::Exchange;

    fn recorded(lines: &[(char, Value)]) -> Vec<Exchange> {
        let ledger = Arc::new(ExchangeLog::new(Redactor::default(), Vec::new(), None, 0));
        let mut recorded = RecordedServer::new(Arc::clone(&ledger), "stdio:x".into(), true);
        for (from, line) in lines {
            let line = line.to_string();
            if *from == '>' {
                recorded.host(line.as_bytes());
            } else {
                recorded.server(line.as_bytes());
            }
        }
        recorded.end(true);
        let seen = ledger.seen();
        seen.exchanges.iter().flatten().map(|exchange| Exchange::clone(exchange)).collect()
    }

    fn said(exchange: &Exchange) -> Vec<Value> {
        let frames = exchange.response.iter().flat_map(|response| &response.frames);
        frames.map(|frame| serde_json::from_slice(&frame.bytes).unwrap()).collect()
    }

    #[test]
    fn out_of_order_responses_match_their_requests() {
        let call =
            |id: u32| json!({ "id": id, "method": "tools/call", "params": { "_meta": { "progressToken": id } } });
        let progress = |id: u32| json!({ "method": "notifications/progress", "params": { "progressToken": id } });
        let answer = |id: u32| json!({ "id": id, "result": {} });
        let log = json!({ "method": "notifications/message", "params": {} });
        let exchanges = recorded(&[
            ('>', call(1)),
            ('>', call(2)),
            ('<', progress(1)),
            ('<', log.clone()),
            ('<', answer(2)),
            ('<', answer(1)),
        ]);
        assert_eq!(said(&exchanges[0]), [progress(1), answer(1)]);
        assert_eq!(said(&exchanges[1]), [log, answer(2)]);
        assert!(exchanges.iter().all(|exchange| exchange.end.how == EndKind::Closed));
    }

    #[test]
    fn server_notification_follows_the_last_request() {
        let ready = json!({ "method": "notifications/initialized" });
        let changed = json!({ "method": "notifications/tools/list_changed" });
        let exchanges = recorded(&[('>', ready), ('<', changed.clone())]);
        let of: Vec<_> = exchanges.iter().map(|it| (it.request.method.as_str(), it.after, it.chatter)).collect();
        assert_eq!(of, [("notifications/initialized", None, true), (LISTEN, Some(1), true)]);
        assert_eq!(said(&exchanges[1]), [changed]);
    }

    #[test]
    fn records_call_without_response() {
        let call = json!({ "id": 1, "method": "tools/call" });
        let exchanges = recorded(&[('>', call), ('<', json!({ "id": 7, "result": {} }))]);
        // The answer to an unknown request is recorded with the open one, but does not answer it.
        assert_eq!(exchanges[0].end.how, EndKind::Broken("the server ended".into()));
    }

    #[test]
    fn skips_lines_that_are_not_messages() {
        assert_eq!(recorded(&[('>', json!("hello")), ('>', json!({})), ('<', json!(1))]), []);
    }
}
