//! Scripts of models, and answers of embedders.

use std::path::Path;
use std::sync::Arc;

use agentci_formats::load_model_script;
use agentci_mock_llm::{InProcessModel, ScriptIndex};
use agentci_protocols::chat::ScriptedModel as _;
use agentci_source::{MemoryFiles, Sources};

pub(crate) fn script(bytes: &[u8]) {
    let (file, request) = bytes.split_at(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    let files = MemoryFiles::default().with("model.yaml", file);
    let mut sources = Sources::default();
    let Ok(script) = load_model_script(&files, &mut sources, Path::new("model.yaml")) else { return };
    let Ok(index) = ScriptIndex::new(Arc::new(script)) else { return };
    let model = InProcessModel::new(&index, 7);
    model.ask(r#"{"model":"m","messages":[{"role":"user","content":"refund order A-17"}]}"#);
    if let Ok(request) = std::str::from_utf8(request) {
        model.ask(request.trim_start_matches('\0'));
    }
}

pub(crate) fn embeddings(bytes: &[u8]) {
    let _ = agentci_embed::remote::read_answer(bytes, 2);
}
