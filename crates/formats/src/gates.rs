//! What the gates of two dialects have in common: their keys, and how they are read.

use agentci_plan::Gates;
use agentci_source::shape::{Field, Kind, optional};
use agentci_source::{Diagnostics, Node, Reader, Spanned, read};

use crate::quantity::{milliseconds, tidy};

/// The keys that both dialects have.
pub(crate) static SHARED_GATES: &[Field] = &[
    optional(
        "min_wall_ms_delta",
        Kind::Number,
        "How many milliseconds longer cases must take to fail one of these two; 50 by default.",
    ),
    optional("no_new_failures", Kind::Truth, "Whether a case that fails must have failed before."),
    optional("no_missing_cases", Kind::Truth, "Whether a case that was there before must be there."),
    optional("no_changed_steps", Kind::Truth, "Whether a case must call the tools that it called before."),
    optional(
        "no_changed_prompts",
        Kind::Truth,
        "Whether models must be asked with the same system prompts, tools and parameters as before.",
    ),
    optional("decide", Kind::Truth, "Whether the gates alone decide the exit code, whatever cases failed."),
];

/// Takes the keys that both dialects have.
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

/// Warns of gates that can never fail.
pub(crate) fn warn_of_idle_gates(gates: &Gates, problems: &mut Diagnostics) {
    gates.blind().into_iter().chain(gates.idle_difference()).for_each(|warning| problems.push(warning));
}

/// A truth value with its place.
pub(crate) fn placed_truth(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<bool>> {
    Some(Spanned::new(read::truth(node, name, problems)?, node.span))
}

/// The share of cases that must pass.
pub(crate) fn pass_rate(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let otherwise = "write 0.9 if nine of ten cases must pass";
    Some(Spanned::new(share(node, name, "a share of the cases", otherwise, problems)?, node.span))
}

/// A number from 0 to 1. For one that looks like a percentage there is the share to write, for any other `otherwise`.
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
