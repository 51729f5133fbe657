//! The set of watched files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::plan::{Mode, cases_by_files};

use super::snapshot::{FOLDER_LIMIT, FileSnapshot};
use super::touch::WatchedSuites;
use crate::cli::case_files::{absolute, recorded};
use crate::cli::{RunArguments, Suites};

/// The file extensions of programs.
const PROGRAMS: [&str; 24] = [
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "sh", "bash", "rb", "php", "pl", "lua", "go",
    "rs", "java", "kt", "cs", "ex", "exs", "swift",
];

/// The file extensions of prompts and settings. Agents also write such files, so a change during a run does not count.
const TOLD: [&str; 8] = ["md", "txt", "prompt", "j2", "jinja", "jinja2", "tmpl", "toml"];

/// The watched files.
#[derive(Debug)]
pub(super) struct WatchSet {
    /// The paths from the command line.
    named: Vec<PathBuf>,
    /// The files of suites, wherever they are.
    sources: BTreeSet<PathBuf>,
    /// The files that were read to load the suites.
    noted: BTreeSet<PathBuf>,
    /// Folders in which every file is watched.
    folders: BTreeSet<PathBuf>,
    /// Folders in which programs are watched.
    programs: BTreeSet<PathBuf>,
    /// Folders that runs write to.
    outputs: BTreeSet<PathBuf>,
}

impl WatchSet {
    /// The files to watch for these suites. `noted` contains the files that were read to load them, `named` the paths
    /// from the command line.
    pub(super) fn of(
        suites: &Suites,
        noted: &BTreeSet<PathBuf>,
        named: &[PathBuf],
        RunArguments { output_dir, mode, .. }: &RunArguments,
        watched_suites: &WatchedSuites,
    ) -> Self {
        let noted: BTreeSet<PathBuf> = noted.iter().map(|path| absolute(path)).collect();
        let (mut sources, mut folders, mut programs) = (noted.clone(), BTreeSet::new(), BTreeSet::new());
        for suite in &watched_suites.suites {
            sources.extend(suite.of_cases.keys().chain(&suite.programs).cloned());
            folders.insert(suite.folder.clone());
            programs.extend(suite.program_folders.iter().cloned());
        }
        let named: Vec<PathBuf> = named.iter().map(|path| absolute(path)).collect();
        for path in &named {
            // A file may be missing temporarily.
            let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
            folders.extend(folder.map(Path::to_path_buf));
        }
        let mut outputs: BTreeSet<PathBuf> = output_dir.iter().map(|path| absolute(path)).collect();
        for suite in suites.loaded().iter().map(|loaded| &loaded.suite) {
            outputs.extend(suite.output_dir.iter().map(|path| absolute(path)));
            if mode.unwrap_or(suite.mode) == Mode::Record {
                // Each run writes them.
                for path in cases_by_files(&suite.cases).flat_map(|case| recorded(&case)) {
                    sources.remove(&path);
                }
            }
        }
        Self { named, sources, noted, folders, programs, outputs }
    }

    /// The current state of all watched files.
    pub(super) fn look(&self) -> FileSnapshot {
        let mut snapshot = FileSnapshot::default();
        self.sources.iter().for_each(|path| snapshot.add_file(path));
        let skipped = |path: &Path| self.outputs.contains(path);
        self.folders.iter().for_each(|folder| snapshot.add_folder(folder, FOLDER_LIMIT, &|_| true, &skipped));
        self.programs.iter().for_each(|folder| snapshot.add_folder(folder, FOLDER_LIMIT, &is_of_a_program, &skipped));
        snapshot
    }

    /// Whether suites refer to a file, so that it is not written by a running agent.
    pub(super) fn is_named(&self, path: &Path) -> bool {
        self.sources.contains(path)
    }

    /// Whether all paths from the command line exist.
    pub(super) fn is_there(&self) -> bool {
        self.named.iter().all(|path| path.exists())
    }

    /// The files that were read to load the suites.
    pub(super) fn noted(&self) -> &BTreeSet<PathBuf> {
        &self.noted
    }
}

/// Whether a file is a program, by its extension.
pub(super) fn is_program(path: &Path) -> bool {
    ends(path, &PROGRAMS)
}

/// Whether a file is a program, a prompt or a setting, by its extension.
pub(super) fn is_of_a_program(path: &Path) -> bool {
    is_program(path) || ends(path, &TOLD)
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| endings.contains(&extension))
}
