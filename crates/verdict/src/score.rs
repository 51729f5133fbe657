//! Partial scores, which functions of a suite give.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{CaseRow, Distribution, Spread};

/// The tolerance below the threshold: sums of weights such as 0.1 are not exact.
const TOLERANCE: f64 = 1e-9;

/// The score that a check gave the output of an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckScore {
    /// The file and the function that gave the score, as in the suite: `checks.py:polite`.
    pub check: Box<str>,
    /// The score, from 0 to 1.
    pub score: f64,
    /// The minimum score, if the check has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

/// The scores that a check gave in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreSummary {
    /// The file and the function that gave the scores.
    pub check: Box<str>,
    /// The mean over the cases with a score.
    pub mean: f64,
    /// The lowest score of a case.
    pub min: f64,
    /// The number of cases with a score.
    pub cases: usize,
}

impl CheckScore {
    /// Whether a score passes.
    pub fn passes(score: f64, threshold: f64) -> bool {
        score + TOLERANCE >= threshold
    }

    /// A score as it is shown: with four decimals, unless it would then seem to reach a threshold that it does not.
    pub fn shown(score: f64, threshold: Option<f64>) -> f64 {
        let rounded = (score * 10_000.0).round() / 10_000.0;
        let misleads = threshold.is_some_and(|least| Self::passes(rounded, least) != Self::passes(score, least));
        if misleads { score } else { rounded }
    }

    /// The scores of a case by check, each the mean over its turns and runs. Runs without a score do not count.
    pub fn of_case(row: &CaseRow) -> Vec<Self> {
        let mut given: BTreeMap<&str, Vec<&Self>> = BTreeMap::new();
        for score in row.attempts.iter().flat_map(|end| &end.scores) {
            given.entry(&score.check).or_default().push(score);
        }
        let mean = |(check, scores): (&str, Vec<&Self>)| {
            let score = Spread::of(scores.iter().map(|one| one.score))?.mean;
            Some(Self { check: check.into(), score, threshold: scores[0].threshold })
        };
        given.into_iter().filter_map(mean).collect()
    }
}

/// The scores of a run by check, while cases are added one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoreTally(BTreeMap<Box<str>, Distribution>);

impl ScoreTally {
    /// Adds the scores of a case.
    pub fn add(&mut self, row: &CaseRow) {
        // Most cases have none.
        if row.attempts.iter().all(|end| end.scores.is_empty()) {
            return;
        }
        for CheckScore { check, score, .. } in CheckScore::of_case(row) {
            self.0.entry(check).or_default().add(score);
        }
    }

    /// The scores, one entry per check.
    pub fn summaries(&self) -> Vec<ScoreSummary> {
        let summary = |(check, scores)| {
            let scores: &Distribution = scores;
            let Spread { min, mean, .. } = scores.spread()?;
            let cases = usize::try_from(scores.count()).unwrap_or(usize::MAX);
            Some(ScoreSummary { check: Box::clone(check), mean, min, cases })
        };
        self.0.iter().filter_map(summary).collect()
    }
}

/// `score 0.75 (threshold 0.8, checks.py:polite)`
impl fmt::Display for CheckScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { check, score, threshold } = self;
        let shown = Self::shown(*score, *threshold);
        let threshold = threshold.map(|least| format!("threshold {least}, ")).unwrap_or_default();
        write!(f, "score {shown} ({threshold}{check})")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Body, CaseEnd, Rows, RunEvent};

    fn tally(rows: &Rows) -> Vec<ScoreSummary> {
        let mut tally = ScoreTally::default();
        rows.iter().for_each(|row| tally.add(row));
        tally.summaries()
    }

    fn run(ends: &[(usize, &[(&str, f64)])]) -> Rows {
        let mut rows = Rows::default();
        for (index, scores) in ends {
            let score = |(check, score): &(&str, f64)| CheckScore {
                check: (*check).into(),
                score: *score,
                threshold: Some(0.5),
            };
            let scores = scores.iter().map(score).collect();
            let end = CaseEnd { index: *index, runs: 2, scores, ..CaseEnd::default() };
            let body = Body::CaseEnd(Arc::new(end));
            let case_id = Some(index.to_string().into());
            rows.add(&RunEvent { suite: "s".into(), case_id, attempt: Some(1), timestamp: 1, body });
        }
        rows
    }

    #[test]
    fn sum_of_weights_reaches_its_threshold() {
        assert!(CheckScore::passes(0.1 + 0.7, 0.8) && 0.1 + 0.7 < 0.8);
        assert!(!CheckScore::passes(0.799_999, 0.8));
    }

    #[test]
    fn shown_score_never_seems_to_reach_its_threshold() {
        assert_eq!(CheckScore::shown(2.0 / 3.0, Some(0.8)).to_string(), "0.6667");
        assert_eq!(CheckScore::shown(0.799_99, Some(0.8)).to_string(), "0.79999");
        assert_eq!(CheckScore::shown(0.1 + 0.7, Some(0.8)).to_string(), "0.8");
    }

    #[test]
    fn scores_are_means_over_runs_then_cases() {
        let rows = run(&[(0, &[("a", 0.5), ("b", 1.0)]), (0, &[("a", 1.0)]), (1, &[("a", 0.25)]), (1, &[]), (2, &[])]);
        let of = |index| {
            let scores = CheckScore::of_case(rows.get(index).unwrap());
            scores.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(of(0), ["score 0.75 (threshold 0.5, a)", "score 1 (threshold 0.5, b)"]);
        assert_eq!((of(1), of(2)), (vec!["score 0.25 (threshold 0.5, a)".into()], Vec::new()));
        let summary = |check: &str, mean, min, cases| ScoreSummary { check: check.into(), mean, min, cases };
        assert_eq!(tally(&rows), [summary("a", 0.5, 0.25, 2), summary("b", 1.0, 1.0, 1)]);
    }
}
