//! Rules of a model's script that are never used, for `agentci check`: an earlier rule fits every request that they fit.
//!
//! Of the rules that fit a request the first in the file answers. A rule without an answer of its own, whose failures are used up
//! or left to chance, lets the next one answer.

use agentci_plan::{ModelCondition, ModelRule, ModelScript, UserText};
use agentci_source::Diagnostic;
use regex::Regex;

use crate::idle::no_effect;
use crate::vacuous::matches_all;

/// How many rules each rule is compared with: the first ones of the file.
const COMPARED: usize = 1000;

/// Warnings about rules that are never used, and about conditions that every request meets.
pub(crate) fn rules(script: &ModelScript) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut earlier: Vec<Earlier<'_>> = Vec::new();
    for rule in &script.rules {
        if let Some(UserText::Matches(pattern)) = &rule.when.user
            && matches_all(&pattern.value)
        {
            let message = format!("`user` has no effect: `{}` matches any text", pattern.value);
            let help = "write a pattern that an empty text does not match; or remove `user`";
            found.push(no_effect(pattern.span, message, help.into()));
        }
        found.extend(hidden(rule, &earlier));
        if rule.always_answers() && earlier.len() < COMPARED {
            earlier.push(Earlier::of(rule));
        }
    }
    found
}

/// A rule that always answers, and the requests that it answers.
struct Earlier<'r> {
    rule: &'r ModelRule,
    user: Users<'r>,
}

/// The texts of users that a rule fits.
enum Users<'r> {
    All,
    Containing(&'r str),
    Matching {
        written: &'r str,
        /// The pattern, unless it also looks at what is around a match.
        anywhere: Option<Regex>,
    },
}

impl<'r> Earlier<'r> {
    fn of(rule: &'r ModelRule) -> Self {
        let user = match &rule.when.user {
            None => Users::All,
            Some(UserText::Contains(text)) if text.is_empty() => Users::All,
            Some(UserText::Contains(text)) => Users::Containing(text),
            Some(UserText::Matches(pattern)) if matches_all(&pattern.value) => Users::All,
            Some(UserText::Matches(pattern)) => {
                let tree = regex_syntax::parse(&pattern.value).ok();
                let plain = tree.is_some_and(|tree| tree.properties().look_set().is_empty());
                let anywhere = plain.then(|| Regex::new(&pattern.value).ok()).flatten();
                Users::Matching { written: &pattern.value, anywhere }
            }
        };
        Self { rule, user }
    }

    /// Whether it fits every request that fits these conditions and brings results of tools, or brings none.
    fn covers(&self, when: &ModelCondition, results: bool) -> bool {
        let ModelCondition { model, user: _, tool_result, turn } = &self.rule.when;
        (model.is_none() || *model == when.model)
            && (turn.is_none() || *turn == when.turn)
            && tool_result.is_none_or(|wanted| wanted == results)
            && self.user.covers(when.user.as_ref())
    }
}

impl Users<'_> {
    fn covers(&self, later: Option<&UserText>) -> bool {
        match (self, later) {
            (Users::All, _) => true,
            (_, None) | (Users::Containing(_), Some(UserText::Matches(_))) => false,
            (Users::Containing(text), Some(UserText::Contains(later))) => later.contains(text),
            (Users::Matching { anywhere, .. }, Some(UserText::Contains(later))) => {
                anywhere.as_ref().is_some_and(|pattern| pattern.is_match(later))
            }
            (Users::Matching { written, .. }, Some(UserText::Matches(later))) => *written == later.value,
        }
    }
}

