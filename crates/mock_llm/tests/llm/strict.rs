//! Refusals as by the provider, and troubles.

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_trace::{EventKind, ModelTrouble, TroubleKind};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::client::{get, post, request, script, send};

async fn watched(yaml: &str) -> (ModelServer, UnboundedReceiver<EventKind>) {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ModelServerOptions { observer: Some(sender), ..ModelServerOptions::default() };
    (ModelServer::start(script(yaml), options).await.unwrap(), receiver)
}

/// The troubles so far: kind and rule.
fn troubles(seen: &mut UnboundedReceiver<EventKind>) -> Vec<(TroubleKind, Option<usize>)> {
    let mut troubles = Vec::new();
    while let Ok(kind) = seen.try_recv() {
        if let EventKind::ModelTrouble(ModelTrouble { kind, rule, warning: false, .. }) = kind {
            troubles.push((kind, rule));
        }
    }
    troubles
}

fn function(name: &str, parameters: &Value) -> Value {
    json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
}

const REFUND: &str = "rules:\n- when: { tool_result: true }\n  reply: done\n\
                      - when: { user: refund }\n  tool_calls: [{ name: refund, args: { amount: 20 } }]\n";

#[tokio::test]
async fn reports_call_of_a_tool_that_was_not_offered() {
    let number = json!({ "type": "object", "properties": { "amount": { "type": "number" } }, "required": ["amount"] });
    let text = json!({ "type": "object", "properties": { "amount": { "type": "string" } } });
    let not_offered = vec![(TroubleKind::ToolNotOffered, Some(1))];
    for (more, expected) in [
        (json!({ "tools": [function("refund", &number)] }), vec![]),
        (json!({ "tools": [function("refund", &json!(null))] }), vec![]),
        (json!({}), not_offered.clone()),
        (json!({ "tools": [function("find", &number)] }), not_offered.clone()),
        (json!({ "tools": [function("refund", &number)], "tool_choice": "none" }), not_offered),
        (json!({ "tools": [function("refund", &text)] }), vec![(TroubleKind::ArgumentsDoNotFit, Some(1))]),
    ] {
        let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": "refund it" }] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (server, mut seen) = watched(REFUND).await;
        assert_eq!(post(&server, "/v1/chat/completions", &body).await.status, 200);
        assert_eq!(troubles(&mut seen), expected, "{more}");
        let (server, mut seen) = watched(&format!("{REFUND}  misbehaves: true\n")).await;
        post(&server, "/v1/chat/completions", &body).await;
        assert_eq!(troubles(&mut seen), [], "{more}");
        // `strict` only affects requests that the provider refuses.
        let (server, mut seen) = watched(&format!("strict: false\n{REFUND}")).await;
        post(&server, "/v1/chat/completions", &body).await;
        assert_eq!(troubles(&mut seen), expected, "{more}");
    }
}

#[tokio::test]
async fn recognizes_tools_of_the_other_apis() {
    let schema = json!({ "type": "object", "properties": { "amount": { "type": "integer" } } });
    let (server, mut seen) = watched(REFUND).await;
    let tool = json!({ "type": "function", "name": "refund", "parameters": schema });
    let namespace = json!({ "type": "namespace", "name": "shop", "tools": [tool] });
    for tools in [json!([tool]), json!([namespace])] {
        post(&server, "/v1/responses", &json!({ "model": "m", "input": "refund", "tools": tools })).await;
    }
    // The tools of a stored prompt are not known.
    post(&server, "/v1/responses", &json!({ "input": "refund", "prompt": { "id": "pmpt_1" } })).await;
    let messages = json!([{ "role": "user", "content": "refund" }]);
    let tools = json!([{ "name": "refund", "input_schema": schema }]);
    post(&server, "/v1/messages", &json!({ "model": "c", "max_tokens": 9, "messages": messages, "tools": tools }))
        .await;
    assert_eq!(troubles(&mut seen), []);
    let none = json!({ "model": "c", "max_tokens": 9, "messages": messages, "tools": tools, "tool_choice": { "type": "none" } });
    post(&server, "/v1/messages", &none).await;
    post(&server, "/v1/responses", &json!({ "model": "m", "input": "refund" })).await;
    assert_eq!(troubles(&mut seen), [(TroubleKind::ToolNotOffered, Some(1)); 2]);
}

