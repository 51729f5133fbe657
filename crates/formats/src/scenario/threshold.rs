//! Reads `semantic_threshold`: the minimum similarity, as a number or one for each embedder.

use agentci_source::shape::Kind;
use agentci_source::{Content, Diagnostics, Node};

use crate::canonical;
use crate::gates::share;

/// A number, or one for each embedder.
pub(super) const THRESHOLD: Kind = Kind::Either(&[Kind::Range(0.0, 1.0), Kind::FilledMap(&Kind::Range(0.0, 1.0))]);

/// Reads a threshold, in the form that the check takes.
pub(super) fn threshold(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Node> {
    let good = match &node.content {
        Content::Map(pairs) if pairs.is_empty() => {
            problems.error(node.span, format!("`{name}` names no embedder"), "empty").help("write `{ builtin: 0.55 }`");
            false
        }
        Content::Map(pairs) => {
            let good = |good, pair: &agentci_source::Pair| {
                let name = format!("{name}.{}", pair.key.text.escape_debug());
                similarity(&pair.value, &name, problems).is_some() && good
            };
            pairs.iter().fold(true, good)
        }
        Content::Scalar(_) | Content::List(_) => similarity(node, name, problems).is_some(),
    };
    good.then(|| canonical::as_written(node))
}

fn similarity(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let otherwise = "1 means identical text; good paraphrases score 0.5 to 0.9, depending on the embedder";
    share(node, name, "a similarity", otherwise, problems)
}
