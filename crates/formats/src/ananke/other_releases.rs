//! Forms that other releases of the original gave to its files: they are told apart, and how to say the same here.

use agentci_source::{Diagnostics, Node, Pair};

/// What an item of `steps` says.
const OF_STEP: [&str; 3] = ["message", "script", "resume"];
/// What is looked at, where it has other names here.
const SELECTORS: [&str; 2] = ["tool_names", "response"];
/// What is asked of a text or of a list of calls.
const OPERATORS: [&str; 18] = [
    "matches",
    "not",
    "equals",
    "contains",
    "starts_with",
    "ends_with",
    "some",
    "every",
    "none",
    "filter",
    "ordered",
    "count",
    "having",
    "has_key",
    "json",
    "and",
    "or",
    "script",
];

/// Whether a file holds a test of steps.
pub(super) fn has_steps(root: &Node) -> bool {
    let is_step = |item: &Node| OF_STEP.iter().any(|key| item.get(key).is_some());
    root.get("turns").is_none()
        && root.get("steps").and_then(Node::items).is_some_and(|items| items.iter().any(is_step))
}

/// Reports a test of steps; whether it is one.
pub(super) fn refuse_steps(root: &Node, problems: &mut Diagnostics) -> bool {
    let steps = pair(root, &["steps"]).filter(|_| root.get("turns").is_none());
    let Some(steps) = steps else { return pair(root, &["expect"]).is_some_and(|found| refuse_part(found, problems)) };
    let message = "the test is written in steps, a later form of this format";
    let help = "write `turns:` for `steps:`, `user` for `message`, `assert` for `expect`, and what a `script` sets up under \
                `hooks:` as `cmd`";
    problems.error(steps.key.span, message, "read are tests of `turns`").help(help);
    true
}

/// Reports a turn that is written as a step; whether it is one.
pub(super) fn refuse_step(turn: &Node, problems: &mut Diagnostics) -> bool {
    let found = pair(turn, &["message", "expect"]).filter(|_| turn.get("type").is_none());
    found.is_some_and(|found| refuse_part(found, problems))
}

fn refuse_part(found: &Pair, problems: &mut Diagnostics) -> bool {
    let message = format!("`{}` is of steps, a later form of this format", found.key.text);
    let help = "write `user` for `message` and `assert` for `expect`";
    problems.error(found.key.span, message, "not read here").help(help);
    true
}

/// Reports a config from before there were versions; whether it is one.
pub(super) fn refuse_unversioned(root: &Node, problems: &mut Diagnostics) -> bool {
    let Some(target) = pair(root, &["target"]).filter(|_| root.get("version").is_none()) else { return false };
    if target.value.get("type").is_some() || target.value.get("endpoint").is_none() {
        return false;
    }
    let message = "the config is from before there were versions and types of targets";
    let help = "write `version: \"1.0\"` above it, and `type: agui` and an `agentId` into it";
    problems.error(target.key.span, message, "an earlier form of this format").help(help);
    true
}

/// Reports a target behind web sockets; whether it is one.
pub(super) fn refuse_sockets(target: &Node, problems: &mut Diagnostics) -> bool {
    let Some(kind) = target.get("type").filter(|kind| kind.scalar().is_some_and(|kind| &*kind.text == "aguiwss"))
    else {
        return false;
    };
    let help = "let the server answer with a stream of events, and write `type: agui` with its `endpoint`";
    problems.error(kind.span, "AG-UI over web sockets is not spoken here", "a later form of targets").help(help);
    true
}

/// Reports a block of assertions in the form with selectors and operators; whether it is one.
pub(super) fn refuse_selectors(block: &Node, problems: &mut Diagnostics) -> bool {
    let within = |key: &str| block.get(key).and_then(|node| pair(node, &OPERATORS));
    let Some(found) = pair(block, &SELECTORS).or_else(|| within("text")).or_else(|| within("tools")) else {
        return false;
    };
    let key = &found.key.text;
    let help = match key.as_str() {
        "tool_names" | "some" | "every" | "none" | "filter" | "ordered" | "count" | "having" | "has_key" => {
            "write `tools: { require: [{ name: pay, count: { exact: 1 }, args_match: { amount: \"^20$\" }, after: check }], \
             forbid: [delete] }`"
        }
        "response" => "write `timing: { max_duration_ms: 30000, max_idle_ms: 10000 }`",
        _ => "write `text: { must_match: [..], must_not_match: [..] }` with patterns",
    };
    problems.error(found.key.span, format!("`{key}` is of a later form of assertions"), "not read here").help(help);
    true
}

fn pair<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Pair> {
    node.pairs()?.iter().find(|pair| keys.contains(&pair.key.text.as_str()))
}
