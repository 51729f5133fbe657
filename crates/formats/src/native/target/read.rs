//! Which kind of target it is.

use std::sync::Arc;

use agentci_plan::{MockScript, MockTarget, Target};
use agentci_source::shape::{Kind, Rule, Shape, filled};
use agentci_source::{Diagnostic, Diagnostics, Node, Span, did_you_mean, read};

use super::super::words::Place;
use super::{a2a, agui, chat, http, mcp, mock, process};

/// Whether a file says how an agent is reached, as suites of this dialect do.
pub(crate) fn has_target(root: &Node) -> bool {
    let target = root.get("target").and_then(Node::pairs).unwrap_or_default();
    target.iter().any(|pair| pair.value.pairs().is_some() && TARGET.fields().any(|kind| kind.key == &*pair.key.text))
}

/// A target.
pub(in crate::native) static TARGET: Shape = Shape::new(
    "`target`",
    "How the agent is reached: one key, the kind.",
    &[
        filled(
            "process",
            Kind::Shape(&process::PROCESS),
            "A program that speaks JSON lines over its standard input and output.",
        ),
        filled("http", Kind::Shape(&http::HTTP), "A server that is asked over plain HTTP."),
        filled("mock", Kind::Shape(&mock::MOCK), "A scripted model in place of an agent."),
        filled("agui", Kind::Shape(&agui::AGUI), "A server that speaks AG-UI."),
        filled("a2a", Kind::Shape(&a2a::A2A), "An agent that speaks A2A."),
        filled("mcp", Kind::Shape(&mcp::MCP), "A server that speaks MCP."),
        filled("chat", Kind::Shape(&chat::CHAT), "An agent that is prompts and a model."),
    ],
)
.rules(&[Rule::OneKey]);

/// A target as it is written.
#[derive(Clone)]
pub(in crate::native) enum ReadTarget {
    /// The same for every case.
    Fixed(Arc<Target>),
    /// A mock without a position, which takes that of its case.
    Mock(Arc<MockScript>, Span),
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

/// Reads a target: a mapping of one key, the kind.
pub(in crate::native) fn target(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let pairs = node.pairs();
    let Some([pair]) = pairs else {
        let found = pairs.map_or_else(|| node.describe(), |pairs| format!("{} keys", pairs.len()));
        problems.push(
            Diagnostic::error(node.span, format!("`target` must be a mapping of one key, found {found}"))
                .label("expected the kind of target")
                .help(format!("known kinds are {}: `process: {{ command: [..] }}`", read::quoted_list(&TARGET.keys()))),
        );
        return None;
    };
    let fixed = match pair.key.text.as_str() {
        "process" => process::process(&pair.value, place, problems).map(Target::Process),
        "http" => http::http(&pair.value, place, problems).map(|target| Target::Http(Box::new(target))),
        "mock" => return mock::mock(&pair.value, problems),
        "agui" => agui::agui(&pair.value, problems).map(|target| Target::Agui(Box::new(target))),
        "a2a" => a2a::a2a(&pair.value, place, problems).map(|target| Target::A2a(Box::new(target))),
        "mcp" => mcp::mcp(&pair.value, place, problems).map(|target| Target::Mcp(Box::new(target))),
        "chat" => chat::chat(&pair.value, place, problems).map(|target| Target::Chat(Box::new(target))),
        kind => {
            let known = format!("known kinds are {}", read::quoted_list(&TARGET.keys()));
            let help = match (kind, did_you_mean(kind, TARGET.keys())) {
                ("command" | "cmd" | "program" | "script", _) => "a program is `process: { command: [..] }`".into(),
                ("url" | "endpoint" | "address", _) => {
                    "a server is `http: { url: .. }`, or `agui`, `a2a` or `mcp` if it speaks one of these".into()
                }
                (_, Some(meant)) => format!("did you mean `{meant}`? {known}"),
                (_, None) => known,
            };
            problems.push(
                Diagnostic::error(pair.key.span, format!("unknown target `{}`", kind.escape_debug()))
                    .label("not known here")
                    .help(help),
            );
            None
        }
    };
    fixed.map(|target| ReadTarget::Fixed(Arc::new(target)))
}
