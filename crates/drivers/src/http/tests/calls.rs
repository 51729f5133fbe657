//! Tool calls and finish reasons, wherever they are in an answer.

use agentci_plan::TextEvents;
use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::answers::{Read, json_lines, lenient, stream, strict, typed};
use crate::http::reader::{HttpAnswerError, ReadingManner};

fn calls(read: &Read) -> Vec<String> {
    read.trace.calls().iter().map(|call| format!("{} {}", call.call.name, call.call.args)).collect()
}

fn reasons(read: &Read) -> Vec<&str> {
    let reasons = read.trace.events().iter().map(|event| match &event.kind {
        EventKind::Finish(reason) => Some(reason.as_str()),
        _ => None,
    });
    reasons.flatten().collect()
}

fn warnings(read: &Read) -> usize {
    read.trace.events().iter().filter(|event| matches!(event.kind, EventKind::Violation(_))).count()
}

fn whole(body: &Value) -> Read {
    typed(strict(None), "application/json", body.to_string().as_bytes())
}

fn named(kinds: &[&str]) -> ReadingManner {
    ReadingManner { events: TextEvents::Named(kinds.iter().map(|kind| (*kind).to_owned()).collect()), ..strict(None) }
}

const FOUND: &str = "find {\"id\":7}";

#[test]
fn extracts_tool_calls_and_text_from_non_streamed_answers() {
    let function = json!({"name": "find", "arguments": "{\"id\":7}"});
    let chat = |message: Value| json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    for body in [
        chat(json!({"content": "Look", "tool_calls": [{"id": "a", "function": function}]})),
        chat(json!({"content": "Look", "function_call": function})),
        json!({"object": "response", "status": "completed", "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "Look"}]},
            {"type": "function_call", "call_id": "a", "name": "find", "arguments": "{\"id\":7}"}]}),
        json!({"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "text", "text": "Look"}, {"type": "tool_use", "id": "a", "name": "find", "input": {"id": 7}}]}),
    ] {
        let read = whole(&body);
        assert_eq!((calls(&read), read.trace.conversation().text()), (vec![FOUND.to_owned()], "Look".into()), "{body}");
        assert_eq!(reasons(&read), ["tool_calls"], "{body}");
        // The tool calls are found even if the text is elsewhere.
        let elsewhere = typed(strict(Some("/own")), "application/json", body.to_string().as_bytes());
        assert_eq!((elsewhere.output.as_ref(), calls(&elsewhere).len()), (Ok(&Value::Null), 1), "{body}");
        let every = typed(lenient(), "application/json", body.to_string().as_bytes());
        assert_eq!(calls(&every).len(), 1, "{body}");
    }
    let own = whole(&json!({"answer": "Look", "tool_calls": [{"name": "find", "args": {"id": 7}}]}));
    assert_eq!((calls(&own), own.output), (vec![FOUND.to_owned()], Ok(json!("Look"))));
    let unread = whole(&json!({"answer": "Look", "tool_calls": ["find"]}));
    assert_eq!((calls(&unread).len(), warnings(&unread)), (0, 1));
    let none = whole(&json!({"answer": "Look", "tool_calls": []}));
    assert_eq!((calls(&none).len(), warnings(&none)), (0, 0));
}

#[test]
fn answer_without_text_stays_structured_data() {
    let body =
        json!({"choices": [{"message": {"content": null, "tool_calls": [{"id": "a", "function": {"name": "find"}}]}}]});
    assert_eq!(whole(&body).output, Ok(body));
    let body = json!({"type": "message", "role": "assistant", "content": [
        {"type": "text", "text": "Look"}, {"type": "tool_use", "id": "a", "name": "find", "input": {}}]});
    assert_eq!(whole(&body).output, Ok(body));
}

#[test]
fn recognizes_ollama_json_lines_and_their_end() {
    let line = |message: Value, done: bool| {
        json!({"model": "m", "message": message, "done": done, "done_reason": if done { "length" } else { "" }})
            .to_string()
    };
    let call = json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "find", "arguments": {"id": 7}}}]});
    let said = json!({"role": "assistant", "content": "Look"});
    let text =
        [line(call.clone(), false), line(said.clone(), false), line(json!({"role": "assistant", "content": ""}), true)];
    for read in [
        json_lines(strict(None), &text.join("\n")),
        typed(strict(None), "application/json", text.join("\n").as_bytes()),
    ] {
        assert_eq!((read.output.as_ref(), calls(&read)), (Ok(&json!("Look")), vec![FOUND.to_owned()]));
        assert_eq!((reasons(&read), warnings(&read)), (vec!["length"], 1));
    }
    let torn = json_lines(strict(None), &text[..2].join("\n"));
    assert!(matches!(torn.output, Err(HttpAnswerError::Torn(_))), "{:?}", torn.output);
}

