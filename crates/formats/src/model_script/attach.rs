//! The script files that the cases of a suite name, each read once and put into the cases' worlds. A script that stands in the
//! suite was read with it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{ModelScript, ModelWorld, ScriptSource, Suite, World};
use agentci_source::{Diagnostic, Diagnostics, Files, Sources};

use super::load_model_script;

type Read = Result<Arc<ModelScript>, Diagnostics>;

/// Reads the scripts. A case whose script is wrong can not be run; the problems are told once, whoever shares the script.
pub(crate) fn attach(files: &dyn Files, sources: &mut Sources, suite: &mut Suite, diagnostics: &mut Diagnostics) {
    let mut known: HashMap<PathBuf, Read> = HashMap::new();
    // Cases that shared a world before share it afterwards.
    let mut changed: HashMap<*const World, Arc<World>> = HashMap::new();
    let before: Vec<Arc<World>> = suite.cases.iter().map(|case| Arc::clone(&case.world)).collect();
    for case in &mut suite.cases {
        let Some(model) = &case.world.model else { continue };
        let ScriptSource::File(path) = &model.source else { continue };
        let found = known.entry(path.clone()).or_insert_with(|| {
            read(files, sources, path, model).inspect_err(|problems| diagnostics.append(problems.clone()))
        });
        match found {
            Ok(script) => {
                let new = changed.entry(Arc::as_ptr(&case.world)).or_insert_with(|| {
                    let mut world = World::clone(&case.world);
                    world.model = Some(ModelWorld { script: Arc::clone(script), ..model.clone() });
                    Arc::new(world)
                });
                case.world = Arc::clone(new);
            }
            Err(problems) => case.broken.get_or_insert_default().append(problems.clone()),
        }
    }
    // Until here, so that no other world has the place of one that is gone.
    drop(before);
}

fn read(files: &dyn Files, sources: &mut Sources, path: &Path, model: &ModelWorld) -> Read {
    load_model_script(files, sources, path).map(Arc::new).map_err(|problems| place(problems, model))
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
