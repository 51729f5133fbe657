//! Streams of MCP servers over HTTP that are not calls themselves: a stream on which a client listens, and the end of a
//! session. With the SSE transport of 2024, the results of calls arrive over such a stream.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci_recorder::{
    Exchange, PostEndpoint, RecordedRequest, RecordedResponse, Recording, StreamAnswer, is_mcp_stream,
};
use agentci_trace::{ToolCall, ToolResult};
use serde_json::Value;

use super::tool_exchange;

/// The header with the id of a session.
const SESSION: &str = "mcp-session-id";

/// The maximum number of answers that are kept for requests that have not ended yet.
const MOST_EARLY: usize = 1_000;

/// The known requests that only open a stream of an MCP server or end a session with it.
#[derive(Debug, Clone, Default)]
pub(super) struct McpAddresses {
    /// The addresses to which messages were posted.
    posted: BTreeSet<(String, String)>,
    /// The methods and addresses of such requests.
    streams: BTreeSet<(String, (String, String))>,
}

impl McpAddresses {
    pub(super) fn of(recording: &Recording) -> Self {
        let mut addresses = Self::default();
        for exchange in &recording.exchanges {
            addresses.note(exchange);
        }
        addresses
    }

    pub(super) fn note(&mut self, exchange: &Exchange) {
        let Exchange { request, response, .. } = exchange;
        let address = address(request);
        if rpc_id(request).is_some() {
            self.posted.insert(address);
            return;
        }
        // A server without such a stream answers 405.
        let refuses = || response.as_ref().is_some_and(|response| response.status == 405);
        let listens = || {
            request.method == "GET" && (response.as_ref().is_some_and(RecordedResponse::is_event_stream) || refuses())
        };
        if is_mcp_stream(exchange) || (self.posted.contains(&address) && listens()) {
            self.streams.insert((request.method.clone(), address));
        }
    }

    /// Whether a request only opens such a stream, or ends a session.
    pub(super) fn has_stream(&self, request: &RecordedRequest) -> bool {
        let in_session = request.headers.iter().any(|(name, _)| name == SESSION);
        matches!(request.method.as_str(), "GET" | "DELETE")
            && (in_session || self.streams.contains(&(request.method.clone(), address(request))))
    }
}

fn address(request: &RecordedRequest) -> (String, String) {
    let route = request.path.split(['?', '#']).next().expect("a split has a first part");
    (request.origin.clone(), route.to_owned())
}

/// The JSON-RPC id of a request; null for a notification.
fn rpc_id(request: &RecordedRequest) -> Option<&Value> {
    tool_exchange::json_rpc(request).filter(|message| message["method"].is_string()).map(|message| &message["id"])
}

/// Requests and answers that are not matched yet.
#[derive(Debug, Default)]
pub(super) struct McpStreams {
    asked: Vec<AcceptedRequest>,
    /// Answers that arrived before their requests ended.
    early: Vec<Arc<StreamAnswer>>,
}

/// A request that was accepted.
#[derive(Debug)]
struct AcceptedRequest {
    endpoint: PostEndpoint,
    id: Value,
    call: Option<StreamCall>,
}

#[derive(Debug)]
struct StreamCall {
    id: String,
    name: String,
    fault: Option<&'static str>,
}

impl McpStreams {
    /// Records an accepted request, with its tool call if it is one. Returns the result if it has already arrived.
    pub(super) fn ask(
        &mut self,
        request: &RecordedRequest,
        call: Option<&ToolCall>,
        fault: Option<&'static str>,
    ) -> Option<ToolResult> {
        let id = rpc_id(request).filter(|id| !id.is_null())?.clone();
        let endpoint = PostEndpoint::of(request);
        let call = call.map(|call| StreamCall { id: call.call_id.clone(), name: call.name.clone(), fault });
        let asked = AcceptedRequest { endpoint, id, call };
        if let Some(early) = self.early.iter().position(|answer| asked.is_answered_by(answer)) {
            return asked.result(&self.early.remove(early));
        }
        self.asked.push(asked);
        None
    }

    /// Records an answer. Returns the result of a call if it is one.
    pub(super) fn answer(&mut self, answer: &Arc<StreamAnswer>) -> Option<ToolResult> {
        if let Some(asked) = self.asked.iter().position(|asked| asked.is_answered_by(answer)) {
            return self.asked.remove(asked).result(answer);
        }
        if self.early.len() < MOST_EARLY {
            self.early.push(Arc::clone(answer));
        }
        None
    }

    /// The tools whose results were not seen.
    pub(super) fn unanswered(&self) -> BTreeSet<&str> {
        self.asked.iter().filter_map(|asked| asked.call.as_ref()).map(|call| call.name.as_str()).collect()
    }
}

impl AcceptedRequest {
    fn is_answered_by(&self, answer: &StreamAnswer) -> bool {
        answer.endpoint == self.endpoint && answer.message["id"] == self.id
    }

