//! Places in a body that are not compared: JSON pointers in which `*` stands for any one step.

use serde_json::Value;

use super::options::MatchRules;
use crate::providers::system_pointers;
use crate::{LearnedHole, RecordedRequest};

/// The version of an MCP client: another version of its library sends the same requests.
const CLIENT_VERSIONS: [&str; 2] =
    ["/params/clientInfo/version", "/params/_meta/io.modelcontextprotocol~1clientInfo/version"];

/// Why a place is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IgnoreReason {
    /// The rules ignore it.
    Ignored,
    /// It was seen to differ.
    Learned,
    /// It does not affect the answer: the id of a JSON-RPC request, the version of an MCP client.
    Number,
}

/// A pointer, split into steps.
#[derive(Debug, Clone)]
pub(super) struct PointerPattern {
    steps: Vec<String>,
    why: IgnoreReason,
}

impl PointerPattern {
    pub(super) fn new(pointer: &str, why: IgnoreReason) -> Self {
        let steps = pointer.strip_prefix('/').unwrap_or(pointer);
        let steps = steps.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        Self { steps: steps.collect(), why }
    }
}

/// The remaining steps of the patterns at some place in a body.
#[derive(Debug, Clone, Default)]
pub(super) struct RemainingSteps<'p>(Vec<(&'p [String], IgnoreReason)>);

impl<'p> RemainingSteps<'p> {
    pub(super) fn of(patterns: &'p [PointerPattern]) -> Self {
        Self(patterns.iter().map(|pattern| (pattern.steps.as_slice(), pattern.why)).collect())
    }

    /// The remaining steps one level further down.
    pub(super) fn step(&self, name: &str) -> Self {
        let fits = |steps: &'p [String]| match steps {
            [first, rest @ ..] if first == "*" || first == name => Some(rest),
            _ => None,
        };
        Self(self.0.iter().filter_map(|(steps, why)| Some((fits(steps)?, *why))).collect())
    }

    /// Why this place is not compared.
    pub(super) fn here(&self) -> Option<IgnoreReason> {
        self.0.iter().find(|(steps, _)| steps.is_empty()).map(|(_, why)| *why)
    }
}

/// All patterns that apply to a request.
pub(super) fn patterns_of(
    request: &RecordedRequest,
    body: &Value,
    rules: &MatchRules,
    learned: &[LearnedHole],
) -> Vec<PointerPattern> {
    let mut patterns: Vec<PointerPattern> =
        rules.ignore.iter().map(|at| PointerPattern::new(at, IgnoreReason::Ignored)).collect();
    let api = request.api();
    if !rules.system {
        patterns.extend(system_of(request, body).iter().map(|at| PointerPattern::new(at, IgnoreReason::Ignored)));
    }
    let of_this_api = learned.iter().filter(|hole| hole.speaks.is_none() || hole.speaks == api);
    patterns.extend(of_this_api.map(|hole| PointerPattern::new(&hole.at, IgnoreReason::Learned)));
    let rpc = |value: &Value| value.get("jsonrpc").is_some() && value.get("method").is_some();
    if rpc(body) {
        patterns.push(PointerPattern::new("/id", IgnoreReason::Number));
        patterns.push(PointerPattern::new("/params/_meta/progressToken", IgnoreReason::Number));
        patterns.extend(CLIENT_VERSIONS.iter().map(|at| PointerPattern::new(at, IgnoreReason::Number)));
    } else if body.as_array().is_some_and(|calls| calls.iter().any(rpc)) {
        patterns.push(PointerPattern::new("/*/id", IgnoreReason::Number));
        patterns.push(PointerPattern::new("/*/params/_meta/progressToken", IgnoreReason::Number));
    }
    patterns
}

/// Pointers to the system prompt of a request.
pub(super) fn system_of(request: &RecordedRequest, body: &Value) -> Vec<String> {
    request.api().map_or_else(Vec::new, |api| system_pointers(api, body))
}
