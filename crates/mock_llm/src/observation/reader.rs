//! Turns an observed model call into trace events.

use agentci_protocols::chat::{ModelAnswer, ProviderTool, WireApi};
use agentci_trace::{EventKind, Observer, ToolCall, ToolResult, Usage};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::request;
use super::shown::{self, ShownFailure};
use crate::{answer::WantedCall, observer::WireObserver};

/// A finished model call.
#[derive(Debug, Clone, Copy)]
pub struct SeenCall<'s> {
    /// API of the request.
    pub api: WireApi,
    /// Path of the request; some APIs have the model in it.
    pub path: &'s str,
    /// Body of the request.
    pub request: &'s Value,
    /// Status of the answer; 0 if there was none.
    pub status: u16,
    /// The parsed answer.
    pub answer: &'s ModelAnswer,
    /// Whether the client disconnected before the answer was complete. The part that it received counts, and is not a
    /// failure.
    pub left: bool,
    /// When the request was sent, in microseconds since any fixed time.
    pub started_us: u64,
    /// When the first byte of the answer's body arrived, if one did.
    pub first_byte_us: Option<u64>,
    /// When the call ended.
    pub ended_us: u64,
    /// Its cost, if known.
    pub cost_usd: Option<f64>,
}

/// Turns model calls into trace events, in the order in which the calls ended.
#[derive(Debug)]
pub struct WireReader {
    observer: WireObserver,
    told: UnboundedReceiver<EventKind>,
    number: u64,
    /// How many tool calls got a generated id.
    nameless: u64,
}

impl WireReader {
    /// A reader for one session. With `usage` it reports token usage; set it to `false` if the agent reports its usage
    /// itself.
    pub fn new(usage: bool) -> Self {
        let (sender, told) = unbounded_channel();
        Self { observer: WireObserver::new(sender, usage), told, number: 0, nameless: 0 }
    }

    /// The events of a model call: new tool results in its request, the call itself, its usage, and the tool calls that
    /// the answer requests. The response of its [`EventKind::ModelCall`] has the measured times under `agentci`:
    /// `{"ttft_ms": .., "duration_ms": ..}`.
    pub fn exchange(&mut self, seen: &SeenCall<'_>) -> Vec<EventKind> {
        self.number += 1;
        let answer = seen.answer;
        let refused = (400..500).contains(&seen.status) && !matches!(seen.status, 408 | 409 | 425 | 429);
        let request = shown::request(seen.api, seen.path, seen.request);
        if !refused {
            self.observer.results(&request::read(seen.api, &request), self.number);
        }
        let failure = failure(seen);
        let response = shown::response(answer, seen.status, failure, times(seen));
        if failure.is_some() {
            self.observer.refused(request, response);
        } else {
            let (cost_usd, usage) = (seen.cost_usd, answer.usage);
            let usage = usage.map(|used| Usage { tokens_in: used.input, tokens_out: used.output, cost_usd });
            let calls = self.wanted(answer);
            self.observer.answered(self.number, (request, response), usage, &calls);
        }
        let mut kinds = Vec::new();
        while let Ok(kind) = self.told.try_recv() {
            kinds.push(kind);
        }
        if failure.is_none() {
            let tools = answer.provider_tools.iter().enumerate();
            kinds.extend(tools.flat_map(|(at, tool)| self.provided(at, tool)));
        }
        kinds
    }

    /// The calls that an answer requests; those without an id get one.
    fn wanted(&mut self, answer: &ModelAnswer) -> Vec<WantedCall> {
        let mut wanted = Vec::with_capacity(answer.calls.len());
        for call in &answer.calls {
            let mut id = call.id.clone();
            if id.is_empty() {
                self.nameless += 1;
                id = format!("wire_{:08}", self.nameless);
            }
            let json = if call.arguments.trim().is_empty() { "{}".to_owned() } else { call.arguments.clone() };
            let args = serde_json::from_str(&json).unwrap_or_else(|_| Value::String(json.clone()));
            wanted.push(WantedCall { id, name: call.name.clone(), args, json });
        }
        wanted
    }

    /// The call and the result of a tool that the provider ran, with the provider as observer.
    fn provided(&self, at: usize, tool: &ProviderTool) -> [EventKind; 2] {
        let observer = Observer::Provider;
        let own = || format!("provider_{}_{at}", self.number);
        let call_id = if tool.id.is_empty() { own() } else { tool.id.clone() };
        let call = ToolCall {
            call_id: call_id.clone(),
            name: tool.name.clone(),
            args: tool.arguments.clone().into(),
            observer,
            begun: None,
        };
        let result = ToolResult {
            call_id,
            ok: tool.error.is_none(),
            result: tool.result.clone().into(),
            error: tool.error.clone(),
            observer,
            ..ToolResult::default()
        };
        [EventKind::ToolCall(call), EventKind::ToolResult(result)]
    }
}

fn failure(seen: &SeenCall<'_>) -> Option<ShownFailure> {
    let failed = seen.status >= 400 || seen.answer.error.is_some();
    let cut = || (!seen.answer.complete && !seen.left).then_some(ShownFailure::Cut);
    if failed { Some(ShownFailure::Error) } else { cut() }
}

fn times(seen: &SeenCall<'_>) -> Value {
    let ms = |end: u64| end.saturating_sub(seen.started_us) / 1000;
    json!({ "ttft_ms": seen.first_byte_us.map(ms), "duration_ms": ms(seen.ended_us) })
}