/// What is to be said of a rule that is hidden by earlier ones.
fn hidden(rule: &ModelRule, earlier: &[Earlier<'_>]) -> Option<Diagnostic> {
    let covering = |results: bool| {
        if rule.when.tool_result.is_some_and(|wanted| wanted != results) {
            return Some(None);
        }
        earlier.iter().find(|earlier| earlier.covers(&rule.when, results)).map(|earlier| Some(earlier.rule.span.line))
    };
    let mut lines: Vec<u32> = [covering(true)?, covering(false)?].into_iter().flatten().collect();
    lines.sort_unstable();
    lines.dedup();
    let message = match lines.as_slice() {
        [line] => format!("this rule is never used: the rule on line {line} fits every request that it fits"),
        [first, last] => {
            format!("this rule is never used: the rules on lines {first} and {last} fit every request that it fits")
        }
        _ => return None,
    };
    let help = "the first rule that fits answers: move this one before it, let the other ask for more in `when`, or remove one";
    Some(Diagnostic::warning(rule.span, message).label("never used").help(help))
}

#[cfg(test)]
mod tests {
    use agentci_plan::{ModelFailure, ModelFailureKind, Pace};
    use agentci_source::{Sources, Span, Spanned};

    use super::*;

    fn rule(line: u32, when: ModelCondition) -> ModelRule {
        let span = Span { line, ..Span::whole(Sources::default().add("model.yaml".as_ref(), "")) };
        ModelRule {
            when,
            replies: vec!["x".into()],
            tool_calls: Vec::new(),
            pace: Pace::default(),
            usage: None,
            finish: None,
            failure: None,
            misbehaves: false,
            span,
        }
    }

    fn any() -> ModelCondition {
        ModelCondition::default()
    }

    fn contains(text: &str) -> ModelCondition {
        ModelCondition { user: Some(UserText::Contains(text.into())), ..any() }
    }

    fn matches(pattern: &str) -> ModelCondition {
        let span = Span::whole(Sources::default().add("model.yaml".as_ref(), ""));
        ModelCondition { user: Some(UserText::Matches(Spanned::new(pattern.into(), span))), ..any() }
    }

    fn results(given: bool, when: ModelCondition) -> ModelCondition {
        ModelCondition { tool_result: Some(given), ..when }
    }

    fn turn(turn: u32, when: ModelCondition) -> ModelCondition {
        ModelCondition { turn: Some(turn), ..when }
    }

    fn model(name: &str, when: ModelCondition) -> ModelCondition {
        ModelCondition { model: Some(name.into()), ..when }
    }

    /// Which of the rules are never used, by their numbers from 1.
    fn never_used(rules_given: Vec<ModelRule>) -> Vec<u32> {
        let script = ModelScript { rules: rules_given, ..ModelScript::default() };
        rules(&script)
            .iter()
            .filter(|found| found.message.contains("never used"))
            .map(|found| found.span.line)
            .collect()
    }

    fn numbered(conditions: Vec<ModelCondition>) -> Vec<ModelRule> {
        (1..).zip(conditions).map(|(line, when)| rule(line, when)).collect()
    }

    #[test]
    fn a_rule_behind_a_wider_one_is_never_used() {
        for (earlier, later) in [
            (any(), any()),
            (any(), turn(2, results(true, contains("a")))),
            (contains(""), contains("a")),
            (matches(".*"), contains("a")),
            (contains("refund"), contains("my refund")),
            (contains("refund"), results(true, contains("refund"))),
            (matches(r"order \w+"), contains("order A-17")),
            (matches("^a$"), turn(1, matches("^a$"))),
            (results(true, any()), results(true, model("m", any()))),
            (model("m", any()), model("m", contains("a"))),
        ] {
            assert_eq!(never_used(numbered(vec![earlier.clone(), later.clone()])), [2], "{earlier:?} {later:?}");
        }
        assert_eq!(never_used(numbered(vec![results(true, any()), results(false, any()), contains("a")])), [3]);
    }

    #[test]
    fn a_rule_that_can_be_reached_is_left_alone() {
        for (earlier, later) in [
            (contains("a"), any()),
            (contains("my refund"), contains("refund")),
            (results(true, contains("refund")), contains("refund")),
            (turn(1, any()), any()),
            (turn(1, any()), turn(2, any())),
            (model("m", any()), any()),
            (model("m", any()), model("n", any())),
            (results(true, any()), results(false, any())),
            (contains("a"), matches("a")),
            // What is around the text decides whether these match.
            (matches("^order"), contains("order")),
            (matches(r"\border\b"), contains("order")),
            (matches("order.+"), contains("order")),
            (matches("a"), matches("aa")),
        ] {
            assert_eq!(never_used(numbered(vec![earlier.clone(), later.clone()])), [0; 0], "{earlier:?} {later:?}");
        }
        assert_eq!(never_used(numbered(vec![results(true, contains("a")), results(false, any()), any()])), [0; 0]);
    }

    #[test]
    fn a_failure_that_passes_lets_the_next_rule_answer() {
        let kind = ModelFailureKind::Hang;
        let failing = |failure: ModelFailure, replies: &[&str]| {
            let replies = replies.iter().map(|reply| (*reply).to_owned()).collect();
            never_used(vec![ModelRule { failure: Some(failure), replies, ..rule(1, any()) }, rule(2, any())])
        };
        let always = ModelFailure { kind, rate: 1.0, times: None };
        assert_eq!(failing(always.clone(), &[]), [2]);
        let (once, seldom) = (ModelFailure { times: Some(1), ..always.clone() }, ModelFailure { rate: 0.5, ..always });
        assert_eq!((failing(once.clone(), &[]), failing(seldom.clone(), &[])), (vec![], vec![]));
        assert_eq!((failing(once, &["x"]), failing(seldom, &["x"])), (vec![2], vec![2]));
    }

    #[test]
    fn a_pattern_that_matches_every_text_is_reported() {
        let script = ModelScript { rules: numbered(vec![matches(".*")]), ..ModelScript::default() };
        let found = rules(&script);
        assert!(matches!(&found[..], [one] if one.message.contains("`.*` matches any text")), "{found:?}");
        let script = ModelScript { rules: numbered(vec![matches(".+")]), ..ModelScript::default() };
        assert_eq!(rules(&script), []);
    }
}
