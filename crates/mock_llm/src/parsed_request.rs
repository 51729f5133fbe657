//! A parsed request, independent of its provider.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use agentci_trace::{differences, same_value};
use rustc_hash::FxHasher;
use serde_json::Value;

use super::{answer::CallForm, request_words::RequestTexts, strict::responses::EarlierCalls};

/// A request, independent of its provider.
#[derive(Debug, Default)]
pub(super) struct ParsedRequest {
    /// The model that it names.
    pub(super) model: Option<String>,
    /// Whether the answer is to be streamed.
    pub(super) stream: bool,
    /// The last text of the user.
    pub(super) user: String,
    /// The number of the model's answers so far.
    pub(super) answers: u32,
    /// The tool results after the model's last answer.
    pub(super) results: Vec<GivenResult>,
    /// The tool results before it. Most were in an earlier request already; those of an agent that answers by itself
    /// after a tool appear only here.
    pub(super) older: Vec<GivenResult>,
    /// The model's calls that the request repeats, by id: the index of the message, and the call.
    pub(super) repeated: HashMap<String, (usize, FunctionCall)>,
    /// A digest of the conversation up to each of its messages or items, without instructions.
    pub(super) digests: Vec<u64>,
    /// The number of choices to return.
    pub(super) choices: u32,
    /// Whether a stream ends with the token usage.
    pub(super) include_usage: bool,
    /// The form of calls in the answer.
    pub(super) form: CallForm,
    /// The answer that this request continues.
    pub(super) previous: Option<String>,
    /// The conversation that it belongs to; the server keeps its history.
    pub(super) conversation: Option<String>,
    /// Anthropic's threads: whether the answer can be continued, the answer that this request continues, and its tools,
    /// which default to those of the thread.
    pub(super) in_thread: bool,
    pub(super) thread: Option<String>,
    pub(super) tools: Option<Arc<Value>>,
    /// The calls and outputs among its items, if it has items.
    pub(super) items: Items,
    /// The earlier calls that it refers to.
    pub(super) earlier: EarlierCalls,
    /// A digest of the text of the model's last answer, as the request repeats it.
    pub(super) repeats: Option<u64>,
    /// All of its texts, if a rule looks at them.
    pub(super) spoken: RequestTexts,
    /// A digest of the body, to recognise a retry; `None` if no rule needs it.
    pub(super) body: Option<u64>,
}

/// The ids of calls and outputs among the items of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Items {
    /// Function calls.
    pub(super) functions: Vec<String>,
    /// Other calls, such as `custom_tool_call`, `computer_call` and `shell_call`, which have their own kinds of output.
    pub(super) others: Vec<String>,
    /// Outputs of any kind.
    pub(super) outputs: Vec<String>,
    pub(super) function_outputs: Vec<String>,
    /// The ids of earlier items that the request refers to.
    pub(super) references: Vec<String>,
}

impl Items {
    /// Adds an item of this kind.
    pub(super) fn take(&mut self, kind: &str, item: &Value) {
        let text = |key: &str| item[key].as_str().map(str::to_owned);
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

/// A tool result that the agent sends to its model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GivenResult {
    pub(super) call_id: String,
    pub(super) content: String,
    pub(super) failed: bool,
    /// The call that it belongs to, as the request repeats it.
    pub(super) function: Option<FunctionCall>,
    /// The index of the message or item with this call.
    pub(super) at: usize,
}

impl GivenResult {
    /// A successful result; the call that it belongs to is not known yet.
    pub(super) fn new(call_id: Option<&str>, content: String) -> Self {
        let call_id = call_id.unwrap_or_default().to_owned();
        Self { call_id, content, failed: false, function: None, at: 0 }
    }
}

/// A function call, to match results without an id, or with a different one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FunctionCall {
    pub(super) name: String,
    /// As JSON; `None` if the request does not repeat the call.
    pub(super) arguments: Option<String>,
}

impl FunctionCall {
    /// Its arguments, if they are known and valid JSON.
    fn read(&self) -> Option<Value> {
        serde_json::from_str(self.arguments.as_deref()?).ok()
    }

    /// Whether both have the same arguments; the formatting may differ.
    pub(super) fn has_arguments_of(&self, other: &Self) -> bool {
        self.arguments == other.arguments
            || self.read().zip(other.read()).is_some_and(|(own, others)| same_value(&own, &others))
    }

