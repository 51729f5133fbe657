//! The same answer from every provider: a text and two parallel calls.

use super::*;

/// All providers answer "Let me look." and request the weather of two towns; the arguments are streamed.
pub(super) fn all() -> Vec<Spoken> {
    vec![chat(), responses(), messages(), gemini(), ollama(), cohere(), converse(), invoked()]
}

fn chat() -> Spoken {
    let chunk = |delta: Value, finish: Value| {
        json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt-4o-2024-11-20",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }], "usage": null })
    };
    let piece = |index: u64, part: Value| {
        chunk(json!({ "tool_calls": [merged(json!({ "index": index }), part)] }), Value::Null)
    };
    let usage = json!({ "prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29,
        "prompt_tokens_details": { "cached_tokens": 16 }, "completion_tokens_details": { "reasoning_tokens": 4 } });
    let mut stream = sse(&[
        chunk(json!({ "role": "assistant", "content": "" }), Value::Null),
        chunk(json!({ "content": "Let me" }), Value::Null),
        chunk(json!({ "content": " look." }), Value::Null),
        piece(0, json!({ "id": "call_a", "type": "function", "function": { "name": "weather", "arguments": "" } })),
        piece(0, json!({ "function": { "arguments": "{\"city\":" } })),
        piece(
            1,
            json!({ "id": "call_b", "type": "function", "function": { "name": "weather", "arguments": "{\"city\":\"Ro" } }),
        ),
        piece(0, json!({ "function": { "arguments": "\"Paris\"}" } })),
        piece(1, json!({ "function": { "arguments": "me\"}" } })),
        chunk(json!({}), json!("tool_calls")),
        json!({ "id": "chatcmpl-1", "model": "gpt-4o-2024-11-20", "choices": [], "usage": usage }),
    ]);
    stream.extend_from_slice(b"data: [DONE]\n\n");
    let called = |id: &str, city: &str| {
        let arguments = json!({ "city": city }).to_string();
        json!({ "id": id, "type": "function", "function": { "name": "weather", "arguments": arguments } })
    };
    let message = json!({ "role": "assistant", "content": "Let me look.",
        "tool_calls": [called("call_a", "Paris"), called("call_b", "Rome")] });
    let whole = json!({ "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-2024-11-20",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }], "usage": usage });
    let (model, ids) = (Some("gpt-4o-2024-11-20"), ["call_a", "call_b"]);
    Spoken { api: WireApi::Chat, content_type: SSE, stream, whole, model, finish: "tool_calls", ids }
}

fn merged(mut base: Value, more: Value) -> Value {
    if let (Value::Object(base), Value::Object(more)) = (&mut base, more) {
        base.extend(more);
    }
    base
}

fn responses() -> Spoken {
    let part = json!({ "type": "output_text", "text": "Let me look.", "annotations": [] });
    let message =
        json!({ "id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part] });
    let called = |id: &str, arguments: &str| json!({ "id": format!("fc_{id}"), "type": "function_call", "call_id": id, "name": "weather", "arguments": arguments });
    let (paris, rome) = (called("call_a", "{\"city\":\"Paris\"}"), called("call_b", "{\"city\":\"Rome\"}"));
    let usage = json!({ "input_tokens": 20, "output_tokens": 9, "input_tokens_details": { "cached_tokens": 16 },
        "output_tokens_details": { "reasoning_tokens": 4 } });
    let whole = json!({ "id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5-2025-08-07", "error": null,
        "incomplete_details": null, "output": [message, paris, rome], "usage": usage });
    let begun = json!({ "id": "resp_1", "object": "response", "status": "in_progress", "model": "gpt-5-2025-08-07", "output": [] });
    let item = |kind: &str, index: u64, item: &Value| json!({ "type": format!("response.output_item.{kind}"), "output_index": index, "item": item });
    let said = |text: &str| json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text });
    let stream = named(&[
        json!({ "type": "response.created", "response": begun }),
        item("added", 0, &json!({ "id": "msg_1", "type": "message", "content": [] })),
        said("Let me"),
        said(" look."),
        item("done", 0, &message),
        item("added", 1, &called("call_a", "")),
        json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"city\":" }),
        item("done", 1, &paris),
        item("added", 2, &called("call_b", "")),
        item("done", 2, &rome),
        json!({ "type": "response.completed", "response": whole }),
    ]);
    let (model, ids) = (Some("gpt-5-2025-08-07"), ["call_a", "call_b"]);
    Spoken { api: WireApi::Responses, content_type: SSE, stream, whole, model, finish: "completed", ids }
}

