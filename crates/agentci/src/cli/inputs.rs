//! Keeps reports from overwriting the input files of suites.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::plan::{Target, cases_by_files};
use agentci::source::join;
use agentci::{Suites, real_path};

use super::case_files::{agent_command, recorded};
use super::{CliError, ReportFlags};

/// Refuses reports that would overwrite an input of a suite. `read` contains the files that were read to load the
/// suites.
pub(super) fn are_kept(reports: &ReportFlags, suites: &Suites, read: &BTreeSet<PathBuf>) -> Result<(), CliError> {
    let all = || suites.loaded().iter().map(|loaded| &loaded.suite);
    let targets: Vec<PathBuf> = all().flat_map(|suite| reports.files(&suite.name)).collect();
    if targets.is_empty() {
        return Ok(());
    }
    // JSONL files are read to see whether they are tests, and may be reports of earlier runs.
    let is_lines = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let mut inputs: BTreeSet<PathBuf> =
        read.iter().filter(|path| !is_lines(path)).map(|path| real_path(path)).collect();
    for suite in all() {
        inputs.insert(real_path(&suite.path));
        inputs.extend(suite.gates.baseline.iter().map(|baseline| real_path(&baseline.value)));
        for case in cases_by_files(&suite.cases) {
            inputs.extend(programs(&case.target).map(|path| real_path(path)));
            inputs.insert(real_path(suites.sources().path(case.span.file)));
            let files = case.data.iter().flat_map(|data| &data.dataset.files);
            inputs.extend(files.map(|file| real_path(&file.path)));
            inputs.extend(recorded(&case).iter().map(|path| real_path(path)));
            inputs.extend(case.world.mcp.iter().map(|server| real_path(server.path())));
        }
    }
    let replaces = |target: &&PathBuf| {
        // A missing folder is created before the report is written.
        let lexical = join(Path::new(""), &target.to_string_lossy());
        [target.as_path(), &lexical].iter().any(|path| path.is_file() && inputs.contains(&real_path(path)))
    };
    match targets.iter().find(replaces) {
        None => Ok(()),
        Some(target) => {
            let message = format!("a report would overwrite `{}`, which is an input of the suite", target.display());
            Err(CliError::new(message, "write the report to another file"))
        }
    }
}

/// The files in the command of an agent.
fn programs(target: &Target) -> impl Iterator<Item = &PathBuf> {
    let started = agent_command(target).filter(|_| !matches!(target, Target::Mcp(_)));
    started.into_iter().flat_map(|started| started.command).filter_map(|part| part.file.as_ref())
}
