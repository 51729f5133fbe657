use agentci_recorder::Recording;
use serde_json::{Value, json};

use super::*;
use crate::tests::Peer;
use crate::{ServerEvent, ServerState};

/// A recording of these requests, each with the text of its answer.
pub(crate) fn recording(exchanges: &[(&str, &str, Value, String)]) -> Recording {
    let mut lines = vec![json!({ "v": 2, "type": "recording", "command": [], "now_ms": 1, "roots": { "cwd": "/w" } })];
    for (at, (method, address, body, answer)) in exchanges.iter().enumerate() {
        let id = at + 1;
        let (origin, path) = address.split_at(address.find("/mcp").or(address.find("/sse")).unwrap_or(address.len()));
        let mut request = json!({ "type": "request", "id": id, "at_us": id, "to": origin, "method": method, "path": path, "headers": {} });
        if !body.is_null() {
            request["json"] = body.clone();
        }
        lines.push(request);
        lines.push(json!({ "type": "response", "id": id, "at_us": id, "status": 200, "headers": {} }));
        lines.push(json!({ "type": "frame", "id": id, "at_us": id, "text": answer }));
        lines.push(json!({ "type": "end", "id": id, "at_us": id, "how": "closed" }));
    }
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    Recording::parse_with(&text, &mut |name| Err(format!("no file {name}"))).unwrap()
}

fn ask(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    ask(id, "tools/call", &json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } }))
}

fn says(id: u64, text: &str) -> String {
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

const STOCK: &str = "http://stock.test/mcp";

fn stock() -> Recording {
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": { "listChanged": true } },
        "serverInfo": { "name": "stock", "version": "3" }, "instructions": "Ask." });
    let list = json!({ "tools": [{ "name": "count", "inputSchema": { "type": "object" } }] });
    let answered = |id: u64, result: &Value| json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    let event = |answer: String| {
        format!(
            "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}}\n\nevent: message\ndata: {answer}\n\n"
        )
    };
    let refused = json!({ "jsonrpc": "2.0", "id": 6, "error": { "code": -32602, "message": "no such tool" } });
    recording(&[
        ("POST", STOCK, ask(1, "initialize", &json!({ "protocolVersion": "2025-06-18" })), answered(1, &hello)),
        ("POST", STOCK, json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), String::new()),
        ("POST", STOCK, ask(2, "tools/list", &json!({})), answered(2, &list)),
        ("POST", STOCK, call(3, "count", &json!({ "sku": 1 })), event(says(3, "four"))),
        ("POST", STOCK, call(4, "count", &json!({ "sku": 2 })), says(4, "none")),
        ("POST", STOCK, call(5, "count", &json!({ "sku": 1 })), says(5, "three")),
        ("POST", STOCK, call(6, "lose", &json!({})), refused.to_string()),
        ("POST", "http://agent.test/mcp/a2a", ask(1, "message/send", &json!({})), says(1, "no")),
    ])
}

fn played(recording: &Recording) -> Peer {
    Peer::on(|to| ServerState::recorded(McpTape::of(recording, None).unwrap(), Some(Box::new(to))))
}

#[tokio::test]
async fn equal_calls_replay_recorded_results_and_others_are_misses() {
    let mut peer = played(&stock());
    let hello = peer.ask("initialize", json!({ "protocolVersion": "2025-11-25" })).await;
    assert_eq!(hello["result"]["serverInfo"], json!({ "name": "stock", "version": "3" }));
    assert_eq!(hello["result"]["instructions"], "Ask.");
    for _ in 0..2 {
        assert_eq!(peer.ask("tools/list", json!({})).await["result"]["tools"][0]["name"], "count");
    }
    assert_eq!(peer.call("count", json!({ "sku": 1.0 })).await, "four");
    assert_eq!(peer.call("count", json!({ "sku": 1 })).await, "three");
    assert_eq!(peer.call("lose", Value::Null).await, "-32602: no such tool");
    let again = "-32603: `count` with {\"sku\":1} was recorded 2 times, but is called once more";
    assert_eq!(peer.call("count", json!({ "sku": 1 })).await, again);
    let other = "-32603: `count` with {\"sku\":3} is not in the recording; it contains `count` with {\"sku\":1}, `count` with {\"sku\":2}";
    assert_eq!(peer.call("count", json!({ "sku": 3 })).await, other);
    let more = peer.ask("tools/list", json!({ "cursor": "x" })).await;
    assert!(more["error"]["message"].as_str().unwrap().contains("is not in the recording"), "{more}");
    let misses = peer.all_seen().into_iter().filter(|seen| matches!(seen, ServerEvent::Miss { .. })).count();
    assert_eq!(misses, 3);
}

