//! The gates that the `native` and `runledger` dialects share.

use std::collections::BTreeMap;

use agentci_plan::Gates;
use agentci_source::shape::{Field, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Reader, Span, Spanned, read};

use crate::quantity::{milliseconds, tidy};

/// The keys of both dialects.
pub(crate) static SHARED_GATES: &[Field] = &[
    optional(
        "min_wall_ms_delta",
        Kind::Number,
        "How many milliseconds longer cases must take before a wall-time gate can fail. Default: 50.",
    ),
    optional("no_new_failures", Kind::Truth, "Whether a case may fail only if it failed in the baseline."),
    optional("no_missing_cases", Kind::Truth, "Whether every case of the baseline must be run."),
    optional(
        "no_changed_steps",
        Kind::Truth,
        "Whether each case must make the same tool calls as in the baseline, with the same arguments.",
    ),
    optional(
        "no_changed_prompts",
        Kind::Truth,
        "Whether requests to models must have the same system prompts, tools and parameters as in the baseline.",
    ),
    optional("decide", Kind::Truth, "Whether the gates alone decide the exit code, even if cases fail."),
];

/// Reads the keys of both dialects.
pub(crate) fn shared_gates(fields: &mut Reader<'_, '_>) -> Gates {
    Gates {
        min_wall_ms_delta: fields.optional("min_wall_ms_delta", milliseconds),
        no_new_failures: fields.optional("no_new_failures", placed_truth),
        no_missing_cases: fields.optional("no_missing_cases", placed_truth),
        no_changed_steps: fields.optional("no_changed_steps", placed_truth),
        no_changed_prompts: fields.optional("no_changed_prompts", placed_truth),
        decide: fields.optional("decide", placed_truth),
        ..Gates::default()
    }
}

/// Where the keys of the gates are.
pub(crate) fn gate_keys(fields: &Reader<'_, '_>, shape: &Shape) -> BTreeMap<String, Span> {
    shape.fields().filter_map(|field| Some((field.key.to_owned(), fields.key_span(field.key)?))).collect()
}

/// Adds the key of the gates as a whole.
pub(crate) fn within(gates: Gates, key: Option<Span>) -> Gates {
    let keys = gates.keys.into_iter().chain(key.map(|span| (Gates::MAPPING.to_owned(), span))).collect();
    Gates { keys, ..gates }
}

/// Warns of gates that can never fail.
pub(crate) fn warn_of_idle_gates(gates: &Gates, problems: &mut Diagnostics) {
    gates
        .blind()
        .into_iter()
        .chain(gates.idle_difference())
        .chain(gates.idle_undecided())
        .for_each(|warning| problems.push(warning));
}

pub(crate) fn placed_truth(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<bool>> {
    Some(Spanned::new(read::truth(node, name, problems)?, node.span))
}

/// Reads the share of cases that must pass.
pub(crate) fn pass_rate(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let otherwise = "write 0.9 to require nine of ten cases to pass";
    Some(Spanned::new(share(node, name, "a share of the cases", otherwise, problems)?, node.span))
}

/// Reads a number from 0 to 1. The help for a likely percentage is the share to write; for any other number it is
/// `otherwise`.
pub(crate) fn share(node: &Node, name: &str, label: &str, otherwise: &str, problems: &mut Diagnostics) -> Option<f64> {
    let share = read::number(node, name, problems)?;
    if (0.0..=1.0).contains(&share) {
        return Some(share);
    }
    let help = if share > 1.0 && share <= 100.0 {
        format!("write {} for {share} %", tidy(share / 100.0))
    } else {
        otherwise.to_owned()
    };
    problems.mismatch(node, format_args!("`{name}` must be from 0 to 1"), label).help(help);
    None
}
