//! `target`: how the agent is reached. A mock that does not say which position it stands for takes that of its case.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    Diagnostic, Diagnostics, MockScript, MockTarget, Node, ProcessTarget, Severity, Span, Target, did_you_mean, join,
    read,
};

use super::words::{Place, command, named_texts};
use crate::command::part;
use crate::mock_script;

const KINDS: [&str; 2] = ["process", "mock"];

/// The highest position a mock may stand for: what is drawn for it depends on all before it.
const LAST_POSITION: u32 = 1_000_000;

/// A target as it is written.
#[derive(Clone)]
pub(super) enum ReadTarget {
    /// The same for every case.
    Fixed(Arc<Target>),
    /// A mock without a position.
    Mock(Arc<MockScript>, Span),
}

impl ReadTarget {
    /// The target of the case at this position.
    pub(super) fn at(&self, index: usize) -> Arc<Target> {
        match self {
            ReadTarget::Fixed(target) => Arc::clone(target),
            ReadTarget::Mock(script, span) => Arc::new(Target::Mock(MockTarget {
                script: Arc::clone(script),
                position: u32::try_from(index).unwrap_or(u32::MAX),
                span: *span,
            })),
        }
    }
}

/// Reads a target: a mapping of one key, the kind.
pub(super) fn target(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
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
        "process" => {
            process(&pair.value, place, problems).map(|target| ReadTarget::Fixed(Arc::new(Target::Process(target))))
        }
        "mock" => mock(&pair.value, problems),
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

fn mock(node: &Node, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let mut fields = read::Fields::open(node, "`mock`", problems)?;
    let script = mock_script::script(&mut fields, Severity::Error, problems);
    let written = fields.optional("position");
    let position = written.and_then(|node| read::count(node, "position", 0, problems));
    fields.finish(problems);
    if let Some(node) = written.filter(|_| position.is_some_and(|position| position > LAST_POSITION)) {
        let message = format!("`position` must be {LAST_POSITION} or less");
        problems.push(Diagnostic::error(node.span, message).label("no suite is that long"));
    }
    let script = Arc::new(script?);
    Some(match position {
        None => ReadTarget::Mock(script, node.span),
        Some(position) => ReadTarget::Fixed(Arc::new(Target::Mock(MockTarget { script, position, span: node.span }))),
    })
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