/// The troubles of each API with this tool choice: `required`, or the name of a tool.
async fn troubles_of_choice(answer: &str, mode: Option<&str>, single: bool) -> Vec<(TroubleKind, Option<usize>)> {
    let (server, mut seen) = watched(&format!("rules:\n- {answer}\n")).await;
    let plain = |name: &str| json!({ "type": "function", "name": name, "parameters": {} });
    let user = json!([{ "role": "user", "content": "x" }]);
    let null = json!({ "type": "object" });
    let mut chat =
        json!({ "model": "m", "messages": user, "tools": [function("find", &null), function("refund", &null)] });
    let mut responses = json!({ "model": "m", "input": user, "tools": [plain("find"), plain("refund")] });
    let tools = ["find", "refund"].map(|name| json!({ "name": name, "input_schema": null }));
    let mut messages = json!({ "model": "c", "max_tokens": 9, "messages": user, "tools": tools });
    if let Some(mode) = mode {
        let is_forced = mode == "required";
        let named = |own: Value| if is_forced { json!("required") } else { own };
        chat["tool_choice"] = named(json!({ "type": "function", "function": { "name": mode } }));
        responses["tool_choice"] = named(json!({ "type": "function", "name": mode }));
        messages["tool_choice"] =
            if is_forced { json!({ "type": "any" }) } else { json!({ "type": "tool", "name": mode }) };
    }
    if single {
        chat["parallel_tool_calls"] = json!(false);
        responses["parallel_tool_calls"] = json!(false);
        let choice = messages["tool_choice"].as_object().cloned().unwrap_or_default();
        messages["tool_choice"] = json!({ "type": "auto" });
        messages["tool_choice"].as_object_mut().unwrap().extend(choice);
        messages["tool_choice"]["disable_parallel_tool_use"] = json!(true);
    }
    for (path, body) in [("/v1/chat/completions", chat), ("/v1/responses", responses), ("/v1/messages", messages)] {
        assert_eq!(post(&server, path, &body).await.status, 200, "{path}");
    }
    troubles(&mut seen)
}

#[tokio::test]
async fn reports_responses_that_violate_tool_choice() {
    let (text, call) = ("reply: hello", "tool_calls: [{ name: refund }]");
    let both = "tool_calls: [{ name: find }, { name: refund }]";
    let not_met = vec![(TroubleKind::FormatNotMet, Some(0)); 3];
    let not_offered = vec![(TroubleKind::ToolNotOffered, Some(0)); 3];
    for (answer, mode, single, expected) in [
        (text, None, true, vec![]),
        (text, Some("required"), false, not_met.clone()),
        (text, Some("refund"), false, not_met),
        (call, None, true, vec![]),
        (call, Some("required"), true, vec![]),
        (call, Some("refund"), true, vec![]),
        (call, Some("find"), false, not_offered.clone()),
        (both, None, false, vec![]),
        (both, Some("required"), false, vec![]),
        (both, None, true, not_offered.clone()),
        (both, Some("find"), false, not_offered),
        // Text that accompanies a call is fine.
        ("reply: wait\n  tool_calls: [{ name: refund }]", Some("required"), true, vec![]),
        ("reply: hel\n  finish: length", Some("required"), false, vec![]),
        ("reply: no\n  finish: content_filter", Some("refund"), false, vec![]),
    ] {
        assert_eq!(troubles_of_choice(answer, mode, single).await, expected, "{answer} {mode:?} {single}");
        let on_purpose = format!("{answer}\n  misbehaves: true");
        assert_eq!(troubles_of_choice(&on_purpose, mode, single).await, [], "{on_purpose}");
    }
}

/// A tool that the provider runs itself satisfies the choice, and text follows in the same answer.
#[tokio::test]
async fn forced_choice_with_provider_tools_allows_text() {
    let (server, mut seen) = watched("rules:\n- reply: hello\n").await;
    let own = json!({ "type": "function", "name": "find", "parameters": {} });
    for tools in [json!([own, { "type": "web_search" }]), json!([{ "type": "mcp", "server_label": "a" }])] {
        let body = json!({ "model": "m", "input": "x", "tools": tools, "tool_choice": "required" });
        post(&server, "/v1/responses", &body).await;
    }
    let tools =
        json!([{ "type": "web_search_20250305", "name": "web_search" }, { "name": "find", "input_schema": {} }]);
    let messages = json!([{ "role": "user", "content": "x" }]);
    let body = json!({ "model": "c", "max_tokens": 9, "messages": messages, "tools": tools, "tool_choice": { "type": "any" } });
    post(&server, "/v1/messages", &body).await;
    assert_eq!(troubles(&mut seen), []);
}

