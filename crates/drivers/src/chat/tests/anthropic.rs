use agentci_protocols::chat::AnswerCall;
use agentci_trace::EventKind;
use proptest::prelude::*;
use serde_json::json;

use super::super::anthropic::AnthropicReader;
use super::super::completion::{AnswerReader as _, Completion, CompletionError};
use super::{cut, read, said};

const ANSWER: &str = concat!(
    "event: message_start\n",
    r#"data: {"type":"message_start","message":{"id":"m1","model":"claude-test","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":0,"output_tokens":1}}}"#,
    "\n\nevent: content_block_start\n",
    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    "\n\nevent: ping\n",
    r#"data: {"type":"ping"}"#,
    "\n\nevent: content_block_delta\n",
    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me look."}}"#,
    "\n\nevent: content_block_delta\n",
    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
    "\n\nevent: content_block_stop\n",
    r#"data: {"type":"content_block_stop","index":0}"#,
    "\n\nevent: content_block_start\n",
    r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
    "\n\nevent: content_block_delta\n",
    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Ich s"}}"#,
    "\n\nevent: content_block_delta\n",
    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ehe → nach."}}"#,
    "\n\nevent: content_block_start\n",
    r#"data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"find","input":{}}}"#,
    "\n\nevent: content_block_delta\n",
    r#"data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\": \"x"}}"#,
    "\n\nevent: content_block_delta\n",
    r#"data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"}"}}"#,
    "\n\nevent: message_delta\n",
    r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":42}}"#,
    "\n\nevent: message_stop\n",
    r#"data: {"type":"message_stop"}"#,
    "\n\n",
);

fn of(stream: &str) -> Result<(Vec<EventKind>, Completion), CompletionError> {
    read(&[stream.as_bytes()], AnthropicReader::default(), AnthropicReader::event, AnthropicReader::finish)
}

#[test]
fn blocks_become_text_reasoning_and_tool_calls() {
    let (pieces, completion) = of(ANSWER).unwrap();
    assert_eq!(said(&pieces), ("Ich sehe → nach.".into(), "Let me look.".into()));
    assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("Ich sehe → nach.", "Let me look."));
    let call = AnswerCall { id: "toolu_1".into(), name: "find".into(), arguments: r#"{"q": "x"}"#.into() };
    assert_eq!(completion.calls, [call]);
    assert_eq!((completion.usage.tokens_in, completion.usage.tokens_out), (Some(15), Some(42)));
    assert_eq!(completion.finish.as_deref(), Some("tool_calls"));
    let thought = json!({"type": "thinking", "thinking": "Let me look.", "signature": "EqQB"});
    assert_eq!(completion.message()["thinking_blocks"], json!([thought]));
}

#[test]
fn reports_failed_truncated_and_malformed_responses() {
    let failed = of(
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
    );
    let words = CompletionError::Failed { kind: Some("overloaded_error".into()), message: "Overloaded".into() };
    assert_eq!(failed.unwrap_err(), words);
    assert_eq!(of(ANSWER.split("event: message_stop").next().unwrap()).unwrap_err(), CompletionError::CutOff);
    let stray = "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{}}\n\n";
    assert!(matches!(of(stray), Err(CompletionError::Malformed(why)) if why.contains("block 3, which never began")));
    assert!(matches!(of("data: {}\n\n"), Err(CompletionError::Malformed(why)) if why == "event 1 has no `type`"));
}

#[test]
fn parses_response_without_streaming() {
    let mut reader = AnthropicReader::default();
    let answer = json!({
        "type": "message", "model": "claude-test", "stop_reason": "max_tokens",
        "usage": {"input_tokens": 4, "output_tokens": 9},
        "content": [
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "t1", "name": "find", "input": {"q": 1}},
            {"type": "tool_use", "id": "t2", "name": "list", "input": {}},
        ],
    });
    assert_eq!(reader.whole(&answer).unwrap(), [EventKind::Text("One moment.".into())]);
    let completion = reader.finish().unwrap();
    let arguments: Vec<_> = completion.calls.iter().map(|call| call.parsed().unwrap()).collect();
    assert_eq!(arguments, [json!({"q": 1}), json!({})]);
    assert_eq!((completion.finish.as_deref(), completion.usage.tokens_out), (Some("length"), Some(9)));
    assert!(matches!(
        AnthropicReader::default().whole(&json!({"type": "error", "error": {"message": "no"}})),
        Err(CompletionError::Failed { .. })
    ));
}

/// Tools that the provider executes come with their results, and the host is not asked.
#[test]
fn provider_tools_are_traced_but_not_called() {
    let mut reader = AnthropicReader::default();
    let answer = json!({"type": "message", "stop_reason": "end_turn", "content": [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rust"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]},
        {"type": "mcp_tool_use", "id": "s2", "name": "find", "server_name": "shop", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "s2", "is_error": true, "content": "no"},
    ]});
    reader.whole(&answer).unwrap();
    let completion = reader.finish().unwrap();
    assert_eq!(completion.calls, []);
    let told = |kind: &EventKind| match kind {
        EventKind::ToolCall(call) => format!("{} {} {}", call.observer.name(), call.name, call.args),
        EventKind::ToolResult(result) => format!("{} {} {}", result.observer.name(), result.call_id, result.ok),
        other => format!("{other:?}"),
    };
    assert_eq!(
        completion.provided.iter().map(told).collect::<Vec<_>>(),
        ["provider web_search {\"query\":\"rust\"}", "provider s1 true", "provider find {}", "provider s2 false"]
    );
}

proptest! {
    #[test]
    fn chunk_boundaries_do_not_matter(places in prop::collection::vec(any::<usize>(), 0..40)) {
        let cut = read(&cut(ANSWER, &places), AnthropicReader::default(), AnthropicReader::event, AnthropicReader::finish);
        prop_assert_eq!(cut, of(ANSWER));
    }

    #[test]
    fn never_panics_on_arbitrary_input(data in "\\PC{0,60}", number in any::<u64>()) {
        let mut reader = AnthropicReader::default();
        let _ = reader.event(&data);
        let _ = reader.event(&json!({"type": "content_block_start", "index": number, "content_block": data}).to_string());
        let _ = reader.event(&json!({"type": "content_block_delta", "index": number, "delta": number}).to_string());
        let _ = reader.whole(&json!({"content": [number, data]}));
        let _ = reader.finish();
    }
}

#[test]
fn refuses_response_with_too_many_blocks() {
    let mut reader = AnthropicReader::default();
    let mut open = |number: u64| {
        let block = json!({"type": "content_block_start", "index": number, "content_block": {"type": "text"}});
        reader.event(&block.to_string())
    };
    let refused = (0..10_001).find_map(|number| open(number).err());
    assert_eq!(refused, Some(CompletionError::Malformed("the answer has more than 10000 blocks".into())));
}
