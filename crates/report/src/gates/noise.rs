//! Describes what a gate that knows noise found.

use std::fmt::Write as _;

use agentci_verdict::{CaseHistory, CaseTrend, Gate, NoiseReport, Trend};

use crate::rounding::percent;
use crate::{count_of, duration_of, first_of};

/// The maximum number of cases that a sentence describes.
const DESCRIBED: usize = 3;

/// The result of a gate: `1 case got worse: checkout passes 1 of 5 runs, 50 of 50 before`.
pub(super) fn sentence(gate: Gate, report: &NoiseReport) -> String {
    let counts = gate == Gate::NoRegression;
    let mut parts = Vec::new();
    match report.trend {
        Trend::Regressed => {
            let worse: Vec<&CaseTrend> = of(report, Trend::Regressed).collect();
            if !worse.is_empty() {
                let verb = if counts { "got worse" } else { grew(gate) };
                parts.push(format!("{} {verb}: {}", count_of(worse.len(), "case"), described(gate, &worse)));
            }
            if report.suite_regressed {
                parts.push(suite(gate, report));
            }
        }
        Trend::Undecided => {
            let open: Vec<&CaseTrend> = of(report, Trend::Undecided).collect();
            let which = if open.is_empty() { String::new() } else { format!(": {}", described(gate, &open)) };
            parts.push(format!("not enough runs to tell{which}"));
            let of = if report.until_decided { "of these cases" } else { "of each case" };
            parts.extend(report.runs_to_decide.map(|runs| format!("{runs} runs {of} would decide")));
        }
        Trend::NotRegressed if counts => parts.push("no case passes less often than before".to_owned()),
        Trend::NotRegressed => parts.push(format!("no case {} by more than chance explains", grew(gate))),
    }
    parts.extend(detectable(report));
    parts.join("; ")
}

fn of(report: &NoiseReport, trend: Trend) -> impl Iterator<Item = &CaseTrend> {
    report.cases.iter().filter(move |case| case.trend == trend)
}

fn grew(gate: Gate) -> &'static str {
    if gate == Gate::NoSlower { "got slower" } else { "got more expensive" }
}

/// The suite as a whole, which may have got worse although no single case clearly did.
fn suite(gate: Gate, report: &NoiseReport) -> String {
    let p = report.suite_p.map(|p| format!(" (p {})", probability(p))).unwrap_or_default();
    let what = if gate == Gate::NoRegression { "got worse" } else { grew(gate) };
    let growth = report.growth.map(|growth| format!(" by {}", percent(growth))).unwrap_or_default();
    format!("the suite as a whole {what}{growth}{p}")
}

/// The smallest drop that these runs would have shown.
fn detectable(report: &NoiseReport) -> Option<String> {
    let rate = report.detectable_rate?;
    let most = if report.until_decided { "up to " } else { "" };
    Some(format!(
        "with {most}{}, a pass rate of {} or less would be noticed in any case",
        count_of_runs(report.runs),
        percent(rate)
    ))
}

fn count_of_runs(runs: u64) -> String {
    count_of(usize::try_from(runs).unwrap_or(usize::MAX), "run")
}

fn described(gate: Gate, cases: &[&CaseTrend]) -> String {
    let mut text = cases.iter().take(DESCRIBED).map(|case| one(gate, case)).collect::<Vec<_>>().join(", ");
    if cases.len() > DESCRIBED {
        let rest: Vec<String> = cases[DESCRIBED..].iter().map(|case| case.id.clone()).collect();
        let _ = write!(text, ", also {}", first_of(&rest, 10));
    }
    text
}

fn one(gate: Gate, case: &CaseTrend) -> String {
    let CaseTrend { id, history, current, before, now, .. } = case;
    let shown = |number: f64| match gate {
        Gate::NoSlower => duration_of(number),
        _ => format!("{number}"),
    };
    match (before, now) {
        (Some(before), Some(now)) => format!("{id} {} -> {}", shown(*before), shown(*now)),
        _ if history.runs == 0 => format!("{id} is new and passes {}", passes(*current)),
        _ => {
            let evidence = case.e_value.filter(|_| case.trend == Trend::Regressed);
            let evidence = evidence.map(|e| format!(" (e-value {})", e_value(e))).unwrap_or_default();
            format!("{id} passes {}, {} before{evidence}", passes(*current), passes(*history))
        }
    }
}

fn passes(counts: CaseHistory) -> String {
    format!("{} of {}", counts.passes, count_of_runs(counts.runs))
}

/// An e-value without needless digits.
fn e_value(e: f64) -> String {
    if e < 1e6 { format!("{e:.0}") } else { "> 1000000".to_owned() }
}

/// A probability with two significant digits.
fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
