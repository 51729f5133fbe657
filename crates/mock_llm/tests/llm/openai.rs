//! OpenAI's formats.

use serde_json::{Value, json};

use crate::client::{chat, get, post, said, serve};

const SCRIPT: &str = "model: gpt-test\nrules:\n\
    - when: { user: weather, tool_result: true }\n  reply: It rains.\n\
    - when: { user: weather }\n  reply: Let me see.\n  tool_calls: [{ name: weather, args: { city: Paris, days: 2 } }, { name: clock }]\n\
    - when: { user: long }\n  reply: cut off\n  finish: length\n  usage: { input: 12, output: 30 }\n\
    default: Hello there.\n";

#[tokio::test]
async fn chat_completion_is_complete() {
    let server = serve(SCRIPT).await;
    let answer = chat(&server, "hi").await;
    assert_eq!((answer.status, said(&answer).as_str()), (200, "Hello there."));
    assert!(answer.header("x-request-id").unwrap().starts_with("req_"));
    let value = answer.json();
    assert_eq!((&value["object"], &value["model"]), (&json!("chat.completion"), &json!("gpt-4o")));
    assert_eq!(value["choices"][0]["finish_reason"], "stop");
    assert_eq!(value["usage"]["completion_tokens"], 2);
    let body = json!({ "model": "gpt-test", "messages": [{ "role": "user", "content": [{ "type": "text", "text": "long" }] }], "n": 3 });
    let value = post(&server, "/chat/completions", &body).await.json();
    assert_eq!((value["choices"].as_array().unwrap().len(), &value["model"]), (3, &json!("gpt-test")));
    assert_eq!(value["choices"][2]["finish_reason"], "length");
    assert_eq!(value["usage"], json!({ "prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 42 }));
}

#[tokio::test]
async fn streamed_chat_completion_equals_the_plain_one() {
    let server = serve(SCRIPT).await;
    let body = json!({
        "model": "gpt-4o", "stream": true, "stream_options": { "include_usage": true }, "n": 2,
        "messages": [{ "role": "user", "content": "the weather?" }],
    });
    let answer = post(&server, "/v1/chat/completions", &body).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream; charset=utf-8"));
    assert!(answer.body.ends_with("data: [DONE]\n\n"));
    let events = answer.events();
    let text = |choice: u64| -> String {
        let of_choice = events.iter().flat_map(|event| event["choices"].as_array().unwrap());
        let of_choice = of_choice.filter(|part| part["index"] == choice);
        of_choice.filter_map(|part| part["delta"]["content"].as_str()).collect()
    };
    assert_eq!((text(0).as_str(), text(1).as_str()), ("Let me see.", "Let me see."));
    let mut arguments = String::new();
    for event in &events {
        let call = &event["choices"][0]["delta"]["tool_calls"][0];
        if event["choices"][0]["index"] == 0 && call["index"] == 0 {
            arguments.push_str(call["function"]["arguments"].as_str().unwrap());
        }
    }
    assert_eq!(arguments, r#"{"city":"Paris","days":2}"#);
    let last = events.last().unwrap();
    assert_eq!((&last["choices"], last["usage"]["total_tokens"] != Value::Null), (&json!([]), true));
    assert_eq!(events[0]["usage"], Value::Null);
    assert_eq!(events[events.len() - 2]["choices"][0]["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn tool_results_continue_the_conversation() {
    let server = serve(SCRIPT).await;
    let first = chat(&server, "weather").await.json();
    let message = &first["choices"][0]["message"];
    assert_eq!(message["tool_calls"][1]["function"], json!({ "name": "clock", "arguments": "{}" }));
    let id = &message["tool_calls"][0]["id"];
    let body = json!({ "model": "m", "messages": [
        { "role": "user", "content": "weather" }, message,
        { "role": "tool", "tool_call_id": id, "content": "rain" },
        { "role": "tool", "tool_call_id": message["tool_calls"][1]["id"], "content": "noon" },
    ]});
    let second = post(&server, "/v1/chat/completions", &body).await;
    assert_eq!(said(&second), "It rains.");
    let journal = server.journal();
    assert_eq!(journal["requests"][0]["tool_calls"][0]["args"]["city"], "Paris");
    assert_eq!(journal["requests"][1]["tool_results"][0], json!({ "id": id, "content": "rain", "failed": false }));
    assert_eq!((&journal["requests"][0]["rule"], &journal["requests"][1]["rule"]), (&json!(5), &json!(3)));
}

#[tokio::test]
async fn responses_api_supports_plain_streamed_and_continued_requests() {
    let server = serve(SCRIPT).await;
    let first = post(&server, "/v1/responses", &json!({ "model": "m", "input": "weather" })).await.json();
    let kinds: Vec<&Value> = first["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["message", "function_call", "function_call"]);
    assert_eq!((&first["status"], &first["object"]), (&json!("completed"), &json!("response")));
    let output = |at: usize| json!({ "type": "function_call_output", "call_id": first["output"][at]["call_id"], "output": "rain" });
    let output = json!([output(2), output(1)]);
    let next = json!({ "previous_response_id": first["id"], "input": output });
    let second = post(&server, "/v1/responses", &next).await.json();
    assert_eq!(second["output"][0]["content"][0]["text"], "It rains.");
    let unknown = json!({ "previous_response_id": "resp_none", "input": "x" });
    assert_eq!(post(&server, "/v1/responses", &unknown).await.json()["error"]["code"], "previous_response_not_found");
    let streamed = post(&server, "/responses", &json!({ "model": "m", "input": "weather", "stream": true })).await;
    assert_eq!(
        streamed.event_names(),
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let events = streamed.events();
    let numbers: Vec<u64> = events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..events.len() as u64).collect::<Vec<_>>());
    let long = post(&server, "/v1/responses", &json!({ "model": "m", "input": "long" })).await.json();
    assert_eq!(
        (&long["status"], &long["incomplete_details"]["reason"]),
        (&json!("incomplete"), &json!("max_output_tokens"))
    );
}

#[tokio::test]
async fn serves_embeddings_and_models() {
    let server = serve("rules:\n- when: { model: gpt-4o, user: x }\n  reply: y\n").await;
    let value = post(&server, "/v1/embeddings", &json!({ "model": "e", "input": ["a", "b"] })).await.json();
    assert_eq!(
        (value["data"].as_array().unwrap().len(), value["data"][0]["embedding"].as_array().unwrap().len()),
        (2, 1536)
    );
    assert_eq!(get(&server, "/v1/models").await.json()["data"][0]["id"], "gpt-4o");
    assert_eq!(get(&server, "/models/gpt-4o").await.json()["object"], "model");
    let unknown = get(&server, "/v1/models/other").await;
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (404, &json!("model_not_found")));
}

#[tokio::test]
async fn conversation_continues_across_requests() {
    let script = "rules:\n\
        - when: { user: weather, turn: 1 }\n  tool_calls: [{ name: weather }]\n\
        - when: { user: weather, tool_result: true, turn: 2 }\n  reply: It rains.\n\
        - when: { turn: 3 }\n  reply: Bye.\n\
        default: Hello.\n";
    let server = serve(script).await;
    let begun = post(&server, "/v1/conversations", &json!({})).await.json();
    assert_eq!((&begun["object"], &begun["metadata"]), (&json!("conversation"), &json!({})));
    // Both ways to name a conversation; the second one began elsewhere.
    for id in [begun["id"].as_str().unwrap(), "conv_of_before"] {
        let first = json!({ "input": "weather", "conversation": id });
        let first = post(&server, "/v1/responses", &first).await.json();
        assert_eq!((&first["output"][0]["type"], &first["conversation"]["id"]), (&json!("function_call"), &json!(id)));
        let result =
            json!([{ "type": "function_call_output", "call_id": first["output"][0]["call_id"], "output": "rain" }]);
        let second = json!({ "input": result, "conversation": { "id": id } });
        let second = post(&server, "/v1/responses", &second).await.json();
        assert_eq!(second["output"][0]["content"][0]["text"], "It rains.");
    }
    for _ in 0..2 {
        let third = json!({ "input": "bye", "conversation": begun["id"] });
        post(&server, "/v1/responses", &third).await;
    }
    let texts =
        server.journal()["requests"].as_array().unwrap().iter().map(|it| it["rule"].clone()).collect::<Vec<_>>();
    assert_eq!(texts, [json!(null), json!(2), json!(4), json!(2), json!(4), json!(6), json!(null)]);
    let items = json!([{ "role": "user", "content": "weather" }, { "role": "assistant", "content": "Which?" }]);
    let begun = post(&server, "/v1/conversations", &json!({ "items": items })).await.json();
    let next = post(&server, "/v1/responses", &json!({ "input": "x", "conversation": begun["id"] })).await.json();
    assert_eq!(next["output"][0]["content"][0]["text"], "Hello.");
    for wrong in [json!(7), json!({}), json!(""), json!("x".repeat(201))] {
        let refused = post(&server, "/v1/responses", &json!({ "input": "x", "conversation": wrong })).await;
        assert_eq!((refused.status, &refused.json()["error"]["param"]), (400, &json!("conversation")));
    }
    let both = json!({ "input": "x", "conversation": "a", "previous_response_id": next["id"] });
    assert_eq!(post(&server, "/v1/responses", &both).await.status, 400);
}