fn anthropic_events() -> (Vec<Value>, Value) {
    let begun = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": [],
        "stop_reason": null, "usage": { "input_tokens": 4, "cache_read_input_tokens": 16, "cache_creation_input_tokens": 0, "output_tokens": 1 } });
    let start =
        |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let grow = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let said = |text: &str| grow(0, json!({ "type": "text_delta", "text": text }));
    let input = |index: u64, part: &str| grow(index, json!({ "type": "input_json_delta", "partial_json": part }));
    let used = |id: &str| json!({ "type": "tool_use", "id": id, "name": "weather", "input": {} });
    let events = vec![
        json!({ "type": "message_start", "message": begun }),
        start(0, json!({ "type": "text", "text": "" })),
        json!({ "type": "ping" }),
        said("Let me"),
        said(" look."),
        stop(0),
        start(1, used("call_a")),
        input(1, ""),
        input(1, "{\"city\":"),
        input(1, "\"Paris\"}"),
        stop(1),
        start(2, used("call_b")),
        input(2, "{\"city\":\"Rome\"}"),
        stop(2),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    let of =
        |id: &str, city: &str| json!({ "type": "tool_use", "id": id, "name": "weather", "input": { "city": city } });
    let content = json!([{ "type": "text", "text": "Let me look." }, of("call_a", "Paris"), of("call_b", "Rome")]);
    let usage = json!({ "input_tokens": 4, "cache_read_input_tokens": 16, "cache_creation_input_tokens": 0, "output_tokens": 9 });
    (events, merged(begun, json!({ "content": content, "stop_reason": "tool_use", "usage": usage })))
}

fn messages() -> Spoken {
    let (events, whole) = anthropic_events();
    let (stream, model, ids) = (named(&events), Some("claude-sonnet-4-5-20250929"), ["call_a", "call_b"]);
    Spoken { api: WireApi::Messages, content_type: SSE, stream, whole, model, finish: "tool_use", ids }
}

fn gemini() -> Spoken {
    let usage = json!({ "promptTokenCount": 20, "candidatesTokenCount": 5, "thoughtsTokenCount": 4, "cachedContentTokenCount": 16 });
    let chunk = |parts: Value, more: Value| {
        let candidate = merged(json!({ "content": { "role": "model", "parts": parts }, "index": 0 }), more);
        json!({ "candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro", "responseId": "r1" })
    };
    let of = |city: &str| json!({ "functionCall": { "name": "weather", "args": { "city": city } } });
    let events = [
        chunk(json!([{ "text": "Let me" }]), json!({})),
        chunk(json!([{ "text": " look." }]), json!({})),
        chunk(json!([of("Paris"), of("Rome")]), json!({ "finishReason": "STOP" })),
    ];
    let stream: Vec<String> = events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect();
    let whole = chunk(json!([{ "text": "Let me look." }, of("Paris"), of("Rome")]), json!({ "finishReason": "STOP" }));
    let (stream, model) = (stream.concat().into_bytes(), Some("gemini-2.5-pro"));
    Spoken { api: WireApi::Gemini, content_type: SSE, stream, whole, model, finish: "STOP", ids: ["", ""] }
}

fn ollama() -> Spoken {
    let line = |message: Value, done: bool| json!({ "model": "llama3.2", "message": message, "done": done });
    let of = |city: &str| json!({ "function": { "name": "weather", "arguments": { "city": city } } });
    let end = json!({ "done_reason": "stop", "prompt_eval_count": 20, "eval_count": 9 });
    let stream = lines(&[
        line(json!({ "role": "assistant", "content": "Let me" }), false),
        line(json!({ "role": "assistant", "content": " look." }), false),
        line(json!({ "role": "assistant", "content": "", "tool_calls": [of("Paris")] }), false),
        line(json!({ "role": "assistant", "content": "", "tool_calls": [of("Rome")] }), false),
        merged(line(json!({ "role": "assistant", "content": "" }), true), end.clone()),
    ]);
    let message = json!({ "role": "assistant", "content": "Let me look.", "tool_calls": [of("Paris"), of("Rome")] });
    let (whole, content_type) = (merged(line(message, true), end), "application/x-ndjson");
    Spoken { api: WireApi::Ollama, content_type, stream, whole, model: Some("llama3.2"), finish: "stop", ids: ["", ""] }
}

fn cohere() -> Spoken {
    let usage = json!({ "billed_units": { "input_tokens": 3.0, "output_tokens": 3.0 }, "tokens": { "input_tokens": 20.0, "output_tokens": 9.0 }, "cached_tokens": 16.0 });
    let of = |kind: &str, index: u64, message: Value| json!({ "type": kind, "index": index, "delta": { "message": message } });
    let said = |text: &str| of("content-delta", 0, json!({ "content": { "text": text } }));
    let begins = |index: u64, id: &str| {
        let function = json!({ "name": "weather", "arguments": "" });
        of("tool-call-start", index, json!({ "tool_calls": { "id": id, "type": "function", "function": function } }))
    };
    let grows = |index: u64, part: &str| {
        of("tool-call-delta", index, json!({ "tool_calls": { "function": { "arguments": part } } }))
    };
    let stream = named(&[
        json!({ "type": "message-start", "id": "c1", "delta": { "message": { "role": "assistant" } } }),
        of("content-start", 0, json!({ "content": { "type": "text", "text": "" } })),
        said("Let me"),
        said(" look."),
        begins(0, "call_a"),
        grows(0, "{\"city\":"),
        grows(0, "\"Paris\"}"),
        begins(1, "call_b"),
        grows(1, "{\"city\":\"Rome\"}"),
        json!({ "type": "message-end", "delta": { "finish_reason": "TOOL_CALL", "usage": usage } }),
    ]);
    let called = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "weather", "arguments": arguments } });
    let message = json!({ "role": "assistant", "content": [{ "type": "text", "text": "Let me look." }],
        "tool_calls": [called("call_a", "{\"city\":\"Paris\"}"), called("call_b", "{\"city\":\"Rome\"}")] });
    let whole = json!({ "id": "c1", "message": message, "finish_reason": "TOOL_CALL", "usage": usage });
    let ids = ["call_a", "call_b"];
    Spoken { api: WireApi::Cohere, content_type: SSE, stream, whole, model: None, finish: "TOOL_CALL", ids }
}

