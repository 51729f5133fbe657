//! The whole pipeline: load, compile, run.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_checks::{ReadyCase, ReadySuite};
use agentci_formats::LoadOptions;
use agentci_plan::{
    Case, CasePosition, Cases, InvalidChecks, MOST_RUNS, Mode, Plan, PlannedCase, Repeats, Suite, planned, positions,
};
use agentci_runner::{AskError, RunFacts, RunOptions, RunPlan, RunShard, Stop, Stopper};
use agentci_source::{Diagnostic, Diagnostics, Files, Sources};
use agentci_stubs::ToolboxError;
use agentci_trace::Redactor;
use agentci_verdict::{CaseStatus, Policy, RunEvent};
use serde_json::Value;

use crate::policies::policy;
use crate::resume::Definitions;
use crate::{DiskFiles, Settings, environment, environment_secrets, recording, scripts};

/// Suites that were loaded, with compiled checks.
#[derive(Debug, Clone)]
pub struct Suites {
    pub(crate) sources: Sources,
    pub(crate) loaded: Vec<LoadedSuite>,
    problems: Diagnostics,
    secrets: Redactor,
}

/// A suite with everything that a run of it needs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedSuite {
    /// The suite.
    pub suite: Suite,
    /// The compiled checks, in the order of the cases.
    pub ready: ReadySuite,
    /// The gates of the suite, with its baseline already read. A baseline that cannot be read is not a problem of the
    /// suite, but fails its runs.
    pub policy: Option<Policy>,
    /// The cases to run, by position. Default: all.
    pub selected: Vec<CasePosition>,
    /// The shard that the selected cases are, in a sharded run.
    pub part: Option<RunShard>,
}

impl LoadedSuite {
    fn new(suite: Suite, ready: ReadySuite, sources: &Sources) -> Self {
        let policy = policy(&suite, sources, None);
        let selected = positions(&suite.cases).collect();
        Self { suite, ready, policy, selected, part: None }
    }

    /// The cases to run.
    pub fn selected_cases(&self) -> impl Iterator<Item = PlannedCase<'_>> {
        self.selected.iter().filter_map(|position| planned(&self.suite.cases, *position))
    }

    /// The cases to run as written: one that is made from data is included once, and not once for each row.
    pub fn written_cases(&self) -> impl Iterator<Item = &Case> {
        let mut last = None;
        let first = move |position: &&CasePosition| last.replace(position.case) != Some(position.case);
        let each = self.selected.iter().filter(first);
        each.filter_map(|position| self.suite.cases.get(position.case as usize)).map(|case| &**case)
    }

    /// Whether there is something to run.
    pub fn is_runnable(&self) -> bool {
        !self.selected.is_empty() && !self.ready.refused
    }
}

