//! Checks mock MCP servers for `agentci check`: the schemas of their tools, and the recordings that they are replayed
//! from.

use std::path::Path;
use std::sync::Arc;

use agentci::Suites;
use agentci::mock_mcp::{McpTape, McpTapeError, ServerState};
use agentci::plan::mcp_script::McpScript;
use agentci::plan::{McpSource, McpWorld};
use agentci::source::{Diagnostic, Diagnostics};
use agentci_recorder::load;

/// What would prevent a server from starting, for each script and recording once.
pub(crate) fn problems(suites: &Suites) -> Diagnostics {
    let mut problems = Diagnostics::default();
    let mut scripts: Vec<&Arc<McpScript>> = Vec::new();
    let mut recordings: Vec<(&Path, Option<&str>)> = Vec::new();
    let cases = suites.loaded().iter().flat_map(|loaded| loaded.suite.cases.iter());
    for server in cases.filter(|case| case.broken.is_none()).flat_map(|case| case.world.mcp.iter()) {
        match &server.source {
            McpSource::Script { script, .. } if !scripts.iter().any(|known| Arc::ptr_eq(known, script)) => {
                scripts.push(script);
                if let Err(error) = ServerState::new(Arc::clone(script), None) {
                    problems.push(Diagnostic::error(error.span, error.to_string()).label("this tool"));
                }
            }
            McpSource::Recording { path, server: wanted } => {
                let known = (path.as_path(), wanted.as_ref().map(|wanted| wanted.value.as_str()));
                if !recordings.contains(&known) {
                    recordings.push(known);
                    problems_of_recording(server, known, &mut problems);
                }
            }
            McpSource::Script { .. } => {}
        }
    }
    problems
}

/// The remedy if the server in a recording is ambiguous or unknown; `choose` is the flag or key that selects one.
pub(super) fn tape_help(error: &McpTapeError, choose: &str) -> String {
    match error {
        McpTapeError::None => error.help().to_owned(),
        McpTapeError::Unknown { .. } | McpTapeError::Several(_) => format!("{}: `{choose}`", error.help()),
    }
}

fn problems_of_recording(server: &McpWorld, (path, wanted): (&Path, Option<&str>), problems: &mut Diagnostics) {
    let problem = |message: String| Diagnostic::error(server.span, message).label("this recording");
    match load(path) {
        Err(error) => problems.push(problem(error.to_string())),
        Ok(recording) => {
            if let Err(error) = McpTape::of(&recording, wanted) {
                problems.push(
                    problem(format!("`{}` cannot be played: {error}", path.display()))
                        .help(tape_help(&error, "server: TEXT")),
                );
            }
        }
    }
}
