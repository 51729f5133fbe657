//! `${matrix.NAME}` in the strings of a node.

use std::collections::BTreeMap;
use std::ops::Range;

use super::axes::AxisValue;
use agentci_plan::escape_pattern;
use agentci_source::{Content, Diagnostic, Node, Pair, Scalar, Span, did_you_mean, read};

const START: &str = "${matrix.";

/// A reference in a string.
pub(super) struct AxisReference<'t> {
    range: Range<usize>,
    /// The name of the axis as written.
    pub(super) name: &'t str,
    pub(super) form: Option<AxisForm>,
    closed: bool,
}

/// What is inserted in place of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisForm {
    /// A pattern that matches exactly it.
    Escape,
    /// The text of the file that it names.
    Text,
}

impl AxisForm {
    const SUFFIXES: [(&'static str, AxisForm); 2] = [("|escape", AxisForm::Escape), ("|text", AxisForm::Text)];
}

/// The values of axes, by name.
pub(in crate::native) type AxisValues = BTreeMap<String, AxisValue>;

/// The references in a string; `$${matrix.NAME}` is literal text.
fn references(text: &str) -> Vec<AxisReference<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(START).map(|at| from + at) {
        from = at + START.len();
        if text[..at].ends_with('$') {
            continue;
        }
        let rest = &text[from..];
        let (inside, closed) = rest.find('}').map_or((rest, false), |end| (&rest[..end], true));
        let with_form =
            AxisForm::SUFFIXES.iter().find_map(|(suffix, form)| Some((inside.strip_suffix(suffix)?, Some(*form))));
        let (name, form) = with_form.unwrap_or((inside, None));
        from += inside.len() + usize::from(closed);
        found.push(AxisReference { range: at..from, name, form, closed });
    }
    found
}

/// Whether a node contains references.
pub(super) fn has_references(node: &Node) -> bool {
    let mut any = false;
    visit(node, &mut |_, _, _| any = true);
    any
}

/// Calls `found` for every reference in a node, with its place and whether it is in a key.
pub(super) fn visit(node: &Node, found: &mut impl FnMut(Span, &AxisReference<'_>, bool)) {
    match &node.content {
        Content::Scalar(scalar) => visit_text(&scalar.text, node.span, false, found),
        Content::List(items) => items.iter().for_each(|item| visit(item, found)),
        Content::Map(pairs) => {
            for pair in pairs {
                visit_text(&pair.key.text, pair.key.span, true, found);
                visit(&pair.value, found);
            }
        }
    }
}

fn visit_text(text: &str, span: Span, in_key: bool, found: &mut impl FnMut(Span, &AxisReference<'_>, bool)) {
    if text.contains(START) {
        for reference in &references(text) {
            found(span, reference, in_key);
        }
    }
}

impl AxisReference<'_> {
    /// The name of the axis, if it is one of these; else the error.
    pub(super) fn axis<'k>(&self, span: Span, in_key: bool, known: &[&'k str]) -> Result<&'k str, Diagnostic> {
        let error =
            |message: String, label: &str, help: String| Err(Diagnostic::error(span, message).label(label).help(help));
        let name = self.name.escape_debug().to_string();
        if !self.closed {
            return error("`${matrix.` has no `}`".into(), "not closed", "write `${matrix.NAME}`".into());
        }
        if in_key {
            let help = "use it in a value, or write `$${` for a literal `${`";
            return error(format!("`${{matrix.{name}}}` cannot be part of a key"), "a key", help.into());
        }
        if let Some(axis) = known.iter().find(|axis| **axis == self.name) {
            return Ok(axis);
        }
        if known.is_empty() {
            let help = format!("add `matrix: {{ {name}: [..] }}`, or write `$${{` for a literal `${{`");
            return error(format!("`${{matrix.{name}}}` has no value: there is no `matrix`"), "no matrix", help);
        }
        let help = match (self.name.split_once(":-"), did_you_mean(self.name, known.iter().copied())) {
            (Some((axis, _)), _) => {
                format!("an axis always has a value: write `${{matrix.{}}}` without a default", axis.escape_debug())
            }
            (None, Some(meant)) => format!("did you mean `${{matrix.{meant}}}`?"),
            (None, None) => format!("known axes are {}", read::quoted_list(known)),
        };
        error(format!("unknown axis `{name}`"), "not an axis of the matrix", help)
    }
}

/// The node with values in place of references. A string that is exactly one reference becomes the value with its
/// type, or as text where only text is possible. References to other axes stay.
pub(super) fn substitute(node: &Node, values: &AxisValues) -> Node {
    let content = match &node.content {
        Content::Scalar(scalar) if scalar.text.contains(START) => Content::Scalar(filled(scalar, values)),
        Content::Scalar(_) => node.content.clone(),
        Content::List(items) => Content::List(items.iter().map(|item| substitute(item, values)).collect()),
        Content::Map(pairs) => Content::Map(
            pairs.iter().map(|pair| Pair { key: pair.key.clone(), value: substitute(&pair.value, values) }).collect(),
        ),
    };
    Node { span: node.span, content }
}

fn filled(scalar: &Scalar, values: &AxisValues) -> Scalar {
    let text = &*scalar.text;
    let found = references(text);
    if let [only] = found.as_slice()
        && only.range == (0..text.len())
        && only.form.is_none()
        && let Some(value) = values.get(only.name)
    {
        return Scalar { inserted: true, ..value.scalar.clone() };
    }
    let mut filled = String::with_capacity(text.len());
    let mut from = 0;
    for reference in found {
        let Some(value) = values.get(reference.name) else { continue };
        filled.push_str(&text[from..reference.range.start]);
        match reference.form {
            None => filled.push_str(&value.scalar.text),
            Some(AxisForm::Escape) => filled.push_str(&escape_pattern(&value.scalar.text)),
            Some(AxisForm::Text) => filled.push_str(value.text.as_deref().unwrap_or_default()),
        }
        from = reference.range.end;
    }
    filled.push_str(&text[from..]);
    Scalar::quoted(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> Scalar {
        let span = Span::whole(agentci_source::Sources::default().add(std::path::Path::new("s"), ""));
        let value = |name: &str, scalar| (name.to_owned(), AxisValue { scalar, span, text: Some("the text".into()) });
        let values = [value("m", Scalar::quoted("a.b")), value("t", Scalar::plain("0.70"))].into();
        filled(&Scalar::quoted(text), &values)
    }

    #[test]
    fn values_are_inserted_as_they_are() {
        for (written, expected) in [
            ("x ${matrix.m}, ${matrix.t}", "x a.b, 0.70"),
            ("$${matrix.m}", "$${matrix.m}"),
            ("${ENV.K_${matrix.m}} ${X:-${matrix.m}}", "${ENV.K_a.b} ${X:-a.b}"),
            ("^${matrix.m|escape}$", "^a\\.b$"),
            ("${matrix.m|text}", "the text"),
            ("${matrix.other} ${matrix", "${matrix.other} ${matrix"),
        ] {
            assert_eq!(fill(written), Scalar::quoted(expected), "{written}");
        }
    }

    #[test]
    fn lone_reference_keeps_the_type() {
        assert_eq!(fill("${matrix.t}"), Scalar { inserted: true, ..Scalar::plain("0.70") });
        assert_eq!(fill("${matrix.t} "), Scalar::quoted("0.70 "));
    }
}
