//! A recording does not repeat the history of a long conversation.

use agentci_trace::Redactor;
use serde_json::{Value, json};

use crate::{RecordedBody, Recording};

/// Fifty requests of an agent that begins with 126 KB of prompt and tools, adds a call and its result in each turn, and
/// moves its cache mark along.
fn conversation() -> Vec<Value> {
    let tools: Vec<Value> = (0..40)
        .map(|tool| {
            let words = format!("Tool {tool} reads and changes things in the folder of the user. ").repeat(30);
            json!({"name": format!("tool_{tool}"), "description": words,
                "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}})
        })
        .collect();
    let system = "You are an agent that works on programs. ".repeat(1_300);
    let mut messages = vec![json!({"role": "user", "content": [{"type": "text", "text": "Fix the failing test."}]})];
    let mut requests = Vec::new();
    for turn in 0..50 {
        let mut sent = messages.clone();
        if let Some(last) = sent.last_mut() {
            last["content"][0]["cache_control"] = json!({"type": "ephemeral"});
        }
        requests.push(json!({"model": "claude-sonnet-4-5", "max_tokens": 32_000, "temperature": 1.0,
            "system": [{"type": "text", "text": system}], "tools": tools, "messages": sent,
            "metadata": {"user_id": "user_1_session_2"}, "stream": true}));
        let id = format!("toolu_{turn:024}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "tool_7", "input": {"path": format!("src/file_{turn}.rs")}}]}));
        let result = format!("line {turn} of the file that was read\n").repeat(60);
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": result}]}));
    }
    requests
}

#[test]
fn fifty_turn_conversation_is_stored_compactly() {
    let requests = conversation();
    assert!(requests[0].to_string().len() > 126_000);
    let recording = super::recording_of(requests.iter().cloned().map(RecordedBody::Json));
    let written = recording.write(&Redactor::default()).unwrap();
    let size = written.text.len() + written.files.iter().map(|(_, content)| content.len()).sum::<usize>();
    assert!(size < 1_000_000, "{size}");
    assert_eq!(written.text.matches("\"like\":").count(), 49);
    let back = Recording::parse(&written.text).unwrap();
    for (exchange, request) in back.exchanges.iter().zip(&requests) {
        let RecordedBody::Json(body) = &exchange.request.body else { panic!("JSON") };
        assert_eq!(body.to_string(), request.to_string());
    }
}

#[test]
fn without_conversation_last_request_to_same_path_is_base() {
    let mut recording = super::recording_of(conversation().into_iter().take(3).map(RecordedBody::Json));
    for exchange in &mut recording.exchanges {
        exchange.after = None;
    }
    recording.exchanges[1].request.path = "/v1/other".into();
    let text = recording.write(&Redactor::default()).unwrap().text;
    assert!(text.lines().any(|line| line.contains("\"id\":3") && line.contains("\"like\":1")));
    assert_eq!(Recording::parse(&text).unwrap(), recording);
}
