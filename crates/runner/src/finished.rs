//! Cases that an earlier, unfinished run has finished: they are not run again, and their events are played into the new
//! run.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use agentci_trace::sha256_bytes;
use agentci_verdict::{Body, CaseEnd, CaseStatus, KeptPrompt, RunEvent, RunResumed};
use tokio::sync::mpsc::{Receiver, channel};

use crate::suite_run::SuiteRun;

/// Reads the events of the stored run and passes on each, until that returns `false`.
pub type PlayFinished = Arc<dyn Fn(&mut dyn FnMut(RunEvent) -> bool) -> Result<(), String> + Send + Sync>;

/// Identifies a case by its id. A million ids would need more memory than the rest of a resumed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseKey([u8; 12]);

impl CaseKey {
    /// The key of a case with this id.
    pub fn new(id: &str) -> Self {
        let mut key = [0; 12];
        key.copy_from_slice(&sha256_bytes(id.as_bytes())[..12]);
        Self(key)
    }
}

/// The cases of a stored run that are not run again.
#[derive(Clone)]
pub struct FinishedCases {
    /// The stored run, for the first event.
    pub facts: RunResumed,
    /// The position of each among the selected cases, and the number of its runs.
    pub cases: HashMap<CaseKey, FinishedCase>,
    /// Reads the stored run.
    pub play: PlayFinished,
    /// Why the stored run could not be played completely, once it was tried.
    pub trouble: Arc<OnceLock<String>>,
}

/// A case that is not run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedCase {
    /// Its position among the selected cases.
    pub index: u32,
    /// The number of its runs.
    pub runs: u32,
}

impl fmt::Debug for FinishedCases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FinishedCases").field("facts", &self.facts).finish_non_exhaustive()
    }
}

impl FinishedCases {
    /// Whether the case with this id is not run again.
    pub fn has(&self, id: &str) -> bool {
        self.cases.contains_key(&CaseKey::new(id))
    }

    /// Emits the events of the finished cases. Returns the worst status, and fails if the stored run cannot be read or
    /// has changed.
    pub(crate) async fn emit(&self, run: &SuiteRun<'_>) -> Result<CaseStatus, String> {
        let (mut events, reader) = self.read();
        let mut replay = Replay { of: self, orphans: HashMap::new(), told: HashSet::new(), ends: 0 };
        let mut worst = CaseStatus::Pass;
        while let Some(event) = events.recv().await {
            worst = worst.max(replay.take(event, run).unwrap_or_default());
        }
        reader.join().map_err(|_| "the stored run could not be read".to_owned())??;
        let expected: u64 = self.cases.values().map(|case| u64::from(case.runs)).sum();
        if replay.ends == expected { Ok(worst) } else { Err("the stored run changed while it was read".to_owned()) }
    }

    /// Reads the stored run on a thread, so that the run can be interrupted meanwhile.
    fn read(&self) -> (Receiver<RunEvent>, std::thread::JoinHandle<Result<(), String>>) {
        let (sender, events) = channel(256);
        let play = Arc::clone(&self.play);
        let reader = std::thread::spawn(move || play(&mut |event| sender.blocking_send(event).is_ok()));
        (events, reader)
    }
}

/// The state while events are played.
struct Replay<'f> {
    of: &'f FinishedCases,
    /// Prompts that only cases contained that are run again. A run keeps each prompt once, with limits.
    orphans: HashMap<String, KeptPrompt>,
    told: HashSet<String>,
    ends: u64,
}

impl Replay<'_> {
    /// Emits an event if it belongs to a finished case; returns the status of a case that it ends.
    fn take(&mut self, mut event: RunEvent, run: &SuiteRun<'_>) -> Option<CaseStatus> {
        if matches!(event.body, Body::Stability(_)) {
            // It is derived from the ends again.
            return None;
        }
        let id = event.case_id.clone()?;
        let kept = self.of.cases.get(&CaseKey::new(&id));
        let mut ended = None;
        if let Body::CaseEnd(end) = &mut event.body {
            let Some(kept) = kept else {
                self.orphans.extend(end.prompts.iter().map(|prompt| (prompt.id.clone(), prompt.clone())));
                return None;
            };
            let end = Arc::make_mut(end);
            end.index = kept.index as usize;
            self.adopt(end);
            run.shared.repeat_spending.add_stored(end);
            self.ends += 1;
            ended = Some(end.status);
        }
        kept?;
        run.events.stored(event);
        ended
    }

    /// Adds the prompts of an end that were stored with a case that is run again.
    fn adopt(&mut self, end: &mut CaseEnd) {
        self.told.extend(end.prompts.iter().map(|prompt| prompt.id.clone()));
        let asked: Vec<String> = end.asked.as_deref().cloned().unwrap_or_default();
        let missing: Vec<&String> = asked.iter().filter(|id| !self.told.contains(*id)).collect();
        let found: Vec<KeptPrompt> = missing.into_iter().filter_map(|id| self.orphans.remove(id)).collect();
        self.told.extend(found.iter().map(|prompt| prompt.id.clone()));
        end.prompts.extend(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(asked: &[&str], prompts: &[&str]) -> CaseEnd {
        let prompt = |id: &&str| KeptPrompt { id: (*id).to_owned(), ..KeptPrompt::default() };
        let ids = asked.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        CaseEnd { asked: Some(Box::new(ids)), prompts: prompts.iter().map(prompt).collect(), ..CaseEnd::default() }
    }

    #[test]
    fn prompts_of_cases_that_are_run_again_move_to_the_first_case_that_sent_them() {
        let of = FinishedCases {
            facts: RunResumed::default(),
            cases: HashMap::new(),
            play: Arc::new(|_| Ok(())),
            trouble: Arc::default(),
        };
        let mut replay = Replay { of: &of, orphans: HashMap::new(), told: HashSet::new(), ends: 0 };
        replay.orphans.extend(end(&[], &["a", "b"]).prompts.into_iter().map(|prompt| (prompt.id.clone(), prompt)));
        let mut adopted = |asked: &[&str], prompts: &[&str]| {
            let mut end = end(asked, prompts);
            replay.adopt(&mut end);
            end.prompts.into_iter().map(|prompt| prompt.id).collect::<Vec<_>>()
        };
        assert_eq!(adopted(&["a", "c"], &["c"]), ["c", "a"]);
        assert_eq!(adopted(&["a", "c"], &[]), [""; 0]);
        assert_eq!(adopted(&["b"], &[]), ["b"]);
    }

    #[test]
    fn keys_differ_and_are_small() {
        let beginning = [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde];
        assert_eq!(CaseKey::new("abc"), CaseKey(beginning));
        assert_ne!(CaseKey::new("refund"), CaseKey::new("refund "));
        assert_ne!(CaseKey::new(""), CaseKey([0; 12]));
        assert!(size_of::<(CaseKey, FinishedCase)>() <= 20);
    }
}
