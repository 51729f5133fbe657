//! The scripts that the cases of a suite name, each read once and put into the cases' worlds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use agentci_plan::{ModelScript, ModelWorld, Suite, World};
use agentci_source::{Diagnostic, Diagnostics, Files, Sources};

use super::load_model_script;

/// Reads the scripts. A case whose script is wrong can not be run; the problems are told once, whoever shares the script.
pub(crate) fn attach(files: &dyn Files, sources: &mut Sources, suite: &mut Suite, diagnostics: &mut Diagnostics) {
    let mut read: BTreeMap<PathBuf, Result<Arc<ModelScript>, Diagnostics>> = BTreeMap::new();
    // Cases that shared a world before share it afterwards.
    let mut changed: Vec<(Arc<World>, Arc<World>)> = Vec::new();
    for case in &mut suite.cases {
        let Some(model) = &case.world.model else { continue };
        let found = read.entry(model.path.clone()).or_insert_with(|| {
            let loaded = load_model_script(files, sources, &model.path).map(Arc::new);
            loaded
                .map_err(|problems| place(problems, model))
                .inspect_err(|problems| diagnostics.append(problems.clone()))
        });
        match found {
            Ok(script) => {
                let known =
                    changed.iter().find(|(old, _)| Arc::ptr_eq(old, &case.world)).map(|(_, new)| Arc::clone(new));
                let new = known.unwrap_or_else(|| {
                    let mut world = World::clone(&case.world);
                    world.model = Some(ModelWorld { script: Arc::clone(script), ..model.clone() });
                    let new = Arc::new(world);
                    changed.push((Arc::clone(&case.world), Arc::clone(&new)));
                    new
                });
                case.world = new;
            }
            Err(problems) => case.broken.get_or_insert_default().append(problems.clone()),
        }
    }
}

/// A file that can not be read is a problem of the line that names it.
fn place(problems: Diagnostics, model: &ModelWorld) -> Diagnostics {
    let mut placed = Diagnostics::default();
    for problem in problems {
        placed.push(if problem.span.line == 0 {
            Diagnostic::error(model.span, problem.message)
                .label("names this file")
                .help("the path of a script is relative to the suite's folder")
        } else {
            problem
        });
    }
    placed
}
