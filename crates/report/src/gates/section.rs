//! The part of the console report about the run as a whole.

use std::fmt::Write as _;

use agentci_verdict::{GateCheck, GateReport, GateStatus};

use super::words;
use crate::{Paint, Tone, one_line};

/// How many changes of one kind are shown.
const SHOWN: usize = 20;

/// A line a gate, then what changed since the baseline.
pub(crate) fn section(report: &GateReport, paint: Paint) -> String {
    let mut text = String::new();
    let path = report.baseline_path.as_deref().unwrap_or_default();
    if let Some(problem) = &report.problem {
        line(&mut text, &paint.apply(Tone::Fail, "GATE FAIL"), "baseline", &words::baseline_problem(path, problem));
    }
    for check in asked(&report.comparison.checks) {
        line(&mut text, &paint.apply(tone(check.status), head(check.status)), check.id.name(), &words::gate(check));
    }
    if report.baseline_path.is_some() && report.problem.is_none() {
        text += &changed(report, path);
    }
    for warning in &report.comparison.warnings {
        let _ = writeln!(text, "{}: {}", paint.apply(Tone::Warning, "warning"), one_line(warning));
    }
    text
}

fn line(text: &mut String, head: &str, name: &str, said: &str) {
    let _ = writeln!(text, "{head} {name}: {}", one_line(said));
}

fn changed(report: &GateReport, path: &str) -> String {
    let changes = words::changes(&report.comparison.case_diffs, SHOWN);
    if changes.is_empty() {
        return format!("no case changed since {}\n", one_line(path));
    }
    let mut text = format!("changed since {}:\n", one_line(path));
    for change in changes {
        let _ = writeln!(text, "  {}", one_line(&change));
    }
    text
}

/// The gates that a suite asks for.
pub(super) fn asked(checks: &[GateCheck]) -> impl Iterator<Item = &GateCheck> {
    checks.iter().filter(|check| check.threshold.is_some())
}

pub(super) fn tone(status: GateStatus) -> Tone {
    match status {
        GateStatus::Pass => Tone::Pass,
        GateStatus::Fail => Tone::Fail,
        GateStatus::Skipped => Tone::Skip,
    }
}

fn head(status: GateStatus) -> &'static str {
    match status {
        GateStatus::Pass => "GATE PASS",
        GateStatus::Fail => "GATE FAIL",
        GateStatus::Skipped => "GATE SKIP",
    }
}
