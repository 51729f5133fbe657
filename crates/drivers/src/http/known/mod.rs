//! Reads streams and answers of known formats: text, reasoning, tool calls and tool results.
//!
//! A format is recognised by the content of its events, not by the URL or the headers, so that proxies and recordings
//! make no difference. Custom streams that resemble a format are not mistaken for it: recognition relies on fields that
//! only the format has.

mod chat_completions;
mod data_stream;
mod messages;
mod ollama;
mod responses;
mod tool_parts;
mod ui_messages;

use agentci_protocols::chat::parse_arguments;
use agentci_trace::{EventKind, ToolCall, ToolResult};
use serde_json::Value;

use self::chat_completions::ChatCompletions;
pub(super) use self::data_stream::DataStream;
use self::messages::Messages;
use self::ollama::Ollama;
use self::responses::Responses;
use self::ui_messages::UiMessages;
use super::answer_text;
use super::reader::{HttpAnswerError, ReadResult};
use crate::chat::{Completion, CompletionError, cut_short, finish_word};

/// A stream of a known format.
#[derive(Debug)]
pub(super) enum KnownStream {
    /// `OpenAI`'s Chat Completions.
    ChatCompletions(Box<ChatCompletions>),
    /// `OpenAI`'s Responses.
    Responses(Responses),
    /// Anthropic's Messages.
    Messages(Box<Messages>),
    /// UI messages of the AI SDK, version 5 and later.
    UiMessages(UiMessages),
    /// Ollama's native API.
    Ollama(Ollama),
}

/// The fields of chat completions and their chunks, including those of common servers.
const CHAT_COMPLETIONS: [&str; 16] = [
    "id",
    "object",
    "created",
    "model",
    "choices",
    "usage",
    "system_fingerprint",
    "service_tier",
    "provider",
    "timings",
    "x_groq",
    "prompt_filter_results",
    "prompt_logprobs",
    "kv_transfer_params",
    "obfuscation",
    "error",
];
/// The fields of an Anthropic message.
const MESSAGES: [&str; 12] = [
    "id",
    "type",
    "role",
    "model",
    "content",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "usage",
    "container",
    "context_management",
    "error",
];
/// The fields of an Ollama answer.
const OLLAMA: [&str; 18] = [
    "model",
    "created_at",
    "message",
    "response",
    "thinking",
    "done",
    "done_reason",
    "context",
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
    "logprobs",
    "error",
    "remote_model",
    "remote_host",
];

impl KnownStream {
    /// Recognises the format of a stream by one of its events.
    pub(super) fn recognise(event: &Value) -> Option<Self> {
        if matches!(text(event, "object"), "chat.completion.chunk" | "chat.completion") {
            return Some(KnownStream::ChatCompletions(Box::default()));
        }
        match text(event, "type") {
            "message_start" if event["message"].is_object() => Some(KnownStream::Messages(Box::default())),
            kind if responses::is_kind(kind) => Some(KnownStream::Responses(Responses::default())),
            _ if UiMessages::has(event) => Some(KnownStream::UiMessages(UiMessages::default())),
            _ if Ollama::has(event) => Some(KnownStream::Ollama(Ollama::default())),
            _ => None,
        }
    }

    /// Recognises streams that only resemble a format: servers compatible with Chat Completions often omit the
    /// identifying fields. The tool calls of such a stream can be read, but it may lack the usual end.
    pub(super) fn resembles(event: &Value) -> Option<Self> {
        event["choices"][0]["delta"].is_object().then(|| KnownStream::ChatCompletions(Box::default()))
    }

    /// Recognises the format of an answer that is not streamed.
    pub(super) fn recognise_whole(answer: &Value) -> Option<Self> {
        let blocks =
            || answer["content"].as_array().is_some_and(|blocks| blocks.iter().all(|block| block["type"].is_string()));
        if answer["choices"][0]["message"].is_object() {
            Some(KnownStream::ChatCompletions(Box::default()))
        } else if text(answer, "object") == "response" && answer["output"].is_array() {
            Some(KnownStream::Responses(Responses::default()))
        } else if text(answer, "type") == "message" && text(answer, "role") == "assistant" && blocks() {
            Some(KnownStream::Messages(Box::default()))
        } else {
            Ollama::has(answer).then(|| KnownStream::Ollama(Ollama::default()))
        }
    }

    /// Handles an answer that is not streamed.
    pub(super) fn whole(&mut self, answer: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        match self {
            KnownStream::ChatCompletions(stream) => {
                // An `error` next to an answer does not invalidate it.
                let mut answer = answer.clone();
                answer.as_object_mut().and_then(|fields| fields.remove("error"));
                stream.event(&answer, out)?;
            }
            KnownStream::Responses(stream) => stream.whole(answer, out)?,
            KnownStream::Messages(stream) => stream.whole(answer, out)?,
            KnownStream::UiMessages(_) => {}
            KnownStream::Ollama(stream) => stream.event(answer, out),
        }
        self.done();
        self.end(out);
        Ok(())
    }

    /// Whether an event belongs to the format, rather than being added by the agent.
    pub(super) fn owns(&self, event: &Value) -> bool {
        let kind = text(event, "type");
        match self {
            KnownStream::ChatCompletions(_) => {
                event["choices"].is_array() || text(event, "object").starts_with("chat.")
            }
            KnownStream::Responses(_) => responses::is_kind(kind) || kind == "error",
            KnownStream::Messages(_) => {
                let starts = ["message_", "content_block_", "ping", "error"];
                starts.iter().any(|start| kind.starts_with(start))
            }
            KnownStream::UiMessages(_) => UiMessages::owns(kind),
            KnownStream::Ollama(_) => Ollama::has(event),
        }
    }

