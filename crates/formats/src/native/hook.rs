//! Reads `hooks`: commands that run before a case.

use std::time::Duration;

use agentci_plan::Hook;
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, read};

use super::readers::{SuiteFolder, command, named_texts};

/// The default timeout of a hook.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) static HOOK: Shape = Shape::new(
    "a hook",
    "A command that runs before a case; the JSON object it prints becomes variables.",
    &[
        required("command", Kind::Filled(&Kind::Text), "The program and its arguments."),
        optional("folder", Kind::Name, "Working directory of the command."),
        optional("env", Kind::Map(&Kind::Word), "Environment variables to set."),
        optional("timeout", Kind::Duration, "Timeout of the command. Default: 30s."),
    ],
);

pub(super) fn hooks(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Vec<Hook> {
    read::each(node, "hooks", problems, |item, problems| hook(item, place, problems))
}

fn hook(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Hook> {
    HOOK.read(node, problems, |fields| {
        let command = fields.required("command", command);
        let folder = fields.name("folder").map(|folder| place.path(&folder));
        let environment = fields.named_or_default("env", named_texts);
        let timeout = fields.duration("timeout").unwrap_or(DEFAULT_TIMEOUT);
        Some(Hook { command: place.command(command?), folder, environment, timeout, span: node.span })
    })
}