#[tokio::test]
async fn reports_text_in_the_wrong_format() {
    let schema = json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
    let chat = json!({ "model": "m", "response_format": { "type": "json_schema", "json_schema": { "name": "r", "schema": schema } } });
    let responses =
        json!({ "model": "m", "text": { "format": { "type": "json_schema", "name": "r", "schema": schema } } });
    let messages = json!({ "model": "c", "max_tokens": 9, "output_config": { "format": { "type": "json_schema", "schema": schema } } });
    for (reply, met) in [
        ("'{\"ok\": true}'", true),
        ("yes", false),
        ("'{\"ok\": 1}'", false),
        ("cut\n  finish: length", true),
        ("no\n  finish: content_filter", true),
        ("yes\n  misbehaves: true", true),
        ("on it\n  tool_calls: [{ name: f }]\n  misbehaves: true", true),
    ] {
        let (server, mut seen) = watched(&format!("rules:\n- reply: {reply}\n")).await;
        for (path, body, key) in [
            ("/v1/chat/completions", &chat, "messages"),
            ("/v1/responses", &responses, "input"),
            ("/v1/messages", &messages, "messages"),
        ] {
            let mut body = body.clone();
            body[key] = json!([{ "role": "user", "content": "x" }]);
            post(&server, path, &body).await;
        }
        let expected = if met { vec![] } else { vec![(TroubleKind::FormatNotMet, Some(0)); 3] };
        assert_eq!(troubles(&mut seen), expected, "{reply}");
    }
}

#[tokio::test]
async fn calls_and_outputs_are_paired_within_referenced_items() {
    let tools = json!([{ "type": "function", "name": "refund" }]);
    let (server, mut seen) = watched(REFUND).await;
    let ask = || json!({ "model": "m", "input": "refund", "tools": tools });
    let one = post(&server, "/v1/responses", &ask()).await.json();
    let other = post(&server, "/v1/responses", &ask()).await.json();
    let output =
        |of: &Value| json!({ "type": "function_call_output", "call_id": of["output"][0]["call_id"], "output": "ok" });
    let next = |of: &Value, input: Value| json!({ "model": "m", "previous_response_id": of["id"], "input": input });
    // Outputs alone, after the named answer, and by a reference to the item.
    assert_eq!(post(&server, "/v1/responses", &next(&one, json!([output(&one)]))).await.status, 200);
    let reference = json!({ "type": "item_reference", "id": other["output"][0]["id"] });
    let referred =
        json!({ "model": "m", "input": [{ "role": "user", "content": "refund" }, reference, output(&other)] });
    assert_eq!(post(&server, "/v1/responses", &referred).await.status, 200);
    assert_eq!(troubles(&mut seen), []);
    // The output of another conversation, no output, an output without a call.
    for body in [
        next(&one, json!([output(&other)])),
        next(&one, json!("and?")),
        json!({ "model": "m", "input": [output(&one)] }),
    ] {
        let refused = post(&server, "/v1/responses", &body).await;
        assert_eq!((refused.status, &refused.json()["error"]["param"]), (400, &json!("input")), "{body}");
        assert_eq!(troubles(&mut seen), [(TroubleKind::ProviderWouldRefuse, None)]);
    }
    assert_eq!(server.journal()["requests"][6]["troubles"][0]["kind"], "provider_would_refuse");
}

/// Anthropic's threads, which its tool runner uses: later requests have neither the earlier messages nor the tools.
#[tokio::test]
async fn message_thread_continues_with_only_results() {
    let yaml = "rules:\n- when: { turn: 1, user: refund }\n  tool_calls: [{ name: refund }]\n\
                - when: { turn: 2, tool_result: true, user: refund }\n  tool_calls: [{ name: refund }]\n\
                - when: { turn: 3 }\n  reply: done\n";
    let (server, mut seen) = watched(yaml).await;
    let say = |messages: Value, thread: Value| json!({ "model": "c", "max_tokens": 9, "messages": messages, "thread": thread });
    let mut first = say(json!([{ "role": "user", "content": "refund" }]), json!({ "type": "create" }));
    first["tools"] = json!([{ "name": "refund", "input_schema": { "type": "object" } }]);
    let mut last = post(&server, "/v1/messages", &first).await.json();
    let follow = |of: &Value, id: &Value| {
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "ok" });
        let thread = json!({ "type": "continue", "previous_message_id": of["id"] });
        say(json!([{ "role": "user", "content": [result] }]), thread)
    };
    let wrong = post(&server, "/v1/messages", &follow(&last, &json!("toolu_x"))).await;
    assert_eq!((wrong.status, troubles(&mut seen)), (400, vec![(TroubleKind::ProviderWouldRefuse, None)]));
    for _ in 0..2 {
        last = post(&server, "/v1/messages", &follow(&last, &last["content"][0]["id"])).await.json();
    }
    assert_eq!((&last["content"][0]["text"], troubles(&mut seen)), (&json!("done"), vec![]));
}

