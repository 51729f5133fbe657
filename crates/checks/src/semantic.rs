//! # What it checks
//! The answer means the same as the expected text. Their similarity, as an embedder measures it, must reach the
//! threshold, and the numbers, dates, ids and names of the expected text must be in the answer. With `facts: warn` a
//! missing fact is a warning, with `facts: off` facts are not compared. A fact that may be meant differently is always
//! just a hint: `1.500` for `1,5`, `abc123` for `ABC123`.
//!
//! The answer must not contradict the expected text: by a negation (`not approved`), an opposite (`denied`), exchanged
//! roles or order, a quantifier, one of several exclusive things, a question or a refusal. With `contradictions: warn`
//! this is a warning, with `contradictions: off` it is not looked for. A contradiction that is only likely is always a
//! warning.
//!
//! A threshold depends on the embedder: it may be a mapping from embedders to numbers, each key an embedder's id or
//! the beginning of one up to a `:` or `@`. Default: the embedder's own threshold, or 0.88 if it has none. An empty
//! answer fails without a call of the embedder. Under `not`, the similarity must be below the threshold, and facts
//! and contradictions are not compared.
//!
//! # Why
//! A right answer can be worded in many ways. A similarity only tells answers on the subject from others. Comparing
//! facts finds the wrong number that it misses, and comparing negations and opposites the wrong statement.
//!
//! # Example
//! ```yaml
//! checks:
//!   - semantic: Your card was charged 20 euros.
//!   - semantic: { expected: Your card was charged 20 euros., threshold: { builtin: 0.55, openai: 0.8 }, facts: warn }
//! ```

use std::sync::Arc;

use agentci_plan::is_meant;
use agentci_source::shape::{CheckShape, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Span, Spanned, read};
use agentci_trace::Trace;
use agentci_verdict::{Contradiction, DifferingFacts, Failure, Outcome, Similarity};
use serde::Deserialize as _;
use serde_json::Value;

use crate::compiler::{Compiler, choice, spanned};
use crate::evaluate::Evaluate;
use crate::output_words::quote;
use crate::{EvidenceQuestion, KeptAnswer};

/// The threshold if neither the suite nor the embedder has one.
const DEFAULT_THRESHOLD: f64 = 0.88;
/// With the built-in embedder, few good answers in other words reach this similarity.
const BUILTIN_REACHES: f64 = 0.75;

#[derive(Debug)]
struct Semantic {
    expected: Spanned<String>,
    threshold: Option<Threshold>,
    facts: MismatchPolicy,
    contradictions: MismatchPolicy,
}

#[derive(Debug)]
enum Threshold {
    One(Spanned<f64>),
    /// By embedder, with the span of the mapping.
    Each(Span, Vec<(String, Spanned<f64>)>),
}

/// What to do if the answer lacks a fact, or contradicts the expected text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MismatchPolicy {
    Fail,
    Warn,
    Off,
}

const POLICIES: [(&str, MismatchPolicy); 3] =
    [("fail", MismatchPolicy::Fail), ("warn", MismatchPolicy::Warn), ("off", MismatchPolicy::Off)];

