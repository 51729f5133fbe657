//! Measures how well labelled pairs are classified: the built-in embedder separates pairs with the same meaning from
//! pairs on another topic, and facts find pairs with an error. The documentation states these numbers.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use agentci_embed::facts::compare;
use agentci_embed::{Builtin, cosine};
use agentci_verdict::Similarity;
use serde::Deserialize;

const PAIRS: &str = include_str!("../../../fixtures/embeddings/pairs.jsonl");
const DOCUMENTATION: &str = include_str!("../../../docs/reference/embeddings.md");

#[derive(Deserialize)]
struct Pair {
    kind: String,
    expected: String,
    answer: String,
}

fn pairs(kinds: &str) -> Vec<Pair> {
    let all = PAIRS.lines().map(|line| serde_json::from_str(line).unwrap());
    all.filter(|pair: &Pair| pair.kind.starts_with(kinds)).collect()
}

fn similarity(pair: &Pair) -> f64 {
    let vectors = [&pair.expected, &pair.answer].map(|text| Builtin.embed(text).unwrap());
    cosine(&vectors[0], &vectors[1]).unwrap()
}

/// The number of pairs that pass at the embedder's own threshold.
fn passing(pairs: &[Pair]) -> usize {
    pairs.iter().filter(|pair| Similarity::passes(similarity(pair), Builtin::THRESHOLD)).count()
}

/// The documentation contains these sentences verbatim.
fn is_documented(sentence: &str) {
    assert!(DOCUMENTATION.contains(sentence), "docs/reference/embeddings.md should say: {sentence}");
}

#[test]
fn documented_accuracy_matches_measurement() {
    let (same, other) = (pairs("paraphrase"), pairs("other_topic"));
    assert!(same.len() + other.len() >= 60);
    let kept = passing(&same);
    let refused = other.len() - passing(&other);
    let (right, all) = (kept + refused, same.len() + other.len());
    let tenths = (right * 2_000 + all) / (2 * all);
    is_documented(&format!(
        "At a threshold of 0.50 it tells {right} of {all} pairs right ({}.{} %): it keeps {kept} of {} that say the same and \
         refuses {refused} of {} on another topic.",
        tenths / 10,
        tenths % 10,
        same.len(),
        other.len()
    ));
    assert!(right * 100 >= all * 90, "{right} of {all}");
}

#[test]
fn documents_what_similarity_cannot_detect() {
    let pairs = pairs("same_topic");
    is_documented(&format!(
        "Of {} answers on the same topic that state something else, {} pass.",
        pairs.len(),
        passing(&pairs)
    ));
}

#[test]
fn detects_wrong_numbers_dates_ids_and_names() {
    let wrong = pairs("wrong_");
    let missed: Vec<&str> = wrong
        .iter()
        .filter(|pair| compare(&pair.expected, &pair.answer).missing.is_empty())
        .map(|pair| pair.answer.as_str())
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    let seen = wrong.len() - passing(&wrong);
    is_documented(&format!(
        "Of {} answers with a wrong number, date, id or name, facts catch all and the similarity alone {seen}.",
        wrong.len()
    ));
}

#[test]
fn paraphrases_have_no_missing_facts() {
    for pair in pairs("paraphrase") {
        let differences = compare(&pair.expected, &pair.answer);
        assert!(differences.missing.is_empty(), "{} | {}: {differences:?}", pair.expected, pair.answer);
    }
}
