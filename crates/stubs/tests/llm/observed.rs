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
    let tools = json!([{ "type": "function", "function": { "name": "search" } }]);
    let mut messages = vec![json!({ "role": "user", "content": "x" })];
    let first = post(&server, "/v1/chat/completions", &json!({ "model": "m", "tools": tools, "messages": messages }))
        .await
        .json();
    messages.push(first["choices"][0]["message"].clone());
    let id = &first["choices"][0]["message"]["tool_calls"][0]["id"];
    messages.push(json!({ "role": "tool", "tool_call_id": id, "content": "{\"hits\":[]}" }));
    for _ in 0..2 {
        post(
            &server,
            "/v1/chat/completions",
            &json!({ "model": "m", "tools": tools, "messages": messages, "stream": true }),
        )
        .await;
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
