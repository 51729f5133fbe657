//! Small readers the native dialect needs in several places.

use std::path::Path;

use agentci_plan::{Diagnostic, Diagnostics, Files, Node, Pair, Text, did_you_mean, read};

/// Where a suite stands, for what must look beside it.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) files: &'p dyn Files,
    /// The folder all paths of the suite are relative to.
    pub(super) folder: &'p Path,
}

/// A text in which variables may stand.
pub(super) fn template(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Text> {
    read::text(node, name, problems).map(|text| Text::parse(&text))
}

/// A command: at least one text, in each of which variables may stand.
pub(super) fn command(node: &Node, problems: &mut Diagnostics) -> Option<Vec<Text>> {
    let items = read::list(node, "command", problems)?;
    let parts: Vec<Text> = items.iter().filter_map(|item| template(item, "command[]", problems)).collect();
    let nameless = |text: &Text| matches!(text, Text::Literal(word) if word.trim().is_empty());
    if items.is_empty() || (parts.len() == items.len() && parts.first().is_some_and(nameless)) {
        problems.push(
            Diagnostic::error(node.span, "`command` names no program")
                .label("a program is missing here")
                .help("write the program and its arguments: `[python3, agent.py]`"),
        );
        return None;
    }
    Some(parts)
}

/// A mapping of names to texts; a number or truth value counts as the text it is written as.
pub(super) fn named_texts(node: &Node, name: &'static str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let Some(pairs) = node.pairs() else {
        problems.push(
            Diagnostic::error(node.span, format!("`{name}` must be a mapping, found {}", node.describe()))
                .label("expected `NAME: text` lines"),
        );
        return Vec::new();
    };
    pairs.iter().filter_map(|pair| named_text(pair, name, problems)).collect()
}

fn named_text(pair: &Pair, name: &str, problems: &mut Diagnostics) -> Option<(String, Text)> {
    let scalar = pair.value.scalar().filter(|scalar| !scalar.is_null());
    if scalar.is_none() {
        problems.push(
            Diagnostic::error(
                pair.value.span,
                format!("`{}` in `{name}` must be text, found {}", pair.key.text.escape_debug(), pair.value.describe()),
            )
            .label("expected text")
            .help("write `\"\"` for an empty text"),
        );
    }
    Some((pair.key.text.clone(), Text::parse(&scalar?.text)))
}

/// The problem with a key that is not known, where the known keys are not all fixed words.
pub(super) fn unknown_key(pair: &Pair, what: &str, known: &[&str]) -> Diagnostic {
    let help = match did_you_mean(&pair.key.text, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known keys are {}", read::quoted_list(known)),
    };
    Diagnostic::error(pair.key.span, format!("unknown key `{}` in {what}", pair.key.text.escape_debug()))
        .label("not known here")
        .help(help)
}