/// The answer to the question, with the threshold that applies.
struct MeasuredSimilarity {
    similarity: Similarity,
    /// The place of the threshold, if the suite has one.
    span: Option<Span>,
    /// The failure if the suite has thresholds but none for this embedder.
    unfit: Option<Failure>,
    note: Option<String>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "semantic",
    about: "The answer means the same as the expected text.",
    arguments: Kind::Either(&[Kind::Name, Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`semantic`",
    "The expected text, and how similar the answer must be.",
    &[
        required("expected", Kind::Name, "The text of a good answer."),
        optional("threshold", THRESHOLD, "Minimum similarity, or one for each embedder."),
        optional("facts", Kind::Choice(&words(&POLICIES)), "What to do if the answer lacks a fact. Default: fail."),
        optional(
            "contradictions",
            Kind::Choice(&words(&POLICIES)),
            "What to do if the answer certainly contradicts the expected text. Default: fail.",
        ),
    ],
);

const THRESHOLD: Kind = Kind::Either(&[SHARE, Kind::FilledMap(&SHARE)]);
const SHARE: Kind = Kind::Range(0.0, 1.0);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let (mut expected, mut limit) = (arguments, None);
    let (mut facts, mut contradictions) = (MismatchPolicy::Fail, MismatchPolicy::Fail);
    if arguments.pairs().is_some() {
        let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
        let found = arguments.required_node("expected");
        limit = arguments.optional("threshold", threshold);
        facts = arguments.optional("facts", choice(&POLICIES)).unwrap_or(facts);
        contradictions = arguments.optional("contradictions", choice(&POLICIES)).unwrap_or(contradictions);
        arguments.finish();
        expected = found?;
    }
    let expected = spanned(read::text)(expected, "expected", &mut compiler.problems)?;
    if expected.value.trim().is_empty() {
        let help = "write the text of a good answer";
        return compiler.refuse(expected.span, "the expected text must not be blank", "blank", help);
    }
    Some(Arc::new(Semantic { expected, threshold: limit, facts, contradictions }))
}

fn threshold(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Threshold> {
    let Some(pairs) = node.pairs() else { return share(node, name, problems).map(Threshold::One) };
    if pairs.is_empty() {
        let help = "write a number, or a number for each embedder: `{ builtin: 0.5, openai: 0.8 }`";
        problems.error(node.span, "`threshold` names no embedder", "empty").help(help);
    }
    let each = pairs.iter().filter_map(|pair| {
        let name = format!("{name}.{}", pair.key.text.escape_debug());
        Some((pair.key.text.to_string(), share(&pair.value, &name, problems)?))
    });
    Some(Threshold::Each(node.span, each.collect()))
}

/// A number from 0 to 1.
fn share(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let number = read::number(node, name, problems)?;
    if !(0.0..=1.0).contains(&number) {
        let message = format!("`{name}` must be from 0 to 1, found {number}");
        problems.error(node.span, message, "out of range").help("the similarity of a text with itself is 1");
    }
    Some(Spanned::new(number, node.span))
}

impl Semantic {
    /// The threshold for an embedder; if several keys name it, the longest takes precedence.
    fn threshold_of(&self, embedder: &str, default: Option<f64>) -> Result<(f64, Option<Span>), Failure> {
        match &self.threshold {
            None => Ok((default.unwrap_or(DEFAULT_THRESHOLD), None)),
            Some(Threshold::One(number)) => Ok((number.value, Some(number.span))),
            Some(Threshold::Each(span, each)) => {
                let meant = each.iter().filter(|(name, _)| is_meant(embedder, name));
                let number = meant.max_by_key(|(name, _)| name.len()).map(|(_, number)| number);
                number.map(|number| (number.value, Some(number.span))).ok_or_else(|| {
                    let keys: Vec<&str> = each.iter().map(|(name, _)| name.as_str()).collect();
                    let own = embedder.split(':').next().unwrap_or(embedder);
                    Failure::new(format!("no threshold is set for the embedder `{embedder}`"))
                        .at(*span, format!("only for {}", read::quoted_list(&keys)))
                        .note(format!("add one, `{own}: ..`, or choose an embedder that has one with `--embedder`"))
                })
            }
        }
    }

    /// The differences that the suite asks for; `None` if they are malformed.
    fn differing(&self, answer: &Value) -> Option<DifferingFacts> {
        let all = answer.get("facts").map(DifferingFacts::deserialize).transpose().ok()?.unwrap_or_default();
        let contradiction = all.contradiction.clone().filter(|_| self.contradictions != MismatchPolicy::Off);
        let facts = if self.facts == MismatchPolicy::Off { DifferingFacts::default() } else { all };
        Some(DifferingFacts { contradiction, ..facts })
    }

    /// The contradiction that fails the check.
    fn refuted<'f>(&self, facts: &'f DifferingFacts) -> Option<&'f Contradiction> {
        facts.contradiction.as_ref().filter(|found| found.certain && self.contradictions == MismatchPolicy::Fail)
    }

    /// Reads an answer; `None` if it is malformed.
    fn measured(&self, answer: &Value, negated: bool) -> Option<MeasuredSimilarity> {
        let embedder = answer["embedder"].as_str()?.to_owned();
        let threshold = self.threshold_of(&embedder, answer["default_threshold"].as_f64());
        let similarity = Similarity {
            similarity: answer["similarity"].as_f64().filter(|number| number.is_finite())?,
            embedder,
            threshold: threshold.as_ref().ok().map(|(number, _)| *number),
            negated,
            facts: if negated { DifferingFacts::default() } else { self.differing(answer)? },
        };
        let span = threshold.as_ref().ok().and_then(|(_, span)| *span);
        let note = answer["note"].as_str().map(str::to_owned);
        Some(MeasuredSimilarity { similarity, span, unfit: threshold.err(), note })
    }

