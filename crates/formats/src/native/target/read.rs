//! Reads a target of any kind.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{MockScript, MockTarget, Target};
use agentci_source::shape::{KeyRule, Kind, Shape, filled};
use agentci_source::{Diagnostics, Node, Span, did_you_mean, read};

use super::super::readers::SuiteFolder;
use super::{a2a, agui, chat, http, mcp, mock, process};
use crate::document::Loading;

/// Whether a file has a `target` as suites of this dialect have it.
pub(crate) fn has_target(root: &Node) -> bool {
    let target = root.get("target").and_then(Node::pairs).unwrap_or_default();
    target.iter().any(|pair| pair.value.pairs().is_some() && TARGET.fields().any(|kind| kind.key == &*pair.key.text))
}

pub(in crate::native) static TARGET: Shape = Shape::new(
    "`target`",
    "How to reach the agent: a mapping with one key, the kind of target.",
    &[
        filled(
            "process",
            Kind::Shape(&process::PROCESS),
            "A program that speaks JSON lines over standard input and output, or prints its answer.",
        ),
        filled("http", Kind::Shape(&http::HTTP), "A server that is called over plain HTTP."),
        filled("mock", Kind::Shape(&mock::MOCK), "A scripted model in place of an agent."),
        filled("agui", Kind::Shape(&agui::AGUI), "A server that speaks AG-UI."),
        filled("a2a", Kind::Shape(&a2a::A2A), "An agent that speaks A2A."),
        filled("mcp", Kind::Shape(&mcp::MCP), "A server that speaks MCP."),
        filled("chat", Kind::Shape(&chat::CHAT), "An agent that consists of prompts and a model."),
    ],
)
.rules(&[KeyRule::OneKey]);

/// A target as written.
#[derive(Clone)]
pub(in crate::native) enum ReadTarget {
    /// The same target for every case.
    Fixed(Arc<Target>),
    /// A mock without a position; it takes that of its case.
    Mock(Arc<MockScript>, Span),
}

impl From<Target> for ReadTarget {
    fn from(target: Target) -> Self {
        ReadTarget::Fixed(Arc::new(target))
    }
}

impl ReadTarget {
    /// The target of the case at this position.
    pub(in crate::native) fn at(&self, index: usize) -> Arc<Target> {
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

/// Reads a target: a mapping with one key, the kind.
pub(in crate::native) fn target(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let pairs = node.pairs();
    let Some([pair]) = pairs else {
        let found = pairs.map_or_else(|| node.describe(), |pairs| format!("{} keys", pairs.len()));
        let message = format!("`target` must be a mapping with one key, found {found}");
        let help =
            format!("known kinds are {}, as in `process: {{ command: [..] }}`", read::quoted_list(&TARGET.keys()));
        problems.error(node.span, message, "expected a kind of target").help(help);
        return None;
    };
    let name = pair.key.text.as_str();
    let value = &pair.value;
    match name {
        "process" => process::process(value, place, problems),
        "http" => http::http(value, place, problems),
        "mock" => mock::mock(value, problems),
        "agui" => agui::agui(value, problems),
        "a2a" => a2a::a2a(value, place, problems),
        "mcp" => mcp::mcp(value, place, problems),
        "chat" => chat::chat(value, place, problems),
        _ => {
            let message = format!("unknown target `{}`", name.escape_debug());
            problems.error(pair.key.span, message, "unknown target").help(meant(name));
            None
        }
    }
}

/// The help text for an unknown kind.
fn meant(name: &str) -> String {
    let known = format!("known kinds are {}", read::quoted_list(&TARGET.keys()));
    match (name, did_you_mean(name, TARGET.keys())) {
        ("command" | "cmd" | "program" | "script", _) => "for a program, write `process: { command: [..] }`".into(),
        ("url" | "endpoint" | "address", _) => {
            "for a server, write `http: { url: .. }`, or `agui`, `a2a` or `mcp` if it speaks that protocol".into()
        }
        (_, Some(meant)) => format!("did you mean `{meant}`? {known}"),
        (_, None) => known,
    }
}

/// The target with this name in a file: one below `targets:`, or the suite's own if the suite has this name.
pub(crate) fn named_target(path: &Path, name: &str, loading: &mut Loading<'_>) -> Option<Arc<Target>> {
    let root = loading.open(path).ok()?;
    let place = SuiteFolder { files: loading.files, folder: path.parent().unwrap_or(Path::new("")) };
    let listed = root.get("targets").and_then(|targets| targets.get(name)).filter(|node| is_target(node));
    let called = root.get("suite").and_then(|node| read::text(node, "suite", &mut Diagnostics::default()));
    let own = root.get("target").filter(|_| called.as_deref() == Some(name));
    target(listed.or(own)?, place, loading.problems).map(|target| target.at(0))
}

/// Whether a node looks like a target of a suite: a mapping with one key, whose value is a mapping.
fn is_target(node: &Node) -> bool {
    matches!(node.pairs(), Some([pair]) if pair.value.pairs().is_some())
}
