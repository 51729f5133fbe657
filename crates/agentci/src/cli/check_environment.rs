//! What `agentci check` says about the machine it is on: programs that are not there, and baselines that cannot be used.
//!
//! All of it is a warning: who checks a suite need not be who runs it.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::Path;

use agentci::plan::{CommandPart, Suite};
use agentci::source::{Diagnostic, Diagnostics};
use agentci::{LoadedSuite, Suites};

use super::case_files::{StartedCommand, agent_command};

/// What would keep the suites from running here.
pub(super) fn problems(suites: &Suites) -> Diagnostics {
    let mut problems = Diagnostics::default();
    let mut told = BTreeSet::new();
    for loaded in suites.loaded() {
        for StartedCommand { command, folder, span } in commands(&loaded.suite) {
            let Some(program) = missing(command, folder).filter(|program| told.insert(program.clone())) else {
                continue;
            };
            problems.push(
                Diagnostic::warning(span, format!("there is no program `{program}` on this machine"))
                    .label("would be started")
                    .help("install it, put its folder into `PATH`, or correct the command"),
            );
        }
    }
    for LoadedSuite { suite, policy, .. } in suites.loaded() {
        let Some((path, why)) = suite.gates.baseline.as_ref().zip(policy.as_ref().and_then(|policy| policy.problem()))
        else {
            continue;
        };
        let shown = path.value.display();
        problems.push(
            Diagnostic::warning(path.span, format!("the baseline `{shown}` can not be used: {why}"))
                .label("a run would fail")
                .help(format!("make one of a good run: `agentci baseline promote --from RUN_DIR --to {shown}`")),
        );
    }
    problems
}

/// The commands that start agents, each once.
fn commands(suite: &Suite) -> Vec<StartedCommand<'_>> {
    let mut found: Vec<StartedCommand<'_>> =
        suite.cases.iter().filter_map(|case| agent_command(&case.target)).collect();
    found.dedup_by_key(|started| started.span);
    found
}

/// The program of a command, if it is not there. One that depends on a variable is not known before the run.
fn missing(command: &[CommandPart], folder: Option<&Path>) -> Option<String> {
    let first = command.first().filter(|part| part.file.is_none())?;
    // A case that is broken has no command.
    let name = first.text.fill(&|_| None).ok().filter(|name| !name.is_empty())?;
    let path = Path::new(&name);
    let there = if path.components().count() > 1 || path.is_absolute() {
        folder.unwrap_or(Path::new("")).join(path).exists() || path.exists()
    } else {
        let on_path = |name: &str| {
            let folders = env::var_os("PATH").unwrap_or_else(|| OsStr::new("/bin:/usr/bin").to_owned());
            env::split_paths(&folders).any(|folder| folder.join(name).is_file())
        };
        // Where there is no `python`, `python3` is started.
        on_path(&name) || (name == "python" && on_path("python3"))
    };
    (!there).then_some(name)
}