    /// The fields of an event or answer that are not part of the format.
    pub(super) fn added(&self, event: &Value) -> Option<Value> {
        let fields: &[&str] = match self {
            KnownStream::ChatCompletions(_) => &CHAT_COMPLETIONS,
            KnownStream::Messages(_) if text(event, "type") == "message" => &MESSAGES,
            KnownStream::Ollama(_) => &OLLAMA,
            KnownStream::Responses(_) | KnownStream::Messages(_) | KnownStream::UiMessages(_) => return None,
        };
        let added = event.as_object()?.iter().filter(|(name, _)| !fields.contains(&name.as_str()));
        let added: serde_json::Map<_, _> = added.map(|(name, value)| (name.clone(), value.clone())).collect();
        (!added.is_empty()).then_some(Value::Object(added))
    }

    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        match self {
            KnownStream::ChatCompletions(stream) => stream.event(event, out)?,
            KnownStream::Responses(stream) => stream.event(event, out)?,
            KnownStream::Messages(stream) => stream.event(event, out)?,
            KnownStream::UiMessages(stream) => stream.event(event, out)?,
            KnownStream::Ollama(stream) => stream.event(event, out),
        }
        Ok(())
    }

    /// Handles the end marker of the stream.
    pub(super) fn done(&mut self) {
        match self {
            KnownStream::ChatCompletions(stream) => stream.done = true,
            KnownStream::UiMessages(stream) => stream.done = true,
            KnownStream::Ollama(stream) => stream.done = true,
            KnownStream::Responses(_) | KnownStream::Messages(_) => {}
        }
    }

    /// Handles the end of the connection: emits pending steps; returns what is missing if the stream is incomplete.
    pub(super) fn end(&mut self, out: &mut Vec<EventKind>) -> Option<&'static str> {
        match self {
            KnownStream::ChatCompletions(stream) => stream.end(out),
            KnownStream::Responses(stream) => stream.open.then_some("`response.completed` is missing"),
            KnownStream::Messages(stream) => stream.open.then_some("`message_stop` is missing"),
            KnownStream::UiMessages(stream) => stream.end(out),
            KnownStream::Ollama(stream) => (!stream.done).then_some("it has no `done: true`"),
        }
    }
}

/// A string field; empty if it is missing or not a string.
fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn called(id: &str, name: &str, args: Value) -> EventKind {
    let (call_id, name, args) = (id.to_owned(), name.to_owned(), args.into());
    EventKind::ToolCall(ToolCall { call_id, name, args, ..ToolCall::default() })
}

pub(super) fn answered(id: &str, result: Value) -> EventKind {
    let (call_id, result) = (id.to_owned(), result.into());
    EventKind::ToolResult(ToolResult { call_id, ok: true, result, ..ToolResult::default() })
}

pub(super) fn failed(id: &str, error: &str) -> EventKind {
    EventKind::ToolResult(ToolResult { call_id: id.to_owned(), error: Some(error.to_owned()), ..ToolResult::default() })
}

/// The result of a tool call that was denied.
fn denied(id: &str, reason: &str) -> EventKind {
    EventKind::ToolResult(ToolResult {
        call_id: id.to_owned(),
        error: Some(reason.to_owned()),
        refused: Some("AI SDK: `tool-output-denied`".to_owned()),
        ..ToolResult::default()
    })
}

/// Parses arguments that are sent as text.
pub(super) fn arguments(text: &str) -> Value {
    parse_arguments(text).unwrap_or_else(|raw| raw)
}

/// Parses a result that is sent as text, if it is an object or a list.
pub(super) fn result_value(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        _ => value.clone(),
    }
}

/// Parses the result in an event, like [`result_value`].
fn parsed(mut step: EventKind) -> EventKind {
    if let EventKind::ToolResult(given) = &mut step {
        given.result = result_value(&given.result).into();
    }
    step
}

/// Emits the finish reason of any provider, and a violation if the answer was cut short.
fn ended(reason: &str, out: &mut Vec<EventKind>) {
    if reason.is_empty() {
        return;
    }
    out.extend(cut_short(reason).map(EventKind::Violation));
    out.push(EventKind::Finish(finish_word(reason)));
}

/// Emits the finish reason and the tool calls of a completion.
fn concluded(completion: Completion, out: &mut Vec<EventKind>) {
    if let Some(reason) = &completion.finish {
        ended(reason, out);
    }
    for call in completion.calls {
        if call.parsed().is_err() {
            out.push(EventKind::Violation(format!("the arguments of `{}` are not JSON", call.name)));
        }
        out.push(EventKind::ToolCall(call.traced()));
    }
}

fn broken(broken: CompletionError) -> HttpAnswerError {
    match broken {
        CompletionError::Malformed(words) => HttpAnswerError::Garbled(format!("the stream cannot be read: {words}")),
        CompletionError::CutOff => HttpAnswerError::Torn("the stream ended before the answer was complete".into()),
        CompletionError::Failed { message, .. } => HttpAnswerError::Failed(message),
    }
}

/// The error that the agent reports.
fn gave_up(event: &Value) -> HttpAnswerError {
    HttpAnswerError::Failed(answer_text::words(event))
}