#[test]
fn openai_like_chunks_report_calls_without_end_marker() {
    let chunk = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let call = |name: Option<&str>, arguments: &str| {
        chunk(json!({"tool_calls": [{"index": 0, "function": {"name": name, "arguments": arguments}}]}))
    };
    let text = chunk(json!({"content": "Look"})) + &call(Some("find"), "{\"id\"") + &call(None, ":7}");
    let read = stream(strict(None), &[text.as_bytes()]);
    assert_eq!((read.output.as_ref(), calls(&read)), (Ok(&json!("Look")), vec![FOUND.to_owned()]));
    let mixed = stream(strict(None), &[(text + "data: {\"text\":\"ing\"}\n\n").as_bytes()]);
    assert_eq!(mixed.output, Ok(json!("Looking")));
}

#[test]
fn finds_calls_despite_text_content_type_or_listed_events() {
    let chunk = |delta: Value, finish: Option<&str>| {
        let event = json!({"object": "chat.completion.chunk", "choices": [{"delta": delta, "finish_reason": finish}]});
        format!("data: {event}\n\n")
    };
    let call =
        json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "find", "arguments": "{\"id\":7}"}}]});
    let text = chunk(json!({"content": "Look"}), None) + &chunk(call, Some("tool_calls")) + "data: [DONE]\n\n";
    for read in [typed(strict(None), "text/plain", text.as_bytes()), stream(named(&["message"]), &[text.as_bytes()])] {
        assert_eq!((read.output.as_ref(), calls(&read)), (Ok(&json!("Look")), vec![FOUND.to_owned()]));
    }
    // Text that looks like a stream stays text.
    for text in ["data: {\"text\":\"a\"}\n\n", "data: choices\n\n"] {
        assert_eq!(typed(strict(None), "text/plain", text.as_bytes()).output, Ok(json!(text)));
    }
}

#[test]
fn tool_events_become_calls_or_a_warning() {
    let token = "event: token\ndata: {\"content\":\"Look\"}\n\n";
    let call = "event: tool_call\ndata: {\"name\":\"find\",\"arguments\":{\"id\":7}}\n\n";
    for manner in [strict(None), named(&["token"]), lenient()] {
        let read = stream(manner, &[(call.to_owned() + token).as_bytes()]);
        assert_eq!((calls(&read), warnings(&read)), (vec![FOUND.to_owned()], 0));
    }
    for other in ["event: tool_call\ndata: find\n\n", "event: toolStart\ndata: {\"message\":\"find\"}\n\n"] {
        let read = stream(strict(None), &[(other.to_owned() + other + token).as_bytes()]);
        assert_eq!((calls(&read).len(), warnings(&read), read.output), (0, 1, Ok(json!("Look"))), "{other}");
    }
    // A kind that is listed under `events` is text.
    let read = stream(named(&["tool_call"]), &[b"event: tool_call\ndata: find\n\n"]);
    assert_eq!((read.output.as_ref(), warnings(&read)), (Ok(&json!("find")), 0));
}

#[test]
fn error_without_answer_fails_unless_lenient() {
    let body = json!({"error": "overloaded", "message": "Try again."});
    assert_eq!(whole(&body).output, Err(HttpAnswerError::Failed("overloaded".into())));
    assert_eq!(typed(lenient(), "application/json", body.to_string().as_bytes()).output, Ok(json!("Try again.")));
    for body in [json!({"error": "overloaded", "answer": "20"}), json!({"error": {}, "message": "20"})] {
        assert_eq!(whole(&body).output, Ok(json!("20")), "{body}");
    }
    let beside = json!({"error": "cache", "choices": [{"message": {"content": "20"}}]});
    assert_eq!(whole(&beside).output, Ok(json!("20")));
}

#[test]
fn step_events_alone_do_not_imply_ai_sdk_stream() {
    let custom = "data: {\"type\":\"start-step\"}\n\ndata: {\"type\":\"token\",\"content\":\"Look\"}\n\ndata: {\"type\":\"done\"}\n\n";
    assert_eq!(stream(strict(None), &[custom.as_bytes()]).output, Ok(json!("Look")));
    let text = "data: {\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"Look\"}\n\n";
    assert!(matches!(stream(strict(None), &[text.as_bytes()]).output, Err(HttpAnswerError::Torn(_))));
    for end in ["data: {\"type\":\"finish\"}\n\n", "data: [DONE]\n\n", "data: {\"type\":\"done\"}\n\n"] {
        let read = stream(strict(None), &[(text.to_owned() + end).as_bytes()]);
        assert_eq!(read.output, Ok(json!("Look")), "{end}");
    }
    for (reason, words) in [("", "the answer was aborted"), ("user", "the answer was aborted: user")] {
        let abort = format!("data: {}\n\n", json!({"type": "abort", "reason": reason}));
        let output = stream(strict(None), &[(text.to_owned() + &abort).as_bytes()]).output;
        assert_eq!(output, Err(HttpAnswerError::Failed(words.into())));
    }
}
