//! Which rule was probably meant by a request that none fits, and the first thing that differs.

use agentci_plan::{ModelCondition, ModelRule, UserText};
use regex::Regex;

use super::asked::Asked;

/// How many rules are compared at most; a miss should not cost more than a hit by much.
const COMPARED: usize = 1_000;
/// How many characters of a text are shown or compared.
const SHOWN: usize = 120;

/// Why nothing fits, in words, and which rule comes closest.
pub(super) fn unmatched(rules: &[ModelRule], asked: &Asked) -> (String, Option<usize>) {
    let user = short(&asked.user);
    let what = format!("no rule of the script fits this request (turn {}, user: `{user}`)", asked.turn());
    let scored = rules.iter().enumerate().take(COMPARED).map(|(at, rule)| (score(&rule.when, asked), (at, rule)));
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((_, (at, rule))) = best else {
        return (format!("{what}; the script has no rules and no `default`"), None);
    };
    let message = match difference(&rule.when, asked) {
        Some(difference) => {
            format!("{what}; the closest is the rule on line {}, but {difference}", rule.span.line)
        }
        None => format!("{what}; the rule on line {} fits, but its failures are used up", rule.span.line),
    };
    (message, Some(at))
}

/// How much of what a rule wants is fulfilled.
fn score(when: &ModelCondition, asked: &Asked) -> f64 {
    // What the user said tells more than all the rest.
    let parts = [
        (1.0, when.model.as_ref().map(|model| f64::from(asked.model.as_ref() == Some(model)))),
        (3.0, when.user.as_ref().map(|wanted| if user_fits(wanted, asked) { 1.0 } else { likeness(wanted, asked) })),
        (1.0, when.tool_result.map(|wanted| f64::from(wanted != asked.results.is_empty()))),
        (1.0, when.turn.map(|turn| f64::from(turn == asked.turn()))),
    ];
    let wanted = parts.into_iter().filter_map(|(weight, part)| Some((weight, part?)));
    let (weights, sum) =
        wanted.fold((0.0, 0.0), |(weights, sum), (weight, part)| (weights + weight, sum + weight * part));
    if weights == 0.0 { 1.0 } else { sum / weights }
}

fn likeness(wanted: &UserText, asked: &Asked) -> f64 {
    let text = match wanted {
        UserText::Contains(text) => text,
        UserText::Matches(pattern) => &pattern.value,
    };
    0.9 * strsim::normalized_levenshtein(&short(text), &short(&asked.user))
}

fn user_fits(wanted: &UserText, asked: &Asked) -> bool {
    match wanted {
        UserText::Contains(text) => asked.user.contains(text.as_str()),
        UserText::Matches(pattern) => Regex::new(&pattern.value).is_ok_and(|pattern| pattern.is_match(&asked.user)),
    }
}

/// The first thing that a rule wants and the request has not.
fn difference(when: &ModelCondition, asked: &Asked) -> Option<String> {
    if let Some(model) = when.model.as_ref().filter(|model| asked.model.as_ref() != Some(model)) {
        let named = asked.model.as_deref().map_or("none".to_owned(), |model| format!("`{}`", short(model)));
        return Some(format!("it is for the model `{model}`, and the request names {named}"));
    }
    if let Some(wanted) = when.user.as_ref().filter(|wanted| !user_fits(wanted, asked)) {
        return Some(match wanted {
            UserText::Contains(text) => format!("the user's text does not contain `{}`", short(text)),
            UserText::Matches(pattern) => format!("the user's text does not match `{}`", short(&pattern.value)),
        });
    }
    match when.tool_result {
        Some(true) if asked.results.is_empty() => return Some("the request brings no tool result".into()),
        Some(false) if !asked.results.is_empty() => return Some("the request brings a tool result".into()),
        _ => {}
    }
    let turn = when.turn.filter(|turn| *turn != asked.turn())?;
    Some(format!("it is for turn {turn}, and this is turn {}", asked.turn()))
}

fn short(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
