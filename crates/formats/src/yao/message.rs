//! Reads the input of a test: a string, a message, or a list of messages.

use agentci_plan::{Message, Text};
use agentci_source::shape::{KeyRule, Kind, Shape, UnknownKeys, depends, optional};
use agentci_source::{Diagnostics, Node, Reading, read};
use serde_json::{Map, Value, json};

use crate::native::{MESSAGE_KEYS, take_more};

/// The forms of `input`.
pub(super) const INPUT: Kind = Kind::Either(&[Kind::Text, Kind::Shape(&MESSAGE), Kind::Filled(&Kind::Shape(&MESSAGE))]);

static MESSAGE: Shape = Shape::new(
    "a message",
    "One message of a conversation.",
    &[
        optional("role", Kind::Name, "Role of the author. Default: `user`."),
        depends(
            "content",
            Kind::Either(&[Kind::Text, Kind::List(&Kind::Data)]),
            "Content: a string, or a list of parts.",
        ),
    ],
)
.with(&[MESSAGE_KEYS])
.unknown(UnknownKeys::Ignored)
.rules(&[KeyRule::Some(&["content", "tool_calls"])]);

/// Reads the messages of an input. An error breaks only its own case.
pub(super) fn messages(input: &Node, problems: &mut Diagnostics) -> Option<Vec<Message>> {
    if let Some(items) = input.items() {
        if items.is_empty() {
            problems.error(input.span, "`input` is an empty conversation", "a message is missing here");
            return None;
        }
        let read: Vec<Option<Message>> = items.iter().map(|item| message(item, problems)).collect();
        return read.into_iter().collect();
    }
    if input.pairs().is_some() {
        return message(input, problems).map(|message| vec![message]);
    }
    if let Some(Value::String(text)) = input.scalar().and_then(|scalar| scalar.value(Reading::Core)) {
        return Some(vec![Message::new("user", Text::Literal(text))]);
    }
    let message = format!("`input` must be a string, a message or a list of messages, found {}", input.describe());
    problems.error(input.span, message, "cannot be sent to an assistant");
    None
}

fn message(node: &Node, problems: &mut Diagnostics) -> Option<Message> {
    let mut fields = MESSAGE.reader(node, problems)?;
    let role = match fields.node("role") {
        Some(_) => fields.name("role")?,
        None => "user".into(),
    };
    let mut more = Map::new();
    let content = match fields.node("content") {
        Some(parts) if parts.items().is_some() => {
            more.insert("content".into(), read::data(parts, "content", Reading::Core, fields.problems)?);
            String::new()
        }
        // A message that only calls tools has no content.
        None if fields.node("tool_calls").is_some() => {
            more.insert("content".into(), Value::Null);
            String::new()
        }
        _ => fields.required("content", read::text)?,
    };
    take_more(&mut fields, &mut more)?;
    fields.end();
    if let Some(Value::Array(calls)) = more.get_mut("tool_calls") {
        calls.iter_mut().for_each(complete);
    }
    Some(Message { role, content: Text::Literal(content), more })
}

/// Completes a tool call for model APIs: sets its `type`, and encodes its arguments as a string.
fn complete(call: &mut Value) {
    let Some(call) = call.as_object_mut() else { return };
    call.entry("type").or_insert_with(|| json!("function"));
    if let Some(arguments) = call.get_mut("function").and_then(|function| function.get_mut("arguments"))
        && arguments.is_object()
    {
        *arguments = Value::String(arguments.to_string());
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::Sources;

    use super::*;
    use crate::yao::json;

    fn read(text: &str) -> Result<Vec<Message>, Vec<String>> {
        let node = json::document(text, Sources::default().add(Path::new("a"), text)).unwrap();
        let mut problems = Diagnostics::default();
        messages(&node, &mut problems).ok_or_else(|| problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn reads_input_as_text_message_or_conversation() {
        assert_eq!(read(r#""Hi ${X}""#).unwrap(), [Message::new("user", Text::Literal("Hi ${X}".into()))]);
        assert_eq!(read(r#"{"content": "x"}"#).unwrap(), [Message::new("user", Text::Literal("x".into()))]);
        let talk = read(
            r#"[{"role": "user", "content": [{"type": "text", "text": "x"}], "name": "bob"},
                {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}]},
                {"role": "tool", "tool_call_id": "1", "content": "done"}]"#,
        )
        .unwrap();
        assert_eq!(talk[0].more["content"], json!([{"type": "text", "text": "x"}]));
        assert_eq!(talk[0].more["name"], json!("bob"));
        let call = &talk[1].more["tool_calls"][0];
        assert_eq!((&call["type"], &call["function"]["arguments"]), (&json!("function"), &json!("{\"a\":1}")));
        assert_eq!(talk[1].more["content"], Value::Null);
        assert_eq!(talk[2].more["tool_call_id"], json!("1"));
    }

    #[test]
    fn refuses_invalid_input() {
        for (text, problem) in [
            ("7", "`input` must be a string, a message or a list of messages, found the number 7"),
            ("true", "`input` must be a string, a message or a list of messages, found the boolean true"),
            ("[]", "`input` is an empty conversation"),
            ("[\"x\"]", "a message must be a mapping, found the string `x`"),
            ("{\"role\": \"user\"}", "a message needs `content`"),
            ("{\"content\": 7}", "`content` must be a string, found the number 7"),
        ] {
            assert_eq!(read(text).unwrap_err(), [problem], "{text}");
        }
    }
}
