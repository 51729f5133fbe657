//! Converts exchanges that are not model calls to tool calls over HTTP in the trace.
//!
//! `GET https://shop.test/orders?id=A-17` is a call of `GET shop.test/orders` with `{"query":{"id":"A-17"}}`. A tool of
//! an MCP server keeps its own name and arguments; other messages to such a server are not calls.

use std::sync::Arc;

use agentci_recorder::{
    EndKind, Exchange, FormPart, RecordedBody, RecordedRequest, RecordedResponse, is_stdio, messages_in,
};
use agentci_text::percent_decoded;
use agentci_trace::{Observer, ToolCall, ToolResult};
use serde_json::{Map, Value, json};

/// The maximum size of a body in the trace; for a larger one only the size is kept.
const LARGEST_BODY: usize = 1 << 20;

/// A tool call of an exchange, and its result; the result is `None` if it arrives over another stream.
type ShownCall = (ToolCall, Option<ToolResult>);

/// The call in an exchange, with this id. `None` for messages between a client and an MCP server that are not calls,
/// and for preflight requests.
pub(super) fn shown(exchange: &Exchange, call_id: String, fault: Option<&str>) -> Option<ShownCall> {
    let request = &exchange.request;
    let name = name(request)?;
    let json_rpc = json_rpc(request);
    // A client that is redirected calls the tool at the new address.
    if json_rpc.is_some() && exchange.response.as_ref().is_some_and(|response| (300..400).contains(&response.status)) {
        return None;
    }
    let args = json_rpc.map_or_else(|| arguments(request), |message| message["params"]["arguments"].clone());
    let result = match json_rpc {
        Some(message) => rpc_result(message, exchange),
        None => Some(http_result(exchange)),
    };
    // After an injected fault the real answer never follows.
    let lost = fault.is_some_and(|fault| !["error", "delay"].contains(&fault)).then(no_answer);
    let result = result.or(lost).map(|result| of_call(result, &call_id, fault));
    let call = ToolCall { call_id, name, args: Arc::new(args), observer: Observer::Stub, begun: None };
    Some((call, result))
}

/// The result of a call, from the JSON-RPC message that answers it.
pub(super) fn result(answer: &Value, call_id: &str, fault: Option<&str>) -> ToolResult {
    of_call(answered(answer), call_id, fault)
}

fn of_call(result: ToolResult, call_id: &str, fault: Option<&str>) -> ToolResult {
    let fault = fault.map(str::to_owned);
    ToolResult { call_id: call_id.to_owned(), observer: Observer::Stub, fault, ..result }
}

/// The name of the tool that a request calls, if it calls one.
pub(super) fn name(request: &RecordedRequest) -> Option<String> {
    if matches!(request.method.as_str(), "OPTIONS" | "HEAD") {
        return None;
    }
    match json_rpc(request) {
        Some(message) if message["method"] == "tools/call" => {
            Some(message["params"]["name"].as_str().unwrap_or_default().to_owned())
        }
        Some(_) => None,
        None if is_stdio(&request.origin) => None,
        None => Some(format!("{} {}{}", request.method, host(&request.origin), route(&request.path))),
    }
}

/// The JSON-RPC message to an MCP server in a request; it may also be a response to the server.
pub(super) fn json_rpc(request: &RecordedRequest) -> Option<&Value> {
    let RecordedBody::Json(body) = &request.body else { return None };
    let is_message = body["method"].is_string() || body.get("id").is_some();
    (body["jsonrpc"] == "2.0" && is_message).then_some(body)
}

/// Whether an MCP server accepted a request over HTTP without answering it.
pub(super) fn is_accepted(exchange: &Exchange) -> bool {
    json_rpc(&exchange.request).is_some_and(|message| rpc_result(message, exchange).is_none())
}

