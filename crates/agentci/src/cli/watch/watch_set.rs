//! Which files are watched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::plan::Mode;

use super::{FOLDER_LIMIT, FileSnapshot, Territories};
use crate::cli::case_files::{absolute, recorded};
use crate::cli::{RunArguments, Suites};

/// How the names of programs end.
const PROGRAMS: [&str; 24] = [
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "sh", "bash", "rb", "php", "pl", "lua", "go",
    "rs", "java", "kt", "cs", "ex", "exs", "swift",
];

/// How the names of what programs are told end: prompts and settings. Agents write such files as well, so one that changes while
/// they are at work is not counted.
const TOLD: [&str; 8] = ["md", "txt", "prompt", "j2", "jinja", "jinja2", "tmpl", "toml"];

/// The files that are watched.
#[derive(Debug)]
pub(super) struct WatchSet {
    /// What was named on the command line.
    named: Vec<PathBuf>,
    /// Files that suites are made of, wherever they are.
    sources: BTreeSet<PathBuf>,
    /// Those of them that were read with the suites.
    noted: BTreeSet<PathBuf>,
    /// Folders of which every file is watched.
    folders: BTreeSet<PathBuf>,
    /// Folders of which programs are.
    programs: BTreeSet<PathBuf>,
    /// Folders that runs write to.
    outputs: BTreeSet<PathBuf>,
}

impl WatchSet {
    /// What is to be watched of these suites. `noted` is what was read of the disk for them, `named` what the user named.
    pub(super) fn of(
        suites: &Suites,
        noted: &BTreeSet<PathBuf>,
        named: &[PathBuf],
        RunArguments { output_dir, mode, .. }: &RunArguments,
        territories: &Territories,
    ) -> Self {
        let noted: BTreeSet<PathBuf> = noted.iter().map(|path| absolute(path)).collect();
        let (mut sources, mut folders, mut programs) = (noted.clone(), BTreeSet::new(), BTreeSet::new());
        for suite in &territories.suites {
            sources.extend(suite.of_cases.keys().chain(&suite.programs).cloned());
            folders.insert(suite.folder.clone());
            programs.extend(suite.program_folders.iter().cloned());
        }
        let named: Vec<PathBuf> = named.iter().map(|path| absolute(path)).collect();
        for path in &named {
            // A file may be gone for a moment.
            let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
            folders.extend(folder.map(Path::to_path_buf));
        }
        let mut outputs: BTreeSet<PathBuf> = output_dir.iter().map(|path| absolute(path)).collect();
        for suite in suites.loaded().iter().map(|loaded| &loaded.suite) {
            outputs.extend(suite.output_dir.iter().map(|path| absolute(path)));
            if mode.unwrap_or(suite.mode) == Mode::Record {
                // They are written by each run.
                for path in suite.cases.iter().flat_map(|case| recorded(case)) {
                    sources.remove(&path);
                }
            }
        }
        Self { named, sources, noted, folders, programs, outputs }
    }

    /// How everything looks now.
    pub(super) fn look(&self) -> FileSnapshot {
        let mut snapshot = FileSnapshot::default();
        self.sources.iter().for_each(|path| snapshot.add_file(path));
        let skipped = |path: &Path| self.outputs.contains(path);
        self.folders.iter().for_each(|folder| snapshot.add_folder(folder, FOLDER_LIMIT, &|_| true, &skipped));
        self.programs.iter().for_each(|folder| snapshot.add_folder(folder, FOLDER_LIMIT, &is_of_a_program, &skipped));
        snapshot
    }

    /// Whether a file is one that suites name, so that it is surely not written by an agent that is at work.
    pub(super) fn is_named(&self, path: &Path) -> bool {
        self.sources.contains(path)
    }

    /// Whether everything is there that was named on the command line.
    pub(super) fn is_there(&self) -> bool {
        self.named.iter().all(|path| path.exists())
    }

    /// What was read with the suites.
    pub(super) fn noted(&self) -> &BTreeSet<PathBuf> {
        &self.noted
    }
}

/// Whether a file is a program, by its name.
pub(super) fn is_program(path: &Path) -> bool {
    ends(path, &PROGRAMS)
}

/// Whether a file is a program or what one is told.
pub(super) fn is_of_a_program(path: &Path) -> bool {
    is_program(path) || ends(path, &TOLD)
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| endings.contains(&extension))
}
