//! `target`: how the agent is reached.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Diagnostic, Diagnostics, Node, ProcessTarget, Target, did_you_mean, join, read};

use super::words::{Place, command, named_texts};
use crate::command::part;

const KINDS: [&str; 1] = ["process"];

/// Reads a target: a mapping of one key, the kind.
pub(super) fn target(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Arc<Target>> {
    let pairs = node.pairs();
    let Some([pair]) = pairs else {
        let found = pairs.map_or_else(|| node.describe(), |pairs| format!("{} keys", pairs.len()));
        problems.push(
            Diagnostic::error(node.span, format!("`target` must be a mapping of one key, found {found}"))
                .label("expected the kind of target")
                .help(format!("known kinds are {}: `process: {{ command: [..] }}`", read::quoted_list(&KINDS))),
        );
        return None;
    };
    match pair.key.text.as_str() {
        "process" => process(&pair.value, place, problems).map(|target| Arc::new(Target::Process(target))),
        kind => {
            let known = format!("known kinds are {}", read::quoted_list(&KINDS));
            let help = match did_you_mean(kind, KINDS) {
                Some(meant) => format!("did you mean `{meant}`? {known}"),
                None => known,
            };
            problems.push(
                Diagnostic::error(pair.key.span, format!("unknown target `{}`", kind.escape_debug()))
                    .label("not known here")
                    .help(help),
            );
            None
        }
    }
}

fn process(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<ProcessTarget> {
    let mut fields = read::Fields::open(node, "`process`", problems)?;
    let command = fields.required("command", problems).and_then(|node| command(node, problems));
    let folder = fields.optional("folder").and_then(|node| read::name(node, "folder", problems));
    let environment = fields.optional("env").map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    fields.finish(problems);
    let Place { files, folder: suite_folder } = place;
    Some(ProcessTarget {
        command: command?.into_iter().map(|text| part(files, suite_folder, text)).collect(),
        folder: folder.map(|folder| join(Path::new(suite_folder), &folder.value)),
        environment,
        span: node.span,
    })
}
