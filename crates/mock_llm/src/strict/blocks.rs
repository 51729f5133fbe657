//! Anthropic's Messages: rules for single messages and their blocks.

use super::{refuse, tools};
use crate::{fields::items, refusal::ModelRefusal};
use serde_json::Value;

/// The maximum number of blocks that are marked for the cache.
const MOST_CACHED: usize = 4;

/// Checks each message by itself. Messages of other roles are mid-conversation instructions, which may have no content.
pub(super) fn check(messages: &[Value]) -> Result<(), ModelRefusal> {
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str();
        if !matches!(role, Some("user" | "assistant")) {
            continue;
        }
        // A final assistant message, which the model continues, may be empty.
        let may_be_empty = role == Some("assistant") && at + 1 == messages.len();
        let content = message.get("content");
        let is_empty = match content {
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(blocks)) => blocks.is_empty(),
            _ => false,
        };
        if is_empty && !may_be_empty {
            // anthropics/claude-code#6774 and #3196, langchain-ai/langchain#33390
            return refuse(format!(
                "messages.{at}: all messages must have non-empty content except for the optional final assistant message"
            ));
        }
        blocks(items(content), at, may_be_empty)?;
        blank(content, may_be_empty)?;
    }
    Ok(())
}

/// Refuses a message with only blank text, and a message to continue (`is_begun`) that ends with whitespace.
/// LibreChat-AI/agents#124 tried it: a blank block is accepted next to one with text. Sources disagree on blank blocks
/// next to calls, so those are accepted.
fn blank(content: Option<&Value>, is_begun: bool) -> Result<(), ModelRefusal> {
    let words = |block: &'_ Value| match block["type"].as_str() {
        Some("text") => block["text"].as_str().map(str::to_owned),
        _ => None,
    };
    // A string is short for a text block, according to Anthropic's API reference.
    let texts: Vec<Option<String>> = match content {
        Some(Value::String(text)) => vec![Some(text.clone())],
        Some(Value::Array(blocks)) => blocks.iter().map(words).collect(),
        _ => return Ok(()),
    };
    let ends_blank = |text: &str| text.ends_with(char::is_whitespace);
    if is_begun {
        // anomalyco/opencode#1295, tailcallhq/forgecode#1872
        let is_refused = texts.last().is_some_and(|last| last.as_deref().is_some_and(ends_blank));
        let message = "messages: final assistant content cannot end with trailing whitespace";
        return if is_refused { refuse(message) } else { Ok(()) };
    }
    if texts.is_empty() || !texts.iter().all(|text| text.as_ref().is_some_and(|text| text.trim().is_empty())) {
        return Ok(());
    }
    // home-assistant/core#175637, nick1udwig/kibitz#78
    refuse("messages: text content blocks must contain non-whitespace text")
}

fn blocks(blocks: &[Value], message: usize, may_be_empty: bool) -> Result<(), ModelRefusal> {
    let mut ids: Vec<&str> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let text = |key: &str| block[key].as_str();
        match text("type") {
            Some("text") if text("text") == Some("") && !may_be_empty => {
                // anthropics/claude-code#59812, miurla/morphic#83
                return refuse("messages: text content blocks must be non-empty");
            }
            Some("tool_use") => {
                let id = text("id").unwrap_or_default();
                call(block, id, &format!("messages.{message}.content.{at}"))?;
                if ids.contains(&id) {
                    // trycua/cua#524, anthropics/claude-code#20901
                    return refuse(format!("messages.{message}.content.{at}: `tool_use` ids must be unique"));
                }
                ids.push(id);
            }
            _ => {}
        }
    }
    Ok(())
}

fn call(block: &Value, id: &str, place: &str) -> Result<(), ModelRefusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if id.is_empty() || !id.bytes().all(plain) {
        // anomalyco/opencode#1279, HKUDS/nanobot#4356
        return refuse(format!("{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"));
    }
    match block.get("input") {
        None | Some(Value::Object(_)) => Ok(()),
        // anthropics/anthropic-sdk-typescript#648, anthropics/claude-code#6695, prism-php/prism#659
        Some(_) => refuse(format!("{place}.tool_use.input: Input should be a valid dictionary")),
    }
}

/// tghamm/Anthropic.SDK#50, griffinmartin/opencode-claude-auth#121: tools, the system prompt and messages count
/// together.
pub(super) fn cached(request: &Value) -> Result<(), ModelRefusal> {
    let list = |part: Option<&Value>| items(part).iter().filter(|part| is_marked(part)).count();
    let messages = items(request.get("messages"));
    let marked = tools(request).filter(|(_, tool)| is_marked(tool)).count()
        + list(request.get("system"))
        + messages.iter().map(|message| list(message.get("content"))).sum::<usize>();
    if marked <= MOST_CACHED {
        return Ok(());
    }
    refuse(format!("A maximum of {MOST_CACHED} blocks with cache_control may be provided. Found {marked}."))
}

