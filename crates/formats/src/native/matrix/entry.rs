//! An entry of `cases`, and the cases it becomes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agentci_source::{Content, Diagnostic, Diagnostics, Key, Name, Node, Pair, Span, Spanned};

use super::axes::{Matrix, MatrixCombination};
use super::combination::combination_node;
use super::files::inserted_files;
use super::reference::{AxisValues, has_references, substitute, visit};
use super::suite::{SuiteMatrix, with_values};
use crate::ids::readable;

/// Keys that say something about a case and do not change what it runs.
const DESCRIBING: [&str; 7] = ["id", "description", "tags", "skip", "asked", "expected", "metadata"];

/// An entry of `cases`.
pub(in crate::native) struct CaseEntry<'e> {
    node: &'e Node,
    /// The id, if it is readable.
    id: Option<Spanned<Name>>,
    /// The matrix of the suite or of the entry.
    matrix: EntryMatrix<'e>,
    /// The shared keys of the suite, if they contain references to axes.
    shared: Option<&'e Node>,
    /// What is wrong with the entry as a whole, reported once.
    problems: Diagnostics,
}

enum EntryMatrix<'e> {
    None,
    /// That of the suite, which is invalid: its axes are not known.
    Unknown,
    Suite(&'e Matrix),
    Own(Matrix),
}

impl<'e> CaseEntry<'e> {
    pub(super) fn new(node: &'e Node, suite: &'e mut SuiteMatrix<'_>) -> Self {
        let mut problems = Diagnostics::default();
        let SuiteMatrix { matrix: common, invalid: unknown, settings, used, usage, inserted, place } = suite;
        let own = node.get("matrix").filter(|node| !node.is_null());
        let is_combination = node.get("combination").is_some_and(|node| !node.is_null());
        let matrix = match (own, common) {
            (Some(own), _) if is_combination => {
                let message = "a case with `combination` is already a combination of a matrix";
                problems.error(own.span, message, "conflicts with `combination`").help("remove one of them");
                EntryMatrix::None
            }
            (Some(own), _) => {
                let mut files = inserted_files([node]);
                files.extend(inserted.iter().cloned());
                let read = Matrix::read(own, &mut problems);
                read.map_or(EntryMatrix::None, |mut matrix| {
                    matrix.read_files(&files, *place, &mut problems);
                    EntryMatrix::Own(matrix)
                })
            }
            (None, Some(common)) if !is_combination => EntryMatrix::Suite(common),
            (None, None) if *unknown && !is_combination => EntryMatrix::Unknown,
            (None, _) => EntryMatrix::None,
        };
        let id = readable(node, "id");
        let mut entry = Self { node, id, matrix, shared: settings.as_ref(), problems };
        let names = entry.matrix().map(Matrix::names).unwrap_or_default();
        let (mut found, mut has_unknown) = (BTreeSet::new(), Diagnostics::default());
        for pair in node.pairs().unwrap_or_default().iter().filter(|pair| pair.key.text != "matrix") {
            visit(&pair.value, &mut |span, reference, in_key| match reference.axis(span, in_key, &names) {
                Ok(_) if pair.key.text == "id" => has_unknown.push(in_id(span)),
                Ok(_) if DESCRIBING.contains(&pair.key.text.as_str()) => {}
                Ok(axis) => _ = found.insert(axis.to_owned()),
                // The invalid matrix of the suite was reported.
                Err(_) if matches!(entry.matrix, EntryMatrix::Unknown) => {}
                Err(problem) => has_unknown.push(problem),
            });
        }
        // The shared keys of the suite that apply to the case, with the axes in them.
        let shared = || used.iter().filter(|(key, _)| **key != "target" || node.get("target").is_none());
        let invalid = entry.problems.has_errors();
        for (key, axes) in shared().filter(|_| !matches!(entry.matrix, EntryMatrix::Suite(_)) && !invalid) {
            let missing = axes.iter().filter(|axis| !names.contains(&axis.as_str()));
            missing.for_each(|axis| has_unknown.push(without_axis(entry.place(), key, axis)));
        }
        if let Some(matrix) = entry.matrix().filter(|_| !has_unknown.has_errors()) {
            let name = entry.id.as_ref().map(|id| id.value.to_string()).unwrap_or_default();
            usage.add(matrix, &name, |axis| found.contains(axis) || shared().any(|(_, axes)| axes.contains(axis)));
        }
        if !invalid {
            entry.problems.append(has_unknown);
        }
        entry
    }

    fn place(&self) -> Span {
        self.node.get("matrix").map_or(self.node.span, |matrix| matrix.span)
    }

