//! One event as it came.

use serde_json::Value;

use super::chunks::Ends;
use super::fields::{AguiError, AguiFields, quote};

/// How much of an offending event is shown.
const QUOTED: usize = 200;
const NOT_AGUI: &str = "each event is a JSON object with a `type`: check that the endpoint speaks AG-UI, and that nothing \
                        else is written into its stream";

macro_rules! types {
    ($($name:ident = $text:literal ends $ends:ident,)*) => {
        /// The types of event there are; those that begin with `Thinking` left the protocol with 1.0.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum EventType { $($name,)* }

        impl EventType {
            fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(EventType::$name),)* _ => None }
            }

            pub(super) fn name(self) -> &'static str {
                match self { $(EventType::$name => $text,)* }
            }

            /// Which streams of chunks an event ends. Chunks see to it themselves.
            pub(super) fn ends(self) -> Ends {
                match self { $(EventType::$name => Ends::$ends,)* }
            }
        }
    };
}

types! {
    RunStarted = "RUN_STARTED" ends All,
    RunFinished = "RUN_FINISHED" ends All,
    RunError = "RUN_ERROR" ends All,
    StepStarted = "STEP_STARTED" ends Lane,
    StepFinished = "STEP_FINISHED" ends Lane,
    TextMessageStart = "TEXT_MESSAGE_START" ends Lane,
    TextMessageContent = "TEXT_MESSAGE_CONTENT" ends Lane,
    TextMessageEnd = "TEXT_MESSAGE_END" ends Lane,
    TextMessageChunk = "TEXT_MESSAGE_CHUNK" ends None,
    ToolCallStart = "TOOL_CALL_START" ends Lane,
    ToolCallArgs = "TOOL_CALL_ARGS" ends Lane,
    ToolCallEnd = "TOOL_CALL_END" ends Lane,
    ToolCallChunk = "TOOL_CALL_CHUNK" ends None,
    ToolCallResult = "TOOL_CALL_RESULT" ends Lane,
    StateSnapshot = "STATE_SNAPSHOT" ends Lane,
    StateDelta = "STATE_DELTA" ends Lane,
    MessagesSnapshot = "MESSAGES_SNAPSHOT" ends All,
    ActivitySnapshot = "ACTIVITY_SNAPSHOT" ends None,
    ActivityDelta = "ACTIVITY_DELTA" ends None,
    Raw = "RAW" ends None,
    Custom = "CUSTOM" ends Lane,
    ReasoningStart = "REASONING_START" ends Lane,
    ReasoningMessageStart = "REASONING_MESSAGE_START" ends Lane,
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT" ends Lane,
    ReasoningMessageEnd = "REASONING_MESSAGE_END" ends Lane,
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK" ends None,
    ReasoningEnd = "REASONING_END" ends Lane,
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE" ends None,
    SubagentStarted = "SUBAGENT_STARTED" ends None,
    SubagentFinished = "SUBAGENT_FINISHED" ends Lane,
    SubagentError = "SUBAGENT_ERROR" ends Lane,
    ThinkingStart = "THINKING_START" ends Lane,
    ThinkingEnd = "THINKING_END" ends Lane,
    ThinkingTextMessageStart = "THINKING_TEXT_MESSAGE_START" ends Lane,
    ThinkingTextMessageContent = "THINKING_TEXT_MESSAGE_CONTENT" ends Lane,
    ThinkingTextMessageEnd = "THINKING_TEXT_MESSAGE_END" ends Lane,
}

/// One event.
#[derive(Debug)]
pub(super) enum AguiEvent {
    /// One that the protocol knows.
    Known(AguiFields),
    /// One it does not know.
    Unknown(String),
}

/// Reads one event; `number` is its place in the stream, from 1.
pub(super) fn read(data: &str, number: usize) -> Result<AguiEvent, AguiError> {
    let bad = |reason: String| AguiError {
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
    Ok(match EventType::of(&kind) {
        Some(kind) => AguiEvent::Known(AguiFields { kind, number, length: data.len(), lane: None, map }),
        None => AguiEvent::Unknown(kind),
    })
}

/// The JSON reader's words without the position, which is always on line 1 here.
fn words_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line").map_or(text.clone(), |(words, _)| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_read_is_named_and_shown() {
        for (data, why) in [
            ("<html>", "event 7 is not JSON: expected value\nthe event: <html>"),
            ("[1]", "event 7 is JSON, but not an object"),
            ("{}", "event 7 has no `type`"),
            (r#"{"type":5}"#, "event 7 has a `type` that is not a text"),
        ] {
            let seen = read(data, 7).unwrap_err().message;
            assert!(seen.starts_with(why), "{data}: {seen}");
        }
        let long = format!("[{}", "é".repeat(1000));
        assert!(read(&long, 1).unwrap_err().message.len() < 600);
    }
}
