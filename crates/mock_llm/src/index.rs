//! Finds the rules that fit a request without looking at the others.
//!
//! Rules stand in buckets by what they want exactly: model, turn, whether there are tool results. A request looks into at most
//! eight of them. Within a bucket rules stand by what they want of the user's text. All literal texts, and the literal
//! beginnings of patterns, are found in one pass of one automaton; a pattern is tried only where its beginning was found, and
//! those without one are tried together.

use std::collections::{BTreeSet, HashMap};

use agentci_plan::{ModelRule, WantedWords};
use aho_corasick::AhoCorasick;
use regex::{Regex, RegexSet};
use regex_syntax::hir::literal::Extractor;
use rustc_hash::FxHashMap;

use super::asked::Asked;
use super::conditions::Conditions;
use super::sequences::Sequences;

/// The most memory that the patterns without a literal beginning may take together.
const SET_LIMIT: usize = 256 << 20;

/// Why rules can not be indexed.
#[derive(Debug, thiserror::Error)]
#[error("the patterns of the rules can not be used together: {0}")]
pub struct IndexError(String);

impl IndexError {
    pub(super) fn new(error: &dyn std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// What a rule wants exactly: model, turn, tool results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key(Option<usize>, Option<u32>, Option<bool>);

/// What a rule wants of the user's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Want {
    Anything,
    Literal(usize),
    Pattern(usize),
}

/// Rules by what they want.
#[derive(Debug)]
pub(super) struct Index {
    models: HashMap<String, usize>,
    /// Rule numbers in the order of the file.
    buckets: FxHashMap<(Key, Want), Vec<usize>>,
    keys: KeyShapes,
    finder: AhoCorasick,
    /// What was found when the automaton finds its nth needle.
    needles: Vec<Vec<Want>>,
    patterns: Vec<Regex>,
    /// Patterns without a literal beginning, and their numbers.
    set: RegexSet,
    set_patterns: Vec<usize>,
    /// What rules want beyond that.
    pub(super) conditions: Conditions,
    /// The rules that are steps of conversations, which are not among those above.
    pub(super) sequences: Sequences,
}

/// Which exact wants occur at all.
#[derive(Debug, Default)]
struct KeyShapes(BTreeSet<(bool, bool, bool)>);

impl Index {
    pub(super) fn new(rules: &[ModelRule]) -> Result<Self, IndexError> {
        let mut making = Making::default();
        for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.step.is_none()) {
            making.add(number, rule)?;
        }
        let index = making.finish(SET_LIMIT)?;
        Ok(Self { conditions: Conditions::new(rules)?, sequences: Sequences::new(rules)?, ..index })
    }

    /// The first rule that fits and is accepted, these steps among them.
    pub(super) fn first(&self, asked: &Asked, steps: &[usize], mut accept: impl FnMut(usize) -> bool) -> Option<usize> {
        let wants = self.wants(&asked.user);
        let mut lists: Vec<&[usize]> = vec![steps];
        for key in self.keys(asked) {
            lists.extend(wants.iter().filter_map(|want| self.buckets.get(&(key, *want))).map(Vec::as_slice));
        }
        loop {
            let next = lists.iter().filter_map(|list| list.first()).min().copied()?;
            if self.conditions.fit(next, asked) && accept(next) {
                return Some(next);
            }
            for list in &mut lists {
                if list.first() == Some(&next) {
                    *list = &list[1..];
                }
            }
        }
    }

    /// The exact wants that this request fulfils and that some rule has.
    fn keys(&self, asked: &Asked) -> impl Iterator<Item = Key> {
        let model = asked.model.as_ref().and_then(|model| self.models.get(model)).copied();
        let (turn, results) = (asked.turn(), !asked.results.is_empty());
        self.keys.0.iter().filter(move |(by_model, _, _)| !by_model || model.is_some()).map(
            move |(by_model, by_turn, by_results)| {
                Key(model.filter(|_| *by_model), by_turn.then_some(turn), by_results.then_some(results))
            },
        )
    }

    /// What this text fulfils.
    fn wants(&self, user: &str) -> Vec<Want> {
        let mut wants = vec![Want::Anything];
        let mut found: Vec<usize> = Vec::new();
        for needle in self.finder.find_overlapping_iter(user).map(|found| found.pattern().as_usize()) {
            if found.last() != Some(&needle) {
                found.push(needle);
            }
        }
        found.sort_unstable();
        found.dedup();
        wants.extend(found.iter().flat_map(|needle| &self.needles[*needle]));
        // A pattern may have several beginnings, and is tried once.
        wants.sort_unstable();
        wants.dedup();
        wants.retain(|want| match want {
            Want::Pattern(pattern) => self.patterns[*pattern].is_match(user),
            Want::Anything | Want::Literal(_) => true,
        });
        if !self.set_patterns.is_empty() {
            wants.extend(self.set.matches(user).into_iter().map(|at| Want::Pattern(self.set_patterns[at])));
        }
        wants
    }
}

