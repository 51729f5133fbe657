//! The pipeline put together: load, compile, run.

use std::io;
use std::path::{Path, PathBuf};

use agentci_checks::Ready;
use agentci_formats::LoadOptions;
use agentci_plan::{Dialect, MOST_RUNS, Mode, Plan, Suite};
use agentci_runner::{Facts, Options, Run, Stop, Stopper, Unheard};
use agentci_source::{Diagnostic, Diagnostics, Files};
use agentci_stubs::ToolboxError;
use agentci_trace::Redactor;
use agentci_verdict::{Policy, RunEvent, Status};
use serde_json::Value;

use crate::policies::policy;
use crate::{DiskFiles, Settings, environment, environment_secrets, recording, scripts};

/// Suites that were read and whose checks are ready.
#[derive(Debug, Clone)]
pub struct Suites {
    plan: Plan,
    ready: Ready,
    problems: Diagnostics,
    policies: Vec<Option<Policy>>,
    secrets: Redactor,
}

impl Suites {
    /// Reads every suite at or below these paths. What is wrong with them is in [`Suites::problems`]; what is right can be run.
    pub fn load<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self::load_with(paths, &LoadOptions::default())
    }

    /// The same, with what the caller chooses for suites that leave it open.
    pub fn load_with<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>, options: &LoadOptions) -> Self {
        Self::load_from(&DiskFiles, paths, options)
    }

    /// The same, with files that the caller looks after.
    pub fn load_from<P: Into<PathBuf>>(
        files: &dyn Files,
        paths: impl IntoIterator<Item = P>,
        options: &LoadOptions,
    ) -> Self {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        let mut loaded = agentci_formats::load_with(files, &paths, options);
        let mut problems = loaded.diagnostics;
        let (mut ready, found) = agentci_checks::compile(&loaded.plan, files);
        problems.append(found);
        problems.append(scripts::read(&mut loaded.plan, &mut ready));
        replace_unusable(&mut loaded.plan, &ready);
        for (suite, ready) in loaded.plan.suites.iter().zip(&mut ready.suites) {
            if let Some(unknown) = unknown_embedder(suite) {
                ready.refused = true;
                problems.push(unknown);
            }
        }
        let policies = loaded.plan.suites.iter().map(|suite| policy(suite, None)).collect();
        let secrets = environment_secrets();
        Self { plan: loaded.plan, ready, problems, policies, secrets }
    }

    /// What is to be run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The same, to be changed: cases taken out, runs set.
    pub fn plan_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }

    /// Has every case run so often, at most [`MOST_RUNS`](agentci_plan::MOST_RUNS) times, whatever its suite says.
    pub fn repeat(&mut self, runs: u32) {
        self.plan
            .suites
            .iter_mut()
            .flat_map(|suite| &mut suite.cases)
            .for_each(|case| case.runs = runs.clamp(1, MOST_RUNS));
    }

    /// The checks, where the suites and cases stand in the plan.
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// What is wrong with the suites.
    pub fn problems(&self) -> &Diagnostics {
        &self.problems
    }

    /// What the runs of each suite are held to, where the suites stand in the plan. Baselines have been read; one that could
    /// not be is no problem of the suite, but its runs fail.
    pub fn policies(&self) -> &[Option<Policy>] {
        &self.policies
    }

    /// Holds all runs against this baseline rather than the suites' own.
    pub fn hold_against(&mut self, baseline: &Path) {
        self.policies = self.plan.suites.iter().map(|suite| policy(suite, Some(baseline))).collect();
    }

    /// Runs every case of every suite, suite after suite, and hands each event to `on_event`. The result is the worst status. What
    /// was run is let go: to run it again, keep a copy. It blocks, and makes a runtime of its own on this thread; from within an
    /// asynchronous runtime call it on a thread of its own.
    pub fn run(mut self, settings: &Settings, mut on_event: impl FnMut(RunEvent)) -> io::Result<Status> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (_stopper, stop) = Stopper::new();
        let facts = Facts::default();
        let mut worst = Status::Pass;
        for position in 0..self.plan.suites.len() {
            let selected: Vec<usize> = (0..self.plan.suites[position].cases.len()).collect();
            let run = self.run_suite(position, &selected, &facts, settings, &stop, &mut on_event);
            worst = worst.max(runtime.block_on(run));
        }
        Ok(worst)
    }

    /// In record and live mode, makes sure that every tool that these cases may call can be executed. A run does so, too, but
    /// case by case.
    pub async fn resolve_tools(
        &self,
        position: usize,
        selected: &[usize],
        settings: &Settings,
    ) -> Result<(), ToolboxError> {
        let suite = &self.plan.suites[position];
        match settings.mode.unwrap_or(suite.mode) {
            Mode::Replay => Ok(()),
            mode => recording::ready(suite, selected, mode, &settings.tools).await,
        }
    }

    /// Runs some cases of one suite, all given by position. The suite has no cases afterwards: each is let go when it was run,
    /// since what becomes of it needs the room.
    pub async fn run_suite(
        &mut self,
        position: usize,
        selected: &[usize],
        facts: &Facts,
        settings: &Settings,
        stop: &Stop,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> Status {
        let cases = std::mem::take(&mut self.plan.suites[position].cases);
        let ready = std::mem::take(&mut self.ready.suites[position].cases);
        let facts = Facts { version: env!("CARGO_PKG_VERSION").into(), ..facts.clone() };
        let run = Run {
            sources: &self.plan.sources,
            suite: &self.plan.suites[position],
            cases,
            ready,
            selected,
            facts: &facts,
            policy: self.policies[position].as_ref(),
            options: &self.options(position, settings),
            stop,
        };
        agentci_runner::run_suite(run, on_event).await
    }

    /// Asks an agent that a suite names, with one message, and returns its result.
    pub async fn ask(
        &self,
        position: usize,
        agent: &str,
        message: String,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Value, Unheard> {
        let options = self.options(position, settings);
        agentci_runner::ask_agent(&self.plan.suites[position], agent, message, &options, stop).await
    }

    fn options<'s>(&'s self, position: usize, settings: &'s Settings) -> Options<'s> {
        let suite = &self.plan.suites[position];
        Options {
            files: &DiskFiles,
            environment: &environment,
            mode: settings.mode.unwrap_or(suite.mode),
            parallel: settings.parallel,
            fail_fast: settings.fail_fast,
            require_agent: settings.require_agent,
            retries: settings.retries,
            timeout: settings.timeout,
            suite_timeout: settings.suite_timeout.or(suite.habits.time_limit.of_suite()),
            seed: settings.seed,
            stub_bind: settings.stub_bind,
            stub_port: settings.stub_port,
            tools: &settings.tools,
            embedder: settings.embedder.as_deref(),
            semantic_timeout: settings.semantic_timeout,
            worker: settings.worker.as_ref().map(|(program, arguments)| (program.as_path(), arguments.as_slice())),
            secrets: &self.secrets,
        }
    }
}

/// Puts what never holds into the plan where an assertion can not be understood, so that the suite means the same in native form.
fn replace_unusable(plan: &mut Plan, ready: &Ready) {
    let suites = plan.suites.iter_mut().zip(&ready.suites).filter(|(suite, _)| suite.dialect == Dialect::Yao);
    for (case, ready) in suites.flat_map(|(suite, ready)| suite.cases.iter_mut().zip(&ready.cases)) {
        for (check, ready) in case.checks.iter_mut().zip(&ready.checks) {
            check.clone_from(ready.check());
        }
    }
}

/// What is wrong with the embedder that a suite pins.
fn unknown_embedder(suite: &Suite) -> Option<Diagnostic> {
    let pinned = suite.embedder.as_ref()?;
    let text = agentci_embed::choose(Some(&pinned.value), None).err()?.to_string();
    let (message, help) = text.split_once("\nhelp: ").unwrap_or((&text, "pin another"));
    Some(Diagnostic::error(pinned.span, message).label("not an embedder").help(help))
}
