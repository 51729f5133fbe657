//! Names agents by the first line of their system prompt that no other agent has.

use std::collections::BTreeSet;

use agentci_text::shorten;

use super::request_record::{KeptPrompt, SystemPrompt};

/// The number of characters of a line that are shown.
const SHOWN: usize = 60;

/// The system prompts of a run.
pub(super) struct AgentPrompts<'p> {
    distinct: Vec<&'p SystemPrompt>,
}

impl<'p> AgentPrompts<'p> {
    pub(super) fn of(prompts: impl IntoIterator<Item = &'p KeptPrompt>) -> Self {
        let mut distinct: Vec<&SystemPrompt> = Vec::new();
        for system in prompts.into_iter().filter_map(|prompt| prompt.system.as_ref()) {
            if !distinct.iter().any(|known| known.id == system.id) {
                distinct.push(system);
            }
        }
        Self { distinct }
    }

    /// Whether there are several agents, so that changes name theirs.
    pub(super) fn are_several(&self) -> bool {
        self.distinct.len() > 1
    }

    /// The line that identifies a system prompt among the others.
    pub(super) fn name(&self, system: Option<&SystemPrompt>) -> Option<String> {
        let system = system?;
        let others = self.distinct.iter().filter(|other| other.id != system.id);
        let known: BTreeSet<&str> = others.flat_map(|other| other.lines()).map(|line| line.hash).collect();
        let said = |line: &&str| !line.trim().is_empty();
        let own = system.lines().filter(|line| !known.contains(line.hash)).filter_map(|line| line.text).find(said);
        let first = || system.lines().filter_map(|line| line.text).find(said);
        own.or_else(first).map(|line| shorten(line.trim(), SHOWN).into_owned())
    }
}
