//! Small readers that several modules of the native dialect use.

use agentci_plan::Text;
use agentci_source::{Diagnostic, Diagnostics, Node, Pair, read};

pub(super) use crate::command::SuiteFolder;
pub(super) use crate::texts::{data, named_texts, object, object_data, object_map, template};

/// Reads a command: at least one string; each may contain variables.
pub(super) fn command(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Text>> {
    let items = read::list(node, name, problems)?;
    let part = format!("{name}[]");
    let parts: Vec<Text> = items.iter().filter_map(|item| template(item, &part, problems)).collect();
    let nameless = |text: &Text| matches!(text, Text::Literal(word) if word.trim().is_empty());
    if items.is_empty() || (parts.len() == items.len() && parts.first().is_some_and(nameless)) {
        let help = "write the program and its arguments: `[python3, agent.py]`";
        problems.error(node.span, format!("`{name}` names no program"), "a program is missing here").help(help);
        return None;
    }
    Some(parts)
}

/// The error for an unknown key in a mapping that also allows keys by pattern.
pub(super) fn unknown_key(pair: &Pair, what: &str, known: &[&str]) -> Diagnostic {
    let help = match read::meant(&pair.key.text, known.iter().copied()) {
        Some((_, help)) => help,
        None => format!("known keys are {}", read::quoted_list(known)),
    };
    Diagnostic::error(pair.key.span, format!("unknown key `{}` in {what}", pair.key.text.escape_debug()))
        .label("unknown key")
        .help(help)
}
