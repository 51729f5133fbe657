//! What the wire between an agent and its model tells about the agent: for the trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_trace::{Kind, ModelTrouble, Observer, ToolCall, ToolResult, Usage};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::answer::{Answer, WantedCall};
use super::asked::{FunctionCall, GivenResult};

/// Tells someone what is seen on the wire: what the model asks for, and the results that the agent sends. What the agent did is for
/// others to say, or follows from its results.
#[derive(Debug)]
pub(super) struct WireObserver {
    sender: UnboundedSender<Kind>,
    /// Whether what the answers use up is told; an agent may say so itself.
    usage: bool,
    /// Calls that were asked for and have no result yet, by their ids, which grow.
    open: BTreeMap<String, FunctionCall>,
    /// How many results of calls without ids were told.
    told: BTreeMap<FunctionCall, usize>,
}

impl WireObserver {
    pub(super) fn new(sender: UnboundedSender<Kind>, usage: bool) -> Self {
        Self { sender, usage, open: BTreeMap::new(), told: BTreeMap::new() }
    }

    /// Results of tools come with the next request, and once each: later requests repeat them.
    pub(super) fn results(&mut self, older: &[GivenResult], new: &[GivenResult]) {
        let mut repeated: BTreeMap<&FunctionCall, usize> = BTreeMap::new();
        for given in older {
            if let Some(function) = &given.function {
                let times = repeated.entry(function).or_default();
                *times += 1;
                // Without an id, a result is known by its place among those of equal calls.
                if self.told.get(function).is_some_and(|told| *times <= *told) {
                    continue;
                }
            }
            self.result(given);
        }
        for given in new {
            self.result(given);
        }
    }

    fn result(&mut self, given: &GivenResult) {
        let Some(call_id) = self.answered(given) else { return };
        if let Some(function) = &given.function {
            *self.told.entry(function.clone()).or_default() += 1;
        }
        let result = value(&given.content);
        let (result, error) = if given.failed { (Value::Null, Some(given.content.clone())) } else { (result, None) };
        self.send(Kind::ToolResult(ToolResult {
            call_id,
            ok: !given.failed,
            result: result.into(),
            error,
            observer: Observer::ModelWire,
            ..ToolResult::default()
        }));
    }

    /// The id of the call that a result answers, which is open no more: without an id, the first of this function that has these
    /// arguments, or else the first of this function.
    fn answered(&mut self, given: &GivenResult) -> Option<String> {
        let Some(function) = &given.function else {
            return self.open.remove_entry(&given.call_id).map(|(id, _)| id);
        };
        let first = |alike: &dyn Fn(&FunctionCall) -> bool| {
            let mut open = self.open.iter().filter(|(_, call)| call.name == function.name);
            open.find(|(_, call)| alike(call)).map(|(id, _)| id.clone())
        };
        let id = first(&|call| call.arguments == function.arguments).or_else(|| first(&|_| true))?;
        self.open.remove(&id);
        Some(id)
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
        for WantedCall { id, name, args, json } in &answer.calls {
            self.open.insert(id.clone(), FunctionCall { name: name.clone(), arguments: Some(json.clone()) });
            self.send(Kind::ToolCall(ToolCall {
                call_id: id.clone(),
                name: name.clone(),
                args: Arc::new(args.clone()),
                observer: Observer::ModelWire,
                begun: None,
            }));
        }
    }

    pub(super) fn refused(&self, request: Value, response: Value) {
        self.send(Kind::ModelCall { request: request.into(), response: response.into() });
    }

    /// What the model complains of.
    pub(super) fn trouble(&self, trouble: ModelTrouble) {
        self.send(Kind::ModelTrouble(trouble));
    }

    fn send(&self, kind: Kind) {
        // Whoever listened may be gone by now.
        let _ = self.sender.send(kind);
    }
}

/// Results travel as text; what is an object or a list in it is one.
fn value(content: &str) -> Value {
    let structured = content.trim_start().starts_with(['{', '[']);
    let parsed = structured.then(|| serde_json::from_str(content).ok()).flatten();
    parsed.unwrap_or_else(|| Value::String(content.to_owned()))
}
