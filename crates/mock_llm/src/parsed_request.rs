//! What a request asks, whichever provider it was meant for.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use agentci_trace::{differences, same_value};
use rustc_hash::FxHasher;
use serde_json::Value;

use super::{answer::CallForm, request_words::RequestTexts, strict::responses::EarlierCalls};

/// What a request asks.
#[derive(Debug, Default)]
pub(super) struct ParsedRequest {
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
    /// The calls of its answers as the request repeats them, by their ids: the message of each, and what it is.
    pub(super) repeated: HashMap<String, (usize, FunctionCall)>,
    /// A digest of the conversation up to each of its messages or items, instructions aside.
    pub(super) digests: Vec<u64>,
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
    pub(super) tools: Option<Arc<Value>>,
    /// The calls and outputs among its items, where it has items.
    pub(super) items: Items,
    /// The earlier calls that it names.
    pub(super) earlier: EarlierCalls,
    /// A digest of the words of the model's last answer, as the request repeats it.
    pub(super) repeats: Option<u64>,
    /// What it says as a whole, where a rule looks at that.
    pub(super) spoken: RequestTexts,
    /// A digest of the request as it came, by which it is known again; nothing where nobody asks.
    pub(super) body: Option<u64>,
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
    pub(super) function_outputs: Vec<String>,
    /// The items of earlier answers that it refers to, by their own ids.
    pub(super) references: Vec<String>,
}

impl Items {
    /// Takes an item of this kind.
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

/// What a tool gave, as the agent tells its model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GivenResult {
    pub(super) call_id: String,
    pub(super) content: String,
    pub(super) failed: bool,
    /// The call that it belongs to, as the request repeats it.
    pub(super) function: Option<FunctionCall>,
    /// The message or item that has this call.
    pub(super) at: usize,
}

impl GivenResult {
    /// A result without an error, of a call that the request may repeat.
    pub(super) fn new(call_id: Option<&str>, content: String) -> Self {
        let call_id = call_id.unwrap_or_default().to_owned();
        Self { call_id, content, failed: false, function: None, at: 0 }
    }
}

/// A call of a function, by which a result is known that has no id, or another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FunctionCall {
    pub(super) name: String,
    /// As JSON; nothing if the request does not repeat the call.
    pub(super) arguments: Option<String>,
}

impl FunctionCall {
    /// Its arguments, where they are known and JSON.
    fn read(&self) -> Option<Value> {
        serde_json::from_str(self.arguments.as_deref()?).ok()
    }

    /// Whether it has these arguments, however they are spelt.
    pub(super) fn has_arguments_of(&self, other: &Self) -> bool {
        self.arguments == other.arguments
            || self.read().zip(other.read()).is_some_and(|(own, others)| same_value(&own, &others))
    }

    /// How many arguments it has, if the other has them all; one that was added is no difference.
    pub(super) fn kept_by(&self, other: &Self) -> Option<usize> {
        let (own, others) = self.read().zip(other.read())?;
        let count = own.as_object()?.len();
        (others.is_object() && differences(&own, &others).is_empty()).then_some(count)
    }
}

impl ParsedRequest {
    /// Which answer this will be, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.answers.saturating_add(1)
    }

    /// The model has answered: results before that are old.
    pub(super) fn answered(&mut self) {
        self.answers = self.answers.saturating_add(1);
        self.older.append(&mut self.results);
    }

    /// A message or item of the conversation, of which only the words count: ids, marks for a cache and the spelling of arguments
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

    /// The message that was heard last.
    pub(super) fn last_heard(&self) -> usize {
        self.digests.len().saturating_sub(1)
    }

    /// The message that was heard last repeats a call.
    pub(super) fn repeat(&mut self, id: Option<String>, name: Option<String>, arguments: Option<String>) {
        let function = name.map(|name| (self.last_heard(), FunctionCall { name, arguments }));
        self.repeated.extend(id.zip(function));
    }

    /// A result of the call with its id came.
    pub(super) fn take_result(&mut self, mut given: GivenResult) {
        if let Some((at, function)) = self.repeated.get(&given.call_id) {
            (given.at, given.function) = (*at, Some(function.clone()));
        }
        self.results.push(given);
    }

    /// Where the conversation stands.
    pub(super) fn standing(&self) -> Standing {
        Standing { messages: self.digests.len(), digest: self.digests.last().copied().unwrap_or_default() }
    }

    /// Whether it goes on from there, and what stands at this message came later.
    pub(super) fn goes_on(&self, from: Standing, at: usize) -> bool {
        let last = from.messages.checked_sub(1).and_then(|last| self.digests.get(last));
        at >= from.messages && last == Some(&from.digest)
    }

    /// How many messages it has in common with a conversation that stood there, if it is longer and goes on from there.
    pub(super) fn length_from(&self, from: Standing) -> Option<usize> {
        (self.digests.len() > from.messages && self.goes_on(from, from.messages)).then_some(from.messages)
    }

    /// How many messages its longest beginning has for which this holds, other than the whole.
    pub(super) fn beginning(&self, holds: impl Fn(u64) -> bool) -> Option<usize> {
        let (_, beginnings) = self.digests.split_last()?;
        beginnings.iter().rposition(|digest| holds(*digest)).map(|last| last + 1)
    }
}

/// Where a conversation stood: after so many messages, which have this digest.
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

/// The digest of an answer's words, as a request repeats them.
pub(super) fn words_of(answer: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hash_words(&Value::String(answer.into()), &mut hasher);
    hasher.finish()
}

/// The text of a message's content: a text, or a list of parts of which some have one.
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

/// The same of a tool's result, where other data is shown as JSON.
pub(super) fn result_text(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(_) | Value::Array(_) => text(content),
        other => other.to_string(),
    }
}
