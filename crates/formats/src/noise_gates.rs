//! The gates that know noise, which the `native` and `runledger` dialects share.

use agentci_plan::{Gates, GrowthGate};
use agentci_source::shape::{Field, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Reader, Spanned, read};

/// The accepted share of false alarms by default.
const ALPHA: f64 = 0.05;

/// The smallest growth of a time or a cost that matters by default.
const MIN_EFFECT: f64 = 0.1;

/// A percentage with its sign.
const PERCENTAGE: &str = "^[0-9]{1,4}([.][0-9]{1,9})?%$";

static NO_REGRESSION: Shape = Shape::new("`no_regression`", "How sure the gate must be.", &[ALPHA_FIELD]);

static GROWTH: Shape = Shape::new(
    "the gate",
    "How sure the gate must be, and which growth matters.",
    &[
        ALPHA_FIELD,
        optional("min_effect", Kind::Like(PERCENTAGE), "The smallest growth that can fail the gate. Default: 10%."),
    ],
);

const ALPHA_FIELD: Field =
    optional("alpha", Kind::Range(0.001, 0.5), "The accepted share of false alarms. Default: 0.05.");

/// The keys of both dialects.
pub(crate) static NOISE_GATES: &[Field] = &[
    optional(
        "no_regression",
        Kind::Either(&[Kind::Truth, Kind::Shape(&NO_REGRESSION)]),
        "Whether no case may pass less often than in the history of the baseline, by more than chance explains.",
    ),
    optional(
        "no_slower",
        Kind::Either(&[Kind::Truth, Kind::Shape(&GROWTH)]),
        "Whether cases may not take longer than in the history of the baseline, by more than chance explains.",
    ),
    optional(
        "no_costlier",
        Kind::Either(&[Kind::Truth, Kind::Shape(&GROWTH)]),
        "Whether cases may not cost more than in the history of the baseline, by more than chance explains.",
    ),
    optional(
        "undecided",
        Kind::Choice(&["pass", "fail"]),
        "What these gates do if there are too few runs to tell. Default: pass, but they do not forgive failed cases.",
    ),
];

/// Reads the keys of both dialects.
pub(crate) fn noise_gates(fields: &mut Reader<'_, '_>, gates: Gates) -> Gates {
    Gates {
        no_regression: fields.optional("no_regression", regression),
        no_slower: fields.optional("no_slower", growth),
        no_costlier: fields.optional("no_costlier", growth),
        undecided_fails: fields.optional("undecided", |node, name, problems| {
            let fails = read::choice(node, name, &[("pass", false), ("fail", true)], problems)?;
            Some(Spanned::new(fails, node.span))
        }),
        ..gates
    }
}

fn regression(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    if node.pairs().is_none() {
        return read::truth(node, name, problems)?.then(|| Spanned::new(ALPHA, node.span));
    }
    NO_REGRESSION
        .read(node, problems, |fields| Some(Spanned::new(fields.optional("alpha", alpha).unwrap_or(ALPHA), node.span)))
}

fn growth(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<GrowthGate>> {
    if node.pairs().is_none() {
        let gate = GrowthGate { alpha: ALPHA, min_effect: MIN_EFFECT };
        return read::truth(node, name, problems)?.then(|| Spanned::new(gate, node.span));
    }
    GROWTH.read(node, problems, |fields| {
        let gate = GrowthGate {
            alpha: fields.optional("alpha", alpha).unwrap_or(ALPHA),
            min_effect: fields.optional("min_effect", percentage).unwrap_or(MIN_EFFECT),
        };
        Some(Spanned::new(gate, node.span))
    })
}

fn alpha(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let alpha = read::number(node, name, problems)?;
    if (0.001..=0.5).contains(&alpha) {
        return Some(alpha);
    }
    let message = format_args!("`{name}` must be from 0.001 to 0.5");
    problems.mismatch(node, message, "a share of false alarms").help("write 0.05 for one false alarm in 20 runs");
    None
}

/// Reads a percentage with its sign as a fraction.
fn percentage(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let text = node.scalar().map(|scalar| &*scalar.text).unwrap_or_default();
    let (digits, fraction) =
        text.strip_suffix('%').map_or(("", ""), |number| number.split_once('.').unwrap_or((number, "0")));
    let is_number =
        |text: &str, most: usize| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let percent = text.strip_suffix('%').filter(|_| is_number(digits, 4) && is_number(fraction, 9));
    let percent: Option<f64> = percent.and_then(|number| number.parse().ok());
    if percent.is_none() {
        let message = format_args!("`{name}` must be a percentage");
        problems.mismatch(node, message, "not a percentage").help("write `10%`");
    }
    percent.map(|percent| percent / 100.0)
}
