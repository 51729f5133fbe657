//! Describes the similarity of answers to the expected ones.
//!
//! ```text
//! similarity 0.8712 (threshold 0.5000, builtin:paraphrase-minilm-l3-q4@dabb40d5); missing: number `1,200`
//! similarity of 3 cases: least 0.6120, mean 0.7533 (builtin:paraphrase-minilm-l3-q4@dabb40d5)
//! ```

use std::collections::BTreeMap;

use agentci_verdict::{CaseEnd, CheckEnd, Distribution, Similarity, Spread};
use serde::Deserialize as _;

use crate::count_of;

/// A similarity with its threshold, embedder and differing facts.
pub(crate) fn words(similarity: &Similarity) -> String {
    match similarity.facts.to_string() {
        facts if facts.is_empty() => similarity.to_string(),
        facts => format!("{similarity}; {facts}"),
    }
}

/// The similarities of an attempt, one line each.
pub(crate) fn lines(end: &CaseEnd) -> Vec<String> {
    end.similarities.iter().map(words).collect()
}

/// The similarity that a check measured, if any.
pub(crate) fn of_check(check: &CheckEnd) -> Option<String> {
    let evidence = check.evidence.as_ref().filter(|evidence| evidence.get("similarity").is_some())?;
    Some(words(&Similarity::deserialize(&**evidence).ok()?))
}

/// The totals of a run, one line per embedder.
pub(crate) fn totals(measured: &BTreeMap<String, Distribution>) -> Vec<String> {
    let line = |(embedder, numbers): (&String, &Distribution)| {
        let cases = count_of(numbers.count(), "case");
        let Spread { min, mean, .. } = numbers.spread()?;
        Some(format!("similarity of {cases}: least {min:.4}, mean {mean:.4} ({embedder})"))
    };
    measured.iter().filter_map(line).collect()
}
