//! The context in which the arguments of checks are read. The keys of a mapping are read one by one, so that all
//! problems are reported before the check is rejected.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use agentci_plan::ScriptFile;
use agentci_source::read::{self, Fields};
use agentci_source::shape::Shape;
use agentci_source::{Diagnostic, Diagnostics, Files, Node, Reading, Span, Spanned};
use jsonschema::Validator;
use regex::Regex;
use serde_json::{Map, Value};

use crate::bounded::SchemaCost;
use crate::schema_format::Formats;

/// A compiled schema, and its source to show what a keyword expected.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Absent if compiling it may take long; a worker compiles it then.
    pub(crate) validator: Option<Validator>,
    pub(crate) source: Arc<Value>,
    pub(crate) formats: Formats,
    pub(crate) cost: SchemaCost,
    /// The hash of the source, made when it is needed.
    pub(crate) digest: OnceLock<String>,
}

/// The context in which the arguments of checks are read.
pub(crate) struct Compiler<'c> {
    /// Reads the files that checks name.
    pub(crate) files: &'c dyn Files,
    /// The folder that paths are relative to.
    pub(crate) folder: &'c Path,
    /// The problems found so far.
    pub(crate) problems: Diagnostics,
    /// Schemas, or their problems, by path and treatment of `format`, since many checks share one.
    pub(crate) schemas: HashMap<(PathBuf, Formats), Result<Arc<Schema>, Diagnostic>>,
    /// Patterns by their source and whether case is ignored, since many checks share one.
    pub(crate) patterns: HashMap<(String, bool), Regex>,
    /// Script files by path, since many checks share one.
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

    /// Opens a mapping of arguments; reports any other node.
    pub(crate) fn open<'n, 'a>(
        &'a mut self,
        shape: &'static Shape,
        node: &'n Node,
    ) -> Option<ArgumentReader<'n, 'a, 'c>> {
        let fields = shape.open(node, &mut self.problems)?;
        Some(ArgumentReader { fields, compiler: self, wrong: false })
    }

    /// Reports a problem and returns `None`, for a reader that cannot continue.
    pub(crate) fn refuse<T>(&mut self, span: Span, message: impl Into<String>, label: &str, help: &str) -> Option<T> {
        self.problems.push(Diagnostic::error(span, message).label(label).help(help));
        None
    }
}

/// Reads a mapping of arguments.
pub(crate) struct ArgumentReader<'n, 'a, 'c> {
    fields: Fields<'n>,
    pub(crate) compiler: &'a mut Compiler<'c>,
    wrong: bool,
}

impl<'n, 'c> ArgumentReader<'n, '_, 'c> {
    /// Reads an argument that may be absent.
    pub(crate) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        self.optional_with(key, |node, compiler| read(node, key, &mut compiler.problems))
    }

    /// Like [`optional`](Self::optional), for a reader that needs the compiler.
    pub(crate) fn optional_with<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &mut Compiler<'c>) -> Option<T>,
    ) -> Option<T> {
        let node = self.fields.optional(key)?;
        let value = read(node, self.compiler);
        self.wrong |= value.is_none();
        value
    }

    /// Reads a required argument.
    pub(crate) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        let value = self.required_node(key).and_then(|node| read(node, key, &mut self.compiler.problems));
        self.wrong |= value.is_none();
        value
    }

    /// The node of an argument that may be absent.
    pub(crate) fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.optional(key)
    }

    /// The node of a required argument.
    pub(crate) fn required_node(&mut self, key: &'static str) -> Option<&'n Node> {
        let node = self.fields.required(key, &mut self.compiler.problems);
        self.wrong |= node.is_none();
        node
    }

    /// Reports unknown keys. `None` if any argument was invalid, so that the reader can return.
    pub(crate) fn finish(self) -> Option<()> {
        self.fields.finish(&mut self.compiler.problems);
        (!self.wrong).then_some(())
    }
}

/// Any JSON value.
pub(crate) fn data(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Value> {
    read::data(node, name, Reading::Core, problems)
}

/// A JSON object.
pub(crate) fn object(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Map<String, Value>> {
    match read::object(node, name, Reading::Core, problems)? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

/// An integer that is not negative.
pub(crate) fn count(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<usize> {
    read::count(node, name, 0, problems).map(|count| count as usize)
}

/// Adds the span to what a reader returns.
pub(crate) fn spanned<'n, T>(
    read: impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T>,
) -> impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<Spanned<T>> {
    |node, name, problems| read(node, name, problems).map(|value| Spanned::new(value, node.span))
}

/// A reader for one of several words.
pub(crate) fn choice<'n, T: Copy>(choices: &[(&str, T)]) -> impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T> {
    |node, name, problems| read::choice(node, name, choices, problems)
}
