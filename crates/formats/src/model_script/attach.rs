//! The scripts that the cases of a suite name or have, each read once and put into the cases' worlds.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use agentci_plan::{ModelScript, ModelWorld, ScriptSource, Suite, World};
use agentci_source::{Diagnostic, Diagnostics, Files, Sources, Span};

use super::{load_model_script, read_model_script};

/// A script by its file, or by where it stands in the suite.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    File(PathBuf),
    Suite(Span),
}

type Read = Result<Arc<ModelScript>, Diagnostics>;

/// Reads the scripts. A case whose script is wrong can not be run; the problems are told once, whoever shares the script.
pub(crate) fn attach(files: &dyn Files, sources: &mut Sources, suite: &mut Suite, diagnostics: &mut Diagnostics) {
    let mut known: HashMap<Key, Read> = HashMap::new();
    // Cases that shared a world before share it afterwards.
    let mut changed: HashMap<*const World, Arc<World>> = HashMap::new();
    let before: Vec<Arc<World>> = suite.cases.iter().map(|case| Arc::clone(&case.world)).collect();
    for case in &mut suite.cases {
        let Some(model) = &case.world.model else { continue };
        let key = match &model.source {
            ScriptSource::File(path) => Key::File(path.clone()),
            ScriptSource::Suite(node) => Key::Suite(node.span),
        };
        let found = known.entry(key).or_insert_with(|| {
            read(files, sources, model).inspect_err(|problems| diagnostics.append(problems.clone()))
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

fn read(files: &dyn Files, sources: &mut Sources, model: &ModelWorld) -> Read {
    let script = match &model.source {
        ScriptSource::File(path) => load_model_script(files, sources, path).map_err(|problems| place(problems, model)),
        ScriptSource::Suite(node) => read_model_script(node),
    };
    script.map(Arc::new)
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
