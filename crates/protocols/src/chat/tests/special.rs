//! Peculiarities of some providers and servers.

use super::*;

fn chat_stream(deltas: &[Value]) -> ModelAnswer {
    let chunk = |delta: &Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let mut events: Vec<Value> = deltas.iter().map(chunk).collect();
    events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }));
    read_answer(WireApi::Chat, 200, SSE, [sse(&events).as_slice()])
}

#[test]
fn calls_with_shared_or_missing_index_are_separate() {
    let of = |index: Value, id: &str| json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": "f", "arguments": "{}" } }] });
    for index in [json!(0), Value::Null] {
        let answer = chat_stream(&[of(index.clone(), "a"), of(index, "b")]);
        assert_eq!(answer.calls, [call("a", "f", "{}"), call("b", "f", "{}")]);
    }
}

#[test]
fn legacy_function_call_has_no_id() {
    let answer = chat_stream(&[
        json!({ "function_call": { "name": "f", "arguments": "" } }),
        json!({ "function_call": { "arguments": "{\"a\":1}" } }),
    ]);
    assert_eq!(answer.calls, [call("", "f", "{\"a\":1}")]);
}

#[test]
fn reads_reasoning_and_refusals() {
    let answer = chat_stream(&[
        json!({ "reasoning_content": "hm" }),
        json!({ "content": [{ "type": "text", "text": "ok" }] }),
        json!({ "refusal": "no" }),
    ]);
    assert_eq!((answer.reasoning.as_str(), answer.text.as_str()), ("hm", "okno"));
    let parts = json!([{ "text": "hm", "thought": true }, { "text": "ok" }]);
    let gemini =
        read(WireApi::Gemini, &json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }] }));
    assert_eq!((gemini.reasoning.as_str(), gemini.text.as_str()), ("hm", "ok"));
}

#[test]
fn reports_reasoning_token_usage() {
    let body = json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 5, "completion_tokens_details": { "reasoning_tokens": 4 } } });
    let usage = read(WireApi::Chat, &body).usage.unwrap();
    assert_eq!((usage.input, usage.output, usage.cached_input, usage.reasoning), (Some(1), Some(5), None, Some(4)));
    assert_eq!(read(WireApi::Chat, &json!({ "choices": [], "usage": null })).usage, None);
}

#[test]
fn provider_tools_include_their_results() {
    let output = json!([
        { "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "type": "search", "query": "x" } },
        { "type": "mcp_call", "id": "mcp_1", "name": "find", "arguments": "{\"a\":1}", "output": "found", "error": null },
        { "type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin" },
        { "type": "local_shell_call", "call_id": "c2", "action": { "command": ["ls"] } },
    ]);
    let answer = read(WireApi::Responses, &json!({ "status": "completed", "output": output }));
    let tools: Vec<_> = answer.provider_tools.iter().map(|tool| (tool.name.as_str(), &tool.result)).collect();
    assert_eq!(tools, [("web_search", &Value::Null), ("find", &json!("found"))]);
    assert_eq!(answer.provider_tools[1].arguments, json!({ "a": 1 }));
    assert_eq!(
        answer.calls,
        [call("c1", "patch", "\"*** Begin\""), call("c2", "local_shell", "{\"command\":[\"ls\"]}")]
    );
    let content = json!([
        { "type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": { "query": "x" } },
        { "type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{ "title": "X" }] },
        { "type": "server_tool_use", "id": "srv_2", "name": "web_search", "input": {} },
        { "type": "web_search_tool_result", "tool_use_id": "srv_2", "content": { "type": "web_search_tool_result_error", "error_code": "max_uses_exceeded" } },
    ]);
    let answer = read(WireApi::Messages, &json!({ "type": "message", "content": content, "stop_reason": "end_turn" }));
    let tools = &answer.provider_tools;
    assert_eq!((tools[0].result[0]["title"].as_str(), &tools[0].error), (Some("X"), &None));
    assert_eq!((tools[1].error.as_deref(), answer.calls.len()), (Some("max_uses_exceeded"), 0));
}

#[test]
fn reads_gemini_list_stream_and_wrapped_response() {
    let chunk = |text: &str, finish: Value| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": finish }] });
    let list = json!([chunk("a", Value::Null), chunk("b", json!("STOP"))]).to_string();
    let answer = read_answer(WireApi::Gemini, 200, "application/json", [list.as_bytes()]);
    assert_eq!((answer.text.as_str(), answer.complete), ("ab", true));
    let torn = read_answer(WireApi::Gemini, 200, "application/json", [&list.as_bytes()[..list.len() - 1]]);
    assert_eq!((torn.text.as_str(), torn.complete), ("ab", false));
    let wrapped = json!({ "response": chunk("c", json!("STOP")), "traceId": "t" });
    assert_eq!(read(WireApi::Gemini, &wrapped).text, "c");
}

#[test]
fn reads_ollama_generate_stream() {
    let stream =
        lines(&[json!({ "response": "a", "done": false }), json!({ "response": "b", "done": true, "eval_count": 2 })]);
    let answer = read_answer(WireApi::Ollama, 200, "application/x-ndjson", [stream.as_slice()]);
    assert_eq!((answer.text.as_str(), answer.complete), ("ab", true));
}