#[tokio::test]
async fn replays_to_client_without_handshake() {
    let mut peer = played(&stock());
    let found = peer.ask_modern("server/discover", json!({}), json!({})).await;
    assert_eq!(found["result"]["capabilities"]["tools"], json!({ "listChanged": true }));
    let answer = peer.ask_modern("tools/call", json!({ "name": "count", "arguments": { "sku": 2 } }), json!({})).await;
    assert_eq!(
        (&answer["result"]["content"][0]["text"], &answer["result"]["resultType"]),
        (&json!("none"), &json!("complete"))
    );
}

#[tokio::test]
async fn skips_input_requests_of_recorded_server() {
    let waits = json!({ "resultType": "input_required", "requestState": "x", "inputRequests": {} });
    let waits = json!({ "jsonrpc": "2.0", "id": 1, "result": waits }).to_string();
    let mut resumed = call(2, "book", &json!({ "day": 1 }));
    resumed["params"]["requestState"] = "x".into();
    resumed["params"]["inputResponses"] = json!({ "who": {} });
    let met = json!({ "io.modelcontextprotocol/serverInfo": { "name": "tables", "version": "2" } });
    let found = json!({ "jsonrpc": "2.0", "id": 0, "result": { "capabilities": { "tools": {} }, "_meta": met } });
    let mut peer = played(&recording(&[
        ("POST", STOCK, ask(0, "server/discover", &json!({})), found.to_string()),
        ("POST", STOCK, call(1, "book", &json!({ "day": 1 })), waits),
        ("POST", STOCK, resumed, says(2, "booked")),
    ]));
    let hello = peer.ask("initialize", json!({ "protocolVersion": "2025-11-25" })).await;
    assert_eq!(hello["result"]["serverInfo"]["name"], "tables", "{hello}");
    assert_eq!(peer.call("book", json!({ "day": 1 })).await, "booked");
}

#[test]
fn lists_unused_calls() {
    let tape = McpTape::of(&stock(), None).unwrap();
    assert_eq!(
        tape.unused(),
        ["`count` with {\"sku\":1}", "`count` with {\"sku\":2}", "`count` with {\"sku\":1}", "`lose` with {}"]
    );
}

#[test]
fn finds_results_sent_over_separate_sse_stream() {
    let stream = format!("event: endpoint\ndata: /mcp/messages\n\nevent: message\ndata: {}\n\n", says(7, "late"));
    let old = recording(&[
        ("GET", "http://old.test/sse", Value::Null, stream),
        ("POST", "http://old.test/mcp/messages?session_id=1", call(7, "count", &json!({})), "accepted".into()),
        ("POST", "http://old.test/mcp/messages?session_id=1", call(8, "count", &json!({})), "accepted".into()),
    ]);
    let tape = McpTape::of(&old, None).unwrap();
    assert_eq!(tape.unused(), ["`count` with {}"]);
    assert_eq!(tape.capabilities(), json!({ "tools": {}, "logging": {} }));
}

#[test]
fn server_must_be_selected_when_several_are_recorded() {
    let list = |address: &'static str| ("POST", address, ask(1, "tools/list", &json!({})), says(1, ""));
    let both = recording(&[list("http://stock.test/mcp/a"), list("stdio:npx stock"), list("http://stock.test/mcp/b")]);
    let told = |server: Option<&str>| McpTape::of(&both, server).err().map(|error| error.to_string());
    let several = "the recording has 3 MCP servers: http://stock.test/mcp/a, http://stock.test/mcp/b, stdio:npx stock";
    assert_eq!(told(None).as_deref(), Some(several));
    assert_eq!(
        told(Some("stock.test")).as_deref(),
        Some("the recording has 2 MCP servers: http://stock.test/mcp/a, http://stock.test/mcp/b")
    );
    assert_eq!(
        told(Some("orders")).as_deref(),
        Some(
            "no MCP server of the recording has `orders` in its address or command: http://stock.test/mcp/a, http://stock.test/mcp/b, stdio:npx stock"
        )
    );
    assert_eq!(told(Some("npx")), None);
    assert_eq!(McpTape::of(&recording(&[]), None).err(), Some(McpTapeError::None));
}
