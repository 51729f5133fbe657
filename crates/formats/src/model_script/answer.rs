//! Reads the answer of a rule or a step: text, tool calls, pace and failures.

use agentci_plan::{
    AnswerPace, Finish, ModelCondition, ModelFailure, ModelRule, ScriptedCall, ScriptedUsage, SequenceStep,
};
use agentci_source::shape::{Field, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reader, Span, read};
use serde_json::{Map, Value};

use super::failure::{FAILURE, failure};
use crate::texts::object;

/// The keys that rules and steps share.
pub(super) static ANSWER: [Field; 8] = [
    optional("tool_calls", Kind::List(&Kind::Shape(&CALL)), "The tools that the model calls."),
    optional("latency", Kind::Duration, "Time until the answer begins."),
    optional("first_token", Kind::Duration, "Time from the beginning of the answer to the first token."),
    optional("tokens_per_second", Kind::Positive, "Rate of the tokens after the first. Default: all at once."),
    optional("usage", Kind::Shape(&USAGE), "Reported token usage. Default: estimated."),
    optional("finish", Kind::Choice(&words(&Finish::NAMES)), "Finish reason. Default: depends on the answer."),
    optional("fail", Kind::Shape(&FAILURE), "A failure to simulate."),
    optional(
        "misbehaves",
        Kind::Truth,
        "Whether the model deliberately calls tools that are not offered or ignores the requested format.",
    ),
];

/// A string, or a mapping that is sent as JSON.
pub(super) const REPLY: Kind = Kind::Either(&[Kind::Text, Kind::Object]);

static CALL: Shape = Shape::new(
    "a tool call",
    "A tool that the model calls.",
    &[required("name", Kind::Name, "The name of the tool."), optional("args", Kind::Object, "Its arguments.")],
);

static USAGE: Shape = Shape::new(
    "`usage`",
    "Reported token usage. Default: estimated.",
    &[optional("input", Kind::Count(0), "Input tokens."), optional("output", Kind::Count(0), "Output tokens.")],
);

/// Reads the answer to requests that meet `when`; `span` is that of the rule or step.
pub(super) fn answer(
    fields: &mut Reader<'_, '_>,
    span: Span,
    when: ModelCondition,
    step: Option<SequenceStep>,
) -> ModelRule {
    let [reply, calls, fail] = ["reply", "tool_calls", "fail"].map(|key| fields.node(key));
    let replies = fields.optional("reply", |node, _, problems| replies(node, step.is_some(), problems));
    let tool_calls = fields.or_default("tool_calls", |node, problems| read::each(node, "tool_calls", problems, call));
    let pace = AnswerPace {
        latency: fields.duration("latency").unwrap_or_default(),
        first_token: fields.duration("first_token").unwrap_or_default(),
        tokens_per_second: fields.optional("tokens_per_second", speed),
    };
    let usage = fields.optional("usage", |node, _, problems| usage(node, problems));
    let finish = fields.choice("finish", &Finish::NAMES);
    let failure = fields.optional("fail", |node, _, problems| failure(node, problems));
    let misbehaves = fields.truth("misbehaves").unwrap_or_default();
    let empty = |node: Option<&Node>| node.is_none_or(|node| node.items().is_some_and(<[Node]>::is_empty));
    if empty(reply) && empty(calls) && fail.is_none() {
        let (what, others) = if step.is_some() { ("step", "") } else { ("rule", ", or several answers in `steps`") };
        let help = format!("add `reply`, `tool_calls` or `fail`{others}");
        fields.problems.error(span, format!("this {what} has no answer"), "an answer is missing here").help(help);
    }
    let failure = failure.map(|failure| {
        // A step that only fails answers one request.
        let once = step.is_some() && empty(reply) && empty(calls);
        ModelFailure { times: failure.times.or(once.then_some(1)), ..failure }
    });
    let replies = replies.unwrap_or_default();
    ModelRule { when, replies, tool_calls, pace, usage, finish, failure, step, misbehaves, span }
}

/// The replies of an answer. A step is used once, so it has one.
fn replies(node: &Node, once: bool, problems: &mut Diagnostics) -> Option<Vec<String>> {
    let Some(items) = node.items() else { return Some(vec![reply(node, problems)?]) };
    if once {
        problems
            .error(node.span, "the `reply` of a step must be a string or a mapping, found a list", "several replies")
            .help("a step answers one request: write one step for each reply");
        return None;
    }
    Some(items.iter().filter_map(|node| reply(node, problems)).collect())
}

/// A string, or a mapping that is sent as JSON.
fn reply(node: &Node, problems: &mut Diagnostics) -> Option<String> {
    if node.pairs().is_some() {
        return object(node, "reply", problems).map(|data| data.to_string());
    }
    read::text(node, "reply", problems)
}

fn call(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedCall> {
    CALL.read(node, problems, |fields| {
        let name = fields.required("name", read::name);
        let args = fields.valid("args", object)?.unwrap_or_else(|| Value::Object(Map::new()));
        Some(ScriptedCall { name: name?.value, args })
    })
}

fn speed(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let speed = read::number(node, name, problems)?;
    if speed.is_finite() && speed > 0.0 {
        return Some(speed);
    }
    let message = format!("`{name}` must be greater than 0, found {speed}");
    problems.error(node.span, message, "no token would ever be sent");
    None
}

fn usage(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedUsage> {
    USAGE.read(node, problems, |fields| {
        Some(ScriptedUsage { input: fields.count("input", 0), output: fields.count("output", 0) })
    })
}
