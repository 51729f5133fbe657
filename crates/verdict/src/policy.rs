//! What the runs of a suite are held to, and what comes of it.

use agentci_plan::Gates;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Baseline, CaseStatus, Comparison, GateStatus, Rows, Thresholds, compare};

/// What a run is to be held to, everything at hand before it begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// How far it may fall behind.
    pub thresholds: Thresholds,
    /// The same as the suite has it.
    pub written: Value,
    /// The baseline's file, as it was named.
    pub baseline_path: Option<String>,
    /// The baseline, or why there is none in that file.
    pub baseline: Option<Result<Baseline, String>>,
}

/// How a run did beside its baseline and under its gates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// The baseline's file.
    pub baseline_path: Option<String>,
    /// Why it could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// How far the run may fall behind.
    pub thresholds: Thresholds,
    /// The same as the suite has it.
    pub written: Value,
    /// Whether cases that did not pass are not held against the run, since its gates decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgiven: bool,
    /// The gates and what changed.
    pub comparison: Comparison,
}

impl Policy {
    /// What a suite's gates ask for, the baseline aside.
    pub fn new(gates: &Gates) -> Self {
        Self { thresholds: gates.into(), written: gates.written.clone(), ..Self::default() }
    }

    /// Judges a run; `whole` says that no case was left out.
    pub fn judge(&self, suite: &str, rows: &Rows, whole: bool) -> GateReport {
        let baseline = self.baseline.as_ref().and_then(|baseline| baseline.as_ref().ok());
        let comparison = compare(baseline, &Baseline::of(suite, rows), &self.thresholds, whole);
        GateReport { problem: self.problem().map(str::to_owned), ..self.report(comparison) }
    }

    /// What is said of a run that is only a part: what it will be held to.
    pub fn put_off(&self) -> GateReport {
        let warnings = vec!["gates are judged when all parts are merged".to_owned()];
        self.report(Comparison { passed: true, warnings, ..Comparison::default() })
    }

    fn report(&self, comparison: Comparison) -> GateReport {
        let (baseline_path, written) = (self.baseline_path.clone(), self.written.clone());
        GateReport { baseline_path, thresholds: self.thresholds, written, comparison, ..GateReport::default() }
    }

    /// Why the baseline can not be used.
    pub fn problem(&self) -> Option<&str> {
        self.baseline.as_ref()?.as_ref().err().map(String::as_str)
    }
}

impl GateReport {
    /// Whether the run may get through: no gate failed, and the baseline that was asked for could be used.
    pub fn passed(&self) -> bool {
        self.comparison.passed && self.problem.is_none()
    }

    /// What the run comes to whose worst case ended like this: a gate that fails is a failure, and where the gates alone decide,
    /// a run that got through all that were looked at has passed. `sound` says that no case was left waiting, and that what
    /// did not pass was run.
    pub fn decide(&mut self, worst: CaseStatus, sound: bool) -> CaseStatus {
        if !self.passed() {
            return worst.max(CaseStatus::Fail);
        }
        let checks = &self.comparison.checks;
        // A part of a run has none: all parts are judged together.
        if !self.thresholds.decide || worst < CaseStatus::Fail || checks.is_empty() {
            return worst;
        }
        let judged = checks.iter().any(|check| check.status == GateStatus::Pass && check.id.looks_at_outcomes());
        self.forgiven = judged && sound;
        let warning = match (judged, sound) {
            (true, true) => "cases that did not pass are not held against the run: its gates decide, and none failed",
            (_, false) => "the gates do not decide: a case could not be run, or recordings were made",
            (false, _) => "the gates can not decide: none of those that look at whether cases pass could be judged",
        };
        self.comparison.warnings.push(warning.to_owned());
        if self.forgiven { CaseStatus::Pass } else { worst }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::samples::{case, run};
    use crate::{Gate, GateCheck};

    fn report(thresholds: Thresholds) -> GateReport {
        let current = run([case("a", CaseStatus::Pass, &[]), case("b", CaseStatus::Fail, &[])]);
        let comparison = compare(None, &current, &thresholds, true);
        GateReport { thresholds, comparison, ..GateReport::default() }
    }

    #[test]
    fn only_gates_that_were_asked_to_and_could_be_judged_decide() {
        let half = Thresholds { min_pass_rate: Some(0.5), ..Thresholds::default() };
        let most = Thresholds { min_pass_rate: Some(0.9), ..half };
        let deciding = |thresholds| Thresholds { decide: true, ..thresholds };
        let blind = Thresholds { no_new_failures: true, ..Thresholds::default() };
        let decided = |thresholds, worst, complete| report(thresholds).decide(worst, complete);
        assert_eq!(decided(half, CaseStatus::Fail, true), CaseStatus::Fail);
        assert_eq!(decided(deciding(half), CaseStatus::Error, true), CaseStatus::Pass);
        assert_eq!(decided(deciding(half), CaseStatus::Fail, false), CaseStatus::Fail);
        assert_eq!(decided(deciding(half), CaseStatus::Skipped, true), CaseStatus::Skipped);
        assert_eq!(decided(deciding(most), CaseStatus::Fail, true), CaseStatus::Fail);
        assert_eq!(decided(most, CaseStatus::Pass, true), CaseStatus::Fail);
        assert_eq!(decided(deciding(blind), CaseStatus::Fail, true), CaseStatus::Fail);
        let elsewhere = GateCheck::judged(Gate::NoMissingCases, Some(0.0), GateStatus::Pass);
        let mut seen = report(deciding(blind));
        seen.comparison.checks.push(elsewhere);
        assert_eq!(seen.decide(CaseStatus::Fail, true), CaseStatus::Fail);
        let mut report = report(deciding(half));
        report.decide(CaseStatus::Fail, true);
        assert!(report.forgiven && report.comparison.warnings.len() == 1, "{report:?}");
    }
}
