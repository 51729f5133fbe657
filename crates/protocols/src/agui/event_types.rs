//! The event types and their handlers.

use super::chunks::{ChunkStream, Ends};
use super::fields::{AguiFields, AguiResult};
use super::reader::EventReader;

/// An event type: its name, the streams of chunks that it ends (chunks handle this themselves), and its handler.
pub(super) type EventType = (&'static str, Ends, EventHandler);

type EventHandler = for<'r> fn(&mut EventReader<'r>, AguiFields<'_>) -> AguiResult;

/// All event types. The `THINKING` events were removed from the protocol in 1.0.
const TYPES: [EventType; 36] = [
    ("RUN_STARTED", Ends::All, |reader, fields| reader.run_started(fields)),
    ("RUN_FINISHED", Ends::All, |reader, fields| reader.run_finished(fields)),
    ("RUN_ERROR", Ends::All, |reader, fields| reader.run_error(fields)),
    ("STEP_STARTED", Ends::Lane, |reader, fields| reader.step(fields, true)),
    ("STEP_FINISHED", Ends::Lane, |reader, fields| reader.step(fields, false)),
    ("TEXT_MESSAGE_START", Ends::Lane, |reader, fields| reader.text_start(ChunkStream::Text, fields)),
    ("TEXT_MESSAGE_CONTENT", Ends::Lane, |reader, fields| reader.text_content(ChunkStream::Text, fields)),
    ("TEXT_MESSAGE_END", Ends::Lane, |reader, fields| reader.text_end(ChunkStream::Text, fields)),
    ("TEXT_MESSAGE_CHUNK", Ends::None, |reader, fields| reader.text_chunk(ChunkStream::Text, fields)),
    ("TOOL_CALL_START", Ends::Lane, |reader, fields| reader.call_start(fields)),
    ("TOOL_CALL_ARGS", Ends::Lane, |reader, fields| reader.call_arguments(fields)),
    ("TOOL_CALL_END", Ends::Lane, |reader, fields| reader.call_end(fields)),
    ("TOOL_CALL_CHUNK", Ends::None, |reader, fields| reader.call_chunk(fields)),
    ("TOOL_CALL_RESULT", Ends::Lane, |reader, fields| reader.call_result(fields)),
    ("STATE_SNAPSHOT", Ends::Lane, |reader, fields| reader.state_snapshot(fields)),
    ("STATE_DELTA", Ends::Lane, |reader, fields| reader.state_delta(fields)),
    ("MESSAGES_SNAPSHOT", Ends::All, |reader, fields| reader.messages_snapshot(fields)),
    ("ACTIVITY_SNAPSHOT", Ends::None, |reader, fields| reader.activity_snapshot(fields)),
    ("ACTIVITY_DELTA", Ends::None, |reader, fields| reader.activity_delta(fields)),
    ("RAW", Ends::None, |reader, fields| reader.raw(fields)),
    ("CUSTOM", Ends::Lane, |reader, fields| reader.custom(fields)),
    ("REASONING_START", Ends::Lane, |reader, fields| reader.span(fields, true)),
    ("REASONING_MESSAGE_START", Ends::Lane, |reader, fields| reader.text_start(ChunkStream::Reasoning, fields)),
    ("REASONING_MESSAGE_CONTENT", Ends::Lane, |reader, fields| reader.text_content(ChunkStream::Reasoning, fields)),
    ("REASONING_MESSAGE_END", Ends::Lane, |reader, fields| reader.text_end(ChunkStream::Reasoning, fields)),
    ("REASONING_MESSAGE_CHUNK", Ends::None, |reader, fields| reader.text_chunk(ChunkStream::Reasoning, fields)),
    ("REASONING_END", Ends::Lane, |reader, fields| reader.span(fields, false)),
    ("REASONING_ENCRYPTED_VALUE", Ends::None, |reader, fields| reader.sealed(fields)),
    ("SUBAGENT_STARTED", Ends::None, |reader, fields| reader.subagent(fields)),
    ("SUBAGENT_FINISHED", Ends::Lane, |reader, fields| reader.subagent(fields)),
    ("SUBAGENT_ERROR", Ends::Lane, |reader, fields| reader.subagent(fields)),
    ("THINKING_START", Ends::Lane, |reader, fields| reader.span(fields, true)),
    ("THINKING_END", Ends::Lane, |reader, fields| reader.span(fields, false)),
    ("THINKING_TEXT_MESSAGE_START", Ends::Lane, |reader, fields| reader.thinking(fields)),
    ("THINKING_TEXT_MESSAGE_CONTENT", Ends::Lane, |reader, fields| reader.thinking(fields)),
    ("THINKING_TEXT_MESSAGE_END", Ends::Lane, |reader, fields| reader.thinking(fields)),
];

pub(super) fn event_type(name: &str) -> Option<EventType> {
    TYPES.into_iter().find(|(known, ..)| *known == name)
}
