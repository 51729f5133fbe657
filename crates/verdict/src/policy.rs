//! Evaluates the gates of a suite.

use std::collections::BTreeMap;

use agentci_plan::Gates;
use agentci_source::{Place, Sources};
use agentci_text::count_of;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Baseline, CaseStatus, Comparison, GateStatus, Rows, Thresholds, Undecided, compare};

const DO_NOT_DECIDE: &str = "the gates do not decide: a case could not be run, or recordings were made";
const CANNOT_DECIDE: &str = "the gates cannot decide: none of the gates on passing cases could be evaluated";

/// The gates of a run, complete before it starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// The thresholds of the gates.
    pub thresholds: Thresholds,
    /// The gates as written in the suite.
    pub written: Value,
    /// Where the suite sets them: each key under the name of its gate or `baseline`, all of them under `gates`.
    pub places: BTreeMap<String, Place>,
    /// The path of the baseline file, as specified.
    pub baseline_path: Option<String>,
    /// The baseline, or why the file cannot be used.
    pub baseline: Option<Result<Baseline, String>>,
}

/// The result of a run's gates and of the comparison with its baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// The path of the baseline file.
    pub baseline_path: Option<String>,
    /// Why the baseline could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The thresholds of the gates.
    pub thresholds: Thresholds,
    /// The gates as written in the suite.
    pub written: Value,
    /// Where the suite sets them: each key under the name of its gate or `baseline`, all of them under `gates`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, Place>,
    /// Whether cases that did not pass do not fail the run, because its gates decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgiven: bool,
    /// Whether cases of a shard did not pass, and the gates decide about them when all shards are merged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// The gates and the changes since the baseline.
    pub comparison: Comparison,
}

impl Policy {
    /// The policy of a suite's gates, without a baseline.
    pub fn new(gates: &Gates, sources: &Sources) -> Self {
        let places = gates.keys.iter().map(|(name, span)| (name.clone(), sources.place(*span))).collect();
        Self { thresholds: gates.into(), written: gates.written.clone(), places, ..Self::default() }
    }

    /// Evaluates a run; `whole` means that no case was left out.
    pub fn judge(&self, suite: &str, mode: &str, rows: &Rows, whole: bool) -> GateReport {
        let baseline = self.baseline.as_ref().and_then(|baseline| baseline.as_ref().ok());
        let comparison = compare(baseline, &Baseline::of(suite, mode, rows), &self.thresholds, whole);
        GateReport { problem: self.problem().map(str::to_owned), ..self.report(comparison) }
    }

    /// The report of a single shard, whose gates are evaluated after the merge. If the gates alone decide, they also
    /// decide about the cases of the shard that did not pass; `sound` is as in [`GateReport::decide`].
    pub fn put_off(&self, rows: &Rows, sound: bool) -> GateReport {
        let failed = rows.iter().filter(|row| row.status() >= CaseStatus::Fail).count();
        let left = failed > 0 && self.thresholds.decide;
        let pending = left && sound && self.can_decide();
        let mut warnings = vec!["gates are evaluated when all shards are merged".to_owned()];
        if pending {
            let cases = count_of(failed, "case");
            warnings.push(format!(
                "the verdict is pending: {cases} of this shard did not pass, and `agentci merge` decides; nothing is \
                 decided before it has run"
            ));
        } else if left {
            warnings.push(if sound { CANNOT_DECIDE } else { DO_NOT_DECIDE }.to_owned());
        }
        GateReport { pending, ..self.report(Comparison { passed: true, warnings, ..Comparison::default() }) }
    }

    /// Whether a gate on passing cases can be evaluated.
    fn can_decide(&self) -> bool {
        let Thresholds { no_new_failures, no_regression, .. } = self.thresholds;
        let compared = (no_new_failures || no_regression.is_some()) && matches!(self.baseline, Some(Ok(_)));
        self.problem().is_none() && (self.thresholds.min_pass_rate.is_some() || compared)
    }

    fn report(&self, comparison: Comparison) -> GateReport {
        GateReport {
            baseline_path: self.baseline_path.clone(),
            thresholds: self.thresholds,
            written: self.written.clone(),
            places: self.places.clone(),
            comparison,
            ..GateReport::default()
        }
    }

    /// Why the baseline cannot be used.
    pub fn problem(&self) -> Option<&str> {
        self.baseline.as_ref()?.as_ref().err().map(String::as_str)
    }
}

impl GateReport {
    /// Whether no gate failed and the baseline, if one is set, could be used.
    pub fn passed(&self) -> bool {
        self.comparison.passed && self.problem.is_none()
    }

    /// Where the suite sets a gate or its baseline, or else where its gates begin.
    pub fn place(&self, name: &str) -> Option<&Place> {
        self.places.get(name).or_else(|| self.places.get(Gates::MAPPING))
    }

