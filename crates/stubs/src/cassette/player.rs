//! Replays a recording.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use agentci_trace::canonical;
use serde_json::Value;

use super::tape::{CallKey, Tape, TapeEntry};
use crate::closest::{closest, cut, shown};
use agentci_text::first_difference;

/// One replay of a recording; it keeps track of the entries used.
#[derive(Debug)]
pub struct CassettePlayer {
    tape: Arc<Tape>,
    used: HashMap<CallKey, usize>,
    /// The entries used as an answer, by index.
    given: BTreeSet<usize>,
}

/// A call that was not recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CassetteMiss {
    /// What is wrong, in one sentence.
    pub message: String,
    /// The request, the closest entries, and the first difference.
    pub notes: Vec<String>,
}

/// Maximum number of similar entries to list.
const NEAR: usize = 5;

impl CassettePlayer {
    /// Starts a replay at the first entry.
    pub fn new(tape: Arc<Tape>) -> Self {
        Self { tape, used: HashMap::new(), given: BTreeSet::new() }
    }

    /// The recorded answer to a call.
    pub fn answer(&mut self, tool: &str, args: &Value) -> Result<&TapeEntry, CassetteMiss> {
        let key = self.tape.key(tool, args);
        let exact = self.tape.matching(&key);
        let matching = if exact.is_empty() { &self.tape.fitting(tool, args) } else { exact };
        let Some(last) = matching.len().checked_sub(1) else { return Err(self.miss(tool, args)) };
        let turn = self.used.entry(key).or_default();
        let entry = matching[(*turn).min(last)];
        *turn += 1;
        self.given.insert(entry);
        Ok(&self.tape.entries()[entry])
    }

    /// The lines of the recording that were not used as an answer.
    pub fn unused_lines(&self) -> Vec<usize> {
        let entries = self.tape.entries().iter().enumerate();
        entries.filter(|(index, _)| !self.given.contains(index)).map(|(_, entry)| entry.line).collect()
    }

