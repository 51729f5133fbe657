//! Reads numbers and limits.

use std::fmt::Display;
use std::ops::RangeInclusive;

use agentci_plan::Limit;
use agentci_source::{Diagnostics, Node, Spanned, read};
use serde_json::Value;

/// Reads any number as a limit.
pub(crate) fn number(node: &Node, name: &'static str, problems: &mut Diagnostics) -> Option<Limit> {
    Some(Limit { key: name, most: read::number(node, name, problems)?, span: node.span })
}

/// Reads an integer as a limit.
pub(crate) fn whole(node: &Node, name: &'static str, problems: &mut Diagnostics) -> Option<Limit> {
    let limit = number(node, name, problems)?;
    if limit.most.fract() != 0.0 {
        problems.mismatch(node, format_args!("`{name}` must be an integer"), "expected an integer");
        return None;
    }
    Some(limit)
}

/// Reads an integer in a range; `label` is shown at a number outside it.
pub(crate) fn whole_in<T: TryFrom<i64> + PartialOrd + Display>(
    range: RangeInclusive<T>,
    node: &Node,
    name: &str,
    label: &str,
    problems: &mut Diagnostics,
) -> Option<T> {
    let written = read::integer(node, name, problems)?;
    let number = T::try_from(written).ok().filter(|number| range.contains(number));
    if number.is_none() {
        let message = format!("`{name}` must be from {} to {}, found {written}", range.start(), range.end());
        problems.error(node.span, message, label);
    }
    number
}

/// Reads a number from 0 to `most`; `label` is shown at a number outside that range.
pub(crate) fn number_to(most: f64, node: &Node, name: &str, label: &str, problems: &mut Diagnostics) -> Option<f64> {
    let number = read::number(node, name, problems)?;
    if (0.0..=most).contains(&number) {
        return Some(number);
    }
    problems.error(node.span, format!("`{name}` must be from 0 to {most}, found {number}"), label);
    None
}

/// Reads a time in milliseconds; zero is allowed.
pub(crate) fn milliseconds(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let number = read::number(node, name, problems)?;
    if number < 0.0 {
        problems.mismatch(node, format_args!("`{name}` must be 0 or more"), "expected a number of milliseconds");
        return None;
    }
    Some(Spanned::new(number, node.span))
}

/// Converts a percentage to a fraction by moving the decimal point, since a division would lose precision.
pub(crate) fn parse_percentage(number: &Value) -> Option<f64> {
    let text = number.as_number()?.to_string();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    format!("{mantissa}e{}", exponent.saturating_sub(2)).parse().ok()
}

/// Rounds a computed number for a message, to remove floating-point noise.
pub(crate) fn tidy(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
