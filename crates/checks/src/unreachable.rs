//! Finds rules of a model's script that are never used, for `agentci check`: an earlier rule matches every request that
//! they match.
//!
//! The first rule in the file that matches a request answers it. If a rule has no answer, and its failure is random or
//! limited in number, the next one may answer.

use agentci_plan::{ModelCondition, ModelRule, ModelScript, SequenceStep, WantedOffer, WantedWords};
use agentci_source::Diagnostic;
use regex::Regex;

use crate::ineffective::no_effect;
use crate::vacuous::matches_all;

/// The most rules that each rule is compared with: the first ones of the file.
const COMPARED: usize = 1000;

/// Warnings about rules that are never used, and about conditions that every request meets.
pub(crate) fn rules(script: &ModelScript) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut earlier: Vec<EarlierRule<'_>> = Vec::new();
    // The first step of a conversation decides whether the others are reached.
    for rule in script.rules.iter().filter(|rule| rule.step.is_none_or(SequenceStep::is_first)) {
        found.extend(met_by_all(&rule.when));
        found.extend(hidden(rule, &earlier).or_else(|| contradictory(rule)));
        if rule.step.is_none() && rule.always_answers() && earlier.len() < COMPARED {
            earlier.push(EarlierRule::of(rule));
        }
    }
    found
}

/// Warns about patterns that match every text.
fn met_by_all(when: &ModelCondition) -> impl Iterator<Item = Diagnostic> {
    wanted(when).into_iter().filter_map(|(key, words)| {
        let Some(WantedWords::Matches(pattern)) = words else { return None };
        let message = format!("`{key}` has no effect: `{}` matches any text", pattern.value);
        let help = format!("write a pattern that an empty text does not match; or remove `{key}`");
        matches_all(&pattern.value).then(|| no_effect(pattern.span, message, help))
    })
}

/// Warns about a rule whose conditions contradict each other.
fn contradictory(rule: &ModelRule) -> Option<Diagnostic> {
    let ModelCondition { tool_result: Some(true), turn: Some(1), .. } = &rule.when else { return None };
    let message = "this rule is never used: a request with tool results has an answer before it, so it is never turn 1";
    let help = "remove `turn` or `tool_result`, or write `turn: 2`";
    Some(Diagnostic::warning(rule.span, message).label("never used").help(help))
}

/// A rule that always answers, and the requests that it answers.
struct EarlierRule<'r> {
    rule: &'r ModelRule,
    texts: [FittingTexts<'r>; 3],
}