    fn miss(&self, tool: &str, args: &Value) -> CassetteMiss {
        let file = self.tape.path().display();
        let args = &self.tape.redacted(args);
        let same = self.tape.same();
        let mut notes = vec![format!("requested: {tool} {}", cut(&canonical(args)))];
        let entries = self.tape.entries();
        // Entries of the same tool, or of all tools if there are none.
        let has_tool = entries.iter().any(|entry| entry.tool == tool);
        let candidates = entries.iter().filter(|entry| !has_tool || entry.tool == tool);
        let near = closest(candidates.map(|entry| (entry, &entry.args)), args, NEAR, same);
        if let Some((entry, _)) = near.first() {
            if entry.tool != tool {
                notes.push(format!("the recording has no call of `{tool}`"));
            } else if let Some(difference) = first_difference(&self.tape.redacted(&entry.args), args, same) {
                notes.push(format!(
                    "first difference from the closest entry: at {} the recording has {}, the agent sent {}",
                    if difference.path.is_empty() { "the top" } else { &difference.path },
                    shown(difference.expected.as_ref()),
                    shown(difference.actual.as_ref()),
                ));
            }
        } else {
            notes.push("the recording is empty".into());
        }
        for (index, (entry, likeness)) in near.iter().enumerate() {
            let what = if index == 0 { "closest" } else { "then" };
            let args = cut(&canonical(&entry.args));
            notes.push(format!("{what}: {} {args} (line {}, likeness {likeness:.2})", entry.tool, entry.line));
        }
        CassetteMiss { message: format!("no recorded call of `{tool}` with these arguments in `{file}`"), notes }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_plan::RecordedNumbers;
    use agentci_source::MemoryFiles;
    use agentci_trace::Redactor;
    use serde_json::json;

    use super::*;

    fn player(lines: &[&str]) -> CassettePlayer {
        comparing(lines, RecordedNumbers::ByValue)
    }

    fn comparing(lines: &[&str], numbers: RecordedNumbers) -> CassettePlayer {
        let files = MemoryFiles::default().with("t.jsonl", lines.join("\n"));
        let tape = Tape::load(&files, Path::new("t.jsonl"), &Redactor::default(), numbers);
        CassettePlayer::new(Arc::new(tape.unwrap()))
    }

    #[test]
    fn equal_calls_replay_results_in_order_then_repeat_last() {
        let mut player = player(&[
            r#"{"tool":"poll","args":{"id":1,"deep":{"b":1,"a":2}},"ok":true,"result":"queued"}"#,
            r#"{"tool":"other","args":{},"ok":true,"result":0}"#,
            r#"{"tool":"poll","args":{"deep":{"a":2,"b":1},"id":1},"ok":true,"result":"done"}"#,
        ]);
        let args = json!({"deep": {"a": 2, "b": 1}, "id": 1});
        let seen: Vec<Value> = (0..3).map(|_| Value::clone(&player.answer("poll", &args).unwrap().result)).collect();
        assert_eq!(seen, ["queued", "done", "done"]);
        assert_eq!(player.unused_lines(), [2]);
    }

    #[test]
    fn miss_reports_first_difference_from_closest_entry() {
        let mut player = player(&[
            r#"{"tool":"search","args":{"q":"something else"},"ok":true}"#,
            r#"{"tool":"search","args":{"q":"reset","page":{"size":10}},"ok":true}"#,
        ]);
        let miss = player.answer("search", &json!({"q": "reset", "page": {"size": 10.5}})).unwrap_err();
        assert_eq!(miss.notes[0], r#"requested: search {"page":{"size":10.5},"q":"reset"}"#);
        assert_eq!(
            miss.notes[1],
            "first difference from the closest entry: at /page/size the recording has 10, the agent sent 10.5"
        );
        assert!(miss.notes[2].starts_with(r#"closest: search {"page":{"size":10},"q":"reset"} (line 2, likeness 0."#));
    }

    #[test]
    fn miss_reports_tool_missing_from_recording() {
        let mut player = player(&[r#"{"tool":"search","args":{},"ok":true}"#]);
        let miss = player.answer("find", &json!({})).unwrap_err();
        assert_eq!(miss.notes[1], "the recording has no call of `find`");
        let empty = self::player(&[]).answer("find", &json!({})).unwrap_err();
        assert_eq!(empty.notes[1], "the recording is empty");
    }

    #[test]
    fn large_integers_match_exactly() {
        let mut player = player(&[r#"{"tool":"t","args":{"n":123456789012345678901234567890},"ok":true}"#]);
        let args = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert!(player.answer("t", &args(r#"{"n":123456789012345678901234567890}"#)).is_ok());
        assert!(player.answer("t", &args(r#"{"n":123456789012345678901234567891}"#)).is_err());
    }

    #[test]
    fn numbers_match_by_value_unless_compared_as_written() {
        let lines = [
            r#"{"tool":"pay","args":{"amount":20,"token":"[REDACTED]"},"ok":true,"result":"first"}"#,
            r#"{"tool":"pay","args":{"amount":20,"token":"x"},"ok":true,"result":"second"}"#,
        ];
        let args = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (amount, as_written) in [("20", true), ("20.0", false), ("2e1", false), ("20.00", false)] {
            for token in ["x", "hunter22"] {
                let args = args(&format!(r#"{{"amount":{amount},"token":"{token}"}}"#));
                assert!(player(&lines).answer("pay", &args).is_ok(), "{args}");
                let mut as_they_are = comparing(&lines, RecordedNumbers::AsWritten);
                assert_eq!(as_they_are.answer("pay", &args).is_ok(), as_written, "{args}");
            }
        }
        for amount in ["20.000000000000000001", "\"20\"", "200"] {
            assert!(player(&lines).answer("pay", &args(&format!(r#"{{"amount":{amount},"token":"x"}}"#))).is_err());
        }
    }

    #[test]
    fn redacted_entry_matches_call_with_secrets() {
        let line = r#"{"tool":"login","args":{"user":"a","password":"[REDACTED]"},"ok":true,"result":1}"#;
        let mut player = player(&[line]);
        assert!(player.answer("login", &json!({"user": "a", "password": "hunter22"})).is_ok());
        let miss = player.answer("login", &json!({"user": "b", "password": "hunter22"})).unwrap_err();
        assert!(miss.notes[1].contains(r#"at /user the recording has "a", the agent sent "b""#), "{miss:?}");
    }
}
