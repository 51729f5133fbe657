//! Drift in both directions: changes of an API are reported, variations between answers are not.

use serde_json::{Value, json};

use super::*;
use crate::{AnswerFrame, EndKind, Exchange, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse, Recording};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream; charset=utf-8";

fn answer(kind: &str, pieces: &[String]) -> RecordedResponse {
    let frames = pieces.iter().map(|piece| AnswerFrame { at_us: 1, bytes: piece.clone().into() }).collect();
    RecordedResponse { at_us: 1, status: 200, headers: vec![("content-type".into(), kind.into())], frames }
}

fn of_json(value: &Value) -> RecordedResponse {
    answer(JSON, &[value.to_string()])
}

fn of_events(events: &[Value]) -> RecordedResponse {
    let piece = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    answer(EVENTS, &events.iter().map(piece).collect::<Vec<_>>())
}

fn call(id: u64, path: &str, response: RecordedResponse) -> Exchange {
    let body = json!({"model": "m", "messages": [], "max_tokens": 1, "input": ""});
    let request = RecordedRequest {
        method: "POST".into(),
        origin: "https://a.example".into(),
        path: path.into(),
        body: RecordedBody::Json(body),
        ..RecordedRequest::default()
    };
    let end = ExchangeEnd { at_us: 1, how: EndKind::Closed };
    Exchange { id, request, response: Some(response), end, chatter: false, after: None }
}

/// The changes reported for an answer to the first of these calls.
fn told_of(path: &str, recorded: &[RecordedResponse], now: &RecordedResponse) -> String {
    let exchanges: Vec<Exchange> = (1..).zip(recorded).map(|(id, it)| call(id, path, it.clone())).collect();
    let recording = Recording { exchanges, ..Recording::default() };
    match KnownShapes::of(&recording).drift(&recording.exchanges[0], now) {
        Drift::Changes(changes) => changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        Drift::Unknown(why) => format!("unknown: {why}"),
    }
}

fn of_two(path: &str, recorded: &Value, now: &Value) -> String {
    told_of(path, &[of_json(recorded)], &of_json(now))
}

