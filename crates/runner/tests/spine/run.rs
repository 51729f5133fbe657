//! Runs a suite that is defined in the test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_drivers::testing::{effects, note};
use agentci_plan::Mode;
use agentci_runner::{RunFacts, RunOptions, Settings, Stop, Stopper, run_suite};
use agentci_source::{FileError, FileKind, Files, FolderEntry, MemoryFiles};
use agentci_stubs::Tool;
use agentci_trace::Redactor;
use agentci_verdict::{Body, CaseEnd, CaseStatus, Cause, Policy, RunEnd, RunEvent};

/// An agent that takes any number of turns and whose tools are not answered.
pub(crate) const TALKER: &str = "target: { process: { command: [agent], speaks: text } }\n";
/// An agent that takes one task and whose tools agentci answers.
pub(crate) const WORKER: &str = "target: { process: { command: [agent] } }\n";
/// An agent that is a server.
pub(crate) const SERVER: &str = "target: { http: { url: 'http://127.0.0.1:1/' } }\n";

/// A suite and its run options.
pub(crate) struct Bench {
    suite: String,
    files: MemoryFiles,
    stopper: Rc<Stopper>,
    stop: Stop,
    pub(crate) mode: Mode,
    pub(crate) parallel: usize,
    pub(crate) fail_fast: bool,
    pub(crate) retries: u32,
    pub(crate) timeout: Option<Duration>,
    pub(crate) suite_timeout: Option<Duration>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) policy: Option<Policy>,
}

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) status: CaseStatus,
    pub(crate) events: Vec<RunEvent>,
    /// The effects on agents and reporters, in order.
    pub(crate) effects: Vec<String>,
}

impl Bench {
    /// A suite: first the target and everything else that its cases share.
    pub(crate) fn new(shared: &str, cases: &str) -> Self {
        let (stopper, stop) = Stopper::new();
        Self {
            suite: format!("suite: s\n{shared}cases:\n{cases}"),
            files: MemoryFiles::default(),
            stopper: Rc::new(stopper),
            stop,
            mode: Mode::Replay,
            parallel: 1,
            fail_fast: false,
            retries: 0,
            timeout: None,
            suite_timeout: None,
            environment: BTreeMap::new(),
            tools: Vec::new(),
            policy: None,
        }
    }

    /// Adds a file next to the suite.
    pub(crate) fn with(mut self, path: &str, text: &str) -> Self {
        self.files = self.files.with(path, text);
        self
    }

    /// The signal that stops the run.
    pub(crate) fn stopper(&self) -> Rc<Stopper> {
        Rc::clone(&self.stopper)
    }

    pub(crate) async fn run(self) -> Ran {
        let files = Both(self.files.with("agentci.yaml", self.suite));
        let loaded = agentci_formats::load(&files, &[PathBuf::from("agentci.yaml")]);
        let mut plan = loaded.plan;
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let (mut ready, problems) = agentci_checks::compile(&plan, &files);
        assert!(problems.is_empty(), "{problems:?}");
        let cases = std::mem::take(&mut plan.suites[0].cases);
        let selected: Vec<_> = agentci_plan::positions(&cases).collect();
        let secrets = Redactor::default().with_environment(self.environment.clone());
        let mut settings = Settings::default();
        settings.parallel = self.parallel;
        settings.fail_fast = self.fail_fast;
        settings.retries = self.retries;
        settings.timeout = self.timeout;
        settings.seed = 1;
        settings.tools.clone_from(&self.tools);
        settings.embedder = Some("builtin".into());
        let options = RunOptions {
            definition: None,
            files: &files,
            environment: &|name| self.environment.get(name).cloned(),
            mode: self.mode,
            suite_timeout: self.suite_timeout,
            settings: &settings,
            secrets: &secrets,
        };
        let facts = RunFacts::default();
        let run = agentci_runner::RunPlan {
            sources: &plan.sources,
            suite: &plan.suites[0],
            cases,
            ready: std::mem::take(&mut ready.suites[0].cases),
            selected: &selected,
            facts: &facts,
            policy: self.policy.as_ref(),
            options: &options,
            stop: &self.stop,
        };
        let mut events = Vec::new();
        let status = run_suite(run, &mut |event| {
            note(outline(&event));
            events.push(event);
        })
        .await;
        Ran { status, events, effects: effects() }
    }
}

/// An event in a few words.
fn outline(event: &RunEvent) -> String {
    let name = event.body.name();
    match (&event.case_id, event.attempt) {
        (Some(id), Some(attempt)) => format!("{name} of {id}/{attempt}"),
        (Some(id), None) => format!("{name} of {id}"),
        _ => name.to_owned(),
    }
}

impl Ran {
    /// How the attempts at a case ended.
    pub(crate) fn ends(&self, id: &str) -> Vec<&CaseEnd> {
        let of_case = self.events.iter().filter(|event| event.case_id.as_deref() == Some(id));
        of_case.filter_map(|event| if let Body::CaseEnd(end) = &event.body { Some(&**end) } else { None }).collect()
    }

    /// How the only attempt at a case ended.
    pub(crate) fn end(&self, id: &str) -> &CaseEnd {
        let ends = self.ends(id);
        assert_eq!(ends.len(), 1, "{:?}", self.effects);
        ends[0]
    }

    /// Why a case did not pass: the cause and the message.
    pub(crate) fn cause(&self, id: &str) -> (Option<Cause>, Vec<&str>) {
        let end = self.end(id);
        (end.cause, end.findings.iter().map(|finding| finding.message.as_str()).collect())
    }

    /// The names of the checks with their results, in order.
    pub(crate) fn checks(&self) -> Vec<String> {
        let checks = self.events.iter().filter_map(|event| match &event.body {
            Body::Check(check) => Some(format!("{} {:?}", check.name, check.status)),
            _ => None,
        });
        checks.collect()
    }

    /// How the run ended.
    pub(crate) fn run_end(&self) -> &RunEnd {
        match &self.events.last().unwrap().body {
            Body::RunEnd(end) => end,
            other => panic!("the last event is {other:?}"),
        }
    }

    /// Everything that left the run, in its stored form.
    pub(crate) fn stored(&self) -> String {
        self.events.iter().map(|event| event.to_line().unwrap() + "\n").collect()
    }

    /// The effects that start with one of these words.
    pub(crate) fn effects_of(&self, words: &[&str]) -> Vec<&str> {
        let wanted = |effect: &&str| words.iter().any(|word| effect.split(' ').next() == Some(word));
        self.effects.iter().map(String::as_str).filter(wanted).collect()
    }
}

/// Files in memory, and those of a test's own folder on disk.
struct Both(MemoryFiles);

impl Files for Both {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        match std::fs::read(path) {
            Ok(bytes) if path.is_absolute() => Ok(bytes),
            _ => self.0.read(path, limit),
        }
    }

    fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
        self.0.list(folder)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.0.kind(path)
    }
}
