//! Recognises the language of a text, and compares texts in languages other than English.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use agentci_verdict::Contradiction;

use super::tables::rows;
use super::{WORDS_OF_A_VALUE, contradiction};

const WORDS: &str = include_str!("data/languages.tsv");
const NEGATORS: &str = include_str!("data/negators.tsv");
const OPPOSITE: &str = include_str!("data/opposites.tsv");
/// The most words of a text that are looked at.
const WORDS_READ: usize = 400;

/// A language that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NaturalLanguage {
    English,
    German,
    Spanish,
    French,
}

const LANGUAGES: [(&str, NaturalLanguage); 4] = [
    ("en", NaturalLanguage::English),
    ("de", NaturalLanguage::German),
    ("es", NaturalLanguage::Spanish),
    ("fr", NaturalLanguage::French),
];

fn language(code: &str) -> Option<NaturalLanguage> {
    LANGUAGES.iter().find(|(known, _)| *known == code).map(|(_, language)| *language)
}

static FREQUENT: LazyLock<Vec<(NaturalLanguage, HashSet<&str>)>> =
    LazyLock::new(|| rows(WORDS).filter_map(|row| Some((language(row[0])?, row[1].split(' ').collect()))).collect());

/// The words of a language that negate, and those that do not matter.
struct Negators {
    negating: Vec<&'static str>,
    dropped: Vec<&'static str>,
}

static OTHERS: LazyLock<BTreeMap<NaturalLanguage, Negators>> = LazyLock::new(|| {
    let split = |words: &'static str| words.split_whitespace().collect();
    let read = |row: Vec<&'static str>| {
        Some((language(row[0])?, Negators { negating: split(row[1]), dropped: split(row.get(2)?) }))
    };
    rows(NEGATORS).filter_map(read).collect()
});

/// Words that exclude each other.
struct ForeignAxis {
    language: NaturalLanguage,
    sides: [HashSet<&'static str>; 2],
}

static OPPOSITES: LazyLock<Vec<ForeignAxis>> = LazyLock::new(|| {
    let split = |words: &'static str| words.split(' ').collect();
    let read = |row: Vec<&'static str>| {
        Some(ForeignAxis { language: language(row[0])?, sides: [split(row[1]), split(row.get(2)?)] })
    };
    rows(OPPOSITE).filter_map(read).collect()
});

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).take(WORDS_READ)
}

/// The language of a text; English if several are as likely, and `None` if it is none of those known.
fn of(text: &str) -> Option<NaturalLanguage> {
    let mut counts: Vec<(usize, NaturalLanguage)> = FREQUENT
        .iter()
        .map(|(language, frequent)| (words(text).filter(|word| frequent.contains(word.as_str())).count(), *language))
        .collect();
    // The order of the languages decides between equals.
    counts.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    match counts.first() {
        Some((count, language)) if *count > 0 => Some(*language),
        _ if text.is_ascii() => Some(NaturalLanguage::English),
        _ => None,
    }
}

/// The language in which two texts are compared.
pub(super) fn of_pair(expected: &str, answer: &str) -> Option<NaturalLanguage> {
    let (one, other) = (of(expected)?, of(answer));
    if one == NaturalLanguage::English {
        let short = words(answer).count() <= WORDS_OF_A_VALUE;
        return (other == Some(NaturalLanguage::English) || (short && other.is_some())).then_some(one);
    }
    (other == Some(one)).then_some(one)
}

/// Whether contradictions between two texts cannot be found, because of their languages.
pub fn unjudged(expected: &str, answer: &str) -> bool {
    let blank = |text: &str| !text.contains(char::is_alphabetic);
    !blank(expected) && !blank(answer) && of_pair(expected, answer).is_none()
}

/// Texts that differ in nothing but a negation, or in the direction of a journey.
pub(super) fn differing(language: NaturalLanguage, expected: &str, answer: &str) -> Option<Contradiction> {
    let negators = OTHERS.get(&language)?;
    let (one, other) = (bag(negators, expected), bag(negators, answer));
    let found = |kind| Some(contradiction(kind, true, expected, answer));
    if one.0 != other.0 {
        return if one.1 == other.1 && differ_in_opposites(language, &one.0, &other.0) {
            found("opposite")
        } else {
            None
        };
    }
    if one.1 % 2 != other.1 % 2 {
        return found("negation");
    }
    let (from, to) = (journey(language, expected)?, journey(language, answer)?);
    if from.0 == to.1 && from.1 == to.0 && from.0 != from.1 { found("roles") } else { None }
}

/// Whether all words are the same but one, which is the opposite.
fn differ_in_opposites(language: NaturalLanguage, one: &[String], other: &[String]) -> bool {
    let alone = |words: &[String], others: &[String]| -> Vec<String> {
        words.iter().filter(|word| !others.contains(word)).cloned().collect()
    };
    let (left, right) = (alone(one, other), alone(other, one));
    let ([left], [right]) = (&left[..], &right[..]) else { return false };
    one.len() == other.len()
        && OPPOSITES.iter().filter(|axis| axis.language == language).any(|axis| {
            let on = |side: usize, word: &str| axis.sides.get(side).is_some_and(|words| words.contains(word));
            (on(0, left) && on(1, right)) || (on(1, left) && on(0, right))
        })
}

/// The sorted words of a text, and how many negations it has.
fn bag(negators: &Negators, text: &str) -> (Vec<String>, usize) {
    let is_any = |word: &str, of: &[&str]| {
        of.iter().any(|known| known.strip_suffix('*').map_or(*known == word, |start| word.starts_with(start)))
    };
    let (negating, others): (Vec<String>, Vec<String>) = words(text).partition(|word| is_any(word, &negators.negating));
    let mut others: Vec<String> = others.into_iter().filter(|word| !is_any(word, &negators.dropped)).collect();
    others.sort_unstable();
    (others, negating.len())
}

/// Where a journey begins and ends: `von Berlin nach Madrid`.
fn journey(language: NaturalLanguage, text: &str) -> Option<(String, String)> {
    let (from, to) = match language {
        NaturalLanguage::German => ("von", "nach"),
        NaturalLanguage::Spanish => ("de", "a"),
        NaturalLanguage::French => ("de", "à"),
        NaturalLanguage::English => return None,
    };
    let words: Vec<String> = words(text).collect();
    let found = words.windows(4).find(|words| matches!(words, [a, _, b, _] if a == from && b == to))?;
    Some((found[1].clone(), found[3].clone()))
}
