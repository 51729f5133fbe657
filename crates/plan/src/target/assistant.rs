//! What the assistant runtime adds to an agent that is prompts and a model: variables, prompts to choose from, and functions.

use std::path::PathBuf;
use std::sync::Arc;

use super::ChatPrompt;

/// What the assistant runtime adds to prompts and a model; nothing by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assistant {
    /// Variables that prompts may use, `$CTX.NAME`, by name: the assistant's name, description, type and the like.
    pub about: Vec<(String, String)>,
    /// Prompts that a function or the conversation's metadata may choose by name instead of the target's own.
    pub presets: Arc<[(String, Arc<[ChatPrompt]>)]>,
    /// The file with the functions `Create` and `Next`.
    pub script: Option<Arc<ScriptFile>>,
}

/// A file of functions, JavaScript or TypeScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub source: String,
}
