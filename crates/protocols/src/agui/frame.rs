//! One event as it came.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{Broken, Fields, quote};

/// How much of an offending event is shown.
const QUOTED: usize = 200;
/// A `RAW` event above this many bytes is read, and what it carries is not kept.
pub(super) const RAW_KEPT: usize = 4096;

const NOT_AGUI: &str = "each event is a JSON object with a `type`: check that the endpoint speaks AG-UI, and that nothing \
                        else is written into its stream";

macro_rules! types {
    ($($name:ident = $text:literal,)*) => {
        /// The types of event there are; those that begin with `Thinking` left the protocol with 1.0.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Type { $($name,)* }

        impl Type {
            fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(Type::$name),)* _ => None }
            }

            pub(super) fn name(self) -> &'static str {
                match self { $(Type::$name => $text,)* }
            }
        }
    };
}

types! {
    RunStarted = "RUN_STARTED",
    RunFinished = "RUN_FINISHED",
    RunError = "RUN_ERROR",
    StepStarted = "STEP_STARTED",
    StepFinished = "STEP_FINISHED",
    TextMessageStart = "TEXT_MESSAGE_START",
    TextMessageContent = "TEXT_MESSAGE_CONTENT",
    TextMessageEnd = "TEXT_MESSAGE_END",
    TextMessageChunk = "TEXT_MESSAGE_CHUNK",
    ToolCallStart = "TOOL_CALL_START",
    ToolCallArgs = "TOOL_CALL_ARGS",
    ToolCallEnd = "TOOL_CALL_END",
    ToolCallChunk = "TOOL_CALL_CHUNK",
    ToolCallResult = "TOOL_CALL_RESULT",
    StateSnapshot = "STATE_SNAPSHOT",
    StateDelta = "STATE_DELTA",
    MessagesSnapshot = "MESSAGES_SNAPSHOT",
    ActivitySnapshot = "ACTIVITY_SNAPSHOT",
    ActivityDelta = "ACTIVITY_DELTA",
    Raw = "RAW",
    Custom = "CUSTOM",
    ReasoningStart = "REASONING_START",
    ReasoningMessageStart = "REASONING_MESSAGE_START",
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT",
    ReasoningMessageEnd = "REASONING_MESSAGE_END",
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK",
    ReasoningEnd = "REASONING_END",
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE",
    SubagentStarted = "SUBAGENT_STARTED",
    SubagentFinished = "SUBAGENT_FINISHED",
    SubagentError = "SUBAGENT_ERROR",
    ThinkingStart = "THINKING_START",
    ThinkingEnd = "THINKING_END",
    ThinkingTextMessageStart = "THINKING_TEXT_MESSAGE_START",
    ThinkingTextMessageContent = "THINKING_TEXT_MESSAGE_CONTENT",
    ThinkingTextMessageEnd = "THINKING_TEXT_MESSAGE_END",
}

/// One event.
#[derive(Debug)]
pub(super) enum Frame<'f> {
    /// A piece of text, of thought or of arguments: nearly all of a stream is made of these.
    Delta(Delta<'f>),
    /// Any other that the protocol knows.
    Known(Fields),
    /// One it does not know.
    Unknown(String),
}

/// A piece of something that was opened before.
#[derive(Debug)]
pub(super) struct Delta<'f> {
    pub(super) kind: Type,
    pub(super) id: Cow<'f, str>,
    pub(super) piece: Cow<'f, str>,
    pub(super) lane: Option<String>,
    pub(super) metadata: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageDelta<'f> {
    #[serde(borrow)]
    message_id: Cow<'f, str>,
    #[serde(borrow)]
    delta: Cow<'f, str>,
    subagent_run_id: Option<String>,
    metadata: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallDelta<'f> {
    #[serde(borrow)]
    tool_call_id: Cow<'f, str>,
    #[serde(borrow)]
    delta: Cow<'f, str>,
    subagent_run_id: Option<String>,
    metadata: Option<Value>,
}

/// Reads one event; `number` is its place in the stream, from 1.
pub(super) fn read(data: &str, number: usize) -> Result<Frame<'_>, Broken> {
    if let Some(frame) = read_quickly(data, number) {
        return Ok(frame);
    }
    let bad = |reason: String| Broken {
        message: format!("event {number} {reason}\nthe event: {}", quote(data, QUOTED)),
        help: NOT_AGUI,
    };
    let value: Value = serde_json::from_str(data).map_err(|error| bad(format!("is not JSON: {}", words_of(&error))))?;
    let Value::Object(mut map) = value else {
        return Err(bad("is JSON, but not an object".into()));
    };
    let kind = match map.remove("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(bad("has a `type` that is not a text".into())),
        None => return Err(bad("has no `type`".into())),
    };
    let Some(kind) = Type::of(&kind) else { return Ok(Frame::Unknown(kind)) };
    let mut fields = Fields::new(kind, number, map);
    let id = if is_message_delta(kind) {
        fields.text("messageId")?
    } else if kind == Type::ToolCallArgs {
        fields.text("toolCallId")?
    } else {
        return Ok(Frame::Known(fields));
    };
    let piece = fields.text("delta")?;
    let (lane, metadata) = (fields.lane()?, fields.take("metadata"));
    Ok(Frame::Delta(Delta { kind, id: id.into(), piece: piece.into(), lane, metadata }))
}

