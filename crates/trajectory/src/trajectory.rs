//! What the attempts of a run did, in the form in which two runs are compared.

use agentci_text::{FNV1A, fnv1a};
use agentci_trace::{Usage, canonical};
use agentci_verdict::CaseStatus;
use serde::Serialize;
use serde_json::Value;

/// Whether the trajectories are from a run or from a baseline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// The events of a run.
    #[default]
    Run,
    /// What a baseline keeps: tool calls without results, times and prompts.
    Baseline,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTrajectories {
    /// What it was read from.
    pub kind: RunKind,
    /// The name of the suite.
    pub suite: String,
    /// The first and the last moment of the run, in Unix milliseconds; 0 if unknown.
    pub time: (u64, u64),
    /// The cases, in the order of the suite.
    pub cases: Vec<CaseTrajectories>,
    /// Whether the run ended, so that nothing is missing at its end.
    pub ended: bool,
    /// The rule by which its tool calls were counted.
    pub steps_rule: u64,
}

/// The attempts at a case.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseTrajectories {
    /// The id of the case.
    pub id: String,
    /// The attempts that are known step by step.
    pub attempts: Vec<Trajectory>,
    /// The number of attempts; a baseline knows more of them than it has trajectories.
    pub runs: u64,
    /// The number of attempts that passed.
    pub passes: u64,
    /// Whether observers other than the agent's protocol saw calls: only then does the rule for counting them matter.
    pub seen_by_others: bool,
}

/// What one attempt at a case did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The status; `None` if the attempt did not end.
    pub status: Option<CaseStatus>,
    /// The cause, unless it passed.
    pub cause: Option<&'static str>,
    /// The wall time in milliseconds.
    pub wall_ms: Option<f64>,
    /// Tokens and cost.
    pub usage: Usage,
    /// The steps, in order.
    pub steps: Vec<TrajectoryStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A turn starts with its input.
    Turn,
    /// The agent calls its model.
    Model,
    /// The agent calls a tool.
    Call,
    /// The agent sends text.
    Text,
    /// The agent returns its result.
    Output,
    /// The agent reports an error.
    Error,
}

/// What a part of a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The input of a turn.
    Input,
    /// The name of the model.
    Model,
    SystemPrompt,
    /// The tools that are offered to the model, by name.
    Tools,
    /// The parameters of the model request.
    Parameters,
    /// The messages that the request adds to the conversation.
    Messages,
    /// The tools that the model's answer calls.
    Requested,
    /// The text of an answer.
    Answer,
    /// The arguments of a call.
    Arguments,
    /// How far the call went, unless it was made like any other: `refused`, `requested only`.
    State,
    /// The result of a call, or of the agent.
    Result,
    /// The error of a call or of the agent.
    Error,
}

impl PartKind {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Model => "model",
            Self::SystemPrompt => "system prompt",
            Self::Tools => "tools",
            Self::Parameters => "parameters",
            Self::Messages => "messages",
            Self::Requested => "requested calls",
            Self::Answer => "answer",
            Self::Arguments => "arguments",
            Self::State => "state",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum PartValue {
    /// The value itself.
    Known(Value),
    /// Only its fingerprint, because it is too long for a baseline.
    Fingerprint(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct StepPart {
    /// What it is.
    pub kind: PartKind,
    pub value: PartValue,
    /// A hash of the value.
    pub(crate) hash: u64,
    /// Sorted hashes of its leaves with their paths, by which alignment estimates how different two values are.
    pub(crate) leaves: Vec<u64>,
}

/// Something that the agent did.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectoryStep {
    pub kind: StepKind,
    /// The name of the tool or the model; the number of the turn.
    pub name: String,
    /// Its parts, sorted by kind.
    pub parts: Vec<StepPart>,
    /// The parallel batch it belongs to: its order within the batch means nothing.
    pub batch: Option<u32>,
    /// How long a call took, in milliseconds.
    pub ms: Option<u64>,
}

impl TrajectoryStep {
    /// A step without parts.
    pub fn new(kind: StepKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), parts: Vec::new(), batch: None, ms: None }
    }

    /// Adds a part. Parts of a kind that it already has are replaced.
    #[must_use]
    pub fn with(mut self, kind: PartKind, value: Value) -> Self {
        self.set(kind, PartValue::Known(value));
        self
    }

    /// Adds a part, or replaces the one of this kind.
    pub fn set(&mut self, kind: PartKind, value: PartValue) {
        self.parts.retain(|part| part.kind != kind);
        let at = self.parts.partition_point(|part| part.kind < kind);
        self.parts.insert(at, StepPart::new(kind, value));
    }

    pub fn known(&self, kind: PartKind) -> Option<&Value> {
        match &self.part(kind)?.value {
            PartValue::Known(value) => Some(value),
            PartValue::Fingerprint(_) => None,
        }
    }

    pub fn part(&self, kind: PartKind) -> Option<&StepPart> {
        self.parts.iter().find(|part| part.kind == kind)
    }

    /// Whether two steps do the same to the same thing, so that they can be compared part by part.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.kind == other.kind && (self.name == other.name || self.kind == StepKind::Model)
    }

    /// Whether the steps are equal in every byte. Those that are not may still differ only in ids and times.
    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        let same = |(one, other): (&StepPart, &StepPart)| one.kind == other.kind && one.hash == other.hash;
        self.is_alike(other) && self.parts.len() == other.parts.len() && self.parts.iter().zip(&other.parts).all(same)
    }

    /// Sorts the steps of a batch.
    pub(crate) fn order_key(&self) -> (&str, String) {
        let arguments = self.known(PartKind::Arguments).map(canonical).unwrap_or_default();
        (&self.name, arguments)
    }
}

impl StepPart {
    pub(crate) fn new(kind: PartKind, value: PartValue) -> Self {
        let mut leaves = Vec::new();
        let hash = match &value {
            PartValue::Known(value) => {
                leaf_hashes(value, FNV1A, &mut leaves);
                leaves.sort_unstable();
                leaves.iter().fold(FNV1A, |hash, leaf| fnv1a(hash, &leaf.to_le_bytes()))
            }
            PartValue::Fingerprint(text) => fnv1a(FNV1A, text.as_bytes()),
        };
        Self { kind, value, hash, leaves }
    }

    /// How different two parts are, from 0 to 1.
    pub(crate) fn distance(&self, other: &Self) -> f32 {
        if self.hash == other.hash {
            return 0.0;
        }
        let all = self.leaves.len() + other.leaves.len();
        if all == 0 {
            return 1.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let share = 2.0 * common(&self.leaves, &other.leaves) as f32 / all as f32;
        1.0 - share.min(0.99)
    }
}

/// The number of elements that two sorted lists share.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while a < one.len() && b < other.len() {
        match one[a].cmp(&other[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => (a, b, count) = (a + 1, b + 1, count + 1),
        }
    }
    count
}

/// The hashes of the leaves of a value with their paths: good enough to tell values apart that are compared in full
/// afterwards.
fn leaf_hashes(value: &Value, path: u64, into: &mut Vec<u64>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                leaf_hashes(value, fnv1a(fnv1a(path, b"/"), key.as_bytes()), into);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                leaf_hashes(value, fnv1a(path, &index.to_le_bytes()), into);
            }
        }
        Value::String(text) => into.push(fnv1a(fnv1a(path, b"s"), text.as_bytes())),
        other => into.push(fnv1a(fnv1a(path, b"v"), other.to_string().as_bytes())),
    }
}
