//! Streams of known formats.

use agentci_plan::Strictness;
use agentci_trace::{EventKind, Observer, Trace};
use serde_json::{Value, json};

use super::answers::{Read, lenient, stream, strict, typed};
use crate::http::reader::{HttpAnswerError, ReadingManner};

/// A stream of these events, and `[DONE]` at its end if it has one.
fn events(events: &[Value], done: bool) -> String {
    let mut all: Vec<String> = events.iter().map(|event| format!("data: {event}")).collect();
    all.extend(done.then(|| "data: [DONE]".to_owned()));
    all.join("\n\n") + "\n\n"
}

fn told(trace: &Trace) -> Vec<String> {
    let line = |kind: &EventKind| match kind {
        EventKind::Text(text) => format!("text {text}"),
        EventKind::Reasoning(text) => format!("reasoning {text}"),
        EventKind::ToolCall(call) if call.observer == Observer::Provider => {
            format!("provided {} {} {}", call.call_id, call.name, call.args)
        }
        EventKind::ToolCall(call) => format!("call {} {} {}", call.call_id, call.name, call.args),
        EventKind::ToolResult(result) => match &result.error {
            Some(error) => format!("failed {} {error}", result.call_id),
            None => format!("result {} {}", result.call_id, result.result),
        },
        EventKind::Violation(words) => format!("warning {words}"),
        other => format!("{other:?}"),
    };
    let shown = trace.events().iter().filter(|event| {
        // Data alongside the answer has its own tests.
        !matches!(event.kind, EventKind::Finish(_) | EventKind::Beside(_) | EventKind::Log { .. })
    });
    shown.map(|event| line(&event.kind)).collect()
}

/// Reads a stream with the settings of each suite format; all give the same result.
fn read(text: &str) -> Read {
    let read = stream(strict(None), &[text.as_bytes()]);
    let other = stream(lenient(), &[text.as_bytes()]);
    assert_eq!((&read.output, told(&read.trace)), (&other.output, told(&other.trace)));
    read
}

/// Checks that a stream that ends after any event but the last is an error.
fn every_cut_is_seen(all: &[Value], from: usize) {
    for count in from..all.len() {
        let text = events(&all[..count], false);
        let output = stream(strict(None), &[text.as_bytes()]).output;
        assert!(matches!(output, Err(HttpAnswerError::Torn(_))), "after {count}: {output:?}");
        let read = stream(ReadingManner { protocol: Strictness::Warn, ..strict(None) }, &[text.as_bytes()]);
        assert!(told(&read.trace).iter().any(|line| line.starts_with("warning the stream ended before")), "{count}");
    }
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

#[test]
fn reads_consecutive_chat_completions() {
    let call = |id: Option<&str>, name: Option<&str>, arguments: &str| {
        chunk(
            &json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]}),
            None,
        )
    };
    let all = [
        chunk(&json!({"role": "assistant", "content": "Let me see. "}), None),
        call(Some("a"), Some("find"), "{\"id\""),
        call(None, None, ":7}"),
        chunk(&json!({}), Some("tool_calls")),
        chunk(&json!({"role": "tool", "tool_call_id": "a", "content": "{\"total\":20}"}), None),
        call(Some("b"), Some("mail"), "{}"),
        chunk(&json!({}), Some("tool_calls")),
        chunk(&json!({"content": "It is 20."}), None),
        chunk(&json!({}), Some("stop")),
    ];
    let read = read(&events(&all, true));
    assert_eq!(read.output, Ok(json!("Let me see. It is 20.")));
    let expected =
        ["text Let me see. ", "call a find {\"id\":7}", "result a {\"total\":20}", "call b mail {}", "text It is 20."];
    assert_eq!(told(&read.trace), expected);
    every_cut_is_seen(&all[7..], 1);
    let only_done = events(&all[7..8], true);
    assert_eq!(stream(strict(None), &[only_done.as_bytes()]).output, Ok(json!("It is 20.")));
}

#[test]
fn reads_chat_calls_with_shared_index_and_deprecated_calls() {
    let call =
        |id: &str| json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": "find", "arguments": "{}"}}]});
    let shared = [chunk(&call("a"), None), chunk(&call("b"), None), chunk(&json!({}), Some("tool_calls"))];
    assert_eq!(told(&read(&events(&shared, true)).trace), ["call a find {}", "call b find {}"]);
    let piece = |name: Option<&str>, arguments: &str| {
        chunk(&json!({"function_call": {"name": name, "arguments": arguments}}), None)
    };
    let deprecated = [piece(Some("find"), "{\"id\""), piece(None, ":7}"), chunk(&json!({}), Some("function_call"))];
    assert_eq!(told(&read(&events(&deprecated, true)).trace), ["call call_1 find {\"id\":7}"]);
}

