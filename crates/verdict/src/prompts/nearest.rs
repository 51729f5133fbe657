//! Pairs requests of the baseline with requests of this run, by the most similar system prompt.

use std::collections::BTreeMap;

use super::request_record::{KeptPrompt, SystemPrompt, same_system};
use super::run_prompts::PromptUse;

/// The maximum number of requests on each side that are compared with each other; the rest is paired in order.
const COMPARED: usize = 40;
/// The distance of system prompts with nothing in common; models, parameters and tools together weigh less.
const SYSTEM: usize = 1000;
const TOOLS: usize = 100;
const MODEL: usize = 20;
const PARAMETERS: usize = 10;
/// The distance of requests without a common case.
const NO_CASE: usize = 200;

/// Pairs of positions in both lists; each position occurs at most once.
pub(super) fn pairs(old: &[&PromptUse<'_>], new: &[&PromptUse<'_>]) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize, usize)> = Vec::new();
    for (one, old) in old.iter().enumerate().take(COMPARED) {
        for (other, new) in new.iter().enumerate().take(COMPARED) {
            all.push((distance(old, new), one, other));
        }
    }
    all.extend((COMPARED..old.len().min(new.len())).map(|at| (usize::MAX, at, at)));
    all.sort_unstable();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (_, one, other) in all {
        if pairs.iter().all(|pair| pair.0 != one && pair.1 != other) {
            pairs.push((one, other));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The distance between two requests.
fn distance(old: &PromptUse<'_>, new: &PromptUse<'_>) -> usize {
    let (Some(one), Some(other)) = (&old.prompt, &new.prompt) else { return usize::MAX };
    let system = match (&one.system, &other.system) {
        _ if same_system(one.system.as_ref(), other.system.as_ref()) => 0,
        (Some(one), Some(other)) => SYSTEM * apart(one, other) / 100,
        // A request without a system prompt is closer than one with a completely different prompt.
        _ => SYSTEM * 9 / 10,
    };
    let names = |prompt: &KeptPrompt| prompt.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    let (of_old, of_new) = (names(one), names(other));
    let shared = of_old.iter().filter(|name| of_new.contains(name)).count();
    let most = of_old.len().max(of_new.len()).max(1);
    let tools = TOOLS - TOOLS * if of_old.is_empty() && of_new.is_empty() { 1 } else { shared } / most;
    let model = if one.model == other.model { 0 } else { MODEL };
    let parameters = if one.parameters.is_same(&other.parameters) { 0 } else { PARAMETERS };
    let same_case = old.cases.iter().any(|case| new.cases.contains(case));
    system + tools + model + parameters + if same_case { 0 } else { NO_CASE }
}

/// The difference between two prompts, in percent.
fn apart(one: &SystemPrompt, other: &SystemPrompt) -> usize {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in one.lines() {
        *left.entry(line.hash).or_default() += 1;
    }
    let mut shared = 0;
    for line in other.lines() {
        if let Some(count) = left.get_mut(line.hash).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    let most = one.lines.len().max(other.lines.len()).max(1);
    // Changed prompts of a single line have no line in common, so their words are compared.
    if shared == 0 { 100 - words_shared(one, other) } else { 100 - 100 * shared / most }
}

/// The share of words that the first lines of two prompts have in common, in percent.
fn words_shared(one: &SystemPrompt, other: &SystemPrompt) -> usize {
    let words = |prompt: &SystemPrompt| -> Vec<String> {
        let first = prompt.lines().next().and_then(|line| line.text).unwrap_or_default();
        first.split_whitespace().take(200).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    (90 * shared / one.len().max(other.len()).max(1)).min(90)
}