#[test]
fn renamed_field_is_reported_with_its_path() {
    let before =
        json!({"id": "r1", "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]});
    let after = json!({"id": "r2", "output": [{"type": "message", "parts": [{"type": "output_text", "text": "b"}]}]});
    assert_eq!(of_two("/v1/responses", &before, &after), "/output/*/content is gone, /output/*/parts is new");
    let before = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": []}}]});
    let after = json!({"choices": [{"message": {"role": "assistant", "content": null, "calls": []}}]});
    let said = of_two("/v1/chat/completions", &before, &after);
    assert_eq!(said, "/choices/*/message/tool_calls is gone, /choices/*/message/calls is new");
}

#[test]
fn compares_types_statuses_and_content_types_but_not_values() {
    let order = json!({"total": 17, "lines": [{"sku": "a", "note": null}], "paid": true});
    let same = json!({"total": 4711, "lines": [{"sku": "b", "note": "x"}, {"sku": "c", "note": null}], "paid": false});
    assert_eq!(of_two("/orders", &order, &same), "");
    let texts = json!({"total": "17", "lines": [{"sku": "a", "note": null}], "paid": null});
    assert_eq!(of_two("/orders", &order, &texts), "/total is a string, was a number");
    assert_eq!(of_two("/orders", &order, &json!([order])), "the answer is a list, was an object");
    let html = answer("text/html", &["<p>".to_owned()]);
    let was = "the content type is `text/html`, was `application/json`";
    assert_eq!(told_of("/orders", &[of_json(&order)], &html), was);
    let broken = answer(JSON, &["<p>".to_owned()]);
    assert_eq!(told_of("/orders", &[of_json(&order)], &broken), "the answer is no longer JSON");
    let status = |status| RecordedResponse { status, ..of_json(&json!({"error": {}})) };
    assert_eq!(told_of("/orders", &[of_json(&order)], &status(404)), "the status is 404, was 200");
    // Another status of the same class, and answers that cannot be compared.
    assert_eq!(told_of("/orders", &[of_json(&order)], &RecordedResponse { status: 201, ..of_json(&order) }), "");
    for refused in [401, 429, 503] {
        assert!(told_of("/orders", &[of_json(&order)], &status(refused)).starts_with("unknown: "), "{refused}");
        assert!(told_of("/orders", &[status(404)], &status(refused)).starts_with("unknown: "), "{refused}");
    }
}

#[test]
fn fields_optional_in_recording_may_vary() {
    let with = of_json(&json!({"id": 1, "coupon": "x"}));
    let without = of_json(&json!({"id": 1}));
    assert_eq!(told_of("/orders", &[with.clone(), without.clone()], &without), "");
    assert_eq!(told_of("/orders", &[without.clone(), with.clone()], &with), "");
    assert_eq!(told_of("/orders", std::slice::from_ref(&with), &without), "/coupon is gone");
    assert_eq!(told_of("/orders", std::slice::from_ref(&without), &with), "/coupon is new");
    let items = |items: Value| of_json(&json!({"items": items}));
    let some = items(json!([{"sku": 1}, {"sku": 1, "gift": true}]));
    assert_eq!(told_of("/orders", std::slice::from_ref(&some), &items(json!([{"sku": 2}]))), "");
    assert_eq!(told_of("/orders", std::slice::from_ref(&some), &items(json!([]))), "");
    assert_eq!(told_of("/orders", &[items(json!([]))], &some), "");
}

#[test]
fn id_keys_are_compared_as_one_shape() {
    let before = json!({"orders": {"A-17": {"total": 1}}});
    assert_eq!(of_two("/x", &before, &json!({"orders": {"A-18": {"total": 2}, "A-19": {"total": 3}}})), "");
    assert_eq!(
        of_two("/x", &before, &json!({"orders": {"A-18": {"sum": 2}}})),
        "/orders/*/total is gone, /orders/*/sum is new"
    );
    assert_eq!(of_two("/x", &json!({"a/b": {"~": 1}, "c": 1}), &json!({"a/b": {}, "c": 1})), "/a~1b/~0 is gone");
}

#[test]
fn different_model_output_is_not_drift() {
    let text = json!({"role": "assistant", "content": "hi", "refusal": null});
    let calls = json!({"role": "assistant", "content": null, "tool_calls":
        [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
    let chat = |message: &Value| json!({"id": "c", "choices": [{"index": 0, "message": message}]});
    assert_eq!(of_two("/v1/chat/completions", &chat(&text), &chat(&calls)), "");
    assert_eq!(of_two("/v1/chat/completions", &chat(&calls), &chat(&text)), "");
    let said = json!({"type": "message", "content": [{"type": "text", "text": "hi"}]});
    let used = |input: Value| json!({"type": "message", "content": [{"type": "tool_use", "id": "t", "input": input}]});
    assert_eq!(of_two("/v1/messages", &said, &used(json!({"a": 1}))), "");
    assert_eq!(of_two("/v1/messages", &used(json!({"a": 1})), &said), "");
    assert_eq!(of_two("/v1/messages", &used(json!({"a": 1})), &used(json!({"b": ["x"]}))), "");
    let gemini = |part: Value| json!({"candidates": [{"content": {"parts": [part], "role": "model"}}]});
    let call = gemini(json!({"functionCall": {"name": "f", "args": {"a": 1}}}));
    assert_eq!(of_two("/m:generateContent", &gemini(json!({"text": "a"})), &call), "");
    assert_eq!(of_two("/m:generateContent", &call, &gemini(json!({"text": "a"}))), "");
    // But the fields of something that it says again must still be present.
    let renamed = json!({"type": "message", "content": [{"type": "text", "value": "hi"}]});
    assert_eq!(of_two("/v1/messages", &said, &renamed), "/content/*/text is gone, /content/*/value is new");
    let removed = json!({"type": "message", "content": [{"type": "text"}]});
    assert_eq!(of_two("/v1/messages", &said, &removed), "/content/*/text is gone");
    let other = json!({"type": "message", "content": [{"type": "prose", "text": "hi"}]});
    let wanted = "/content/* of type `text` are gone, /content/* of type `prose` are new";
    assert_eq!(of_two("/v1/messages", &said, &other), wanted);
}

#[test]
fn compares_streams_by_event_type() {
    let delta = |kind: &str, key: &str| json!({"type": kind, "index": 0, key: "a"});
    let text = delta("response.output_text.delta", "delta");
    let stream = |events: &[Value]| of_events(events);
    let recorded = stream(&[json!({"type": "response.created", "n": 1}), text.clone(), text.clone()]);
    let path = "/v1/responses";
    let longer = stream(&[json!({"type": "response.created", "n": 1}), text.clone(), text.clone(), text.clone()]);
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &longer), "");
    let calls = stream(&[
        json!({"type": "response.created", "n": 1}),
        delta("response.function_call_arguments.delta", "delta"),
    ]);
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &calls), "");
    let renamed = stream(&[json!({"type": "response.created", "n": 1}), delta("response.output_text.delta", "text")]);
    let wanted = "response.output_text.delta: /delta is gone";
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &renamed), wanted);
    let other = stream(&[json!({"type": "response.created", "n": 1}), delta("response.words", "delta")]);
    let wanted = "events of type `response.output_text.delta` are gone, events of type `response.words` are new";
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &other), wanted);
    let done = answer(EVENTS, &["data: {\"a\":1}\n\n".to_owned(), "data: [DONE]\n\n".to_owned()]);
    assert_eq!(told_of("/x", &[answer(EVENTS, &["data: {\"a\":2}\n\n".to_owned()])], &done), "");
}

