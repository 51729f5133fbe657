//! The journal: the last requests and how they were answered.

use std::collections::VecDeque;

use agentci_trace::ModelTrouble;
use serde_json::{Value, json};

use super::{answer::WantedCall, parsed_request::GivenResult};

/// The maximum number of requests to keep; older ones are dropped.
const MOST: usize = 10_000;
/// Bytes of a name to keep.
const NAME: usize = 200;
/// Characters of a tool result to keep.
const SHOWN: usize = 4_000;

#[derive(Debug, Default)]
pub(super) struct JournalEntry {
    pub(super) number: u64,
    pub(super) unix_ms: u64,
    pub(super) provider: &'static str,
    pub(super) path: String,
    pub(super) model: Option<String>,
    pub(super) stream: bool,
    /// The line of the rule that answered.
    pub(super) rule: Option<u32>,
    pub(super) status: u16,
    /// The kind of simulated failure.
    pub(super) failure: Option<&'static str>,
    pub(super) tool_calls: Vec<WantedCall>,
    pub(super) tool_results: Vec<GivenResult>,
    pub(super) troubles: Vec<ModelTrouble>,
}

/// The beginning of a string from a request, which may have any length.
pub(super) fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(NAME)].to_owned()
}

/// The last requests.
#[derive(Debug, Default)]
pub(super) struct RequestJournal {
    entries: VecDeque<JournalEntry>,
    forgotten: u64,
}

impl RequestJournal {
    pub(super) fn push(&mut self, mut entry: JournalEntry) {
        for result in &mut entry.tool_results {
            result.function = None;
            if let Some((end, _)) = result.content.char_indices().nth(SHOWN) {
                result.content.truncate(end);
                result.content.shrink_to_fit();
            }
        }
        if self.entries.len() == MOST {
            self.entries.pop_front();
            self.forgotten += 1;
        }
        self.entries.push_back(entry);
    }

    /// The first `most` distinct paths, in the order of their first requests.
    pub(super) fn paths(&self, most: usize) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for entry in &self.entries {
            if paths.len() < most && !paths.contains(&entry.path) {
                paths.push(entry.path.clone());
            }
        }
        paths
    }

    pub(super) fn value(&self) -> Value {
        let entries: Vec<Value> = self.entries.iter().map(JournalEntry::value).collect();
        json!({ "requests": entries, "forgotten": self.forgotten })
    }
}

impl JournalEntry {
    fn value(&self) -> Value {
        let call = |call: &WantedCall| json!({ "id": call.id, "name": call.name, "args": call.args });
        let result =
            |result: &GivenResult| json!({ "id": result.call_id, "content": result.content, "failed": result.failed });
        let trouble = |trouble: &ModelTrouble| json!({ "kind": trouble.kind.name(), "message": trouble.message, "warning": trouble.warning });
        json!({
            "number": self.number,
            "time": self.unix_ms,
            "provider": self.provider,
            "path": self.path,
            "model": self.model,
            "stream": self.stream,
            "rule": self.rule,
            "status": self.status,
            "failure": self.failure,
            "tool_calls": self.tool_calls.iter().map(call).collect::<Vec<_>>(),
            "tool_results": self.tool_results.iter().map(result).collect::<Vec<_>>(),
            "troubles": self.troubles.iter().map(trouble).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_requests_are_dropped_and_counted() {
        let mut journal = RequestJournal::default();
        for number in 0..10_003 {
            journal.push(JournalEntry { number, ..JournalEntry::default() });
        }
        let value = journal.value();
        assert_eq!((value["requests"].as_array().unwrap().len(), &value["forgotten"]), (10_000, &json!(3)));
        assert_eq!(value["requests"][0]["number"], 3);
    }
}
