//! Words in an agent's input that Python's YAML 1.1 loader reads otherwise than YAML 1.2 does.
//!
//! They are read as that loader reads them, since the suite was written against it, but whoever wrote `NO` for Norway should
//! hear of it.

use agentci_source::{Content, Diagnostic, Diagnostics, Node, Reading, Scalar, Span};
use serde_json::Value;

/// The most warnings of this kind for one file.
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
        Value::String(_) => ("text".to_owned(), "write the number out if you mean the number"),
        other => (other.to_string(), "put it in quotes if you mean the text"),
    };
    Some(
        Diagnostic::warning(span, format!("`{}` is read as {read_as} here", scalar.text.escape_debug()))
            .label("as YAML 1.1 has it")
            .help(help),
    )
}
