//! Judges each part of the expected text against the part of the answer that is closest to it.

use std::ops::Range;

use agentci_verdict::Contradiction;

use super::align::{Alignment, Relations, align};
use super::opposite::signs;
use super::text::{AnalysedText, ClauseWord};
use super::{exclusive, modality, opposite, order, quantifier, roles};

/// The most neighbouring clauses of the answer that are read as one.
const JOINED_CLAUSES: usize = 3;
/// The most clauses of a sentence of the expected text that are judged on their own.
const MOST_PARTS: usize = 20;
/// The coverage that a part of a sentence needs, and that another part of the answer needs, as a share of the best.
const ENOUGH: f64 = 0.75;

/// A part of the expected text and a part of the answer.
#[derive(Debug)]
pub(super) struct MatchedParts<'c, 'a> {
    pub(super) expected: Side<'c, 'a>,
    pub(super) answer: Side<'c, 'a>,
    pub(super) relations: &'c Relations,
    pub(super) alignment: &'c Alignment,
}

/// A part of one of the texts.
#[derive(Debug)]
pub(super) struct Side<'c, 'a> {
    source: &'c str,
    text: &'c AnalysedText<'a>,
    pub(super) range: Range<usize>,
}

/// The texts, and a part of the expected one.
#[derive(Clone, Copy)]
struct Sides<'c, 'a> {
    expected: &'c str,
    answer: &'c str,
    wanted: &'c AnalysedText<'a>,
    said: &'c AnalysedText<'a>,
    range: &'c Range<usize>,
    relations: &'c Relations,
}

impl<'c, 'a> Sides<'c, 'a> {
    fn case(&self, alignment: &'c Alignment) -> MatchedParts<'c, 'a> {
        MatchedParts {
            expected: Side { source: self.expected, text: self.wanted, range: self.range.clone() },
            answer: Side { source: self.answer, text: self.said, range: alignment.answer.clone() },
            relations: self.relations,
            alignment,
        }
    }
}

/// What a rule says.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Nothing; the next rule decides.
    Open,
    /// The answer states what is expected.
    Satisfied,
    Found(Contradiction),
}

impl<'c, 'a> Side<'c, 'a> {
    pub(super) fn words(&self) -> &'c [ClauseWord<'a>] {
        self.text.slice(&self.range)
    }

    pub(super) fn word(&self, at: usize) -> Option<&'c ClauseWord<'a>> {
        self.text.words.get(at).filter(|_| self.range.contains(&at))
    }

    pub(super) fn content(&self) -> impl Iterator<Item = (usize, &'c ClauseWord<'a>)> {
        self.text.content(&self.range)
    }

    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.words().iter().any(|word| word.is_any(words))
    }

    pub(super) fn negators(&self) -> usize {
        self.words().iter().filter(|word| word.negator).count()
    }

    /// The text between two words.
    pub(super) fn shown(&self, words: &Range<usize>) -> &'c str {
        let (first, last) =
            (self.text.words.get(words.start), words.end.checked_sub(1).and_then(|last| self.text.words.get(last)));
        let (Some(first), Some(last)) = (first, last) else { return "" };
        self.source.get(first.start..last.end).unwrap_or_default()
    }

    /// The clauses, and the parts of clauses, that lie in this side.
    pub(super) fn clauses(&self) -> impl Iterator<Item = Range<usize>> {
        let clauses = self.text.clauses.iter().map(|clause| &clause.words);
        let inside = clauses.filter(|words| words.start < self.range.end && words.end > self.range.start);
        inside.map(|words| words.start.max(self.range.start)..words.end.min(self.range.end))
    }

    /// The whole text.
    pub(super) fn all(&self) -> &'c str {
        self.shown(&self.range)
    }

    /// The end of the clause with a word.
    pub(super) fn clause_end(&self, at: usize) -> usize {
        let clause = self.text.clauses.iter().find(|clause| clause.words.contains(&at));
        clause.map_or(self.range.end, |clause| clause.words.end.min(self.range.end))
    }

    /// A word with its negation: `not approved`.
    pub(super) fn with_negation(&self, at: usize) -> String {
        let Some(word) = self.word(at) else { return String::new() };
        let noun = word.modal.and_then(|_| self.content().find(|(next, _)| *next > at)).map(|(_, next)| next.text);
        let after = noun.map(|noun| format!(" {noun}")).unwrap_or_default();
        let negator = word.focus.and_then(|negator| Some((negator, self.word(negator)?)));
        match negator {
            None if word.negations % 2 == 1 => self.all().to_owned(),
            None => format!("{}{after}", word.text),
            Some((negator, not)) if negator < at => format!("{} {}{after}", not.text, word.text),
            Some((_, not)) if word.modal.is_some() => format!("{} {}{after}", word.text, not.text),
            Some(_) => self.all().to_owned(),
        }
    }
}

