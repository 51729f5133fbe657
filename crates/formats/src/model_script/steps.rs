//! Reads `steps`: the answers to the requests of one conversation, in order.

use agentci_plan::{ModelCondition, ModelRule, SequenceStep};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, read};

use super::answer::{ANSWER, REPLY, answer};

pub(super) static STEP: Shape = Shape::new(
    "a step",
    "The answer to one request of a conversation.",
    &[optional("reply", REPLY, "The answer; a mapping is sent as JSON.")],
)
.with(&[&ANSWER])
.rules(&[KeyRule::Some(&["reply", "tool_calls", "fail"])]);

/// The steps of the script itself: those of one conversation, or a list of lists for several.
pub(super) const STEPS: Kind = Kind::Either(&[SEQUENCE, Kind::Filled(&SEQUENCE)]);

/// The steps of one conversation.
pub(super) const SEQUENCE: Kind = Kind::Filled(&Kind::Shape(&STEP));

/// Reads the steps of one conversation, whose first request meets `when`.
pub(super) fn steps(
    node: &Node,
    when: &ModelCondition,
    sequences: &mut usize,
    problems: &mut Diagnostics,
) -> Vec<ModelRule> {
    let Some(items) = read::list(node, "steps", problems) else { return Vec::new() };
    if items.is_empty() {
        let help = "add a step, such as `- reply: Hello.`, or remove `steps`";
        problems.error(node.span, "`steps` must not be empty", "no answer").help(help);
    }
    let of = *sequences;
    *sequences += 1;
    let mut read = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let when = if at == 0 { when.clone() } else { when.of_asker() };
        let step = Some(SequenceStep { of, at });
        read.extend(STEP.read(item, problems, |fields| Some(answer(fields, item.span, when, step))));
    }
    read
}

/// Reads the steps of the script itself.
pub(super) fn all_steps(node: &Node, sequences: &mut usize, problems: &mut Diagnostics) -> Vec<ModelRule> {
    let any = ModelCondition::default();
    let lists = node.items().filter(|items| !items.is_empty() && items.iter().all(|item| item.items().is_some()));
    let Some(lists) = lists else { return steps(node, &any, sequences, problems) };
    lists.iter().flat_map(|list| steps(list, &any, sequences, problems)).collect()
}
