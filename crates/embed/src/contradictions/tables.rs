//! The tables of words, read from the files in `data`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use agentci_weights::VOCABULARY;

use super::stem::stem;

const WORDS: &str = include_str!("data/words.tsv");
const LEMMAS: &str = include_str!("data/lemmas.tsv");
const PREFIXES: &str = include_str!("data/prefixes.tsv");
const AXES: &str = include_str!("data/axes.tsv");
const SYNONYMS: &str = include_str!("data/synonyms.tsv");
const EXCLUSIVE: &str = include_str!("data/exclusive.tsv");
const CONVERSES: &str = include_str!("data/converses.tsv");

/// The fewest letters after `un` and `non`.
const BASE_LETTERS: usize = 4;

/// Classes of words, by their names in `words.tsv`.
pub(super) static CLASSES: LazyLock<HashMap<&str, HashSet<&str>>> =
    LazyLock::new(|| rows(WORDS).map(|row| (row[0], row[1].split(' ').collect())).collect());

static LEMMA: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| rows(LEMMAS).map(|row| (row[0], row[1])).collect());
static PREFIXED: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| rows(PREFIXES).map(|row| (row[0], row[1])).collect());
static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| VOCABULARY.lines().collect());

/// The stems of the table of lemmas.
static STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| LEMMA.values().map(|lemma| stem(lemma)).collect());

/// What is known about each stem.
static MEANINGS: LazyLock<HashMap<String, StemMeaning>> = LazyLock::new(meanings);

/// What is known about a stem.
#[derive(Debug, Default)]
pub(super) struct StemMeaning {
    /// The axes that it lies on.
    pub(super) axes: Vec<AxisPole>,
    /// The groups of synonyms that it belongs to.
    pub(super) synonyms: Vec<usize>,
    /// The sets of exclusive things that it belongs to, each with the thing.
    pub(super) exclusive: Vec<(usize, usize)>,
    /// The groups of verbs for one event.
    pub(super) converses: Vec<usize>,
}

/// One side of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AxisPole {
    pub(super) axis: usize,
    pub(super) sign: i8,
    pub(super) strong: bool,
}

/// The rows of a table, without comments and blank lines.
pub(super) fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// Whether a word belongs to a class of `words.tsv`.
pub(super) fn is_in(class: &str, word: &str) -> bool {
    CLASSES.get(class).is_some_and(|words| words.contains(word))
}

/// Whether a stem is that of a word of a class.
pub(super) fn stem_is_in(class: &'static str, stem: &str) -> bool {
    static STEMS: LazyLock<HashMap<&str, HashSet<String>>> = LazyLock::new(|| {
        let stems = |words: &HashSet<&str>| words.iter().map(|word| lemma(word).0).collect();
        let stemmed = CLASSES.iter().filter(|(class, _)| matches!(**class, "symmetric" | "say" | "generic"));
        stemmed.map(|(class, words)| (*class, stems(words))).collect()
    });
    STEMS.get(class).is_some_and(|stems| stems.contains(stem))
}

/// What is known about a stem.
pub(super) fn meaning(stem: &str) -> &'static StemMeaning {
    static NOTHING: LazyLock<StemMeaning> = LazyLock::new(StemMeaning::default);
    MEANINGS.get(stem).unwrap_or(&NOTHING)
}

/// The stem of a word, and -1 if a negative prefix was removed.
pub(super) fn lemma(word: &str) -> (String, i8) {
    let (base, sign) = match without_prefix(word) {
        Some(base) => (base, -1),
        None => (word, 1),
    };
    (stem(LEMMA.get(base).unwrap_or(&base)), sign)
}

fn without_prefix(word: &str) -> Option<&str> {
    if let Some(base) = PREFIXED.get(word) {
        return Some(base);
    }
    if let Some(base) = word.strip_prefix("non-") {
        return Some(base);
    }
    let base = word.strip_prefix("un").or_else(|| word.strip_prefix("non"))?;
    let known = || KNOWN.contains(base) || STEMS.contains(&stem(base)) || base.ends_with("able");
    (base.len() >= BASE_LETTERS && !is_in("not_negative", word) && known()).then_some(base)
}

fn meanings() -> HashMap<String, StemMeaning> {
    let mut all: HashMap<String, StemMeaning> = HashMap::new();
    for (axis, row) in rows(AXES).enumerate() {
        for (side, pole) in [(row[1], 1), (row[2], -1)] {
            for word in side.split(' ') {
                let (stem, sign) = lemma(word);
                let axes = &mut all.entry(stem).or_default().axes;
                if axes.iter().all(|known| known.axis != axis) {
                    axes.push(AxisPole { axis, sign: sign * pole, strong: row[0] == "strong" });
                }
            }
        }
    }
    for (group, row) in rows(SYNONYMS).enumerate() {
        for word in row[0].split(' ') {
            push_once(&mut all.entry(lemma(word).0).or_default().synonyms, group);
        }
    }
    for (group, row) in rows(CONVERSES).enumerate() {
        for word in row[0].split(' ') {
            push_once(&mut all.entry(lemma(word).0).or_default().converses, group);
        }
    }
    for (set, row) in rows(EXCLUSIVE).enumerate() {
        for (thing, names) in row[0].split(' ').enumerate() {
            for word in names.split('|') {
                push_once(&mut all.entry(lemma(word).0).or_default().exclusive, (set, thing));
            }
        }
    }
    all
}

fn push_once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_on_both_sides_of_an_axis() {
        for row in rows(AXES) {
            let poles = |side: &str, pole: i8| -> Vec<(String, i8)> {
                side.split(' ').map(lemma).map(|(stem, sign)| (stem, sign * pole)).collect()
            };
            let (one, other) = (poles(row[1], 1), poles(row[2], -1));
            for (stem, pole) in &one {
                let opposite = other.iter().chain(&one).find(|(other, sign)| other == stem && sign != pole);
                assert!(opposite.is_none(), "{row:?}: {stem}");
            }
        }
    }

    #[test]
    fn no_thing_excludes_itself() {
        for row in rows(EXCLUSIVE) {
            let mut things: HashMap<String, usize> = HashMap::new();
            for (thing, names) in row[0].split(' ').enumerate() {
                for name in names.split('|') {
                    let known = things.insert(lemma(name).0, thing);
                    assert!(known.is_none_or(|known| known == thing), "{row:?}: {name}");
                }
            }
        }
    }

    #[test]
    fn tables_have_the_columns_that_are_read() {
        for (table, columns) in
            [(WORDS, 2), (LEMMAS, 2), (PREFIXES, 2), (AXES, 3), (SYNONYMS, 1), (EXCLUSIVE, 1), (CONVERSES, 1)]
        {
            for row in rows(table) {
                let filled = row.iter().all(|column| !column.is_empty() && column.trim() == *column);
                assert!(row.len() == columns && filled, "{row:?}");
            }
            let mut unique: Vec<Vec<&str>> = rows(table).collect();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), rows(table).count(), "a row is there twice: {table}");
        }
    }

    #[test]
    fn negative_prefixes_are_removed() {
        for (word, base, sign) in [
            ("unpaid", "pay", -1),
            ("non-removable", "remov", -1),
            ("nonrefundable", "refund", -1),
            ("unavailable", "avail", -1),
            ("under", "under", 1),
            ("union", "union", 1),
            ("deactivated", "activ", -1),
        ] {
            assert_eq!(lemma(word), (base.to_owned(), sign), "{word}");
        }
    }
}
