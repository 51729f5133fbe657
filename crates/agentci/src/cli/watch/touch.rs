//! Determines which cases a changed file affects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agentci::plan::{Case, CommandPart, Suite, Target};
use agentci::source::Sources;
use agentci::{LoadedSuite, Suites};

use super::watch_set::is_of_a_program;
use crate::cli::case_files::{StartedCommand, absolute, agent_command, recorded};
use crate::programs::{self, helper_commands};

/// The files of each suite, in the order of the plan.
#[derive(Debug)]
pub(super) struct WatchedSuites {
    pub(super) suites: Vec<SuiteFiles>,
}

/// The files of one suite.
#[derive(Debug, Default)]
pub(super) struct SuiteFiles {
    /// The file that defines it.
    path: PathBuf,
    /// Everything below this folder belongs to the suite, unless another suite is nearer.
    pub(super) folder: PathBuf,
    /// Files that only some cases use: their own, their recordings, and the script of their model.
    pub(super) of_cases: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// Programs of agents, hooks and tools.
    pub(super) programs: BTreeSet<PathBuf>,
    /// Folders with such programs, which may consist of several files.
    pub(super) program_folders: BTreeSet<PathBuf>,
}

/// The suites and the files of cases in the last round.
#[derive(Debug, Default)]
pub(super) struct PreviousRound {
    suites: BTreeSet<PathBuf>,
    of_cases: BTreeSet<PathBuf>,
}

/// What a file affects in a suite.
#[derive(Debug, PartialEq, Eq)]
enum FileEffect {
    Nothing,
    Cases(BTreeSet<usize>),
    All,
}

impl WatchedSuites {
    pub(super) fn of(suites: &Suites) -> Self {
        let files = |loaded: &LoadedSuite| SuiteFiles::of(&loaded.suite, suites.sources());
        Self { suites: suites.loaded().iter().map(files).collect() }
    }

    /// Keeps only the selected cases that the changed files affect, and all cases of new suites.
    pub(super) fn narrow(
        &self,
        suites: &mut Suites,
        changed: &[PathBuf],
        previous: &PreviousRound,
        noted: &BTreeSet<PathBuf>,
    ) {
        // A file that several suites share: it is unknown for which of them it was read.
        let touches_none =
            |path: &Path| self.suites.iter().all(|suite| self.touch(suite, path, previous) == FileEffect::Nothing);
        let shared = changed.iter().any(|path| noted.contains(path) && touches_none(path));
        for (suite, loaded) in self.suites.iter().zip(suites.loaded_mut()) {
            let all = shared || !previous.suites.contains(&suite.path);
            let touches: Vec<FileEffect> = changed.iter().map(|path| self.touch(suite, path, previous)).collect();
            loaded.selected.retain(|position| {
                all || touches.iter().any(|touch| match touch {
                    FileEffect::Nothing => false,
                    FileEffect::Cases(cases) => cases.contains(&(position.case as usize)),
                    FileEffect::All => true,
                })
            });
        }
    }

    fn touch(&self, suite: &SuiteFiles, path: &Path, previous: &PreviousRound) -> FileEffect {
        if path == suite.path {
            return FileEffect::All;
        }
        if let Some(cases) = suite.of_cases.get(path) {
            return FileEffect::Cases(cases.clone());
        }
        let lies_in = |folder: &PathBuf| path.starts_with(folder);
        if suite.programs.contains(path) || (is_of_a_program(path) && suite.program_folders.iter().any(lies_in)) {
            return FileEffect::All;
        }
        let depth = |folder: &Path| folder.components().count();
        let around = self.suites.iter().map(|suite| &suite.folder).filter(|folder| path.starts_with(folder));
        let nearest = around.map(|folder| depth(folder)).max();
        // The file of a removed case affects nothing.
        let gone = previous.of_cases.contains(path) && !path.exists();
        if gone || !path.starts_with(&suite.folder) || nearest != Some(depth(&suite.folder)) {
            return FileEffect::Nothing;
        }
        FileEffect::All
    }

    /// What the next round needs to know about them.
    pub(super) fn into_previous(self) -> PreviousRound {
        let mut previous = PreviousRound::default();
        for suite in self.suites {
            previous.suites.insert(suite.path);
            previous.of_cases.extend(suite.of_cases.into_keys());
        }
        previous
    }
}

impl SuiteFiles {
    fn of(suite: &Suite, sources: &Sources) -> Self {
        let (path, folder) = (absolute(&suite.path), absolute(&suite.folder));
        let mut files = Self { path, folder, ..Self::default() };
        for (index, case) in suite.cases.iter().enumerate() {
            let own = absolute(sources.path(case.span.file));
            let model = case.world.model.iter().filter_map(|model| model.source.file()).map(absolute);
            let servers = case.world.mcp.iter().map(|server| absolute(server.path()));
            let data = case.data.iter().flat_map(|data| &data.dataset.files).map(|file| absolute(&file.path));
            for path in recorded(case).into_iter().chain(model).chain(servers).chain(data).chain([own]) {
                files.of_cases.entry(path).or_default().insert(index);
            }
            files.add_agent(&case.target);
            files.add_helpers(case);
        }
        suite.agents.iter().for_each(|(_, target)| files.add_agent(target));
        files.of_cases.remove(&files.path);
        files
    }

    /// Adds the program of an agent.
    fn add_agent(&mut self, target: &Target) {
        let Some(StartedCommand { command, folder, .. }) = agent_command(target) else { return };
        for file in files(command) {
            // A program that is a folder, or a file in the folder of its other files.
            let around = if file.is_dir() { Some(file.as_path()) } else { file.parent() };
            self.program_folders.extend(around.map(Path::to_path_buf));
            self.programs.insert(file);
        }
        self.program_folders.extend(folder.map(absolute));
    }

    /// Adds the programs that run besides the agent of a case: hooks and live tools.
    fn add_helpers(&mut self, case: &Case) {
        for started in helper_commands(case) {
            self.programs.extend(files(started.command));
        }
    }
}

/// The files in a command.
fn files(command: &[CommandPart]) -> impl Iterator<Item = PathBuf> {
    programs::files(command).map(|file| absolute(file))
}