/// The most certain contradiction, and the best coverage of a sentence of the expected text.
pub(super) fn judge(
    expected: &str,
    answer: &str,
    wanted: &AnalysedText<'_>,
    said: &AnalysedText<'_>,
) -> (Option<Contradiction>, f64) {
    let relations = Relations::of(wanted, said);
    let (mut likely, mut coverage) = (None, 0.0_f64);
    for sentence in &wanted.sentences {
        for part in parts(wanted, sentence) {
            let whole = part == *sentence;
            let range = wanted.words_of(&part);
            let aligned = alignments((wanted, said), &relations, &range);
            let Some(best) = best(&aligned) else { continue };
            if whole {
                coverage = coverage.max(best.coverage);
            } else if best.coverage < ENOUGH {
                continue;
            }
            let sides = Sides { expected, answer, wanted, said, range: &range, relations: &relations };
            if is_satisfied(best, &aligned, sides) {
                continue;
            }
            match decide(&sides.case(best)) {
                Some(found) if found.certain => return (Some(found), coverage),
                found => likely = likely.or(found),
            }
        }
    }
    (likely, coverage)
}

/// The whole sentence, and each of its main clauses.
fn parts(text: &AnalysedText<'_>, sentence: &Range<usize>) -> Vec<Range<usize>> {
    let mut parts = vec![sentence.clone()];
    let main = |clause: &usize| {
        let clause = text.clauses.get(*clause);
        clause.is_some_and(|clause| !clause.conditional && text.content(&clause.words).nth(1).is_some())
    };
    if sentence.len() > 1 {
        parts.extend(sentence.clone().filter(main).take(MOST_PARTS).map(|clause| clause..clause + 1));
    }
    parts
}

fn alignments(
    texts: (&AnalysedText<'_>, &AnalysedText<'_>),
    relations: &Relations,
    part: &Range<usize>,
) -> Vec<Alignment> {
    let mut found = Vec::new();
    let mut before = 0..0;
    for sentence in &texts.1.sentences {
        for first in sentence.clone() {
            for last in first..sentence.end.min(first + JOINED_CLAUSES) {
                let range = texts.1.words_of(&(first..last + 1));
                let previous = if refers(texts.1.slice(&range)) { before.start..range.start } else { 0..0 };
                found.push(align(texts, relations, part, &range, &previous));
            }
        }
        before = texts.1.words_of(sentence);
    }
    found
}

/// Whether a part of the answer is about what was said before: `it is open`, `but it is open`.
fn refers(words: &[ClauseWord<'_>]) -> bool {
    let joins = |word: &&ClauseWord<'_>| word.is_in("cut_before") || word.is_any(&["and", "so", "then"]);
    words.iter().find(|word| !joins(word)).is_some_and(|word| word.is_in("pronoun"))
}

/// The part of the answer that covers most, the shortest of equals.
fn best(aligned: &[Alignment]) -> Option<&Alignment> {
    let covering = aligned.iter().filter(|alignment| alignment.coverage > 0.0);
    covering.max_by(|one, other| {
        one.coverage.total_cmp(&other.coverage).then_with(|| other.answer.len().cmp(&one.answer.len()))
    })
}

/// Whether another part of the answer agrees with what the best one seems to contradict.
fn is_satisfied(best: &Alignment, aligned: &[Alignment], sides: Sides<'_, '_>) -> bool {
    if signs(&sides.case(best)).conflicts.is_empty() {
        return false;
    }
    let mut others =
        aligned.iter().filter(|other| other.answer != best.answer && other.coverage >= ENOUGH * best.coverage);
    others.any(|other| {
        let signs = signs(&sides.case(other));
        let free = signs.conflicts.is_empty();
        free && (signs.agrees || other.coverage >= best.coverage)
    })
}

fn decide(case: &MatchedParts<'_, '_>) -> Option<Contradiction> {
    let rules: [fn(&MatchedParts<'_, '_>) -> Verdict; 6] =
        [order::judge, opposite::judge, modality::judge, quantifier::judge, roles::judge, exclusive::judge];
    let mut likely = None;
    for rule in rules {
        match rule(case) {
            Verdict::Open => {}
            Verdict::Satisfied => return likely,
            Verdict::Found(found) if found.certain => return Some(found),
            Verdict::Found(found) => likely = likely.or(Some(found)),
        }
    }
    likely
}
