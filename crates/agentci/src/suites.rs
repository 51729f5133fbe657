//! The pipeline put together: load, compile, run.

use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentci_checks::Ready;
use agentci_formats::LoadOptions;
use agentci_plan::{Dialect, MOST_RUNS, Mode, Plan, Suite};
use agentci_runner::{Facts, Options, Run, Stop, Stopper, Unheard};
use agentci_source::{Diagnostic, Diagnostics, Files};
use agentci_stubs::{Tool, ToolboxError};
use agentci_trace::Redactor;
use agentci_verdict::{Policy, RunEvent, Status};
use serde_json::Value;

use crate::policies::policy;
use crate::{DiskFiles, recording, scripts};

/// Suites that were read and whose checks are ready.
#[derive(Debug, Clone)]
pub struct Suites {
    plan: Plan,
    ready: Ready,
    problems: Diagnostics,
    policies: Vec<Option<Policy>>,
    secrets: Redactor,
}

/// How to run suites.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Whether tools are replayed, recorded or live; each suite's own mode without it.
    pub mode: Option<Mode>,
    /// How many cases run at once.
    pub parallel: usize,
    /// Start no further case after one that did not pass.
    pub fail_fast: bool,
    /// Whether a run fails when a case is answered from a recording of the whole agent and does not say `played: true`.
    pub require_agent: bool,
    /// How often a case is tried again when its agent could not be reached or was busy.
    pub retries: u32,
    /// How long a case may take; its own limit without it.
    pub timeout: Option<Duration>,
    /// How long all cases of a suite together may take; what its dialect says without it.
    pub suite_timeout: Option<Duration>,
    /// What every draw depends on: equal seeds give equal runs.
    pub seed: u64,
    /// The address of the server that plays tools over HTTP; only this machine can reach it unless it is changed.
    pub stub_bind: IpAddr,
    /// Its port; 0 is any that is free.
    pub stub_port: u16,
    /// Tools of this program, to be called by agents in record and live mode.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Who compares meanings, by its id; what each suite says without it.
    pub embedder: Option<String>,
    /// How long one request for embeddings may take; 30 seconds without it.
    pub semantic_timeout: Option<Duration>,
    /// The program, with its arguments, that evaluates schemas and paths which may take long. The binary `agentci` does with the
    /// argument `check-worker`; without it a thread does: its time is bounded, its memory is not.
    pub worker: Option<(PathBuf, Vec<OsString>)>,
}

impl Default for Settings {
    fn default() -> Self {
        let parallel = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            mode: None,
            parallel,
            fail_fast: false,
            require_agent: false,
            retries: 0,
            timeout: None,
            suite_timeout: None,
            seed: 0,
            stub_bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            stub_port: 0,
            tools: Vec::new(),
            embedder: None,
            semantic_timeout: None,
            worker: None,
        }
    }
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

/// What must not be shown or stored: the values of environment variables whose names look secret.
pub fn environment_secrets() -> Redactor {
    let variables = std::env::vars_os();
    let text = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Redactor::default().with_environment(text)
}

/// The environment as suites see it with `${ENV.NAME}`. Unless it is set, `AGENTCI` is the path of the running binary, so that a
/// suite can start it.
pub fn environment(name: &str) -> Option<String> {
    match std::env::var(name) {
        Ok(value) => Some(value),
        Err(_) if name == "AGENTCI" => {
            std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok())
        }
        Err(_) => None,
    }
}
