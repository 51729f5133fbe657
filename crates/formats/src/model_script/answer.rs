//! What is answered, by a rule or by a step: words, calls of tools, how fast, and what goes wrong.

use agentci_plan::{
    AnswerPace, Finish, ModelCondition, ModelFailure, ModelRule, ScriptedCall, ScriptedUsage, SequenceStep,
};
use agentci_source::shape::{Field, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reader, Span, read};
use serde_json::{Map, Value};

use super::failure::{FAILURE, failure};
use crate::texts::object;

/// What may be said of any answer.
pub(super) static ANSWER: [Field; 8] = [
    optional("tool_calls", Kind::List(&Kind::Shape(&CALL)), "The tools that the model calls."),
    optional("latency", Kind::Duration, "How long the model thinks."),
    optional("first_token", Kind::Duration, "How long it takes until the first token comes."),
    optional("tokens_per_second", Kind::Positive, "How fast tokens come."),
    optional("usage", Kind::Shape(&USAGE), "What the answer says about tokens."),
    optional("finish", Kind::Choice(&words(&Finish::NAMES)), "Why the model stopped."),
    optional("fail", Kind::Shape(&FAILURE), "What goes wrong with the request."),
    optional(
        "misbehaves",
        Kind::Truth,
        "Whether the model calls tools that were not offered, or leaves the format that was asked for, on purpose.",
    ),
];

/// What a model says: a text, or data that it says as JSON.
pub(super) const REPLY: Kind = Kind::Either(&[Kind::Text, Kind::Object]);

static CALL: Shape = Shape::new(
    "a tool call",
    "A tool that the model calls.",
    &[required("name", Kind::Name, "The name of the tool."), optional("args", Kind::Object, "Its arguments.")],
);

static USAGE: Shape = Shape::new(
    "`usage`",
    "What the answer says about tokens.",
    &[
        optional("input", Kind::Count(0), "Tokens that were read."),
        optional("output", Kind::Count(0), "Tokens that were written."),
    ],
);

/// Reads an answer to requests like these, which begins at `span`.
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
        let help = format!("give it `reply`, `tool_calls` or `fail`{others}");
        fields.problems.error(span, format!("this {what} says nothing"), "an answer is missing here").help(help);
    }
    let failure = failure.map(|failure| {
        // A step that only fails is the answer to one request.
        let once = step.is_some() && empty(reply) && empty(calls);
        ModelFailure { times: failure.times.or(once.then_some(1)), ..failure }
    });
    let replies = replies.unwrap_or_default();
    ModelRule { when, replies, tool_calls, pace, usage, finish, failure, step, misbehaves, span }
}

/// The texts of an answer. A step is said once, so it has one.
fn replies(node: &Node, once: bool, problems: &mut Diagnostics) -> Option<Vec<String>> {
    let Some(items) = node.items() else { return Some(vec![reply(node, problems)?]) };
    if once {
        problems
            .error(node.span, "the `reply` of a step must be a text or a mapping, found a list", "several texts")
            .help("a step answers one request: write a step for each of them");
        return None;
    }
    Some(items.iter().filter_map(|node| reply(node, problems)).collect())
}

/// A text, or a mapping that is said as JSON.
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
    let message = format!("`{name}` must be more than 0, found {speed}");
    problems.error(node.span, message, "no token would ever come");
    None
}

fn usage(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedUsage> {
    USAGE.read(node, problems, |fields| {
        Some(ScriptedUsage { input: fields.count("input", 0), output: fields.count("output", 0) })
    })
}
