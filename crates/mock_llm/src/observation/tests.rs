//! The exchanges of a live or replayed model give the same events as those of a scripted model.

use agentci_protocols::chat::{ModelAnswer, WireApi, read_answer};
use agentci_trace::{Event, EventKind, Moment, Observer, Trace};
use serde_json::{Value, json};

use super::{SeenCall, WireReader};

/// A request and the body of its answer.
struct Said<'s> {
    api: WireApi,
    path: &'s str,
    request: Value,
    status: u16,
    answer: Value,
}

fn tell(reader: &mut WireReader, said: &Said<'_>) -> Vec<EventKind> {
    let body = said.answer.to_string();
    let answer = read_answer(said.api, said.status, "application/json", [body.as_bytes()]);
    tell_answer(reader, said, &answer, false)
}

fn tell_answer(reader: &mut WireReader, said: &Said<'_>, answer: &ModelAnswer, left: bool) -> Vec<EventKind> {
    let &Said { api, path, ref request, status, .. } = said;
    let (started_us, first_byte_us, ended_us, cost_usd) = (1_000, Some(251_000), 901_000, Some(0.5));
    reader.exchange(&SeenCall {
        api,
        path,
        request,
        status,
        answer,
        left,
        started_us,
        first_byte_us,
        ended_us,
        cost_usd,
    })
}

fn words(kinds: &[EventKind]) -> Vec<String> {
    let word = |kind: &EventKind| match kind {
        EventKind::ModelCall { request, response } => {
            let failure = response["failure"].as_str().map(|failure| format!(" failed: {failure}")).unwrap_or_default();
            format!("model {}{failure}", request["model"].as_str().unwrap_or("?"))
        }
        EventKind::Usage(usage) => format!("usage {:?} {:?} {:?}", usage.tokens_in, usage.tokens_out, usage.cost_usd),
        EventKind::ToolCall(call) => format!("{} calls {} {}", call.observer.name(), call.name, call.args),
        EventKind::ToolResult(result) => {
            format!(
                "{} result {} {}",
                result.observer.name(),
                result.ok,
                result.error.clone().unwrap_or_else(|| result.result.to_string())
            )
        }
        other => format!("{other:?}"),
    };
    kinds.iter().map(word).collect()
}

