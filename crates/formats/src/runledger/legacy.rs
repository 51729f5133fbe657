//! Warns of words in an agent's input that YAML 1.1 reads differently from YAML 1.2.
//!
//! They are read as Python's YAML 1.1 loader reads them, because suites were written for it. An author who wrote `NO`
//! for Norway needs the warning.

use agentci_source::{Content, Diagnostic, Diagnostics, Node, Reading, Scalar, Span};
use serde_json::Value;

/// Maximum number of such warnings per file.
const WARNING_LIMIT: usize = 3;

/// Warns of the first few such words.
pub(super) fn warn(input: &Node, problems: &mut Diagnostics) {
    let mut left = WARNING_LIMIT;
    visit(input, &mut left, problems);
}

fn visit(node: &Node, left: &mut usize, problems: &mut Diagnostics) {
    if *left == 0 {
        return;
    }
    match &node.content {
        Content::Scalar(scalar) => {
            if let Some(warning) = surprise(scalar, node.span) {
                *left -= 1;
                problems.push(warning);
            }
        }
        Content::List(items) => items.iter().for_each(|item| visit(item, left, problems)),
        Content::Map(pairs) => pairs.iter().for_each(|pair| visit(&pair.value, left, problems)),
    }
}

fn surprise(scalar: &Scalar, span: Span) -> Option<Diagnostic> {
    if scalar.quoted {
        return None;
    }
    let legacy = scalar.value(Reading::Legacy)?;
    if scalar.value(Reading::Core).as_ref() == Some(&legacy) {
        return None;
    }
    let (read_as, help) = match &legacy {
        Value::String(_) => ("a string".to_owned(), "write the number in full if you mean a number"),
        other => (other.to_string(), "put it in quotes if you mean a string"),
    };
    Some(
        Diagnostic::warning(span, format!("`{}` is read as {read_as} here", scalar.text.escape_debug()))
            .label("as in YAML 1.1")
            .help(help),
    )
}
