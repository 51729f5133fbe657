//! # What it checks
//! What the agent said means the same as the expected text: the similarity of the two, as an embedder measures it, is at least
//! the threshold, and the numbers, dates, ids and names of the expected text are in the answer. With `facts: warn` a missing
//! fact is a warning, with `facts: off` facts are not compared. A negation in one of the texts only is always just a hint,
//! and so is a fact that may be meant differently: `1.500` for `1,5`, `abc123` for `ABC123`.
//!
//! A threshold belongs to an embedder: it may be a mapping from embedders to numbers, each key an embedder's id or the beginning
//! of it up to a `:` or `@`. Without a threshold the embedder's own counts, or 0.88 where it has none. An answer that says
//! nothing does not pass, and nobody is asked. Under `not`, the similarity has to be below the threshold, and facts do not count.
//!
//! # Why
//! An answer may be right in many words. A similarity tells answers on the subject from others and no more; facts see the wrong
//! number that it does not.
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
use agentci_verdict::{DifferingFacts, Failure, Outcome, Similarity};
use serde_json::Value;

use crate::compiler::{Compiler, choice, spanned};
use crate::evaluate::Evaluate;
use crate::output_words::quote;
use crate::{EvidenceQuestion, KeptAnswer};

/// The threshold where neither the suite nor the embedder knows one.
const DEFAULT_THRESHOLD: f64 = 0.88;
/// The built-in embedder gives good answers in other words less than this.
const BUILTIN_REACHES: f64 = 0.75;

#[derive(Debug)]
struct Semantic {
    expected: Spanned<String>,
    threshold: Option<Threshold>,
    facts: MissingFacts,
}

#[derive(Debug)]
enum Threshold {
    One(Spanned<f64>),
    /// By embedder.
    Each(Span, Vec<(String, Spanned<f64>)>),
}

/// What a fact comes to that the answer does not state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingFacts {
    Fail,
    Warn,
    Off,
}

const FACTS: [(&str, MissingFacts); 3] =
    [("fail", MissingFacts::Fail), ("warn", MissingFacts::Warn), ("off", MissingFacts::Off)];

