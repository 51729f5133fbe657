//! What the wire between an agent and its model tells about the agent: for the trace.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use agentci_trace::{Kind, ModelTrouble, Observer, ToolCall, ToolResult, Usage};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::answer::{Answer, WantedCall};
use super::asked::{Asked, FunctionCall, GivenResult};

/// Tells someone what is seen on the wire: what the model asks for, and the results that the agent sends. What the agent did is for
/// others to say, or follows from its results.
#[derive(Debug)]
pub(super) struct WireObserver {
    sender: UnboundedSender<Kind>,
    /// Whether what the answers use up is told; an agent may say so itself.
    usage: bool,
    /// Calls that were asked for and have no result yet, by their ids, which grow.
    open: BTreeMap<String, FunctionCall>,
    /// How many results of calls without ids a request had at most.
    seen: BTreeMap<FunctionCall, usize>,
    /// The ids of results that came.
    came: HashSet<String>,
}

impl WireObserver {
    pub(super) fn new(sender: UnboundedSender<Kind>, usage: bool) -> Self {
        Self { sender, usage, open: BTreeMap::new(), seen: BTreeMap::new(), came: HashSet::new() }
    }

    /// Results of tools come with the next request, and once each: later requests repeat them.
    pub(super) fn results(&mut self, asked: &Asked) {
        let mut counted: BTreeMap<&FunctionCall, usize> = BTreeMap::new();
        let (older, new) = (asked.older.iter(), asked.results.iter());
        for (given, is_new) in older.map(|given| (given, false)).chain(new.map(|given| (given, true))) {
            let Some(function) = &given.function else {
                let repeated = asked.repeated.get(&given.call_id).filter(|_| is_new);
                let call = self.with_id(&given.call_id, repeated);
                self.result(call, given);
                continue;
            };
            // Without an id, a result is known by its place among those of equal calls; examples in a prompt have results, too.
            let times = counted.entry(function).or_default();
            *times += 1;
            let is_known = self.seen.get(function).is_some_and(|seen| *times <= *seen);
            if is_new || !is_known {
                let call = self.called(function, is_new && !is_known);
                self.result(call, given);
            }
        }
        for (function, times) in counted {
            let seen = self.seen.entry(function.clone()).or_default();
            *seen = times.max(*seen);
        }
    }

    /// The open call of this id, which is open no more. An agent may give calls other ids, in the answer that it repeats as well as in
    /// the result: then it is the open call of that function with the same arguments. Examples in a prompt came before any call.
    fn with_id(&mut self, id: &str, repeated: Option<&FunctionCall>) -> Option<String> {
        let is_first = self.came.insert(id.to_owned());
        if self.open.remove(id).is_some() {
            return Some(id.to_owned());
        }
        let function = repeated.filter(|_| is_first)?;
        self.called(function, false)
    }

    /// The first open call of a function with these arguments, which is open no more; or any of it, where that may be.
    fn called(&mut self, function: &FunctionCall, or_any: bool) -> Option<String> {
        let mut open = self.open.iter().filter(|(_, call)| call.name == function.name);
        let same = open.clone().find(|(_, call)| call.has_arguments_of(function));
        let id = same.or_else(|| open.next().filter(|_| or_any)).map(|(id, _)| id.clone())?;
        self.open.remove(&id);
        Some(id)
    }

    fn result(&self, call_id: Option<String>, given: &GivenResult) {
        let Some(call_id) = call_id else { return };
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
