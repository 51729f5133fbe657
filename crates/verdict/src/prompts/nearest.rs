//! Which request of the baseline became which of this run: the nearest system prompt first.

use std::collections::BTreeMap;

use super::request_record::{KeptPrompt, SystemPrompt, same_system};
use super::run_prompts::PromptUse;

/// How many requests on either side are compared with each other; those after them are paired in order.
const COMPARED: usize = 40;
/// What system prompts weigh that have nothing in common; models, parameters and tools weigh less together.
const SYSTEM: usize = 1000;
const TOOLS: usize = 100;
const MODEL: usize = 20;
const PARAMETERS: usize = 10;
/// What it weighs that no case asked in both ways.
const NO_CASE: usize = 200;

/// Pairs of positions in both lists, each position once at most.
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

/// How far two requests are from each other.
fn distance(old: &PromptUse<'_>, new: &PromptUse<'_>) -> usize {
    let (Some(one), Some(other)) = (&old.prompt, &new.prompt) else { return usize::MAX };
    let system = match (&one.system, &other.system) {
        _ if same_system(one.system.as_ref(), other.system.as_ref()) => 0,
        (Some(one), Some(other)) => SYSTEM * apart(one, other) / 100,
        // One without a prompt is nearer than one with quite another.
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

/// How much of two prompts differs, in percent.
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
    // Prompts of one line have no line in common once they changed, so that their words are looked at.
    if shared == 0 { 100 - words_shared(one, other) } else { 100 - 100 * shared / most }
}

/// How many words of the first line two prompts share, in percent.
fn words_shared(one: &SystemPrompt, other: &SystemPrompt) -> usize {
    let words = |prompt: &SystemPrompt| -> Vec<String> {
        let first = prompt.lines().next().and_then(|line| line.text).unwrap_or_default();
        first.split_whitespace().take(200).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    (90 * shared / one.len().max(other.len()).max(1)).min(90)
}
