//! `${matrix.NAME|text}`: the text of the file that a value of an axis names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agentci_source::{Diagnostic, Diagnostics, Node, Span};

use super::axes::Matrix;
use super::reference::{AxisForm, visit};
use crate::command::SuiteFolder;

/// The maximum size of a file that is inserted: each combination has its text.
const TEXT_LIMIT: u64 = 1 << 20;

/// The axes whose values are inserted as the text of a file.
pub(super) fn inserted_files<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> BTreeSet<String> {
    let mut axes = BTreeSet::new();
    for node in nodes {
        visit(node, &mut |_, reference, _| {
            if reference.form == Some(AxisForm::Text) {
                axes.insert(reference.name.to_owned());
            }
        });
    }
    axes
}

impl Matrix {
    /// Reads the files that the values of these axes name.
    pub(super) fn read_files(&mut self, axes: &BTreeSet<String>, place: SuiteFolder<'_>, problems: &mut Diagnostics) {
        let mut known: BTreeMap<String, Option<Arc<str>>> = BTreeMap::new();
        let values = self.combinations.iter_mut().flat_map(|combination| &mut combination.values);
        for (axis, value) in values.filter(|(axis, _)| axes.contains(*axis)) {
            let name = value.scalar.text.to_string();
            value.text =
                known.entry(name).or_insert_with_key(|name| read(name, axis, value.span, place, problems)).clone();
        }
    }
}

/// Reads a file. Its last line end is left out, as in `$(cat file)`.
fn read(name: &str, axis: &str, span: Span, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Arc<str>> {
    let path = place.path(name);
    match place.files.read_text(&path, TEXT_LIMIT) {
        Ok(text) => Some(text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text)).into()),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            let help = format!(
                "`${{matrix.{axis}|text}}` is the text of the file that the axis names, from the suite's folder"
            );
            problems.push(Diagnostic::error(span, message).label("names this file").help(help));
            None
        }
    }
}
