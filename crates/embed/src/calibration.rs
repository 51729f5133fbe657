//! Measures how well a threshold, facts and contradictions tell right answers from wrong ones, on labelled pairs.

use agentci_verdict::Similarity;

/// An expected text and an answer of which somebody said whether they mean the same, with what was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledPair {
    /// Whether the answer is right.
    pub same: bool,
    /// The similarity of the texts.
    pub similarity: f64,
    /// Whether the answer lacks a fact of the expected text.
    pub lacks_fact: bool,
    /// Whether the answer certainly contradicts the expected text.
    pub contradicts: bool,
}

/// What refuses an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refusal {
    /// A similarity below this threshold.
    pub threshold: Option<f64>,
    /// A fact that the answer lacks.
    pub facts: bool,
    /// A certain contradiction.
    pub contradictions: bool,
}

/// How many answers are refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefusedAnswers {
    /// Wrong answers, which should be.
    pub caught: usize,
    /// Right answers, which should not be.
    pub false_alarms: usize,
}

/// The threshold that serves best next to facts and contradictions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestThreshold {
    /// The threshold, in the middle of all that serve as well.
    pub threshold: f64,
    /// The lowest and the highest threshold that serve as well.
    pub range: (f64, f64),
    /// What is refused with it.
    pub refused: RefusedAnswers,
}

impl Refusal {
    /// Whether the answer of a pair is refused.
    pub fn applies(&self, pair: &LabelledPair) -> bool {
        self.threshold.is_some_and(|threshold| !Similarity::passes(pair.similarity, threshold))
            || (self.facts && pair.lacks_fact)
            || (self.contradictions && pair.contradicts)
    }

    /// How many answers are refused.
    pub fn count(&self, pairs: &[LabelledPair]) -> RefusedAnswers {
        let refused = |same: bool| pairs.iter().filter(|pair| pair.same == same && self.applies(pair)).count();
        RefusedAnswers { caught: refused(false), false_alarms: refused(true) }
    }
}

/// The threshold with the fewest wrong verdicts next to facts and contradictions. A right answer that is refused counts
/// as much as a wrong one that is not. `None` unless there are right and wrong answers.
pub fn best_threshold(pairs: &[LabelledPair]) -> Option<BestThreshold> {
    if pairs.iter().all(|pair| pair.same) || pairs.iter().all(|pair| !pair.same) {
        return None;
    }
    let with = |threshold| Refusal { threshold: Some(threshold), facts: true, contradictions: true };
    let mistakes = |threshold: f64| {
        let refused = with(threshold).count(pairs);
        let wrong = pairs.iter().filter(|pair| !pair.same).count();
        refused.false_alarms + wrong - refused.caught
    };
    // Between two measured similarities, every threshold gives the same verdicts.
    let mut bounds: Vec<f64> = pairs.iter().map(|pair| pair.similarity.clamp(0.0, 1.0)).chain([0.0, 1.0]).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let mut best: Option<(usize, (f64, f64))> = None;
    for range in bounds.windows(2).map(|ends| (ends[0], ends[1])) {
        let count = mistakes(f64::midpoint(range.0, range.1));
        best = match best {
            // Neighbours that serve as well are one range.
            Some((least, (from, to))) if count == least && to.total_cmp(&range.0).is_eq() => {
                Some((least, (from, range.1)))
            }
            Some((least, known)) if least < count || (least == count && width(known) >= width(range)) => {
                Some((least, known))
            }
            _ => Some((count, range)),
        };
    }
    let (_, range) = best?;
    let threshold = rounded(range);
    Some(BestThreshold { threshold, range, refused: with(threshold).count(pairs) })
}

fn width((from, to): (f64, f64)) -> f64 {
    to - from
}

/// The middle of a range, with two decimals if these are still within it.
fn rounded((from, to): (f64, f64)) -> f64 {
    let middle = f64::midpoint(from, to);
    let short = (middle * 100.0).round() / 100.0;
    if from < short && short < to { short } else { middle }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(same: bool, similarity: f64) -> LabelledPair {
        LabelledPair { same, similarity, lacks_fact: false, contradicts: false }
    }

    #[test]
    fn best_threshold_separates_right_from_wrong_answers() {
        let pairs = [pair(true, 0.9), pair(true, 0.7), pair(false, 0.4), pair(false, 0.1)];
        let best = best_threshold(&pairs).unwrap();
        assert_eq!((best.threshold, best.range), (0.55, (0.4, 0.7)));
        assert_eq!(best.refused, RefusedAnswers { caught: 2, false_alarms: 0 });
    }

    #[test]
    fn what_facts_and_contradictions_catch_does_not_raise_the_threshold() {
        let opposite = LabelledPair { contradicts: true, ..pair(false, 0.95) };
        let other_number = LabelledPair { lacks_fact: true, ..pair(false, 0.97) };
        let pairs = [pair(true, 0.6), opposite, other_number, pair(false, 0.2)];
        let best = best_threshold(&pairs).unwrap();
        assert_eq!((best.threshold, best.refused.caught), (0.4, 3));
        let alone = Refusal { threshold: Some(best.threshold), facts: false, contradictions: false };
        assert_eq!(alone.count(&pairs), RefusedAnswers { caught: 1, false_alarms: 0 });
    }

    #[test]
    fn widest_range_is_best_among_equals() {
        // Any threshold makes one mistake: 0.5 below everything, or above the wrong answer and the right one.
        let pairs = [pair(false, 0.8), pair(true, 0.7), pair(false, 0.1)];
        let best = best_threshold(&pairs).unwrap();
        assert_eq!(best.range, (0.1, 0.7));
        assert_eq!(best.refused, RefusedAnswers { caught: 1, false_alarms: 0 });
    }

    #[test]
    fn one_kind_of_label_gives_no_threshold() {
        assert_eq!(best_threshold(&[pair(true, 0.9)]), None);
        assert_eq!(best_threshold(&[pair(false, 0.9)]), None);
        assert_eq!(best_threshold(&[]), None);
    }

    #[test]
    fn threshold_allows_for_rounding_as_the_check_does() {
        let at = Refusal { threshold: Some(0.5), facts: false, contradictions: false };
        assert!(!at.applies(&pair(true, 0.499_999_5)));
        assert!(at.applies(&pair(true, 0.4999)));
    }
}
