//! The matrix of a suite, and the shared keys that use it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agentci_source::{Content, Diagnostic, Diagnostics, Node, Pair};

use super::axes::Matrix;
use super::entry::CaseEntry;
use super::files::inserted_files;
use super::reference::{AxisValues, has_references, substitute, visit};
use super::usage::AxisUsage;
use crate::command::SuiteFolder;
use crate::native::settings::SETTINGS;

/// The matrix of a suite file.
pub(in crate::native) struct SuiteMatrix<'s> {
    pub(super) matrix: Option<Matrix>,
    /// Whether there is a matrix that is invalid, so that its axes are not known.
    pub(super) invalid: bool,
    /// The shared keys of the suite, if they contain references to axes.
    pub(super) settings: Option<Node>,
    /// The axes in each of these keys.
    pub(super) used: BTreeMap<&'static str, BTreeSet<String>>,
    pub(super) usage: AxisUsage,
    /// The axes that these keys insert as the text of a file.
    pub(super) inserted: BTreeSet<String>,
    pub(super) place: SuiteFolder<'s>,
}

impl<'s> SuiteMatrix<'s> {
    /// Reads the matrix of a suite, and reports references in the suite that have no value.
    pub(in crate::native) fn read(root: &Node, place: SuiteFolder<'s>, problems: &mut Diagnostics) -> Self {
        let node = root.get("matrix").filter(|node| !node.is_null());
        let read = node.map(|node| Matrix::read(node, problems));
        let invalid = matches!(read, Some(None));
        let matrix = read.flatten();
        let is_shared = |pair: &&Pair| SETTINGS.iter().any(|field| pair.key.text == field.key);
        let shared = || root.pairs().unwrap_or_default().iter().filter(is_shared);
        let inserted = inserted_files(shared().map(|pair| &pair.value));
        let usage = AxisUsage::default();
        let mut suite = Self { matrix, invalid, settings: None, used: BTreeMap::new(), usage, inserted, place };
        let names: Vec<String> = suite.names().into_iter().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for pair in root.pairs().unwrap_or_default() {
            let key = pair.key.text.as_str();
            match SETTINGS.iter().find(|field| field.key == key) {
                // References in the cases are about the matrix of the case.
                None if ["cases", "matrix"].contains(&key) => {}
                None => outside_cases(pair, problems),
                Some(field) => {
                    let used = suite.used.entry(field.key).or_default();
                    visit(&pair.value, &mut |span, reference, in_key| match reference.axis(span, in_key, &names) {
                        Ok(axis) => _ = used.insert(axis.to_owned()),
                        // Which axes there are is not known.
                        Err(_) if invalid => {}
                        Err(problem) => problems.push(problem),
                    });
                }
            }
        }
        suite.read_files(root, problems);
        if shared().any(|pair| has_references(&pair.value)) {
            suite.settings = Some(Node { span: root.span, content: Content::Map(shared().cloned().collect()) });
        }
        suite
    }

    /// Reads the files that the matrix of the suite names, if the suite or a case that it applies to inserts their text.
    fn read_files(&mut self, root: &Node, problems: &mut Diagnostics) {
        let Some(matrix) = &mut self.matrix else { return };
        let cases = root.get("cases").and_then(Node::items).unwrap_or_default();
        let mut inserted = inserted_files(cases.iter().filter(|case| case.get("matrix").is_none_or(Node::is_null)));
        inserted.extend(self.inserted.iter().cloned());
        matrix.read_files(&inserted, self.place, problems);
    }

    /// Whether the shared keys of the suite use axes.
    pub(in crate::native) fn is_shared(&self) -> bool {
        self.settings.is_some()
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.matrix.as_ref().map(Matrix::names).unwrap_or_default()
    }

    /// The suite file with the values of the first combination in the shared keys: the suite as it is read.
    pub(in crate::native) fn first<'r>(&self, root: &'r Node) -> Cow<'r, Node> {
        if self.settings.is_none() {
            return Cow::Borrowed(root);
        }
        let first = self.matrix.as_ref().and_then(|matrix| matrix.combinations.first());
        let nothing = AxisValues::new();
        let values = first.map_or(&nothing, |first| &first.values);
        Cow::Owned(with_values(root, values))
    }

    /// Prepares the expansion of an entry of `cases`.
    pub(in crate::native) fn entry<'e>(&'e mut self, node: &'e Node) -> CaseEntry<'e> {
        CaseEntry::new(node, self)
    }

    /// Reports the axes that not every case uses.
    pub(in crate::native) fn unused(&self, problems: &mut Diagnostics) {
        self.usage.report(problems);
    }
}

/// A mapping with values in its shared keys. A key with an axis that has no value is left out.
pub(super) fn with_values(node: &Node, values: &AxisValues) -> Node {
    let pairs = node.pairs().unwrap_or_default().iter().filter_map(|pair| shared(pair, values));
    Node { span: node.span, content: Content::Map(pairs.collect()) }
}

/// A pair with values in place of references, unless it is a shared key in which some have no value.
fn shared(pair: &Pair, values: &AxisValues) -> Option<Pair> {
    if !SETTINGS.iter().any(|field| pair.key.text == field.key) {
        return Some(pair.clone());
    }
    let names: Vec<&str> = values.keys().map(String::as_str).collect();
    let mut complete = true;
    visit(&pair.value, &mut |span, reference, in_key| complete &= reference.axis(span, in_key, &names).is_ok());
    complete.then(|| Pair { key: pair.key.clone(), value: substitute(&pair.value, values) })
}

/// Reports references in a key that has one value for the whole suite.
fn outside_cases(pair: &Pair, problems: &mut Diagnostics) {
    visit(&pair.value, &mut |span, _, _| {
        let message = format!("`{}` cannot depend on an axis of the matrix", pair.key.text.escape_debug());
        problems.push(Diagnostic::error(span, message).label("one value for the whole suite").help(
            "use `${matrix.NAME}` in cases and in their shared keys, such as `target`; write `$${` for a literal `${`",
        ));
    });
}
