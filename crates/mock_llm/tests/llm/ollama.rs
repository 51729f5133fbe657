//! Ollama's format.

use agentci_mock_llm::ModelServer;
use serde_json::{Value, json};

use crate::client::{Answer, get, post, serve};

const SCRIPT: &str = "model: llama-test\nrules:\n- when: { user: weather, turn: 2, tool_result: true }\n  reply: It rains.\n\
    - when: { user: weather }\n  reply: Let me see.\n  tool_calls: [{ name: weather, args: { city: Paris } }]\n\
    default: Hello there.\n";

fn lines(answer: &Answer) -> Vec<Value> {
    answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn weather() -> Value {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!([{ "type": "function", "function": { "name": "weather", "parameters": parameters } }])
}

fn kinds(server: &ModelServer) -> Vec<String> {
    let journal = server.journal();
    let all = journal["requests"].as_array().unwrap().iter().flat_map(|entry| entry["troubles"].as_array().unwrap());
    all.map(|trouble| trouble["kind"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn chat_streams_by_default() {
    let server = serve(SCRIPT).await;
    let mut messages = vec![json!({ "role": "user", "content": "weather" })];
    let body = json!({ "model": "llama3.2", "messages": messages, "tools": weather() });
    for body in [body.clone(), {
        let mut body = body.clone();
        body["stream"] = json!(true);
        body
    }] {
        let streamed = post(&server, "/api/chat", &body).await;
        assert_eq!(streamed.header("content-type"), Some("application/x-ndjson"));
        let lines = lines(&streamed);
        let text: String = lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
        assert_eq!(text, "Let me see.");
        let calls: Vec<&Value> = lines.iter().filter(|line| line["message"]["tool_calls"].is_array()).collect();
        assert_eq!(calls[0]["message"]["tool_calls"][0]["function"]["arguments"], json!({ "city": "Paris" }));
        let last = lines.last().unwrap();
        assert_eq!(
            (&last["done"], &last["done_reason"], &last["message"]["content"]),
            (&json!(true), &json!("stop"), &json!(""))
        );
        assert!(lines[..lines.len() - 1].iter().all(|line| line["done"] == false && line["eval_count"].is_null()));
    }
    let mut whole = body.clone();
    whole["stream"] = json!(false);
    let first = post(&server, "/api/chat", &whole).await.json();
    assert_eq!((&first["model"], &first["message"]["content"]), (&json!("llama3.2"), &json!("Let me see.")));
    messages.push(first["message"].clone());
    messages.push(json!({ "role": "tool", "tool_name": "weather", "content": "rain" }));
    let second =
        post(&server, "/api/chat", &json!({ "model": "m", "messages": messages, "stream": false })).await.json();
    assert_eq!(second["message"]["content"], "It rains.");
    let entries = server.journal()["requests"].clone();
    assert_eq!(
        (&entries[3]["provider"], &entries[3]["tool_results"][0]["content"]),
        (&json!("ollama"), &json!("rain"))
    );
    assert_eq!(kinds(&server), Vec::<String>::new());
}

#[tokio::test]
async fn generate_endpoint_answers_prompts() {
    let server = serve(SCRIPT).await;
    let streamed = lines(&post(&server, "/api/generate", &json!({ "model": "m", "prompt": "hi" })).await);
    let text: String = streamed.iter().filter_map(|line| line["response"].as_str()).collect();
    assert_eq!((text.as_str(), &streamed[2]["done"]), ("Hello there.", &json!(true)));
    let whole = post(&server, "/api/generate", &json!({ "model": "m", "prompt": "hi", "stream": false })).await.json();
    assert_eq!((&whole["response"], &whole["done_reason"]), (&json!("Hello there."), &json!("stop")));
    assert_eq!(kinds(&server), Vec::<String>::new());
    // This endpoint cannot offer tools.
    post(&server, "/api/generate", &json!({ "model": "m", "prompt": "weather" })).await;
    assert_eq!(kinds(&server), ["tool_not_offered"]);
}

#[tokio::test]
async fn loading_a_model_matches_no_rules() {
    let server = serve("rules:\n- { when: { user: hi }, reply: hi }\n").await;
    for (path, body, reason) in [
        ("/api/generate", json!({ "model": "m" }), "load"),
        ("/api/generate", json!({ "model": "m", "keep_alive": 0 }), "unload"),
        ("/api/chat", json!({ "model": "m", "messages": [] }), "load"),
    ] {
        assert_eq!(post(&server, path, &body).await.json()["done_reason"], reason);
    }
    assert_eq!(kinds(&server), Vec::<String>::new());
    assert_eq!(
        post(&server, "/api/chat", &json!({ "messages": [] })).await.json(),
        json!({ "error": "model is required" })
    );
    let said = json!([{ "role": "user", "content": "hi" }]);
    assert_eq!(post(&server, "/api/chat", &json!({ "messages": said })).await.status, 400);
    assert_eq!(kinds(&server), ["provider_would_refuse", "provider_would_refuse"]);
}

#[tokio::test]
async fn reports_format_and_tool_mismatches() {
    let schema = json!({ "type": "object", "required": ["n"] });
    for (reply, format, expected) in [
        ("words", json!("json"), vec!["format_not_met"]),
        ("words", json!(""), vec![]),
        ("words", json!(null), vec![]),
        ("{}", json!("json"), vec![]),
        ("{}", schema.clone(), vec!["format_not_met"]),
        ("{\"n\":1}", schema.clone(), vec![]),
    ] {
        let server = serve(&format!("default: '{reply}'\n")).await;
        let said = json!([{ "role": "user", "content": "x" }]);
        post(&server, "/api/chat", &json!({ "model": "m", "messages": said, "format": format })).await;
        assert_eq!(kinds(&server), expected, "{reply} {format}");
    }
    let server = serve(SCRIPT).await;
    let said = json!([{ "role": "user", "content": "weather" }]);
    post(&server, "/api/chat", &json!({ "model": "m", "messages": said })).await;
    let number = json!({ "type": "object", "properties": { "city": { "type": "number" } } });
    let tools = json!([{ "type": "function", "function": { "name": "weather", "parameters": number } }]);
    post(&server, "/api/chat", &json!({ "model": "m", "messages": said, "tools": tools })).await;
    assert_eq!(kinds(&server), ["tool_not_offered", "arguments_do_not_fit"]);
}

#[tokio::test]
async fn auxiliary_endpoints_never_cause_a_miss() {
    let server = serve("rules:\n- { when: { model: llama3.2 }, reply: hi }\n").await;
    assert_eq!(get(&server, "/api/tags").await.json()["models"][0]["name"], "llama3.2");
    assert!(get(&server, "/api/version").await.json()["version"].is_string());
    assert_eq!(get(&server, "/api/ps").await.json()["models"], json!([]));
    let shown = post(&server, "/api/show", &json!({ "model": "any" })).await.json();
    assert_eq!(shown["capabilities"], json!(["completion", "tools"]));
    let many =
        post(&server, "/api/embed", &json!({ "model": "e", "input": ["a", "b", "a"], "dimensions": 4 })).await.json();
    let vectors = many["embeddings"].as_array().unwrap();
    assert!(vectors[0] == vectors[2] && vectors[0] != vectors[1] && vectors[0].as_array().unwrap().len() == 4);
    let one = post(&server, "/api/embeddings", &json!({ "model": "e", "prompt": "a" })).await.json();
    assert_eq!(one["embedding"].as_array().unwrap().len(), 768);
    assert_eq!(post(&server, "/api/pull", &json!({ "model": "x" })).await.json()["status"], "success");
    assert_eq!(kinds(&server), Vec::<String>::new());
    assert!(get(&server, "/api/fly").await.json()["error"].is_string());
    assert_eq!(kinds(&server), ["model_miss"]);
}

#[tokio::test]
async fn injects_scripted_failures() {
    let server = serve(
        "rules:\n- { when: { user: busy }, fail: { status: 503, message: later } }\n- { when: { user: junk }, reply: a b c, fail: { malformed: true } }\n",
    )
    .await;
    let said = |text: &str| json!({ "model": "m", "messages": [{ "role": "user", "content": text }] });
    let busy = post(&server, "/api/chat", &said("busy")).await;
    assert_eq!((busy.status, busy.json()), (503, json!({ "error": "later" })));
    let junk = post(&server, "/api/chat", &said("junk")).await;
    let last = junk.body.lines().last().unwrap();
    assert!(serde_json::from_str::<Value>(last).is_err(), "{last}");
}
