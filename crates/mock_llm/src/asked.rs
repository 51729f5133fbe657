//! What a request asks, whichever provider it was meant for.

use std::collections::HashMap;
use std::sync::Arc;

use super::answer::CallForm;
use agentci_trace::same_value;
use serde_json::Value;

use super::json::Json;
use super::strict::responses::Earlier;

/// What a request asks.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The model it names.
    pub(super) model: Option<String>,
    /// Whether the answer is to come bit by bit.
    pub(super) stream: bool,
    /// The last text of the user.
    pub(super) user: String,
    /// How many answers the model has given so far.
    pub(super) answers: u32,
    /// The results of tools that came after its last answer.
    pub(super) results: Vec<GivenResult>,
    /// The results before it. Most were told with an earlier request; an agent that answers by itself after a tool tells them only
    /// here.
    pub(super) older: Vec<GivenResult>,
    /// The calls of its last answer as the request repeats them, by their ids.
    pub(super) repeated: HashMap<String, FunctionCall>,
    /// How many answers are wanted.
    pub(super) choices: u32,
    /// Whether a stream ends with what was used.
    pub(super) include_usage: bool,
    /// What the calls of an answer are.
    pub(super) form: CallForm,
    /// The answer that this request goes on from.
    pub(super) previous: Option<String>,
    /// The conversation that it belongs to, which the server remembers.
    pub(super) conversation: Option<String>,
    /// Anthropic's threads: whether the answer can be gone on from, the answer that this request goes on from, and its tools, which
    /// are those of the thread where it has none of its own.
    pub(super) in_thread: bool,
    pub(super) thread: Option<String>,
    pub(super) tools: Option<Arc<str>>,
    /// The calls and outputs among its items, where it has items.
    pub(super) items: Items,
    /// The earlier calls that it names.
    pub(super) earlier: Earlier,
}

/// The calls and outputs among the items of a request, by the ids of the calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Items {
    /// Calls of functions.
    pub(super) functions: Vec<String>,
    /// Other calls: `custom_tool_call`, `computer_call`, `shell_call` and the like have outputs of their own.
    pub(super) others: Vec<String>,
    /// Outputs of any kind.
    pub(super) outputs: Vec<String>,
    /// Outputs of functions.
    pub(super) function_outputs: Vec<String>,
    /// The items of earlier answers that it refers to, by their own ids.
    pub(super) references: Vec<String>,
}

impl Items {
    /// Takes an item of this kind.
    pub(super) fn take(&mut self, kind: &str, item: &Json<'_>) {
        let text = |key: &str| item.get(key).and_then(Json::as_str).map(str::to_owned);
        match kind {
            "function_call" => self.functions.extend(text("call_id")),
            "function_call_output" => {
                self.function_outputs.extend(text("call_id"));
                self.outputs.extend(text("call_id"));
            }
            "item_reference" => self.references.extend(text("id")),
            kind if kind.ends_with("_call") => self.others.extend(text("call_id")),
            kind if kind.ends_with("_output") => self.outputs.extend(text("call_id")),
            _ => {}
        }
    }
}

/// What a tool gave, as the agent tells its model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GivenResult {
    pub(super) call_id: String,
    pub(super) content: String,
    pub(super) failed: bool,
    /// The call that it belongs to, where calls have no ids.
    pub(super) function: Option<FunctionCall>,
}

/// A call of a function, by which a result is known that has no id, or another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionCall {
    pub(super) name: String,
    /// As JSON; nothing if the request does not repeat the call.
    pub(super) arguments: Option<String>,
}

impl FunctionCall {
    /// Whether it has these arguments, however they are spelt.
    pub(super) fn has_arguments_of(&self, other: &Self) -> bool {
        let read = |call: &Self| serde_json::from_str::<Value>(call.arguments.as_deref()?).ok();
        self.arguments == other.arguments
            || read(self).zip(read(other)).is_some_and(|(own, others)| same_value(&own, &others))
    }
}

impl Asked {
    /// Which answer this will be, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.answers.saturating_add(1)
    }

    /// The model has answered: results before that are old.
    pub(super) fn answered(&mut self) {
        self.answers = self.answers.saturating_add(1);
        self.older.append(&mut self.results);
        self.repeated.clear();
    }
}

/// The text of a message's content: a text, or a list of parts of which some have one.
pub(super) fn text(content: &Json<'_>) -> String {
    match content {
        Json::Text(text) => text.to_string(),
        Json::List(parts) => {
            let mut all = String::new();
            for part in parts.iter().filter_map(|part| part.get("text").and_then(Json::as_str)) {
                if !all.is_empty() {
                    all.push('\n');
                }
                all.push_str(part);
            }
            all
        }
        _ => String::new(),
    }
}

/// The same of a tool's result, where other data is shown as JSON.
pub(super) fn result_text(content: &Json<'_>) -> String {
    match content {
        Json::Null => String::new(),
        Json::Text(_) | Json::List(_) => text(content),
        other => other.to_string(),
    }
}
