//! Data alongside the text of an answer, which prohibitions check.

use agentci_plan::TextEvents;
use serde_json::json;

use super::answers::{Read, json_lines, stream, strict, typed};
use crate::http::reader::ReadingManner;

/// What prohibitions check besides the text.
fn seen(read: &Read) -> Vec<String> {
    let output = read.trace.conversation();
    let said = output.text();
    output.everything().into_iter().map(|spelling| spelling.text).filter(|text| *text != said).collect()
}

#[test]
fn negated_checks_cover_strings_around_the_answer() {
    let body =
        json!({"answer": "ok", "debug": {"mail": "a@b.org"}, "error": null, "ms": 42, "status": "s", "thinking": "t"});
    for pointer in [None, Some("/answer")] {
        let read = typed(strict(pointer), "application/json", body.to_string().as_bytes());
        assert_eq!((read.output.as_ref(), seen(&read)), (Ok(&json!("ok")), vec!["a@b.org".to_owned()]));
    }
    let chat = json!({"id": "c-1", "model": "gpt", "choices": [{"message": {"content": "ok"}}], "debug": "a@b.org"});
    let read = typed(strict(None), "application/json", chat.to_string().as_bytes());
    assert_eq!(seen(&read), ["a@b.org"]);
    let read = typed(strict(Some("/debug")), "application/json", chat.to_string().as_bytes());
    assert_eq!((read.output.as_ref(), seen(&read)), (Ok(&json!("a@b.org")), vec!["ok".to_owned()]));
}

#[test]
fn negated_checks_cover_events_outside_the_answer() {
    let event = |kind: &str, text: &str| format!("event: {kind}\ndata: {}\n\n", json!({ "text": text }));
    let note = event("note", "a@") + &event("token", "ok") + &event("note", "b.org") + &event("status", "s");
    let read = stream(strict(None), &[(note.clone() + &event("reasoning", "r") + &event("done", "ok")).as_bytes()]);
    assert_eq!((read.output.as_ref(), seen(&read)), (Ok(&json!("ok")), vec!["a@b.org".to_owned()]));
    let listed = ReadingManner { events: TextEvents::Named(vec!["token".into()]), ..strict(None) };
    assert_eq!(seen(&stream(listed, &[note.as_bytes()])), ["a@b.org"]);
    let sources = "event: sources\ndata: {\"list\":[{\"mail\":\"a@b.org\"}]}\n\n".to_owned() + &event("token", "ok");
    assert_eq!(seen(&stream(strict(None), &[sources.as_bytes()])), ["a@b.org"]);
    let lines =
        "{\"type\":\"token\",\"text\":\"ok\",\"id\":\"x\"}\n{\"type\":\"note\",\"text\":\"a@b.org\",\"id\":\"x\"}\n";
    assert_eq!(seen(&json_lines(strict(None), lines)), ["x", "a@b.org"]);
}

#[test]
fn negated_checks_cover_custom_data_in_known_streams() {
    let chunk =
        json!({"object": "chat.completion.chunk", "id": "c", "choices": [{"delta": {"content": "ok"}}], "own": "a"});
    let text = format!(
        "data: {chunk}\n\nevent: note\ndata: {{\"text\":\"b\"}}\n\nevent: status\ndata: {{\"text\":\"s\"}}\n\ndata: [DONE]\n\n"
    );
    let read = stream(strict(None), &[text.as_bytes()]);
    assert_eq!((read.output.as_ref(), seen(&read)), (Ok(&json!("ok")), vec!["a".to_owned(), "b".to_owned()]));
    let data = typed(strict(None), "text/plain", b"0:\"ok\"\n2:[{\"mail\":\"a@b.org\"}]\n");
    assert_eq!(seen(&data), ["a@b.org"]);
}
