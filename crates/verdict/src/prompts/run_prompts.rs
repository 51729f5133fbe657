//! The prompts of the cases of one run.

use std::collections::BTreeMap;

use super::request_record::KeptPrompt;
use super::table::Prompts;
use crate::BaselineCase;

/// The prompts of those cases of a run that the other run also has.
pub(super) struct PromptSide<'c> {
    requests: BTreeMap<&'c str, PromptUse<'c>>,
}

/// A prompt and the cases that use it.
pub(super) struct PromptUse<'c> {
    /// The record of the prompt; `None` if only its id is kept.
    pub(super) prompt: Option<KeptPrompt>,
    pub(super) cases: Vec<&'c str>,
    /// Whether one of the cases finished in the other run, so that it could have used the prompt there.
    pub(super) counts: bool,
}

impl<'c> PromptSide<'c> {
    /// Collects the prompts of cases; each is paired with the same case of the other run.
    pub(super) fn of(prompts: &Prompts, cases: impl Iterator<Item = (&'c BaselineCase, &'c BaselineCase)>) -> Self {
        let mut requests: BTreeMap<&'c str, PromptUse<'c>> = BTreeMap::new();
        for (case, other) in cases {
            for id in case.asked.iter().flatten() {
                let known = requests.entry(id);
                let request =
                    known.or_insert_with(|| PromptUse { prompt: prompts.get(id), cases: Vec::new(), counts: false });
                request.cases.push(&case.id);
                request.counts |= other.came_to_its_end;
            }
        }
        Self { requests }
    }

    pub(super) fn prompts(&self) -> impl Iterator<Item = &KeptPrompt> {
        self.requests.values().filter_map(|request| request.prompt.as_ref())
    }

    /// The prompts that the other side does not have.
    pub(super) fn only_here(&self, other: &PromptSide<'_>) -> Vec<&PromptUse<'c>> {
        let is_there = |id: &str, prompt: Option<&KeptPrompt>| {
            other.requests.contains_key(id)
                || prompt.is_some_and(|prompt| other.prompts().any(|theirs| theirs.is_same(prompt)))
        };
        let only = self.requests.iter().filter(|(id, request)| !is_there(id, request.prompt.as_ref()));
        only.map(|(_, request)| request).collect()
    }
}
