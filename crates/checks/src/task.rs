//! # What it checks
//! The task of an A2A agent has this state and these artifacts after the turn. `state` is one state, or a list of
//! accepted ones. There must be at least `min` `artifacts`, one with each of `names`, and one that matches each
//! pattern of `match`, in its text or in its data as compact JSON. If the agent answered without a task, the check
//! fails.
//!
//! # Why
//! An agent that asks back, or that finished without producing anything, may use the same words as one that did its
//! work.
//!
//! # Example
//! ```yaml
//! checks:
//!   - task: { state: completed, artifacts: { min: 1, names: [itinerary], match: Rome } }
//!   - task: { state: [input-required, auth-required] }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Span, Spanned, read};
use agentci_trace::{EventKind as Happened, Trace};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::compiler::{Compiler, count, spanned};
use crate::evaluate::Evaluate;
use crate::pattern::PlacedPattern;
use agentci_text::shorten;

const STATES: [&str; 9] = [
    "submitted",
    "working",
    "input-required",
    "auth-required",
    "completed",
    "failed",
    "canceled",
    "rejected",
    "unknown",
];
/// The longest part of an artifact that is shown, in characters.
const SHOWN: usize = 200;

#[derive(Debug)]
struct TaskConditions {
    states: Vec<Spanned<&'static str>>,
    artifacts: WantedArtifacts,
}

#[derive(Debug, Default)]
struct WantedArtifacts {
    least: Option<Spanned<usize>>,
    names: Vec<Spanned<String>>,
    patterns: Vec<PlacedPattern>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "task",
    about: "The task of an A2A agent has this state and these artifacts.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape = Shape::new(
    "`task`",
    "The state of a task, and its artifacts.",
    &[
        optional("state", Kind::OneOrMore(&Kind::Choice(&STATES)), "The state, or several accepted states."),
        optional("artifacts", Kind::Shape(&ARTIFACTS), "Conditions on the artifacts of the task."),
    ],
)
.rules(&[KeyRule::Some(&["state", "artifacts"])]);

static ARTIFACTS: Shape = Shape::new(
    "`artifacts`",
    "Conditions on the artifacts of a task.",
    &[
        optional("match", Kind::OneOrMore(&Kind::Text), "Patterns; each must match an artifact."),
        optional("min", Kind::Count(0), "Minimum number of artifacts."),
        optional("names", Kind::OneOrMore(&Kind::Text), "Names; each must be the name of an artifact."),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let span = arguments.span;
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let states = arguments.optional("state", states);
    let artifacts = arguments.optional_with("artifacts", WantedArtifacts::read);
    arguments.finish()?;
    if states.is_none() && artifacts.is_none() {
        let help = "write `task: { state: completed }`";
        return compiler.refuse(span, "`task` needs `state` or `artifacts`", "no condition", help);
    }
    Some(Arc::new(TaskConditions { states: states.unwrap_or_default(), artifacts: artifacts.unwrap_or_default() }))
}

impl WantedArtifacts {
    fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Self> {
        let mut arguments = compiler.open(&ARTIFACTS, node)?;
        let least = arguments.optional("min", spanned(count));
        let names = arguments.optional("names", read::one_or_more_texts).unwrap_or_default();
        let patterns =
            |node: &Node, compiler: &mut Compiler<'_>| PlacedPattern::read_all(node, "match", false, compiler);
        let patterns = arguments.optional_with("match", patterns).unwrap_or_default();
        arguments.finish()?;
        Some(Self { least, names, patterns })
    }
}

fn states(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Spanned<&'static str>>> {
    let written = node.items().unwrap_or(std::slice::from_ref(node));
    let state = |node: &Node| {
        Some(Spanned::new(read::choice(node, name, &STATES.map(|state| (state, state)), problems)?, node.span))
    };
    let states: Vec<Option<Spanned<&'static str>>> = written.iter().map(state).collect();
    states.into_iter().collect()
}

impl Evaluate for TaskConditions {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let Some(task) = last_task(trace) else {
            let failure = Failure::new("the agent created no task").note("it answered with a message, or not at all");
            return Outcome::Failed(failure);
        };
        let none = Vec::new();
        let artifacts = task["artifacts"].as_array().unwrap_or(&none);
        let failure = self.state(task["state"].as_str().unwrap_or("unknown")).or_else(|| self.made(artifacts));
        failure.map_or(Outcome::Passed, Outcome::Failed)
    }

    fn forbidden(&self, trace: &Trace) -> Failure {
        let state = last_task(trace).and_then(|task| task["state"].as_str()).unwrap_or("unknown");
        Failure::new(format!("the task is `{state}` and meets all conditions, which `not` forbids"))
    }
}

impl TaskConditions {
    fn state(&self, state: &str) -> Option<Failure> {
        let first = self.states.first().filter(|_| self.states.iter().all(|wanted| wanted.value != state))?;
        let wanted: Vec<&str> = self.states.iter().map(|wanted| wanted.value).collect();
        let message = format!("the task is `{state}`, expected {}", wanted.join(" or "));
        Some(Failure::new(message).at(first.span, format!("the task is `{state}`")))
    }

    fn made(&self, artifacts: &[Value]) -> Option<Failure> {
        let named: Vec<&str> = artifacts.iter().map(|artifact| artifact["name"].as_str().unwrap_or_default()).collect();
        let failure = |message: String, span: Span, label: String| {
            let shown = named.iter().map(|name| match *name {
                "" => "one without a name".to_owned(),
                name => format!("`{}`", shorten(name, SHOWN)),
            });
            let made = shown.collect::<Vec<_>>().join(", ");
            let made = if made.is_empty() { "nothing" } else { &made };
            Some(Failure::new(message).at(span, label).note(format!("it produced {made}")))
        };
        if let Some(least) = self.artifacts.least.as_ref().filter(|least| artifacts.len() < least.value) {
            let (made, least, span) = (artifacts.len(), least.value, least.span);
            let message = format!("the task produced {made} artifacts, expected at least {least}");
            return failure(message, span, format!("found {made}"));
        }
        if let Some(missing) = self.artifacts.names.iter().find(|name| !named.contains(&name.value.as_str())) {
            let message = format!("the task produced no artifact `{}`", missing.value);
            return failure(message, missing.span, "no such artifact".into());
        }
        let texts: Vec<String> = artifacts.iter().map(text).collect();
        let unmet = self.artifacts.patterns.iter().find(|pattern| !texts.iter().any(|text| pattern.is_in(text)))?;
        let message = format!("no artifact of the task matches {}", unmet.shown());
        let found = texts.iter().map(|text| format!("an artifact contains: {}", shorten(text, SHOWN)));
        let failure = failure(message, unmet.span, "matches no artifact".into())?;
        Some(found.take(5).fold(failure, Failure::note))
    }
}

/// The task as the agent left it.
fn last_task(trace: &Trace) -> Option<&Value> {
    trace.events().iter().rev().find_map(|event| {
        let Happened::State(state) = &event.kind else { return None };
        state.get("task").filter(|task| task.is_object())
    })
}

/// The content of an artifact: its texts as they are, its data as compact JSON.
fn text(artifact: &Value) -> String {
    let parts = artifact["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let hold = |part: &Value| match (part.get("text"), part.get("data"), part.get("url")) {
        (Some(Value::String(text)), ..) | (.., Some(Value::String(text))) => text.clone(),
        (_, Some(data), _) => data.to_string(),
        _ => String::new(),
    };
    parts.iter().map(hold).collect()
}
