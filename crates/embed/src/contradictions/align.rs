//! Aligns the words of an expected clause with those of a part of the answer.

use std::ops::Range;

use super::text::{AnalysedText, ClauseWord, Modal};

/// How many letters at the beginning make two longer stems one.
const SAME_BEGINNING: usize = 6;

/// How two words relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Relation {
    #[default]
    None,
    /// The same stem, perhaps with a negative prefix on one side.
    Exact(i8),
    /// They lie on the same axis: 1 on the same side, -1 on opposite sides.
    Axis { sign: i8, strong: bool },
    /// They mean the same.
    Synonym,
}

impl Relation {
    /// 1 for the same meaning, -1 for the opposite, else 0.
    pub(super) fn sign(self) -> i8 {
        match self {
            Relation::None => 0,
            Relation::Exact(sign) | Relation::Axis { sign, .. } => sign,
            Relation::Synonym => 1,
        }
    }
}

/// The relation of two words.
pub(super) fn relation(one: &ClauseWord<'_>, other: &ClauseWord<'_>) -> Relation {
    if one.stem == other.stem {
        return Relation::Exact(one.sign * other.sign);
    }
    for pole in &one.meaning.axes {
        if let Some(facing) = other.meaning.axes.iter().find(|facing| facing.axis == pole.axis) {
            let sign = pole.sign * one.sign * facing.sign * other.sign;
            return Relation::Axis { sign, strong: pole.strong };
        }
    }
    let signs = one.sign * other.sign;
    let synonym = one.meaning.synonyms.iter().any(|group| other.meaning.synonyms.contains(group));
    let begins_same = || {
        let beginning = one.stem.get(..SAME_BEGINNING).filter(|_| one.stem.len() > SAME_BEGINNING - 1);
        beginning.is_some_and(|beginning| other.stem.len() > SAME_BEGINNING - 1 && other.stem.starts_with(beginning))
    };
    if signs == 1 && !one.is_number() && !other.is_number() && (synonym || begins_same()) {
        return Relation::Synonym;
    }
    Relation::None
}

/// The relations of all words of two texts that carry meaning.
#[derive(Debug)]
pub(super) struct Relations {
    /// The row of each word of the expected text, and the column of each of the answer.
    rows: Vec<Option<usize>>,
    columns: Vec<Option<usize>>,
    width: usize,
    all: Vec<Relation>,
}

impl Relations {
    pub(super) fn of(expected: &AnalysedText<'_>, answer: &AnalysedText<'_>) -> Self {
        let content = |text: &AnalysedText<'_>| -> Vec<Option<usize>> {
            let mut count = 0;
            let mut place = |word: &ClauseWord<'_>| {
                count += usize::from(word.content);
                word.content.then(|| count - 1)
            };
            text.words.iter().map(&mut place).collect()
        };
        let (rows, columns) = (content(expected), content(answer));
        let others: Vec<&ClauseWord<'_>> = answer.words.iter().filter(|word| word.content).collect();
        let wanted = expected.words.iter().filter(|word| word.content);
        let all = wanted.flat_map(|one| others.iter().map(|other| relation(one, other))).collect();
        Self { rows, columns, width: others.len(), all }
    }

    pub(super) fn get(&self, expected: usize, answer: usize) -> Relation {
        let place = |places: &[Option<usize>], at: usize| places.get(at).copied().flatten();
        let found = place(&self.rows, expected).zip(place(&self.columns, answer));
        found.map(|(row, column)| self.all[row * self.width + column]).unwrap_or_default()
    }
}

/// A word of the expected text and the one of the answer that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AlignedPair {
    pub(super) expected: usize,
    pub(super) answer: usize,
    pub(super) relation: Relation,
    /// A modal verb against a word such as `allowed`.
    pub(super) modal: bool,
}

/// A part of the expected text aligned with a part of the answer.
#[derive(Debug, Clone)]
pub(super) struct Alignment {
    pub(super) answer: Range<usize>,
    pub(super) pairs: Vec<AlignedPair>,
    /// The share of the words of the expected text that are aligned, and of those of the answer.
    pub(super) coverage: f64,
    pub(super) answer_coverage: f64,
}

impl Alignment {
    pub(super) fn of_expected(&self, word: usize) -> Option<&AlignedPair> {
        self.pairs.iter().find(|pair| pair.expected == word)
    }

