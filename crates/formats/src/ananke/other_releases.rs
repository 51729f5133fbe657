//! Reports files of other releases of ananke, with help on how to migrate them.

use agentci_source::{Diagnostics, Node, Pair};

/// The keys of an item of `steps`.
const OF_STEP: [&str; 3] = ["message", "script", "resume"];
/// Keys of assertions that have other names in the supported release.
const SELECTORS: [&str; 2] = ["tool_names", "response"];
/// Operators on the text or on the list of tool calls.
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

/// Whether a file is a test with `steps`.
pub(super) fn has_steps(root: &Node) -> bool {
    let is_step = |item: &Node| OF_STEP.iter().any(|key| item.get(key).is_some());
    root.get("turns").is_none()
        && root.get("steps").and_then(Node::items).is_some_and(|items| items.iter().any(is_step))
}

/// Reports a test with `steps`; returns whether it is one.
pub(super) fn refuse_steps(root: &Node, problems: &mut Diagnostics) -> bool {
    let steps = pair(root, &["steps"]).filter(|_| root.get("turns").is_none());
    let Some(steps) = steps else { return pair(root, &["expect"]).is_some_and(|found| refuse_part(found, problems)) };
    let message = "the test uses `steps`, which come from a later release of the format";
    let help = "replace `steps:` with `turns:`, `message` with `user` and `expect` with `assert`; move the setup of a \
                `script` to `hooks:` as `cmd`";
    problems.error(steps.key.span, message, "only tests with `turns` are supported").help(help);
    true
}

/// Reports a turn that is written as a step; returns whether it is one.
pub(super) fn refuse_step(turn: &Node, problems: &mut Diagnostics) -> bool {
    let found = pair(turn, &["message", "expect"]).filter(|_| turn.get("type").is_none());
    found.is_some_and(|found| refuse_part(found, problems))
}

fn refuse_part(found: &Pair, problems: &mut Diagnostics) -> bool {
    let message = format!("`{}` belongs to `steps`, which come from a later release of the format", found.key.text);
    let help = "replace `message` with `user` and `expect` with `assert`";
    problems.error(found.key.span, message, "not supported").help(help);
    true
}

/// Reports a config of a release without versions; returns whether it is one.
pub(super) fn refuse_unversioned(root: &Node, problems: &mut Diagnostics) -> bool {
    let Some(target) = pair(root, &["target"]).filter(|_| root.get("version").is_none()) else { return false };
    if target.value.get("type").is_some() || target.value.get("endpoint").is_none() {
        return false;
    }
    let message = "the config comes from an earlier release of the format: it has no version and no target type";
    let help = "add `version: \"1.0\"` above it, and `type: agui` and an `agentId` to it";
    problems.error(target.key.span, message, "needs a `type`").help(help);
    true
}

/// Reports a target of type `aguiwss`; returns whether it is one.
pub(super) fn refuse_sockets(target: &Node, problems: &mut Diagnostics) -> bool {
    let Some(kind) = target.get("type").filter(|kind| kind.scalar().is_some_and(|kind| &*kind.text == "aguiwss"))
    else {
        return false;
    };
    let help = "make the server answer with an event stream, and write `type: agui` with its `endpoint`";
    problems.error(kind.span, "AG-UI over WebSocket is not supported", "from a later release of the format").help(help);
    true
}

/// Reports a block of assertions with selectors and operators; returns whether it is one.
pub(super) fn refuse_selectors(block: &Node, problems: &mut Diagnostics) -> bool {
    let within = |key: &str| block.get(key).and_then(|node| pair(node, &OPERATORS));
    let Some(found) = pair(block, &SELECTORS).or_else(|| within("text")).or_else(|| within("tools")) else {
        return false;
    };
    let key = &found.key.text;
    let help = match key.as_str() {
        "tool_names" | "some" | "every" | "none" | "filter" | "ordered" | "count" | "having" | "has_key" => {
            "write `tools: { require: [{ name: pay, count: { exact: 1 }, args_match: { amount: \"^20$\" }, \
             after: check }], forbid: [delete] }`"
        }
        "response" => "write `timing: { max_duration_ms: 30000, max_idle_ms: 10000 }`",
        _ => "write `text: { must_match: [..], must_not_match: [..] }` with patterns",
    };
    let message = format!("`{key}` comes from a later release of the format");
    problems.error(found.key.span, message, "not supported").help(help);
    true
}

fn pair<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Pair> {
    node.pairs()?.iter().find(|pair| keys.contains(&pair.key.text.as_str()))
}
