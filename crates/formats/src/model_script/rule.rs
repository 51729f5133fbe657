//! One rule: what it is for, and what it answers, once for each request or step by step.

use agentci_plan::ModelRule;
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node};

use super::answer::{ANSWER, REPLY, answer};
use super::condition::{CONDITION, condition};
use super::steps::{SEQUENCE, steps};

pub(super) static RULE: Shape = Shape::new(
    "a rule",
    "What is answered when.",
    &[
        optional("when", Kind::Shape(&CONDITION), "The requests that it is for; without it, all."),
        optional(
            "reply",
            Kind::OneOrMore(&REPLY),
            "What the model says, data as JSON; several are said one after another, request by request.",
        ),
        optional(
            "steps",
            SEQUENCE,
            "The answers to the requests of one conversation, in order. `when` is for its first request.",
        ),
    ],
)
.with(&[&ANSWER])
.rules(&[
    KeyRule::NotBoth(&["steps", "reply"]),
    KeyRule::NotBoth(&["steps", "tool_calls"]),
    KeyRule::NotBoth(&["steps", "latency"]),
    KeyRule::NotBoth(&["steps", "first_token"]),
    KeyRule::NotBoth(&["steps", "tokens_per_second"]),
    KeyRule::NotBoth(&["steps", "usage"]),
    KeyRule::NotBoth(&["steps", "finish"]),
    KeyRule::NotBoth(&["steps", "fail"]),
    KeyRule::NotBoth(&["steps", "misbehaves"]),
    KeyRule::Some(&["reply", "tool_calls", "fail", "steps"]),
]);

/// Reads a rule: one answer, or one for each of its steps. `sequences` counts the conversations that have steps.
pub(super) fn rule(node: &Node, sequences: &mut usize, problems: &mut Diagnostics) -> Vec<ModelRule> {
    let Some(mut fields) = RULE.reader(node, problems) else { return Vec::new() };
    let when = fields.optional("when", |node, _, problems| condition(node, problems)).unwrap_or_default();
    let Some(list) = fields.node("steps") else {
        let rule = answer(&mut fields, node.span, when, None);
        fields.finish();
        return vec![rule];
    };
    for key in std::iter::once("reply").chain(ANSWER.iter().map(|field| field.key)) {
        let Some(found) = fields.node(key) else { continue };
        let message = format!("a rule has `steps` or `{key}`, not both");
        let help = format!("say `{key}` in the step that it is for");
        fields.problems.error(found.span, message, "not of any step").help(help);
    }
    fields.finish();
    steps(list, &when, sequences, problems)
}
