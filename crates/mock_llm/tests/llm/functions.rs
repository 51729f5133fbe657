//! Requests with `functions`, the predecessor of `tools`: one call per answer, without an id, and results by name.

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_trace::{EventKind, TroubleKind};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::client::{post, script};

const REFUND: &str = "rules:\n- when: { tool_result: true, turn: 3 }\n  reply: done\n\
                      - when: { user: refund }\n  tool_calls: [{ name: refund, args: { amount: 20 } }]\n";

async fn watched(yaml: &str) -> (ModelServer, UnboundedReceiver<EventKind>) {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    let options = ModelServerOptions { observer: Some(sender), ..ModelServerOptions::default() };
    (ModelServer::start(script(yaml), options).await.unwrap(), receiver)
}

/// The calls, results and troubles so far.
fn told(seen: &mut UnboundedReceiver<EventKind>) -> Vec<String> {
    let mut told = Vec::new();
    while let Ok(kind) = seen.try_recv() {
        match kind {
            EventKind::ToolCall(call) => {
                told.push(format!("{} {}", call.call_id.trim_start_matches("call_0"), call.name));
            }
            EventKind::ToolResult(result) => {
                told.push(format!("{} -> {}", result.call_id.trim_start_matches("call_0"), result.result));
            }
            EventKind::ModelTrouble(trouble) => told.push(trouble.message),
            _ => {}
        }
    }
    told.iter().map(|line| line.trim_start_matches('0').to_owned()).collect()
}

fn request(messages: &[Value], more: &Value) -> Value {
    let functions = json!([{ "name": "refund", "parameters": { "type": "object", "properties": { "amount": { "type": "number" } } } }]);
    let mut body = json!({ "model": "m", "functions": functions, "messages": messages });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn function_result_is_matched_to_its_call() {
    let (server, mut seen) = watched(REFUND).await;
    let mut messages = vec![json!({ "role": "user", "content": "refund it" })];
    // The same call twice, then text; each request repeats the history.
    for result in ["first", "second", "none"] {
        let answer = post(&server, "/v1/chat/completions", &request(&messages, &json!({}))).await.json();
        let choice = &answer["choices"][0];
        if result == "none" {
            assert_eq!((&choice["message"]["content"], &choice["finish_reason"]), (&json!("done"), &json!("stop")));
            break;
        }
        assert_eq!(choice["finish_reason"], "function_call");
        assert_eq!(choice["message"]["function_call"], json!({ "name": "refund", "arguments": "{\"amount\":20}" }));
        assert!(choice["message"].get("tool_calls").is_none());
        messages.push(choice["message"].clone());
        messages.push(json!({ "role": "function", "name": "refund", "content": result }));
    }
    assert_eq!(told(&mut seen), ["1 refund", "1 -> \"first\"", "2 refund", "2 -> \"second\""]);
    // A retry reports nothing new.
    post(&server, "/v1/chat/completions", &request(&messages, &json!({}))).await;
    assert_eq!(told(&mut seen), Vec::<String>::new());
}

#[tokio::test]
async fn late_result_is_reported() {
    let (server, mut seen) = watched(&format!("{REFUND}- when: {{ user: thanks }}\n  reply: bye\n")).await;
    let user = |text: &str| json!({ "role": "user", "content": text });
    let answer = post(&server, "/v1/chat/completions", &request(&[user("refund it")], &json!({}))).await.json();
    let call = answer["choices"][0]["message"].clone();
    let result = json!({ "role": "function", "name": "refund", "content": "ok" });
    let said = json!({ "role": "assistant", "content": "It is done." });
    let messages = [user("refund it"), call, result, said, user("thanks")];
    post(&server, "/v1/chat/completions", &request(&messages, &json!({}))).await;
    assert_eq!(told(&mut seen), ["1 refund", "1 -> \"ok\""]);
}

/// Examples in a prompt have their own calls and results, which the model did not request.
#[tokio::test]
async fn example_result_is_not_matched_to_a_call() {
    let (server, mut seen) = watched(&format!("{REFUND}- reply: fine\n")).await;
    let call = |arguments: &str| json!({ "role": "assistant", "content": null, "function_call": { "name": "refund", "arguments": arguments } });
    let result = |content: &str| json!({ "role": "function", "name": "refund", "content": content });
    let user = |content: &str| json!({ "role": "user", "content": content });
    let example = [user("example"), call("{\"amount\":1}"), result("example")];
    let asked = [&example[..], &[user("refund it")]].concat();
    post(&server, "/v1/chat/completions", &request(&asked, &json!({}))).await;
    // The agent sends two more requests without the result.
    post(&server, "/v1/chat/completions", &request(&[&asked[..], &[user("well?")]].concat(), &json!({}))).await;
    let again = [&asked[..], &[call("{\"amount\":20}"), user("well?")]].concat();
    post(&server, "/v1/chat/completions", &request(&again, &json!({}))).await;
    assert_eq!(told(&mut seen), ["1 refund"]);
    let answered = [&asked[..], &[call("{\"amount\":20}"), result("ok")]].concat();
    post(&server, "/v1/chat/completions", &request(&answered, &json!({}))).await;
    assert_eq!(told(&mut seen), ["1 -> \"ok\""]);
}

#[tokio::test]
async fn function_call_is_streamed_in_chunks() {
    let (server, _seen) = watched(REFUND).await;
    let messages = [json!({ "role": "user", "content": "refund it" })];
    let answer = post(&server, "/v1/chat/completions", &request(&messages, &json!({ "stream": true }))).await;
    let (mut name, mut arguments, mut finish) = (String::new(), String::new(), Value::Null);
    for event in answer.events() {
        let choice = &event["choices"][0];
        let function = &choice["delta"]["function_call"];
        name.push_str(function["name"].as_str().unwrap_or_default());
        arguments.push_str(function["arguments"].as_str().unwrap_or_default());
        assert!(choice["delta"].get("tool_calls").is_none());
        finish = choice["finish_reason"].clone();
    }
    assert_eq!((name.as_str(), arguments.as_str(), finish), ("refund", "{\"amount\":20}", json!("function_call")));
}

#[tokio::test]
async fn functions_are_the_offered_tools_and_allow_one_call() {
    let two = "rules:\n- tool_calls: [{ name: refund, args: { amount: a lot } }, { name: mail }]\n";
    let (server, mut seen) = watched(two).await;
    let messages = [json!({ "role": "user", "content": "refund it" })];
    let answer = post(&server, "/v1/chat/completions", &request(&messages, &json!({}))).await.json();
    assert_eq!(answer["choices"][0]["message"]["function_call"]["name"], "refund");
    let mut troubles = Vec::new();
    while let Ok(kind) = seen.try_recv() {
        if let EventKind::ModelTrouble(trouble) = kind {
            troubles.push((trouble.kind, trouble.message));
        }
    }
    assert_eq!(troubles[0].0, TroubleKind::ArgumentsDoNotFit);
    let beside =
        "the script calls `mail` together with `refund`, but an answer to a request with `functions` has one call";
    assert_eq!(troubles[1], (TroubleKind::ToolNotOffered, beside.into()));
    let (server, mut seen) = watched("rules:\n- tool_calls: [{ name: mail }]\n").await;
    for more in [json!({}), json!({ "function_call": "none" })] {
        post(&server, "/v1/chat/completions", &request(&messages, &more)).await;
        assert!(told(&mut seen).iter().any(|line| line.starts_with("the script calls `mail`")), "{more}");
    }
}
