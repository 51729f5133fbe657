//! What the runs of a suite are held to, and what comes of it.

use agentci_plan::Gates;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Baseline, Comparison, Rows, Thresholds, compare};

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
        GateReport {
            baseline_path: self.baseline_path.clone(),
            problem: self.problem().map(str::to_owned),
            thresholds: self.thresholds,
            written: self.written.clone(),
            comparison: compare(baseline, &Baseline::of(suite, rows), &self.thresholds, whole),
        }
    }

    /// What is said of a run that is only a part: what it will be held to.
    pub fn put_off(&self) -> GateReport {
        let warnings = vec!["gates are judged when all parts are merged".to_owned()];
        GateReport {
            baseline_path: self.baseline_path.clone(),
            problem: None,
            thresholds: self.thresholds,
            written: self.written.clone(),
            comparison: Comparison { passed: true, warnings, ..Comparison::default() },
        }
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
}
