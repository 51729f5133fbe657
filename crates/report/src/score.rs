//! Describes the partial scores that checks gave.
//!
//! ```text
//! score 0.75 (threshold 0.8, checks.py:polite)
//! score of 3 cases: least 0.6, mean 0.75 (checks.py:polite)
//! ```

use agentci_verdict::{CaseEnd, CheckEnd, CheckScore, CheckStatus, ScoreSummary, ScoreTally};

use crate::count_of;

/// The scores of an attempt, one line each.
pub(crate) fn lines(end: &CaseEnd) -> Vec<String> {
    end.scores.iter().map(ToString::to_string).collect()
}

/// The score that a check gave, if any.
pub(crate) fn of_check(check: &CheckEnd) -> Option<String> {
    check.score.as_ref().map(ToString::to_string)
}

/// The totals of a run, one line per check.
pub(crate) fn totals(scores: &ScoreTally) -> Vec<String> {
    let line = |ScoreSummary { check, mean, min, cases }: ScoreSummary| {
        let (least, mean) = (shown(min), shown(mean));
        format!("score of {}: least {least}, mean {mean} ({check})", count_of(cases, "case"))
    };
    scores.summaries().into_iter().map(line).collect()
}

/// A mean with at most four decimals.
pub(crate) fn shown(score: f64) -> String {
    CheckScore::shown(score, None).to_string()
}

/// What the function of a passed check printed, one line each.
pub(crate) fn printed(check: &CheckEnd) -> impl Iterator<Item = String> {
    let evidence = check.evidence.as_deref().filter(|_| check.status == CheckStatus::Passed);
    let text = evidence.and_then(|evidence| evidence.get("printed")?.as_str()).unwrap_or_default();
    text.lines().take(PRINTED_LINES).map(|line| format!("check `{}` printed: {line}", check.name))
}

/// How many lines of what a function printed are shown.
const PRINTED_LINES: usize = 20;
