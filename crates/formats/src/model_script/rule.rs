//! Reads a rule: its conditions, and one answer or several steps.

use agentci_plan::ModelRule;
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node};

use super::answer::{ANSWER, REPLY, answer};
use super::condition::{CONDITION, condition};
use super::steps::{SEQUENCE, steps};

pub(super) static RULE: Shape = Shape::new(
    "a rule",
    "An answer, and the requests that it is for.",
    &[
        optional("when", Kind::Shape(&CONDITION), "The requests that it matches. Default: all."),
        optional(
            "reply",
            Kind::OneOrMore(&REPLY),
            "The answer; a mapping is sent as JSON. A list has one reply per matching request; the last one repeats.",
        ),
        optional(
            "steps",
            SEQUENCE,
            "The answers to the requests of one conversation, in order. `when` selects it by its first request.",
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

/// Reads a rule: one answer, or one per step. `sequences` counts the lists of steps.
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
        let help = format!("set `{key}` in the step that it is for");
        fields.problems.error(found.span, message, "not in a step").help(help);
    }
    fields.finish();
    steps(list, &when, sequences, problems)
}
