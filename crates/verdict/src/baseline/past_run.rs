//! The results of one run, as a baseline keeps them.

use std::collections::BTreeMap;

use agentci_trace::sha256_beginning;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::aggregate::float;
use crate::{CaseEnd, CaseRow, CaseStatus, Cause, Spread};

/// A run in the history of a baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// A digest of the results and the id of the run, so that adding the same run again changes nothing.
    pub id: String,
    /// The end of the run, as ISO 8601 in UTC.
    #[serde(default)]
    pub at: String,
    /// Whether tools were replayed, recorded or live.
    pub mode: String,
    /// The share of passed cases among those that ran.
    pub pass_rate: f64,
    /// The mean and the 95th percentile of the wall time of a case, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<PastWall>,
    /// The results of each case.
    pub cases: BTreeMap<String, CaseSample>,
}

/// The wall times of a run, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PastWall {
    /// The mean over the cases.
    pub mean: f64,
    /// The 95th percentile over the cases.
    pub p95: f64,
}

/// The results of a case in one run of the suite. Numbers are medians over its attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CaseSample {
    /// The number of attempts that passed.
    pub passes: u64,
    /// The number of attempts that say something about the agent.
    pub runs: u64,
    /// The wall time in milliseconds.
    pub wall_ms: Option<f64>,
    /// Tokens in and out, as the agent reports them.
    pub tokens: Option<f64>,
    /// The cost, as the agent reports it.
    pub cost_usd: Option<f64>,
}

impl PastRun {
    /// Adds the digest of the results to the id.
    #[must_use]
    pub fn named(self, run_id: &str) -> Self {
        let results = serde_json::to_string(&(&self.at, &self.mode, &self.cases));
        let results = results.expect("numbers and strings have a form in JSON");
        Self { id: format!("{}-{run_id}", sha256_beginning(results.as_bytes(), 8)), ..self }
    }
}

impl CaseSample {
    /// The results of a case in one run. Attempts that were skipped or could not be run say nothing about the agent.
    pub fn of(row: &CaseRow) -> Self {
        let counted: Vec<&CaseEnd> = row.attempts.iter().map(|end| &**end).filter(|end| end.counts()).collect();
        let passes = counted.iter().filter(|end| end.status == CaseStatus::Pass).count();
        let median = |of: &dyn Fn(&CaseEnd) -> Option<f64>| {
            Spread::of(counted.iter().filter_map(|end| of(end))).map(|spread| spread.p50)
        };
        Self {
            passes: passes as u64,
            runs: counted.len() as u64,
            wall_ms: median(&|end| Some(float(end.wall_ms))),
            tokens: median(&|end| {
                let usage = &end.metrics.usage;
                let total = usage.tokens_in.into_iter().chain(usage.tokens_out).reduce(u64::saturating_add);
                total.map(float)
            }),
            cost_usd: median(&|end| end.metrics.usage.cost_usd),
        }
    }
}

impl CaseEnd {
    /// Whether an attempt says something about the agent: it was run, and neither the suite nor the user ended it.
    pub fn counts(&self) -> bool {
        let elsewhere = [
            Cause::Config,
            Cause::Hook,
            Cause::Embedding,
            Cause::CheckTimeout,
            Cause::Interrupted,
            Cause::NotRechecked,
        ];
        self.status != CaseStatus::Skipped && self.cause.is_none_or(|cause| !elsewhere.contains(&cause))
    }
}

/// `[passes, runs, wall_ms, tokens, cost_usd]`, without unknown numbers at the end.
impl Serialize for CaseSample {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = |number: Option<f64>| number.map_or(Value::Null, tidy);
        let mut list: Vec<Value> = vec![self.passes.into(), self.runs.into()];
        list.extend([self.wall_ms, self.tokens, self.cost_usd].map(number));
        while list.last().is_some_and(Value::is_null) {
            list.pop();
        }
        list.serialize(serializer)
    }
}

/// A number as an integer if it is one, which is shorter.
fn tidy(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small integer")]
    if number.fract() == 0.0 && (0.0..1e15).contains(&number) { (number as u64).into() } else { number.into() }
}

impl<'de> Deserialize<'de> for CaseSample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;

        let list = Vec::<Option<f64>>::deserialize(deserializer)?;
        let at = |index: usize| list.get(index).copied().flatten();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small integer")]
        let count = |index: usize, name: &str| match at(index) {
            Some(number) if number.fract() == 0.0 && (0.0..1e15).contains(&number) => Ok(number as u64),
            _ => Err(D::Error::custom(format!("the number of {name} of a case must be an integer"))),
        };
        let sample = Self {
            passes: count(0, "passes")?,
            runs: count(1, "runs")?,
            wall_ms: at(2),
            tokens: at(3),
            cost_usd: at(4),
        };
        if sample.passes > sample.runs {
            return Err(D::Error::custom(format!("{} passes in {} runs", sample.passes, sample.runs)));
        }
        Ok(sample)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn end(status: CaseStatus, cause: Option<Cause>, wall_ms: u64) -> CaseEnd {
        CaseEnd { status, cause, wall_ms, ..CaseEnd::default() }
    }

    #[test]
    fn sample_counts_only_attempts_that_concern_the_agent() {
        let ends = [
            end(CaseStatus::Pass, None, 10),
            end(CaseStatus::Fail, Some(Cause::Check), 30),
            end(CaseStatus::Error, Some(Cause::Timeout), 50),
            end(CaseStatus::Error, Some(Cause::Hook), 9000),
            end(CaseStatus::Skipped, None, 0),
        ];
        let sample = CaseSample::of(&CaseRow::new(&Arc::from("a"), ends));
        assert_eq!(sample, CaseSample { passes: 1, runs: 3, wall_ms: Some(30.0), ..CaseSample::default() });
    }

    #[test]
    fn samples_round_trip_as_short_lists() {
        let sample = CaseSample { passes: 4, runs: 5, wall_ms: Some(812.0), tokens: None, cost_usd: Some(0.0031) };
        let written = serde_json::to_value(sample).unwrap();
        assert_eq!(written, json!([4, 5, 812, null, 0.0031]));
        assert_eq!(serde_json::from_value::<CaseSample>(written).unwrap(), sample);
        let short = CaseSample { passes: 1, runs: 1, ..CaseSample::default() };
        assert_eq!(serde_json::to_value(short).unwrap(), json!([1, 1]));
    }

    #[test]
    fn refuses_samples_that_cannot_be() {
        for wrong in [json!([]), json!([1]), json!([2, 1]), json!([-1, 1]), json!([0.5, 1]), json!("1/1")] {
            assert!(serde_json::from_value::<CaseSample>(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn id_depends_on_the_results() {
        let run = |passes| {
            let sample = CaseSample { passes, runs: 1, ..CaseSample::default() };
            PastRun { cases: [("a".to_owned(), sample)].into(), ..PastRun::default() }.named("20251115-030640").id
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(0));
        assert!(run(1).ends_with("-20251115-030640") && run(1).len() == 24, "{}", run(1));
    }
}
