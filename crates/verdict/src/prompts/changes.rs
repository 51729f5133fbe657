//! Compares the requests of two runs as sets: repeated requests of the same kind and a different order are not changes.

use agentci_text::and_more;
use serde::{Deserialize, Serialize};

use super::agents::AgentPrompts;
use super::nearest::pairs;
use super::request_words::{differences, request};
use super::run_prompts::{PromptSide, PromptUse};
use crate::pairs::Pairs;
use crate::{Baseline, BaselineCase, CaseStatus};

/// A change in what agents send their models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptChange {
    /// The agent, if there are several: the line that identifies its system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// A description of the change.
    pub change: String,
    /// The cases with this change.
    pub cases: Vec<String>,
}

/// The changes, or why they could not be determined.
#[derive(Debug, Default)]
pub(crate) struct PromptChanges {
    pub(crate) changes: Vec<PromptChange>,
    /// Why nothing could be compared.
    pub(crate) not_compared: Option<&'static str>,
    pub(crate) warnings: Vec<String>,
}

const NOT_SEEN: &str = "no case calls an observed model";
const NO_PROMPTS: &str = "the baseline has no prompts: it was created by an earlier version, or its models were not \
                          observed; create a new one from a good run: `agentci baseline promote --from RUN_DIR --to \
                          FILE`";
const OTHER_RULE: &str = "the prompts of the baseline were recorded by another rule; create a new baseline from a good \
                          run: `agentci baseline promote --from RUN_DIR --to FILE`";
const NOT_SEEN_NOW: &str = "the requests to models could not be observed in this run: use a scripted, recorded or \
                            replayed model as in the baseline, or create a new baseline with `agentci baseline promote \
                            --from RUN_DIR --to FILE`";
const NO_CASE: &str = "no case has requests that were observed in both runs";

/// Compares the prompts of the cases that both runs have.
pub(crate) fn changes(baseline: &Baseline, current: &Baseline, both: &Pairs<'_>) -> PromptChanges {
    let not_compared = |why| PromptChanges { not_compared: Some(why), ..PromptChanges::default() };
    let (old, new) = match (&baseline.prompts, &current.prompts) {
        (None, None) => return not_compared(NOT_SEEN),
        (None, Some(_)) => return not_compared(NO_PROMPTS),
        (Some(_), None) => return not_compared(NOT_SEEN_NOW),
        (Some(old), Some(new)) if old.rule != new.rule => return not_compared(OTHER_RULE),
        (Some(old), Some(new)) => (old, new),
    };
    let ran = |case: &BaselineCase| case.status != CaseStatus::Skipped;
    let ran: Vec<_> = both.both().filter(|(old, new)| ran(old) && ran(new)).collect();
    let seen: Vec<_> = ran.iter().copied().filter(|(old, new)| old.asked.is_some() && new.asked.is_some()).collect();
    let unseen: Vec<&str> = ran
        .iter()
        .filter(|(old, new)| old.asked.is_some() && new.asked.is_none())
        .map(|(_, new)| new.id.as_str())
        .collect();
    if seen.is_empty() {
        return not_compared(if unseen.is_empty() { NO_CASE } else { NOT_SEEN_NOW });
    }
    let side = |prompts, was: bool| {
        let cases = seen.iter().map(|(old, new)| if was { (*old, *new) } else { (*new, *old) });
        PromptSide::of(prompts, cases)
    };
    let mut found = compared(&side(old, true), &side(new, false));
    found.warnings.extend(unseen_now(&unseen));
    found
}

fn unseen_now(cases: &[&str]) -> Option<String> {
    let (first, more) = (cases.first()?, cases.len() - 1);
    let more = and_more(more);
    Some(format!("the requests of `{first}`{more} to a model are not compared: they were not observed in this run"))
}

/// Pairs the requests that only one side has, and describes the changes.
fn compared(old: &PromptSide<'_>, new: &PromptSide<'_>) -> PromptChanges {
    let (gone, added) = (old.only_here(new), new.only_here(old));
    // A case that did not finish in the baseline might have sent the new request there too.
    let counted = added.into_iter().filter(|asked| asked.counts);
    let (bare_gone, gone): (Vec<_>, Vec<_>) = gone.into_iter().partition(|asked| asked.prompt.is_none());
    let (bare, added): (Vec<_>, Vec<_>) = counted.partition(|asked| asked.prompt.is_none());
    let pairs = pairs(&gone, &added);
    let (before, now) = (AgentPrompts::of(old.prompts()), AgentPrompts::of(new.prompts()));
    let several = before.are_several() || now.are_several();
    let mut said = ReportedChanges { several, changes: Vec::new() };
    for (one, other) in &pairs {
        let (Some(old), Some(new)) = (&gone[*one].prompt, &added[*other].prompt) else { continue };
        let agent = before.name(old.system.as_ref()).or_else(|| now.name(new.system.as_ref()));
        let mut words = differences(old, new);
        if words.is_empty() {
            words.push("requests to the model changed".to_owned());
        }
        for change in words {
            said.say(agent.clone(), change, added[*other]);
        }
    }
    let alone = |at: usize, of: fn(&(usize, usize)) -> usize| pairs.iter().all(|pair| of(pair) != at);
    let words = |asked: &PromptUse<'_>| request(asked.prompt.as_ref().expect("uses without a prompt were set aside"));
    for (_, asked) in added.iter().enumerate().filter(|(at, _)| alone(*at, |pair| pair.1)) {
        said.say(None, format!("a new kind of request: {}", words(asked)), asked);
    }
    for (_, asked) in gone.iter().enumerate().filter(|(at, asked)| asked.counts && alone(*at, |pair| pair.0)) {
        said.say(None, format!("a kind of request is gone: {}", words(asked)), asked);
    }
    for asked in bare.iter().chain(&bare_gone).filter(|asked| asked.counts) {
        let words = "requests to the model changed; only their fingerprints are kept, because there are too many";
        said.say(None, words.to_owned(), asked);
    }
    PromptChanges { changes: said.changes, ..PromptChanges::default() }
}

/// The changes reported so far.
struct ReportedChanges {
    /// Whether there are several agents, so that changes name theirs.
    several: bool,
    changes: Vec<PromptChange>,
}

impl ReportedChanges {
    /// Reports the same change of several requests once, without an agent if it concerns several.
    fn say(&mut self, agent: Option<String>, change: String, asked: &PromptUse<'_>) {
        let agent = agent.filter(|_| self.several);
        let cases = asked.cases.iter().map(ToString::to_string);
        match self.changes.iter_mut().find(|known| known.change == change) {
            None => self.changes.push(PromptChange { agent, change, cases: cases.collect() }),
            Some(known) => {
                if known.agent != agent {
                    known.agent = None;
                }
                known.cases.extend(cases);
                known.cases.sort();
                known.cases.dedup();
            }
        }
    }
}
