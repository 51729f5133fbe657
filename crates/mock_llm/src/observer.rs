//! What the wire between an agent and its model tells about the agent: for the trace.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher as _;

use agentci_trace::{EventKind, ModelTrouble, Observer, ToolCall, ToolResult, Usage};
use rustc_hash::FxBuildHasher;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::answer::{SpokenAnswer, WantedCall};
use super::parsed_request::{FunctionCall, GivenResult, ParsedRequest, Standing};

/// Tells someone what is seen on the wire: what the model asks for, and the results that the agent sends. What the agent did is for
/// others to say, or follows from its results.
#[derive(Debug)]
pub(super) struct WireObserver {
    sender: UnboundedSender<EventKind>,
    /// Whether what the answers use up is told; an agent may say so itself.
    usage: bool,
    /// Calls that were asked for and have no result yet, by their ids, which grow.
    open: BTreeMap<String, RequestedTool>,
    /// The ids of calls that have their result.
    closed: HashSet<String>,
    /// How many results of equal calls, with equal ids or none, a request had at most; by the hash of id and call.
    seen: HashMap<u64, usize>,
    /// Where the conversations of requests stood that are yet to be answered.
    asked: HashMap<u64, Standing>,
    /// The digests of conversations that were answered.
    answered: HashSet<u64>,
}

/// A call that was asked for.
#[derive(Debug)]
struct RequestedTool {
    function: FunctionCall,
    /// Where its conversation stood.
    after: Standing,
}

impl WireObserver {
    pub(super) fn new(sender: UnboundedSender<EventKind>, usage: bool) -> Self {
        Self {
            sender,
            usage,
            open: BTreeMap::new(),
            closed: HashSet::new(),
            seen: HashMap::new(),
            asked: HashMap::new(),
            answered: HashSet::new(),
        }
    }

    /// Results of tools come with the next request, and once each: later requests repeat them.
    pub(super) fn results(&mut self, asked: &ParsedRequest, number: u64) {
        self.asked.insert(number, asked.standing());
        let newest = asked.beginning(|digest| self.answered.contains(&digest));
        let mut counted: BTreeMap<u64, usize> = BTreeMap::new();
        let (older, new) = (asked.older.iter(), asked.results.iter());
        for (given, is_new) in older.map(|given| (given, false)).chain(new.map(|given| (given, true))) {
            if self.open.remove(&given.call_id).is_some() {
                self.closed.insert(given.call_id.clone());
                self.result(Some(given.call_id.clone()), given);
                continue;
            }
            let Some(function) = given.function.as_ref().filter(|_| !self.closed.contains(&given.call_id)) else {
                continue;
            };
            let key = FxBuildHasher.hash_one((&given.call_id, function));
            let times = counted.entry(key).or_default();
            *times += 1;
            let is_known = self.seen.get(&key).is_some_and(|seen| *times <= *seen);
            // Several items can be one answer, with results between them.
            let is_last = is_new || newest.is_some_and(|newest| given.at >= newest);
            let call = self.of_function(asked, given, function, (is_last, is_known));
            self.result(call, given);
        }
        for (key, times) in counted {
            let seen = self.seen.entry(key).or_default();
            *seen = times.max(*seen);
        }
    }

    /// The open call of a result that has no id, or one that the agent gave it, which is open no more. It is a call of that function
    /// with these arguments which the same conversation was asked for; or any, since an agent may cut or rewrite what was said.
    /// Examples in a prompt have results, too, but were there before the call. The last are those that came after what the model
    /// said last, the known ones those that an earlier request had.
    fn of_function(
        &mut self,
        asked: &ParsedRequest,
        given: &GivenResult,
        function: &FunctionCall,
        (is_last, is_known): (bool, bool),
    ) -> Option<String> {
        if !is_last && is_known {
            return None;
        }
        let of_conversation = |call: &RequestedTool| asked.goes_on(call.after, given.at);
        // What led to a call, said once more, has no result of it.
        let is_asked = |call: &RequestedTool| call.after != asked.standing();
        let has_id = !given.call_id.is_empty();
        let may_be_any = !has_id || (is_last && !is_known);
        let id = find(&self.open, function, of_conversation)
            .or_else(|| find(&self.open, function, is_asked).filter(|_| may_be_any))
            .or_else(|| {
                let named = self.open.iter().find(|(_, call)| call.function.name == function.name && is_asked(call));
                named.filter(|_| !has_id && is_last && !is_known).map(|(id, _)| id)
            })
            .cloned()?;
        self.open.remove(&id);
        self.closed.insert(id.clone());
        Some(id)
    }

    fn result(&self, call_id: Option<String>, given: &GivenResult) {
        let Some(call_id) = call_id else { return };
        let outcome = if given.failed { Err(given.content.clone()) } else { Ok(value(&given.content)) };
        self.send(EventKind::ToolResult(ToolResult::new(call_id, outcome, Observer::ModelWire)));
    }

    pub(super) fn answer(&mut self, request: Value, response: Value, answer: &SpokenAnswer) {
        let usage = Usage {
            tokens_in: Some(answer.input_tokens.into()),
            tokens_out: Some(answer.output_tokens.into()),
            cost_usd: None,
        };
        self.answered(answer.number, (request, response), Some(usage), &answer.calls);
    }

    /// A request and its answer, what that used up, and the calls that it asks for.
    pub(super) fn answered(
        &mut self,
        number: u64,
        (request, response): (Value, Value),
        usage: Option<Usage>,
        calls: &[WantedCall],
    ) {
        self.send(EventKind::ModelCall { request: request.into(), response: response.into() });
        if let Some(usage) = usage.filter(|_| self.usage) {
            self.send(EventKind::Usage(usage));
        }
        let after = self.asked.remove(&number).unwrap_or_default();
        self.answered.insert(after.digest);
        for WantedCall { id, name, args, json } in calls {
            let function = FunctionCall { name: name.clone(), arguments: Some(json.clone()) };
            self.open.insert(id.clone(), RequestedTool { function, after });
            self.send(EventKind::ToolCall(ToolCall::new(id, name, args.clone(), Observer::ModelWire)));
        }
    }

    pub(super) fn refused(&self, request: Value, response: Value) {
        self.send(EventKind::ModelCall { request: request.into(), response: response.into() });
    }

    /// What the model complains of.
    pub(super) fn trouble(&self, trouble: ModelTrouble) {
        self.send(EventKind::ModelTrouble(trouble));
    }

    fn send(&self, kind: EventKind) {
        // Whoever listened may be gone by now.
        let _ = self.sender.send(kind);
    }
}

/// The first open call of a function with these arguments; or the one that has most of them, where the agent added some.
fn find<'o>(
    open: &'o BTreeMap<String, RequestedTool>,
    function: &FunctionCall,
    may_be: impl Fn(&RequestedTool) -> bool,
) -> Option<&'o String> {
    let named = || open.iter().filter(|(_, call)| call.function.name == function.name && may_be(call));
    let same = named().find(|(_, call)| call.function.has_arguments_of(function));
    let kept = || named().filter_map(|(id, call)| Some((id, call.function.kept_by(function)?)));
    same.map(|(id, _)| id).or_else(|| kept().min_by_key(|(_, count)| Reverse(*count)).map(|(id, _)| id))
}

/// Results travel as text; what is an object or a list in it is one.
fn value(content: &str) -> Value {
    let structured = content.trim_start().starts_with(['{', '[']);
    let parsed = structured.then(|| serde_json::from_str(content).ok()).flatten();
    parsed.unwrap_or_else(|| Value::String(content.to_owned()))
}
