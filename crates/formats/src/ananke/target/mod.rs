//! `target`: how to reach the agent. All keys are on one level; `type` determines which of them are allowed.

mod a2a;
mod agui;
mod auth;
mod mcp;

use std::time::Duration;

use agentci_plan::{REQUEST_TIMEOUT, Target, Text};
use agentci_source::shape::{Field, KeyRule, Kind, Shape, Tagged, optional, required, words};
use agentci_source::{Content, Diagnostics, Node, Pair, Severity, Span, read};

use super::assertion::{ABOVE, AssertionBlock, BlockLevel, INHERIT, block, inherit};
use super::other_releases::refuse_sockets;
use super::readers::milliseconds;
use super::tool::WrittenTool;
use super::version::{FormatVersion, needs};
pub(super) use crate::command::SuiteFolder;
use crate::texts::named_texts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetProtocol {
    Agui,
    A2a,
    Mcp,
}

pub(super) struct ProtocolFacts {
    pub(super) name: &'static str,
    /// The first version of the format that supports it.
    pub(super) version: FormatVersion,
    /// The keys of its targets in addition to the common ones.
    keys: &'static [Field],
    shape: &'static Shape,
}

impl TargetProtocol {
    const NAMES: [(&'static str, TargetProtocol); 3] =
        [("agui", TargetProtocol::Agui), ("a2a", TargetProtocol::A2a), ("mcp", TargetProtocol::Mcp)];

    pub(super) fn facts(self) -> ProtocolFacts {
        let (version, keys, shape) = match self {
            TargetProtocol::Agui => (FormatVersion::AGUI, agui::KEYS, &AGUI),
            TargetProtocol::A2a => (FormatVersion::A2A, a2a::KEYS, &A2A),
            TargetProtocol::Mcp => (FormatVersion::MCP, mcp::KEYS, &MCP),
        };
        ProtocolFacts { name: Self::NAMES[self as usize].0, version, keys, shape }
    }

    /// The protocol of a turn type; `None` if it is for any protocol.
    pub(super) fn of_turn(name: &str) -> Option<Self> {
        let (protocol, _) = name.split_once(':')?;
        Self::NAMES.into_iter().find(|(known, _)| *known == protocol).map(|(_, found)| found)
    }

    fn has(self, key: &str) -> bool {
        self.facts().keys.iter().any(|field| field.key == key)
    }
}

pub(super) const TARGET: Kind = Kind::Tagged(&Tagged {
    tag: "type",
    variants: &[
        (TargetProtocol::NAMES[0].0, &AGUI),
        (TargetProtocol::NAMES[1].0, &A2A),
        (TargetProtocol::NAMES[2].0, &MCP),
    ],
    usual: None,
});

/// The keys of every target.
static COMMON: &[Field] = &[
    required("type", Kind::Choice(&words(&TargetProtocol::NAMES)), "Protocol of the server."),
    optional("headers", Kind::Map(&Kind::Word), "Additional request headers."),
    optional("timeout_ms", Kind::Positive, "Timeout of one request in milliseconds. Default: 120000."),
    optional("assert", Kind::Shape(&ABOVE), "Assertions for every test."),
];

static UNKNOWN: Shape = Shape::new("the target", "A target whose type is not known yet.", COMMON).with(&[INHERIT]);
static AGUI: Shape = Shape::new("the target", "A server that speaks AG-UI.", COMMON).with(&[INHERIT, agui::KEYS]);
static A2A: Shape = Shape::new("the target", "An agent that speaks A2A.", COMMON)
    .with(&[INHERIT, a2a::KEYS])
    .rules(&[KeyRule::One(&["agentCardUrl", "agentCard", "endpoint"])]);
static MCP: Shape = Shape::new("the target", "A server that speaks MCP.", COMMON).with(&[INHERIT, mcp::KEYS]).rules(&[
    KeyRule::When { key: "transport", is: &["stdio"], needs: &["command"], excludes: &["endpoint"] },
    KeyRule::When { key: "transport", is: &["sse", "http"], needs: &["endpoint"], excludes: &["command", "env"] },
]);

/// A target as written in the config.
pub(super) struct AnankeTarget {
    pub(super) protocol: TargetProtocol,
    pub(super) target: Target,
    /// The client tools of an AG-UI target.
    pub(super) tools: Vec<WrittenTool>,
    /// The assertions for every test.
    pub(super) block: Option<AssertionBlock>,
    /// Whether turns inherit all requirements.
    pub(super) inherit: bool,
}

/// The settings of every target.
struct TargetSettings {
    headers: Vec<(String, Text)>,
    timeout: Duration,
    span: Span,
}

/// Reads a target; `None` if it is invalid.
pub(super) fn target(
    node: &Node,
    version: Option<FormatVersion>,
    place: SuiteFolder<'_>,
    problems: &mut Diagnostics,
) -> Option<AnankeTarget> {
    if refuse_sockets(node, problems) {
        return None;
    }
    let protocol = node.get("type").filter(|node| !node.is_null());
    let protocol = protocol.and_then(|node| read::choice(node, "type", &TargetProtocol::NAMES, problems));
    let own = protocol.map(|protocol| without_foreign_keys(node, protocol, problems));
    let mut fields = UNKNOWN.reader(own.as_ref().unwrap_or(node), problems)?;
    let written = fields.required_node("type");
    if let (Some(protocol), Some(node)) = (protocol, written) {
        let what = format!("a target of type `{}`", protocol.facts().name);
        needs(&what, protocol.facts().version, version, node.span, fields.problems);
    }
    let common = TargetSettings {
        headers: fields.named_or_default("headers", named_texts),
        timeout: fields.optional("timeout_ms", milliseconds).unwrap_or(REQUEST_TIMEOUT),
        span: node.span,
    };
    let block = fields.node("assert").map(|node| block(node, BlockLevel::Above, fields.problems));
    let inherit = inherit(&mut fields);
    // Without a type, the allowed keys are unknown.
    let protocol = protocol?;
    fields.becomes(protocol.facts().shape);
    let mut tools = Vec::new();
    let before = fields.problems.count(Severity::Error);
    let target = match protocol {
        TargetProtocol::Agui => agui::target(&mut fields, common, &mut tools),
        TargetProtocol::A2a => a2a::target(&mut fields, common, place),
        TargetProtocol::Mcp => mcp::target(&mut fields, common, place),
    };
    fields.finish();
    let target = target.filter(|_| problems.count(Severity::Error) == before)?;
    Some(AnankeTarget { protocol, target, tools, block, inherit })
}

/// Reports and removes the keys that belong to other types of targets.
fn without_foreign_keys(node: &Node, protocol: TargetProtocol, problems: &mut Diagnostics) -> Node {
    let mut foreign = |pair: &Pair| {
        let key = pair.key.text.as_str();
        let others = TargetProtocol::NAMES.iter().filter(|(_, other)| other.has(key));
        let others: Vec<String> = others.map(|(name, _)| format!("`{name}`")).collect();
        if protocol.has(key) || others.is_empty() {
            return false;
        }
        let types = others.join(" and ");
        let message = format!("`{key}` belongs to targets of type {types}");
        let help = "remove it, or change the target's `type`";
        problems.error(pair.key.span, message, format!("this one is of type `{}`", protocol.facts().name)).help(help);
        true
    };
    let pairs = node.pairs().unwrap_or_default().iter().filter(|pair| !foreign(pair)).cloned().collect();
    Node { span: node.span, content: Content::Map(pairs) }
}