/// Reads the frequent ones, where the type comes first as it nearly always does, without building a value of all of it.
fn read_quickly(data: &str, number: usize) -> Option<Frame<'_>> {
    let kind = Type::of(first_type(data)?)?;
    if is_message_delta(kind) {
        let read: MessageDelta<'_> = serde_json::from_str(data).ok()?;
        let MessageDelta { message_id: id, delta: piece, subagent_run_id: lane, metadata } = read;
        return Some(Frame::Delta(Delta { kind, id, piece, lane, metadata }));
    }
    if kind == Type::ToolCallArgs {
        let read: CallDelta<'_> = serde_json::from_str(data).ok()?;
        let CallDelta { tool_call_id: id, delta: piece, subagent_run_id: lane, metadata } = read;
        return Some(Frame::Delta(Delta { kind, id, piece, lane, metadata }));
    }
    if kind == Type::Raw && data.len() > RAW_KEPT {
        serde_json::from_str::<serde::de::IgnoredAny>(data).ok()?;
        return Some(Frame::Known(Fields::new(kind, number, Map::new())));
    }
    None
}

fn is_message_delta(kind: Type) -> bool {
    matches!(kind, Type::TextMessageContent | Type::ReasoningMessageContent)
}

fn first_type(data: &str) -> Option<&str> {
    let rest = data.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"type\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    Some(rest.split_once('"')?.0)
}

/// The JSON reader's words without the position, which is always on line 1 here.
fn words_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line").map_or(text.clone(), |(words, _)| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(data: &str) -> (String, String, Option<String>) {
        match read(data, 1).unwrap() {
            Frame::Delta(Delta { id, piece, lane, .. }) => (id.into_owned(), piece.into_owned(), lane),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_delta_reads_the_same_wherever_its_type_stands() {
        let expected = ("m".to_owned(), "a\n\"é".to_owned(), Some("s".to_owned()));
        for data in [
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\n\"é","subagentRunId":"s","timestamp":1.5}"#,
            r#" { "type" : "TEXT_MESSAGE_CONTENT", "delta": "a\n\"\u00e9", "subagentRunId": "s", "messageId": "m"}"#,
            r#"{"delta":"a\n\"é","messageId":"m","subagentRunId":"s","type":"TEXT_MESSAGE_CONTENT"}"#,
            r#"{"type":"TOOL_CALL_ARGS","messageId":"x","toolCallId":"m","delta":"a\n\"é","subagentRunId":"s"}"#,
            r#"{"type":"REASONING_MESSAGE_CONTENT","rawEvent":{"type":[1]},"messageId":"m","delta":"a\n\"é","subagentRunId":"s"}"#,
        ] {
            assert_eq!(delta(data), expected, "{data}");
        }
    }

    #[test]
    fn a_text_without_escapes_is_not_copied() {
        let data = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"plain"}"#;
        let Frame::Delta(Delta { id: Cow::Borrowed("m"), piece: Cow::Borrowed("plain"), .. }) = read(data, 1).unwrap()
        else {
            panic!("{data}")
        };
    }

    #[test]
    fn what_can_not_be_read_is_named_and_shown() {
        for (data, why) in [
            ("<html>", "event 7 is not JSON: expected value\nthe event: <html>"),
            ("[1]", "event 7 is JSON, but not an object"),
            ("{}", "event 7 has no `type`"),
            (r#"{"type":5}"#, "event 7 has a `type` that is not a text"),
            (
                r#"{"type":"TEXT_MESSAGE_CONTENT","delta":"x"}"#,
                "event 7, `TEXT_MESSAGE_CONTENT`: the field `messageId` is missing",
            ),
            (
                r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":null}"#,
                "event 7, `TEXT_MESSAGE_CONTENT`: the field `delta` is missing",
            ),
            (
                r#"{"type":"TOOL_CALL_ARGS","toolCallId":1,"delta":"x"}"#,
                "event 7, `TOOL_CALL_ARGS`: the field `toolCallId` must be a text, and is 1",
            ),
        ] {
            let seen = read(data, 7).unwrap_err().message;
            assert!(seen.starts_with(why), "{data}: {seen}");
        }
        let long = format!("[{}", "é".repeat(1000));
        assert!(read(&long, 1).unwrap_err().message.len() < 600);
    }

    #[test]
    fn a_large_raw_event_is_checked_and_dropped() {
        let large = format!(r#"{{"type":"RAW","event":"{}"}}"#, "x".repeat(RAW_KEPT));
        let Frame::Known(mut fields) = read(&large, 1).unwrap() else { panic!() };
        assert_eq!((fields.kind, fields.take("event")), (Type::Raw, None));
        assert!(read(&large[..large.len() - 1], 1).is_err());
    }
}
