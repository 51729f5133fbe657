//! `POST /v1/chat/completions`.

use crate::answer::{CallForm, SpokenAnswer, WantedCall};
use crate::fields::{RequestFields, wrong};
use crate::{messages, parsed_request::ParsedRequest, refusal::ModelRefusal};
use serde_json::{Value, json};

/// What a request asks.
pub(in super::super) fn read(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let mut asked = ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: fields.count("n", 1, 128)?.unwrap_or(1),
        ..ParsedRequest::default()
    };
    if let Some(options) = fields.get("stream_options") {
        asked.include_usage = options["include_usage"].as_bool().unwrap_or_default();
    }
    fields.check_tools()?;
    if fields.get("tools").is_none() && fields.get("functions").is_some() {
        asked.form = CallForm::Function;
    }
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages[{at}].{name}");
        let Some(role) = message["role"].as_str() else {
            return Err(ModelRefusal::of_part(&place("role"), "every message needs a `role` that is a string"));
        };
        let content = &message["content"];
        if !matches!(content, Value::Null | Value::String(_) | Value::Array(_)) {
            return Err(wrong(&place("content"), "a string or a list of parts", content));
        }
        if !matches!(role, "system" | "developer" | "user" | "assistant" | "tool" | "function") {
            let wanted = "`system`, `developer`, `user`, `assistant` or `tool`";
            let message = format!("the role of a message is {wanted}, found `{}`", role.escape_debug());
            return Err(ModelRefusal::of_part(&place("role"), message).code("invalid_value"));
        }
    }
    messages::read(body, &mut asked);
    Ok(asked)
}

/// What stands for the build of the model in an answer.
pub(super) const FINGERPRINT: &str = "fp_agentci";

/// The whole answer.
pub(in super::super) fn whole(answer: &SpokenAnswer) -> Value {
    let mut message = json!({ "role": "assistant", "content": answer.text, "refusal": null });
    match (answer.form, answer.calls.as_slice()) {
        (_, []) => {}
        (CallForm::Tools, calls) => message["tool_calls"] = calls.iter().map(tool_call).collect(),
        (CallForm::Function, [first, ..]) => message["function_call"] = function(first),
    }
    let reason = answer.finish_reason();
    let choice = |index| json!({ "index": index, "message": message, "logprobs": null, "finish_reason": reason });
    json!({
        "id": answer.id("chatcmpl-"),
        "object": "chat.completion",
        "created": answer.created,
        "model": answer.model,
        "choices": (0..answer.choices).map(choice).collect::<Vec<_>>(),
        "usage": usage(answer),
        "service_tier": "default",
        "system_fingerprint": FINGERPRINT,
    })
}

fn tool_call(call: &WantedCall) -> Value {
    json!({ "id": call.id, "type": "function", "function": function(call) })
}

fn function(call: &WantedCall) -> Value {
    json!({ "name": call.name, "arguments": call.json })
}

pub(super) fn usage(answer: &SpokenAnswer) -> Value {
    json!({
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.total_tokens(),
    })
}
