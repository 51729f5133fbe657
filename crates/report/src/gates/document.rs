//! The comparison in `summary.json`.

use agentci_verdict::GateReport;
use serde_json::{Value, json};

/// The policy of the run, so that it can be evaluated again: the thresholds as fractions, and the gates as written in
/// the suite.
pub(crate) fn policy_snapshot(report: &GateReport) -> Value {
    json!({ "thresholds": report.thresholds, "regression": report.written })
}

/// The result of the gates.
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
    if report.pending {
        document["pending"] = json!(true);
    }
    if let Some(problem) = &report.problem {
        document["problem"] = json!(problem);
    }
    document
}
