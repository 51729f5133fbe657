//! The only way out of the runner: takes events as they happen and emits them without secrets.
//!
//! The result of a whole run is derived from the same events: how each case ended, and whether an agent is missing.

use std::cell::{Ref, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use agentci_trace::Redactor;
use agentci_verdict::{Body, CaseEnd, KeptPrompt, Rows, RunEvent, Stability};

use crate::{redact::redact, secrets::Secrets};

/// The maximum number of prompts of a suite that are kept in full, and their total size in bytes. For the others only
/// the ids are kept.
const PROMPTS: usize = 200;
const PROMPT_BYTES: usize = 2 * 1024 * 1024;

/// Receives the run events of a suite.
pub(crate) struct EventSink<'e> {
    suite: Arc<str>,
    out: &'e dyn Fn(RunEvent),
    /// All lanes are futures on one thread and send through a shared reference. Nothing is awaited or sent while this
    /// is borrowed.
    kept: RefCell<KeptEvents>,
}

#[derive(Default)]
struct KeptEvents {
    /// Secrets of the run itself.
    secrets: Redactor,
    /// Whether rows are kept, which is only needed for gates and repeated cases.
    keeps_rows: bool,
    rows: Rows,
    lacks_agent: bool,
    told: ReportedPrompts,
}

/// The prompts that earlier case ends already contained: each is emitted once.
#[derive(Default)]
struct ReportedPrompts {
    ids: HashSet<String>,
    bytes: usize,
}

impl<'e> EventSink<'e> {
    /// A sink for the events of a suite with these secrets.
    pub(crate) fn new(suite: &str, secrets: Redactor, keeps_rows: bool, out: &'e dyn Fn(RunEvent)) -> Self {
        let kept = KeptEvents { secrets, keeps_rows, ..KeptEvents::default() };
        Self { suite: suite.into(), out, kept: RefCell::new(kept) }
    }

    /// Emits an event of the run as a whole.
    pub(crate) fn of_run(&self, timestamp: u64, mut body: Body) {
        redact(&mut body, &mut self.kept.borrow_mut().secrets);
        (self.out)(RunEvent { suite: Arc::clone(&self.suite), case_id: None, attempt: None, timestamp, body });
    }

    /// Emits an event of an attempt at a case with these secrets.
    pub(crate) fn of_attempt(&self, of: (&Arc<str>, u32), timestamp: u64, mut body: Body, secrets: &Secrets) {
        secrets.redact(&mut body);
        if let Body::CaseEnd(end) = &mut body
            && !end.prompts.is_empty()
        {
            self.kept.borrow_mut().told.only_new(Arc::make_mut(end));
        }
        let (case_id, attempt) = (Some(Arc::clone(of.0)), Some(of.1));
        self.pass_on(RunEvent { suite: Arc::clone(&self.suite), case_id, attempt, timestamp, body });
    }

    /// Emits an event of a stored run, which contains no secrets.
    pub(crate) fn stored(&self, event: RunEvent) {
        let mut kept = self.kept.borrow_mut();
        if let Body::CaseEnd(end) = &event.body {
            kept.told.learn(end);
        }
        drop(kept);
        self.pass_on(event);
    }

    /// Emits an event, and the stability of the case if the event completed one that was run several times.
    fn pass_on(&self, event: RunEvent) {
        let stability = self.kept.borrow_mut().take(&event);
        let (timestamp, case_id) = (event.timestamp, event.case_id.clone().filter(|_| stability.is_some()));
        (self.out)(event);
        if let Some(stability) = stability {
            let (suite, body) = (Arc::clone(&self.suite), Body::Stability(stability));
            (self.out)(RunEvent { suite, case_id, attempt: None, timestamp, body });
        }
    }

    /// The rows of the cases that ended so far; empty if rows are not kept.
    pub(crate) fn rows(&self) -> Ref<'_, Rows> {
        Ref::map(self.kept.borrow(), |kept| &kept.rows)
    }

    /// Whether a recording answered a case in place of its agent without `played: true`.
    pub(crate) fn lacks_agent(&self) -> bool {
        self.kept.borrow().lacks_agent
    }
}

impl ReportedPrompts {
    /// Notes the prompts of a stored run, which kept to the limits.
    fn learn(&mut self, end: &CaseEnd) {
        for prompt in &end.prompts {
            self.bytes += serde_json::to_vec(prompt).map_or(0, |text| text.len());
            self.ids.insert(prompt.id.clone());
        }
    }

    /// Removes prompts that were already emitted or exceed the limits.
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
    /// Records an event, and returns the stability of the case if the event completed one that was run several times.
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
    fn reports_each_prompt_once_up_to_a_limit() {
        let mut told = ReportedPrompts::default();
        let mut kept = |mut end: CaseEnd| {
            told.only_new(&mut end);
            end.prompts.len()
        };
        assert_eq!((kept(end(0..2, 1)), kept(end(1..3, 1)), kept(end(0..3, 1))), (2, 1, 0));
        // A prompt that is too long for the remaining size does not keep others out.
        assert_eq!((kept(end(3..4, PROMPT_BYTES)), kept(end(4..5, 1))), (0, 1));
        assert_eq!((kept(end(5..300, 1)), kept(end(300..301, 1))), (PROMPTS - 4, 0));
    }
}
