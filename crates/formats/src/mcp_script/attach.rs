//! The scripts of the MCP servers that the cases of a suite play, each read once and put into the cases' worlds.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::mcp_script::Script;
use agentci_plan::{McpSource, McpWorld, Suite, World};
use agentci_source::{Diagnostic, Diagnostics, Files, Kind, Sources, Span};

use super::load_mcp_script;

type Read = Result<Option<Arc<Script>>, Diagnostics>;

/// Reads the scripts. A case with a wrong one can not be run; the problems are told once, whoever shares the script.
pub(crate) fn attach(files: &dyn Files, sources: &mut Sources, suite: &mut Suite, diagnostics: &mut Diagnostics) {
    let mut known: HashMap<(PathBuf, bool), Read> = HashMap::new();
    // Cases that shared a world before share it afterwards.
    let mut changed: HashMap<*const World, Result<Arc<World>, Diagnostics>> = HashMap::new();
    let before: Vec<Arc<World>> = suite.cases.iter().map(|case| Arc::clone(&case.world)).collect();
    for case in suite.cases.iter_mut().filter(|case| !case.world.mcp.is_empty()) {
        let new = changed.entry(Arc::as_ptr(&case.world)).or_insert_with(|| {
            let mut wrong = Diagnostics::default();
            let mut with_script = |server: &McpWorld| {
                let (path, is_script) = (server.path(), server.script().is_some());
                let read = known.entry((path.to_path_buf(), is_script)).or_insert_with(|| {
                    let span = server.span;
                    let read = if is_script { script(files, sources, path, span) } else { there(files, path, span) };
                    read.inspect_err(|problems| diagnostics.append(problems.clone()))
                });
                match read {
                    Ok(Some(script)) => {
                        let source = McpSource::Script { path: path.to_path_buf(), script: Arc::clone(script) };
                        McpWorld { source, ..server.clone() }
                    }
                    Ok(None) => server.clone(),
                    Err(problems) => {
                        wrong.append(problems.clone());
                        server.clone()
                    }
                }
            };
            let mcp = case.world.mcp.iter().map(&mut with_script).collect();
            if wrong.has_errors() { Err(wrong) } else { Ok(Arc::new(World { mcp, ..World::clone(&case.world) })) }
        });
        match new {
            Ok(world) => case.world = Arc::clone(world),
            Err(problems) => case.broken.get_or_insert_default().append(problems.clone()),
        }
    }
    // Until here, so that no other world has the place of one that is gone.
    drop(before);
}

fn script(files: &dyn Files, sources: &mut Sources, path: &Path, span: Span) -> Read {
    // A file that can not be read is a problem of the line that names it.
    let placed = |problem: Diagnostic| match problem.span.line {
        0 => unread(problem.message, span),
        _ => problem,
    };
    load_mcp_script(files, sources, path).map(|script| Some(Arc::new(script))).map_err(|problems| {
        let mut all = Diagnostics::default();
        problems.into_iter().for_each(|problem| all.push(placed(problem)));
        all
    })
}

/// That a recording is there; what is in it is looked at when it is played.
fn there(files: &dyn Files, path: &Path, span: Span) -> Read {
    if files.kind(path) == Some(Kind::File) {
        return Ok(None);
    }
    let mut problems = Diagnostics::default();
    problems.push(unread(format!("there is no file `{}`", path.display()), span));
    Err(problems)
}

fn unread(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(span, message).label("names this file").help("paths are relative to the suite's folder")
}
