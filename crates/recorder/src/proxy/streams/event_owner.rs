//! Finds the request that an event of an MCP server's stream belongs to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::Exchange;
use crate::proxy::streams::mcp_stream::message;
use crate::proxy::{Listening, PostEndpoint, is_mcp_stream};

/// The messages of a client to a server, in the order of the recording.
#[derive(Clone)]
pub(crate) struct ClientMessages<'s, 'r> {
    stream: &'s Exchange,
    messages: Vec<(&'r Exchange, &'r Value)>,
}

impl<'s, 'r> ClientMessages<'s, 'r> {
    pub(crate) fn by_client(stream: &'s Exchange, recorded: impl Iterator<Item = &'r Exchange>) -> Self {
        let here = recorded.filter(|other| other.request.origin == stream.request.origin);
        Self { stream, messages: here.filter_map(|other| Some((other, rpc(other)?))).collect() }
    }

    /// Only the messages that were posted to this endpoint, if there are any: a server may have several clients that
    /// use the same ids.
    pub(crate) fn to(&self, endpoint: &PostEndpoint) -> Self {
        let there = |(exchange, _): &&(&Exchange, &Value)| PostEndpoint::of(&exchange.request) == *endpoint;
        let messages: Vec<_> = self.messages.iter().filter(there).copied().collect();
        Self { stream: self.stream, messages: if messages.is_empty() { self.messages.clone() } else { messages } }
    }

    /// The request that a message of the server belongs to: the one that it answers or reports progress of, otherwise
    /// the last one before it. All messages of a stream that answers one request belong to that one.
    pub(crate) fn request(&self, message: &Value, until_us: u64) -> Option<u64> {
        let stream = self.stream.id;
        if self.messages.iter().any(|(exchange, body)| exchange.id == stream && body.get("method").is_some()) {
            return Some(stream);
        }
        let before = self.messages.iter().rev().filter(|(exchange, body)| {
            let since = exchange.request.at_us >= self.stream.request.at_us && exchange.request.at_us <= until_us;
            since && body.get("method").is_some()
        });
        let is_answer = message.get("method").is_none();
        let token = message["params"].get("progressToken");
        let mut fitting = before.filter(|(_, body)| match token {
            _ if is_answer => body["id"] == message["id"],
            Some(token) => body["params"]["_meta"].get("progressToken") == Some(token),
            None => true,
        });
        fitting.next().map(|(exchange, _)| exchange.id)
    }

    /// The reply of the client to a question of the server within this period.
    pub(crate) fn answer(&self, id: &Value, since_us: u64, until_us: u64) -> Option<u64> {
        let mut answers = self.messages.iter().filter(|(exchange, body)| {
            let between = (since_us..=until_us).contains(&exchange.request.at_us);
            between && body.get("method").is_none() && body["id"] == *id
        });
        answers.next().map(|(exchange, _)| exchange.id)
    }
}

/// The place of an answer that came over a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamPosition {
    /// The exchange that is the stream.
    pub(crate) stream: u64,
    /// The position of the event in it.
    pub(crate) event: usize,
}

/// The requests of a recording that were only accepted, and whose answers came over a stream.
pub(crate) fn in_streams<'r>(recorded: impl Iterator<Item = &'r Exchange> + Clone) -> BTreeMap<u64, StreamPosition> {
    let mut found = BTreeMap::new();
    for stream in recorded.clone().filter(|exchange| is_mcp_stream(exchange)) {
        let Some(response) = &stream.response else { continue };
        let Some(mut listening) = Listening::to(&stream.request, response) else { continue };
        let said = ClientMessages::by_client(stream, recorded.clone());
        let mut there = said.to(&listening.endpoint);
        for (event, frame) in response.frames.iter().enumerate() {
            let before = listening.endpoint.clone();
            let answer = listening.hear(&frame.bytes);
            if before != listening.endpoint {
                there = said.to(&listening.endpoint);
            }
            let Some(answer) = answer else { continue };
            let of = there.request(&answer.message, frame.at_us);
            found.extend(of.map(|of| (of, StreamPosition { stream: stream.id, event })));
        }
    }
    let of_requests = recorded.filter(|exchange| found.contains_key(&exchange.id) && is_accepted(exchange));
    let accepted: BTreeSet<u64> = of_requests.map(|exchange| exchange.id).collect();
    found.retain(|id, _| accepted.contains(id));
    found
}

