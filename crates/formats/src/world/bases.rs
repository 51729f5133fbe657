//! Environment variables that point an agent at its tools: `[PAY_API_BASE]`, or with the live address,
//! `{ PAY_API_BASE: { live: "https://.." } }`.

use std::sync::Arc;

use agentci_plan::{Text, ToolBase};
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Pair, Spanned, read};

use crate::native::read_address;
use crate::printer::Printer;

/// Names of variables, or a mapping from names.
pub(crate) const BASES: Kind =
    Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Map(&Kind::Either(&[Kind::Shape(&BASE), Kind::Nothing]))]);

static BASE: Shape = Shape::new(
    "a tool base",
    "Where an environment variable points in live mode.",
    &[optional("live", Kind::Address, "The address of the live tools.")],
);

/// Reads names of variables. Valid ones are kept if another is invalid.
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
            let message = format!("`{}` cannot be the name of a variable", name.value.escape_debug());
            let help = "use letters, digits and `_`, such as `PAY_API_BASE`";
            problems.error(name.span, message, "not a variable name").help(help);
        }
        if let Some(first) = bases.iter().take(index).find(|first| first.name.value == name.value) {
            let message = format!("`{}` is named twice", name.value.escape_debug());
            let help = "remove one of the two";
            problems.error(name.span, message, format!("first named on line {}", first.name.span.line)).help(help);
        }
    }
    bases.into()
}

fn base(pair: &Pair, problems: &mut Diagnostics) -> Option<ToolBase> {
    let name = Spanned::new(pair.key.text.to_string(), pair.key.span);
    if pair.value.is_null() {
        return Some(ToolBase { name, live: None });
    }
    BASE.read(&pair.value, problems, |fields| {
        let live = fields.valid("live", read_address)?;
        Some(ToolBase { name, live: live.map(|live| live.value) })
    })
}

impl Printer<'_> {
    /// The names as a list, or as a mapping if one of them has a live address.
    pub(super) fn bases(&self, bases: &[ToolBase]) -> Option<Node> {
        if bases.iter().all(|base| base.live.is_none()) {
            return self.list(bases, |base| self.text(&base.name.value));
        }
        let live = |live: &Text| self.map([("live", Some(self.template(live)))]);
        let pair = |base: &'_ ToolBase| base.live.as_ref().map_or_else(|| self.plain("null"), live);
        Some(self.map(bases.iter().map(|base| (&base.name.value, Some(pair(base))))))
    }
}
