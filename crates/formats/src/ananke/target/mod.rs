//! `target`: how the agent is reached. All keys stand at one level; `type` says which of them are known.

mod a2a;
mod agui;
mod auth;
mod mcp;

use std::path::Path;
use std::time::Duration;

use agentci_plan::{REQUEST_TIMEOUT, Target, Text};
use agentci_source::shape::{Field, Kind, Rule, Shape, Tagged, optional, required, words};
use agentci_source::{Content, Diagnostics, Files, Node, Pair, Severity, Span, read};

use super::assertion::{ABOVE, Block, INHERIT, Level, block, inherit};
use super::later::refuse_sockets;
use super::tool::Tool;
use super::version::{Version, needs};
use super::words::milliseconds;
use crate::texts::named_texts;

/// Where a config stands, for what must look beside it.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) files: &'p dyn Files,
    /// The folder of the config.
    pub(super) folder: &'p Path,
}

/// Which protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Agui,
    A2a,
    Mcp,
}

impl Protocol {
    const NAMES: [(&'static str, Protocol); 3] =
        [("agui", Protocol::Agui), ("a2a", Protocol::A2a), ("mcp", Protocol::Mcp)];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Protocol::Agui => "agui",
            Protocol::A2a => "a2a",
            Protocol::Mcp => "mcp",
        }
    }

    /// The version that brought it.
    pub(super) fn version(self) -> Version {
        match self {
            Protocol::Agui => Version::AGUI,
            Protocol::A2a => Version::A2A,
            Protocol::Mcp => Version::MCP,
        }
    }

    /// The keys that its targets have beside the common ones.
    fn keys(self) -> &'static [Field] {
        match self {
            Protocol::Agui => agui::KEYS,
            Protocol::A2a => a2a::KEYS,
            Protocol::Mcp => mcp::KEYS,
        }
    }

    fn has(self, key: &str) -> bool {
        self.keys().iter().any(|field| field.key == key)
    }

    fn shape(self) -> &'static Shape {
        match self {
            Protocol::Agui => &AGUI,
            Protocol::A2a => &A2A,
            Protocol::Mcp => &MCP,
        }
    }
}

/// A target.
pub(super) const TARGET: Kind = Kind::Tagged(&Tagged {
    tag: "type",
    variants: &[(Protocol::NAMES[0].0, &AGUI), (Protocol::NAMES[1].0, &A2A), (Protocol::NAMES[2].0, &MCP)],
    usual: None,
});

/// What targets of every type have.
static COMMON: &[Field] = &[
    required("type", Kind::Choice(&words(&Protocol::NAMES)), "The protocol that is spoken."),
    optional("headers", Kind::Map(&Kind::Word), "Headers that are sent along."),
    optional("timeout_ms", Kind::Positive, "How many milliseconds one request may take."),
    optional("assert", Kind::Shape(&ABOVE), "What is asked of every test."),
];

static UNKNOWN: Shape = Shape::new("the target", "A target whose type is not known yet.", COMMON).with(&[INHERIT]);
static AGUI: Shape = Shape::new("the target", "A server that speaks AG-UI.", COMMON).with(&[INHERIT, agui::KEYS]);
static A2A: Shape = Shape::new("the target", "An agent that speaks A2A.", COMMON)
    .with(&[INHERIT, a2a::KEYS])
    .rules(&[Rule::One(&["agentCardUrl", "agentCard", "endpoint"])]);
static MCP: Shape = Shape::new("the target", "A server that speaks MCP.", COMMON).with(&[INHERIT, mcp::KEYS]).rules(&[
    Rule::When { key: "transport", is: &["stdio"], needs: &["command"], excludes: &["endpoint"] },
    Rule::When { key: "transport", is: &["sse", "http"], needs: &["endpoint"], excludes: &["command", "env"] },
]);

/// A target as it is written.
pub(super) struct ReadTarget {
    pub(super) protocol: Protocol,
    pub(super) target: Target,
    /// The client's tools, of an AG-UI target.
    pub(super) tools: Vec<Tool>,
    /// What is asked of every test.
    pub(super) block: Option<Block>,
    /// Whether turns inherit all demands.
    pub(super) inherit: bool,
}

/// What all kinds of target have in common.
struct Common {
    headers: Vec<(String, Text)>,
    timeout: Duration,
    span: Span,
}

/// Reads a target; `None` when something it can not do without is missing or wrong.
pub(super) fn target(
    node: &Node,
    version: Option<Version>,
    place: Place<'_>,
    problems: &mut Diagnostics,
) -> Option<ReadTarget> {
    if refuse_sockets(node, problems) {
        return None;
    }
    let protocol = node.get("type").filter(|node| !node.is_null());
    let protocol = protocol.and_then(|node| read::choice(node, "type", &Protocol::NAMES, problems));
    let own = protocol.map(|protocol| without_foreign_keys(node, protocol, problems));
    let mut fields = UNKNOWN.open(own.as_ref().unwrap_or(node), problems)?;
    let written = fields.required("type", problems);
    if let (Some(protocol), Some(node)) = (protocol, written) {
        let what = format!("a target of type `{}`", protocol.name());
        needs(&what, protocol.version(), version, node.span, problems);
    }
    let headers = fields.optional("headers").map(|node| named_texts(node, "headers", problems)).unwrap_or_default();
    let timeout = fields.optional("timeout_ms").and_then(|node| milliseconds(node, "timeout_ms", problems));
    let common = Common { headers, timeout: timeout.unwrap_or(REQUEST_TIMEOUT), span: node.span };
    let block = fields.optional("assert").map(|node| block(node, Level::Above, problems));
    let inherit = inherit(&mut fields, problems);
    // Without a type it can not be said which keys are known.
    let protocol = protocol?;
    fields.becomes(protocol.shape());
    let mut tools = Vec::new();
    let before = problems.count(Severity::Error);
    let target = match protocol {
        Protocol::Agui => agui::target(&mut fields, common, &mut tools, problems),
        Protocol::A2a => a2a::target(&mut fields, common, place, problems),
        Protocol::Mcp => mcp::target(&mut fields, common, place, problems),
    };
    fields.finish(problems);
    let target = target.filter(|_| problems.count(Severity::Error) == before)?;
    Some(ReadTarget { protocol, target, tools, block, inherit })
}

/// Reports the keys that belong to other types of target, and leaves them out.
fn without_foreign_keys(node: &Node, protocol: Protocol, problems: &mut Diagnostics) -> Node {
    let mut foreign = |pair: &Pair| {
        let key = pair.key.text.as_str();
        let others = Protocol::NAMES.iter().filter(|(_, other)| other.has(key));
        let others: Vec<String> = others.map(|(name, _)| format!("`{name}`")).collect();
        if protocol.has(key) || others.is_empty() {
            return false;
        }
        let types = others.join(" and ");
        let message = format!("`{key}` belongs to targets of type {types}");
        let help = "remove it, or change the target's `type`";
        problems.error(pair.key.span, message, format!("this one is of type `{}`", protocol.name())).help(help);
        true
    };
    let pairs = node.pairs().unwrap_or_default().iter().filter(|pair| !foreign(pair)).cloned().collect();
    Node { span: node.span, content: Content::Map(pairs) }
}