/// Whether a request was accepted, and its response does not contain the answer.
fn is_accepted(exchange: &Exchange) -> bool {
    let (Some(asked), Some(response)) = (rpc(exchange), &exchange.response) else { return false };
    let whole = response.whole();
    let events = response.frames.iter().filter_map(|frame| message(&frame.bytes));
    let mut said = events.chain(serde_json::from_slice(&whole));
    (200..300).contains(&response.status) && !said.any(|message: Value| message["id"] == asked["id"])
}

/// The JSON-RPC message that a client posted.
fn rpc(exchange: &Exchange) -> Option<&Value> {
    exchange.request.body.as_json().filter(|body| body["jsonrpc"] == "2.0")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AnswerFrame, EndKind, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse};

    fn exchange(
        id: u64,
        path: &str,
        body: RecordedBody,
        (status, kind): (u16, &str),
        said: &[(u64, String)],
    ) -> Exchange {
        let method = if body == RecordedBody::Empty { "GET" } else { "POST" };
        let frames =
            said.iter().map(|(at_us, text)| AnswerFrame { at_us: *at_us, bytes: text.clone().into() }).collect();
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Exchange {
            id,
            request: RecordedRequest {
                at_us: id,
                method: method.into(),
                origin: "http://shop.test".into(),
                path: path.into(),
                body,
                ..RecordedRequest::default()
            },
            response: Some(RecordedResponse { at_us: id, status, headers, frames }),
            end: ExchangeEnd { at_us: 99, how: EndKind::Left },
            chatter: false,
            after: None,
        }
    }

    fn stream(id: u64, session: &str, answers: &[(u64, u64)]) -> Exchange {
        let endpoint = (id, format!("event: endpoint\ndata: /messages?session={session}\n\n"));
        let answer = |(at_us, id): &(u64, u64)| {
            (*at_us, format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": id, "result": session })))
        };
        let said: Vec<_> = std::iter::once(endpoint).chain(answers.iter().map(answer)).collect();
        exchange(id, "/sse", RecordedBody::Empty, (200, "text/event-stream"), &said)
    }

    fn call(id: u64, session: &str, number: u64, answer: (u16, &str)) -> Exchange {
        let body = json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call" });
        let path = format!("/messages?session={session}");
        exchange(id, &path, RecordedBody::Json(body), (answer.0, "application/json"), &[(id, answer.1.to_owned())])
    }

    #[test]
    fn distinguishes_sessions_with_equal_request_ids() {
        // The official SDK for Java accepts with an empty 200.
        let recorded = [
            stream(1, "a", &[(12, 2)]),
            stream(2, "b", &[(13, 2)]),
            call(10, "a", 2, (202, "Accepted")),
            call(11, "b", 2, (200, "")),
        ];
        let found = in_streams(recorded.iter());
        let at = |id: u64| found.get(&id).map(|found| (found.stream, found.event));
        assert_eq!((at(10), at(11), found.len()), (Some((1, 1)), Some((2, 1)), 2));
    }

    #[test]
    fn ignores_requests_with_a_direct_response() {
        let recorded = [
            stream(1, "a", &[(12, 2), (13, 3)]),
            call(10, "a", 2, (200, r#"{"jsonrpc":"2.0","id":2,"result":1}"#)),
            call(11, "a", 3, (404, "")),
        ];
        assert!(in_streams(recorded.iter()).is_empty());
    }
}