/// What was found out.
struct Measured {
    similarity: Similarity,
    /// Where the threshold stands, if the suite has one.
    span: Option<Span>,
    /// What is wrong with the thresholds, if no one fits.
    unfit: Option<Failure>,
    note: Option<String>,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "semantic",
    about: "What the agent said means the same as the expected text.",
    arguments: Kind::Either(&[Kind::Name, Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`semantic`",
    "The expected text, and how near an answer must be.",
    &[
        required("expected", Kind::Name, "What a good answer says."),
        optional("threshold", THRESHOLD, "The least similarity, or one for each embedder."),
        optional("facts", Kind::Choice(&words(&FACTS)), "What a fact comes to that the answer does not state."),
    ],
);

const THRESHOLD: Kind = Kind::Either(&[SHARE, Kind::FilledMap(&SHARE)]);
const SHARE: Kind = Kind::Range(0.0, 1.0);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let (mut expected, mut limit, mut facts) = (arguments, None, MissingFacts::Fail);
    if arguments.pairs().is_some() {
        let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
        let found = arguments.required_node("expected");
        limit = arguments.optional("threshold", threshold);
        facts = arguments.optional("facts", choice(&FACTS)).unwrap_or(facts);
        arguments.finish();
        expected = found?;
    }
    let expected = spanned(read::text)(expected, "expected", &mut compiler.problems)?;
    if expected.value.trim().is_empty() {
        let help = "write what a good answer says";
        return compiler.refuse(expected.span, "the expected text says nothing", "blank", help);
    }
    Some(Arc::new(Semantic { expected, threshold: limit, facts }))
}

fn threshold(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Threshold> {
    let Some(pairs) = node.pairs() else { return share(node, name, problems).map(Threshold::One) };
    if pairs.is_empty() {
        let help = "write a number, or embedders with numbers: `{ builtin: 0.5, openai: 0.8 }`";
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
        problems.error(node.span, message, "no threshold").help("a similarity is at most 1, of a text with itself");
    }
    Some(Spanned::new(number, node.span))
}

impl Semantic {
    /// The threshold for an embedder; of several keys that mean it the longest counts.
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
                    Failure::new(format!("there is no threshold for the embedder `{embedder}`"))
                        .at(*span, format!("only for {}", read::quoted_list(&keys)))
                        .note(format!("add one, `{own}: ..`, or choose an embedder that has one with `--embedder`"))
                })
            }
        }
    }

    /// What an answer tells; nothing if it is none.
    fn measured(&self, answer: &Value, negated: bool) -> Option<Measured> {
        let embedder = answer["embedder"].as_str()?.to_owned();
        let threshold = self.threshold_of(&embedder, answer["default_threshold"].as_f64());
        let compared = self.facts != MissingFacts::Off && !negated;
        let facts = answer.get("facts").filter(|_| compared).cloned();
        let similarity = Similarity {
            similarity: answer["similarity"].as_f64().filter(|number| number.is_finite())?,
            embedder,
            threshold: threshold.as_ref().ok().map(|(number, _)| *number),
            negated,
            facts: facts.and_then(|facts| serde_json::from_value::<DifferingFacts>(facts).ok()).unwrap_or_default(),
        };
        let span = threshold.as_ref().ok().and_then(|(_, span)| *span);
        let note = answer["note"].as_str().map(str::to_owned);
        Some(Measured { similarity, span, unfit: threshold.err(), note })
    }

    fn judge(&self, measured: &Measured, said: &str) -> Outcome {
        let Similarity { similarity, embedder, threshold, negated, facts } = &measured.similarity;
        if let Some(unfit) = &measured.unfit {
            return Outcome::Error(unfit.clone());
        }
        let threshold = threshold.unwrap_or(DEFAULT_THRESHOLD);
        let near = Similarity::passes(*similarity, threshold);
        let lacking = facts.lacking().filter(|_| self.facts == MissingFacts::Fail);
        let shown = measured.similarity.shown();
        let mut failure = match (negated, near, &lacking) {
            (false, false, _) | (true, true, _) => {
                let (how, is) = if near {
                    ("too near to the text", "is not below")
                } else {
                    ("not near enough to the expected text", "is below")
                };
                let message = format!("the answer is {how}: similarity {shown} {is} {threshold} ({embedder})");
                let span = measured.span.unwrap_or(self.expected.span);
                Failure::new(message).at(span, format!("the similarity is {shown}"))
            }
            (false, true, Some(lacking)) => {
                Failure::new(format!("the answer does not state what is expected: {lacking}"))
                    .at(self.expected.span, "not all of it is in the answer")
                    .note(measured.similarity.to_string())
            }
            (false, true, None) | (true, false, _) => return Outcome::Held,
        };
        if !near {
            failure.notes.extend(facts.lacking().map(|lacking| format!("missing: {lacking}")));
        }
        failure.notes.extend(facts.hints());
        failure.notes.extend(measured.note.clone());
        failure.notes.push(quote(said));
        let number = matches!(self.threshold, Some(Threshold::One(_)));
        if !near && number && threshold > BUILTIN_REACHES && is_meant(embedder, "builtin") {
            failure.notes.push(format!(
                "a threshold belongs to an embedder: with `builtin`, few good answers in other words reach {threshold}; \
                 write `{{ builtin: 0.5, openai: {threshold} }}` to have one for each"
            ));
        }
        Outcome::Failed(failure.detail("/similarity", threshold, *similarity))
    }
}

impl Evaluate for Semantic {
    /// Only an answer that says nothing is judged without asking.
    fn evaluate(&self, trace: &Trace) -> Outcome {
        if !trace.output().text().trim().is_empty() {
            return Outcome::NotEvaluated("no similarity was measured".into());
        }
        Outcome::Failed(Failure::new("the agent said nothing").at(self.expected.span, "nothing is like this"))
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let said = trace.output().text();
        let asks = !said.trim().is_empty();
        asks.then(|| EvidenceQuestion::Similarity { expected: self.expected.value.clone(), said })
    }

    fn conclude(&self, trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        match self.measured(answer, negate) {
            Some(measured) => self.judge(&measured, &trace.output().text()),
            None => Outcome::Error(Failure::new("the similarity that was measured is no number")),
        }
    }

    fn keep(&self, answer: Value, negate: bool) -> KeptAnswer {
        let Some(Measured { similarity, note, unfit, .. }) = self.measured(&answer, negate) else {
            return KeptAnswer { evidence: answer, ..KeptAnswer::default() };
        };
        let near = similarity.threshold.is_some_and(|threshold| Similarity::passes(similarity.similarity, threshold));
        let facts = &similarity.facts;
        let lacks = !facts.missing.is_empty();
        let held = unfit.is_none() && near && !negate && !(lacks && self.facts == MissingFacts::Fail);
        let mut warnings = Vec::new();
        if held {
            // What only the answer states is worth a word beside what it lacks, and not by itself.
            let told = lacks || facts.negation.is_some() || !facts.unclear.is_empty();
            let seen = DifferingFacts { extra: if lacks { facts.extra.clone() } else { Vec::new() }, ..facts.clone() };
            warnings.extend(told.then(|| format!("the answer differs from the expected text: {seen}")));
            warnings.extend(note);
        }
        KeptAnswer {
            evidence: serde_json::to_value(&similarity).unwrap_or(answer),
            similarity: Some(similarity),
            warnings,
        }
    }
}
