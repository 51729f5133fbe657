//! `POST /v1/chat/completions`.

use serde::Serialize;

use super::super::answer::{Answer, CallForm, WantedCall};
use super::super::asked::{Asked, FunctionCall, GivenResult, result_text, text};
use super::super::events::Events;
use super::super::fields::{Fields, items, wrong};
use super::super::refusal::Refusal;
use super::{chat_stream, finish_reason};
use serde_json::Value;

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
        asked.include_usage = options.get("include_usage").and_then(Value::as_bool).unwrap_or_default();
    }
    if let Some(tools) = fields.get("tools").filter(|tools| tools.as_array().is_none()) {
        return Err(wrong("tools", "a list", tools));
    }
    if fields.get("tools").is_none() && fields.get("functions").is_some() {
        asked.form = CallForm::Function;
    }
    let mut called: Option<(usize, &Value)> = None;
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages[{at}].{name}");
        let Some(role) = message.get("role").and_then(Value::as_str) else {
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
                    let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
                    asked.repeat(id, part("name"), part("arguments"));
                }
            }
            "tool" => asked.take_result(GivenResult {
                call_id: message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
                content: result_text(content),
                failed: false,
                function: None,
                at: 0,
            }),
            // Such calls have no ids.
            "function" => asked.results.push(GivenResult {
                call_id: String::new(),
                content: result_text(content),
                failed: false,
                function: function(message, called.map(|(_, call)| call)),
                at: called.map_or(0, |(at, _)| at),
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
fn function(message: &Value, called: Option<&Value>) -> Option<FunctionCall> {
    let text = |part: &Value, key: &str| part.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = text(message, "name")?;
    let call = called.filter(|call| text(call, "name").as_ref() == Some(&name));
    let arguments = call.and_then(|call| text(call, "arguments"));
    Some(FunctionCall { name, arguments })
}

#[derive(Serialize)]
struct Completion<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<Choice<'a>>,
    usage: Usage,
    service_tier: &'static str,
    system_fingerprint: &'static str,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    logprobs: (),
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<&'a str>,
    refusal: (),
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Function<'a>>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Function<'a>,
}

impl<'a> ToolCall<'a> {
    fn of(call: &'a WantedCall) -> Self {
        Self { id: &call.id, r#type: "function", function: Function::of(call) }
    }
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> Function<'a> {
    fn of(call: &'a WantedCall) -> Self {
        Self { name: &call.name, arguments: &call.json }
    }
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
pub(super) struct Usage {
    prompt_tokens: u32,
    completion_tokens: u32,
    total_tokens: u64,
}

impl Usage {
    pub(super) fn of(answer: &Answer) -> Self {
        Self {
            prompt_tokens: answer.input_tokens,
            completion_tokens: answer.output_tokens,
            total_tokens: answer.total_tokens(),
        }
    }
}

/// What stands for the build of the model in an answer.
pub(super) const FINGERPRINT: &str = "fp_agentci";

/// The whole answer.
pub(in super::super) fn whole(answer: &Answer) -> Vec<u8> {
    let (tools, function) = match answer.form {
        CallForm::Tools => (answer.calls.as_slice(), None),
        CallForm::Function => (&[][..], answer.calls.first()),
    };
    let choice = |index| Choice {
        index,
        message: Message {
            role: "assistant",
            content: answer.text.as_deref(),
            refusal: (),
            tool_calls: tools.iter().map(ToolCall::of).collect(),
            function_call: function.map(Function::of),
        },
        logprobs: (),
        finish_reason: finish_reason(answer),
    };
    let completion = Completion {
        id: &answer.id("chatcmpl-"),
        object: "chat.completion",
        created: answer.created,
        model: &answer.model,
        choices: (0..answer.choices).map(choice).collect(),
        usage: Usage::of(answer),
        service_tier: "default",
        system_fingerprint: FINGERPRINT,
    };
    // Room for most answers, so that it need not grow.
    let mut bytes = Vec::with_capacity(1024);
    let _ = serde_json::to_writer(&mut bytes, &completion);
    bytes
}

/// The answer bit by bit.
pub(in super::super) fn events(answer: &Answer) -> Events {
    chat_stream::events(answer)
}
