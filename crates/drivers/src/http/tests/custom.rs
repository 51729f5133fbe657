//! Custom streams: the kind of an event says whether it is text.

use agentci_plan::TextEvents;
use serde_json::{Value, json};

use super::answers::{lenient, stream, strict};
use crate::http::reader::{HttpAnswerError, ReadingManner};

fn said(text: &str) -> Result<Value, HttpAnswerError> {
    let read = stream(strict(None), &[text.as_bytes()]);
    if let Ok(Value::String(output)) = &read.output {
        assert_eq!(read.trace.conversation().text(), *output, "what was said and what it comes to differ");
    }
    read.output
}

fn named(kinds: &[&str], text: &str) -> Result<Value, HttpAnswerError> {
    let events = TextEvents::Named(kinds.iter().map(|kind| (*kind).to_owned()).collect());
    stream(ReadingManner { events, ..strict(None) }, &[text.as_bytes()]).output
}

fn event(kind: &str, text: &str) -> String {
    format!("event: {kind}\ndata: {}\n\n", json!({ "content": text }))
}

fn typed(kind: &str, text: &str) -> String {
    format!("data: {}\n\n", json!({ "type": kind, "content": text }))
}

#[test]
fn non_answer_events_are_excluded_from_the_answer() {
    for write in [event, typed] {
        for other in ["status", "tool_start", "toolResult", "reasoning", "reasoning_delta", "thinking", "citation"] {
            for text in ["token", "delta", "text_delta", "chunk", "content", "message", "answer"] {
                let streams = [
                    write(other, "Searching") + &write(text, "Par") + &write(text, "is"),
                    write(text, "Par") + &write(other, "Searching") + &write(text, "is"),
                ];
                for stream in streams {
                    assert_eq!(said(&stream), Ok(json!("Paris")), "{stream}");
                }
            }
        }
    }
    assert_eq!(said(&(typed("status", "x") + "data: {\"text\":\"a\"}\n\ndata: b\n\n")), Ok(json!("ab")));
}

#[test]
fn one_unknown_kind_is_text_and_two_are_ambiguous() {
    let one = event("speech", "Par") + &event("state", "") + &event("speech", "is");
    assert_eq!(said(&one), Ok(json!("Paris")));
    let two = event("thought", "Hm") + &event("speech", "Paris");
    assert_eq!(said(&two), Err(HttpAnswerError::Ambiguous("thought".into(), "speech".into())));
    assert_eq!(named(&["speech"], &two), Ok(json!("Paris")));
    assert_eq!(named(&["thought", "speech"], &two), Ok(json!("HmParis")));
    // An event that repeats the answer is not another one.
    assert_eq!(said(&(one + &event("result", "Paris"))), Ok(json!("Paris")));
}

#[test]
fn only_listed_event_kinds_are_text() {
    let all = event("status", "Searching") + &typed("token", "Par") + "data: is\n\n";
    assert_eq!(named(&["status"], &all), Ok(json!("Searching")));
    assert_eq!(named(&["token"], &all), Ok(json!("Par")));
    assert_eq!(named(&["token", "message"], &all), Ok(json!("Paris")));
    let failed = named(&["token"], &(typed("token", "a") + &typed("error", "no")));
    assert_eq!(failed, Err(HttpAnswerError::Failed("no".into())));
    // With listed kinds, the format of the stream is not used for text.
    let chunk = "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    assert_eq!(named(&["message"], chunk), Ok(json!("a")));
}

#[test]
fn stream_error_fails_despite_text_in_the_same_event() {
    for text in [
        typed("token", "a") + "data: {\"error\":\"overloaded\",\"content\":\"sorry\"}\n\n",
        typed("token", "a") + &typed("agent_error", "overloaded"),
        event("run-error", "overloaded"),
    ] {
        assert_eq!(said(&text), Err(HttpAnswerError::Failed("overloaded".into())), "{text}");
    }
    for none in ["null", "false", "\"\"", "0", "{}", "[]"] {
        let text = format!("data: {{\"error\":{none},\"content\":\"fine\"}}\n\n");
        assert_eq!(said(&text), Ok(json!("fine")), "{text}");
    }
}

#[test]
fn lenient_mode_joins_all_events() {
    let text = event("status", "Searching ") + &event("thought", "hm ") + &event("speech", "Paris");
    assert_eq!(stream(lenient(), &[text.as_bytes()]).output, Ok(json!("Searching hm Paris")));
}
