//! `hooks`: commands that run before the turns of a test.

use std::path::Path;
use std::time::Duration;

use agentci_plan::{CommandPart, Hook, Text};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, read};

use super::readers::{command, milliseconds};
use super::target::SuiteFolder;
use crate::command::part;
use crate::texts::named_texts;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) static HOOK: Shape = Shape::new(
    "a hook",
    "A command that runs before the turns; the keys of the JSON object it prints become variables.",
    &[
        required("cmd", Kind::Filled(&Kind::Text), "The program and its arguments."),
        optional("timeout_ms", Kind::Positive, "Timeout in milliseconds. Default: 30000."),
        optional("env", Kind::Map(&Kind::Word), "Environment variables to set."),
    ],
);

/// Reads the hooks of a test. They run in the folder of the config; files in their commands are resolved there, or else
/// in the folder of the test.
pub(super) fn hooks(node: &Node, config: SuiteFolder<'_>, test: &Path, problems: &mut Diagnostics) -> Vec<Hook> {
    read::each(node, "hooks", problems, |item, problems| hook(item, config, test, problems))
}

fn hook(node: &Node, config: SuiteFolder<'_>, test: &Path, problems: &mut Diagnostics) -> Option<Hook> {
    HOOK.read(node, problems, |fields| {
        let command = fields.required("cmd", |node, key, problems| command(node, key, "[sh, seed.sh]", problems));
        let timeout = fields.optional("timeout_ms", milliseconds).unwrap_or(DEFAULT_TIMEOUT);
        let environment = fields.named_or_default("env", named_texts);
        let find = |text: Text| -> CommandPart {
            let found = part(config.files, config.folder, text);
            if found.file.is_some() { found } else { part(config.files, test, found.text) }
        };
        let here = config.folder.as_os_str().is_empty() || config.folder == Path::new(".");
        let folder = (!here).then(|| config.folder.to_path_buf());
        let command = command?.into_iter().map(find).collect();
        Some(Hook { command, folder, environment, timeout, span: node.span })
    })
}
