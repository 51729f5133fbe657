//! Resources that drivers prepare once: scripted models with indexed rules, and script files.
//!
//! A scripted model gives its replies one after another. It remembers its position for one case and all its runs: the
//! second run may get different answers than the first, and the answers of a case do not depend on other cases or on
//! the number of lanes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use agentci_drivers::Resources;
use agentci_mock_llm::{InProcessModel, ScriptIndex};
use agentci_plan::{ModelScript, ScriptFile, mix};
use agentci_protocols::chat::ScriptedModel;
use agentci_script::{ScriptError, ScriptProgram};

/// Resources that all cases of a run share. Each is identified by its address and kept alive, so that the address is
/// not reused. Drivers of all lanes create them on first use, on one thread, so they are in cells.
#[derive(Default)]
pub(crate) struct Library {
    scripts: RefCell<HashMap<usize, ScriptIndex>>,
    programs: RefCell<HashMap<usize, ReadProgram>>,
}

/// A script file, and the result of reading it.
type ReadProgram = (Arc<ScriptFile>, Result<Arc<ScriptProgram>, ScriptError>);

impl Library {
    fn index(&self, script: &Arc<ModelScript>) -> Result<ScriptIndex, String> {
        let mut scripts = self.scripts.borrow_mut();
        let place = Arc::as_ptr(script).addr();
        if let Some(index) = scripts.get(&place) {
            return Ok(index.clone());
        }
        let index = ScriptIndex::new(Arc::clone(script)).map_err(|error| error.to_string())?;
        scripts.insert(place, index.clone());
        Ok(index)
    }

    /// The program of a script file, read once.
    pub(crate) fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError> {
        let mut programs = self.programs.borrow_mut();
        let read = || (Arc::clone(file), ScriptProgram::read(file).map(Arc::new));
        programs.entry(Arc::as_ptr(file).addr()).or_insert_with(read).1.clone()
    }
}

/// Resources that the runs of one case share.
pub(crate) struct CaseResources<'l> {
    library: &'l Library,
    seed: u64,
    /// In a cell, since drivers only have a shared reference.
    models: RefCell<Vec<(Arc<ModelScript>, Rc<InProcessModel>)>>,
}

impl<'l> CaseResources<'l> {
    /// The random choices of a case depend on the run's seed and the case's id.
    pub(crate) fn new(library: &'l Library, case_id: &str, seed: u64) -> Self {
        let seed = case_id.bytes().fold(seed, |seed, byte| mix(seed ^ u64::from(byte)));
        Self { library, seed, models: RefCell::default() }
    }
}

impl Resources for CaseResources<'_> {
    fn model(&self, script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String> {
        let mut models = self.models.borrow_mut();
        if let Some((_, model)) = models.iter().find(|(known, _)| Arc::ptr_eq(known, script)) {
            return Ok(Rc::<InProcessModel>::clone(model));
        }
        let model = Rc::new(InProcessModel::new(&self.library.index(script)?, self.seed));
        models.push((Arc::clone(script), Rc::clone(&model)));
        Ok(model)
    }

    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError> {
        self.library.program(file)
    }
}
