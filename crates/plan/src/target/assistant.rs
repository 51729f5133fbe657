//! What the assistant runtime adds to an agent of prompts and a model: variables, prompts to choose from, and
//! functions.

use std::path::PathBuf;
use std::sync::Arc;

use super::ChatPrompt;

/// What the assistant runtime adds to prompts and a model; nothing by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assistant {
    /// Variables for prompts, `$CTX.NAME`, by name: the assistant's name, description, type and so on.
    pub about: Vec<(String, String)>,
    /// Prompts by name that a function or the conversation's metadata may choose instead of the target's own.
    pub presets: Arc<[(String, Arc<[ChatPrompt]>)]>,
    /// The file with the functions `Create` and `Next`.
    pub script: Option<Arc<ScriptFile>>,
}

/// A file of functions, JavaScript or TypeScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// The file.
    pub path: PathBuf,
    /// The contents.
    pub source: String,
}
