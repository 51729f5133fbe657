//! Reads the body of a request, for any provider.

use std::borrow::Cow;

use serde_json::Value;

use super::content::{result, text};

/// A message of a request that is not a system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMessage<'t> {
    /// `user`, `assistant` or `tool`, regardless of the provider's own terms.
    pub role: &'static str,
    /// The text; for a tool, its result.
    pub text: Cow<'t, str>,
}

/// A tool that a request offers to the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfferedTool<'t> {
    /// The name; for a tool of the provider, its type.
    pub name: &'t str,
    /// The JSON Schema of its arguments.
    pub parameters: Option<&'t Value>,
    /// The whole declaration, without the provider's wrapper.
    pub declared: &'t Value,
}

/// The content of a body.
#[derive(Debug, Default)]
pub(super) struct RequestBody<'t> {
    pub(super) model: Option<&'t str>,
    /// The system prompt that applies to this request only.
    pub(super) instructions: Option<Cow<'t, str>>,
    /// System messages, which also apply to requests that continue this one.
    pub(super) system: Vec<Cow<'t, str>>,
    pub(super) messages: Vec<RequestMessage<'t>>,
    pub(super) tools: Vec<OfferedTool<'t>>,
    /// The id of the answer or the conversation that it continues.
    pub(super) continues: Option<&'t str>,
    /// Whether that is a conversation, which stores its messages.
    pub(super) in_conversation: bool,
    /// Whether that is an answer of a thread, which also stores the system prompt and the tools.
    pub(super) in_thread: bool,
}

impl<'t> RequestBody<'t> {
    pub(super) fn read(request: &'t Value) -> Self {
        let mut body = RequestBody { model: request["model"].as_str(), ..RequestBody::default() };
        let instructions = ["instructions", "system", "systemInstruction", "system_instruction"];
        body.instructions =
            instructions.iter().find_map(|key| request.get(key)).map(prompt).filter(|it| !it.is_empty());
        // The last one is used by Ollama's `generate`.
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
        // Tools used to be offered as functions.
        let of_converse = items(&request["toolConfig"]["tools"]);
        for tool in items(&request["tools"]).chain(items(&request["functions"])).chain(of_converse) {
            body.offer(tool);
        }
        body
    }

    fn say(&mut self, role: &'static str, text: Cow<'t, str>) {
        self.messages.push(RequestMessage { role, text });
    }

    /// Adds a message, or another item in the list of messages.
    fn item(&mut self, item: &'t Value) {
        let content = item.get("content").or_else(|| item.get("parts")).unwrap_or(&Value::Null);
        match item["role"].as_str() {
            Some("system" | "developer") => self.system.push(text(content)),
            Some("assistant" | "model") => self.say("assistant", words(item, content)),
            Some("tool" | "function") if item.get("parts").is_none() => self.say("tool", result(content)),
            Some(_) => self.said_by_user(content),
            // Tool results have no role in some requests.
            None => {
                if let Some(output) = item.get("output") {
                    self.say("tool", result(output));
                }
            }
        }
    }

    /// Adds the text of a user, and the tool results next to it.
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

/// The id of the conversation that the provider stores for a request.
pub(super) fn conversation(request: &Value) -> Option<&str> {
    let named = request.get("conversation")?;
    named.get("id").unwrap_or(named).as_str()
}

/// A system prompt: a string, blocks, or a content with parts.
fn prompt(value: &Value) -> Cow<'_, str> {
    text(value.get("parts").unwrap_or(value))
}

/// The result of a tool, where data is a separate part: `[{"json": ..}]`.
fn given_to_converse(content: &Value) -> Cow<'_, str> {
    match items(content).find_map(|part| part.get("json")) {
        Some(data) => result(data),
        None => result(content),
    }
}

/// The text of an answer that is sent back to the model.
fn words<'t>(item: &'t Value, content: &'t Value) -> Cow<'t, str> {
    match (text(content), item["refusal"].as_str()) {
        (said, Some(refusal)) if said.is_empty() => Cow::Borrowed(refusal),
        (said, _) => said,
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}
