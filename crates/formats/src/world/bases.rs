//! What leads an agent to its tools: `[PAY_API_BASE]`, or with where it leads live, `{ PAY_API_BASE: { live: "https://.." } }`.

use std::sync::Arc;

use agentci_plan::{Text, ToolBase};
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Content, Diagnostics, Key, Node, Pair, Span, Spanned, read};

use super::plain;
use crate::native::read_address;

/// Names of variables, or a mapping from them.
pub(crate) const BASES: Kind =
    Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Map(&Kind::Either(&[Kind::Shape(&BASE), Kind::Nothing]))]);

static BASE: Shape = Shape::new(
    "a tool base",
    "Where a variable leads the agent in live mode.",
    &[optional("live", Kind::Address, "The address of the real tools.")],
);

/// Reads names of variables; the good ones are kept when one is wrong.
pub(crate) fn read_bases(node: &Node, name: &str, problems: &mut Diagnostics) -> Arc<[ToolBase]> {
    let bases: Vec<ToolBase> = if let Some(pairs) = node.pairs() {
        pairs.iter().filter_map(|pair| base(pair, problems)).collect()
    } else {
        let names = read::one_or_more_texts(node, name, problems).unwrap_or_default();
        names.into_iter().map(|name| ToolBase { name, live: None }).collect()
    };
    for (index, ToolBase { name, .. }) in bases.iter().enumerate() {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.value.is_empty()
            || name.value.starts_with(|c: char| c.is_ascii_digit())
            || !name.value.chars().all(good)
        {
            let message = format!("`{}` can not be the name of a variable", name.value.escape_debug());
            let help = "use letters, digits and `_`, such as `PAY_API_BASE`";
            problems.error(name.span, message, "the agent could not be given it").help(help);
        }
        if let Some(first) = bases.iter().take(index).find(|first| first.name.value == name.value) {
            let message = format!("`{}` is named twice", name.value.escape_debug());
            let help = "remove one of the two";
            problems.error(name.span, message, format!("first named at line {}", first.name.span.line)).help(help);
        }
    }
    bases.into()
}

fn base(pair: &Pair, problems: &mut Diagnostics) -> Option<ToolBase> {
    let name = Spanned::new(pair.key.text.to_string(), pair.key.span);
    if pair.value.is_null() {
        return Some(ToolBase { name, live: None });
    }
    let mut fields = BASE.open(&pair.value, problems)?;
    let live = fields.optional("live").map(|node| read_address(node, "live", problems));
    fields.finish(problems);
    let live: Option<Text> = match live {
        None => None,
        Some(live) => Some(live?.value),
    };
    Some(ToolBase { name, live })
}

/// The names as a list, or as a mapping where one of them leads somewhere live.
pub(super) fn print_bases(bases: &[ToolBase], span: Span) -> Option<Node> {
    if bases.is_empty() {
        return None;
    }
    if bases.iter().all(|base| base.live.is_none()) {
        return Some(Node::list(span, bases.iter().map(|base| Node::text(&base.name.value, span)).collect()));
    }
    let pair = |base: &ToolBase| Pair {
        key: Key { text: base.name.value.as_str().into(), span },
        value: match &base.live {
            None => plain("null", span),
            Some(live) => Node::map(span, [("live", Node::text(live.written(), span))]),
        },
    };
    Some(Node { span, content: Content::Map(bases.iter().map(pair).collect()) })
}
