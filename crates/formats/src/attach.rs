//! Reads the model and MCP server scripts that a suite names, each once, and attaches them to the cases. Inline scripts
//! were read with the suite.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::mcp_script::McpScript;
use agentci_plan::{
    Case, Cases, ChatApi, Connector, McpSource, McpWorld, ModelScript, ModelWorld, ScriptSource, Suite, Target, World,
};
use agentci_source::{Diagnostic, Diagnostics, FileKind, Span};

use crate::document::Loading;
use crate::{load_mcp_script, load_model_script};

/// Reads the scripts. A case with an invalid script is marked as broken; the problems of a shared script are reported
/// once.
pub(crate) fn attach_scripts(loading: &mut Loading<'_>, suite: &mut Suite) {
    loading.attach_models(&mut suite.cases);
    loading.attach_servers(&mut suite.cases);
    loading.attach_connectors(suite);
}

impl Loading<'_> {
    /// Attaches the scripts of the models that agents call.
    fn attach_models(&mut self, cases: &mut Cases) {
        let mut known: HashMap<PathBuf, Result<Arc<ModelScript>, Diagnostics>> = HashMap::new();
        change(
            cases,
            |case| &mut case.world,
            |world| {
                let model = world.model.as_ref()?;
                let ScriptSource::File(path) = &model.source else { return None };
                let help = "the path of a script is relative to the suite's folder";
                let script =
                    known.entry(path.clone()).or_insert_with(|| self.model_script(path, model.span, Some(help)));
                Some(
                    script.clone().map(|script| World {
                        model: Some(ModelWorld { script, ..model.clone() }),
                        ..World::clone(world)
                    }),
                )
            },
        );
    }

    /// Attaches the scripts of simulated MCP servers.
    fn attach_servers(&mut self, cases: &mut Cases) {
        let mut known = HashMap::new();
        change(
            cases,
            |case| &mut case.world,
            |world| {
                if world.mcp.is_empty() {
                    return None;
                }
                let mut wrong = Diagnostics::default();
                let with_script = |server: &McpWorld| {
                    let (path, is_script) = (server.path(), server.script().is_some());
                    let read = known.entry((path.to_path_buf(), is_script));
                    let read = read.or_insert_with(|| self.server(path, is_script, server.span));
                    match read {
                        Ok(Some(script)) => {
                            let source = McpSource::Script { path: path.to_path_buf(), script: Arc::clone(script) };
                            return McpWorld { source, ..server.clone() };
                        }
                        Ok(None) => {}
                        Err(problems) => wrong.append(problems.clone()),
                    }
                    server.clone()
                };
                let mcp = world.mcp.iter().map(with_script).collect();
                Some(if wrong.has_errors() { Err(wrong) } else { Ok(World { mcp, ..World::clone(world) }) })
            },
        );
    }

    /// Attaches the scripts of the scripted models of chat targets.
    fn attach_connectors(&mut self, suite: &mut Suite) {
        let mut known: HashMap<PathBuf, Result<Arc<ModelScript>, Diagnostics>> = HashMap::new();
        let mut with_script = |target: &Target| {
            let Target::Chat(chat) = target else { return None };
            let scripted = matches!(chat.connector.api, ChatApi::Scripted(_));
            let path = chat.connector.script.as_ref().filter(|_| scripted)?;
            let span = chat.connector.url.span;
            let script = known.entry(path.clone()).or_insert_with(|| self.model_script(path, span, None));
            Some(script.clone().map(|script| {
                let connector = Connector { api: ChatApi::Scripted(script), ..Connector::clone(&chat.connector) };
                let mut own = chat.clone();
                own.connector = Arc::new(connector);
                Target::Chat(own)
            }))
        };
        change(&mut suite.cases, |case| &mut case.target, &mut with_script);
        for (_, agent) in &mut suite.agents {
            if let Some(Ok(new)) = with_script(agent) {
                *agent = Arc::new(new);
            }
        }
    }

    fn model_script(&mut self, path: &Path, span: Span, help: Option<&str>) -> Result<Arc<ModelScript>, Diagnostics> {
        let script = load_model_script(self.files, self.sources, path);
        self.placed(script.map(Arc::new), span, help)
    }

    /// Reads a script, or checks that a recording exists; its content is read when it is replayed.
    fn server(&mut self, path: &Path, is_script: bool, span: Span) -> Result<Option<Arc<McpScript>>, Diagnostics> {
        let read = if is_script {
            load_mcp_script(self.files, self.sources, path).map(|script| Some(Arc::new(script)))
        } else if self.files.kind(path) == Some(FileKind::File) {
            Ok(None)
        } else {
            let message = format!("file `{}` does not exist", path.display());
            Err(Diagnostic::error(Span { line: 0, ..span }, message).into())
        };
        self.placed(read, span, Some("paths are relative to the suite's folder"))
    }

    /// Reports the problems of a file. A file that cannot be read is reported at the line that names it.
    fn placed<T>(&mut self, read: Result<T, Diagnostics>, span: Span, help: Option<&str>) -> Result<T, Diagnostics> {
        read.map_err(|problems| {
            let mut placed = Diagnostics::default();
            for problem in problems {
                placed.push(if problem.span.line == 0 {
                    let problem = Diagnostic::error(span, problem.message).label("names this file");
                    Diagnostic { help: help.map(str::to_owned), ..problem }
                } else {
                    problem
                });
            }
            self.problems.append(placed.clone());
            placed
        })
    }
}

/// Changes a part of every case. Cases that shared the part still share it afterwards.
fn change<T>(
    cases: &mut Cases,
    part: fn(&mut Case) -> &mut Arc<T>,
    mut change: impl FnMut(&T) -> Option<Result<T, Diagnostics>>,
) {
    // The old parts are kept alive, so that their addresses are not reused.
    let mut changed = HashMap::new();
    for case in cases {
        let before = Arc::clone(part(case));
        let (_, new) = changed.entry(Arc::as_ptr(&before)).or_insert_with(|| {
            let new = change(&before).map(|new| new.map(Arc::new));
            (before, new)
        });
        match new {
            None => {}
            Some(Ok(new)) => *part(case) = Arc::clone(new),
            Some(Err(problems)) => case.broken.get_or_insert_default().append(problems.clone()),
        }
    }
}