/// A conversation in each API: the user asks, the model requests `find`, the agent sends the result and gets the
/// answer.
fn conversations() -> Vec<[Said<'static>; 2]> {
    let tool = json!({ "type": "function", "function": { "name": "find" } });
    let user = json!({ "role": "user", "content": "find A" });
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "find", "arguments": "{\"id\":1}" } });
    let nameless = json!({ "function": { "name": "find", "arguments": { "id": 1 } } });
    let given = json!({ "role": "tool", "tool_call_id": "c1", "content": "{\"found\":true}" });
    let asked = |api: WireApi, path: &'static str, messages: Value, answer: Value| Said {
        api,
        path,
        request: json!({ "model": "m", "tools": [tool.clone()], "messages": messages }),
        status: 200,
        answer,
    };
    let pair = |api: WireApi, path: &'static str, [first, then]: [Value; 2], [wants, ends]: [Value; 2]| {
        [asked(api, path, first, wants), asked(api, path, then, ends)]
    };
    let choice = |message: Value| json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] });
    let assistant = |calls: &Value| json!({ "role": "assistant", "content": "", "tool_calls": [calls] });
    let chat = pair(
        WireApi::Chat,
        "/v1/chat/completions",
        [json!([user]), json!([user, assistant(&call), given])],
        [choice(assistant(&call)), choice(json!({ "content": "done" }))],
    );
    let cohere = pair(
        WireApi::Cohere,
        "/v2/chat",
        [
            json!([user]),
            json!([user, assistant(&call), { "role": "tool", "tool_call_id": "c1", "content": [{ "type": "document", "document": { "data": "{\"found\":true}" } }] }]),
        ],
        [
            json!({ "message": assistant(&call), "finish_reason": "TOOL_CALL" }),
            json!({ "message": {}, "finish_reason": "COMPLETE" }),
        ],
    );
    let ollama = pair(
        WireApi::Ollama,
        "/api/chat",
        [
            json!([user]),
            json!([user, assistant(&nameless), { "role": "tool", "tool_name": "find", "content": "{\"found\":true}" }]),
        ],
        [json!({ "message": assistant(&nameless), "done": true }), json!({ "message": {}, "done": true })],
    );
    let wanted = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "find", "input": { "id": 1 } }] });
    let result = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": "{\"found\":true}" }] });
    let message = |content: &Value| json!({ "type": "message", "content": content, "stop_reason": "end_turn" });
    let claude = pair(
        WireApi::Messages,
        "/v1/messages",
        [json!([user]), json!([user, wanted, result])],
        [message(&wanted["content"]), message(&json!([]))],
    );
    let said = json!({ "role": "user", "content": [{ "text": "find A" }] });
    let wanted = json!({ "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c1", "name": "find", "input": { "id": 1 } } }] });
    let result = json!({ "role": "user", "content": [{ "toolResult": { "toolUseId": "c1", "content": [{ "json": { "found": true } }] } }] });
    let converse = pair(
        WireApi::Bedrock,
        "/model/m/converse",
        [json!([said]), json!([said, wanted, result])],
        [
            json!({ "output": { "message": wanted }, "stopReason": "tool_use" }),
            json!({ "output": {}, "stopReason": "end_turn" }),
        ],
    );
    vec![chat, cohere, ollama, claude, converse, gemini(), responses()]
}

fn gemini() -> [Said<'static>; 2] {
    let user = json!({ "role": "user", "parts": [{ "text": "find A" }] });
    let model = json!({ "role": "model", "parts": [{ "functionCall": { "name": "find", "args": { "id": 1 } } }] });
    let given =
        json!({ "role": "user", "parts": [{ "functionResponse": { "name": "find", "response": { "found": true } } }] });
    let of = |contents: Value, answer: &Value| Said {
        api: WireApi::Gemini,
        path: "/v1beta/models/m:generateContent",
        request: json!({ "contents": contents }),
        status: 200,
        answer: json!({ "candidates": [{ "content": answer, "finishReason": "STOP" }] }),
    };
    [of(json!([user]), &model), of(json!([user, model, given]), &json!({ "parts": [{ "text": "done" }] }))]
}

fn responses() -> [Said<'static>; 2] {
    let call = json!({ "type": "function_call", "call_id": "c1", "name": "find", "arguments": "{\"id\":1}" });
    let given = json!({ "type": "function_call_output", "call_id": "c1", "output": "{\"found\":true}" });
    let of = |more: Value, output: Value, id: &str| {
        let mut request = json!({ "model": "m" });
        request.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        let answer = json!({ "object": "response", "id": id, "status": "completed", "output": output });
        Said { api: WireApi::Responses, path: "/v1/responses", request, status: 200, answer }
    };
    let then = json!({ "previous_response_id": "r1", "input": [given] });
    [of(json!({ "input": "find A" }), json!([call]), "r1"), of(then, json!([]), "r2")]
}

#[test]
fn every_api_reports_a_call_and_its_result_once() {
    for [first, then] in conversations() {
        let mut reader = WireReader::new(true);
        let api = first.api;
        assert_eq!(words(&tell(&mut reader, &first)), ["model m", "model_wire calls find {\"id\":1}"], "{api:?}");
        assert_eq!(words(&tell(&mut reader, &then)), ["model_wire result true {\"found\":true}", "model m"], "{api:?}");
        assert_eq!(words(&tell(&mut reader, &then)), ["model m"], "{api:?}: results are repeated in later requests");
    }
}