fn host(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

fn route(path: &str) -> &str {
    path.split(['?', '#']).next().expect("a split has a first part")
}

/// The arguments of a call: the query and the body.
fn arguments(request: &RecordedRequest) -> Value {
    let mut arguments = Map::new();
    if let Some((_, query)) = request.path.split_once('?') {
        let pairs =
            query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        arguments.insert("query".into(), named(pairs.map(|(name, value)| (decoded(name), decoded(value)))));
    }
    let body = match &request.body {
        RecordedBody::Empty => None,
        RecordedBody::Json(body) => Some(body.clone()),
        RecordedBody::Text(text) => Some(bounded(text.as_bytes())),
        RecordedBody::Form(pairs) => Some(named(pairs.iter().cloned())),
        RecordedBody::Parts(parts) => Some(parts.iter().map(part).collect()),
        RecordedBody::Bytes(bytes) => Some(bounded(bytes)),
        RecordedBody::TooLarge { bytes } => Some(json!({ "bytes": bytes })),
    };
    arguments.extend(body.map(|body| ("body".to_owned(), body)));
    arguments.into()
}

/// Values by name; repeated names become a list.
fn named(pairs: impl Iterator<Item = (String, String)>) -> Value {
    let mut named = Map::new();
    for (name, value) in pairs {
        match named.get_mut(&name) {
            None => drop(named.insert(name, value.into())),
            Some(Value::Array(all)) => all.push(value.into()),
            Some(one) => *one = Value::Array(vec![one.take(), value.into()]),
        }
    }
    named.into()
}

fn part(part: &FormPart) -> Value {
    json!({ "name": part.name, "filename": part.filename, "content": bounded(&part.content) })
}

fn decoded(text: &str) -> String {
    percent_decoded(&text.replace('+', " "))
}

/// The text, if it is valid UTF-8 and not too large; otherwise its size.
fn bounded(bytes: &[u8]) -> Value {
    match str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= LARGEST_BODY => text.into(),
        _ => json!({ "bytes": bytes.len() }),
    }
}

fn http_result(exchange: &Exchange) -> ToolResult {
    let Some(response) = &exchange.response else {
        let error = match &exchange.end.how {
            EndKind::Unreachable(reason) | EndKind::Broken(reason) => reason.clone(),
            EndKind::Left => "the agent did not wait for the answer".into(),
            EndKind::Closed | EndKind::TooLarge => "no response was received".into(),
        };
        return failed(error);
    };
    let ok = response.status < 400;
    let result = content(response);
    let error = (!ok).then(|| format!("status {}", response.status));
    ToolResult { ok, result: Arc::new(result), error, ..ToolResult::default() }
}

fn content(response: &RecordedResponse) -> Value {
    let bytes = response.whole();
    if bytes.len() > LARGEST_BODY {
        return json!({ "bytes": bytes.len() });
    }
    serde_json::from_slice(&bytes).unwrap_or_else(|_| bounded(&bytes))
}

/// The result of an MCP tool: the answer to this message, as JSON or as an event of a stream. `None` if the request was
/// accepted and the answer arrives elsewhere.
fn rpc_result(message: &Value, exchange: &Exchange) -> Option<ToolResult> {
    let bytes = exchange.response.as_ref().map(RecordedResponse::whole).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    if let Some(answer) = messages_in(&text).iter().find(|answer| answer["id"] == message["id"]) {
        return Some(answered(answer));
    }
    let is_taken = exchange.response.as_ref().is_some_and(|response| response.status < 300);
    if is_taken && is_stdio(&exchange.request.origin) {
        return Some(no_answer());
    }
    (!is_taken).then(|| http_result(exchange))
}

fn failed(error: String) -> ToolResult {
    ToolResult { error: Some(error), ..ToolResult::default() }
}

fn no_answer() -> ToolResult {
    failed("no answer from the server could be read".into())
}

/// The result of a call in a JSON-RPC message.
fn answered(answer: &Value) -> ToolResult {
    if let Some(error) = answer.get("error") {
        return failed(error["message"].as_str().unwrap_or("the server refused the call").to_owned());
    }
    let result = &answer["result"];
    let failed = result["isError"] == true;
    let said = result["content"][0]["text"].as_str().unwrap_or("the tool failed").to_owned();
    let given = result.get("structuredContent").unwrap_or(&result["content"]).clone();
    ToolResult { ok: !failed, result: Arc::new(given), error: failed.then_some(said), ..ToolResult::default() }
}

#[cfg(test)]
mod tests {
    use agentci_recorder::{AnswerFrame, ExchangeEnd};

    use super::*;

