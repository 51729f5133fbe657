//! `hooks`: commands that run before the turns of a test.

use std::path::Path;
use std::time::Duration;

use agentci_plan::{CommandPart, Hook, Text};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, read};

use super::target::Place;
use super::words::{command, milliseconds};
use crate::command::part;
use crate::texts::named_texts;

/// How long a hook may take that does not say so itself.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) static HOOK: Shape = Shape::new(
    "a hook",
    "A command that runs before the turns; what it prints as JSON becomes variables.",
    &[
        required("cmd", Kind::Filled(&Kind::Text), "The program and its arguments."),
        optional("timeout_ms", Kind::Positive, "How many milliseconds it may take."),
        optional("env", Kind::Map(&Kind::Word), "Variables of its environment."),
    ],
);

/// Reads the hooks of a test. They run in the folder of the config, and files in their commands are looked for there first, then
/// in the folder of the test.
pub(super) fn hooks(node: &Node, config: Place<'_>, test: &Path, problems: &mut Diagnostics) -> Vec<Hook> {
    let items = read::list(node, "hooks", problems).unwrap_or_default();
    items.iter().filter_map(|item| hook(item, config, test, problems)).collect()
}

fn hook(node: &Node, config: Place<'_>, test: &Path, problems: &mut Diagnostics) -> Option<Hook> {
    let mut fields = HOOK.open(node, problems)?;
    let command = fields.required("cmd", problems).and_then(|node| command(node, "cmd", "[sh, seed.sh]", problems));
    let timeout = fields.optional("timeout_ms").and_then(|node| milliseconds(node, "timeout_ms", problems));
    let environment = fields.optional("env").map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    fields.finish(problems);
    let find = |text: Text| -> CommandPart {
        let found = part(config.files, config.folder, text);
        if found.file.is_some() { found } else { part(config.files, test, found.text) }
    };
    let here = config.folder.as_os_str().is_empty() || config.folder == Path::new(".");
    Some(Hook {
        command: command?.into_iter().map(find).collect(),
        folder: (!here).then(|| config.folder.to_path_buf()),
        environment,
        timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
        span: node.span,
    })
}
