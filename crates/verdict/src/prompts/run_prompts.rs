//! What the cases of one run asked models with.

use std::collections::BTreeMap;

use super::request_record::KeptPrompt;
use super::table::Prompts;
use crate::BaselineCase;

/// What the cases of one run asked, as far as the other run has them.
pub(super) struct PromptSide<'c> {
    requests: BTreeMap<&'c str, PromptUse<'c>>,
}

/// One way of asking, and who asked so.
pub(super) struct PromptUse<'c> {
    /// Everything that is kept of it; nothing where only its id is.
    pub(super) prompt: Option<KeptPrompt>,
    pub(super) cases: Vec<&'c str>,
    /// Whether one of the cases came to its end in the other run, so that it could have asked so there.
    pub(super) counts: bool,
}

impl<'c> PromptSide<'c> {
    /// The cases of a run, each beside itself in the other run.
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

    /// What the other side has nothing like.
    pub(super) fn only_here(&self, other: &PromptSide<'_>) -> Vec<&PromptUse<'c>> {
        let is_there = |id: &str, prompt: Option<&KeptPrompt>| {
            other.requests.contains_key(id)
                || prompt.is_some_and(|prompt| other.prompts().any(|theirs| theirs.is_same(prompt)))
        };
        let only = self.requests.iter().filter(|(id, request)| !is_there(id, request.prompt.as_ref()));
        only.map(|(_, request)| request).collect()
    }
}
