//! A stream that a client of an MCP server only listens to. With the SSE transport of 2024, it carries the answers to
//! requests that are posted elsewhere.

use agentci_protocols::sse::{Decoder, SseEvent as Event};
use reqwest::Url;
use serde_json::Value;

use crate::{Exchange, RecordedRequest, RecordedResponse};

/// The header with the session.
const SESSION: &str = "mcp-session-id";

/// An answer of an MCP server that came over such a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamAnswer {
    /// Where the client posts the messages that are answered on it.
    pub endpoint: PostEndpoint,
    /// The JSON-RPC message.
    pub message: Value,
}

/// Where a client posts its messages to an MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostEndpoint {
    address: String,
    session: Option<String>,
}

impl PostEndpoint {
    /// The endpoint of a request.
    pub fn of(request: &RecordedRequest) -> Self {
        let written = format!("{}{}", request.origin, request.path);
        let address = Url::parse(&written).map_or(written, String::from);
        let session = request.headers.iter().find(|(name, _)| name == SESSION).map(|(_, session)| session.clone());
        Self { address, session }
    }

    /// The endpoint that the server names, resolved like a client does.
    fn named(&self, by_server: &str) -> Option<Self> {
        let address = Url::parse(&self.address).ok()?.join(by_server.trim()).ok()?;
        Some(Self { address: address.into(), session: self.session.clone() })
    }
}

/// Reads such a stream.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) endpoint: PostEndpoint,
}

impl Listening {
    /// `None` for any other answer.
    pub(crate) fn to(request: &RecordedRequest, response: &RecordedResponse) -> Option<Self> {
        (request.method == "GET" && response.is_event_stream()).then(|| Self { endpoint: PostEndpoint::of(request) })
    }

    /// Reads an event, and returns the answer in it.
    pub(crate) fn hear(&mut self, event: &[u8]) -> Option<StreamAnswer> {
        let event = event_in(event)?;
        if is_endpoint(&event) {
            self.endpoint = self.endpoint.named(&event.data)?;
            return None;
        }
        let message = message_of(&event).filter(|message| message.get("method").is_none())?;
        Some(StreamAnswer { endpoint: self.endpoint.clone(), message })
    }
}

/// Whether an exchange is a stream of an MCP server that its client listens to.
pub fn is_mcp_stream(exchange: &Exchange) -> bool {
    let is_of_mcp = |event: Event| is_endpoint(&event) || message_of(&event).is_some();
    let response = exchange.response.as_ref().filter(|response| response.is_event_stream());
    let mut frames = response.into_iter().flat_map(|response| &response.frames);
    exchange.request.method == "GET" && frames.any(|frame| event_in(&frame.bytes).is_some_and(is_of_mcp))
}

/// The endpoint for messages in an event of the SSE transport of 2024.
pub(crate) fn endpoint_in(event: &[u8]) -> Option<String> {
    event_in(event).filter(is_endpoint).map(|event| event.data)
}

/// The JSON-RPC message of an event.
pub(crate) fn message(event: &[u8]) -> Option<Value> {
    message_of(&event_in(event)?)
}

/// The event in a piece of a stream.
fn event_in(piece: &[u8]) -> Option<Event> {
    let mut decoder = Decoder::new(usize::MAX).without_raw();
    decoder.push(piece);
    decoder.finish()
}

/// Whether an event names the endpoint for messages.
fn is_endpoint(event: &Event) -> bool {
    event.event.as_deref().map(str::trim) == Some("endpoint")
}

fn message_of(event: &Event) -> Option<Value> {
    let message: Value = serde_json::from_str(event.data.trim()).ok()?;
    (message["jsonrpc"] == "2.0").then_some(message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(method: &str, path: &str, session: Option<&str>) -> RecordedRequest {
        let headers = session.map(|session| (SESSION.to_owned(), session.to_owned()));
        let origin = "http://127.0.0.1:8000".to_owned();
        let headers = headers.into_iter().collect();
        RecordedRequest { method: method.into(), origin, path: path.into(), headers, ..RecordedRequest::default() }
    }

    fn stream() -> RecordedResponse {
        let headers = vec![("content-type".to_owned(), "text/event-stream; charset=utf-8".to_owned())];
        RecordedResponse { status: 200, headers, ..RecordedResponse::default() }
    }

    fn heard(listening: &mut Listening, name: &str, data: &str) -> Option<StreamAnswer> {
        listening.hear(format!("event: {name}\r\ndata: {data}\r\n\r\n").as_bytes())
    }

    #[test]
    fn responses_belong_to_the_announced_endpoint() {
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        for named in
            ["/messages/?session_id=a", "messages/?session_id=a", "http://127.0.0.1:8000/messages/?session_id=a"]
        {
            let mut listening = Listening::to(&request("GET", "/sse", None), &stream()).unwrap();
            assert_eq!(heard(&mut listening, "endpoint", named), None);
            let heard = heard(&mut listening, "message", answer).unwrap();
            assert_eq!(heard.endpoint, PostEndpoint::of(&request("POST", "/messages/?session_id=a", None)));
            assert_ne!(heard.endpoint, PostEndpoint::of(&request("POST", "/messages/?session_id=b", None)));
            assert_eq!(heard.message["result"], json!({}));
        }
    }

    #[test]
    fn distinguishes_sessions_at_the_same_address() {
        let mut listening = Listening::to(&request("GET", "/mcp", Some("a")), &stream()).unwrap();
        let heard = heard(&mut listening, "message", r#"{"jsonrpc":"2.0","id":1,"error":{}}"#).unwrap();
        assert_eq!(heard.endpoint, PostEndpoint::of(&request("POST", "/mcp", Some("a"))));
        assert_ne!(heard.endpoint, PostEndpoint::of(&request("POST", "/mcp", Some("b"))));
    }

    #[test]
    fn ignores_other_streams_and_messages() {
        assert!(Listening::to(&request("POST", "/mcp", None), &stream()).is_none());
        assert!(Listening::to(&request("GET", "/page", None), &RecordedResponse::default()).is_none());
        let mut listening = Listening::to(&request("GET", "/sse", None), &stream()).unwrap();
        for data in [r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#, "[DONE]", r#"{"choices":[]}"#] {
            assert_eq!(heard(&mut listening, "message", data), None);
        }
    }
}