    fn matrix(&self) -> Option<&Matrix> {
        match &self.matrix {
            EntryMatrix::None | EntryMatrix::Unknown => None,
            EntryMatrix::Suite(matrix) => Some(matrix),
            EntryMatrix::Own(matrix) => Some(matrix),
        }
    }

    fn combinations(&self) -> &[MatrixCombination] {
        self.matrix().map(|matrix| &*matrix.combinations).unwrap_or_default()
    }

    /// The shared keys of the suite with the values of a combination, if they depend on these. A key with an axis that
    /// has no value is left out.
    pub(in crate::native) fn settings(&self) -> impl FnOnce(&AxisValues) -> Option<Node> {
        |values| Some(with_values(self.shared?, values))
    }

    /// What is wrong with the entry as a whole.
    pub(in crate::native) fn problems(&self) -> &Diagnostics {
        &self.problems
    }

    /// Whether the entry can be read although it is invalid: placeholders would be taken for values of the wrong type.
    pub(in crate::native) fn is_readable(&self) -> bool {
        let has_values = !self.problems.has_errors() && !matches!(self.matrix, EntryMatrix::Unknown);
        has_values || !has_references(self.node)
    }

    /// The id that its combinations have in common, if it is expanded.
    pub(in crate::native) fn common_id(&self) -> Option<&Spanned<Name>> {
        self.id.as_ref().filter(|_| !self.combinations().is_empty() && !self.problems.has_errors())
    }

    /// The number of cases it becomes.
    pub(in crate::native) fn len(&self) -> usize {
        if self.problems.has_errors() { 1 } else { self.combinations().len().max(1) }
    }

    /// The node of a case, and the values of its axes if it has any.
    pub(in crate::native) fn case(&self, position: usize) -> (Cow<'e, Node>, Option<&AxisValues>) {
        let combination = self.combinations().get(position).filter(|_| !self.problems.has_errors());
        let Some(combination) = combination else {
            return (Cow::Borrowed(self.node), (!matches!(self.matrix, EntryMatrix::Suite(_))).then_some(NO_AXES));
        };
        (Cow::Owned(expanded(self.node, combination)), Some(&combination.values))
    }
}

/// The values of a case that opted out of the matrix of its suite.
const NO_AXES: &AxisValues = &AxisValues::new();

/// A copy of an entry for a combination.
fn expanded(node: &Node, combination: &MatrixCombination) -> Node {
    let mut pairs: Vec<Pair> = Vec::new();
    for pair in node.pairs().unwrap_or_default() {
        let Pair { key, value } = pair;
        match key.text.as_str() {
            "matrix" => {}
            "id" => {
                let id = value.as_text().filter(|id| !id.trim().is_empty());
                let named = id.map(|id| Node::text(format!("{id}{}", combination.suffix), value.span));
                let of = Key { text: "combination".into(), span: key.span };
                if named.is_some() {
                    pairs.push(Pair { key: of, value: combination_node(value, &combination.axes) });
                }
                pairs.push(Pair { key: key.clone(), value: named.unwrap_or_else(|| value.clone()) });
            }
            "description" | "tags" => {
                let value = substitute(value, &combination.texts());
                pairs.push(Pair { key: key.clone(), value });
            }
            _ => pairs.push(Pair { key: key.clone(), value: substitute(value, &combination.values) }),
        }
    }
    if node.get("from").is_some() && node.get("id").is_none() {
        // Cases from data are numbered if they have no id.
        let numbered = Node::text("{}", node.span);
        let key = |text: &str| Key { text: text.into(), span: node.span };
        pairs.push(Pair { key: key("combination"), value: combination_node(&numbered, &combination.axes) });
        let id = Node::text(format!("{{}}{}", combination.suffix), node.span);
        pairs.push(Pair { key: key("id"), value: id });
    }
    Node { span: node.span, content: Content::Map(pairs.into()) }
}

fn in_id(span: Span) -> Diagnostic {
    Diagnostic::error(span, "`id` cannot contain an axis of the matrix")
        .label("not needed")
        .help("remove it: the id of each combination names its axes, as in `refund[model=small]`")
}

/// The error for a case whose own matrix lacks an axis that the suite uses.
fn without_axis(span: Span, key: &str, axis: &str) -> Diagnostic {
    let message = format!("the matrix of the case has no axis `{axis}`, which `{key}` of the suite uses");
    let own =
        if key == "target" { "give the case its own `target`" } else { "move that value into the cases that use it" };
    Diagnostic::error(span, message)
        .label(format!("`${{matrix.{axis}}}` has no value"))
        .help(format!("add `{axis}: [..]`, or {own}"))
}
