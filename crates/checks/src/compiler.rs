//! What reading the arguments of a check may use.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_source::{Diagnostic, Diagnostics, Files};
use jsonschema::Validator;
use regex::Regex;
use serde_json::Value;

use crate::bounded::SchemaCost;
use crate::schema_format::Formats;

/// A compiled schema and its source, to say what a keyword asked for.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Absent where compiling it may take long; then a worker does.
    pub(crate) validator: Option<Validator>,
    pub(crate) source: Arc<Value>,
    pub(crate) formats: Formats,
    pub(crate) cost: SchemaCost,
}

/// What reading the arguments of a check may use.
pub(crate) struct Compiler<'c> {
    /// The files, for checks that name one.
    pub(crate) files: &'c dyn Files,
    /// The folder paths are relative to.
    pub(crate) folder: &'c Path,
    /// What was found to be wrong.
    pub(crate) problems: Diagnostics,
    /// Schemas by path and by what their `format` comes to, since many checks share one, or what is wrong with them.
    pub(crate) schemas: HashMap<(PathBuf, Formats), Result<Arc<Schema>, Diagnostic>>,
    /// Patterns by how they are written and whether letter case counts, since many checks share one.
    pub(crate) patterns: HashMap<(String, bool), Regex>,
    /// Files of functions by path, since many checks share one.
    pub(crate) scripts: HashMap<PathBuf, Arc<ScriptFile>>,
}

impl<'c> Compiler<'c> {
    pub(crate) fn new(files: &'c dyn Files, folder: &'c Path) -> Self {
        Self {
            files,
            folder,
            problems: Diagnostics::default(),
            schemas: HashMap::new(),
            patterns: HashMap::new(),
            scripts: HashMap::new(),
        }
    }
}