#[test]
fn reads_openai_calls_of_every_kind() {
    let output = json!([
        {"type": "computer_call", "call_id": "a", "action": {"type": "click", "x": 1}},
        {"type": "local_shell_call", "call_id": "b", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "call_id": "b", "output": "{\"files\":2}"},
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"},
    ]);
    let response = json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
    let created = json!({"type": "response.created", "response": {"status": "in_progress", "output": []}});
    let expected = [
        "call a computer {\"type\":\"click\",\"x\":1}",
        "call b local_shell {\"command\":[\"ls\"]}",
        "result b {\"files\":2}",
        "call c patch \"*** Begin\"",
    ];
    assert_eq!(told(&read(&events(&[created, response], false)).trace), expected);
}

/// Agents add the results of their own tools to their messages.
#[test]
fn reads_tool_results_in_anthropic_messages() {
    let message = json!({"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [
        {"type": "text", "text": "It is 20."},
        {"type": "tool_use", "id": "a", "name": "find", "input": {"id": 7}},
        {"type": "tool_result", "tool_use_id": "a", "content": "{\"total\":20}"},
    ]});
    let read = typed(strict(None), "application/json", message.to_string().as_bytes());
    assert_eq!(told(&read.trace), ["text It is 20.", "call a find {\"id\":7}", "result a {\"total\":20}"]);
}

#[test]
fn warns_about_abnormal_finish_reason() {
    for (reason, warns) in [("stop", false), ("tool_calls", false), ("length", true), ("content_filter", true)] {
        let read = read(&events(&[chunk(&json!({"content": "a"}), None), chunk(&json!({}), Some(reason))], true));
        let warned = told(&read.trace).iter().any(|line| line.contains(&format!("finish reason `{reason}`")));
        assert_eq!((read.output, warned), (Ok(json!("a")), warns), "{reason}");
    }
}

#[test]
fn reads_openai_responses_without_duplicates() {
    let call = json!({"type": "function_call", "id": "f", "call_id": "a", "name": "find", "arguments": "{\"id\":7}"});
    let mcp =
        json!({"type": "mcp_call", "id": "m", "name": "mail", "arguments": "{}", "output": "sent", "error": null});
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "It is 20."}]});
    let of = |kind: &str, fields: Value| {
        let mut event = json!({ "type": format!("response.{kind}") });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    };
    let all = [
        of("created", json!({"response": {"status": "in_progress", "output": []}})),
        of("reasoning_summary_text.delta", json!({"output_index": 0, "delta": "hm"})),
        of("output_item.done", json!({"output_index": 0, "item": call})),
        of("output_item.done", json!({"output_index": 1, "item": mcp})),
        of("output_text.delta", json!({"output_index": 2, "delta": "It is "})),
        of("output_text.delta", json!({"output_index": 2, "delta": "20."})),
        of("output_text.done", json!({"output_index": 2, "text": "It is 20."})),
        of("content_part.done", json!({"output_index": 2, "part": {"text": "It is 20."}})),
        of("output_item.done", json!({"output_index": 2, "item": message})),
        of("completed", json!({"response": {"status": "completed", "output": [call, mcp, message]}})),
    ];
    let found = read(&events(&all, false));
    assert_eq!(found.output, Ok(json!("It is 20.")));
    let expected = [
        "reasoning hm",
        "call a find {\"id\":7}",
        "provided m mail {}",
        "result m \"sent\"",
        "text It is ",
        "text 20.",
    ];
    assert_eq!(told(&found.trace), expected);
    every_cut_is_seen(&all, 1);
    // Everything may be in the last event.
    let last = events(&[all[0].clone(), all[9].clone()], false);
    assert_eq!(read(&last).output, Ok(json!("It is 20.")));
    let incomplete = of("incomplete", json!({"response": {"incomplete_details": {"reason": "max_output_tokens"}}}));
    let cut = read(&events(&[all[0].clone(), all[4].clone(), incomplete], false));
    assert!(told(&cut.trace).iter().any(|line| line.contains("`max_output_tokens`")), "{:?}", told(&cut.trace));
    let failed = of("failed", json!({"response": {"error": {"code": "server_error", "message": "no model"}}}));
    let output = read(&events(&[all[0].clone(), all[4].clone(), failed], false)).output;
    assert_eq!(output, Err(HttpAnswerError::Failed("no model".into())));
}

#[test]
fn reads_anthropic_messages_with_server_and_client_tools() {
    let start =
        |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let first = [
        json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
        start(0, json!({"type": "thinking", "thinking": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        start(1, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        delta(1, json!({"type": "input_json_delta", "partial_json": "{\"q\":1}"})),
        start(2, json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "t"}]})),
        start(3, json!({"type": "text", "text": ""})),
        delta(3, json!({"type": "text_delta", "text": "Look"})),
        start(4, json!({"type": "tool_use", "id": "a", "name": "find", "input": {}})),
        delta(4, json!({"type": "input_json_delta", "partial_json": "{\"id\":7}"})),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    every_cut_is_seen(&first, 1);
    let second = [
        json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
        start(0, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "text_delta", "text": "ing"})),
        json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
        json!({"type": "message_stop"}),
    ];
    let read = read(&events(&[&first[..], &second[..]].concat(), false));
    assert_eq!(read.output, Ok(json!("Looking")));
    let expected = [
        "reasoning hm",
        "text Look",
        "call a find {\"id\":7}",
        "provided s web_search {\"q\":1}",
        "result s [{\"title\":\"t\"}]",
        "text ing",
        "warning the answer is cut short: the model reached its token limit (finish reason `length`)",
    ];
    assert_eq!(told(&read.trace), expected);
}