    fn judge(&self, measured: &MeasuredSimilarity, said: &str) -> Outcome {
        let Similarity { similarity, embedder, threshold, negated, facts } = &measured.similarity;
        if let Some(unfit) = &measured.unfit {
            return Outcome::Error(unfit.clone());
        }
        let threshold = threshold.unwrap_or(DEFAULT_THRESHOLD);
        let near = Similarity::passes(*similarity, threshold);
        let lacking = facts.lacking().filter(|_| self.facts == MismatchPolicy::Fail);
        let refuted = self.refuted(facts);
        let shown = measured.similarity.shown();
        let mut failure = match (&lacking, refuted) {
            _ if near == *negated => {
                let (how, is) = if near {
                    ("too similar to the text", "is not below")
                } else {
                    ("not similar enough to the expected text", "is below")
                };
                let message = format!("the answer is {how}: similarity {shown} {is} {threshold} ({embedder})");
                let span = measured.span.unwrap_or(self.expected.span);
                Failure::new(message).at(span, format!("the similarity is {shown}"))
            }
            (None, Some(found)) => Failure::new(format!("the answer contradicts the expected text: {found}"))
                .at(self.expected.span, "the answer says something else")
                .note(measured.similarity.to_string()),
            (Some(lacking), _) => Failure::new(format!("the answer lacks expected facts: {lacking}"))
                .at(self.expected.span, "not all of this is in the answer")
                .note(measured.similarity.to_string()),
            (None, None) => return Outcome::Passed,
        };
        let told = lacking.is_none() && near;
        if !near {
            failure.notes.extend(facts.lacking().map(|lacking| format!("missing: {lacking}")));
        }
        // The message already has the contradiction.
        let hidden = DifferingFacts { contradiction: None, ..facts.clone() };
        failure.notes.extend(if told && refuted.is_some() { hidden.hints() } else { facts.hints() });
        failure.notes.extend(measured.note.clone());
        failure.notes.push(quote(said));
        let number = matches!(self.threshold, Some(Threshold::One(_)));
        if !near && number && threshold > BUILTIN_REACHES && is_meant(embedder, "builtin") {
            failure.notes.push(format!(
                "a threshold depends on the embedder: with `builtin`, few good answers in other words reach \
                 {threshold}; write `{{ builtin: 0.5, openai: {threshold} }}` to set one for each"
            ));
        }
        Outcome::Failed(failure.detail("/similarity", threshold, *similarity))
    }
}

impl Evaluate for Semantic {
    /// Only an empty answer can be judged without the embedder.
    fn evaluate(&self, trace: &Trace) -> Outcome {
        if !trace.output().text().trim().is_empty() {
            return Outcome::NotEvaluated("no similarity was measured".into());
        }
        Outcome::Failed(Failure::new("the answer is empty").at(self.expected.span, "nothing to compare"))
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let said = trace.output().text();
        let asks = !said.trim().is_empty();
        asks.then(|| EvidenceQuestion::Similarity {
            expected: self.expected.value.clone(),
            said,
            contradictions: self.contradictions != MismatchPolicy::Off,
        })
    }

    fn conclude(&self, trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        match self.measured(answer, negate) {
            Some(measured) => self.judge(&measured, &trace.output().text()),
            None => Outcome::Error(Failure::new("the measured similarity could not be read")),
        }
    }

    fn keep(&self, answer: Value, negate: bool) -> KeptAnswer {
        let Some(MeasuredSimilarity { similarity, note, unfit, .. }) = self.measured(&answer, negate) else {
            return KeptAnswer { evidence: answer, ..KeptAnswer::default() };
        };
        let near = similarity.threshold.is_some_and(|threshold| Similarity::passes(similarity.similarity, threshold));
        let facts = &similarity.facts;
        let lacks = !facts.missing.is_empty();
        let failed = (lacks && self.facts == MismatchPolicy::Fail) || self.refuted(facts).is_some();
        let held = unfit.is_none() && near && !negate && !failed;
        let mut warnings = Vec::new();
        if held {
            // Extra facts of the answer are reported only together with missing ones.
            let told = lacks || facts.contradiction.is_some() || !facts.unclear.is_empty();
            let seen = DifferingFacts { extra: if lacks { facts.extra.clone() } else { Vec::new() }, ..facts.clone() };
            warnings.extend(told.then(|| format!("the answer differs from the expected text: {seen}")));
            warnings.extend(note);
        }
        KeptAnswer {
            evidence: serde_json::to_value(&similarity).unwrap_or(answer),
            similarity: Some(similarity),
            warnings,
            score: None,
        }
    }
}
