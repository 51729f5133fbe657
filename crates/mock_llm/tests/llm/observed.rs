//! The trace events of the model's wire.

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_trace::{EventKind, Observer};
use serde_json::{Value, json};

use crate::client::{post, script};

#[tokio::test]
async fn calls_and_their_results_are_reported_once() {
    let yaml =
        "rules:\n- when: { tool_result: true }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 1.0 } }]\n";
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ModelServerOptions { observer: Some(sender), ..ModelServerOptions::default() };
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
            EventKind::ModelCall { response, .. } => format!("model {}", response["choices"][0]["finish_reason"]),
            EventKind::Usage(usage) => format!("usage {}", usage.tokens_out.unwrap()),
            EventKind::ToolCall(call) if call.observer == Observer::ModelWire => {
                format!("call {} {}", call.name, call.args)
            }
            EventKind::ToolResult(result) => format!("result {} {}", result.ok, result.result),
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

/// The observed results after a call of `search`, if the agent sends `second` with its result.
async fn results_after(path: &str, first: Value, second: impl Fn(&str) -> Value) -> Vec<String> {
    let yaml = "rules:\n- when: { tool_result: true }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 1, n: 2 } }]\n";
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ModelServerOptions { observer: Some(sender), ..ModelServerOptions::default() };
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
        if let EventKind::ToolResult(result) = kind {
            results.push(format!("{} {}", result.call_id == id, result.result));
        }
    }
    results
}

