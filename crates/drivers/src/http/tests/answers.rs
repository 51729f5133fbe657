//! Answers as events, as lines, or whole.

use agentci_plan::{Strictness, TextEvents};
use agentci_protocols::sse::Decoder;
use agentci_trace::{Event, EventKind, Moment, Trace};
use serde_json::{Value, json};

use crate::http::reader::{HttpAnswerError, HttpReader, ReadingManner};

/// The output of an answer, and its trace.
pub(super) struct Read {
    pub(super) output: Result<Value, HttpAnswerError>,
    pub(super) trace: Trace,
}

/// The settings of native suites.
pub(super) fn strict(pointer: Option<&str>) -> ReadingManner {
    ReadingManner { pointer: pointer.map(str::to_owned), events: TextEvents::Usual, protocol: Strictness::Fail }
}

/// The settings of scenarios.
pub(super) fn lenient() -> ReadingManner {
    ReadingManner { pointer: None, events: TextEvents::All, protocol: Strictness::Warn }
}

fn read(
    manner: ReadingManner,
    take: impl FnOnce(&mut HttpReader, &mut dyn FnMut(Vec<EventKind>)) -> Result<(), HttpAnswerError>,
) -> Read {
    let mut reader = HttpReader::new(manner);
    let mut trace = Trace::default();
    let mut push = |kinds: Vec<EventKind>| {
        for kind in kinds {
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
    };
    let output = take(&mut reader, &mut push).and_then(|()| {
        reader.end()?;
        push(std::mem::take(&mut reader.steps));
        reader.finish().map(Option::unwrap_or_default)
    });
    Read { output, trace }
}

/// Reads a stream that arrives in these pieces.
pub(super) fn stream(manner: ReadingManner, pieces: &[&[u8]]) -> Read {
    read(manner, |reader, push| {
        let mut decoder = Decoder::new(1 << 20);
        let mut frames = Vec::new();
        for piece in pieces {
            decoder.push(piece);
            frames.extend(std::iter::from_fn(|| decoder.next().unwrap()));
        }
        frames.extend(std::iter::from_fn(|| decoder.finish()));
        for frame in frames {
            reader.event(&frame)?;
            push(std::mem::take(&mut reader.steps));
            if reader.is_over() {
                return Ok(());
            }
        }
        if let Some(line) = decoder.torn_line() {
            reader.torn_line(line)?;
            push(std::mem::take(&mut reader.steps));
        }
        Ok(())
    })
}

fn events(text: &str) -> Result<Value, HttpAnswerError> {
    let read = stream(strict(None), &[text.as_bytes()]);
    if let Ok(Value::String(output)) = &read.output {
        assert_eq!(read.trace.conversation().text(), *output, "what was said and what it comes to differ");
    }
    read.output
}

fn lines(text: &str) -> Result<Value, HttpAnswerError> {
    json_lines(strict(None), text).output
}

/// Reads an answer of JSON lines.
pub(super) fn json_lines(manner: ReadingManner, text: &str) -> Read {
    read(manner, |reader, push| {
        for (index, line) in text.split_inclusive('\n').enumerate() {
            reader.line(index + 1, line.as_bytes())?;
            push(std::mem::take(&mut reader.steps));
            if reader.is_over() {
                break;
            }
        }
        Ok(())
    })
}

fn whole(pointer: Option<&str>, body: &[u8]) -> Result<Value, HttpAnswerError> {
    typed(strict(pointer), "text/plain", body).output
}

/// Reads a whole answer of this type.
pub(super) fn typed(manner: ReadingManner, content_type: &str, body: &[u8]) -> Read {
    read(manner, |reader, push| {
        reader.whole(content_type, body)?;
        push(std::mem::take(&mut reader.steps));
        Ok(())
    })
}

fn failed(words: &str) -> Result<Value, HttpAnswerError> {
    Err(HttpAnswerError::Failed(words.into()))
}

#[test]
fn joins_text_of_streamed_events() {
    for (text, expected) in [
        ("data: Hello\n\ndata: , you\n\n", "Hello, you"),
        ("\u{feff}: hi\r\ndata: a\r\n\r\n: still there\r\n\r\ndata: b\r\ndata: c\r\n\r\n", "ab\nc"),
        ("data: {\"token\":\"a\"}\n\ndata: {\"token\":\"b\"}\n\ndata: [DONE]\n\ndata: {\"token\":\"c\"}\n\n", "ab"),
        ("data: \"a \"\n\ndata: 42\n\ndata: null\n\ndata:  true\n\n", "a 42 true"),
        ("data: {\"status\":\"thinking\"}\n\ndata: [1]\n\ndata: {\"text\":\"a\"}\n\n", "a"),
        ("event: ping\ndata: x\n\nevent: heartbeat\ndata: {\"text\":\"x\"}\n\ndata: a\n\n", "a"),
        // The last event has no blank line.
        ("data: a\n\ndata: b\n", "ab"),
    ] {
        assert_eq!(events(text), Ok(json!(expected)), "{text:?}");
    }
}

#[test]
fn recognizes_all_end_markers() {
    for end in [
        "event: done\ndata: {}\n\n",
        "event: end\ndata: ok\n\n",
        "event: complete\ndata: {\"answer\":\"ab\"}\n\n",
        "data: {\"type\":\"done\",\"text\":\"ab\"}\n\n",
        "data: [DONE]\n\n",
    ] {
        let text = format!("data: a\n\ndata: b\n\n{end}data: more\n\n");
        assert_eq!(events(&text), Ok(json!("ab")), "{end:?}");
    }
    // Without earlier text, the end event may contain it.
    assert_eq!(events("event: complete\ndata: {\"answer\":\"all\"}\n\n"), Ok(json!("all")));
    assert_eq!(events("event: done\ndata: all\n\n"), Err(HttpAnswerError::Empty("the agent's answer is empty".into())));
}

#[test]
fn final_event_replaces_earlier_text() {
    for last in [
        "event: final\ndata: {\"text\":\"Hello\"}\n\n",
        "event: final\ndata: Hello\n\n",
        "data: {\"type\":\"final\",\"content\":\"Hello\"}\n\n",
    ] {
        for first in ["", "data: Hell\n\n", "data: Hello\n\n", "data: Something else\n\n"] {
            assert_eq!(events(&format!("{first}{last}")), Ok(json!("Hello")), "{first}{last}");
        }
    }
    // It is not the end, and one without text replaces nothing.
    assert_eq!(events("data: a\n\nevent: final\ndata: {}\n\ndata: b\n\n"), Ok(json!("ab")));
}

#[test]
fn error_event_fails_the_response() {
    for (text, expected) in [
        ("data: a\n\nevent: error\ndata: out of tokens\n\n", "out of tokens"),
        ("event: error\ndata: {\"message\":\"no model\"}\n\n", "no model"),
        ("data: {\"type\":\"error\",\"error\":{\"message\":\"overloaded\"}}\n\n", "overloaded"),
        ("data: {\"error\":\"no key\"}\n\n", "no key"),
    ] {
        assert_eq!(events(text), failed(expected), "{text:?}");
    }
    // A null `error` is not an error.
    assert_eq!(events("data: {\"error\":null,\"text\":\"fine\"}\n\n"), Ok(json!("fine")));
    assert_eq!(whole(None, b"{\"error\":{\"message\":\"no\"}}"), failed("no"));
    assert_eq!(lines("{\"token\":\"a\"}\n{\"type\":\"error\",\"message\":\"no\"}\n"), failed("no"));
}

#[test]
fn answer_without_text_fails_with_a_reason() {
    let empty = |words: &str| Err(HttpAnswerError::Empty(words.into()));
    for text in ["", ": hi\n\n", "data:  \n\n", "event: done\ndata: x\n\n"] {
        assert_eq!(events(text), empty("the agent's answer is empty"), "{text:?}");
    }
    let unusual = "the agent's answer has no text in any of the usual fields";
    assert_eq!(events("data: {\"say\":\"a\"}\n\n"), empty(unusual));
    let at_pointer = stream(strict(Some("/say/it")), &[b"data: {\"text\":\"a\"}\n\n"]).output;
    assert_eq!(at_pointer, empty("the agent's answer has no text at `/say/it`"));
    assert_eq!(whole(None, b" \n"), empty("the agent's answer is empty"));
    for body in ["{}", "[]"] {
        assert_eq!(whole(None, body.as_bytes()), empty(unusual));
    }
    assert_eq!(whole(Some("/a"), b"{\"b\":1}"), empty("the agent's answer has no text at `/a`"));
}

#[test]
fn pointer_disables_the_usual_fields() {
    let text = b"data: {\"say\":{\"it\":\"a\"},\"text\":\"x\"}\n\ndata: {\"text\":\"y\"}\n\n";
    assert_eq!(stream(strict(Some("/say/it")), &[text]).output, Ok(json!("a")));
}

#[test]
fn joins_text_of_json_lines() {
    let text = "\u{feff}{\"message\":{\"content\":\"a\"}}\r\n\n\"b\"\n{\"done\":true}\n{\"text\":\"c\"}";
    assert_eq!(lines(text), Ok(json!("abc")));
    let Err(HttpAnswerError::Garbled(words)) = lines("{\"text\":\"a\"}\nnonsense\n") else { panic!() };
    assert!(words.starts_with("line 2 of the answer is not JSON") && words.ends_with("it says: nonsense"), "{words}");
}

#[test]
fn reads_non_streamed_answers() {
    assert_eq!(whole(None, "\u{feff} Grüße\n".as_bytes()), Ok(json!(" Grüße\n")));
    assert_eq!(whole(None, b"42"), Ok(json!("42")));
    assert_eq!(whole(None, b"\"quoted\""), Ok(json!("quoted")));
    assert_eq!(whole(None, b"{\"answer\":\"a\",\"sources\":[1]}"), Ok(json!("a")));
    assert_eq!(whole(Some("/sources"), b"{\"answer\":\"a\",\"sources\":[1]}"), Ok(json!("[1]")));
    // A value without text is the answer.
    assert_eq!(whole(None, b"{\"total\":1.50}"), Ok(serde_json::from_str("{\"total\":1.50}").unwrap()));
    // Not a stream without the content type.
    assert_eq!(whole(None, b"data: a\n\n"), Ok(json!("data: a\n\n")));
    // Bytes that are not UTF-8 are replaced.
    assert_eq!(whole(None, b"a\xFFb"), Ok(json!("a\u{fffd}b")));
}
