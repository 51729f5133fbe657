//! A step of an attempt for the page's script.
//!
//! ```json
//! {"kind":"tool_call","at":12,"turn":0,"name":"search_docs","call":"c1","parts":[{"label":"arguments","json":"{\"q\":\"reset\"}"}]}
//! ```
//!
//! Values are stored as JSON text, since JavaScript's own parser would lose digits of large numbers.

use agentci_trace::{Usage, json_beginning};
use agentci_verdict::{Body, RunEvent};
use serde::Serialize;
use serde_json::Value;

use crate::cut;

/// The maximum length of a name.
const NAME_LIMIT: usize = 200;
/// The maximum size of a text or a value, in bytes.
const LIMIT: usize = 16 * 1024;
/// The approximate size of a step without its texts.
const OVERHEAD: usize = 60;

/// An event of an attempt.
#[derive(Debug, Default, Serialize)]
pub(super) struct PageStep {
    kind: &'static str,
    /// Milliseconds since the start of the attempt.
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    /// The id of the call that it makes or answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    call: String,
    /// The observer, unless it is the agent's protocol.
    #[serde(skip_serializing_if = "String::is_empty")]
    observer: String,
    /// The form by which a refusal was recognised.
    #[serde(skip_serializing_if = "String::is_empty")]
    refused: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// Whether the text was truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    /// Whether it is a failure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bad: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<StepValue>,
}

/// A value that belongs to a step.
#[derive(Debug, Serialize)]
pub(super) struct StepValue {
    label: &'static str,
    json: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl StepValue {
    /// The beginning of a value that fits into `limit` bytes.
    pub(super) fn of(label: &'static str, value: &Value, limit: usize) -> Self {
        let (json, cut) = json_beginning(value, limit);
        Self { label, json, cut }
    }
}

impl PageStep {
    /// The step for an event of an attempt that started at `begun`; `None` for events that are shown elsewhere.
    pub(super) fn of(event: &RunEvent, begun: u64) -> Option<Self> {
        let mut step = Self { kind: event.body.name(), at: event.timestamp.saturating_sub(begun), ..Self::default() };
        match &event.body {
            Body::TaskStart(task) => step.turn(0).part("input", &task.input),
            // The task that it starts shows the same.
            Body::TurnStart(turn) if turn.turn == 0 => return None,
            Body::TurnStart(turn) => step.turn(turn.turn).part("input", &turn.input),
            Body::Text(said) => step.turn(said.turn).text(&said.text),
            Body::ToolCall(call) => {
                step.turn(call.turn).part("arguments", &call.args);
                step.name = name(&call.name);
                step.call = name(&call.call_id);
                step.observer = name(call.observer.as_deref().unwrap_or_default());
            }
            Body::ToolResult(given) => {
                step.turn(given.turn);
                if given.ok || !given.result.is_null() {
                    step.part("result", &given.result);
                }
                step.text(given.error.as_deref().unwrap_or_default());
                step.call = name(&given.call_id);
                step.name = name(given.fault.as_deref().unwrap_or_default());
                step.observer = name(given.observer.as_deref().unwrap_or_default());
                step.refused = name(given.refused.as_deref().unwrap_or_default());
                step.bad = !given.ok;
            }
            Body::ModelCall(call) => {
                step.turn(call.turn).part("request", &call.request);
                step.part("response", &call.response);
            }
            Body::Usage(usage) => step.text(&used(usage)),
            Body::Log(log) => {
                step.text(&log.message);
                step.name = name(&log.level);
                step.bad = log.level == "violation";
                step.maybe("data", log.data.as_deref());
            }
            Body::TaskError(error) => {
                step.text(&error.message);
                step.bad = true;
                step.maybe("data", error.data.as_deref());
            }
            Body::FinalOutput(given) => step.part("output", &given.output),
            Body::RunStart(_)
            | Body::RunEnd(_)
            | Body::TraceEnd(_)
            | Body::Check(_)
            | Body::CaseEnd(_)
            | Body::Gates(_) => return None,
            // Shown as stored: the page has no section for it.
            Body::Stability(_) => step.text(&event.to_line().expect("an event is a line")),
        }
        Some(step)
    }

    /// Appends the next step, if it continues this one: text that arrives in small pieces is one step.
    pub(super) fn join(&mut self, next: &Self) -> bool {
        let thought = self.kind == "log" && self.name == "reasoning" && self.parts.is_empty() && next.parts.is_empty();
        let same = (self.kind, self.turn, &self.name) == (next.kind, next.turn, &next.name);
        if !same || !(self.kind == "text" || thought) {
            return false;
        }
        let room = LIMIT.saturating_sub(self.text.len());
        let (more, missing) = cut::head(&next.text, room);
        if !self.cut {
            self.text.push_str(more);
        }
        self.cut |= missing || next.cut;
        true
    }

    /// The approximate size.
    pub(super) fn size(&self) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.json.len() + OVERHEAD / 2).sum();
        OVERHEAD + self.name.len() + self.call.len() + self.text.len() + parts
    }

    /// Truncates each text and value.
    pub(super) fn shorten(&mut self, limit: usize) {
        self.cut |= shorten(&mut self.text, limit);
        for part in &mut self.parts {
            part.cut |= shorten(&mut part.json, limit);
        }
    }

    fn turn(&mut self, turn: u32) -> &mut Self {
        self.turn = Some(turn);
        self
    }

    fn text(&mut self, text: &str) {
        let (shown, missing) = cut::head(text, LIMIT);
        shown.clone_into(&mut self.text);
        self.cut = missing;
    }

    fn part(&mut self, label: &'static str, value: &Value) {
        self.parts.push(StepValue::of(label, value, LIMIT));
    }

    fn maybe(&mut self, label: &'static str, value: Option<&Value>) {
        if let Some(value) = value {
            self.part(label, value);
        }
    }
}

fn name(text: &str) -> String {
    cut::name(text, NAME_LIMIT)
}

/// Truncates a text; returns whether it was too long.
fn shorten(text: &mut String, limit: usize) -> bool {
    let (kept, missing) = cut::head(text, limit);
    text.truncate(kept.len());
    text.shrink_to_fit();
    missing
}

/// `210 tokens in, 34 tokens out, 0.0004 USD`
fn used(usage: &Usage) -> String {
    let parts = [
        usage.tokens_in.map(|tokens| format!("{tokens} tokens in")),
        usage.tokens_out.map(|tokens| format!("{tokens} tokens out")),
        usage.cost_usd.map(|cost| format!("{cost} USD")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