    /// The number of its arguments, if the other call has all of them; the other may have more.
    pub(super) fn kept_by(&self, other: &Self) -> Option<usize> {
        let (own, others) = self.read().zip(other.read())?;
        let count = own.as_object()?.len();
        (others.is_object() && differences(&own, &others).is_empty()).then_some(count)
    }
}

impl ParsedRequest {
    /// The number of the answer to this request, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.answers.saturating_add(1)
    }

    /// Counts an answer of the model; results before it become older ones.
    pub(super) fn answered(&mut self) {
        self.answers = self.answers.saturating_add(1);
        self.older.append(&mut self.results);
    }

    /// Adds a message or item to the digests. Only its text counts: ids, cache markers and the formatting of arguments
    /// differ from request to request.
    pub(super) fn hear(&mut self, speaker: &str, content: &Value) {
        let mut hasher = FxHasher::default();
        self.digests.last().hash(&mut hasher);
        speaker.hash(&mut hasher);
        hash_words(content, &mut hasher);
        self.digests.push(hasher.finish());
        if matches!(speaker, "assistant" | "model") {
            let mut alone = FxHasher::default();
            hash_words(content, &mut alone);
            self.repeats = Some(alone.finish());
        }
    }

    /// The index of the last message.
    pub(super) fn last_heard(&self) -> usize {
        self.digests.len().saturating_sub(1)
    }

    /// Adds a call that the last message repeats.
    pub(super) fn repeat(&mut self, id: Option<String>, name: Option<String>, arguments: Option<String>) {
        let function = name.map(|name| (self.last_heard(), FunctionCall { name, arguments }));
        self.repeated.extend(id.zip(function));
    }

    /// Adds a result, matched to a repeated call by id.
    pub(super) fn take_result(&mut self, mut given: GivenResult) {
        if let Some((at, function)) = self.repeated.get(&given.call_id) {
            (given.at, given.function) = (*at, Some(function.clone()));
        }
        self.results.push(given);
    }

    /// The current standing of the conversation.
    pub(super) fn standing(&self) -> Standing {
        Standing { messages: self.digests.len(), digest: self.digests.last().copied().unwrap_or_default() }
    }

    /// Whether the conversation continues from that standing, and the message `at` comes after it.
    pub(super) fn goes_on(&self, from: Standing, at: usize) -> bool {
        let last = from.messages.checked_sub(1).and_then(|last| self.digests.get(last));
        at >= from.messages && last == Some(&from.digest)
    }

    /// The number of messages in common with that standing, if this conversation is longer and continues from it.
    pub(super) fn length_from(&self, from: Standing) -> Option<usize> {
        (self.digests.len() > from.messages && self.goes_on(from, from.messages)).then_some(from.messages)
    }

    /// The number of messages of the longest proper prefix for whose digest `holds` is true.
    pub(super) fn beginning(&self, holds: impl Fn(u64) -> bool) -> Option<usize> {
        let (_, beginnings) = self.digests.split_last()?;
        beginnings.iter().rposition(|digest| holds(*digest)).map(|last| last + 1)
    }
}

/// A position in a conversation: the number of messages, and their digest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Standing {
    messages: usize,
    pub(super) digest: u64,
}

fn hash_words(content: &Value, hasher: &mut FxHasher) {
    match content {
        Value::String(text) if !text.is_empty() => text.hash(hasher),
        Value::Array(parts) => parts.iter().for_each(|part| hash_words(part, hasher)),
        Value::Object(_) => {
            for part in ["text", "content", "output"].into_iter().filter_map(|key| content.get(key)) {
                hash_words(part, hasher);
            }
        }
        _ => {}
    }
}

/// The digest of an answer's text, as a request repeats it.
pub(super) fn words_of(answer: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hash_words(&Value::String(answer.into()), &mut hasher);
    hasher.finish()
}

/// The text of a message's content: a string, or a list of parts, some of which have text.
pub(super) fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.skip_while(|text| text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The text of a tool result; other data becomes JSON.
pub(super) fn result_text(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(_) | Value::Array(_) => text(content),
        other => other.to_string(),
    }
}
