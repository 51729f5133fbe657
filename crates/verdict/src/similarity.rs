//! The similarity of two texts, as checks judge it and reports show it.

use std::fmt;

use agentci_text::first_of;
use serde::{Deserialize, Serialize};

/// The tolerance below the threshold: the last bits differ between machines.
const TOLERANCE: f64 = 1e-6;
/// The maximum number of facts that are reported.
const TOLD: usize = 10;

/// The similarity of an answer to the expected text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// The cosine similarity of the two texts, from -1 to 1.
    pub similarity: f64,
    /// The id of the embedder. Similarities of different embedders cannot be compared.
    pub embedder: String,
    /// The minimum similarity, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Whether the similarity must be below the threshold instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// Facts that only one of the texts states.
    #[serde(default, skip_serializing_if = "DifferingFacts::is_empty")]
    pub facts: DifferingFacts,
}

/// Facts that only one of two texts states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferingFacts {
    /// Facts that only the expected text states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<DifferingFact>,
    /// Facts that only the answer states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<DifferingFact>,
    /// Facts that are equal only under one reading: ``number `1.500` for `1,5` ``.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<String>,
    /// Where the texts contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<Contradiction>,
}

/// What an expected text and an answer say that cannot both be true.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// The kind: `negation`, `opposite`, `order`, `roles`, `quantifier`, `exclusive`, `yes or no`, `question` or
    /// `refusal`.
    pub kind: String,
    /// Whether it is certain, not just likely.
    pub certain: bool,
    /// The words of the expected text.
    pub expected: String,
    /// The words of the answer.
    pub said: String,
}

/// A fact that only one of two texts states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferingFact {
    /// The kind of fact: `number`, `date`, `id` or `name`.
    pub kind: String,
    /// The fact as written in the text.
    pub text: String,
}

impl Similarity {
    /// Whether a similarity passes. A negative one counts as 0, as it is shown.
    pub fn passes(similarity: f64, threshold: f64) -> bool {
        similarity.max(0.0) + TOLERANCE >= threshold
    }

    /// The number as reports show it: from 0 to 1, with four decimals. With two, a failed 0.8795 would show as 0.88.
    pub fn shown(&self) -> String {
        shown(self.similarity)
    }

    /// The lowest of several similarities, which decides. Those that must be below their threshold are ignored.
    pub fn least(all: &[Self]) -> Option<&Self> {
        all.iter().filter(|one| !one.negated).min_by(|one, other| one.similarity.total_cmp(&other.similarity))
    }
}

/// A number from 0 to 1 with four decimals.
fn shown(number: f64) -> String {
    // Adding 0 turns a negative zero into a positive one.
    format!("{:.4}", number.clamp(0.0, 1.0) + 0.0)
}

impl DifferingFacts {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The facts that the answer lacks, if any: ``number `1,200`, name `Lopez` ``.
    pub fn lacking(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| list(&self.missing))
    }

    /// The other differences, in a few words each.
    pub fn hints(&self) -> Vec<String> {
        let extra = (!self.extra.is_empty()).then(|| format!("only in the answer: {}", list(&self.extra)));
        let contradiction = self.contradiction.as_ref().map(|found| {
            format!("{}: {found}", if found.certain { "contradiction" } else { "possible contradiction" })
        });
        let unclear = (!self.unclear.is_empty()).then(|| format!("treated as equal: {}", self.unclear.join(", ")));
        extra.into_iter().chain(unclear).chain(contradiction).collect()
    }
}

fn list(facts: &[DifferingFact]) -> String {
    first_of(&facts.iter().map(DifferingFact::to_string).collect::<Vec<_>>(), TOLD)
}

/// ``number `1,200` ``
impl fmt::Display for DifferingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.text)
    }
}

/// `negation: expected: approved; the answer says: not approved`
impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected: {}; the answer says: {}", self.kind, self.expected, self.said)
    }
}

/// `similarity 0.8712 (threshold 0.5000, builtin:paraphrase-minilm-l3-q4@dabb40d5)`
impl fmt::Display for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = if self.negated { "below " } else { "" };
        let threshold = self.threshold.map(|least| format!("threshold {most}{}, ", shown(least))).unwrap_or_default();
        write!(f, "similarity {} ({threshold}{})", self.shown(), self.embedder)
    }
}

/// One line, such as ``missing: number `1,200`; only in the answer: number `1,500`; contradiction: negation: expected:
/// approved; the answer says: not approved``.
impl fmt::Display for DifferingFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = self.lacking().map(|facts| format!("missing: {facts}"));
        f.write_str(&missing.into_iter().chain(self.hints()).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_despite_rounding_error() {
        assert!(Similarity::passes(0.879_999_5, 0.88));
        assert!(!Similarity::passes(0.879_99, 0.88));
        assert!(Similarity::passes(-0.2, 0.0));
        assert!(!Similarity::passes(-0.2, 0.1));
    }

    #[test]
    fn shows_four_decimals_between_0_and_1() {
        let of = |similarity| Similarity { similarity, ..Similarity::default() }.shown();
        assert_eq!([0.879_54, -0.2, -0.0, 1.000_000_1].map(of), ["0.8795", "0.0000", "0.0000", "1.0000"]);
    }

    #[test]
    fn lowest_similarity_decides() {
        let of = |similarity, negated| Similarity { similarity, negated, ..Similarity::default() };
        let all = [of(0.9, false), of(0.6, false), of(0.1, true)];
        assert_eq!(Similarity::least(&all), Some(&all[1]));
        assert_eq!(Similarity::least(&all[2..]), None);
    }

    #[test]
    fn number_of_reported_facts_is_limited() {
        let fact = |number: usize| DifferingFact { kind: "number".into(), text: number.to_string() };
        let facts = DifferingFacts {
            missing: (0..12).map(fact).collect(),
            extra: vec![fact(99)],
            unclear: Vec::new(),
            contradiction: Some(Contradiction {
                kind: "negation".into(),
                expected: "paid".into(),
                said: "not paid".into(),
                certain: true,
            }),
        };
        let told = facts.to_string();
        assert!(told.starts_with("missing: number `0`, number `1`"), "{told}");
        assert!(
            told.ends_with(
                "and 2 more; only in the answer: number `99`; contradiction: negation: expected: paid; the answer says: \
                 not paid"
            ),
            "{told}"
        );
        assert_eq!(DifferingFacts::default().to_string(), "");
    }
}