#[tokio::test]
async fn miss_names_the_closest_rule_or_the_path() {
    let (server, mut seen) = watched(REFUND).await;
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "rebate" }] });
    assert_eq!(post(&server, "/v1/chat/completions", &body).await.status, 400);
    assert_eq!(troubles(&mut seen), [(TroubleKind::ModelMiss, Some(1))]);
    assert_eq!(post(&server, "/v1/images/generations", &json!({})).await.status, 404);
    assert_eq!(troubles(&mut seen), [(TroubleKind::ModelMiss, None)]);
    // These need no rule.
    get(&server, "/v1/models").await;
    get(&server, "/").await;
    send(&server, &request("HEAD", "/", "", b"")).await;
    post(&server, "/v1/embeddings", &json!({ "input": "x" })).await;
    let counted = post(&server, "/v1/responses/input_tokens", &json!({ "model": "m", "input": "x" })).await.json();
    assert!(counted["object"] == "response.input_tokens" && counted["input_tokens"].is_u64());
    let moderated = post(&server, "/v1/moderations", &json!({ "input": ["a", "b"] })).await.json();
    assert_eq!(
        (moderated["results"].as_array().unwrap().len(), &moderated["results"][1]["flagged"]),
        (2, &json!(false))
    );
    let answer = json!({ "model": "m", "input": "refund", "tools": [{ "type": "function", "name": "refund" }] });
    let answer = post(&server, "/v1/responses", &answer).await.json();
    assert_eq!(get(&server, &format!("/v1/responses/{}", answer["id"].as_str().unwrap())).await.json(), answer);
    assert_eq!(get(&server, "/v1/responses/resp_none").await.status, 404);
    assert_eq!(troubles(&mut seen), []);
}

#[tokio::test]
async fn non_placeholder_keys_are_reported_and_redacted() {
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let secrets = agentci_wire::FetchedSecrets::default();
    let keys = vec!["placeholder".to_owned()];
    let options = ModelServerOptions {
        observer: Some(sender),
        keys,
        secrets: Some(secrets.clone()),
        ..ModelServerOptions::default()
    };
    let server = ModelServer::start(script("default: hi\n"), options).await.unwrap();
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "x" }] }).to_string();
    let mut told = Vec::new();
    for header in
        ["", "authorization: Bearer placeholder\r\n", "authorization: Bearer sk-real-key\r\n", "x-api-key: short\r\n"]
    {
        send(&server, &request("POST", "/v1/chat/completions", header, body.as_bytes())).await;
        while let Ok(kind) = seen.try_recv() {
            if let EventKind::ModelTrouble(trouble) = kind {
                assert!(trouble.warning && !trouble.message.contains("sk-real-key"));
                told.push((header, trouble.kind));
            }
        }
    }
    let key = TroubleKind::ForeignKey;
    assert_eq!(told, [("authorization: Bearer sk-real-key\r\n", key), ("x-api-key: short\r\n", key)]);
    let mut known = Vec::new();
    secrets.each(|secret| known.push(secret.to_owned()));
    assert_eq!(known, ["sk-real-key"]);
}

#[tokio::test]
async fn disconnected_client_is_reported_with_only_sent_content() {
    let yaml =
        "rules:\n- reply: one two three\n  tool_calls: [{ name: f }]\n  first_token: 10ms\n  tokens_per_second: 2\n";
    let (server, mut seen) = watched(yaml).await;
    let body = json!({ "model": "m", "stream": true, "tools": [function("f", &json!(null))], "messages": [{ "role": "user", "content": "x" }] });
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(&request("POST", "/v1/chat/completions", "", body.to_string().as_bytes())).await.unwrap();
    let mut heard = String::new();
    while !heard.contains("\"one\"") {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.unwrap();
        assert!(count > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    assert!(seen.try_recv().is_err(), "it is told when it was sent");
    server.flush();
    drop(stream);
    let Ok(EventKind::ModelCall { response, .. }) = seen.try_recv() else { panic!("no model call") };
    assert_eq!(response["choices"][0]["message"]["content"], "one");
    drop(server);
    while let Ok(kind) = seen.try_recv() {
        assert!(matches!(kind, EventKind::Usage(_)), "{kind:?}");
    }
}

#[tokio::test]
async fn paced_response_is_reported_whole() {
    let yaml = "rules:\n- reply: one two three\n  tokens_per_second: 1000\n";
    let (server, mut seen) = watched(yaml).await;
    for stream in [false, true] {
        let body = json!({ "model": "m", "stream": stream, "messages": [{ "role": "user", "content": "x" }] });
        post(&server, "/v1/chat/completions", &body).await;
        let Ok(EventKind::ModelCall { response, .. }) = seen.try_recv() else { panic!("no model call") };
        assert_eq!(response["choices"][0]["message"]["content"], "one two three");
        assert!(matches!(seen.try_recv(), Ok(EventKind::Usage(_))));
    }
}
