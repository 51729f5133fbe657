//! `POST /v1/chat/completions`.

use crate::answer::{CallForm, SpokenAnswer, WantedCall};
use crate::fields::{RequestFields, field, string, wrong};
use crate::{messages, parsed_request::ParsedRequest, refusal::ModelRefusal};
use serde::Serialize;
use serde_json::Value;

pub(in super::super) fn read(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let mut parsed = ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: fields.count("n", 1, 128)?.unwrap_or(1),
        ..ParsedRequest::default()
    };
    if let Some(options) = fields.get("stream_options") {
        parsed.include_usage = options["include_usage"].as_bool().unwrap_or_default();
    }
    fields.check_tools()?;
    if fields.get("tools").is_none() && fields.get("functions").is_some() {
        parsed.form = CallForm::Function;
    }
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages[{at}].{name}");
        let Some(role) = string(message, "role") else {
            return Err(ModelRefusal::of_part(&place("role"), "every message needs a `role` that is a string"));
        };
        let content = field(message, "content").unwrap_or(&Value::Null);
        if !matches!(content, Value::Null | Value::String(_) | Value::Array(_)) {
            return Err(wrong(&place("content"), "a string or a list of parts", content));
        }
        if !matches!(role, "system" | "developer" | "user" | "assistant" | "tool" | "function") {
            let wanted = "`system`, `developer`, `user`, `assistant` or `tool`";
            let message = format!("the role of a message must be {wanted}, found `{}`", role.escape_debug());
            return Err(ModelRefusal::of_part(&place("role"), message).code("invalid_value"));
        }
    }
    messages::read(body, &mut parsed);
    Ok(parsed)
}

/// The `system_fingerprint` of all answers.
pub(super) const FINGERPRINT: &str = "fp_agentci";
pub(super) const TIER: &str = "default";

#[derive(Debug, Serialize)]
pub(in super::super) struct ChatCompletion<'a> {
    id: String,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<ChatChoice<'a>>,
    usage: ChatUsage,
    service_tier: &'static str,
    system_fingerprint: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct ChatChoice<'a> {
    index: u32,
    message: ChatMessage<'a>,
    logprobs: (),
    finish_reason: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: Option<&'a str>,
    refusal: (),
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ChatToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<CalledFunction<'a>>,
}

#[derive(Debug, Clone, Serialize)]
struct ChatToolCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

/// The function of a call; its arguments are a JSON string.
#[derive(Debug, Clone, Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are the API's")]
pub(super) struct ChatUsage {
    prompt_tokens: u32,
    completion_tokens: u32,
    total_tokens: u64,
}

pub(in super::super) fn whole(answer: &SpokenAnswer) -> ChatCompletion<'_> {
    let mut message = ChatMessage {
        role: "assistant",
        content: answer.text.as_deref(),
        refusal: (),
        tool_calls: Vec::new(),
        function_call: None,
    };
    match answer.form {
        CallForm::Tools => {
            message.tool_calls = answer.calls.iter().map(ChatToolCall::of).collect();
        }
        CallForm::Function => message.function_call = answer.calls.first().map(CalledFunction::of),
    }
    let finish_reason = answer.finish_reason();
    let choice = |index| ChatChoice { index, message: message.clone(), logprobs: (), finish_reason };
    ChatCompletion {
        id: answer.id("chatcmpl-"),
        object: "chat.completion",
        created: answer.created,
        model: &answer.model,
        choices: (0..answer.choices).map(choice).collect(),
        usage: ChatUsage::of(answer),
        service_tier: TIER,
        system_fingerprint: FINGERPRINT,
    }
}

impl<'a> ChatToolCall<'a> {
    fn of(call: &'a WantedCall) -> Self {
        Self { id: &call.id, r#type: "function", function: CalledFunction::of(call) }
    }
}

impl<'a> CalledFunction<'a> {
    fn of(call: &'a WantedCall) -> Self {
        Self { name: &call.name, arguments: &call.json }
    }
}

impl ChatUsage {
    pub(super) fn of(answer: &SpokenAnswer) -> Self {
        Self {
            prompt_tokens: answer.input_tokens,
            completion_tokens: answer.output_tokens,
            total_tokens: answer.total_tokens(),
        }
    }
}
