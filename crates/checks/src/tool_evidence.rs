//! # What it checks
//! The answer shows that this tool was called; several tools must all be shown. These rules apply in order, and the
//! first that matches decides:
//!
//! 1. The answer is JSON and calls a tool in one of the known forms: `{"tool": name}`, `{"function": {"name": name}}`,
//!    `OpenAI`'s `tool_calls`, Anthropic's `tool_use`. Then only these calls count: a tool that is merely mentioned
//!    beside a call of another was not called. Names are compared exactly.
//! 2. Otherwise the name is in the text as a whole word: as `"tool": "name"`, `name(...)`, `<name>`, or merely
//!    mentioned. This comparison is case-insensitive.
//!
//! # Why
//! A model that is called directly cannot run tools; its answer says what it would call. If calls are observed,
//! `tool_called` is the better check.
//!
//! # Example
//! ```yaml
//! checks:
//!   - tool_evidence: search_web
//!   - not: { tool_evidence: [delete_order, refund_order] }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, Spanned, read};
use agentci_trace::{OutputSpelling, Trace};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::output_words::quote;

/// The deepest nesting in which calls are found.
const DEPTH: usize = 8;

#[derive(Debug)]
struct ToolEvidence {
    tools: Vec<Spanned<String>>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "tool_evidence",
    about: "The answer shows that these tools were called.",
    arguments: Kind::OneOrMore(&Kind::Name),
};

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let tools = read::one_or_more_texts(arguments, "tool_evidence", &mut compiler.problems)?;
    if let Some(nameless) = tools.iter().find(|tool| tool.value.trim().is_empty()) {
        compiler.problems.error(nameless.span, "`tool_evidence` needs the name of a tool", "a name is missing here");
        return None;
    }
    Some(Arc::new(ToolEvidence { tools }))
}

impl ToolEvidence {
    fn judge(&self, said: &str, wanted: bool, failure: impl Fn(&str) -> (String, &'static str)) -> Outcome {
        let calls = calls(said);
        let shows = |tool: &str| match calls.as_slice() {
            [] => mentions(said, tool),
            calls => calls.iter().any(|call| call == tool),
        };
        let Some(tool) = self.tools.iter().find(|tool| shows(&tool.value) != wanted) else { return Outcome::Passed };
        let (message, label) = failure(&tool.value);
        let mut failure = Failure::new(message).at(tool.span, label);
        if !calls.is_empty() {
            failure = failure.note(format!("the answer calls {}", read::quoted_list(&calls)));
        }
        Outcome::Failed(failure.note(quote(said)))
    }
}

impl Evaluate for ToolEvidence {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        self.judge(&trace.output().text(), true, |tool| {
            (format!("the answer does not show a call of `{tool}`"), "no sign of a call")
        })
    }

    /// Negated, none of the tools may be shown.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let failure =
            |tool: &str| (format!("the answer shows a call of `{tool}`, which `not` forbids"), "the answer shows it");
        let judge = |said: OutputSpelling| self.judge(&said.text, false, failure);
        let said = trace.conversation().everything();
        said.into_iter().map(judge).find(|outcome| *outcome != Outcome::Passed).unwrap_or(Outcome::Passed)
    }
}

/// The tools that an answer calls in one of the known forms; empty if it is not JSON or calls none.
fn calls(said: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(without_fence(said.trim())) {
        gather(&value, DEPTH, &mut found);
    }
    found
}

/// The content of a fenced block, if the answer is nothing else.
fn without_fence(said: &str) -> &str {
    let inside = said.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(said, |(_, inside)| inside)
}

fn gather(value: &Value, depth: usize, found: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, depth, found)),
        Value::Object(map) => {
            let name = |key: &str| map.get(key).and_then(|value| value.get("name").unwrap_or(value).as_str());
            found.extend(["tool", "function", "function_call"].into_iter().filter_map(name).map(str::to_owned));
            let kind = map.get("type").and_then(Value::as_str);
            if matches!(kind, Some("tool_use" | "server_tool_use" | "function_call" | "tool_call")) {
                found.extend(name("name").map(str::to_owned));
            }
            for call in map.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                let inner = call.get("function").unwrap_or(call);
                found.extend(inner.get("name").and_then(Value::as_str).map(str::to_owned));
            }
            // Providers wrap an answer in these keys.
            for key in ["choices", "message", "content", "output"] {
                if let Some(inside @ (Value::Array(_) | Value::Object(_))) = map.get(key) {
                    gather(inside, depth, found);
                }
            }
        }
        _ => {}
    }
}

/// Whether a text contains a name as a whole word.
fn mentions(said: &str, tool: &str) -> bool {
    let (said, tool) = (said.to_lowercase(), tool.trim().to_lowercase());
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    // A side of the name that is not a word character, as in `c++`, needs no boundary.
    let open = (!tool.starts_with(word), !tool.ends_with(word));
    said.match_indices(&tool).any(|(at, _)| {
        (open.0 || !said[..at].ends_with(word)) && (open.1 || !said[at + tool.len()..].starts_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(said: &str, tool: &str) -> bool {
        let calls = calls(said);
        if calls.is_empty() { mentions(said, tool) } else { calls.iter().any(|call| call == tool) }
    }

    #[test]
    fn finds_calls_in_every_known_format() {
        for said in [
            r#"{"tool": "search"}"#,
            r#"{"function": {"name": "search", "arguments": "{}"}}"#,
            r#"{"tool_calls": [{"function": {"name": "other"}}, {"function": {"name": "search"}}]}"#,
            r#"{"type": "tool_use", "id": "t1", "name": "search", "input": {}}"#,
            r#"{"content": [{"type": "text", "text": "hm"}, {"type": "tool_use", "name": "search"}]}"#,
            r#"[{"type": "function_call", "name": "search"}]"#,
            r#"{"choices": [{"message": {"tool_calls": [{"function": {"name": "search"}}]}}]}"#,
            "```json\n{\"tool\": \"search\"}\n```",
            "I will call search(q) now",
            "<search>x</search>",
            "using SEARCH",
            "'name': 'search'",
        ] {
            assert!(shows(said, "search"), "{said}");
        }
    }

    #[test]
    fn calls_are_unwrapped_up_to_the_depth_limit() {
        let wrapped = |levels: usize| format!("{}{{\"tool\": \"x\"}}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(calls(&wrapped(DEPTH - 1)), ["x"]);
        assert_eq!(calls(&wrapped(DEPTH)), [""; 0]);
    }

    #[test]
    fn mention_does_not_override_call_of_another_tool() {
        assert!(!shows(r#"{"tool": "calculator", "input": "search"}"#, "search"));
        assert!(!shows(r#"{"type": "tool_use", "name": "calculator", "input": {"name": "search"}}"#, "search"));
        assert!(!shows(r#"{"tool": "Search"}"#, "search"));
        assert!(shows(r#"{"answer": "I used search"}"#, "search"));
    }

    #[test]
    fn name_matches_only_at_word_boundaries() {
        for said in ["research(x)", "search_web(x)", "my_search", "résearch"] {
            assert!(!shows(said, "search"), "{said}");
        }
        assert!(shows("compile with c++ please", "c++"));
        assert!(!shows("objc++", "c++"));
        assert!(!shows("", "search"));
    }
}