    /// The status of a run, given the status of its worst case: a failed gate fails the run; if the gates alone decide,
    /// a run passes if none of the evaluated gates failed. `sound` means that all cases were run, including those that
    /// did not pass.
    pub fn decide(&mut self, worst: CaseStatus, sound: bool) -> CaseStatus {
        if !self.passed() {
            return worst.max(CaseStatus::Fail);
        }
        if self.pending {
            return CaseStatus::Pass;
        }
        let checks = &self.comparison.checks;
        // A single shard has none: shards are judged together.
        if !self.thresholds.decide || worst < CaseStatus::Fail || checks.is_empty() {
            return worst;
        }
        // Only a suite that accepts it on purpose is green without enough runs.
        let accepts_undecided = self.thresholds.undecided == Some(Undecided::Pass);
        let on_outcomes = || checks.iter().filter(|check| check.id.looks_at_outcomes()).map(|check| check.status);
        let open = on_outcomes().any(|status| status == GateStatus::Undecided) && !accepts_undecided;
        let judged = !open && on_outcomes().any(|status| matches!(status, GateStatus::Pass | GateStatus::Undecided));
        self.forgiven = judged && sound;
        let warning = match (judged, sound) {
            _ if open => "the gates do not decide: there are not enough runs to tell whether cases got worse",
            (true, true) => "cases that did not pass do not fail the run: its gates decide, and none failed",
            (_, false) => DO_NOT_DECIDE,
            (false, _) => CANNOT_DECIDE,
        };
        self.comparison.warnings.push(warning.to_owned());
        if self.forgiven { CaseStatus::Pass } else { worst }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::samples::{case, run};
    use crate::{Body, CaseEnd, Gate, GateCheck, RunEvent};

    fn report(thresholds: Thresholds) -> GateReport {
        let current = run([case("a", CaseStatus::Pass, &[]), case("b", CaseStatus::Fail, &[])]);
        let comparison = compare(None, &current, &thresholds, true);
        GateReport { thresholds, comparison, ..GateReport::default() }
    }

    #[test]
    fn only_deciding_gates_with_a_result_override_status() {
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

    #[test]
    fn shard_leaves_verdict_to_merge_only_if_its_gates_can_decide() {
        let row = |index: usize, status| {
            let end = CaseEnd { index, runs: 1, status, passed: status == CaseStatus::Pass, ..CaseEnd::default() };
            RunEvent {
                suite: "s".into(),
                case_id: Some(index.to_string().into()),
                attempt: Some(1),
                timestamp: 1,
                body: Body::CaseEnd(end.into()),
            }
        };
        let rows = |statuses: &[CaseStatus]| {
            let mut rows = Rows::default();
            for (at, status) in statuses.iter().enumerate() {
                rows.add(&row(at, *status));
            }
            rows
        };
        let half = Thresholds { min_pass_rate: Some(0.5), decide: true, ..Thresholds::default() };
        let strict = Thresholds { no_new_failures: true, decide: true, ..Thresholds::default() };
        let ended = |thresholds, baseline, statuses: &[CaseStatus], sound| {
            let policy = Policy { thresholds, baseline, ..Policy::default() };
            let worst = *statuses.iter().max().unwrap();
            let mut report = policy.put_off(&rows(statuses), sound);
            let status = report.decide(worst, sound);
            (status, report.pending, report.comparison.warnings.get(1).cloned().unwrap_or_default())
        };
        let mixed = [CaseStatus::Pass, CaseStatus::Fail, CaseStatus::Error];
        let (status, pending, warning) = ended(half, None, &mixed, true);
        assert_eq!((status, pending), (CaseStatus::Pass, true));
        assert!(warning.starts_with("the verdict is pending: 2 cases of this shard did not pass"), "{warning}");
        let red = |ended: (CaseStatus, bool, String), why: &str| {
            assert_eq!((ended.0, ended.1, &*ended.2), (CaseStatus::Error, false, why));
        };
        red(ended(half, None, &mixed, false), DO_NOT_DECIDE);
        red(ended(Thresholds { decide: false, ..half }, None, &mixed, true), "");
        red(ended(Thresholds { min_pass_rate: None, ..half }, None, &mixed, true), CANNOT_DECIDE);
        red(ended(strict, None, &mixed, true), CANNOT_DECIDE);
        red(ended(Thresholds { no_new_failures: true, ..half }, Some(Err("gone".into())), &mixed, true), CANNOT_DECIDE);
        assert!(ended(strict, Some(Ok(run([]))), &mixed, true).1);
        // Nothing is pending if nothing failed.
        let passed = ended(half, None, &[CaseStatus::Pass, CaseStatus::Skipped], true);
        assert_eq!(passed, (CaseStatus::Skipped, false, String::new()));
    }
}