/// An index that is being made.
#[derive(Default)]
struct Making {
    models: HashMap<String, usize>,
    buckets: FxHashMap<(Key, Want), Vec<usize>>,
    keys: KeyShapes,
    /// Needles of the automaton by their bytes.
    needle_numbers: HashMap<Vec<u8>, usize>,
    needle_bytes: Vec<Vec<u8>>,
    needles: Vec<Vec<Want>>,
    pattern_numbers: HashMap<String, usize>,
    patterns: Vec<Regex>,
    set: Vec<(String, usize)>,
}

impl Making {
    fn add(&mut self, number: usize, rule: &ModelRule) -> Result<(), IndexError> {
        let when = &rule.when;
        let next = self.models.len();
        let model = when.model.as_ref().map(|model| *self.models.entry(model.clone()).or_insert(next));
        let key = Key(model, when.turn, when.tool_result);
        self.keys.0.insert((model.is_some(), when.turn.is_some(), when.tool_result.is_some()));
        let want = match &when.user {
            None => Want::Anything,
            Some(WantedWords::Contains(text)) if text.is_empty() => Want::Anything,
            Some(WantedWords::Contains(text)) => {
                let needle = self.needle(text.as_bytes());
                self.note(needle, Want::Literal(needle))
            }
            Some(WantedWords::Matches(pattern)) => self.pattern(&pattern.value)?,
        };
        self.buckets.entry((key, want)).or_default().push(number);
        Ok(())
    }

    fn needle(&mut self, bytes: &[u8]) -> usize {
        if let Some(number) = self.needle_numbers.get(bytes) {
            return *number;
        }
        let number = self.needle_bytes.len();
        self.needle_numbers.insert(bytes.to_vec(), number);
        self.needle_bytes.push(bytes.to_vec());
        self.needles.push(Vec::new());
        number
    }

    fn note(&mut self, needle: usize, want: Want) -> Want {
        if !self.needles[needle].contains(&want) {
            self.needles[needle].push(want);
        }
        want
    }

    fn pattern(&mut self, pattern: &str) -> Result<Want, IndexError> {
        if let Some(known) = self.pattern_numbers.get(pattern) {
            return Ok(Want::Pattern(*known));
        }
        let number = self.patterns.len();
        self.patterns.push(Regex::new(pattern).map_err(|error| IndexError::new(&error))?);
        self.pattern_numbers.insert(pattern.to_owned(), number);
        match beginnings(pattern) {
            Some(beginnings) => {
                for beginning in beginnings {
                    let needle = self.needle(&beginning);
                    self.note(needle, Want::Pattern(number));
                }
            }
            None => self.set.push((pattern.to_owned(), number)),
        }
        Ok(Want::Pattern(number))
    }

    fn finish(self, limit: usize) -> Result<Index, IndexError> {
        let finder = AhoCorasick::new(&self.needle_bytes).map_err(|error| IndexError::new(&error))?;
        let set = regex::RegexSetBuilder::new(self.set.iter().map(|(pattern, _)| pattern))
            .size_limit(limit)
            .build()
            .map_err(|error| IndexError::new(&error))?;
        Ok(Index {
            models: self.models,
            buckets: self.buckets,
            keys: self.keys,
            finder,
            needles: self.needles,
            patterns: self.patterns,
            set,
            set_patterns: self.set.into_iter().map(|(_, number)| number).collect(),
            conditions: Conditions::default(),
            sequences: Sequences::default(),
        })
    }
}

