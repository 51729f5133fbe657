//! `combination`: what a case of an expanded suite is, as `agentci convert` prints it.

use agentci_plan::Combination;
use agentci_source::shape::{Kind, Shape, required};
use agentci_source::{Diagnostics, Name, Node, read};

use super::axes::axis_value;
use super::shape::is_axis_name;
use crate::printer::Printer;

pub(in crate::native) static COMBINATION: Shape = Shape::new(
    "`combination`",
    "The combination of a matrix that a case is, as `agentci convert` prints it.",
    &[
        required("of", Kind::Name, "ID of the case without axes."),
        required("axes", Kind::FilledMap(&Kind::Word), "Values by the name of their axis."),
    ],
);

/// Reads the combination that a case is.
pub(in crate::native) fn combination(node: &Node, _: &str, problems: &mut Diagnostics) -> Option<Combination> {
    COMBINATION.read(node, problems, |fields| {
        let of = fields.required("of", read::name);
        let axes = fields.required("axes", axes);
        Some(Combination { of: of?.value.into(), axes: axes? })
    })
}

fn axes(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Box<[(Name, Name)]>> {
    let pairs = read::pairs(node, &format!("`{name}`"), "`axis: value`", problems);
    let mut axes = Vec::with_capacity(pairs.len());
    for pair in pairs {
        if !is_axis_name(&pair.key.text) {
            let message = format!("`{}` cannot be the name of an axis", pair.key.text.escape_debug());
            let help = "use up to 40 letters, digits, `_` and `-`, and begin with a letter";
            problems.error(pair.key.span, message, "not a name").help(help);
            return None;
        }
        let value = axis_value(&pair.value, &pair.key.text, problems)?;
        axes.push((pair.key.text.clone(), Name::from(&*value.scalar.text)));
    }
    if axes.is_empty() && node.pairs().is_some() {
        problems.error(node.span, "`axes` is empty", "a value is missing here").help("remove `combination`");
    }
    (!axes.is_empty()).then(|| axes.into())
}

/// Prints the combination that a case is.
pub(in crate::native) fn print_combination(printer: &Printer<'_>, combination: &Combination) -> Node {
    let axes = combination.axes.iter().map(|(axis, value)| (axis.as_str(), Some(printer.text(value))));
    printer.map([("of", Some(printer.text(&combination.of))), ("axes", Some(printer.map(axes)))])
}

/// The node of a combination, for a case that is being expanded.
pub(super) fn combination_node(of: &Node, axes: &[(Name, Name)]) -> Node {
    let value = |(axis, value): &(Name, Name)| (axis.to_string(), Node::text(value.as_str(), of.span));
    let values: Vec<(String, Node)> = axes.iter().map(value).collect();
    let axes = Node::map(of.span, values.iter().map(|(axis, value)| (axis.as_str(), value.clone())));
    Node::map(of.span, [("of", of.clone()), ("axes", axes)])
}
