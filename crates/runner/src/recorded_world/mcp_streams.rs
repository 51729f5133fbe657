//! The streams of MCP servers over HTTP that carry no call of their own: one over which a client listens, and the end of a session.
//! With the SSE transport of 2024, the results of calls come over such a stream.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci_recorder::{Body, Endpoint, Exchange, Recording, Request, StreamAnswer, is_mcp_stream};
use agentci_trace::{ToolCall, ToolResult};
use serde_json::Value;

use super::tool_exchange;

/// The header that tells the sessions of a server apart.
const SESSION: &str = "mcp-session-id";

/// The addresses at which MCP servers were met.
#[derive(Debug, Clone, Default)]
pub(super) struct McpAddresses(BTreeSet<(String, String)>);

impl McpAddresses {
    pub(super) fn of(recording: &Recording) -> Self {
        let mut addresses = Self::default();
        recording.exchanges.iter().for_each(|exchange| addresses.note(exchange));
        addresses
    }

    pub(super) fn note(&mut self, exchange: &Exchange) {
        if rpc_id(&exchange.request).is_some() || is_mcp_stream(exchange) {
            self.0.insert(address(&exchange.request));
        }
    }

    /// Whether a request only opens such a stream, or ends a session.
    pub(super) fn has_stream(&self, request: &Request) -> bool {
        let in_session = || request.headers.iter().any(|(name, _)| name == SESSION);
        matches!(request.method.as_str(), "GET" | "DELETE") && (in_session() || self.0.contains(&address(request)))
    }
}

fn address(request: &Request) -> (String, String) {
    let route = request.path.split(['?', '#']).next().unwrap_or_default();
    (request.origin.clone(), route.to_owned())
}

/// The JSON-RPC id of a request; null for a notification.
fn rpc_id(request: &Request) -> Option<&Value> {
    let Body::Json(body) = &request.body else { return None };
    (body["jsonrpc"] == "2.0" && body["method"].is_string()).then(|| &body["id"])
}

/// Requests and answers that are still to meet.
#[derive(Debug, Default)]
pub(super) struct McpStreams {
    asked: Vec<Asked>,
    /// Answers that came before their requests were over.
    early: Vec<Arc<StreamAnswer>>,
}

/// A request that was accepted.
#[derive(Debug)]
struct Asked {
    endpoint: Endpoint,
    id: Value,
    call: Option<Call>,
}

/// The call that it is.
#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    fault: Option<&'static str>,
}

impl McpStreams {
    /// A request was accepted, and is this call of a tool if it is any. Gives the result if that came already.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        call: Option<&ToolCall>,
        fault: Option<&'static str>,
    ) -> Option<ToolResult> {
        let id = rpc_id(request).filter(|id| !id.is_null())?.clone();
        let endpoint = Endpoint::of(request);
        let call = call.map(|call| Call { id: call.call_id.clone(), name: call.name.clone(), fault });
        let asked = Asked { endpoint, id, call };
        if let Some(early) = self.early.iter().position(|answer| asked.is_answered_by(answer)) {
            return asked.result(&self.early.remove(early));
        }
        self.asked.push(asked);
        None
    }

    /// An answer came. Gives the result of a call if it is that.
    pub(super) fn answer(&mut self, answer: &Arc<StreamAnswer>) -> Option<ToolResult> {
        if let Some(asked) = self.asked.iter().position(|asked| asked.is_answered_by(answer)) {
            return self.asked.remove(asked).result(answer);
        }
        self.early.push(Arc::clone(answer));
        None
    }

    /// The tools whose results were not seen, each once.
    pub(super) fn unanswered(&self) -> BTreeSet<&str> {
        self.asked.iter().filter_map(|asked| asked.call.as_ref()).map(|call| call.name.as_str()).collect()
    }
}

impl Asked {
    fn is_answered_by(&self, answer: &StreamAnswer) -> bool {
        answer.endpoint == self.endpoint && answer.message["id"] == self.id
    }

    fn result(&self, answer: &StreamAnswer) -> Option<ToolResult> {
        let Call { id, fault, .. } = self.call.as_ref()?;
        Some(tool_exchange::result(&answer.message, id, *fault))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentci_recorder::{End, Frame, How, Response};
    use agentci_trace::Observer;
    use serde_json::json;

    use super::*;

    fn request(method: &str, path: &str, body: Body) -> Request {
        Request {
            method: method.into(),
            origin: "http://shop.test".into(),
            path: path.into(),
            body,
            ..Request::default()
        }
    }

    fn posted(session: &str, id: u64, method: &str) -> Request {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        request("POST", &format!("/messages?session={session}"), Body::Json(body))
    }

    fn answer(session: &str, id: u64, text: &str) -> Arc<StreamAnswer> {
        let endpoint = Endpoint::of(&posted(session, id, "tools/call"));
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
    fn a_result_meets_its_call_in_either_order_and_no_other() {
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
    fn what_is_no_call_is_met_and_gives_nothing() {
        let mut streams = McpStreams::default();
        assert_eq!(streams.ask(&posted("a", 1, "tools/list"), None, None), None);
        assert_eq!(streams.answer(&answer("a", 1, "tools")), None);
        assert!(streams.asked.is_empty() && streams.early.is_empty());
    }

    #[test]
    fn a_call_without_a_result_is_named() {
        let mut streams = McpStreams::default();
        streams.ask(&posted("a", 1, "tools/call"), Some(&call("c1")), None);
        assert_eq!(streams.unanswered().into_iter().collect::<Vec<_>>(), ["refund"]);
    }

    #[test]
    fn streams_of_a_server_are_told_from_what_a_tool_is_asked() {
        let stream = |path: &str, event: &str| Exchange {
            id: 1,
            request: request("GET", path, Body::Empty),
            response: Some(Response {
                status: 200,
                headers: vec![("content-type".into(), "text/event-stream".into())],
                frames: vec![Frame { at_us: 0, bytes: event.to_owned().into() }],
                ..Response::default()
            }),
            end: End { at_us: 0, how: How::Left },
            chatter: false,
            after: None,
        };
        let mcp = stream("/sse", "event: endpoint\ndata: /messages?session=a\n\n");
        let tool = stream("/prices", "data: {\"price\":20}\n\n");
        let posted = Exchange { request: posted("a", 1, "initialize"), response: None, ..mcp.clone() };
        let addresses = McpAddresses::of(&Recording { exchanges: vec![mcp, tool, posted], ..Recording::default() });
        assert!(addresses.has_stream(&request("GET", "/sse", Body::Empty)));
        assert!(addresses.has_stream(&request("DELETE", "/messages?session=b", Body::Empty)));
        assert!(!addresses.has_stream(&request("GET", "/prices", Body::Empty)));
        assert!(!addresses.has_stream(&request("POST", "/sse", Body::Empty)));
    }
}