fn converse() -> Spoken {
    let usage = json!({ "inputTokens": 4, "outputTokens": 9, "cacheReadInputTokens": 16, "cacheWriteInputTokens": 0 });
    let grow = |index: u64, delta: Value| ("contentBlockDelta", json!({ "contentBlockIndex": index, "delta": delta }));
    let stop = |index: u64| ("contentBlockStop", json!({ "contentBlockIndex": index }));
    let start = |index: u64, id: &str| {
        let start = json!({ "toolUse": { "toolUseId": id, "name": "weather" } });
        ("contentBlockStart", json!({ "contentBlockIndex": index, "start": start }))
    };
    let input = |index: u64, part: &str| grow(index, json!({ "toolUse": { "input": part } }));
    let stream = aws(&[
        ("messageStart", json!({ "role": "assistant" })),
        grow(0, json!({ "text": "Let me" })),
        grow(0, json!({ "text": " look." })),
        stop(0),
        start(1, "call_a"),
        input(1, "{\"city\":"),
        input(1, "\"Paris\"}"),
        stop(1),
        start(2, "call_b"),
        input(2, "{\"city\":\"Rome\"}"),
        stop(2),
        ("messageStop", json!({ "stopReason": "tool_use" })),
        ("metadata", json!({ "usage": usage, "metrics": { "latencyMs": 5 } })),
    ]);
    let of =
        |id: &str, city: &str| json!({ "toolUse": { "toolUseId": id, "name": "weather", "input": { "city": city } } });
    let content = json!([{ "text": "Let me look." }, of("call_a", "Paris"), of("call_b", "Rome")]);
    let message = json!({ "role": "assistant", "content": content });
    let whole = json!({ "output": { "message": message }, "stopReason": "tool_use", "usage": usage });
    let ids = ["call_a", "call_b"];
    Spoken { api: WireApi::Bedrock, content_type: EVENT_STREAM, stream, whole, model: None, finish: "tool_use", ids }
}

/// Anthropic's answer through Bedrock's `InvokeModel`.
fn invoked() -> Spoken {
    use base64::Engine as _;
    let (events, whole) = anthropic_events();
    let pack = |event: &Value| {
        let bytes = base64::engine::general_purpose::STANDARD.encode(event.to_string());
        ("chunk", json!({ "bytes": bytes, "p": "abcd" }))
    };
    let stream = aws(&events.iter().map(pack).collect::<Vec<_>>());
    let (model, ids) = (Some("claude-sonnet-4-5-20250929"), ["call_a", "call_b"]);
    Spoken { api: WireApi::Bedrock, content_type: EVENT_STREAM, stream, whole, model, finish: "tool_use", ids }
}

#[test]
fn streamed_response_equals_complete_response() {
    for spoken in all() {
        let (whole, streamed) = (read(spoken.api, &spoken.whole), spoken.streamed());
        let api = spoken.api;
        assert_eq!(streamed.text, "Let me look.", "{api:?}");
        let wanted = [("Paris", spoken.ids[0]), ("Rome", spoken.ids[1])];
        let calls = wanted.map(|(city, id)| call(id, "weather", &json!({ "city": city }).to_string()));
        assert_eq!(streamed.calls, calls, "{api:?}");
        let cached = if api == WireApi::Ollama { None } else { Some(16) };
        let known = streamed.usage.map(|usage| (usage.input, usage.output, usage.cached_input));
        assert_eq!(known, Some((Some(20), Some(9), cached)), "{api:?}");
        assert_eq!(
            (streamed.model.as_deref(), streamed.finish.as_deref()),
            (spoken.model, Some(spoken.finish)),
            "{api:?}"
        );
        assert!(
            streamed.complete && streamed.error.is_none() && streamed.notes.is_empty(),
            "{api:?} {:?}",
            streamed.notes
        );
        assert_eq!(
            ModelAnswer { whole: Value::Null, ..whole },
            ModelAnswer { whole: Value::Null, ..streamed.clone() },
            "{api:?}"
        );
        // The assembled answer can be read again.
        assert_eq!(read(api, &streamed.whole), streamed, "{api:?}");
    }
}
