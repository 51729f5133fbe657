//! `agentci report --recheck`: evaluates the present checks of a suite on a stored run, without its agent.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::formats::LoadOptions;
use agentci::ledger::{LedgerError, RunFolder, RunJournal};
use agentci::plan::Suite;
use agentci::report::{Console, FanOut};
use agentci::runner::RunFacts;
use agentci::verdict::{CaseStatus, ExitStatus, NotLoaded, RunEvent};
use agentci::{LoadedSuite, NotedFiles, RecheckError, RecheckedRun, Settings};

use super::github_job::not_loaded;
use super::prepare::not_told_later;
use super::report::ReportArguments;
use super::reports::{ReportOf, USUAL, add_usual, console, tell_unwritten};
use super::{CliContext, CliError, CommandResult, Suites, check_worker, gates, runtime, unix_ms};

/// Rechecks the run in `file`; the suite is `chosen`, else the one that the run names.
pub(super) fn recheck(
    arguments: &ReportArguments,
    file: &Path,
    chosen: Option<&Path>,
    context: &CliContext,
) -> CommandResult {
    if arguments.output_dir.is_none() {
        arguments.reports.leave_run_folder()?;
    }
    let stored = RecheckedRun::open(file, &arguments.run.display().to_string()).map_err(|error| unusable(&error))?;
    let path = suite_path(&stored, chosen, &arguments.run)?;
    let noted = NotedFiles::default();
    let mut suites = Suites::load_from(&noted, [path.clone()], &LoadOptions::default());
    let read = if chosen.is_some() { None } else { Some(noted.into_read()) };
    let position = position(&suites, &stored, chosen.is_some()).map_err(|error| {
        context.show(suites.problems(), suites.sources());
        error.unwrap_or_else(|| other_suite(&suites, &stored, &path, &arguments.run))
    })?;
    for (other, loaded) in suites.loaded_mut().iter_mut().enumerate() {
        if other != position {
            loaded.selected.clear();
        }
    }
    let not_loaded = missing(&suites, &stored, read.as_ref(), context);
    if !suites.loaded()[position].is_runnable() {
        return Err(CliError::told());
    }
    gates::complain(&suites, context);
    let mut complete = not_loaded.is_empty() && stored.run.end.is_some();
    let mut output = RecheckOutput::open(&suites.loaded()[position].suite, arguments, context)?;
    let facts = RunFacts { not_loaded, run_id: output.run_id(), ..RunFacts::default() };
    let mut settings = Settings::default();
    settings.worker = check_worker::program();
    let runtime = runtime()?;
    let mut on_event = |event| output.on_event(&event);
    let status = runtime.block_on(suites.recheck(position, &stored, &facts, &settings, &mut on_event));
    complete &= output.finish(context);
    Ok(if status <= CaseStatus::Skipped && complete { ExitStatus::Success } else { ExitStatus::Failed })
}

/// What could not be loaded: with the suite now, and in the stored run from files other than those that were read now.
fn missing(
    suites: &Suites,
    stored: &RecheckedRun,
    read: Option<&BTreeSet<PathBuf>>,
    context: &CliContext,
) -> Vec<NotLoaded> {
    let problems = not_told_later(suites);
    context.show(&problems, suites.sources());
    let mut missing = not_loaded(&problems, suites.sources());
    let is_other = |problem: &&NotLoaded| read.is_some_and(|read| !read.contains(Path::new(&*problem.place.path)));
    let earlier: Vec<NotLoaded> = stored.run.start.1.not_loaded.iter().filter(is_other).cloned().collect();
    context.show_not_loaded(&earlier);
    missing.extend(earlier);
    missing
}

/// The console, the requested reports, and the run folder if one was requested.
struct RecheckOutput {
    reports: FanOut,
    paths: Vec<PathBuf>,
    folder: Option<(RunFolder, RunJournal)>,
    error: Option<LedgerError>,
}