    pub(super) fn of_answer(&self, word: usize) -> Option<&AlignedPair> {
        self.pairs.iter().find(|pair| pair.answer == word)
    }
}

/// Aligns each word with at most one: first the same stems, then the same meanings, then opposites.
pub(super) fn align(
    texts: (&AnalysedText<'_>, &AnalysedText<'_>),
    relations: &Relations,
    expected: &Range<usize>,
    answer: &Range<usize>,
    previous: &Range<usize>,
) -> Alignment {
    let wanted: Vec<usize> = texts.0.content(expected).map(|(at, _)| at).collect();
    let said: Vec<usize> = texts.1.content(answer).map(|(at, _)| at).collect();
    let mut pairs: Vec<AlignedPair> = Vec::with_capacity(wanted.len());
    let mut used = vec![false; said.len()];
    let mut taken = vec![false; wanted.len()];
    let rounds: [fn(Relation) -> bool; 3] = [
        |relation| matches!(relation, Relation::Exact(_)),
        |relation| relation.sign() > 0,
        |relation| relation.sign() < 0,
    ];
    for fits in rounds {
        for (index, &one) in wanted.iter().enumerate().filter(|(index, _)| !taken[*index]).collect::<Vec<_>>() {
            let found = said.iter().enumerate().find(|(at, other)| !used[*at] && fits(relations.get(one, **other)));
            if let Some((at, &other)) = found {
                (used[at], taken[index]) = (true, true);
                pairs.push(AlignedPair {
                    expected: one,
                    answer: other,
                    relation: relations.get(one, other),
                    modal: false,
                });
            }
        }
    }
    let aligned = pairs.len();
    let before = || {
        let known = |one: usize| previous.clone().any(|other| relations.get(one, other).sign() > 0);
        wanted.iter().enumerate().filter(|(index, one)| !taken[*index] && known(**one)).count()
    };
    let extra = if previous.is_empty() { 0 } else { before() };
    align_modals(texts, expected, answer, &mut pairs);
    let share = |count: usize, of: usize| if of == 0 { 0.0 } else { as_f64(count) / as_f64(of) };
    Alignment {
        answer: answer.clone(),
        pairs,
        coverage: share(aligned + extra, wanted.len()),
        answer_coverage: share(aligned, said.len()),
    }
}

fn as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Aligns modal verbs with words such as `allowed` that have no partner yet.
fn align_modals(
    texts: (&AnalysedText<'_>, &AnalysedText<'_>),
    expected: &Range<usize>,
    answer: &Range<usize>,
    pairs: &mut Vec<AlignedPair>,
) {
    for one in expected.clone().filter(|at| texts.0.words.get(*at).is_some_and(|word| word.modal.is_some())) {
        let free = |at: &usize| pairs.iter().all(|pair| pair.answer != *at);
        let found =
            answer.clone().filter(free).find_map(|at| Some((at, facing(&texts.0.words[one], texts.1.words.get(at)?)?)));
        if let Some((other, relation)) = found {
            pairs.push(AlignedPair { expected: one, answer: other, relation, modal: true });
        }
    }
    for other in answer.clone().filter(|at| texts.1.words.get(*at).is_some_and(|word| word.modal.is_some())) {
        let free = |at: &usize| pairs.iter().all(|pair| pair.expected != *at);
        let found = expected
            .clone()
            .filter(free)
            .find_map(|at| Some((at, facing(&texts.1.words[other], texts.0.words.get(at)?)?)));
        if let Some((one, relation)) = found {
            pairs.push(AlignedPair { expected: one, answer: other, relation, modal: true });
        }
    }
}

/// The relation of a modal verb to a word on the axis of what is allowed or of what is required.
fn facing(modal: &ClauseWord<'_>, word: &ClauseWord<'_>) -> Option<Relation> {
    let stem = match modal.modal? {
        Modal::Allow => "allow",
        Modal::Require => "requir",
    };
    let axis = super::tables::meaning(stem).axes.first()?;
    let pole = word.meaning.axes.iter().find(|pole| pole.axis == axis.axis).filter(|_| word.content)?;
    Some(Relation::Axis { sign: pole.sign * word.sign, strong: true })
}
