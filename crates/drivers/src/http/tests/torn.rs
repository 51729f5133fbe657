//! Truncated answers, and complete ones with an unusual end.

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::answers::{Read, lenient, stream, strict, typed};
use crate::http::reader::HttpAnswerError;

fn warnings(read: &Read) -> Vec<&str> {
    let words = read.trace.events().iter().map(|event| match &event.kind {
        EventKind::Violation(words) => Some(words.as_str()),
        _ => None,
    });
    words.flatten().collect()
}

fn is_torn(output: &Result<Value, HttpAnswerError>) -> bool {
    matches!(output, Err(HttpAnswerError::Torn(_)))
}

#[test]
fn refuses_stream_truncated_inside_an_event() {
    for text in [
        "data: {\"token\":\"a\"}\n\ndata: {\"tok",
        "data: {\"token\":\"a\"}\n\ndata: {\"tok\n",
        "data: {\"token\":\"a\"}\n\ndata: ",
        "data: {\"answer\":\"the tot",
        "data: \"the tot",
        "data: {\"token\":\"a\"}\n\nevent: tok",
        "data: {\"token\":\"a\"}\n\nda",
    ] {
        for manner in [strict(None), lenient()] {
            let read = stream(manner, &[text.as_bytes()]);
            assert!(is_torn(&read.output), "{text:?}: {:?}", read.output);
        }
    }
}

#[test]
fn unterminated_text_event_is_truncated_unless_lenient() {
    let text = b"data: a\n\ndata: b";
    assert!(is_torn(&stream(strict(None), &[text]).output));
    let read = stream(lenient(), &[text]);
    assert_eq!(read.output, Ok(json!("ab")));
    assert_eq!(warnings(&read).len(), 1);
}

#[test]
fn accepts_complete_last_event_with_a_warning() {
    for text in [
        "data: {\"token\":\"a\"}\n\ndata: {\"token\":\"b\"}",
        "data: {\"token\":\"a\"}\n\ndata: {\"token\":\"b\"}\n",
        "data: a\n\ndata: b\n",
        "data: ab\n\nevent: done\ndata: x",
    ] {
        let read = stream(strict(None), &[text.as_bytes()]);
        assert_eq!(read.output, Ok(json!("ab")), "{text:?}");
        assert_eq!(warnings(&read), ["the stream ended without the blank line after its last event"], "{text:?}");
    }
    for text in
        ["data: {\"text\":\"a\"}\n\ndata: [DONE]", "data: {\"text\":\"a\"}\n\ndata: [DONE]\n", "data: a\n\n: by"]
    {
        let read = stream(strict(None), &[text.as_bytes()]);
        assert_eq!((&read.output, warnings(&read).len()), (&Ok(json!("a")), 0), "{text:?}");
    }
}

#[test]
fn json_content_type_requires_valid_json() {
    for body in ["{\"answer\":\"the tot", "the total", "{\"a\":1} and more", "{\"text\":\"a\"}\n{\"te", "NaN"] {
        for content_type in ["application/json", "application/problem+json"] {
            let output = typed(strict(None), content_type, body.as_bytes()).output;
            assert!(
                matches!(output, Err(HttpAnswerError::Torn(_) | HttpAnswerError::Mislabelled(_))),
                "{body}: {output:?}"
            );
            let read = typed(lenient(), content_type, body.as_bytes());
            assert_eq!((&read.output, warnings(&read).len()), (&Ok(json!(body)), 1), "{body}");
        }
    }
    for body in ["{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "{\"a\":1}\n\n[2]", "12", "1\n2\n"] {
        let read = typed(strict(None), "application/json", body.as_bytes());
        assert!(read.output.is_ok() && warnings(&read).is_empty(), "{body}: {:?}", read.output);
    }
}

#[test]
fn refuses_truncated_json_without_content_type() {
    assert!(is_torn(&typed(strict(None), "", b"{\"answer\":\"the tot").output));
    let read = typed(strict(None), "text/plain", b"{\"answer\":\"the tot");
    assert_eq!((read.output.is_ok(), warnings(&read).len()), (true, 1));
    let read = typed(strict(None), "text/plain", b"[note: all is well");
    assert_eq!((read.output.is_ok(), warnings(&read).len()), (true, 0));
}

#[test]
fn reports_invalid_utf8_once() {
    let read = stream(strict(None), &[b"data: a\xFF\n\ndata: b\xFF\n\n"]);
    assert_eq!(read.output, Ok(json!("a\u{fffd}b\u{fffd}")));
    assert_eq!(warnings(&read), ["the answer contains bytes that are not UTF-8; they were replaced"]);
    assert_eq!(warnings(&typed(strict(None), "text/plain", b"a\xFF")).len(), 1);
}
