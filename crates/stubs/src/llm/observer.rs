//! What the wire between an agent and its model tells about the agent: for the trace.

use std::collections::HashSet;
use std::sync::Arc;

use agentci_trace::{Kind, Observer, ToolCall, ToolResult, Usage};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::answer::{Answer, WantedCall};
use super::asked::GivenResult;

/// Tells someone what is seen on the wire: what the model asks for, and the results that the agent sends. What the agent did is for
/// others to say, or follows from its results.
#[derive(Debug)]
pub(super) struct WireObserver {
    sender: UnboundedSender<Kind>,
    /// Whether what the answers use up is told; an agent may say so itself.
    usage: bool,
    /// Calls that were asked for and have no result yet.
    open: HashSet<String>,
}

impl WireObserver {
    pub(super) fn new(sender: UnboundedSender<Kind>, usage: bool) -> Self {
        Self { sender, usage, open: HashSet::new() }
    }

    /// Results of tools come with the next request, and once each: later requests repeat them.
    pub(super) fn results(&mut self, results: &[GivenResult]) {
        for given in results {
            if !self.open.remove(&given.call_id) {
                continue;
            }
            let result = value(&given.content);
            let (result, error) =
                if given.failed { (Value::Null, Some(given.content.clone())) } else { (result, None) };
            self.send(Kind::ToolResult(ToolResult {
                call_id: given.call_id.clone(),
                ok: !given.failed,
                result: result.into(),
                error,
                observer: Observer::ModelWire,
                ..ToolResult::default()
            }));
        }
    }

    pub(super) fn answer(&mut self, request: Value, response: Value, answer: &Answer) {
        self.send(Kind::ModelCall { request: request.into(), response: response.into() });
        if self.usage {
            self.send(Kind::Usage(Usage {
                tokens_in: Some(answer.input_tokens.into()),
                tokens_out: Some(answer.output_tokens.into()),
                cost_usd: None,
            }));
        }
        for WantedCall { id, name, args, .. } in &answer.calls {
            self.open.insert(id.clone());
            self.send(Kind::ToolCall(ToolCall {
                call_id: id.clone(),
                name: name.clone(),
                args: Arc::new(args.clone()),
                observer: Observer::ModelWire,
                begun: None,
            }));
        }
    }

    /// What is to be told if the agent stops reading the stream of an answer: the calls that were not sent by then.
    pub(super) fn unsent(&self, answer: &Answer) -> Option<impl FnOnce(&[u8], usize) + Send + Sync + use<>> {
        let ids: Vec<String> = answer.calls.iter().map(|call| call.id.clone()).collect();
        let sender = self.sender.clone();
        (!ids.is_empty()).then_some(move |bytes: &[u8], sent: usize| {
            for (at, id) in ids.iter().enumerate() {
                if !is_sent(bytes, sent, id, ids.get(at + 1)) {
                    let _ = sender.send(Kind::ToolCallUnsent(id.clone()));
                }
            }
        })
    }

    pub(super) fn refused(&self, request: Value, response: Value) {
        self.send(Kind::ModelCall { request: request.into(), response: response.into() });
    }

    fn send(&self, kind: Kind) {
        // Whoever listened may be gone by now.
        let _ = self.sender.send(kind);
    }
}

/// Whether so many bytes of a stream hold a whole call: it is over when the next begins, or when its provider's stream says so.
fn is_sent(bytes: &[u8], sent: usize, id: &str, next: Option<&String>) -> bool {
    const ENDS: [&str; 3] = ["\"finish_reason\":\"", "function_call_arguments.done", "content_block_stop"];
    let find = |from: usize, word: &str| {
        let rest = bytes.get(from..)?;
        rest.windows(word.len()).position(|part| part == word.as_bytes()).map(|at| from + at)
    };
    let Some(begun) = find(0, id) else { return true };
    let words = ENDS.into_iter().chain(next.map(String::as_str));
    let end = words.filter_map(|word| find(begun, word)).min();
    end.is_none_or(|end| end < sent)
}

/// Results travel as text; what is an object or a list in it is one.
fn value(content: &str) -> Value {
    let structured = content.trim_start().starts_with(['{', '[']);
    let parsed = structured.then(|| serde_json::from_str(content).ok()).flatten();
    parsed.unwrap_or_else(|| Value::String(content.to_owned()))
}
