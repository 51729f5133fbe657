//! Finds the rules that match a request.
//!
//! One pass of one automaton finds all strings that rules look for in the user's text, so that thousands of such rules
//! cost little more than one. Patterns without a literal prefix are tried together as a set; all other rules are tried
//! one by one.

use std::collections::BTreeMap;

use agentci_plan::{ModelRule, WantedWords};
use aho_corasick::AhoCorasick;
use regex::{RegexSet, RegexSetBuilder};
use regex_syntax::hir::literal::Extractor;

use super::{conditions::Conditions, parsed_request::ParsedRequest, sequences::Sequences};

/// The memory limit of the patterns without a literal prefix, in bytes.
const SET_LIMIT: usize = 256 << 20;

/// Why rules cannot be indexed.
#[derive(Debug, thiserror::Error)]
#[error("the patterns of the rules cannot be used together: {0}")]
pub struct IndexError(String);

impl IndexError {
    pub(super) fn new(error: &dyn std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Rules by the user's text that they look for.
#[derive(Debug)]
pub(super) struct RuleIndex {
    texts: AhoCorasick,
    /// The rules that look for the nth string.
    by_text: Vec<Vec<usize>>,
    patterns: RegexSet,
    /// The rules that look for the nth pattern.
    by_pattern: Vec<Vec<usize>>,
    others: Vec<usize>,
    pub(super) conditions: Conditions,
    /// The rules that are steps of conversations; they are in none of the lists above.
    pub(super) sequences: Sequences,
}

impl RuleIndex {
    pub(super) fn new(rules: &[ModelRule]) -> Result<Self, IndexError> {
        Self::limited(rules, SET_LIMIT)
    }

    fn limited(rules: &[ModelRule], limit: usize) -> Result<Self, IndexError> {
        let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let (mut by_pattern, mut others): (BTreeMap<&str, Vec<usize>>, Vec<usize>) = Default::default();
        for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.step.is_none()) {
            match &rule.when.user {
                Some(WantedWords::Contains(text)) => by_text.entry(text).or_default().push(number),
                Some(WantedWords::Matches(pattern)) if !has_beginning(&pattern.value) => {
                    by_pattern.entry(&pattern.value).or_default().push(number);
                }
                Some(WantedWords::Matches(_)) | None => others.push(number),
            }
        }
        let (texts, by_text): (Vec<&str>, Vec<Vec<usize>>) = by_text.into_iter().unzip();
        let (patterns, by_pattern): (Vec<&str>, Vec<Vec<usize>>) = by_pattern.into_iter().unzip();
        let patterns = RegexSetBuilder::new(patterns).size_limit(limit).build();
        Ok(Self {
            texts: AhoCorasick::new(texts).map_err(|error| IndexError::new(&error))?,
            by_text,
            patterns: patterns.map_err(|error| IndexError::new(&error))?,
            by_pattern,
            others,
            conditions: Conditions::new(rules)?,
            sequences: Sequences::new(rules)?,
        })
    }

    /// The first rule, `steps` included, that matches and that `accept` accepts.
    pub(super) fn first(
        &self,
        parsed: &ParsedRequest,
        steps: &[usize],
        mut accept: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let texts = self.texts.find_overlapping_iter(&parsed.user).map(|found| found.pattern().as_usize());
        let texts = sorted(texts);
        let found = texts.iter().flat_map(|text| &self.by_text[*text]);
        let patterns = (!self.patterns.is_empty()).then(|| self.patterns.matches(&parsed.user));
        let matching = patterns.iter().flatten().flat_map(|pattern| &self.by_pattern[pattern]);
        let rules = sorted(found.chain(matching).chain(&self.others).chain(steps).copied());
        rules.into_iter().find(|rule| self.conditions.fit(*rule, parsed) && accept(*rule))
    }
}

/// Sorts and deduplicates.
fn sorted(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether every match of a pattern begins with one of a few literals, which makes the pattern fast to try.
fn has_beginning(pattern: &str) -> bool {
    regex_syntax::parse(pattern).is_ok_and(|tree| {
        let found = Extractor::new().extract(&tree);
        found.literals().is_some_and(|texts| !texts.is_empty() && texts.iter().all(|text| !text.is_empty()))
    })
}

#[cfg(test)]
mod tests {
    use agentci_plan::{AnswerPace, ModelCondition};
    use agentci_source::{Sources, Span, Spanned};

    use super::super::parsed_request::GivenResult;
    use super::*;

    fn span() -> Span {
        Span::whole(Sources::default().add(std::path::Path::new("x"), ""))
    }

    fn rule(when: ModelCondition) -> ModelRule {
        ModelRule {
            when,
            replies: vec!["x".into()],
            tool_calls: Vec::new(),
            pace: AnswerPace::default(),
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

    fn says(user: &str) -> ParsedRequest {
        ParsedRequest { user: user.into(), model: Some("gpt".into()), ..ParsedRequest::default() }
    }

    #[test]
    fn patterns_have_a_total_size_limit() {
        let made = |patterns: usize, limit: usize| {
            let rules: Vec<ModelRule> =
                (0..patterns).map(|number| rule(matches(&format!("[a-z]{{100}}{number}")))).collect();
            RuleIndex::limited(&rules, limit).map(drop)
        };
        assert!(made(1, 100_000).is_ok());
        let error = made(100, 100_000).unwrap_err().to_string();
        assert!(error.contains("exceeds size limit of 100000"), "{error}");
        assert!(made(100, SET_LIMIT).is_ok());
    }

    fn index(conditions: Vec<ModelCondition>) -> RuleIndex {
        RuleIndex::new(&conditions.into_iter().map(rule).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn first_matching_rule_wins() {
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
        let first = |parsed: &ParsedRequest| index.first(parsed, &[], |_| true);
        assert_eq!(first(&says("a refund")), Some(6));
        assert_eq!(first(&says("my refund")), Some(3));
        assert_eq!(first(&says("order A17")), Some(4));
        assert_eq!(first(&says("order ")), Some(7));
        assert_eq!(first(&says("123")), Some(5));
        assert_eq!(first(&says("")), Some(7));
        assert_eq!(first(&ParsedRequest { model: Some("other".into()), ..says("refund") }), Some(0));
        assert_eq!(first(&ParsedRequest { answers: 1, ..says("refund") }), Some(1));
        let result = GivenResult { call_id: "c".into(), content: String::new(), failed: false, function: None, at: 0 };
        assert_eq!(first(&ParsedRequest { results: vec![result], ..says("my refund") }), Some(2));
    }

    #[test]
    fn rejected_rule_falls_through_to_the_next() {
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
    fn agrees_with_linear_search() {
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
        let fits = |when: &ModelCondition, parsed: &ParsedRequest| {
            when.model.is_none()
                && when.turn.is_none_or(|turn| turn == parsed.turn())
                && when.tool_result.is_none_or(|wanted| !wanted)
                && match &when.user {
                    Some(WantedWords::Contains(text)) => parsed.user.contains(text.as_str()),
                    Some(WantedWords::Matches(pattern)) => {
                        regex::Regex::new(&pattern.value).unwrap().is_match(&parsed.user)
                    }
                    None => true,
                }
        };
        let scanned = conditions.clone();
        let index = index(conditions);
        for user in ["", "b", "xaby", "ccc a", "zzz", "abcabc"] {
            for answers in [0, 1] {
                let parsed = ParsedRequest { model: None, answers, ..says(user) };
                let mut all = Vec::new();
                index.first(&parsed, &[], |number| {
                    all.push(number);
                    false
                });
                let expected: Vec<usize> = (0..scanned.len()).filter(|at| fits(&scanned[*at], &parsed)).collect();
                assert_eq!(all, expected, "{user}");
            }
        }
    }
}