#[test]
fn trace_contains_observed_requests_and_calls() {
    for said in conversations() {
        let mut reader = WireReader::new(true);
        let mut trace = Trace::default();
        for kind in said.iter().flat_map(|said| tell(&mut reader, said)) {
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        let requests = trace.model_requests();
        let api = said[0].api;
        assert_eq!(
            (requests.len(), requests[0].model, requests[0].user.as_deref()),
            (2, Some("m"), Some("find A")),
            "{api:?}"
        );
        let calls: Vec<_> = requests[0].calls.iter().map(|call| call.name).collect();
        assert_eq!((calls, requests[0].calls[0].id.is_empty()), (vec!["find"], false), "{api:?}");
        assert!(
            requests[1].messages.iter().any(|message| message.role == "tool" && message.text.contains("found")),
            "{api:?}"
        );
    }
}

#[test]
fn retried_request_counts_as_one_with_two_attempts() {
    let [first, then] = conversations().remove(0);
    for status in [429, 503] {
        let mut reader = WireReader::new(true);
        let mut kinds = tell(&mut reader, &first);
        let busy =
            Said { status, answer: json!({ "error": { "message": "busy" } }), request: then.request.clone(), ..then };
        let failed = tell(&mut reader, &busy);
        assert_eq!(words(&failed), ["model_wire result true {\"found\":true}", "model m failed: status"]);
        kinds.extend(failed);
        kinds.extend(tell(&mut reader, &then));
        let mut trace = Trace::default();
        for kind in kinds {
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        let attempts: Vec<usize> = trace.model_requests().iter().map(|request| request.attempts).collect();
        assert_eq!(attempts, [1, 2]);
    }
}

#[test]
fn rejected_request_reports_no_calls_or_results() {
    let [first, then] = conversations().remove(0);
    let mut reader = WireReader::new(true);
    tell(&mut reader, &first);
    let refused = Said { status: 400, answer: json!({ "error": { "message": "no", "code": "bad" } }), ..then };
    let kinds = tell(&mut reader, &refused);
    assert_eq!(words(&kinds), ["model m failed: status"]);
    let EventKind::ModelCall { response, .. } = &kinds[0] else { panic!() };
    assert_eq!(response["error"], json!({ "status": 400, "code": "bad", "message": "no" }));
}

#[test]
fn cut_stream_has_no_calls_but_client_disconnect_does() {
    let [first, _] = conversations().remove(0);
    let delta = |call: Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }));
    let whole = delta(json!({ "index": 0, "id": "c1", "function": { "name": "find", "arguments": "{}" } }));
    let half = delta(json!({ "index": 1, "id": "c2", "function": { "name": "find", "arguments": "{\"a" } }));
    let answer = read_answer(WireApi::Chat, 200, "text/event-stream", [whole.as_bytes(), half.as_bytes()]);
    let cut = tell_answer(&mut WireReader::new(true), &first, &answer, false);
    assert_eq!(words(&cut), ["model m failed: cut"]);
    let left = tell_answer(&mut WireReader::new(true), &first, &answer, true);
    assert_eq!(words(&left), ["model m", "model_wire calls find {}"]);
}

