//! Contradictions of whole answers: a yes for a no, a question instead of an answer, and a refusal.

use std::borrow::Cow;

use agentci_verdict::Contradiction;

use super::contradiction;
use super::cut::sentences;
use super::tokens::{refuses, tokens};

/// Both begin with yes or no, and differ.
pub(super) fn yes_or_no(expected: &str, answer: &str) -> Option<Contradiction> {
    let (one, other) = (opening(expected)?, opening(answer)?);
    (one != other).then(|| contradiction("yes or no", true, one, other))
}

fn opening(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let alone = rest.is_empty() || rest.starts_with([',', '.', '!', ';', ':']);
    ["yes", "no"].into_iter().find(|known| alone && word.eq_ignore_ascii_case(known))
}

/// The answer consists of questions, and the expected text has none.
pub(super) fn question(expected: &str, answer: &str) -> Option<Contradiction> {
    let sentences = sentences(answer);
    let asks = !sentences.is_empty() && sentences.iter().all(|sentence| is_question(sentence.of(answer)));
    (asks && !expected.contains('?')).then(|| contradiction("question", true, expected, answer))
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | ')' | '*' | '_')).ends_with('?')
}

/// The answer without its questions, if the expected text has none.
pub(super) fn without_questions<'a>(expected: &str, answer: &'a str) -> Cow<'a, str> {
    if expected.contains('?') || !answer.contains('?') {
        return Cow::Borrowed(answer);
    }
    let kept = sentences(answer).into_iter().map(|sentence| sentence.of(answer));
    Cow::Owned(kept.filter(|sentence| !is_question(sentence)).collect::<Vec<_>>().join("\n"))
}

/// The answer refuses, and says little of what is expected.
pub(super) fn refusal(expected: &str, answer: &str, coverage: f64) -> Option<Contradiction> {
    const ENOUGH: f64 = 0.5;
    if refuses(&tokens(expected, 0, expected.len())) {
        return None;
    }
    let said = sentences(answer).into_iter().find(|sentence| refuses(&tokens(answer, sentence.start, sentence.end)))?;
    let of_whether = |words: [&str; 2]| words.iter().any(|word| said.of(answer).contains(word));
    let unsure = ["know", "sure", "tell", "say"]
        .iter()
        .any(|verb| of_whether([&format!("{verb} if "), &format!("{verb} whether ")]));
    (coverage < ENOUGH || unsure).then(|| contradiction("refusal", true, expected, said.of(answer)))
}
