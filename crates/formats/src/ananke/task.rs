//! `task`: what is asked of the task of an A2A agent. The check reads it as it is written, but for its patterns.

use std::sync::Arc;

use agentci_plan::Check;
use agentci_source::{Content, Diagnostics, Node, Pair};

use super::assertion::item;
use super::pattern::pattern;

/// The check for a block's `task`.
pub(super) fn task(node: &Node, problems: &mut Diagnostics) -> Arc<Check> {
    let mut artifacts = |node: &Node| inside(node, "match", &mut |node| patterns(node, problems));
    let arguments = inside(node, "artifacts", &mut artifacts);
    item("task", "task", false, node.span, &arguments)
}

/// The same node with what stands under a key changed.
fn inside(node: &Node, key: &str, change: &mut dyn FnMut(&Node) -> Node) -> Node {
    let Some(pairs) = node.pairs() else { return node.clone() };
    let pair = |pair: &Pair| {
        let value = if pair.key.text == key { change(&pair.value) } else { pair.value.clone() };
        Pair { key: pair.key.clone(), value }
    };
    Node { span: node.span, content: Content::Map(pairs.iter().map(pair).collect()) }
}

fn patterns(node: &Node, problems: &mut Diagnostics) -> Node {
    match (&node.content, node.scalar()) {
        (Content::List(items), _) => Node::list(node.span, items.iter().map(|item| patterns(item, problems)).collect()),
        (_, Some(scalar)) if scalar.text.starts_with('/') => {
            let read = pattern(&scalar.text, node.span, problems);
            read.map_or_else(|| node.clone(), |pattern| Node::text(pattern, node.span))
        }
        _ => node.clone(),
    }
}
