//! The event types and their handlers.

use super::chunks::{ChunkStream, EndedStreams};
use super::fields::{AguiFields, AguiResult};
use super::reader::EventReader;

/// An event type: its name, the streams of chunks that it ends (chunks handle this themselves), and its handler.
pub(super) type EventType = (&'static str, EndedStreams, EventHandler);

type EventHandler = for<'r> fn(&mut EventReader<'r>, AguiFields<'_>) -> AguiResult;

/// All event types. The `THINKING` events were removed from the protocol in 1.0.
const TYPES: [EventType; 36] = [
    ("RUN_STARTED", EndedStreams::All, |reader, fields| reader.run_started(fields)),
    ("RUN_FINISHED", EndedStreams::All, |reader, fields| reader.run_finished(fields)),
    ("RUN_ERROR", EndedStreams::All, |reader, fields| reader.run_error(fields)),
    ("STEP_STARTED", EndedStreams::Lane, |reader, fields| reader.step(fields, true)),
    ("STEP_FINISHED", EndedStreams::Lane, |reader, fields| reader.step(fields, false)),
    ("TEXT_MESSAGE_START", EndedStreams::Lane, |reader, fields| reader.text_start(ChunkStream::Text, fields)),
    ("TEXT_MESSAGE_CONTENT", EndedStreams::Lane, |reader, fields| reader.text_content(ChunkStream::Text, fields)),
    ("TEXT_MESSAGE_END", EndedStreams::Lane, |reader, fields| reader.text_end(ChunkStream::Text, fields)),
    ("TEXT_MESSAGE_CHUNK", EndedStreams::None, |reader, fields| reader.text_chunk(ChunkStream::Text, fields)),
    ("TOOL_CALL_START", EndedStreams::Lane, |reader, fields| reader.call_start(fields)),
    ("TOOL_CALL_ARGS", EndedStreams::Lane, |reader, fields| reader.call_arguments(fields)),
    ("TOOL_CALL_END", EndedStreams::Lane, |reader, fields| reader.call_end(fields)),
    ("TOOL_CALL_CHUNK", EndedStreams::None, |reader, fields| reader.call_chunk(fields)),
    ("TOOL_CALL_RESULT", EndedStreams::Lane, |reader, fields| reader.call_result(fields)),
    ("STATE_SNAPSHOT", EndedStreams::Lane, |reader, fields| reader.state_snapshot(fields)),
    ("STATE_DELTA", EndedStreams::Lane, |reader, fields| reader.state_delta(fields)),
    ("MESSAGES_SNAPSHOT", EndedStreams::All, |reader, fields| reader.messages_snapshot(fields)),
    ("ACTIVITY_SNAPSHOT", EndedStreams::None, |reader, fields| reader.activity_snapshot(fields)),
    ("ACTIVITY_DELTA", EndedStreams::None, |reader, fields| reader.activity_delta(fields)),
    ("RAW", EndedStreams::None, |reader, fields| reader.raw(fields)),
    ("CUSTOM", EndedStreams::Lane, |reader, fields| reader.custom(fields)),
    ("REASONING_START", EndedStreams::Lane, |reader, fields| reader.span(fields, true)),
    ("REASONING_MESSAGE_START", EndedStreams::Lane, |reader, fields| reader.text_start(ChunkStream::Reasoning, fields)),
    ("REASONING_MESSAGE_CONTENT", EndedStreams::Lane, |reader, fields| {
        reader.text_content(ChunkStream::Reasoning, fields)
    }),
    ("REASONING_MESSAGE_END", EndedStreams::Lane, |reader, fields| reader.text_end(ChunkStream::Reasoning, fields)),
    ("REASONING_MESSAGE_CHUNK", EndedStreams::None, |reader, fields| reader.text_chunk(ChunkStream::Reasoning, fields)),
    ("REASONING_END", EndedStreams::Lane, |reader, fields| reader.span(fields, false)),
    ("REASONING_ENCRYPTED_VALUE", EndedStreams::None, |reader, fields| reader.sealed(fields)),
    ("SUBAGENT_STARTED", EndedStreams::None, |reader, fields| reader.subagent(fields)),
    ("SUBAGENT_FINISHED", EndedStreams::Lane, |reader, fields| reader.subagent(fields)),
    ("SUBAGENT_ERROR", EndedStreams::Lane, |reader, fields| reader.subagent(fields)),
    ("THINKING_START", EndedStreams::Lane, |reader, fields| reader.span(fields, true)),
    ("THINKING_END", EndedStreams::Lane, |reader, fields| reader.span(fields, false)),
    ("THINKING_TEXT_MESSAGE_START", EndedStreams::Lane, |reader, fields| reader.thinking(fields)),
    ("THINKING_TEXT_MESSAGE_CONTENT", EndedStreams::Lane, |reader, fields| reader.thinking(fields)),
    ("THINKING_TEXT_MESSAGE_END", EndedStreams::Lane, |reader, fields| reader.thinking(fields)),
];

pub(super) fn event_type(name: &str) -> Option<EventType> {
    TYPES.into_iter().find(|(known, ..)| *known == name)
}