    fn exchange(method: &str, path: &str, body: RecordedBody, status: u16, answer: &str) -> Exchange {
        let request = RecordedRequest {
            method: method.into(),
            origin: "https://shop.test".into(),
            path: path.into(),
            body,
            ..RecordedRequest::default()
        };
        let frames = vec![AnswerFrame { at_us: 2, bytes: answer.to_owned().into() }];
        let response = RecordedResponse { status, frames, ..RecordedResponse::default() };
        let end = ExchangeEnd { at_us: 3, how: EndKind::Closed };
        Exchange { id: 1, request, response: Some(response), end, chatter: false, after: None }
    }

    fn call_and_result(exchange: &Exchange) -> (String, Value, bool, Value, Option<String>) {
        let (call, result) = shown(exchange, "c1".into(), None).unwrap();
        let result = result.unwrap();
        let (name, args) = (call.name.clone(), Value::clone(&call.args));
        (name, args, result.ok, Value::clone(&result.result), result.error.clone())
    }

    #[test]
    fn request_becomes_a_call_with_query_and_body() {
        let asked = exchange("GET", "/orders?id=A-17&tag=a%20b&tag=c+d", RecordedBody::Empty, 200, r#"{"total":20}"#);
        let args = json!({ "query": { "id": "A-17", "tag": ["a b", "c d"] } });
        assert_eq!(call_and_result(&asked), ("GET shop.test/orders".into(), args, true, json!({ "total": 20 }), None));
        let refused = exchange("POST", "/refunds", RecordedBody::Json(json!({ "amount": 20 })), 422, "too much");
        let (name, args, ok, _, error) = call_and_result(&refused);
        assert_eq!((name.as_str(), args, ok), ("POST shop.test/refunds", json!({ "body": { "amount": 20 } }), false));
        assert_eq!(error.as_deref(), Some("status 422"));
    }

    #[test]
    fn mcp_tools_keep_their_names_and_other_messages_are_not_calls() {
        let body = |method: &str| {
            RecordedBody::Json(
                json!({ "jsonrpc": "2.0", "id": 3, "method": method, "params": { "name": "refund", "arguments": { "amount": 20 } } }),
            )
        };
        let answer = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no such order\"}],\"isError\":true}}\n\n";
        let (name, args, ok, _, error) = call_and_result(&exchange("POST", "/mcp", body("tools/call"), 200, answer));
        assert_eq!((name.as_str(), args, ok), ("refund", json!({ "amount": 20 }), false));
        assert_eq!(error.as_deref(), Some("no such order"));
        let answered = RecordedBody::Json(json!({ "jsonrpc": "2.0", "id": 1, "result": { "action": "accept" } }));
        for beside in [body("tools/list"), body("notifications/initialized"), answered] {
            assert_eq!(shown(&exchange("POST", "/mcp", beside, 202, answer), "c1".into(), None), None);
        }
    }

    #[test]
    fn result_is_never_taken_from_another_response() {
        let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "refund" } });
        let result = |mut asked: Exchange, origin: &str, fault: Option<&str>| {
            asked.request.origin = origin.into();
            shown(&asked, "c1".into(), fault).map(|(_, result)| result.map(|result| (result.ok, result.error)))
        };
        let other = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";
        let asked = |status, answer| exchange("POST", "/mcp", RecordedBody::Json(call.clone()), status, answer);
        let unread = Some(Some((false, Some("no answer from the server could be read".to_owned()))));
        // Accepted: the result arrives over a stream, or is not seen.
        assert_eq!(result(asked(202, "Accepted"), "https://shop.test", None), Some(None));
        assert_eq!(result(asked(200, other), "https://shop.test", None), Some(None));
        assert_eq!(result(asked(202, "Accepted"), "https://shop.test", Some("hang")), unread);
        assert_eq!(result(asked(200, other), "stdio:orders", None), unread);
        // A redirected request is not a call; a refused one is.
        assert_eq!(result(asked(307, ""), "https://shop.test", None), None);
        let refused = Some(Some((false, Some("status 404".to_owned()))));
        assert_eq!(result(asked(404, "no session"), "https://shop.test", None), refused);
    }

    #[test]
    fn oversized_bodies_are_replaced_by_their_size() {
        let large = "x".repeat(LARGEST_BODY + 1);
        let asked = exchange("PUT", "/file", RecordedBody::Text(large.clone()), 200, &large);
        let (_, args, _, result, _) = call_and_result(&asked);
        assert_eq!((args, result), (json!({ "body": { "bytes": large.len() } }), json!({ "bytes": large.len() })));
    }
}
