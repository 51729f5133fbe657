//! What the wire tells about the agent.

use agentci_stubs::{ModelServer, ServerOptions};
use agentci_trace::{Kind, Observer};
use serde_json::json;

use crate::client::{post, script};

#[tokio::test]
async fn calls_and_their_results_are_told_once() {
    let yaml =
        "rules:\n- when: { tool_result: true }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 1.0 } }]\n";
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ServerOptions { observer: Some(sender), ..ServerOptions::default() };
    let server = ModelServer::start(script(yaml), options).await.unwrap();
    let mut messages = vec![json!({ "role": "user", "content": "x" })];
    let first = post(&server, "/v1/chat/completions", &json!({ "messages": messages })).await.json();
    messages.push(first["choices"][0]["message"].clone());
    let id = &first["choices"][0]["message"]["tool_calls"][0]["id"];
    messages.push(json!({ "role": "tool", "tool_call_id": id, "content": "{\"hits\":[]}" }));
    for _ in 0..2 {
        post(&server, "/v1/chat/completions", &json!({ "messages": messages, "stream": true })).await;
    }
    drop(server);
    let mut seen = Vec::new();
    while let Ok(kind) = receiver.try_recv() {
        seen.push(match kind {
            Kind::ModelCall { response, .. } => format!("model {}", response["choices"][0]["finish_reason"]),
            Kind::Usage(usage) => format!("usage {}", usage.tokens_out.unwrap()),
            Kind::ToolCall(call) if call.observer == Observer::ModelWire => format!("call {} {}", call.name, call.args),
            Kind::ToolResult(result) => format!("result {} {}", result.ok, result.result),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(
        seen,
        [
            "model \"tool_calls\"",
            "usage 1",
            "call search {\"q\":1.0}",
            "result true {\"hits\":[]}",
            "model \"stop\"",
            "usage 1",
            "model \"stop\"",
            "usage 1",
        ]
    );
}

/// A client that leaves early was asked only for what it was sent.
#[tokio::test]
async fn calls_that_were_not_sent_are_taken_back() {
    let yaml = "rules:\n- tool_calls: [{ name: first, args: {} }, { name: second, args: { q: a b c d e f g h i j k l m n } }]\n  \
                tokens_per_second: 10\n";
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ServerOptions { observer: Some(sender), ..ServerOptions::default() };
    let server = ModelServer::start(script(yaml), options).await.unwrap();
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "x" }], "stream": true }).to_string();
    let mut stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    tokio::io::AsyncWriteExt::write_all(&mut stream, head.as_bytes()).await.unwrap();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("\"second\"") {
        assert!(tokio::io::AsyncReadExt::read_buf(&mut stream, &mut read).await.unwrap() > 0, "{read:?}");
    }
    drop(stream);
    let mut seen = Vec::new();
    while !seen.iter().any(|word: &String| word.starts_with("unsent")) {
        match receiver.recv().await.unwrap() {
            Kind::ToolCall(call) => seen.push(format!("{} {}", call.name, call.call_id)),
            Kind::ToolCallUnsent(id) => seen.push(format!("unsent {id}")),
            _ => {}
        }
    }
    let id = seen[1].strip_prefix("second ").unwrap().to_owned();
    assert_eq!(seen[2..], [format!("unsent {id}")]);
}
