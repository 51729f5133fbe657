//! Builds a request.

use serde_json::{Map, Value, json};

use super::super::message::text_of;
use super::content::{blocks, tool_result, tool_uses};
use super::options::translate;

/// The default of `max_tokens`, which the API requires.
const MOST_TOKENS: u32 = 4096;

/// The body of a request, and the names of the options that are not supported. System prompts are separate, tool calls
/// and results are blocks, and results are part of the user's turn.
pub(crate) fn body(model: &str, messages: &[Value], options: &Map<String, Value>) -> (Value, Vec<String>) {
    let (system, messages) = split(messages);
    let (translated, left_out) = translate(options);
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("max_tokens".into(), MOST_TOKENS.into());
    if !system.is_empty() {
        body.insert("system".into(), system.join("\n\n").into());
    }
    body.insert("messages".into(), messages.into());
    body.insert("stream".into(), true.into());
    body.extend(translated);
    // Null removes an option.
    body.retain(|_, value| !value.is_null());
    (Value::Object(body), left_out)
}

/// Splits the messages into system prompts and turns.
fn split(messages: &[Value]) -> (Vec<String>, Vec<Value>) {
    let mut system = Vec::new();
    let mut turns: Vec<Value> = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        match message.get("role").and_then(Value::as_str).unwrap_or("user") {
            "system" | "developer" => system.push(text_of(content, "\n")),
            "assistant" => {
                let mut said = thoughts(message);
                said.extend(blocks(content));
                said.extend(tool_uses(message));
                add(&mut turns, "assistant", said);
            }
            "tool" | "function" => add(&mut turns, "user", vec![tool_result(message)]),
            _ => add(&mut turns, "user", blocks(content)),
        }
    }
    (system, turns.into_iter().map(simple).collect())
}

/// Earlier reasoning, which the API expects back.
fn thoughts(message: &Value) -> Vec<Value> {
    message.get("thinking_blocks").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Adds blocks; consecutive messages of the same role form one turn.
fn add(turns: &mut Vec<Value>, role: &str, said: Vec<Value>) {
    let last = turns.last_mut().filter(|turn| turn["role"] == role);
    match last.and_then(|turn| turn.get_mut("content")?.as_array_mut()) {
        Some(content) => content.extend(said),
        None if said.is_empty() => {}
        None => turns.push(json!({ "role": role, "content": said })),
    }
}

/// Writes a turn that is a single text block as a string.
fn simple(mut turn: Value) -> Value {
    let text = match turn["content"].as_array().map(Vec::as_slice) {
        Some([block]) if block["type"] == "text" && block.as_object().is_some_and(|block| block.len() == 2) => {
            block["text"].as_str().map(str::to_owned)
        }
        _ => None,
    };
    if let Some(text) = text {
        turn["content"] = text.into();
    }
    turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_conversation_with_tools_to_anthropic_format() {
        let messages = [
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "system", "content": "Be kind."}),
            json!({"role": "user", "content": "Refund A-17", "name": "ann"}),
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{\"q\":1}"}},
                {"id": "c2", "type": "function", "function": {"name": "find", "arguments": "{"}},
            ]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": "found"}),
            json!({"role": "tool", "tool_call_id": "c2", "content": "lost"}),
            json!({"role": "user", "content": [{"type": "text", "text": "and?"}]}),
        ];
        let request = body("claude-test", &messages, &Map::new()).0;
        assert_eq!(request["system"], "Be brief.\n\nBe kind.");
        assert_eq!(request["max_tokens"], 4096);
        assert_eq!(request["stream"], true);
        assert_eq!(
            request["messages"],
            json!([
                {"role": "user", "content": "Refund A-17"},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "c1", "name": "find", "input": {"q": 1}},
                    {"type": "tool_use", "id": "c2", "name": "find", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "found"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "lost"},
                    {"type": "text", "text": "and?"},
                ]},
            ])
        );
    }

    #[test]
    fn thinking_blocks_precede_assistant_text() {
        let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
        let said = json!({"role": "assistant", "content": "Yes.", "thinking_blocks": [thought]});
        let request = body("m", &[said], &Map::new()).0;
        assert_eq!(request["messages"][0]["content"], json!([thought, {"type": "text", "text": "Yes."}]));
    }
}
