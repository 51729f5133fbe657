//! Reads `runs`: a number of runs, or how a case is repeated until it is decided.

use std::sync::Arc;

use agentci_plan::{Cases, Gates, MOST_REPEATS, MOST_RUNS, RepeatBudget, Repeats};
use agentci_source::shape::{Field, Kind, Shape, optional, required};
use agentci_source::{Diagnostic, Diagnostics, Node, Reader, read};

/// The number of runs of a case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunSetting {
    /// The number, or the maximum.
    pub(super) most: u32,
    /// Set if the case is repeated until it is decided.
    pub(super) repeats: Option<Arc<Repeats>>,
}

pub(super) static REPEATS: Shape = Shape::new(
    "`runs`",
    "How a case is repeated until it is decided whether it got worse.",
    &[
        required("until", Kind::Choice(&["decided"]), "When to stop: once the gate `no_regression` can tell."),
        optional("min", Kind::Whole(1, MOST_REPEATS as i64), "Minimum number of runs. Default: 1."),
        optional("max", Kind::Whole(1, MOST_REPEATS as i64), "Maximum number of runs. Default: 20."),
        optional("total", Kind::Shape(&TOTAL), "Budget of all cases of the suite together; only for the suite."),
    ],
)
.with(&[BUDGET]);

static TOTAL: Shape = Shape::new("`total`", "Budget of all cases of the suite together.", &[]).with(&[BUDGET]);

const BUDGET: &[Field] = &[
    optional(
        "max_cost_usd",
        Kind::Positive,
        "Cost in US dollars, as agents report it, from which no case is repeated. The minimum is always run.",
    ),
    optional("max_wall", Kind::Duration, "Time from which no case is repeated. The minimum is always run."),
];

/// Reads the key of a suite or a case.
pub(super) fn runs(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<RunSetting> {
    if node.pairs().is_none() {
        let most = count(node, name, MOST_RUNS, problems)?;
        return Some(RunSetting { most, repeats: None });
    }
    REPEATS.read(node, problems, |fields| {
        let until =
            fields.required("until", |node, name, problems| read::choice(node, name, &[("decided", ())], problems));
        let number = |node: &Node, name: &str, problems: &mut Diagnostics| count(node, name, MOST_REPEATS, problems);
        let min = fields.optional("min", number).unwrap_or(1);
        let most = fields.optional("max", number).unwrap_or(Repeats::MAX.max(min));
        let budget = budget(fields);
        let total = fields.or_default("total", |node, problems| {
            TOTAL.read(node, problems, |fields| Some(self::budget(fields))).unwrap_or_default()
        });
        until?;
        if min > most {
            let message = format!("`min` is {min}, more than `max`, which is {most}");
            fields.problems.error(node.span, message, "no number of runs fits").help("raise `max`, or lower `min`");
            return None;
        }
        Some(RunSetting { most, repeats: Some(Arc::new(Repeats { min, budget, total, span: Some(node.span) })) })
    })
}

fn count(node: &Node, name: &str, most: u32, problems: &mut Diagnostics) -> Option<u32> {
    let runs = read::count(node, name, 1, problems)?;
    if runs > most {
        let message = format!("`{name}` must be {most} or less, found {runs}");
        let help = "run the suite several times, and compare the runs with a baseline";
        problems.error(node.span, message, format!("at most {most}")).help(help);
        return None;
    }
    Some(runs)
}

fn budget(fields: &mut Reader<'_, '_>) -> RepeatBudget {
    RepeatBudget {
        cost_usd: fields.optional("max_cost_usd", positive),
        wall: fields.optional("max_wall", read::duration),
    }
}

fn positive(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let number = read::number(node, name, problems)?;
    if number > 0.0 {
        return Some(number);
    }
    problems.error(node.span, format!("`{name}` must be greater than 0"), "an amount in US dollars");
    None
}

/// The budget for all cases belongs to the suite: rejects it, with `None`, in a case.
pub(super) fn refuse_total(own: Option<&RunSetting>, problems: &mut Diagnostics) -> Option<()> {
    let repeats = own.and_then(|runs| runs.repeats.as_ref()).filter(|repeats| repeats.total != RepeatBudget::default());
    let Some(span) = repeats.and_then(|repeats| repeats.span) else { return Some(()) };
    problems
        .error(span, "`total` is the budget of all cases and cannot be set for one", "the `runs` of a case")
        .help("move it to `runs` of the suite");
    None
}

/// The runs of a case: its own, or those of the suite, with the budget of the suite.
pub(super) fn runs_of_case(own: Option<RunSetting>, common: Option<&RunSetting>) -> RunSetting {
    let total = common.and_then(|common| common.repeats.as_ref()).map(|repeats| repeats.total);
    match (own, common) {
        (Some(RunSetting { most, repeats: Some(repeats) }), _) => {
            let repeats = Repeats { total: total.unwrap_or_default(), ..Repeats::clone(&repeats) };
            RunSetting { most, repeats: Some(Arc::new(repeats)) }
        }
        (Some(own), _) => own,
        (None, Some(common)) => common.clone(),
        (None, None) => RunSetting { most: 1, repeats: None },
    }
}

/// The error for a suite that repeats cases until a gate can tell, but does not set the gate.
pub(super) fn without_gate(cases: &Cases, gates: &Gates) -> Option<Diagnostic> {
    let span = cases.iter().find_map(|case| case.repeats.as_ref()?.span).filter(|_| gates.no_regression.is_none())?;
    Some(
        Diagnostic::error(span, "`until: decided` needs the gate `no_regression`, which decides")
            .label("nothing would decide")
            .help("add `gates: { baseline: baseline.json, no_regression: true }`"),
    )
}
