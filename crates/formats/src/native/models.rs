//! The scripts that the models of chat targets are, each read once and put into the targets.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use agentci_plan::{ChatApi, ModelScript, Suite, Target};
use agentci_source::{Diagnostic, Diagnostics, Files, Sources};

use super::target::unread_script;
use crate::load_model_script;

/// Reads the scripts. A case whose script is wrong can not be run; the problems are told once, whoever shares the script.
pub(crate) fn attach_models(
    files: &dyn Files,
    sources: &mut Sources,
    suite: &mut Suite,
    diagnostics: &mut Diagnostics,
) {
    let mut read = Scripts { files, sources, known: BTreeMap::new() };
    // Cases that shared a target before share it afterwards.
    let mut changed: Vec<(Arc<Target>, Arc<Target>)> = Vec::new();
    for case in &mut suite.cases {
        if let Some((_, new)) = changed.iter().find(|(old, _)| Arc::ptr_eq(old, &case.target)) {
            case.target = Arc::clone(new);
            continue;
        }
        match read.with_script(&case.target, diagnostics) {
            None => {}
            Some(Ok(new)) => {
                changed.push((Arc::clone(&case.target), Arc::clone(&new)));
                case.target = new;
            }
            Some(Err(problems)) => case.broken.get_or_insert_default().append(problems),
        }
    }
    for (_, agent) in &mut suite.agents {
        if let Some(Ok(new)) = read.with_script(agent, diagnostics) {
            *agent = new;
        }
    }
}

struct Scripts<'s> {
    files: &'s dyn Files,
    sources: &'s mut Sources,
    known: BTreeMap<PathBuf, Result<Arc<ModelScript>, Diagnostics>>,
}

impl Scripts<'_> {
    /// The target with its script put in; nothing for one that has none.
    fn with_script(
        &mut self,
        target: &Target,
        diagnostics: &mut Diagnostics,
    ) -> Option<Result<Arc<Target>, Diagnostics>> {
        let Target::Chat(chat) = target else { return None };
        let path = unread_script(&chat.connector)?;
        let span = chat.connector.url.span;
        let known = self.known.entry(path.to_path_buf()).or_insert_with(|| {
            load_model_script(self.files, self.sources, path).map(Arc::new).map_err(|problems| {
                let mut placed = Diagnostics::default();
                for problem in problems {
                    placed.push(if problem.span.line == 0 {
                        Diagnostic::error(span, problem.message).label("names this file")
                    } else {
                        problem
                    });
                }
                diagnostics.append(placed.clone());
                placed
            })
        });
        Some(known.clone().map(|script| {
            let mut own = chat.clone();
            let mut connector = (*own.connector).clone();
            connector.api = ChatApi::Scripted(script);
            own.connector = Arc::new(connector);
            Arc::new(Target::Chat(own))
        }))
    }
}
