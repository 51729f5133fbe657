//! The result of a calibration for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use agentci::embed::Embedder;
use agentci::embed::calibration::{LabelledPair, Refusal, RefusedAnswers, best_threshold};
use agentci::report::{count_of, one_line};

use super::labels::LabelledAnswer;
use super::measure::MeasuredPair;

/// The threshold of an embedder that has none of its own, as in the check.
const DEFAULT_THRESHOLD: f64 = 0.88;
/// The maximum number of wrong verdicts that are listed, of each kind.
const LISTED: usize = 20;

pub(super) fn table(path: &Path, embedder: &Embedder, labels: &[LabelledAnswer], measured: &[MeasuredPair]) -> String {
    let pairs: Vec<LabelledPair> = measured.iter().map(|measured| measured.pair).collect();
    let totals = AnswerCounts::of(&pairs);
    let mut text = format!(
        "{}: {} right and {} wrong answers; embedder {}\n\n",
        count_of(pairs.len(), "pair"),
        totals.right,
        totals.wrong,
        embedder.id()
    );
    let threshold = embedder.default_threshold().unwrap_or(DEFAULT_THRESHOLD);
    let none = Refusal { threshold: None, facts: false, contradictions: false };
    let all = Refusal { threshold: Some(threshold), facts: true, contradictions: true };
    let _ = writeln!(text, "{:24}  {:>22}  {:>22}", "refused by", "wrong answers", "right answers");
    let rows = [
        (format!("threshold {threshold}"), Refusal { threshold: Some(threshold), ..none }),
        ("facts".to_owned(), Refusal { facts: true, ..none }),
        ("contradictions".to_owned(), Refusal { contradictions: true, ..none }),
        ("all three".to_owned(), all),
    ];
    for (name, refusal) in rows {
        text += &totals.row(&name, refusal.count(&pairs));
    }
    text += &totals.row("warned of, not refused", likely(measured, &all));
    text += &kinds(labels, &pairs, &all);
    text += &best(&pairs, &totals);
    text += &mistakes(path, labels, measured, &all);
    text
}

/// The numbers of right and of wrong answers.
struct AnswerCounts {
    right: usize,
    wrong: usize,
}

impl AnswerCounts {
    fn of(pairs: &[LabelledPair]) -> Self {
        let right = pairs.iter().filter(|pair| pair.same).count();
        Self { right, wrong: pairs.len() - right }
    }

    /// `facts  24 of 100 (24.0 %)  1 of 100 (1.0 %)`
    fn row(&self, name: &str, refused: RefusedAnswers) -> String {
        let (caught, alarms) = (share(refused.caught, self.wrong), share(refused.false_alarms, self.right));
        format!("{:24}  {caught:>22}  {alarms:>22}\n", one_line(name))
    }
}

fn share(part: usize, all: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let percent = if all == 0 { String::new() } else { format!(" ({:.1} %)", part as f64 * 100.0 / all as f64) };
    format!("{part} of {all}{percent}")
}

/// Answers that pass, with a warning about a likely contradiction.
fn likely(measured: &[MeasuredPair], all: &Refusal) -> RefusedAnswers {
    let warned = |same: bool| {
        let pairs = measured.iter().filter(|measured| measured.pair.same == same && !all.applies(&measured.pair));
        pairs.filter(|measured| measured.contradiction.is_some()).count()
    };
    RefusedAnswers { caught: warned(false), false_alarms: warned(true) }
}

/// What is refused of each kind, if pairs have kinds.
fn kinds(labels: &[LabelledAnswer], pairs: &[LabelledPair], all: &Refusal) -> String {
    let mut kinds: BTreeMap<&str, Vec<LabelledPair>> = BTreeMap::new();
    for (label, pair) in labels.iter().zip(pairs) {
        if let Some(kind) = &label.kind {
            kinds.entry(kind).or_default().push(*pair);
        }
    }
    if kinds.is_empty() {
        return String::new();
    }
    let rows = kinds.into_iter().map(|(kind, pairs)| AnswerCounts::of(&pairs).row(kind, all.count(&pairs)));
    format!(
        "\n{:24}  {:>22}  {:>22}\n{}",
        "kind, by all three",
        "wrong answers",
        "right answers",
        rows.collect::<String>()
    )
}

fn best(pairs: &[LabelledPair], totals: &AnswerCounts) -> String {
    let Some(best) = best_threshold(pairs) else {
        return "\nno threshold can be recommended: there are only right or only wrong answers\n".to_owned();
    };
    let (from, to) = best.range;
    format!(
        "\nbest threshold with facts and contradictions: {} ({from:.4} to {to:.4} serve as well): {} wrong answers \
         caught, {} right answers refused\n",
        best.threshold,
        share(best.refused.caught, totals.wrong),
        share(best.refused.false_alarms, totals.right),
    )
}

/// The pairs that are judged wrongly, with the reason.
fn mistakes(path: &Path, labels: &[LabelledAnswer], measured: &[MeasuredPair], all: &Refusal) -> String {
    let mut text = String::new();
    for (same, heading) in [(true, "right answers that are refused"), (false, "wrong answers that pass")] {
        let wrong = labels.iter().zip(measured);
        let wrong: Vec<_> =
            wrong.filter(|(label, measured)| label.same == same && all.applies(&measured.pair) == same).collect();
        if wrong.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{heading}:");
        for (label, measured) in wrong.iter().take(LISTED) {
            let _ = writeln!(text, "  {}:{}: {}", path.display(), label.line, one_line(&reason(measured)));
        }
        if wrong.len() > LISTED {
            let _ = writeln!(text, "  and {} more", wrong.len() - LISTED);
        }
    }
    text
}

/// `similarity 0.4102; negation: expected: approved; the answer says: not approved`
fn reason(measured: &MeasuredPair) -> String {
    let mut parts = vec![format!("similarity {:.4}", measured.pair.similarity)];
    if !measured.missing.is_empty() {
        parts.push(format!("lacks {}", measured.missing.join(", ")));
    }
    if let Some(found) = &measured.contradiction {
        let likely = if found.certain { "" } else { " (likely)" };
        parts.push(format!("{}{likely}: expected: {}; the answer says: {}", found.kind, found.expected, found.said));
    }
    parts.join("; ")
}