#[test]
fn reports_usage_timing_and_provider_tools() {
    let output =
        json!([{ "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "query": "x" } }]);
    let usage = json!({ "input_tokens": 7, "output_tokens": 2 });
    let answer = json!({ "object": "response", "id": "r", "status": "completed", "output": output, "usage": usage });
    let said = Said {
        api: WireApi::Responses,
        path: "/v1/responses",
        request: json!({ "model": "m", "input": "x" }),
        status: 200,
        answer,
    };
    let kinds = tell(&mut WireReader::new(true), &said);
    let wanted = [
        "model m",
        "usage Some(7) Some(2) Some(0.5)",
        "provider calls web_search {\"query\":\"x\"}",
        "provider result true null",
    ];
    assert_eq!(words(&kinds), wanted);
    let EventKind::ModelCall { response, .. } = &kinds[0] else { panic!() };
    assert_eq!(response["agentci"], json!({ "ttft_ms": 250, "duration_ms": 900 }));
    let quiet = tell(&mut WireReader::new(false), &said);
    assert!(!quiet.iter().any(|kind| matches!(kind, EventKind::Usage(_))), "the agent says itself what it used up");
}

#[test]
fn reports_tool_failures_where_the_api_supports_them() {
    for at in [3, 4, 5] {
        let [first, mut then] = conversations().remove(at);
        let text = then.request.to_string();
        let failed = match then.api {
            WireApi::Messages => text.replace("\"type\":\"tool_result\"", "\"type\":\"tool_result\",\"is_error\":true"),
            WireApi::Bedrock => text.replace("\"toolResult\":{", "\"toolResult\":{\"status\":\"error\","),
            _ => text.replace("\"response\":{\"found\":true}", "\"response\":{\"error\":\"gone\"}"),
        };
        assert_ne!(failed, text);
        then.request = serde_json::from_str(&failed).unwrap();
        let mut reader = WireReader::new(true);
        tell(&mut reader, &first);
        let kinds = tell(&mut reader, &then);
        let Some(EventKind::ToolResult(result)) = kinds.first() else { panic!("{kinds:?}") };
        assert!(!result.ok && result.observer == Observer::ModelWire, "{result:?}");
    }
}

#[test]
fn distinguishes_provider_tool_calls_without_ids() {
    let parts = json!([{ "executableCode": { "code": "1" } }, { "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "1" } },
        { "executableCode": { "code": "2" } }, { "codeExecutionResult": { "outcome": "OUTCOME_FAILED", "output": "no" } }]);
    let [mut said, _] = gemini();
    said.answer = json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }] });
    let mut reader = WireReader::new(true);
    let kinds: Vec<EventKind> = (0..2).flat_map(|_| tell(&mut reader, &said)).collect();
    let results = kinds
        .iter()
        .filter_map(|kind| if let EventKind::ToolResult(it) = kind { Some((&it.call_id, it.ok)) } else { None });
    let results: Vec<_> = results.collect();
    assert_eq!(results.iter().map(|(_, ok)| *ok).collect::<Vec<_>>(), [true, false, true, false]);
    assert_eq!(results.iter().map(|(id, _)| id).collect::<std::collections::BTreeSet<_>>().len(), 4);
}

#[test]
fn calls_without_ids_match_results_in_order() {
    let user = json!({ "role": "user", "parts": [{ "text": "two" }] });
    let call = |id: u64| json!({ "functionCall": { "name": "find", "args": { "id": id } } });
    let gave = |id: u64| json!({ "functionResponse": { "name": "find", "response": { "output": id } } });
    let model = json!({ "role": "model", "parts": [call(1), call(2)] });
    let given = json!({ "role": "user", "parts": [gave(1), gave(2)] });
    let of = |contents: Value, answer: &Value| Said {
        api: WireApi::Gemini,
        path: "/v1beta/models/m:generateContent",
        request: json!({ "contents": contents }),
        status: 200,
        answer: json!({ "candidates": [{ "content": answer, "finishReason": "STOP" }] }),
    };
    let mut reader = WireReader::new(true);
    let asked = tell(&mut reader, &of(json!([user]), &model));
    let told = tell(&mut reader, &of(json!([user, model, given]), &json!({ "parts": [] })));
    let ids: Vec<_> = asked
        .iter()
        .filter_map(|kind| if let EventKind::ToolCall(call) = kind { Some(&call.call_id) } else { None })
        .collect();
    let results: Vec<_> = told
        .iter()
        .filter_map(
            |kind| if let EventKind::ToolResult(it) = kind { Some((&it.call_id, &it.result["output"])) } else { None },
        )
        .collect();
    assert_eq!(results, [(ids[0], &json!(1)), (ids[1], &json!(2))]);
}