impl Suites {
    /// Loads every suite at or below these paths. [`Suites::problems`] contains their problems; what is valid can be
    /// run.
    pub fn load<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self::load_with(paths, &LoadOptions::default())
    }

    /// Like [`Suites::load`], with options for suites.
    pub fn load_with<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>, options: &LoadOptions) -> Self {
        Self::load_from(&DiskFiles, paths, options)
    }

    /// Like [`Suites::load_with`], with files from another source.
    pub fn load_from<P: Into<PathBuf>>(
        files: &dyn Files,
        paths: impl IntoIterator<Item = P>,
        options: &LoadOptions,
    ) -> Self {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        let read = agentci_formats::load_with(files, &paths, options);
        let mut problems = read.diagnostics;
        let (ready, found) = agentci_checks::compile(&read.plan, files);
        problems.append(found);
        let Plan { mut sources, suites } = read.plan;
        let both = suites.into_iter().zip(ready.suites);
        let mut loaded: Vec<LoadedSuite> =
            both.map(|(suite, ready)| LoadedSuite::new(suite, ready, &sources)).collect();
        problems.append(scripts::read(&mut sources, &mut loaded));
        for LoadedSuite { suite, ready, .. } in &mut loaded {
            replace_unusable(suite, ready);
            if let Some(unknown) = unknown_embedder(suite) {
                ready.refused = true;
                problems.push(unknown);
            }
        }
        Self { sources, loaded, problems, secrets: environment_secrets() }
    }

    /// The files that the suites were read from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The files that the suites were read from, mutably.
    pub fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    /// The suites, in the order they run.
    pub fn loaded(&self) -> &[LoadedSuite] {
        &self.loaded
    }

    /// The suites, mutably: to select or remove cases, or to set their runs.
    pub fn loaded_mut(&mut self) -> &mut [LoadedSuite] {
        &mut self.loaded
    }

    /// Runs every case this often, at most [`MOST_RUNS`](agentci_plan::MOST_RUNS) times, whatever its suite says.
    pub fn repeat(&mut self, runs: u32) {
        let cases = self.loaded.iter_mut().flat_map(|loaded| &mut loaded.suite.cases);
        cases.for_each(|case| (case.runs, case.repeats) = (runs.clamp(1, MOST_RUNS), None));
    }

    /// Repeats every case until it is decided whether it got worse, as its suite says or up to [`Repeats::MAX`] times.
    /// The error is the name of a selected suite without the gate `no_regression`, which decides.
    pub fn repeat_until_decided(&mut self) -> Result<(), String> {
        for LoadedSuite { suite, selected, .. } in &mut self.loaded {
            if !selected.is_empty() && suite.gates.no_regression.is_none() {
                return Err(suite.name.clone());
            }
            let total = suite.cases.iter().find_map(|case| Some(case.repeats.as_ref()?.total)).unwrap_or_default();
            let usual = Arc::new(Repeats { total, ..Repeats::default() });
            for case in suite.cases.iter_mut().filter(|case| case.repeats.is_none()) {
                (case.runs, case.repeats) = (Repeats::MAX, Some(Arc::clone(&usual)));
            }
        }
        Ok(())
    }

    /// The secrets of the environment.
    pub(crate) fn secrets(&self) -> &Redactor {
        &self.secrets
    }

    /// The problems of the suites.
    pub fn problems(&self) -> &Diagnostics {
        &self.problems
    }

    /// Compares all runs with this baseline instead of the suites' own.
    pub fn hold_against(&mut self, baseline: &Path) {
        for loaded in &mut self.loaded {
            loaded.policy = policy(&loaded.suite, &self.sources, Some(baseline));
        }
    }

    /// Runs the selected cases, suite by suite, and passes each event to `on_event`. Returns the worst status. It
    /// consumes the suites: to run them again, keep a copy. It blocks, and creates a runtime on this thread; inside an
    /// async runtime, call it on a separate thread.
    pub fn run(mut self, settings: &Settings, mut on_event: impl FnMut(RunEvent)) -> io::Result<CaseStatus> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (_stopper, stop) = Stopper::new();
        let facts = RunFacts::default();
        let mut worst = CaseStatus::Pass;
        for position in 0..self.loaded.len() {
            let run = self.run_suite(position, &facts, settings, &stop, &mut on_event);
            worst = worst.max(runtime.block_on(run));
        }
        Ok(worst)
    }

    /// In record and live mode, checks that every tool that the selected cases of a suite may call can be executed. A
    /// run does so, too, but case by case.
    pub async fn resolve_tools(&self, position: usize, settings: &Settings) -> Result<(), ToolboxError> {
        let LoadedSuite { suite, selected, .. } = &self.loaded[position];
        match settings.mode.unwrap_or(suite.mode) {
            Mode::Replay => Ok(()),
            mode @ (Mode::Record | Mode::Live) => recording::ready(suite, selected, mode, &settings.tools).await,
        }
    }

    /// Runs the selected cases of one suite, given by position. The suite has no cases afterwards: each is dropped when
    /// it was run, to free memory for the results.
    pub async fn run_suite(
        &mut self,
        position: usize,
        facts: &RunFacts,
        settings: &Settings,
        stop: &Stop,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> CaseStatus {
        let cases = self.take_cases(position);
        let facts = self.facts_of(position, facts);
        let options = self.options(position, settings);
        let definitions = Definitions::new(&self.loaded[position].suite, options.mode, &self.secrets);
        let definition = |case: &Case, ready: &ReadyCase| definitions.of(case, ready);
        let options = RunOptions { definition: Some(&definition), ..options };
        let run = self.run_plan(position, cases, (&facts, &options), stop);
        agentci_runner::run_suite(run, on_event).await
    }

    /// Moves the cases of a suite and their checks out of it.
    pub(crate) fn take_cases(&mut self, position: usize) -> (Cases, Vec<ReadyCase>) {
        let LoadedSuite { suite, ready, .. } = &mut self.loaded[position];
        (std::mem::take(&mut suite.cases), std::mem::take(&mut ready.cases))
    }

    pub(crate) fn facts_of(&self, position: usize, facts: &RunFacts) -> RunFacts {
        let version = env!("CARGO_PKG_VERSION").into();
        RunFacts { version, shard: self.loaded[position].part.clone(), ..facts.clone() }
    }

    pub(crate) fn run_plan<'r>(
        &'r self,
        position: usize,
        (cases, ready): (Cases, Vec<ReadyCase>),
        (facts, options): (&'r RunFacts, &'r RunOptions<'r>),
        stop: &'r Stop,
    ) -> RunPlan<'r> {
        let LoadedSuite { suite, policy, selected, .. } = &self.loaded[position];
        RunPlan { sources: &self.sources, suite, cases, ready, selected, facts, policy: policy.as_ref(), options, stop }
    }

    /// Sends one message to an agent that a suite names, and returns its result.
    pub async fn ask(
        &self,
        position: usize,
        agent: &str,
        message: String,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Value, AskError> {
        let options = self.options(position, settings);
        agentci_runner::ask_agent(&self.loaded[position].suite, agent, message, &options, stop).await
    }

    pub(crate) fn options<'s>(&'s self, position: usize, settings: &'s Settings) -> RunOptions<'s> {
        let suite = &self.loaded[position].suite;
        RunOptions {
            definition: None,
            files: &DiskFiles,
            environment: &environment,
            mode: settings.mode.unwrap_or(suite.mode),
            suite_timeout: settings.suite_timeout.or(suite.conventions.time_limit.of_suite()),
            settings,
            secrets: &self.secrets,
        }
    }
}

/// Replaces assertions that cannot be parsed with checks that never pass, so that the suite means the same in native
/// form.
fn replace_unusable(suite: &mut Suite, ready: &ReadySuite) {
    if suite.conventions.invalid_checks != InvalidChecks::FailCase {
        return;
    }
    for (case, ready) in suite.cases.iter_mut().zip(&ready.cases) {
        for (check, ready) in case.checks.iter_mut().zip(&ready.checks) {
            check.clone_from(ready.check());
        }
    }
}

/// The problem with the embedder that a suite sets, if any.
fn unknown_embedder(suite: &Suite) -> Option<Diagnostic> {
    let pinned = suite.embedder.as_ref()?;
    let text = agentci_embed::choose(Some(&pinned.value), None).err()?.to_string();
    let (message, help) = text.split_once("\nhelp: ").unwrap_or((&text, "choose another"));
    Some(Diagnostic::error(pinned.span, message).label("not an embedder").help(help))
}
