//! What the cases of one run asked models with.

use std::collections::BTreeMap;

use super::kept::Prompt;
use super::table::Prompts;
use crate::BaselineCase;

/// What the cases of one run asked, as far as the other run has them.
pub(super) struct Side<'c> {
    requests: BTreeMap<&'c str, Request<'c>>,
}

struct Request<'c> {
    /// Everything that is kept of it; nothing where only its id is.
    prompt: Option<Prompt>,
    cases: Vec<&'c str>,
    counts: bool,
}

/// One way of asking, and who asked so.
pub(super) struct Asked<'s> {
    pub(super) prompt: Option<&'s Prompt>,
    pub(super) cases: &'s [&'s str],
    /// Whether one of the cases came to its end in the other run, so that it could have asked so there.
    pub(super) counts: bool,
}

impl<'c> Side<'c> {
    /// The cases of a run, each beside itself in the other run.
    pub(super) fn of(prompts: &Prompts, cases: impl Iterator<Item = (&'c BaselineCase, &'c BaselineCase)>) -> Self {
        let mut requests: BTreeMap<&'c str, Request<'c>> = BTreeMap::new();
        for (case, other) in cases {
            for id in case.asked.iter().flatten() {
                let known = requests.entry(id);
                let request =
                    known.or_insert_with(|| Request { prompt: prompts.get(id), cases: Vec::new(), counts: false });
                request.cases.push(&case.id);
                request.counts |= other.came_to_its_end;
            }
        }
        Self { requests }
    }

    pub(super) fn prompts(&self) -> impl Iterator<Item = &Prompt> {
        self.requests.values().filter_map(|request| request.prompt.as_ref())
    }

    /// What the other side has nothing like.
    pub(super) fn only_here(&self, other: &Side<'_>) -> Vec<Asked<'_>> {
        let is_there = |id: &str, prompt: Option<&Prompt>| {
            other.requests.contains_key(id)
                || prompt.is_some_and(|prompt| other.prompts().any(|theirs| theirs.is_same(prompt)))
        };
        let only = self.requests.iter().filter(|(id, request)| !is_there(id, request.prompt.as_ref()));
        only.map(|(_, Request { prompt, cases, counts })| Asked { prompt: prompt.as_ref(), cases, counts: *counts })
            .collect()
    }
}