#[test]
fn continuing_request_uses_new_response_id() {
    let mut ids = IdMapping::default();
    let first = call(1, "/v1/responses", of_json(&json!({"id": "resp_old", "output": []})));
    ids.learn(&first, &of_json(&json!({"id": "resp_new", "output": []})));
    let mut next = first.request.clone();
    next.body = RecordedBody::Json(json!({"previous_response_id": "resp_old", "input": "resp_old"}));
    let sent = ids.continued(&next);
    assert_eq!(sent.body, RecordedBody::Json(json!({"previous_response_id": "resp_new", "input": "resp_old"})));
}

/// The paths of all keys in a value: names, and `*` for the items of lists.
fn keys_of(value: &Value, at: &[String], found: &mut Vec<Vec<String>>) {
    let below = |name: &str| [at, &[name.to_owned()]].concat();
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                found.push(below(name));
                keys_of(value, &below(name), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys_of(item, &below("*"), found)),
        _ => {}
    }
}

/// The value with another name for the key at this path.
fn renamed(value: &Value, place: &[String]) -> Value {
    let mut value = value.clone();
    match (&mut value, place) {
        (Value::Object(object), [name]) => {
            if let Some(value) = object.remove(name) {
                object.insert(format!("{name}_of_today"), value);
            }
        }
        (Value::Object(object), [name, rest @ ..]) => {
            if let Some(value) = object.get_mut(name) {
                *value = renamed(value, rest);
            }
        }
        (Value::Array(items), [_, rest @ ..]) => items.iter_mut().for_each(|item| *item = renamed(item, rest)),
        _ => {}
    }
    value
}

#[test]
fn any_renamed_field_is_reported() {
    let usage = json!({"input_tokens": 1, "output_tokens": 2, "details": {"cached": 0}});
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let answers = [
        (
            "/v1/chat/completions",
            json!({"id": "c", "model": "m", "usage": usage, "choices": [{"index": 0,
            "finish_reason": "stop", "message": {"role": "assistant", "content": "hi", "tool_calls": [call]}}]}),
        ),
        (
            "/v1/responses",
            json!({"id": "r", "object": "response", "error": null, "usage": usage, "output": [
            {"type": "reasoning", "id": "a", "summary": []},
            {"type": "message", "id": "b", "content": [{"type": "output_text", "text": "hi", "annotations": []}]},
            {"type": "function_call", "id": "c", "call_id": "d", "name": "f", "arguments": "{}"}]}),
        ),
        (
            "/v1/messages",
            json!({"id": "m", "type": "message", "role": "assistant", "stop_reason": "end_turn", "usage": usage,
            "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}]}),
        ),
        (
            "/m:generateContent",
            json!({"candidates": [{"finishReason": "STOP", "index": 0, "content": {"role": "model",
            "parts": [{"text": "a"}, {"functionCall": {"name": "f", "args": {}}}]}}], "usageMetadata": usage}),
        ),
        (
            "/orders/17",
            json!({"id": 17, "lines": [{"sku": "a"}, {"sku": "b", "gift": true}], "by": {"A-1": {"n": 1}, "A-2": {"n": 2}}}),
        ),
    ];
    for (path, answer) in answers {
        let mut places = Vec::new();
        keys_of(&answer, &[], &mut places);
        // Keys that are data are not names of the API.
        places.retain(|place| !place.last().is_some_and(|name| name.starts_with("A-")));
        for place in places {
            let told = of_two(path, &answer, &renamed(&answer, &place));
            assert!(!told.is_empty(), "{path} {}", place.join("/"));
            let events = [json!({"type": "response.completed", "response": answer})];
            let place = [&["response".to_owned()], &place[..]].concat();
            let today = [renamed(&events[0], &place)];
            let told = told_of(path, &[of_events(&events)], &of_events(&today));
            assert!(!told.is_empty(), "{path} {}", place.join("/"));
        }
        assert_eq!(of_two(path, &answer, &answer), "");
    }
}

#[test]
fn error_inside_response_is_reported_as_unknown() {
    let text =
        |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let start =
        json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}});
    let end = json!({"type": "message_stop"});
    let recorded = of_events(&[start.clone(), text("a"), text("b"), end.clone()]);
    let path = "/v1/messages";
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &of_events(&[start.clone(), text("c"), end])), "");
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    let broken = of_events(&[start.clone(), text("a"), error]);
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &broken), "unknown: the answer is an error: busy");
    let cut = of_events(&[start, text("a")]);
    assert_eq!(told_of(path, std::slice::from_ref(&recorded), &cut), "unknown: the answer of the model broke off");
    let called = |key: &str| of_json(&json!({"jsonrpc": "2.0", "id": 1, key: {"code": -1, "message": "no"}}));
    let told = told_of("/mcp", &[called("result")], &called("error"));
    assert_eq!(told, "unknown: the answer is an error: JSON-RPC -1 no");
}
