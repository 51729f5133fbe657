//! Errors, invalid input and exceeded limits.

use proptest::prelude::*;

use super::spoken::all;
use super::*;

const APIS: [WireApi; 7] = [
    WireApi::Chat,
    WireApi::Responses,
    WireApi::Messages,
    WireApi::Gemini,
    WireApi::Ollama,
    WireApi::Cohere,
    WireApi::Bedrock,
];

#[test]
fn reports_provider_error_message() {
    let all = [
        (WireApi::Chat, json!({ "error": { "message": "slow down", "type": "rate_limit" } })),
        (
            WireApi::Messages,
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "slow down" } }),
        ),
        (
            WireApi::Gemini,
            json!([{ "error": { "code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED" } }]),
        ),
        (WireApi::Ollama, json!({ "error": "slow down" })),
        (WireApi::Cohere, json!({ "message": "slow down" })),
        (WireApi::Bedrock, json!({ "message": "slow down" })),
    ];
    for (api, body) in all {
        let answer = read_answer(api, 429, "application/json", [body.to_string().as_bytes()]);
        assert_eq!((answer.error.as_deref(), answer.complete), (Some("slow down"), false), "{api:?}");
    }
    let gateway = read_answer(WireApi::Chat, 502, "text/html", [&b"<html>bad gateway"[..]]);
    assert_eq!(gateway.error.as_deref(), Some("<html>bad gateway"));
    assert_eq!(read_answer(WireApi::Chat, 500, "", []).error.as_deref(), Some("status 500"));
}

#[test]
fn error_in_mid_stream_is_reported() {
    let chat =
        sse(&[json!({ "choices": [{ "delta": { "content": "a" } }] }), json!({ "error": { "message": "gone" } })]);
    let claude = named(&[json!({ "type": "error", "error": { "type": "overloaded_error", "message": "gone" } })]);
    let bedrock = aws(&[("messageStart", json!({})), ("modelStreamErrorException", json!({ "message": "gone" }))]);
    let failed = json!({ "status": "failed", "error": { "code": "server_error", "message": "gone" }, "output": [] });
    let responses = named(&[json!({ "type": "response.failed", "response": failed })]);
    let all = [
        (WireApi::Chat, chat),
        (WireApi::Messages, claude),
        (WireApi::Bedrock, bedrock),
        (WireApi::Responses, responses),
    ];
    for (api, stream) in all {
        let answer = read_answer(api, 200, "", [stream.as_slice()]);
        assert_eq!((answer.error.as_deref(), answer.complete), (Some("gone"), false), "{api:?}");
    }
}

#[test]
fn events_that_are_not_json_are_skipped_with_one_note() {
    for spoken in all().into_iter().filter(|spoken| spoken.content_type == SSE) {
        let mut stream = b"data: {broken\n\ndata: nonsense\n\n: a comment\n\n".to_vec();
        stream.extend_from_slice(&spoken.stream);
        let answer = read_answer(spoken.api, 200, SSE, [stream.as_slice()]);
        assert_eq!((answer.calls.len(), answer.complete, answer.notes.len()), (2, true, 1), "{:?}", spoken.api);
    }
}

#[test]
fn never_panics_on_unexpected_event_shapes() {
    let strange = [json!(null), json!(7), json!([[]]), json!({ "type": 7 }), json!({ "choices": { "a": 1 } })];
    for api in APIS {
        for event in &strange {
            read(api, event);
            read_answer(api, 200, SSE, [sse(std::slice::from_ref(event)).as_slice()]);
        }
        // An answer of another provider must not cause a panic.
        for spoken in all() {
            read(api, &spoken.whole);
            read_answer(api, 200, spoken.content_type, [spoken.stream.as_slice()]);
        }
    }
}

#[test]
fn limits_number_of_tool_calls() {
    let call = |at: u64| json!({ "choices": [{ "delta": { "tool_calls": [{ "index": at, "id": format!("c{at}"), "function": { "name": "f", "arguments": "{}" } }] } }] });
    let events: Vec<Value> = (0..1100).map(call).collect();
    let answer = read_answer(WireApi::Chat, 200, SSE, [sse(&events).as_slice()]);
    assert_eq!(answer.calls.len(), 1024);
}

/// The number of items that are kept of a streamed answer.
fn kept(api: WireApi, stream: &[u8], place: &str) -> usize {
    let answer = read_answer(api, 200, "", [stream]);
    answer.whole.pointer(place).and_then(Value::as_array).map_or(0, Vec::len)
}

#[test]
fn limits_number_of_choices_items_blocks_and_parts() {
    let many = |event: &dyn Fn(u64) -> Value| (0..11_000).map(event).collect::<Vec<_>>();
    let choices = many(&|at| json!({ "choices": [{ "index": at, "delta": { "content": "a" } }] }));
    assert_eq!(kept(WireApi::Chat, &sse(&choices), "/choices"), 128);
    let items =
        many(&|at| json!({ "type": "response.output_item.done", "output_index": at, "item": { "type": "message" } }));
    assert_eq!(kept(WireApi::Responses, &sse(&items), "/output"), 10_000);
    let blocks = many(
        &|at| json!({ "type": "content_block_start", "index": at, "content_block": { "type": "text", "text": "" } }),
    );
    assert_eq!(kept(WireApi::Messages, &sse(&blocks), "/content"), 10_000);
    let parts = many(&|_| json!({ "candidates": [{ "content": { "parts": [{ "functionCall": { "name": "f" } }] } }] }));
    assert_eq!(kept(WireApi::Gemini, &sse(&parts), "/candidates/0/content/parts"), 10_000);
    let deltas = many(&|at| json!({ "contentBlockIndex": at, "delta": { "text": "a" } }));
    let deltas: Vec<(&str, Value)> = deltas.into_iter().map(|delta| ("contentBlockDelta", delta)).collect();
    assert_eq!(kept(WireApi::Bedrock, &aws(&deltas), "/output/message/content"), 10_000);
}

#[test]
fn response_beyond_size_limit_is_incomplete() {
    let piece = vec![b' '; 1 << 20];
    let pieces = std::iter::repeat_n(piece.as_slice(), 65).chain([&b"{\"choices\":[]}"[..]]);
    let answer = read_answer(WireApi::Chat, 200, "application/json", pieces);
    assert!(!answer.complete && answer.notes[0].contains("64 MiB"), "{:?}", answer.notes);
}

proptest! {
    #[test]
    fn never_panics_on_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..APIS.len(), status in 100..600_u16) {
        for content_type in [SSE, EVENT_STREAM, "application/json", "application/x-ndjson"] {
            read_answer(APIS[at], status, content_type, [bytes.as_slice()]);
        }
    }

    #[test]
    fn never_panics_on_a_changed_byte(which in 0..8_usize, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let Some(mut spoken) = all().into_iter().nth(which) else { return Ok(()) };
        let at = at.index(spoken.stream.len());
        spoken.stream[at] = byte;
        spoken.streamed();
    }
}
