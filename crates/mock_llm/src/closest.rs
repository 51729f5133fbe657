//! Finds the rule that comes closest to a request that no rule matches, and the first difference.

use agentci_plan::{ModelCondition, ModelRule, WantedOffer, WantedWords};

use super::conditions::{RequiredWords, is_offered};
use super::parsed_request::ParsedRequest;

/// The maximum number of rules to compare, so that a miss costs little more than a hit.
const COMPARED: usize = 1_000;
/// The maximum number of characters of a text to show or compare.
const SHOWN: usize = 120;
/// The maximum number of tools to list.
const LISTED: usize = 20;

/// The message for a request that no rule matches, and the closest rule. `over` is the first rule of the steps if the
/// request belongs to a conversation whose steps are used up; `met` is the number of requests that met the conditions
/// of a rule.
pub(super) fn unmatched(
    rules: &[ModelRule],
    parsed: &ParsedRequest,
    over: Option<usize>,
    met: impl Fn(usize) -> u32,
) -> (String, Option<usize>) {
    let user = short(&parsed.user);
    let what = format!("no rule of the script matches this request (turn {}, user: `{user}`)", parsed.turn());
    if let Some((at, rule)) = over.and_then(|at| Some((at, rules.get(at)?))) {
        let line = rule.span.line;
        return (format!("{what}; it comes after the last of the steps that begin on line {line}"), Some(at));
    }
    let first = |rule: &ModelRule| rule.step.is_none_or(agentci_plan::SequenceStep::is_first);
    let compared = rules.iter().enumerate().filter(|(_, rule)| first(rule)).take(COMPARED);
    // Steps that match are in use already, so a rule that nearly matches is the better guess.
    let weight = |rule: &ModelRule| if rule.step.is_some() { 0.5 } else { 1.0 };
    let scored = compared.map(|(at, rule)| (weight(rule) * score(&rule.when, parsed), (at, rule)));
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((_, (at, rule))) = best else {
        return (format!("{what}; the script has no rules and no `default`"), None);
    };
    let line = rule.span.line;
    let nth = rule.when.nth.filter(|nth| *nth != met(at));
    let of_kind = |nth| format!("it is for request {nth} of its kind, and this is request {}", met(at));
    let why = match difference(&rule.when, parsed).or_else(|| nth.map(of_kind)) {
        Some(difference) => format!("the closest rule is on line {line}, but {difference}"),
        None if rule.step.is_some() => format!(
            "the steps that begin on line {line} match, but another conversation uses them, and this request does not \
             continue it"
        ),
        None => format!("the rule on line {line} matches, but its failures are used up"),
    };
    (format!("{what}; {why}"), Some(at))
}

/// The weighted share of a rule's conditions that are met.
fn score(when: &ModelCondition, parsed: &ParsedRequest) -> f64 {
    let words = |wanted: &Option<WantedWords>, text: &str| {
        wanted.as_ref().map(|wanted| if fits(wanted, text) { 1.0 } else { likeness(wanted, text) })
    };
    let in_messages = |wanted: &WantedWords| parsed.spoken.messages.iter().any(|text| fits(wanted, text));
    // The user's text has the largest weight.
    let parts = [
        (1.0, when.model.as_ref().map(|model| f64::from(parsed.model.as_ref() == Some(model)))),
        (2.0, words(&when.system, &parsed.spoken.system)),
        (3.0, words(&when.user, &parsed.user)),
        (1.0, when.messages.as_ref().map(|wanted| f64::from(in_messages(wanted)))),
        (1.0, when.tools.as_ref().map(|wanted| f64::from(is_offered(wanted, parsed)))),
        (1.0, when.tool_result.map(|wanted| f64::from(wanted != parsed.results.is_empty()))),
        (1.0, when.turn.map(|turn| f64::from(turn == parsed.turn()))),
    ];
    let wanted = parts.into_iter().filter_map(|(weight, part)| Some((weight, part?)));
    let (weights, sum) =
        wanted.fold((0.0, 0.0), |(weights, sum), (weight, part)| (weights + weight, sum + weight * part));
    if weights == 0.0 { 1.0 } else { sum / weights }
}

fn likeness(wanted: &WantedWords, text: &str) -> f64 {
    0.9 * strsim::normalized_levenshtein(&short(wanted.written()), &short(text))
}

fn fits(wanted: &WantedWords, text: &str) -> bool {
    RequiredWords::new(wanted).is_ok_and(|words| words.are_in(text))
}

/// The first condition of a rule that the request does not meet, other than `nth`.
fn difference(when: &ModelCondition, parsed: &ParsedRequest) -> Option<String> {
    if let Some(model) = when.model.as_ref().filter(|model| parsed.model.as_ref() != Some(model)) {
        let named = parsed.model.as_deref().map_or("none".to_owned(), |model| format!("`{}`", short(model)));
        return Some(format!("it is for the model `{model}`, and the request names {named}"));
    }
    let texts = [("system prompt", &when.system, &parsed.spoken.system), ("user's text", &when.user, &parsed.user)];
    for (what, wanted, text) in texts {
        if let Some(wanted) = wanted.as_ref().filter(|wanted| !fits(wanted, text)) {
            return Some(format!("the {what} does not {}", does(wanted, ["contain", "match"])));
        }
    }
    if let Some(wanted) = &when.messages
        && !parsed.spoken.messages.iter().any(|text| fits(wanted, text))
    {
        return Some(format!("no message {}", does(wanted, ["contains", "matches"])));
    }
    if let Some(wanted) = when.tools.as_ref().filter(|wanted| !is_offered(wanted, parsed)) {
        return Some(offer_differs(wanted, parsed));
    }
    match when.tool_result {
        Some(true) if parsed.results.is_empty() => return Some("the request includes no tool result".into()),
        Some(false) if !parsed.results.is_empty() => return Some("the request includes a tool result".into()),
        _ => {}
    }
    let turn = when.turn.filter(|turn| *turn != parsed.turn())?;
    Some(format!("it is for turn {turn}, and this is turn {}", parsed.turn()))
}

/// `contains` or `matches`, in the given form, followed by the wanted text.
fn does(wanted: &WantedWords, [contains, matches]: [&str; 2]) -> String {
    let verb = if matches!(wanted, WantedWords::Contains(_)) { contains } else { matches };
    format!("{verb} `{}`", short(wanted.written()))
}

fn offer_differs(wanted: &WantedOffer, parsed: &ParsedRequest) -> String {
    let offered = &parsed.spoken.tools;
    let listed: Vec<String> = offered.iter().take(LISTED).map(|name| format!("`{}`", short(name))).collect();
    let more = if offered.len() > LISTED { ", .." } else { "" };
    let offers = if listed.is_empty() { "no tools".into() } else { format!("{}{more}", listed.join(", ")) };
    match wanted.names.iter().find(|name| !offered.contains(name)) {
        Some(missing) => format!("the request does not offer the tool `{}`: it offers {offers}", short(missing)),
        None => format!("the request also offers other tools: {offers}"),
    }
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    let words: String = text.chars().take(SHOWN).collect();
    words.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
