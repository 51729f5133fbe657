//! Checks the machine for `agentci check`: programs that are missing, and baselines that cannot be used.
//!
//! All findings are warnings: a suite may be checked on one machine and run on another.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::Path;

use agentci::checks::ReadyCheck;
use agentci::plan::{CommandPart, Suite};
use agentci::source::{Diagnostic, Diagnostics};
use agentci::{LoadedSuite, Suites};
use agentci_python::{NO_PYTHON, find_python, is_python};

use super::case_files::{StartedCommand, agent_command};

/// What would prevent the suites from running on this machine.
pub(super) fn problems(suites: &Suites) -> Diagnostics {
    let mut problems = Diagnostics::default();
    let mut told = BTreeSet::new();
    for loaded in suites.loaded() {
        for StartedCommand { command, folder, span } in commands(&loaded.suite) {
            let Some(program) = missing(command, folder).filter(|program| told.insert(program.clone())) else {
                continue;
            };
            problems.push(
                Diagnostic::warning(span, format!("program `{program}` not found on this machine"))
                    .label("would be started")
                    .help("install it, add its folder to `PATH`, or correct the command"),
            );
        }
    }
    problems.append(no_python(suites));
    for LoadedSuite { suite, policy, .. } in suites.loaded() {
        let Some((path, why)) = suite.gates.baseline.as_ref().zip(policy.as_ref().and_then(|policy| policy.problem()))
        else {
            continue;
        };
        let shown = path.value.display();
        problems.push(
            Diagnostic::warning(path.span, format!("the baseline `{shown}` cannot be used: {why}"))
                .label("a run would fail")
                .help(format!("create one from a good run: `agentci baseline promote --from RUN_DIR --to {shown}`")),
        );
    }
    problems
}

/// Python files whose functions cannot be called on this machine.
fn no_python(suites: &Suites) -> Diagnostics {
    let mut problems = Diagnostics::default();
    for LoadedSuite { suite, ready, .. } in suites.loaded() {
        let checks = ready.cases.iter().flat_map(|case| case.checks.iter().chain(case.turns.iter().flatten()));
        let script = checks.filter_map(ReadyCheck::script).find(|call| is_python(&call.file.path));
        let Some(script) = script.filter(|_| find_python(&suite.folder).is_none()) else { continue };
        let message = "`python3` was not found on this machine, so the functions of this file were not checked";
        problems.push(Diagnostic::warning(script.file_span, message).label("needs Python").help(NO_PYTHON));
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

/// The program of a command, if it is missing. A program that depends on a variable is unknown before the run.
fn missing(command: &[CommandPart], folder: Option<&Path>) -> Option<String> {
    let first = command.first().filter(|part| part.file.is_none())?;
    // A broken case has no command.
    let name = first.text.fill(&|_| None).ok().filter(|name| !name.is_empty())?;
    let path = Path::new(&name);
    let there = if path.components().count() > 1 || path.is_absolute() {
        folder.unwrap_or(Path::new("")).join(path).exists() || path.exists()
    } else {
        let on_path = |name: &str| {
            let folders = env::var_os("PATH").unwrap_or_else(|| OsStr::new("/bin:/usr/bin").to_owned());
            env::split_paths(&folders).any(|folder| folder.join(name).is_file())
        };
        // `python3` is started if `python` is missing.
        on_path(&name) || (name == "python" && on_path("python3"))
    };
    (!there).then_some(name)
}
