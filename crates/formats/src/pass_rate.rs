//! The share of cases that must pass.

use agentci_source::{Diagnostic, Diagnostics, Node, Spanned, read};

use crate::quantity::tidy;

/// A number from 0 to 1.
pub(crate) fn pass_rate(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let rate = read::number(node, name, problems)?;
    if (0.0..=1.0).contains(&rate) {
        return Some(Spanned::new(rate, node.span));
    }
    let problem = Diagnostic::error(node.span, format!("`{name}` must be from 0 to 1, found {}", node.describe()))
        .label("a share of the cases");
    problems.push(if rate > 1.0 && rate <= 100.0 {
        problem.help(format!("write {} for {rate} %", tidy(rate / 100.0)))
    } else {
        problem.help("write 0.9 if nine of ten cases must pass")
    });
    None
}
