//! Anthropic's format.

use serde_json::json;

use crate::client::{post, request, send, serve};

const SCRIPT: &str = "rules:\n- when: { user: weather, turn: 2, tool_result: true }\n  reply: It rains.\n\
    - when: { user: weather }\n  reply: Let me see.\n  tool_calls: [{ name: weather, args: { city: Paris } }]\n\
    default: Hello there.\n";

#[tokio::test]
async fn message_is_complete_and_tool_results_continue_it() {
    let server = serve(SCRIPT).await;
    let said = json!([{ "role": "user", "content": "weather" }]);
    let first = post(&server, "/v1/messages", &json!({ "model": "c", "max_tokens": 9, "messages": said })).await;
    assert!(first.header("request-id").unwrap().starts_with("req_"));
    let first = first.json();
    assert_eq!(
        (&first["type"], &first["role"], &first["stop_reason"]),
        (&json!("message"), &json!("assistant"), &json!("tool_use"))
    );
    assert_eq!(first["content"][0], json!({ "type": "text", "text": "Let me see." }));
    assert_eq!(first["content"][1]["input"], json!({ "city": "Paris" }));
    assert!(first["usage"]["output_tokens"].as_u64().unwrap() > 3);
    let result = json!({ "type": "tool_result", "tool_use_id": first["content"][1]["id"], "content": [{ "type": "text", "text": "rain" }], "is_error": true });
    let messages = json!([
        { "role": "user", "content": [{ "type": "text", "text": "weather" }] },
        { "role": "assistant", "content": first["content"] },
        { "role": "user", "content": [result] },
    ]);
    let second =
        post(&server, "/messages", &json!({ "model": "c", "max_tokens": 9, "messages": messages })).await.json();
    assert_eq!((&second["content"][0]["text"], &second["stop_reason"]), (&json!("It rains."), &json!("end_turn")));
    assert_eq!(server.journal()["requests"][1]["tool_results"][0]["failed"], true);
}

#[tokio::test]
async fn streamed_events_form_the_complete_message() {
    let server = serve(SCRIPT).await;
    let body = json!({ "model": "c", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": "weather" }] });
    let answer = post(&server, "/v1/messages", &body).await;
    assert_eq!(
        answer.event_names(),
        [
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]
    );
    let events = answer.events();
    let json: String = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    let text: String = events.iter().filter_map(|event| event["delta"]["text"].as_str()).collect();
    assert_eq!((text.as_str(), json.as_str()), ("Let me see.", r#"{"city":"Paris"}"#));
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
}

#[tokio::test]
async fn requires_the_api_key_of_the_script() {
    let server = serve("api_key: sk-test\ndefault: hi\n").await;
    let body = json!({ "model": "c", "max_tokens": 9, "messages": [{ "role": "user", "content": "x" }] }).to_string();
    for (headers, path, status) in [
        ("", "/v1/messages", 401),
        ("x-api-key: wrong\r\n", "/v1/messages", 401),
        ("x-api-key: sk-test\r\n", "/v1/messages", 200),
        ("authorization: Bearer sk-test\r\n", "/v1/chat/completions", 200),
        ("authorization: Bearer other\r\n", "/v1/chat/completions", 401),
    ] {
        let answer = send(&server, &request("POST", path, headers, body.as_bytes())).await;
        assert_eq!(answer.status, status, "{headers}");
        match (status, path) {
            (401, "/v1/messages") => assert_eq!(answer.json()["error"]["type"], "authentication_error"),
            (401, _) => assert_eq!(answer.json()["error"]["code"], "invalid_api_key"),
            _ => {}
        }
    }
    let models =
        send(&server, &request("GET", "/v1/models", "x-api-key: sk-test\r\nanthropic-version: 2023-06-01\r\n", b""))
            .await;
    assert_eq!(models.json()["data"][0]["type"], "model");
}
