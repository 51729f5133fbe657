//! What is answered, by a rule or by a step: words, calls of tools, how fast, and what goes wrong.

use std::time::Duration;

use agentci_plan::{Finish, ModelCondition, ModelFailure, ModelRule, Pace, ScriptedCall, ScriptedUsage, Step};
use agentci_source::read::Fields;
use agentci_source::shape::{Field, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reading, Span, read};

use super::failure::{FAILURE, failure};

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
    fields: &mut Fields<'_>,
    span: Span,
    when: ModelCondition,
    step: Option<Step>,
    problems: &mut Diagnostics,
) -> ModelRule {
    let reply = fields.optional("reply");
    let replies = reply.and_then(|node| replies(node, step.is_some(), problems)).unwrap_or_default();
    let calls = fields.optional("tool_calls");
    let tool_calls = calls.and_then(|node| read::list(node, "tool_calls", problems)).unwrap_or_default();
    let tool_calls = tool_calls.iter().filter_map(|node| call(node, problems)).collect();
    let pace = Pace {
        latency: time(fields, "latency", problems),
        first_token: time(fields, "first_token", problems),
        tokens_per_second: fields.optional("tokens_per_second").and_then(|node| speed(node, problems)),
    };
    let usage = fields.optional("usage").and_then(|node| usage(node, problems));
    let finish = fields.optional("finish").and_then(|node| read::choice(node, "finish", &Finish::NAMES, problems));
    let fail = fields.optional("fail");
    let failure = fail.and_then(|node| failure(node, problems));
    let misbehaves = fields.optional("misbehaves").and_then(|node| read::truth(node, "misbehaves", problems));
    let empty = |node: Option<&Node>| node.is_none_or(|node| node.items().is_some_and(<[Node]>::is_empty));
    if empty(reply) && empty(calls) && fail.is_none() {
        let (what, others) = if step.is_some() { ("step", "") } else { ("rule", ", or several answers in `steps`") };
        let help = format!("give it `reply`, `tool_calls` or `fail`{others}");
        problems.error(span, format!("this {what} says nothing"), "an answer is missing here").help(help);
    }
    let misbehaves = misbehaves.unwrap_or_default();
    let failure = failure.map(|failure| {
        // A step that only fails is the answer to one request.
        let once = step.is_some() && empty(reply) && empty(calls);
        ModelFailure { times: failure.times.or(once.then_some(1)), ..failure }
    });
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
        return read::object(node, "reply", Reading::Core, problems).map(|data| data.to_string());
    }
    read::text(node, "reply", problems)
}

fn call(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedCall> {
    let mut fields = CALL.open(node, problems)?;
    let name = fields.required("name", problems).and_then(|node| read::name(node, "name", problems));
    let args = match fields.optional("args") {
        Some(node) => read::object(node, "args", Reading::Core, problems),
        None => Some(serde_json::Value::Object(serde_json::Map::new())),
    };
    fields.finish(problems);
    Some(ScriptedCall { name: name?.value, args: args? })
}

fn time(fields: &mut Fields<'_>, key: &'static str, problems: &mut Diagnostics) -> Duration {
    fields.optional(key).and_then(|node| read::duration(node, key, problems)).unwrap_or_default()
}

fn speed(node: &Node, problems: &mut Diagnostics) -> Option<f64> {
    let speed = read::number(node, "tokens_per_second", problems)?;
    if speed.is_finite() && speed > 0.0 {
        return Some(speed);
    }
    let message = format!("`tokens_per_second` must be more than 0, found {speed}");
    problems.error(node.span, message, "no token would ever come");
    None
}

fn usage(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedUsage> {
    let mut fields = USAGE.open(node, problems)?;
    let mut count = |key| fields.optional(key).and_then(|node| read::count(node, key, 0, problems));
    let usage = ScriptedUsage { input: count("input"), output: count("output") };
    fields.finish(problems);
    Some(usage)
}
