//! What reading the arguments of a check may use. Those that are a mapping are read one by one: all that is wrong is reported before
//! the check is given up.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_source::read::{self, Fields};
use agentci_source::shape::Shape;
use agentci_source::{Diagnostic, Diagnostics, Files, Node, Reading, Span, Spanned};
use jsonschema::Validator;
use regex::Regex;
use serde_json::{Map, Value};

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

    /// Opens a mapping of arguments; anything else is reported.
    pub(crate) fn open<'n, 'a>(
        &'a mut self,
        shape: &'static Shape,
        node: &'n Node,
    ) -> Option<ArgumentReader<'n, 'a, 'c>> {
        let fields = shape.open(node, &mut self.problems)?;
        Some(ArgumentReader { fields, compiler: self, wrong: false })
    }

    /// Reports what is wrong at a place, for a reader that can not go on.
    pub(crate) fn refuse<T>(&mut self, span: Span, message: impl Into<String>, label: &str, help: &str) -> Option<T> {
        self.problems.push(Diagnostic::error(span, message).label(label).help(help));
        None
    }
}

/// A mapping of arguments that is being read.
pub(crate) struct ArgumentReader<'n, 'a, 'c> {
    fields: Fields<'n>,
    pub(crate) compiler: &'a mut Compiler<'c>,
    wrong: bool,
}

impl<'n, 'c> ArgumentReader<'n, '_, 'c> {
    /// An argument that may be absent.
    pub(crate) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        self.optional_with(key, |node, compiler| read(node, key, &mut compiler.problems))
    }

    /// The same for a reader that needs more than a place for problems.
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

    /// An argument that must be there.
    pub(crate) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        let value = self.required_node(key).and_then(|node| read(node, key, &mut self.compiler.problems));
        self.wrong |= value.is_none();
        value
    }

    /// An argument that may be absent, as it is written.
    pub(crate) fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.optional(key)
    }

    /// An argument that must be there, as it is written.
    pub(crate) fn required_node(&mut self, key: &'static str) -> Option<&'n Node> {
        let node = self.fields.required(key, &mut self.compiler.problems);
        self.wrong |= node.is_none();
        node
    }

    /// Reports keys that are not known. Nothing where any argument is wrong, for a reader that has no more to report.
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

/// A number of things.
pub(crate) fn count(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<usize> {
    read::count(node, name, 0, problems).map(|count| count as usize)
}

/// What a reader reads, and where it stands.
pub(crate) fn spanned<'n, T>(
    read: impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T>,
) -> impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<Spanned<T>> {
    |node, name, problems| read(node, name, problems).map(|value| Spanned::new(value, node.span))
}

/// A reader of one word of a few.
pub(crate) fn choice<'n, T: Copy>(choices: &[(&str, T)]) -> impl FnOnce(&'n Node, &str, &mut Diagnostics) -> Option<T> {
    |node, name, problems| read::choice(node, name, choices, problems)
}
