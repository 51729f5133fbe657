//! The section of the console report about the run as a whole.

use std::fmt::Write as _;

use agentci_verdict::{GateCheck, GateReport, GateStatus};

use crate::overall::changed;
use crate::{Paint, Tone, gate_lines, one_line};

/// All configured gates, the changes since the baseline, and warnings.
pub(crate) fn section(report: &GateReport, paint: Paint) -> String {
    let mut text = String::new();
    for line in gate_lines(report) {
        let (tone, word) = sign(line.status);
        let head = paint.apply(tone, &format!("GATE {word}"));
        let _ = writeln!(text, "{head} {}: {}", line.name, one_line(&line.sentence));
    }
    if let Some(changes) = changed(report) {
        let path = one_line(report.baseline_path.as_deref().expect("only a baseline has changes"));
        let _ = if changes.is_empty() {
            writeln!(text, "no case changed since {path}")
        } else {
            writeln!(text, "changed since {path}:")
        };
        for change in changes {
            let _ = writeln!(text, "  {}", one_line(&change));
        }
    }
    for warning in &report.comparison.warnings {
        let _ = writeln!(text, "{}: {}", paint.apply(Tone::Warning, "warning"), one_line(warning));
    }
    text
}

/// The configured gates.
pub(crate) fn asked(checks: &[GateCheck]) -> impl Iterator<Item = &GateCheck> {
    checks.iter().filter(|check| check.threshold.is_some())
}

/// The result of a gate, as shown on a terminal.
pub(super) fn sign(status: GateStatus) -> (Tone, &'static str) {
    match status {
        GateStatus::Pass => (Tone::Pass, "PASS"),
        GateStatus::Fail => (Tone::Fail, "FAIL"),
        GateStatus::Undecided => (Tone::Warning, "UNDECIDED"),
        GateStatus::Skipped => (Tone::Skip, "SKIP"),
    }
}
