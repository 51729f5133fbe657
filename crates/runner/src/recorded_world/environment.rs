//! The environment of an agent without a recorder, and the folders that its requests may mention.

use std::path::{Path, PathBuf};

use agentci_plan::{CommandPart, Target, Text};
use agentci_recorder::Roots;

use crate::attempt::Attempt;

/// The environment that the agent would have without a recorder: that of agentci, and that of the target.
pub(super) fn outside(attempt: &Attempt<'_>) -> Vec<(String, String)> {
    let ours = std::env::vars_os();
    let mut all: Vec<(String, String)> =
        ours.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect();
    let lookup = attempt.lookup();
    for (name, text) in handed_environment(&attempt.job.case.target) {
        let Ok(value) = text.fill(&lookup) else { continue };
        all.retain(|(known, _)| known != name);
        all.push((name.clone(), value));
    }
    all
}

/// The folders that an agent may mention, whether or not its world is recorded.
pub(crate) fn agent_roots(attempt: &Attempt<'_>) -> Roots {
    roots(attempt, &outside(attempt))
}

/// The folders of the agent, with this environment.
pub(super) fn roots(attempt: &Attempt<'_>, environment: &[(String, String)]) -> Roots {
    let folder = started_program(&attempt.job.case.target).and_then(|program| program.folder);
    let folder = folder.unwrap_or(Path::new("."));
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    // The agent sees the real path of its folder, without symbolic links.
    let cwd = std::fs::canonicalize(&absolute).unwrap_or(absolute);
    let named = |name: &str| {
        let found = environment.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| PathBuf::from(value))
    };
    Roots { cwd, home: named("HOME"), tmp: named("TMPDIR").or_else(|| Some(std::env::temp_dir())) }
}

pub(crate) fn handed_environment(target: &Target) -> &[(String, Text)] {
    started_program(target).map(|program| program.environment).unwrap_or_default()
}

/// The program of an agent that is started for a case, as the target defines it.
pub(crate) struct StartedProgram<'t> {
    pub(crate) command: &'t [CommandPart],
    folder: Option<&'t Path>,
    environment: &'t [(String, Text)],
}

/// The program of an agent, unless the agent is already running.
pub(crate) fn started_program(target: &Target) -> Option<StartedProgram<'_>> {
    let (command, folder, environment) = match target {
        Target::Process(process) => (&process.command, &process.folder, &process.environment),
        Target::Http(http) => {
            let server = http.server.as_ref()?;
            (&server.command, &server.folder, &server.environment)
        }
        Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => return None,
    };
    Some(StartedProgram { command, folder: folder.as_deref(), environment })
}
