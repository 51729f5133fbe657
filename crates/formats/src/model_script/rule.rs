//! One rule: what it is for, what it answers, how fast.

use std::time::Duration;

use agentci_plan::{Finish, ModelCondition, ModelRule, Pace, ScriptedCall, ScriptedUsage, UserText};
use agentci_source::shape::{Kind, Rule, Shape, optional, required, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Reading, Spanned, read};

use super::failure::{FAILURE, failure};
use crate::world::check_pattern;

pub(super) static RULE: Shape = Shape::new(
    "a rule",
    "What is answered when.",
    &[
        optional("when", Kind::Shape(&CONDITION), "The requests that it is for; without it, all."),
        optional(
            "reply",
            Kind::OneOrMore(&Kind::Text),
            "What the model says; several are said one after another, request by request.",
        ),
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
    ],
)
.rules(&[Rule::Some(&["reply", "tool_calls", "fail"])]);

static CONDITION: Shape = Shape::new(
    "`when`",
    "The requests that a rule is for.",
    &[
        optional("model", Kind::Name, "The model that is asked."),
        optional("user", Kind::Either(&[Kind::Text, Kind::Shape(&USER)]), "What the last words of the user contain."),
        optional("tool_result", Kind::Truth, "Whether the request brings the result of a tool."),
        optional("turn", Kind::Count(1), "How often the user has spoken."),
    ],
);

static USER: Shape = Shape::new(
    "`user`",
    "A pattern for the last words of the user.",
    &[required("regex", Kind::Text, "A regular expression.")],
);

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

pub(super) fn rule(node: &Node, problems: &mut Diagnostics) -> Option<ModelRule> {
    let mut fields = RULE.open(node, problems)?;
    let when = fields.optional("when").and_then(|node| condition(node, problems)).unwrap_or_default();
    let reply = fields.optional("reply");
    let replies = reply.and_then(|node| read::one_or_more_texts(node, "reply", problems));
    let calls = fields.optional("tool_calls");
    let tool_calls = calls.and_then(|node| read::list(node, "tool_calls", problems)).unwrap_or_default();
    let tool_calls = tool_calls.iter().filter_map(|node| call(node, problems)).collect();
    let pace = Pace {
        latency: time(&mut fields, "latency", problems),
        first_token: time(&mut fields, "first_token", problems),
        tokens_per_second: fields.optional("tokens_per_second").and_then(|node| speed(node, problems)),
    };
    let usage = fields.optional("usage").and_then(|node| usage(node, problems));
    let finish = fields.optional("finish").and_then(|node| read::choice(node, "finish", &Finish::NAMES, problems));
    let fail = fields.optional("fail");
    let failure = fail.and_then(|node| failure(node, problems));
    let misbehaves = fields.optional("misbehaves").and_then(|node| read::truth(node, "misbehaves", problems));
    fields.finish(problems);
    let empty = |node: Option<&Node>| node.is_none_or(|node| node.items().is_some_and(<[Node]>::is_empty));
    if empty(reply) && empty(calls) && fail.is_none() {
        problems.push(
            Diagnostic::error(node.span, "this rule says nothing")
                .label("an answer is missing here")
                .help("give it `reply`, `tool_calls` or `fail`"),
        );
    }
    let replies = replies.unwrap_or_default().into_iter().map(|text| text.value).collect();
    Some(ModelRule {
        when,
        replies,
        tool_calls,
        pace,
        usage,
        finish,
        failure,
        misbehaves: misbehaves.unwrap_or_default(),
        span: node.span,
    })
}

fn condition(node: &Node, problems: &mut Diagnostics) -> Option<ModelCondition> {
    let mut fields = CONDITION.open(node, problems)?;
    let condition = ModelCondition {
        model: fields.optional("model").and_then(|node| read::name(node, "model", problems)).map(|name| name.value),
        user: fields.optional("user").and_then(|node| user(node, problems)),
        tool_result: fields.optional("tool_result").and_then(|node| read::truth(node, "tool_result", problems)),
        turn: fields.optional("turn").and_then(|node| read::count(node, "turn", 1, problems)),
    };
    fields.finish(problems);
    Some(condition)
}

/// `refund`, or `{ regex: "order (\\w+)" }`.
fn user(node: &Node, problems: &mut Diagnostics) -> Option<UserText> {
    if node.pairs().is_none() {
        return read::text(node, "user", problems).map(UserText::Contains);
    }
    let mut fields = USER.open(node, problems)?;
    let found = fields.required("regex", problems);
    let pattern = found.and_then(|node| Some(Spanned::new(read::text(node, "regex", problems)?, node.span)));
    fields.finish(problems);
    let pattern = pattern?;
    check_pattern(&pattern, problems);
    Some(UserText::Matches(pattern))
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

fn time(fields: &mut read::Fields<'_>, key: &'static str, problems: &mut Diagnostics) -> Duration {
    fields.optional(key).and_then(|node| read::duration(node, key, problems)).unwrap_or_default()
}

fn speed(node: &Node, problems: &mut Diagnostics) -> Option<f64> {
    let speed = read::number(node, "tokens_per_second", problems)?;
    if speed.is_finite() && speed > 0.0 {
        return Some(speed);
    }
    problems.push(
        Diagnostic::error(node.span, format!("`tokens_per_second` must be more than 0, found {speed}"))
            .label("no token would ever come"),
    );
    None
}

fn usage(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedUsage> {
    let mut fields = USAGE.open(node, problems)?;
    let mut count = |key| fields.optional(key).and_then(|node| read::count(node, key, 0, problems));
    let usage = ScriptedUsage { input: count("input"), output: count("output") };
    fields.finish(problems);
    Some(usage)
}