fn is_marked(part: &Value) -> bool {
    part.get("cache_control").is_some_and(|mark| *mark != Value::Null)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(messages: &Value) -> Option<String> {
        let text = messages.to_string();
        check(serde_json::from_slice::<Value>(text.as_bytes()).unwrap().as_array().unwrap())
            .err()
            .map(|refusal| refusal.message)
    }

    fn call(id: &str, input: &Value) -> Value {
        json!({ "type": "tool_use", "id": id, "name": "f", "input": input })
    }

    /// Messages as the SDKs of Anthropic, `LangChain`, pydantic-ai and the AI SDK send them.
    #[test]
    fn accepts_messages_sent_by_sdks() {
        for last in [
            json!({ "role": "assistant", "content": "" }),
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "" }] }),
            json!({ "role": "user", "content": [{ "type": "text", "text": " " }, { "type": "text", "text": "x " }] }),
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "x" }] }),
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "\n\n" }, call("a", &json!({}))] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "" }] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": [] }] }),
            // A mid-conversation effort setting has no content.
            json!({ "role": "system", "content": [], "output_config": { "effort": "low" } }),
            json!({ "role": "assistant", "content": [call("toolu_1", &json!({})), call("call-2", &json!({ "a": 1 }))] }),
        ] {
            assert_eq!(refused(&json!([{ "role": "user", "content": "x" }, last])), None, "{last}");
        }
        // The same id in two answers is accepted: after a restart, the server counts from one again.
        let twice = json!({ "role": "assistant", "content": [call("a", &json!({}))] });
        assert_eq!(refused(&json!([twice, twice])), None);
    }

    #[test]
    fn refuses_empty_messages_except_final_assistant_message() {
        let empty = "all messages must have non-empty content except for the optional final assistant message";
        for (role, content) in
            [("user", json!("")), ("user", json!([])), ("assistant", json!("")), ("assistant", json!([]))]
        {
            let said =
                refused(&json!([{ "role": role, "content": content }, { "role": "user", "content": "x" }])).unwrap();
            assert_eq!(said, format!("messages.0: {empty}"), "{role} {content}");
        }
        let block = json!([{ "type": "text", "text": "x" }, { "type": "text", "text": "" }]);
        for role in ["user", "assistant"] {
            let said = refused(&json!([{ "role": role, "content": block }, { "role": "user", "content": "x" }]));
            assert_eq!(said.unwrap(), "messages: text content blocks must be non-empty");
        }
    }

    #[test]
    fn refuses_blank_text_and_prefill_with_trailing_whitespace() {
        let blank = "messages: text content blocks must contain non-whitespace text";
        let blocks = |text: &str| json!([{ "type": "text", "text": text }]);
        for (role, content) in [("user", json!(" ")), ("user", blocks("\n")), ("assistant", blocks(" \t"))] {
            let said = refused(&json!([{ "role": role, "content": content }, { "role": "user", "content": "x" }]));
            assert_eq!(said.as_deref(), Some(blank), "{role} {content}");
        }
        let begun = |content: Value| {
            refused(&json!([{ "role": "user", "content": "x " }, { "role": "assistant", "content": content }]))
        };
        for content in [json!("So: "), blocks("So:\n"), json!(" ")] {
            let said = begun(content).unwrap();
            assert_eq!(said, "messages: final assistant content cannot end with trailing whitespace");
        }
        assert_eq!((begun(json!("So:")), begun(json!(""))), (None, None));
        // Only the last message is continued.
        let earlier = json!([{ "role": "assistant", "content": "So: " }, { "role": "user", "content": "x" }]);
        assert_eq!(refused(&earlier), None);
    }

    #[test]
    fn tool_calls_need_unique_valid_ids_and_object_input() {
        let answer = |calls: &[Value]| refused(&json!([{ "role": "assistant", "content": calls }])).unwrap();
        let input = json!({});
        assert_eq!(
            answer(&[call("a", &input), call("a", &input)]),
            "messages.0.content.1: `tool_use` ids must be unique"
        );
        for id in ["", "a.b", "call|1"] {
            assert!(answer(&[call(id, &input)]).starts_with("messages.0.content.0.tool_use.id: String should match"));
        }
        for input in [json!("{}"), json!([]), json!(null)] {
            let place = "messages.0.content.0.tool_use.input";
            assert_eq!(answer(&[call("a", &input)]), format!("{place}: Input should be a valid dictionary"));
        }
    }

    #[test]
    fn refuses_more_than_four_cache_control_blocks() {
        let mark = json!({ "type": "ephemeral" });
        let block = |mark: &Value| json!({ "type": "text", "text": "x", "cache_control": mark });
        let request = |tools: usize, blocks: usize| {
            let tool = json!({ "name": "f", "cache_control": mark });
            let said = json!({ "role": "user", "content": vec![block(&mark); blocks] });
            let text = json!({ "tools": vec![tool; tools], "system": [block(&mark), block(&json!(null))], "messages": [said] });
            cached(&serde_json::from_slice::<Value>(text.to_string().as_bytes()).unwrap())
                .err()
                .map(|refusal| refusal.message)
        };
        assert_eq!(request(1, 2), None);
        let five = "A maximum of 4 blocks with cache_control may be provided. Found 5.";
        assert_eq!((request(1, 3).as_deref(), request(2, 2).as_deref()), (Some(five), Some(five)));
    }
}
