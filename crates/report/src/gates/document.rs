//! A comparison for programs, as it stands in `summary.json`.

use agentci_verdict::GateReport;
use serde_json::{Value, json};

/// What the run was held to, so that it can be held to it again: the thresholds as fractions, and the suite's own words.
pub(crate) fn policy_snapshot(report: &GateReport) -> Value {
    json!({ "thresholds": report.thresholds, "regression": report.written })
}

/// What came of it.
pub fn regression(report: &GateReport) -> Value {
    let comparison = &report.comparison;
    let mut document = json!({
        "baseline_path": report.baseline_path,
        "passed": report.passed(),
        "checks": comparison.checks,
        "metrics": comparison.metrics,
        "case_diffs": comparison.case_diffs,
        "warnings": comparison.warnings,
    });
    if let Some(problem) = &report.problem {
        document["problem"] = json!(problem);
    }
    document
}
