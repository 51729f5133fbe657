//! The combinations of a matrix: the product of its axes, without those in `exclude`, and with those in `include`.

use agentci_source::{Diagnostic, Diagnostics, Node, Pair, Span, did_you_mean, read};

use super::axes::{Axis, AxisValue, MOST_COMBINATIONS, axis_value};

/// All combinations, in the order in which cases run: the last axis changes fastest, and `include` comes last.
pub(super) fn select(
    axes: &[Axis],
    include: &[&Node],
    exclude: &[&Node],
    span: Span,
    problems: &mut Diagnostics,
) -> Vec<Vec<AxisValue>> {
    let product = axes.iter().fold(1_usize, |count, axis| count.saturating_mul(axis.values.len()));
    let total = product.saturating_add(include.len());
    if total > MOST_COMBINATIONS {
        let message = format!("the matrix has {total} combinations, the limit is {MOST_COMBINATIONS}");
        let help = "remove values or axes, or list the combinations in `include` without axes";
        problems.error(span, message, "too many combinations").help(help);
        return Vec::new();
    }
    let mut rows = if product > 0 && !axes.is_empty() { product_of(axes) } else { Vec::new() };
    for node in exclude {
        leave_out(node, axes, &mut rows, problems);
    }
    for node in include {
        add(node, axes, &mut rows, problems);
    }
    if !axes.is_empty() && rows.is_empty() && !problems.has_errors() {
        let help = "remove an entry of `exclude`; `matrix: {}` in a case opts out of the suite's matrix";
        problems.error(span, "every combination of the matrix is excluded", "nothing would run").help(help);
    }
    rows
}

fn product_of(axes: &[Axis]) -> Vec<Vec<AxisValue>> {
    axes.iter().fold(vec![Vec::new()], |rows, axis| {
        let extended = |row: &Vec<AxisValue>| {
            let row = row.clone();
            axis.values.iter().map(move |value| row.iter().chain([value]).cloned().collect())
        };
        rows.iter().flat_map(extended).collect()
    })
}

/// The position of the axis that a key of `include` or `exclude` names.
fn axis_of(pair: &Pair, axes: &[Axis], problems: &mut Diagnostics) -> Option<usize> {
    let position = axes.iter().position(|axis| axis.name == pair.key.text);
    if position.is_none() {
        let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        let help = match did_you_mean(&pair.key.text, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if names.is_empty() => "add the axis with its values to `matrix`".to_owned(),
            None => format!("known axes are {}", read::quoted_list(&names)),
        };
        let message = format!("unknown axis `{}`", pair.key.text.escape_debug());
        problems.error(pair.key.span, message, "not an axis of the matrix").help(help);
    }
    position
}

/// The written values by the position of their axis; `None` if one is invalid.
fn written(node: &Node, axes: &[Axis], problems: &mut Diagnostics) -> Option<Vec<(usize, AxisValue)>> {
    let pairs = node.pairs().unwrap_or_default();
    let read: Vec<_> = pairs
        .iter()
        .map(|pair| Some((axis_of(pair, axes, problems)?, axis_value(&pair.value, &pair.key.text, problems)?)))
        .collect();
    if pairs.is_empty() {
        let help = "write the values of one or more axes: `{ axis: value }`";
        problems.error(node.span, "a combination has no values", "values are missing here").help(help);
        return None;
    }
    read.into_iter().collect()
}

/// Leaves out all combinations with these values. It is an error if there are none, since a misspelled value would
/// leave in what was not meant to run.
fn leave_out(node: &Node, axes: &[Axis], rows: &mut Vec<Vec<AxisValue>>, problems: &mut Diagnostics) {
    let Some(written) = written(node, axes, problems) else { return };
    for (axis, value) in &written {
        let Axis { name, values, .. } = &axes[*axis];
        if !values.iter().any(|known| known.scalar.text == value.scalar.text) {
            let known: Vec<&str> = values.iter().map(|known| &*known.scalar.text).collect();
            let message = format!("the axis `{name}` does not contain `{}`", value.scalar.text.escape_debug());
            let help = match did_you_mean(&value.scalar.text, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("its values are {}", read::quoted_list(&known)),
            };
            problems.error(value.span, message, "excludes nothing").help(help);
            return;
        }
    }
    let before = rows.len();
    rows.retain(|row| !written.iter().all(|(axis, value)| row[*axis].scalar.text == value.scalar.text));
    if rows.len() == before {
        let message = "all combinations with these values are already excluded";
        problems.error(node.span, message, "excludes nothing").help("remove this entry");
    }
}

/// Adds a combination with a value for every axis.
fn add(node: &Node, axes: &[Axis], rows: &mut Vec<Vec<AxisValue>>, problems: &mut Diagnostics) {
    let Some(written) = written(node, axes, problems) else { return };
    let value = |position: usize| written.iter().find(|(axis, _)| *axis == position).map(|(_, value)| value.clone());
    let mut row = Vec::with_capacity(axes.len());
    for (position, axis) in axes.iter().enumerate() {
        let Some(value) = value(position) else {
            let message = format!("the combination lacks a value for the axis `{}`", axis.name);
            problems.push(Diagnostic::error(node.span, message).label("incomplete").help(format!(
                "add `{}: ..`; each entry of `include` is one more combination, with a value for every axis",
                axis.name
            )));
            return;
        };
        row.push(value);
    }
    let same = |other: &Vec<AxisValue>| other.iter().zip(&row).all(|(one, two)| one.scalar.text == two.scalar.text);
    if rows.iter().any(same) {
        let label = "its cases would run twice";
        problems.error(node.span, "the matrix already has this combination", label).help("remove this entry");
        return;
    }
    rows.push(row);
}
