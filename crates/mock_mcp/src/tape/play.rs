//! Answers requests from a recording.

use std::sync::Mutex;

use agentci_protocols::jsonrpc::{INTERNAL_ERROR, RpcError};
use agentci_trace::same_value;
use agentci_wire::lock;
use serde_json::{Map, Value, json};

use crate::{answer::ServerRequest, server_state::ServerState};

/// The capabilities that a recording can replay.
const PLAYED: [&str; 5] = ["tools", "resources", "prompts", "completions", "logging"];

/// The maximum number of recorded requests to list in a miss.
const NAMED: usize = 3;

/// The recorded requests to an MCP server, with their answers.
#[derive(Debug, Default)]
pub struct McpTape {
    /// The result of the handshake or discovery.
    pub(crate) greeting: Value,
    pub(super) entries: Vec<TapedExchange>,
    /// Whether each entry was used.
    given: Mutex<Vec<bool>>,
}

/// A recorded request and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TapedExchange {
    pub(super) method: String,
    /// Without metadata of the request.
    pub(super) params: Map<String, Value>,
    pub(super) outcome: Result<Value, RpcError>,
}

impl McpTape {
    pub(super) fn new(greeting: Value, entries: Vec<TapedExchange>) -> Self {
        let given = Mutex::new(vec![false; entries.len()]);
        Self { greeting, entries, given }
    }

    pub(crate) fn capabilities(&self) -> Value {
        let said = self.greeting.get("capabilities").and_then(Value::as_object);
        let mut capabilities: Map<String, Value> = if let Some(said) = said {
            said.clone().into_iter().filter(|(key, _)| PLAYED.contains(&key.as_str())).collect()
        } else {
            let asked = |group: &&str| self.entries.iter().any(|entry| entry.method.starts_with(*group));
            let groups = ["tools", "resources", "prompts"].into_iter().filter(asked);
            groups.map(|group| (group.to_owned(), json!({}))).collect()
        };
        capabilities.entry("logging").or_insert_with(|| json!({}));
        Value::Object(capabilities)
    }

    /// The tools that the server listed, unchanged.
    pub(crate) fn tools(&self) -> Vec<Value> {
        let lists = self.entries.iter().filter(|entry| entry.method == "tools/list");
        let tools = lists.filter_map(|entry| entry.outcome.as_ref().ok()?["tools"].as_array());
        let mut all: Vec<Value> = Vec::new();
        for tool in tools.flatten() {
            if !all.iter().any(|known| known["name"] == tool["name"]) {
                all.push(tool.clone());
            }
        }
        all
    }

    /// All recorded parameters and results.
    pub fn said(&self) -> impl Iterator<Item = &Value> {
        let params = self.entries.iter().flat_map(|entry| entry.params.values());
        params.chain(self.entries.iter().filter_map(|entry| entry.outcome.as_ref().ok()))
    }

    /// The recorded tool calls that no client made, as text.
    pub fn unused(&self) -> Vec<String> {
        let given = lock(&self.given);
        let calls = self.entries.iter().zip(&*given).filter(|(entry, given)| entry.method == "tools/call" && !**given);
        calls.map(|(entry, _)| entry.words()).collect()
    }

    /// The next answer to an equal request, or the message of the miss. A tool call may have side effects, so each of
    /// its answers is used once; the last answer to any other request repeats.
    fn next(&self, method: &str, params: &Map<String, Value>) -> Result<Result<Value, RpcError>, String> {
        let asked = TapedExchange { method: method.to_owned(), params: stripped(params), outcome: Ok(Value::Null) };
        let same = |entry: &TapedExchange| {
            entry.method == asked.method
                && same_value(&Value::Object(entry.params.clone()), &Value::Object(asked.params.clone()))
        };
        let fitting: Vec<usize> = (0..self.entries.len()).filter(|at| same(&self.entries[*at])).collect();
        let mut given = lock(&self.given);
        let next = fitting.iter().copied().find(|at| !given[*at]);
        let again = fitting.last().copied().filter(|_| method != "tools/call");
        if let Some(at) = next.or(again) {
            given[at] = true;
            return Ok(self.entries[at].outcome.clone());
        }
        let words = asked.words();
        Err(match fitting.len() {
            0 => format!("{words} is not in the recording{}", self.others(&asked)),
            1 => format!("{words} was recorded once, but is called again"),
            times => format!("{words} was recorded {times} times, but is called once more"),
        })
    }

    /// The recorded requests for the same tool, prompt or resource, for the message of a miss.
    fn others(&self, asked: &TapedExchange) -> String {
        let same = |entry: &&TapedExchange| entry.method == asked.method && entry.of() == asked.of();
        let mut known: Vec<String> = Vec::new();
        for words in self.entries.iter().filter(same).map(TapedExchange::words) {
            if !known.contains(&words) && known.len() < NAMED {
                known.push(words);
            }
        }
        if known.is_empty() { String::new() } else { format!("; it contains {}", known.join(", ")) }
    }
}

impl TapedExchange {
    /// The tool, prompt or resource.
    fn of(&self) -> &str {
        ["name", "uri"].iter().find_map(|key| self.params.get(*key)?.as_str()).unwrap_or_default()
    }

    fn words(&self) -> String {
        match self.method.as_str() {
            "tools/call" | "prompts/get" => {
                let nothing = json!({});
                format!("`{}` with {}", self.of(), self.params.get("arguments").unwrap_or(&nothing))
            }
            method => format!("`{method}` with {}", Value::Object(self.params.clone())),
        }
    }
}

impl ServerState {
    /// Answers a request from the recording.
    pub(crate) fn replay(&self, tape: &McpTape, asked: &ServerRequest) -> Result<Value, RpcError> {
        tape.next(&asked.method, &asked.params).unwrap_or_else(|message| {
            let of = ["name", "uri"].iter().find_map(|key| asked.params.get(*key)?.as_str());
            self.missed(of.unwrap_or(&asked.method), message.clone());
            Err(RpcError::new(INTERNAL_ERROR, message))
        })
    }
}

/// The parameters of a request without its metadata. Empty arguments count as absent.
pub(super) fn stripped(params: &Map<String, Value>) -> Map<String, Value> {
    let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    let kept = params.iter().filter(|(key, value)| match key.as_str() {
        "_meta" | "task" | "requestState" | "inputResponses" => false,
        "arguments" | "cursor" => !empty(value),
        _ => true,
    });
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}
