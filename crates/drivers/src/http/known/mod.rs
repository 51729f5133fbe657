//! Streams of a known format, read as what they are: words, thoughts, calls of tools and their results.
//!
//! A stream is recognised by what its events say, not by its address or its headers, so that a proxy in between and a recording
//! make no difference. Custom streams that resemble a format are not taken for it: the marks are fields that only the format has.

mod chat_completions;
mod data_stream;
mod messages;
mod responses;
mod tool_parts;
mod ui_messages;

use agentci_trace::{Kind, Observer, ToolCall, ToolResult};
use serde_json::Value;

use self::chat_completions::ChatCompletions;
pub(super) use self::data_stream::DataStream;
use self::messages::Messages;
use self::responses::Responses;
use self::ui_messages::UiMessages;
use super::places;
use super::reader::NoAnswer;
use crate::chat::{Broken, Completion, Piece, cut_short};

/// A stream of server-sent events whose format is known.
#[derive(Debug)]
pub(super) enum Known {
    /// `OpenAI`'s Chat Completions.
    ChatCompletions(Box<ChatCompletions>),
    /// `OpenAI`'s Responses.
    Responses(Responses),
    /// Anthropic's Messages.
    Messages(Box<Messages>),
    /// UI messages of the AI SDK, version 5 and later.
    UiMessages(UiMessages),
}

/// What an event says.
type Steps = Vec<Kind>;

impl Known {
    /// The format of a stream that has this event in it, if it is one that we know.
    pub(super) fn recognise(event: &Value) -> Option<Self> {
        if matches!(text(event, "object"), "chat.completion.chunk" | "chat.completion") {
            return Some(Known::ChatCompletions(Box::default()));
        }
        match text(event, "type") {
            "message_start" if event["message"].is_object() => Some(Known::Messages(Box::default())),
            kind if responses::is_kind(kind) => Some(Known::Responses(Responses::default())),
            _ if UiMessages::has(event) => Some(Known::UiMessages(UiMessages::default())),
            _ => None,
        }
    }

    pub(super) fn event(&mut self, event: &Value) -> Result<Steps, NoAnswer> {
        match self {
            Known::ChatCompletions(stream) => stream.event(event),
            Known::Responses(stream) => stream.event(event),
            Known::Messages(stream) => stream.event(event),
            Known::UiMessages(stream) => stream.event(event),
        }
    }

    /// The server says that everything was said.
    pub(super) fn done(&mut self) {
        match self {
            Known::ChatCompletions(stream) => stream.done(),
            Known::UiMessages(stream) => stream.done(),
            Known::Responses(_) | Known::Messages(_) => {}
        }
    }

    /// The connection is closed: what is left to say, and what the stream lacks if it should have gone on.
    pub(super) fn end(&mut self) -> (Steps, Option<&'static str>) {
        match self {
            Known::ChatCompletions(stream) => stream.end(),
            Known::Responses(stream) => (Vec::new(), stream.lacks()),
            Known::Messages(stream) => (Vec::new(), stream.lacks()),
            Known::UiMessages(stream) => stream.end(),
        }
    }
}

/// A field that is a text; empty if it is none.
fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn called(id: &str, name: &str, args: Value) -> Kind {
    Kind::ToolCall(ToolCall {
        call_id: id.to_owned(),
        name: name.to_owned(),
        args: args.into(),
        observer: Observer::Protocol,
        begun: None,
    })
}

fn answered(id: &str, result: Value) -> Kind {
    Kind::ToolResult(ToolResult {
        call_id: id.to_owned(),
        ok: true,
        result: result.into(),
        error: None,
        ..ToolResult::default()
    })
}

fn failed(id: &str, error: &str) -> Kind {
    Kind::ToolResult(ToolResult {
        call_id: id.to_owned(),
        ok: false,
        result: Value::Null.into(),
        error: Some(error.to_owned()),
        ..ToolResult::default()
    })
}

/// The same of a tool that the provider of the model ran itself.
fn by_provider(step: Kind) -> Kind {
    match step {
        Kind::ToolCall(call) => Kind::ToolCall(ToolCall { observer: Observer::Provider, ..call }),
        Kind::ToolResult(result) => Kind::ToolResult(ToolResult { observer: Observer::Provider, ..result }),
        other => other,
    }
}

/// A result that says that the tool was not run.
fn denied(id: &str, reason: &str) -> Kind {
    Kind::ToolResult(ToolResult {
        call_id: id.to_owned(),
        error: Some(reason.to_owned()),
        refused: Some("AI SDK: `tool-output-denied`".to_owned()),
        ..ToolResult::default()
    })
}

/// Arguments that travel as text.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// A result, which often travels as text: what is an object or a list in it is one.
fn result_value(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        _ => value.clone(),
    }
}

/// What is to be known of an answer that ended for this reason.
fn stopped(reason: &str) -> Option<Kind> {
    cut_short(reason).map(Kind::Violation)
}

fn said(pieces: Vec<Piece>) -> Steps {
    let kind = |piece| match piece {
        Piece::Text(text) => Kind::Text(text),
        Piece::Reasoning(text) => Kind::Reasoning(text),
    };
    pieces.into_iter().map(kind).collect()
}

/// The calls of a completion, and what is wrong with it.
fn concluded(completion: Completion) -> Steps {
    let mut steps: Steps = completion.finish.as_deref().and_then(stopped).into_iter().collect();
    for call in completion.calls {
        if call.parsed().is_err() {
            steps.push(Kind::Violation(format!("the arguments of `{}` are not JSON", call.name)));
        }
        steps.push(Kind::ToolCall(call.traced()));
    }
    steps
}

fn broken(broken: Broken) -> NoAnswer {
    match broken {
        Broken::Malformed(words) => NoAnswer::Garbled(format!("the stream cannot be read: {words}")),
        Broken::CutOff => NoAnswer::Torn("the stream ended before the answer did".into()),
        Broken::Failed { message, .. } => NoAnswer::Failed(message),
    }
}

/// The agent's own words for what went wrong.
fn gave_up(event: &Value) -> NoAnswer {
    NoAnswer::Failed(places::words(event))
}