/// The texts of which one begins every match; nothing when there is no such list.
fn beginnings(pattern: &str) -> Option<Vec<Vec<u8>>> {
    let tree = regex_syntax::parse(pattern).ok()?;
    let found = Extractor::new().extract(&tree);
    let literals = found.literals()?;
    let useful = !literals.is_empty() && literals.iter().all(|literal| !literal.is_empty());
    useful.then(|| literals.iter().map(|literal| literal.as_bytes().to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use agentci_plan::{ModelCondition, Pace};
    use agentci_source::{Sources, Span, Spanned};

    use super::super::asked::GivenResult;
    use super::*;

    fn span() -> Span {
        Span::whole(Sources::default().add(std::path::Path::new("x"), ""))
    }

    fn rule(when: ModelCondition) -> ModelRule {
        ModelRule {
            when,
            replies: vec!["x".into()],
            tool_calls: Vec::new(),
            pace: Pace::default(),
            usage: None,
            finish: None,
            failure: None,
            step: None,
            misbehaves: false,
            span: span(),
        }
    }

    fn contains(text: &str) -> ModelCondition {
        ModelCondition { user: Some(WantedWords::Contains(text.into())), ..ModelCondition::default() }
    }

    fn matches(pattern: &str) -> ModelCondition {
        let pattern = Spanned::new(pattern.to_owned(), span());
        ModelCondition { user: Some(WantedWords::Matches(pattern)), ..ModelCondition::default() }
    }

    fn says(user: &str) -> Asked {
        Asked { user: user.into(), model: Some("gpt".into()), ..Asked::default() }
    }

    #[test]
    fn patterns_have_a_limit_together() {
        let made = |patterns: usize, limit: usize| {
            let mut making = Making::default();
            for number in 0..patterns {
                making.add(number, &rule(matches(&format!("[a-z]{{100}}{number}")))).unwrap();
            }
            making.finish(limit).map(drop)
        };
        assert!(made(1, 100_000).is_ok());
        let error = made(100, 100_000).unwrap_err().to_string();
        assert!(error.contains("exceeds size limit of 100000"), "{error}");
        assert!(made(100, SET_LIMIT).is_ok());
    }

    fn index(conditions: Vec<ModelCondition>) -> Index {
        Index::new(&conditions.into_iter().map(rule).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_first_fitting_rule_of_the_file_wins() {
        let index = index(vec![
            ModelCondition { model: Some("other".into()), ..contains("refund") },
            ModelCondition { turn: Some(2), ..contains("refund") },
            ModelCondition { tool_result: Some(true), ..ModelCondition::default() },
            contains("my refund"),
            matches(r"order (\w+)"),
            matches(r"^\d+$"),
            contains("refund"),
            ModelCondition::default(),
        ]);
        let first = |asked: &Asked| index.first(asked, &[], |_| true);
        assert_eq!(first(&says("a refund")), Some(6));
        assert_eq!(first(&says("my refund")), Some(3));
        assert_eq!(first(&says("order A17")), Some(4));
        assert_eq!(first(&says("order ")), Some(7));
        assert_eq!(first(&says("123")), Some(5));
        assert_eq!(first(&says("")), Some(7));
        assert_eq!(first(&Asked { model: Some("other".into()), ..says("refund") }), Some(0));
        assert_eq!(first(&Asked { answers: 1, ..says("refund") }), Some(1));
        let result = GivenResult { call_id: "c".into(), content: String::new(), failed: false, function: None, at: 0 };
        assert_eq!(first(&Asked { results: vec![result], ..says("my refund") }), Some(2));
    }

    #[test]
    fn a_rule_that_is_not_accepted_gives_way_to_the_next() {
        let index = index(vec![contains("a"), contains("b"), matches("a|b"), ModelCondition::default()]);
        let mut tried = Vec::new();
        let found = index.first(&says("ab"), &[], |number| {
            tried.push(number);
            number == 3
        });
        assert_eq!((found, tried), (Some(3), vec![0, 1, 2, 3]));
        assert_eq!(index.first(&says("ab"), &[], |_| false), None);
    }

    #[test]
    fn agrees_with_looking_at_every_rule() {
        let words = ["a", "ab", "b", "abc", "c a", "ca", ""];
        let mut conditions = Vec::new();
        for (at, word) in words.iter().cycle().take(60).enumerate() {
            let mut when = if at % 3 == 0 && !word.is_empty() { matches(&format!("{word}+")) } else { contains(word) };
            when.turn = (at % 4 == 1).then_some(2);
            when.model = (at % 5 == 2).then(|| "gpt".to_owned());
            when.tool_result = (at % 7 == 3).then_some(false);
            conditions.push(when);
        }
        conditions.reverse();
        let fits = |when: &ModelCondition, asked: &Asked| {
            when.model.is_none()
                && when.turn.is_none_or(|turn| turn == asked.turn())
                && when.tool_result.is_none_or(|wanted| !wanted)
                && match &when.user {
                    Some(WantedWords::Contains(text)) => asked.user.contains(text.as_str()),
                    Some(WantedWords::Matches(pattern)) => Regex::new(&pattern.value).unwrap().is_match(&asked.user),
                    None => true,
                }
        };
        let scanned = conditions.clone();
        let index = index(conditions);
        for user in ["", "b", "xaby", "ccc a", "zzz", "abcabc"] {
            for answers in [0, 1] {
                let asked = Asked { model: None, answers, ..says(user) };
                let mut all = Vec::new();
                index.first(&asked, &[], |number| {
                    all.push(number);
                    false
                });
                let expected: Vec<usize> = (0..scanned.len()).filter(|at| fits(&scanned[*at], &asked)).collect();
                assert_eq!(all, expected, "{user}");
            }
        }
    }
}
