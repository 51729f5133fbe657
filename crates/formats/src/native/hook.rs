//! `hooks`: commands that run before a case.

use std::time::Duration;

use agentci_plan::Hook;
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, join, read};

use super::words::{Place, command, named_texts};
use crate::command::part;

/// How long a hook may take that does not say so itself.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) static HOOK: Shape = Shape::new(
    "a hook",
    "A command that runs before a case; what it prints as JSON becomes variables.",
    &[
        required("command", Kind::Filled(&Kind::Text), "The program and its arguments."),
        optional("folder", Kind::Name, "The folder that it runs in."),
        optional("env", Kind::Map(&Kind::Word), "Variables of its environment."),
        optional("timeout", Kind::Duration, "How long it may take."),
    ],
);

/// Reads a list of hooks.
pub(super) fn hooks(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Vec<Hook> {
    let items = read::list(node, "hooks", problems).unwrap_or_default();
    items.iter().filter_map(|item| hook(item, place, problems)).collect()
}

fn hook(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Hook> {
    let mut fields = HOOK.open(node, problems)?;
    let command = fields.required("command", problems).and_then(|node| command(node, "command", problems));
    let folder = fields.optional("folder").and_then(|node| read::name(node, "folder", problems));
    let environment = fields.optional("env").map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    let timeout = fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems));
    fields.finish(problems);
    let command = command?.into_iter().map(|text| part(place.files, place.folder, text)).collect();
    let folder = folder.map(|folder| join(place.folder, &folder.value));
    Some(Hook { command, folder, environment, timeout: timeout.unwrap_or(DEFAULT_TIMEOUT), span: node.span })
}
