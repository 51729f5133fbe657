//! Turns the requests of an agent and the answers of its model into trace events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher as _;

use agentci_trace::{EventKind, ModelTrouble, Observer, ToolCall, ToolResult, Usage};
use rustc_hash::FxBuildHasher;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::answer::{SpokenAnswer, WantedCall};
use super::parsed_request::{FunctionCall, GivenResult, ParsedRequest, Standing};

/// Reports what is observed on the wire: the calls that the model requests, and the results that the agent sends.
/// Whether the agent made a call is reported by other observers, or follows from its results.
#[derive(Debug)]
pub(super) struct WireObserver {
    sender: UnboundedSender<EventKind>,
    /// Whether to report token usage; `false` if the agent reports its usage itself.
    usage: bool,
    /// Requested calls without a result, by id; ids increase.
    open: BTreeMap<String, RequestedTool>,
    /// The ids of calls with a result.
    closed: HashSet<String>,
    /// The maximum number of results of equal calls (equal ids or none) in one request, by the hash of id and call.
    seen: HashMap<u64, usize>,
    /// The standing of requests that are not answered yet, by request number.
    unanswered: HashMap<u64, Standing>,
    /// The digests of answered conversations.
    answered: HashSet<u64>,
}

/// A call that the model requested.
#[derive(Debug)]
struct RequestedTool {
    function: FunctionCall,
    /// The standing of its conversation when it was requested.
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
            unanswered: HashMap::new(),
            answered: HashSet::new(),
        }
    }

    /// Reports the tool results of a request. Each is reported once, since later requests repeat it.
    pub(super) fn results(&mut self, parsed: &ParsedRequest, number: u64) {
        self.unanswered.insert(number, parsed.standing());
        let newest = parsed.beginning(|digest| self.answered.contains(&digest));
        let mut counted: BTreeMap<u64, usize> = BTreeMap::new();
        let (older, new) = (parsed.older.iter(), parsed.results.iter());
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
            // One answer can have several items, with results between them.
            let is_last = is_new || newest.is_some_and(|newest| given.at >= newest);
            let call = self.of_function(parsed, given, function, (is_last, is_known));
            self.result(call, given);
        }
        for (key, times) in counted {
            let seen = self.seen.entry(key).or_default();
            *seen = times.max(*seen);
        }
    }

    /// Finds and closes the open call of a result without an id, or with an id that the agent made up. The call has the
    /// same function and arguments, and is preferably from the same conversation; otherwise from any, since an agent
    /// may shorten or rewrite the history. Examples in a prompt have results, too, but precede the call. `is_last`: the
    /// result comes after the model's last answer. `is_known`: an earlier request had it.
    fn of_function(
        &mut self,
        parsed: &ParsedRequest,
        given: &GivenResult,
        function: &FunctionCall,
        (is_last, is_known): (bool, bool),
    ) -> Option<String> {
        if !is_last && is_known {
            return None;
        }
        let of_conversation = |call: &RequestedTool| parsed.goes_on(call.after, given.at);
        // A request that repeats the one that led to the call cannot have its result.
        let is_asked = |call: &RequestedTool| call.after != parsed.standing();
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

    /// Reports a request and its answer, the usage, and the calls that the answer requests.
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
        let after = self.unanswered.remove(&number).unwrap_or_default();
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

    pub(super) fn trouble(&self, trouble: ModelTrouble) {
        self.send(EventKind::ModelTrouble(trouble));
    }

    fn send(&self, kind: EventKind) {
        // The receiver may be gone by now.
        let _ = self.sender.send(kind);
    }
}

/// The first open call with the same function and arguments; or, if the agent added arguments, the one with most of
/// them.
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

/// Results are sent as text; a JSON object or list in it is parsed.
fn value(content: &str) -> Value {
    let structured = content.trim_start().starts_with(['{', '[']);
    let parsed = structured.then(|| serde_json::from_str(content).ok()).flatten();
    parsed.unwrap_or_else(|| Value::String(content.to_owned()))
}