#[tokio::test]
async fn matches_results_when_the_agent_changes_call_ids() {
    let user = json!({ "role": "user", "content": "x" });
    // Different ids, and differently formatted arguments; another tool or other arguments are another call.
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
async fn example_in_the_prompt_is_not_a_result() {
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

/// The observed results, each with the number of its call.
struct Wire {
    server: ModelServer,
    seen: tokio::sync::mpsc::UnboundedReceiver<EventKind>,
}

impl Wire {
    async fn new(rules: &str) -> Self {
        let (sender, seen) = tokio::sync::mpsc::unbounded_channel();
        let options = ModelServerOptions { observer: Some(sender), ..ModelServerOptions::default() };
        Self { server: ModelServer::start(script(&format!("rules:\n{rules}")), options).await.unwrap(), seen }
    }

    async fn chat(&self, messages: &[Value]) {
        let tools = json!([{ "type": "function", "function": { "name": "search" } }]);
        let body = json!({ "model": "m", "tools": tools, "messages": messages });
        assert_eq!(post(&self.server, "/v1/chat/completions", &body).await.status, 200);
    }

    async fn responses(&self, input: &[Value]) {
        let tools = json!([{ "type": "function", "name": "search", "parameters": {} }]);
        let body = json!({ "model": "m", "tools": tools, "input": input });
        assert_eq!(post(&self.server, "/v1/responses", &body).await.status, 200);
    }

    fn results(mut self) -> Vec<(usize, String)> {
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        while let Ok(kind) = self.seen.try_recv() {
            match kind {
                EventKind::ToolCall(call) => calls.push(call.call_id),
                EventKind::ToolResult(result) => {
                    let call = calls.iter().position(|id| *id == result.call_id).unwrap();
                    results.push((call, result.result.as_str().unwrap().to_owned()));
                }
                _ => {}
            }
        }
        results
    }
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn asks(id: &str, arguments: &str) -> Value {
    let function = json!({ "name": "search", "arguments": arguments });
    json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function", "function": function }] })
}

fn gives(id: &str, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": content })
}

fn told(results: &[(usize, &str)]) -> Vec<(usize, String)> {
    results.iter().map(|(call, content)| (*call, (*content).to_owned())).collect()
}

const TWICE: &str = "- when: { turn: 3 }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 1 } }]\n";

#[tokio::test]
async fn distinguishes_call_ids_reused_in_each_response() {
    let first = [user("x"), asks("call_0", "{\"q\":1}"), gives("call_0", "a")];
    let wire = Wire::new(TWICE).await;
    wire.chat(&first[..1]).await;
    wire.chat(&first).await;
    let both = [&first[..], &[asks("call_0", "{\"q\":1}"), gives("call_0", "b")]].concat();
    wire.chat(&both).await;
    assert_eq!(wire.results(), told(&[(0, "a"), (1, "b")]));
    // An agent that only repeats the history did not make the second call, whatever the ids.
    for id in ["call_0", "call_1"] {
        let wire = Wire::new(TWICE).await;
        wire.chat(&first[..1]).await;
        wire.chat(&first).await;
        wire.chat(&[user("x"), asks(id, "{\"q\":1}"), gives(id, "a")]).await;
        assert_eq!(wire.results(), told(&[(0, "a")]), "{id}");
    }
}

#[tokio::test]
async fn parallel_conversations_can_reuse_call_ids() {
    let rules = "- when: { turn: 2 }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 1 } }]\n";
    let begun = |time: &str| vec![json!({ "role": "system", "content": time }), user("x")];
    let with = |content: &str| [begun(content), vec![asks("c0", "{\"q\":1}"), gives("c0", content)]].concat();
    let wire = Wire::new(rules).await;
    wire.chat(&begun("a")).await;
    wire.chat(&begun("b")).await;
    wire.chat(&with("a")).await;
    wire.chat(&with("b")).await;
    assert_eq!(wire.results(), told(&[(0, "a"), (1, "b")]));
    // A result that one conversation repeats is not the result of the other.
    let wire = Wire::new(rules).await;
    wire.chat(&begun("a")).await;
    wire.chat(&begun("b")).await;
    wire.chat(&with("a")).await;
    wire.chat(&[with("a"), vec![json!({ "role": "assistant", "content": "done" }), user("y")]].concat()).await;
    assert_eq!(wire.results(), told(&[(0, "a")]));
}

#[tokio::test]
async fn outputs_interleaved_with_calls_are_matched() {
    let rules = "- when: { tool_result: true }\n  reply: done\n\
                 - tool_calls: [{ name: search, args: { q: 1 } }, { name: search, args: { q: 2 } }]\n";
    let call = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "search", "arguments": arguments });
    let output = |id: &str, output: &str| json!({ "type": "function_call_output", "call_id": id, "output": output });
    let wire = Wire::new(rules).await;
    wire.responses(&[user("x")]).await;
    let items = [user("x"), call("k0", "{\"q\":1}"), output("k0", "a"), call("k1", "{\"q\":2}"), output("k1", "b")];
    wire.responses(&items).await;
    wire.responses(&items).await;
    assert_eq!(wire.results(), told(&[(0, "a"), (1, "b")]));
}

#[tokio::test]
async fn calls_match_with_added_but_not_changed_arguments() {
    let rules = "- when: { tool_result: true }\n  reply: done\n\
                 - tool_calls: [{ name: search, args: {} }, { name: search, args: { q: 2 } }]\n";
    for (arguments, came) in [
        ("{\"q\":2,\"note\":null}", &[(1, "a")][..]),
        ("{\"q\":2,\"limit\":10}", &[(1, "a")]),
        ("{\"limit\":10}", &[(0, "a")]),
    ] {
        let wire = Wire::new(rules).await;
        wire.chat(&[user("x")]).await;
        wire.chat(&[user("x"), asks("c0", arguments), gives("c0", "a")]).await;
        assert_eq!(wire.results(), told(came), "{arguments}");
    }
    let wire =
        Wire::new("- when: { tool_result: true }\n  reply: done\n- tool_calls: [{ name: search, args: { q: 2 } }]\n");
    let wire = wire.await;
    wire.chat(&[user("x")]).await;
    wire.chat(&[user("x"), asks("c0", "{\"q\":3,\"note\":null}"), gives("c0", "a")]).await;
    assert_eq!(wire.results(), told(&[]));
}

#[tokio::test]
async fn example_at_the_prompt_end_is_not_a_result() {
    let prompt = [user("x"), asks("example", "{\"q\":1}"), gives("example", "a"), user("y")];
    let wire = Wire::new("- tool_calls: [{ name: search, args: { q: 1 } }]\n").await;
    for _ in 0..2 {
        wire.chat(&prompt).await;
    }
    let more = [&prompt[..], &[asks("c0", "{\"q\":1}"), gives("c0", "b")]].concat();
    wire.chat(&more).await;
    assert_eq!(wire.results(), told(&[(0, "b")]));
}