impl RecheckOutput {
    fn open(suite: &Suite, arguments: &ReportArguments, context: &CliContext) -> Result<Self, CliError> {
        let create = |base: &PathBuf| {
            let folder = RunFolder::create(base, &suite.name, unix_ms())?;
            let journal = RunJournal::create(&folder)?;
            Ok((folder, journal))
        };
        let folder = arguments.output_dir.as_ref().map(create).transpose().map_err(|error: LedgerError| {
            CliError::new(format!("the run folder cannot be created: {error}"), "choose another with `--output-dir`")
        })?;
        let mut reports = FanOut::default();
        let (out, options) = console(arguments.reports.take_stdout(), arguments.verbose, context);
        reports.add("console", Box::new(Console::new(out, options)));
        let path = folder.as_ref().map_or(Path::new(""), |(folder, _)| folder.path());
        let of = ReportOf { suite: &suite.name, dialect: suite.dialect.name(), folder: path };
        let usual: &[&str] = if folder.is_some() { &USUAL } else { &[] };
        let mut paths = if folder.is_some() { add_usual(&mut reports, path) } else { Vec::new() };
        paths.extend(arguments.reports.add_to(&mut reports, of, usual));
        Ok(Self { reports, paths, folder, error: None })
    }

    fn run_id(&self) -> String {
        self.folder.as_ref().map(|(folder, _)| folder.id().to_owned()).unwrap_or_default()
    }

    fn on_event(&mut self, event: &RunEvent) {
        if let Some((_, journal)) = &mut self.folder {
            self.error = self.error.take().or(journal.hold(event).err());
        }
        self.reports.on_event(event);
    }

    /// Writes everything; returns whether all of it was written.
    fn finish(mut self, context: &CliContext) -> bool {
        let failed = tell_unwritten(self.reports.finish(), context);
        if let Some((_, journal)) = &mut self.folder {
            self.error = self.error.take().or(journal.flush().err());
        }
        for path in self.paths.iter().map(|path| path.display().to_string()).filter(|path| !failed.contains(path)) {
            context.say(&format!("wrote {path}\n"));
        }
        if let Some(error) = &self.error {
            context.complain(&format!("`run.jsonl` is incomplete: {error}"), None);
        }
        failed.is_empty() && self.error.is_none()
    }
}

fn unusable(error: &RecheckError) -> CliError {
    let help = match error {
        RecheckError::Unreadable(_) | RecheckError::NoStart(_) => "pass a run folder, as printed after `artifacts:`",
        RecheckError::Damaged { .. } | RecheckError::TooOld { .. } => "run the agent again",
    };
    CliError::new(error.to_string(), help)
}

/// The path of the suite to load.
fn suite_path(stored: &RecheckedRun, chosen: Option<&Path>, run: &Path) -> Result<PathBuf, CliError> {
    let named = || PathBuf::from(&stored.run.start.1.suite_path);
    let path = chosen.map_or_else(named, Path::to_path_buf);
    if path.exists() {
        return Ok(path);
    }
    let shown = path.display();
    Err(match chosen {
        Some(_) => CliError::new(format!("`{shown}` does not exist"), "pass the file or directory of the suite"),
        None => CliError::new(
            format!("the suite of this run, `{shown}`, does not exist here"),
            format!(
                "run the command in the directory where the agent was run, or name the suite: `agentci report {} \
                 --recheck SUITE`",
                run.display()
            ),
        ),
    })
}

/// The position of the suite of the run. A suite that was renamed must be chosen. An error without a message is for the
/// caller to explain.
fn position(suites: &Suites, stored: &RecheckedRun, is_chosen: bool) -> Result<usize, Option<CliError>> {
    let loaded = suites.loaded();
    let named: Vec<usize> = (0..loaded.len()).filter(|position| loaded[*position].suite.name == stored.suite).collect();
    match (named.as_slice(), loaded) {
        ([one], _) => Ok(*one),
        ([], [_]) if is_chosen => Ok(0),
        ([], []) if suites.problems().has_errors() => Err(Some(CliError::told())),
        ([], _) => Err(None),
        (several, _) => {
            let message = format!("{} suites are named `{}`", several.len(), stored.suite);
            Err(Some(CliError::new(message, "name the file of one: `--recheck FILE`")))
        }
    }
}

fn other_suite(suites: &Suites, stored: &RecheckedRun, path: &Path, run: &Path) -> CliError {
    let names: Vec<&str> = suites.loaded().iter().map(|LoadedSuite { suite, .. }| suite.name.as_str()).collect();
    let found = if names.is_empty() { "no suite".to_owned() } else { format!("`{}`", names.join("`, `")) };
    CliError::new(
        format!("the run is of the suite `{}`, but `{}` has {found}", stored.suite, path.display()),
        format!("if the suite was renamed or moved, name its file: `agentci report {} --recheck SUITE`", run.display()),
    )
}
