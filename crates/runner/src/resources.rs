//! Resources that drivers prepare once: scripted models with indexed rules, and script files.
//!
//! A scripted model gives its replies one after another. It remembers its position for one case and all its runs: the
//! second run may get different answers than the first, and the answers of a case do not depend on other cases or on
//! the number of lanes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use agentci_drivers::chat::{ScriptedReply, ScriptedSpeech, ScriptedToolCall};
use agentci_drivers::{Resources, ScriptedModel};
use agentci_mock_llm::{AnswerFault, Decision, ModelRefusal, ScriptIndex, ScriptMind, SpokenAnswer, WantedCall};
use agentci_plan::{ModelScript, ScriptFile, mix};
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
    minds: RefCell<Vec<(Arc<ModelScript>, Rc<ScriptedModelHandle>)>>,
}

impl<'l> CaseResources<'l> {
    /// The random choices of a case depend on the run's seed and the case's id.
    pub(crate) fn new(library: &'l Library, case_id: &str, seed: u64) -> Self {
        let seed = case_id.bytes().fold(seed, |seed, byte| mix(seed ^ u64::from(byte)));
        Self { library, seed, minds: RefCell::default() }
    }
}

impl Resources for CaseResources<'_> {
    fn model(&self, script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String> {
        let mut minds = self.minds.borrow_mut();
        if let Some((_, mind)) = minds.iter().find(|(known, _)| Arc::ptr_eq(known, script)) {
            return Ok(Rc::<ScriptedModelHandle>::clone(mind));
        }
        let mind = Rc::new(ScriptedModelHandle(ScriptMind::new(&self.library.index(script)?, self.seed)));
        minds.push((Arc::clone(script), Rc::clone(&mind)));
        Ok(mind)
    }

    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError> {
        self.library.program(file)
    }
}

/// Adapts a scripted model for drivers.
#[derive(Debug)]
struct ScriptedModelHandle(ScriptMind);

impl ScriptedModel for ScriptedModelHandle {
    fn ask(&self, request: &str) -> ScriptedReply {
        match self.0.ask(request) {
            Decision::Say(answer, None) => ScriptedReply::Said(speech(answer)),
            Decision::Say(_, Some(AnswerFault::Malformed)) => ScriptedReply::Malformed,
            Decision::Say(_, Some(AnswerFault::Cut)) => ScriptedReply::Cut,
            Decision::Say(_, Some(AnswerFault::Hang)) => ScriptedReply::Hang,
            Decision::Refuse(ModelRefusal { status, message, retry_after, .. }, after) => {
                ScriptedReply::Refused { status, message, retry_after, after }
            }
        }
    }
}

fn speech(answer: SpokenAnswer) -> ScriptedSpeech {
    let call = |WantedCall { id, name, json, .. }| ScriptedToolCall { id, name, arguments: json };
    ScriptedSpeech {
        pieces: answer.pieces(),
        finish: answer.finish_reason().to_owned(),
        tokens_in: answer.input_tokens.into(),
        tokens_out: answer.output_tokens.into(),
        model: answer.model,
        calls: answer.calls.into_iter().map(call).collect(),
        pace: answer.pace,
    }
}
