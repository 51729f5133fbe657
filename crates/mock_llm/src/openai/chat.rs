//! `POST /v1/chat/completions`.

use super::super::answer::{Answer, CallForm, WantedCall};
use super::super::asked::{Asked, FunctionCall, GivenResult, result_text, text};
use super::super::events::Events;
use super::super::fields::{Fields, items, wrong};
use super::super::refusal::Refusal;
use super::{chat_stream, finish_reason};
use serde_json::{Value, json};

/// What a request asks.
pub(in super::super) fn read(body: &Value) -> Result<Asked, Refusal> {
    let fields = Fields::open(body)?;
    let mut asked = Asked {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: fields.count("n", 1, 128)?.unwrap_or(1),
        ..Asked::default()
    };
    if let Some(options) = fields.get("stream_options") {
        asked.include_usage = options["include_usage"].as_bool().unwrap_or_default();
    }
    fields.check_tools()?;
    if fields.get("tools").is_none() && fields.get("functions").is_some() {
        asked.form = CallForm::Function;
    }
    let mut called: Option<(usize, &Value)> = None;
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages[{at}].{name}");
        let Some(role) = message["role"].as_str() else {
            return Err(Refusal::of_part(&place("role"), "every message needs a `role` that is a string"));
        };
        let content = message.get("content").unwrap_or(&Value::Null);
        if !matches!(content, Value::Null | Value::String(_) | Value::Array(_)) {
            return Err(wrong(&place("content"), "a string or a list of parts", content));
        }
        if !matches!(role, "system" | "developer") {
            asked.hear(role, content);
        }
        match role {
            "user" => asked.user = text(content),
            "assistant" => {
                asked.answered();
                called = message.get("function_call").map(|call| (asked.last_heard(), call));
                for call in items(message.get("tool_calls")) {
                    let part = |key: &str| call.get("function")?.get(key)?.as_str().map(str::to_owned);
                    let id = call["id"].as_str().map(str::to_owned);
                    asked.repeat(id, part("name"), part("arguments"));
                }
            }
            "tool" => asked.take_result(GivenResult::new(message["tool_call_id"].as_str(), result_text(content))),
            // Such calls have no ids.
            "function" => asked.results.push(GivenResult {
                function: called_function(message, called.map(|(_, call)| call)),
                at: called.map_or(0, |(at, _)| at),
                ..GivenResult::new(None, result_text(content))
            }),
            "system" | "developer" => {}
            other => {
                let wanted = "`system`, `developer`, `user`, `assistant` or `tool`";
                let message = format!("the role of a message is {wanted}, found `{}`", other.escape_debug());
                return Err(Refusal::of_part(&place("role"), message).code("invalid_value"));
            }
        }
    }
    Ok(asked)
}

/// The call that a message with the role `function` has the result of: it names the function, and follows the call.
fn called_function(message: &Value, called: Option<&Value>) -> Option<FunctionCall> {
    let text = |part: &Value, key: &str| part[key].as_str().map(str::to_owned);
    let name = text(message, "name")?;
    let call = called.filter(|call| text(call, "name").as_ref() == Some(&name));
    let arguments = call.and_then(|call| text(call, "arguments"));
    Some(FunctionCall { name, arguments })
}

/// What stands for the build of the model in an answer.
pub(super) const FINGERPRINT: &str = "fp_agentci";

/// The whole answer.
pub(in super::super) fn whole(answer: &Answer) -> Value {
    let mut message = json!({ "role": "assistant", "content": answer.text, "refusal": null });
    match (answer.form, answer.calls.as_slice()) {
        (_, []) => {}
        (CallForm::Tools, calls) => message["tool_calls"] = calls.iter().map(tool_call).collect(),
        (CallForm::Function, [first, ..]) => message["function_call"] = function(first),
    }
    let reason = finish_reason(answer);
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

pub(super) fn usage(answer: &Answer) -> Value {
    json!({
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.total_tokens(),
    })
}

/// The answer bit by bit.
pub(in super::super) fn events(answer: &Answer) -> Events {
    chat_stream::events(answer)
}