/// The conditions on the texts of a request, by key.
fn wanted(when: &ModelCondition) -> [(&'static str, Option<&WantedWords>); 3] {
    [("system", when.system.as_ref()), ("user", when.user.as_ref()), ("messages", when.messages.as_ref())]
}

/// The texts that a condition matches.
enum FittingTexts<'r> {
    All,
    Containing(&'r str),
    Matching {
        written: &'r str,
        /// The pattern, unless it has assertions about the text around a match.
        anywhere: Option<Regex>,
    },
}

impl<'r> EarlierRule<'r> {
    fn of(rule: &'r ModelRule) -> Self {
        Self { rule, texts: wanted(&rule.when).map(|(_, words)| FittingTexts::of(words)) }
    }

    /// Whether it matches every request that meets these conditions and has tool results (or, with `results` false, has
    /// none).
    fn covers(&self, when: &ModelCondition, results: bool) -> bool {
        let own = &self.rule.when;
        // All conditions decide which request is the nth.
        if own.nth.is_some() {
            return own == when;
        }
        (own.model.is_none() || own.model == when.model)
            && (own.turn.is_none() || own.turn == when.turn)
            && own.tool_result.is_none_or(|wanted| wanted == results)
            && own.tools.as_ref().is_none_or(|own| when.tools.as_ref().is_some_and(|later| covers_offer(own, later)))
            && self.texts.iter().zip(wanted(when)).all(|(texts, (_, later))| texts.covers(later))
    }
}

/// Whether every offer that matches `later` matches `own` as well.
fn covers_offer(own: &WantedOffer, later: &WantedOffer) -> bool {
    let all_of_own = own.names.iter().all(|name| later.names.contains(name));
    all_of_own && (!own.exactly || (later.exactly && later.names.iter().all(|name| own.names.contains(name))))
}

impl<'r> FittingTexts<'r> {
    fn of(words: Option<&'r WantedWords>) -> Self {
        match words {
            None => FittingTexts::All,
            Some(words) if words.is_empty() => FittingTexts::All,
            Some(WantedWords::Contains(text)) => FittingTexts::Containing(text),
            Some(WantedWords::Matches(pattern)) if matches_all(&pattern.value) => FittingTexts::All,
            Some(WantedWords::Matches(pattern)) => {
                let tree = regex_syntax::parse(&pattern.value).ok();
                let plain = tree.is_some_and(|tree| tree.properties().look_set().is_empty());
                let anywhere = plain.then(|| Regex::new(&pattern.value).ok()).flatten();
                FittingTexts::Matching { written: &pattern.value, anywhere }
            }
        }
    }

    fn covers(&self, later: Option<&WantedWords>) -> bool {
        match (self, later) {
            (FittingTexts::All, _) => true,
            (_, None) | (FittingTexts::Containing(_), Some(WantedWords::Matches(_))) => false,
            (FittingTexts::Containing(text), Some(WantedWords::Contains(later))) => later.contains(text),
            (FittingTexts::Matching { anywhere, .. }, Some(WantedWords::Contains(later))) => {
                anywhere.as_ref().is_some_and(|pattern| pattern.is_match(later))
            }
            (FittingTexts::Matching { written, .. }, Some(WantedWords::Matches(later))) => *written == later.value,
        }
    }
}

/// Warns about a rule that is hidden by earlier ones.
fn hidden(rule: &ModelRule, earlier: &[EarlierRule<'_>]) -> Option<Diagnostic> {
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
        [line] => format!("this rule is never used: the rule on line {line} matches every request it matches"),
        [first, last] => {
            format!("this rule is never used: the rules on lines {first} and {last} match every request it matches")
        }
        _ => return None,
    };
    let help = "the first matching rule answers: move this one before it, add conditions to the `when` of the other, \
                or remove one";
    Some(Diagnostic::warning(rule.span, message).label("never used").help(help))
}

#[cfg(test)]
mod tests {
    use agentci_plan::{AnswerPace, ModelFailure, ModelFailureKind};
    use agentci_source::{Sources, Span, Spanned};

    use super::*;

    fn rule(line: u32, when: ModelCondition) -> ModelRule {
        let span = Span { line, ..Span::whole(Sources::default().add("model.yaml".as_ref(), "")) };
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
            span,
        }
    }

    fn any() -> ModelCondition {
        ModelCondition::default()
    }

    fn contains(text: &str) -> ModelCondition {
        ModelCondition { user: Some(WantedWords::Contains(text.into())), ..any() }
    }

    fn matches(pattern: &str) -> ModelCondition {
        let span = Span::whole(Sources::default().add("model.yaml".as_ref(), ""));
        ModelCondition { user: Some(WantedWords::Matches(Spanned::new(pattern.into(), span))), ..any() }
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

    fn system(text: &str) -> ModelCondition {
        ModelCondition { system: contains(text).user, ..any() }
    }

    fn offers(names: &[&str], exactly: bool) -> ModelCondition {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        ModelCondition { tools: Some(WantedOffer { names, exactly }), ..any() }
    }

    fn nth(nth: u32, when: ModelCondition) -> ModelCondition {
        ModelCondition { nth: Some(nth), ..when }
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
    fn rule_after_a_broader_one_is_reported() {
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
            (system("You route"), ModelCondition { user: contains("a").user, ..system("You route requests.") }),
            (offers(&["a"], false), offers(&["b", "a"], false)),
            (offers(&["a"], false), offers(&["a"], true)),
            (offers(&[], true), offers(&[], true)),
            (contains("a"), nth(2, contains("a"))),
            (nth(2, contains("a")), nth(2, contains("a"))),
        ] {
            assert_eq!(never_used(numbered(vec![earlier.clone(), later.clone()])), [2], "{earlier:?} {later:?}");
        }
        assert_eq!(never_used(numbered(vec![results(true, any()), results(false, any()), contains("a")])), [3]);
    }

    #[test]
    fn reachable_rule_is_not_reported() {
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
            // Whether these match depends on the text around.
            (matches("^order"), contains("order")),
            (matches(r"\border\b"), contains("order")),
            (matches("order.+"), contains("order")),
            (matches("a"), matches("aa")),
            (system("You route"), any()),
            (system("You route"), system("You answer")),
            (ModelCondition { messages: contains("a").user, ..any() }, contains("a")),
            (offers(&["a", "b"], false), offers(&["a"], false)),
            (offers(&["a"], true), offers(&["a"], false)),
            (offers(&[], true), any()),
            (nth(1, contains("a")), nth(2, contains("a"))),
            (nth(2, contains("a")), contains("a")),
            // The second request with an `a` need not be the second with an `xa`.
            (nth(2, contains("a")), nth(2, contains("xa"))),
        ] {
            assert_eq!(never_used(numbered(vec![earlier.clone(), later.clone()])), [0; 0], "{earlier:?} {later:?}");
        }
        assert_eq!(never_used(numbered(vec![results(true, contains("a")), results(false, any()), any()])), [0; 0]);
    }

    #[test]
    fn sequence_steps_are_shadowed_but_never_shadow() {
        let step = |line: u32, at: usize| ModelRule { step: Some(SequenceStep { of: 0, at }), ..rule(line, any()) };
        assert_eq!(never_used(vec![rule(1, any()), step(2, 0), step(3, 1)]), [2]);
        assert_eq!(never_used(vec![step(1, 0), step(2, 1), rule(3, any())]), [0; 0]);
    }

    #[test]
    fn tool_result_rule_for_first_turn_is_reported() {
        assert_eq!(never_used(numbered(vec![turn(1, results(true, any()))])), [1]);
        assert_eq!(never_used(numbered(vec![turn(1, results(false, any())), turn(2, results(true, any()))])), [0; 0]);
    }

    #[test]
    fn temporary_failure_does_not_shadow_the_next_rule() {
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
    fn pattern_that_matches_any_text_is_reported() {
        let script = ModelScript { rules: numbered(vec![matches(".*")]), ..ModelScript::default() };
        let found = rules(&script);
        assert!(matches!(&found[..], [one] if one.message.contains("`.*` matches any text")), "{found:?}");
        let script = ModelScript { rules: numbered(vec![matches(".+")]), ..ModelScript::default() };
        assert_eq!(rules(&script), []);
    }
}
