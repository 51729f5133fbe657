//! The body of a request, whichever provider it is for.

use std::borrow::Cow;

use serde_json::Value;

use super::content::{result, text};

/// A message of a request that is not a system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMessage<'t> {
    /// `user`, `assistant` or `tool`, whatever the provider calls it.
    pub role: &'static str,
    /// Its words; of a tool, what it gave.
    pub text: Cow<'t, str>,
}

/// A tool that a request offers to the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfferedTool<'t> {
    /// Its name; of a tool of the provider, its type.
    pub name: &'t str,
    /// The JSON Schema of its arguments.
    pub parameters: Option<&'t Value>,
    /// The whole declaration, without what the provider wraps it in.
    pub declared: &'t Value,
}

/// What a body says.
#[derive(Debug, Default)]
pub(super) struct RequestBody<'t> {
    pub(super) model: Option<&'t str>,
    /// The system prompt of this request alone.
    pub(super) instructions: Option<Cow<'t, str>>,
    /// System messages, which requests that continue this one see as well.
    pub(super) system: Vec<Cow<'t, str>>,
    pub(super) messages: Vec<RequestMessage<'t>>,
    pub(super) tools: Vec<OfferedTool<'t>>,
    /// The answer or the conversation that it continues.
    pub(super) continues: Option<&'t str>,
    /// Whether that is a conversation, which holds what is said in it.
    pub(super) in_conversation: bool,
    /// Whether that is an answer of a thread, which keeps the system prompt and the tools as well.
    pub(super) in_thread: bool,
}

impl<'t> RequestBody<'t> {
    pub(super) fn read(request: &'t Value) -> Self {
        let mut body = RequestBody { model: request["model"].as_str(), ..RequestBody::default() };
        let instructions = ["instructions", "system", "systemInstruction", "system_instruction"];
        body.instructions =
            instructions.iter().find_map(|key| request.get(key)).map(prompt).filter(|it| !it.is_empty());
        // The last is that of Ollama's `generate`.
        let keys = ["messages", "input", "contents", "prompt"];
        match keys.into_iter().find_map(|key| Some((key, request.get(key)?))) {
            Some(("input" | "prompt", Value::String(said))) => body.say("user", Cow::Borrowed(said)),
            Some(("messages" | "input" | "contents", list)) => items(list).for_each(|item| body.item(item)),
            _ => {}
        }
        let conversation = conversation(request);
        body.in_conversation = conversation.is_some();
        let of_thread = request["thread"]["previous_message_id"].as_str();
        body.in_thread = of_thread.is_some();
        body.continues = request["previous_response_id"].as_str().or(conversation).or(of_thread);
        // Functions were offered under this name before there were tools.
        let of_converse = items(&request["toolConfig"]["tools"]);
        for tool in items(&request["tools"]).chain(items(&request["functions"])).chain(of_converse) {
            body.offer(tool);
        }
        body
    }

    fn say(&mut self, role: &'static str, text: Cow<'t, str>) {
        self.messages.push(RequestMessage { role, text });
    }

    /// A message, or an item that stands among messages.
    fn item(&mut self, item: &'t Value) {
        let content = item.get("content").or_else(|| item.get("parts")).unwrap_or(&Value::Null);
        match item["role"].as_str() {
            Some("system" | "developer") => self.system.push(text(content)),
            Some("assistant" | "model") => self.say("assistant", words(item, content)),
            Some("tool" | "function") if item.get("parts").is_none() => self.say("tool", result(content)),
            Some(_) => self.said_by_user(content),
            // What tools gave has no role in some requests.
            None => {
                if let Some(output) = item.get("output") {
                    self.say("tool", result(output));
                }
            }
        }
    }

    /// What a user said, and what tools gave beside it.
    fn said_by_user(&mut self, content: &'t Value) {
        let mut gave = false;
        for block in content.as_array().map(Vec::as_slice).unwrap_or_default() {
            let response = block.get("functionResponse").or_else(|| block.get("function_response"));
            if block["type"] == "tool_result" {
                gave = true;
                self.say("tool", result(&block["content"]));
            } else if let Some(response) = response {
                gave = true;
                self.say("tool", result(&response["response"]));
            } else if let Some(given) = block.get("toolResult") {
                gave = true;
                self.say("tool", given_to_converse(&given["content"]));
            }
        }
        let said = text(content);
        if !said.is_empty() || !gave {
            self.say("user", said);
        }
    }

    fn offer(&mut self, tool: &'t Value) {
        let declared = tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
        if let Some(declared) = declared {
            items(declared).for_each(|tool| self.offer(tool));
            return;
        }
        let inner = ["function", "custom", "toolSpec"].iter().find_map(|key| tool.get(key)).unwrap_or(tool);
        let name = inner["name"].as_str().or_else(|| tool["type"].as_str());
        let keys = ["parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema"];
        let of_converse = || inner.get("inputSchema").map(|schema| schema.get("json").unwrap_or(schema));
        let parameters = keys.iter().find_map(|key| inner.get(key)).or_else(of_converse);
        let parameters = parameters.filter(|schema| !schema.is_null());
        self.tools.extend(name.map(|name| OfferedTool { name, parameters, declared: inner }));
    }
}

/// The conversation that a request belongs to, which the provider keeps.
pub(super) fn conversation(request: &Value) -> Option<&str> {
    let named = request.get("conversation")?;
    named.get("id").unwrap_or(named).as_str()
}

/// A system prompt: a text, or blocks, or a content with parts.
fn prompt(value: &Value) -> Cow<'_, str> {
    text(value.get("parts").unwrap_or(value))
}

/// What a tool gave, where data is a part of its own: `[{"json": ..}]`.
fn given_to_converse(content: &Value) -> Cow<'_, str> {
    match items(content).find_map(|part| part.get("json")) {
        Some(data) => result(data),
        None => result(content),
    }
}

/// The words of an answer that is sent back to the model.
fn words<'t>(item: &'t Value, content: &'t Value) -> Cow<'t, str> {
    match (text(content), item["refusal"].as_str()) {
        (said, Some(refusal)) if said.is_empty() => Cow::Borrowed(refusal),
        (said, _) => said,
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}
