//! The one way out of the runner: events go in as things happen, and leave without secrets.
//!
//! What a whole run comes to is made of the same events: which cases ended how, and whether one lacks its agent.

use std::cell::{Ref, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use agentci_trace::Redactor;
use agentci_verdict::{Body, CaseEnd, KeptPrompt, Rows, RunEvent, Stability};

use crate::{redact::redact, secrets::Secrets};

/// How many prompts of a suite are kept with all that is in them, and how many bytes that may take. Of the others their ids are kept.
const PROMPTS: usize = 200;
const PROMPT_BYTES: usize = 2 * 1024 * 1024;

/// Where run events go.
pub(crate) struct EventSink<'e> {
    suite: Arc<str>,
    out: &'e dyn Fn(RunEvent),
    /// Lanes are futures of one thread, and all of them send through a shared reference. Nothing is awaited and nothing is sent
    /// while this is borrowed.
    kept: RefCell<KeptEvents>,
}

#[derive(Default)]
struct KeptEvents {
    /// The secrets of the run itself.
    secrets: Redactor,
    /// Whether rows are kept: only where something is made of them.
    keeps_rows: bool,
    rows: Rows,
    lacks_agent: bool,
    told: ToldPrompts,
}

/// The prompts that an end of a case had already: each is told once.
#[derive(Default)]
struct ToldPrompts {
    ids: HashSet<String>,
    bytes: usize,
}

impl<'e> EventSink<'e> {
    /// A sink for the events of a suite, which has these secrets.
    pub(crate) fn new(suite: &str, secrets: Redactor, keeps_rows: bool, out: &'e dyn Fn(RunEvent)) -> Self {
        let kept = KeptEvents { secrets, keeps_rows, ..KeptEvents::default() };
        Self { suite: suite.into(), out, kept: RefCell::new(kept) }
    }

    /// Sends an event of the run as a whole.
    pub(crate) fn of_run(&self, timestamp: u64, mut body: Body) {
        redact(&mut body, &mut self.kept.borrow_mut().secrets);
        (self.out)(RunEvent { suite: Arc::clone(&self.suite), case_id: None, attempt: None, timestamp, body });
    }

    /// Sends an event of an attempt at a case, which has these secrets.
    pub(crate) fn of_attempt(&self, of: (&Arc<str>, u32), timestamp: u64, mut body: Body, secrets: &Secrets) {
        secrets.redact(&mut body);
        if let Body::CaseEnd(end) = &mut body
            && !end.prompts.is_empty()
        {
            self.kept.borrow_mut().told.only_new(Arc::make_mut(end));
        }
        let (case_id, attempt) = (Some(Arc::clone(of.0)), Some(of.1));
        let event = RunEvent { suite: Arc::clone(&self.suite), case_id, attempt, timestamp, body };
        let stability = self.kept.borrow_mut().take(&event);
        let case_id = event.case_id.clone().filter(|_| stability.is_some());
        (self.out)(event);
        if let Some(stability) = stability {
            let (suite, body) = (Arc::clone(&self.suite), Body::Stability(stability));
            (self.out)(RunEvent { suite, case_id, attempt: None, timestamp, body });
        }
    }

    /// How the cases ended so far, as far as rows are kept.
    pub(crate) fn rows(&self) -> Ref<'_, Rows> {
        Ref::map(self.kept.borrow(), |kept| &kept.rows)
    }

    /// Whether a recording answered a case in place of its agent, and the case does not say that it is meant to.
    pub(crate) fn lacks_agent(&self) -> bool {
        self.kept.borrow().lacks_agent
    }
}

impl ToldPrompts {
    /// Leaves out prompts that were told, and those that are too many to be kept.
    fn only_new(&mut self, end: &mut CaseEnd) {
        let prompts = std::mem::take(&mut end.prompts);
        let is_new = |prompt: &KeptPrompt| {
            if self.ids.contains(&prompt.id) || self.ids.len() >= PROMPTS {
                return false;
            }
            let bytes = serde_json::to_vec(prompt).map_or(usize::MAX, |text| text.len());
            let fits = self.bytes.saturating_add(bytes) <= PROMPT_BYTES;
            if fits {
                self.bytes += bytes;
                self.ids.insert(prompt.id.clone());
            }
            fits
        };
        end.prompts = prompts.into_iter().filter(is_new).collect();
    }
}

impl KeptEvents {
    /// Takes note of an event; how stable its case is, if it completed one that was run several times.
    fn take(&mut self, event: &RunEvent) -> Option<Stability> {
        if let Body::CaseEnd(end) = &event.body {
            self.lacks_agent |= end.played.as_ref().is_some_and(|played| !played.meant);
        }
        let completed = if self.keeps_rows { self.rows.add(event) } else { None };
        completed.and_then(|index| self.rows.get(index)).and_then(Stability::of_several)
    }
}

#[cfg(test)]
mod tests {
    use agentci_verdict::SystemPrompt;

    use super::*;

    fn end(ids: std::ops::Range<usize>, line: usize) -> CaseEnd {
        let prompt = |number: usize| KeptPrompt {
            id: number.to_string(),
            system: Some(SystemPrompt { lines: vec!["x".repeat(line)], ..SystemPrompt::default() }),
            ..KeptPrompt::default()
        };
        CaseEnd { prompts: ids.map(prompt).collect::<Vec<_>>(), ..CaseEnd::default() }
    }

    #[test]
    fn a_prompt_is_told_once_and_too_many_are_not() {
        let mut told = ToldPrompts::default();
        let mut kept = |mut end: CaseEnd| {
            told.only_new(&mut end);
            end.prompts.len()
        };
        assert_eq!((kept(end(0..2, 1)), kept(end(1..3, 1)), kept(end(0..3, 1))), (2, 1, 0));
        // One that is too long for what is left does not keep others out.
        assert_eq!((kept(end(3..4, PROMPT_BYTES)), kept(end(4..5, 1))), (0, 1));
        assert_eq!((kept(end(5..300, 1)), kept(end(300..301, 1))), (PROMPTS - 4, 0));
    }
}