    fn result(&self, answer: &StreamAnswer) -> Option<ToolResult> {
        let StreamCall { id, fault, .. } = self.call.as_ref()?;
        Some(tool_exchange::result(&answer.message, id, *fault))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentci_recorder::{AnswerFrame, EndKind, ExchangeEnd, RecordedBody};
    use agentci_trace::Observer;
    use serde_json::json;

    use super::*;

    fn request(method: &str, path: &str, body: RecordedBody) -> RecordedRequest {
        RecordedRequest {
            method: method.into(),
            origin: "http://shop.test".into(),
            path: path.into(),
            body,
            ..RecordedRequest::default()
        }
    }

    fn posted(session: &str, id: u64, method: &str) -> RecordedRequest {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        request("POST", &format!("/messages?session={session}"), RecordedBody::Json(body))
    }

    fn answer(session: &str, id: u64, text: &str) -> Arc<StreamAnswer> {
        let endpoint = PostEndpoint::of(&posted(session, id, "tools/call"));
        let result = json!({ "content": [{ "type": "text", "text": text }], "isError": text == "declined" });
        Arc::new(StreamAnswer { endpoint, message: json!({ "jsonrpc": "2.0", "id": id, "result": result }) })
    }

    fn call(id: &str) -> ToolCall {
        let name = "refund".to_owned();
        ToolCall { call_id: id.into(), name, args: Arc::default(), observer: Observer::Stub, begun: None }
    }

    fn said(result: Option<ToolResult>) -> Option<(String, bool, Value)> {
        result.map(|result| (result.call_id, result.ok, result.result[0]["text"].clone()))
    }

    #[test]
    fn matches_result_and_call_in_either_order() {
        let mut streams = McpStreams::default();
        assert_eq!(streams.ask(&posted("a", 1, "tools/call"), Some(&call("c1")), None), None);
        assert_eq!(streams.answer(&answer("b", 1, "of another session")), None);
        assert_eq!(streams.answer(&answer("a", 2, "of another call")), None);
        assert_eq!(said(streams.answer(&answer("a", 1, "declined"))), Some(("c1".into(), false, "declined".into())));
        let early = streams.ask(&posted("b", 1, "tools/call"), Some(&call("c2")), None);
        assert_eq!(said(early), Some(("c2".into(), true, "of another session".into())));
        assert!(streams.unanswered().is_empty());
    }

    #[test]
    fn responses_to_other_requests_give_no_result() {
        let mut streams = McpStreams::default();
        assert_eq!(streams.ask(&posted("a", 1, "tools/list"), None, None), None);
        assert_eq!(streams.answer(&answer("a", 1, "tools")), None);
        assert!(streams.asked.is_empty() && streams.early.is_empty());
    }

    #[test]
    fn number_of_unmatched_responses_is_limited() {
        let mut streams = McpStreams::default();
        for id in 0..=MOST_EARLY as u64 {
            streams.answer(&answer("a", id, "x"));
        }
        assert_eq!(streams.early.len(), MOST_EARLY);
    }

    #[test]
    fn reports_call_without_a_result() {
        let mut streams = McpStreams::default();
        streams.ask(&posted("a", 1, "tools/call"), Some(&call("c1")), None);
        assert_eq!(streams.unanswered().into_iter().collect::<Vec<_>>(), ["refund"]);
    }

    #[test]
    fn mcp_streams_are_distinguished_from_tool_requests() {
        let stream = |path: &str, event: &str| Exchange {
            id: 1,
            request: request("GET", path, RecordedBody::Empty),
            response: Some(RecordedResponse {
                status: 200,
                headers: vec![("content-type".into(), "text/event-stream".into())],
                frames: vec![AnswerFrame { at_us: 0, bytes: event.to_owned().into() }],
                ..RecordedResponse::default()
            }),
            end: ExchangeEnd { at_us: 0, how: EndKind::Left },
            chatter: false,
            after: None,
        };
        let mcp = stream("/sse", "event: endpoint\ndata: /messages?session=a\n\n");
        let tool = stream("/prices", "data: {\"price\":20}\n\n");
        let asked = |method: &str, path: &str| request(method, path, RecordedBody::Empty);
        let rpc = RecordedBody::Json(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" }));
        let posted =
            |path: &str| Exchange { request: request("POST", path, rpc.clone()), response: None, ..mcp.clone() };
        let answered = |path: &str, status: u16| Exchange {
            request: asked("GET", path),
            response: Some(RecordedResponse { status, ..RecordedResponse::default() }),
            ..mcp.clone()
        };
        // A tool that uses JSON-RPC may also be requested with GET, and an MCP server may have no stream.
        let exchanges =
            vec![mcp.clone(), tool, posted("/mcp"), answered("/mcp", 405), posted("/api"), answered("/api?id=7", 200)];
        let addresses = McpAddresses::of(&Recording { exchanges, ..Recording::default() });
        for (method, path, is) in [
            ("GET", "/sse", true),
            ("POST", "/sse", false),
            ("GET", "/prices", false),
            ("GET", "/mcp", true),
            ("GET", "/api?id=7", false),
            ("DELETE", "/mcp", false),
        ] {
            assert_eq!(addresses.has_stream(&asked(method, path)), is, "{method} {path}");
        }
        let headers = vec![(SESSION.to_owned(), "a".to_owned())];
        assert!(addresses.has_stream(&RecordedRequest { headers, ..asked("DELETE", "/mcp") }));
    }
}