#[test]
fn reads_ui_message_stream_with_tools() {
    let all = [
        json!({"type": "start", "messageId": "m"}),
        json!({"type": "start-step"}),
        json!({"type": "reasoning-delta", "id": "r", "delta": "hm"}),
        json!({"type": "tool-input-start", "toolCallId": "a", "toolName": "find"}),
        json!({"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": "{\"id\""}),
        json!({"type": "tool-input-available", "toolCallId": "a", "toolName": "find", "input": {"id": 7}}),
        json!({"type": "tool-output-available", "toolCallId": "a", "output": {"total": 1}, "preliminary": true}),
        json!({"type": "tool-output-available", "toolCallId": "a", "output": {"total": 20}}),
        json!({"type": "tool-input-available", "toolCallId": "b", "toolName": "mail", "input": {}}),
        json!({"type": "tool-output-error", "toolCallId": "b", "errorText": "no such box"}),
        json!({"type": "tool-input-available", "toolCallId": "c", "toolName": "confirm", "input": {}}),
        json!({"type": "finish-step"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "t"}),
        json!({"type": "text-delta", "id": "t", "delta": "It is 20."}),
        json!({"type": "text-end", "id": "t"}),
        json!({"type": "data-note", "data": {"text": "not said"}}),
        json!({"type": "finish-step"}),
        json!({"type": "finish", "finishReason": "stop"}),
    ];
    let found = read(&events(&all, true));
    assert_eq!(found.output, Ok(json!("It is 20.")));
    let expected = [
        "reasoning hm",
        "call a find {\"id\":7}",
        "result a {\"total\":20}",
        "call b mail {}",
        "failed b no such box",
        "call c confirm {}",
        "text It is 20.",
    ];
    assert_eq!(told(&found.trace), expected);
    every_cut_is_seen(&all[12..17], 3);
    // Calls of client tools end a turn without text.
    let only = read(&events(&all[8..12], true));
    assert_eq!(only.output, Ok(Value::Null), "no output");
    let error = json!({"type": "error", "errorText": "no model"});
    let output = read(&events(&[all[0].clone(), all[1].clone(), error], true)).output;
    assert_eq!(output, Err(HttpAnswerError::Failed("no model".into())));
}

#[test]
fn recognizes_data_stream_by_its_line_prefixes() {
    let body = "f:{\"messageId\":\"m\"}\n\
        9:{\"toolCallId\":\"a\",\"toolName\":\"find\",\"args\":{\"id\":7}}\n\
        a:{\"toolCallId\":\"a\",\"result\":{\"total\":20}}\n\
        e:{\"finishReason\":\"tool-calls\",\"isContinued\":false}\n\
        f:{\"messageId\":\"m\"}\ng:\"hm\"\n0:\"It is \"\n0:\"20.\"\n8:[{\"note\":1}]\n\
        e:{\"finishReason\":\"length\"}\nd:{\"finishReason\":\"length\"}\n";
    let read = typed(strict(None), "text/plain", body.as_bytes());
    assert_eq!(read.output, Ok(json!("It is 20.")));
    let expected = [
        "call a find {\"id\":7}",
        "result a {\"total\":20}",
        "reasoning hm",
        "text It is ",
        "text 20.",
        "warning the answer is cut short: the model reached its token limit (finish reason `length`)",
    ];
    assert_eq!(told(&read.trace), expected);
    let output = |body: &str| typed(strict(None), "text/plain", body.as_bytes()).output;
    assert!(matches!(output("f:{\"messageId\":\"m\"}\n0:\"It is \"\n"), Err(HttpAnswerError::Torn(_))));
    assert!(matches!(output("0:\"It is \"\n0:\"2"), Err(HttpAnswerError::Torn(_))));
    assert_eq!(output("0:\"a\"\n3:\"no model\"\n"), Err(HttpAnswerError::Failed("no model".into())));
    // A few handwritten lines are recognised, and plain text is not.
    assert_eq!(output("0:\"a\"\n0:\"b\"\n"), Ok(json!("ab")));
    for text in ["0: nothing\n1: something", "a: b", "0:\"a\" is a line\n", "e: {mc}"] {
        assert_eq!(output(text), Ok(json!(text)));
    }
}

#[test]
fn pointer_selects_text_and_tool_calls_are_still_found() {
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "find", "arguments": "{}"}}]});
    let all = [chunk(&json!({"content": "a", "own": "b"}), None), chunk(&call, Some("tool_calls"))];
    let read = stream(strict(Some("/choices/0/delta/own")), &[events(&all, true).as_bytes()]);
    assert_eq!((read.output, told(&read.trace)), (Ok(json!("b")), vec!["text b".into(), "call a find {}".into()]));
}
