//! What the wire tells about the agent.

use agentci_mock_llm::{ModelServer, ServerOptions};
use agentci_trace::{Kind, Observer};
use serde_json::{Value, json};

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

/// Results that came over the wire after a call of `search`, where the agent repeats the call and sends its result so.
async fn results_after(path: &str, first: Value, second: impl Fn(&str) -> Value) -> Vec<String> {
    let yaml = "rules:\n- when: { tool_result: true }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 1, n: 2 } }]\n";
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ServerOptions { observer: Some(sender), ..ServerOptions::default() };
    let server = ModelServer::start(script(yaml), options).await.unwrap();
    let answer = post(&server, path, &first).await.json().to_string();
    let id = answer
        .split('"')
        .find(|part| (part.starts_with("call_") && *part != "call_id") || part.starts_with("toolu_"))
        .unwrap();
    for _ in 0..2 {
        post(&server, path, &second(id)).await;
    }
    drop(server);
    let mut results = Vec::new();
    while let Ok(kind) = receiver.try_recv() {
        if let Kind::ToolResult(result) = kind {
            results.push(format!("{} {}", result.call_id == id, result.result));
        }
    }
    results
}

#[tokio::test]
async fn calls_that_the_agent_gave_other_ids_are_answered() {
    let user = json!({ "role": "user", "content": "x" });
    // Ids of their own, and arguments in another spelling; another tool or other arguments are another call.
    for (name, arguments, id, came) in [
        ("search", r#"{"n": 2.0, "q": 1}"#, Some("mine"), vec!["true \"found\""]),
        ("search", r#"{"q":1,"n":2}"#, None, vec!["true \"found\""]),
        ("search", r#"{"q":7}"#, Some("mine"), vec![]),
        ("delete", r#"{"q":1,"n":2}"#, Some("mine"), vec![]),
    ] {
        let tools = json!([{ "type": "function", "function": { "name": "search" } }]);
        let chat = |given: &str| {
            let id = id.unwrap_or(given);
            let call = json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
            json!({ "model": "m", "tools": tools, "messages": [user, { "role": "assistant", "tool_calls": [call] },
                { "role": "tool", "tool_call_id": id, "content": "found" }] })
        };
        let first = json!({ "model": "m", "tools": tools, "messages": [user] });
        assert_eq!(results_after("/v1/chat/completions", first, chat).await, came, "chat {name} {arguments}");
        let tools = json!([{ "type": "function", "name": "search", "parameters": {} }]);
        let responses = |given: &str| {
            let id = id.unwrap_or(given);
            json!({ "model": "m", "tools": tools, "input": [user,
                { "type": "function_call", "call_id": id, "name": name, "arguments": arguments },
                { "type": "function_call_output", "call_id": id, "output": "found" }] })
        };
        let first = json!({ "model": "m", "tools": tools, "input": [user] });
        assert_eq!(results_after("/v1/responses", first, responses).await, came, "responses {name} {arguments}");
        let tools = json!([{ "name": "search", "input_schema": { "type": "object" } }]);
        let messages = |given: &str| {
            let id = id.unwrap_or(given);
            let input: Value = serde_json::from_str(arguments).unwrap();
            json!({ "model": "m", "max_tokens": 9, "tools": tools, "messages": [user,
                { "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] },
                { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "found" }] }] })
        };
        let first = json!({ "model": "m", "max_tokens": 9, "tools": tools, "messages": [user] });
        assert_eq!(results_after("/v1/messages", first, messages).await, came, "messages {name} {arguments}");
    }
}

#[tokio::test]
async fn an_example_in_the_prompt_is_not_the_result_of_a_call() {
    let tools = json!([{ "type": "function", "function": { "name": "search" } }]);
    let call = json!({ "id": "example", "type": "function", "function": { "name": "search", "arguments": "{\"q\":1,\"n\":2}" } });
    let example = [
        json!({ "role": "user", "content": "x" }),
        json!({ "role": "assistant", "tool_calls": [call] }),
        json!({ "role": "tool", "tool_call_id": "example", "content": "found" }),
        json!({ "role": "assistant", "content": "y" }),
        json!({ "role": "user", "content": "z" }),
    ];
    let request = json!({ "model": "m", "tools": tools, "messages": example });
    let again = request.clone();
    assert!(results_after("/v1/chat/completions", request, |_| again.clone()).await.is_empty());
}
