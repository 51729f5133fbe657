//! `assert`: what is asked, lowered item by item to checks that point at the user's own lines.
//!
//! | assertion | check |
//! |---|---|
//! | `tools.forbid` | `not: { tool_called: name }` |
//! | `tools.require` | `tool_called: { name, count, args_match, result_match, result_not_match, after }` |
//! | `tools.forbid_calls` | `not: { tool_called: { name, args_match, result_match } }` |
//! | `timing.max_duration_ms` | `duration: { max: 500ms }` |
//! | `timing.max_idle_ms` | `duration: { idle: 500ms }` |
//! | `task` | `task: { state, artifacts }` |
//! | `text.must_match` | `matches: { pattern, of: conversation }` |
//! | `text.must_not_match` | `not: { matches: pattern }` |

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::Check;
use agentci_source::shape::{Field, Kind, Shape, optional, words};
use agentci_source::{Content, Diagnostics, Node, Pair, Reader, Reading, Span, Spanned, read};
use serde_json::Value;

use super::call::{FORBIDDEN, REQUIRED, forbid, forbid_calls, require};
use super::other_releases::refuse_selectors;
use super::pattern::pattern;
use super::rules::{RuleKind, Rules};
use crate::canonical;

/// A block of assertions as it is written.
#[derive(Debug, Default)]
pub(super) struct AssertionBlock {
    /// The named blocks it builds on.
    pub(super) extends: Vec<Spanned<String>>,
    /// Whether its demands are made of every turn as well.
    pub(super) inherit: bool,
    /// What it asks itself.
    pub(super) rules: Rules,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockLevel {
    /// In the target or at the top of a test: turns may inherit it.
    Above,
    Turn,
    /// Among the named blocks.
    Named,
}

static EXTENDS: &[Field] =
    &[optional("extends", Kind::OneOrMore(&Kind::Text), "Named blocks that this one builds upon.")];

const INHERITED: [(&str, bool); 1] = [("all", true)];

/// Whether turns inherit demands, too.
pub(super) static INHERIT: &[Field] = &[optional(
    "inherit",
    Kind::Choice(&words(&INHERITED)),
    "Whether every turn must meet what is demanded of the whole test.",
)];

/// What is asked.
static RULES: &[Field] = &[
    optional("tools", Kind::Shape(&TOOLS), "Which tools are called, and which must not be."),
    optional("timing", Kind::Shape(&TIMING), "How long it may take."),
    optional("task", Kind::Arguments("task"), "What is asked of the task of an A2A agent."),
    optional("text", Kind::Shape(&TEXT), "What is said, and what must not be."),
];

pub(super) static ABOVE: Shape =
    Shape::new("`assert`", "What is asked of a whole test.", EXTENDS).with(&[INHERIT, RULES]);
pub(super) static OF_TURN: Shape =
    Shape::new("`assert` of a turn", "What is asked of one turn.", EXTENDS).with(&[RULES]);
pub(super) static NAMED: Shape =
    Shape::new("a named block", "Demands with a name, for others to build upon.", EXTENDS).with(&[RULES]);

static TOOLS: Shape = Shape::new(
    "`tools`",
    "Which tools are called, and which must not be.",
    &[
        optional("forbid", Kind::List(&Kind::Name), "Tools that must not be called."),
        optional("require", Kind::List(&Kind::Shape(&REQUIRED)), "Calls that must be made."),
        optional(
            "forbid_calls",
            Kind::List(&Kind::Shape(&FORBIDDEN)),
            "Calls that must not be made as they are described.",
        ),
    ],
);

static TIMING: Shape = Shape::new(
    "`timing`",
    "How long it may take; `false` switches off a limit that is set elsewhere.",
    &[
        optional(
            "max_duration_ms",
            Kind::Either(&[Kind::Range(0.0, f64::INFINITY), Kind::False]),
            "The most milliseconds from start to end.",
        ),
        optional(
            "max_idle_ms",
            Kind::Either(&[Kind::Range(0.0, f64::INFINITY), Kind::False]),
            "The most milliseconds without a tool call.",
        ),
    ],
);

static TEXT: Shape = Shape::new(
    "`text`",
    "What is said, and what must not be: patterns, `/body/flags` or plain.",
    &[
        optional(
            "must_match",
            Kind::Either(&[Kind::Text, Kind::Filled(&Kind::Text)]),
            "Patterns that what was said matches.",
        ),
        optional("must_not_match", Kind::OneOrMore(&Kind::Text), "Patterns that it does not match."),
    ],
);

/// Reads a block.
pub(super) fn block(node: &Node, level: BlockLevel, problems: &mut Diagnostics) -> AssertionBlock {
    let shape = match level {
        BlockLevel::Above => &ABOVE,
        BlockLevel::Turn => &OF_TURN,
        BlockLevel::Named => &NAMED,
    };
    if refuse_selectors(node, problems) {
        return AssertionBlock::default();
    }
    let block = shape.read(node, problems, |fields| {
        let extends = fields.optional("extends", read::one_or_more_texts).unwrap_or_default();
        let inherit = level == BlockLevel::Above && inherit(fields);
        let mut rules = Rules::default();
        fields.optional("tools", |node, _, problems| tools(node, &mut rules, problems));
        fields.optional("timing", |node, _, problems| timing(node, &mut rules, problems));
        let task = fields.node("task").map(|node| task(node, fields.problems));
        rules.set(RuleKind::Task, task.into_iter().collect());
        fields.optional("text", |node, _, problems| text(node, &mut rules, problems));
        Some(AssertionBlock { extends, inherit, rules })
    });
    block.unwrap_or_default()
}

fn tools(node: &Node, rules: &mut Rules, problems: &mut Diagnostics) -> Option<()> {
    TOOLS.read(node, problems, |fields| {
        rules.set(RuleKind::Forbid, fields.or_default("forbid", forbid));
        rules.set(RuleKind::Require, fields.or_default("require", require));
        rules.set(RuleKind::ForbidCalls, fields.or_default("forbid_calls", forbid_calls));
        Some(())
    })
}

fn timing(node: &Node, rules: &mut Rules, problems: &mut Diagnostics) -> Option<()> {
    TIMING.read(node, problems, |fields| {
        for (kind, key, label, argument) in [
            (RuleKind::MaxDuration, "max_duration_ms", "timing.max_duration_ms", "max"),
            (RuleKind::MaxIdle, "max_idle_ms", "timing.max_idle_ms", "idle"),
        ] {
            if let Some(limit) = limit(fields, key, label, argument) {
                rules.set(kind, limit);
            }
        }
        Some(())
    })
}

fn text(node: &Node, rules: &mut Rules, problems: &mut Diagnostics) -> Option<()> {
    TEXT.read(node, problems, |fields| {
        rules.set(RuleKind::MustMatch, patterns(fields, "must_match", "text.must_match", false));
        rules.set(RuleKind::MustNotMatch, patterns(fields, "must_not_match", "text.must_not_match", true));
        Some(())
    })
}

/// Whether turns inherit the demands of the levels above them, too.
pub(super) fn inherit(fields: &mut Reader<'_, '_>) -> bool {
    fields.choice("inherit", &INHERITED).unwrap_or_default()
}

/// The check for a limit on time, or none where it is switched off; nothing where it is not said.
fn limit(
    fields: &mut Reader<'_, '_>,
    key: &'static str,
    label: &'static str,
    argument: &str,
) -> Option<Vec<Arc<Check>>> {
    let node = fields.node(key)?;
    let value = node.scalar().and_then(|scalar| scalar.value(Reading::Core));
    if value == Some(Value::Bool(false)) {
        return Some(Vec::new());
    }
    let number = value.as_ref().and_then(Value::as_f64);
    let Some(number) = number.filter(|number| Duration::try_from_secs_f64(number / 1000.0).is_ok()) else {
        let wanted = "a number of milliseconds, or false";
        let help = "write `false` to switch off a limit that is set elsewhere";
        let rule = format_args!("`{key}` must be {wanted}");
        fields.problems.mismatch(node, rule, format!("expected {wanted}")).help(help);
        return None;
    };
    let arguments = Node::map(node.span, [(argument, Node::text(format!("{number}ms"), node.span))]);
    Some(vec![item("duration", label, false, node.span, &arguments)])
}

fn patterns(fields: &mut Reader<'_, '_>, key: &'static str, label: &'static str, negate: bool) -> Vec<Arc<Check>> {
    let node = fields.node(key);
    if let Some(node) = node.filter(|node| !negate && node.items().is_some_and(<[Node]>::is_empty)) {
        let message = format!("`{key}` asks for nothing: the list is empty");
        let help = format!("write a pattern into the list, or remove `{key}`");
        fields.problems.error(node.span, message, "nothing is asked here").help(help);
    }
    let texts = fields.optional(key, read::one_or_more_texts).unwrap_or_default();
    let check = |text: Spanned<String>| {
        let pattern = pattern(&text.value, text.span, fields.problems)?;
        let pattern = Node::text(pattern, text.span);
        // What a whole test must say may be said in any of its turns.
        let arguments = if negate {
            pattern
        } else {
            Node::map(text.span, [("pattern", pattern), ("of", Node::text("conversation", text.span))])
        };
        Some(item("matches", label, negate, text.span, &arguments))
    };
    texts.into_iter().filter_map(check).collect()
}

/// A check for one item of a block.
pub(super) fn item(kind: &str, label: &'static str, negate: bool, span: Span, arguments: &Node) -> Arc<Check> {
    let (arguments, templated) = canonical::arguments(arguments);
    Arc::new(Check { negate, templated, ..Check::new(kind, span, arguments).with_label(Some(label)) })
}

/// The check for a block's `task`: what is asked of the task of an A2A agent. The check reads it as it is written, but for its
/// patterns.
fn task(node: &Node, problems: &mut Diagnostics) -> Arc<Check> {
    let mut artifacts = |node: &Node| inside(node, "match", &mut |node| task_patterns(node, problems));
    let arguments = inside(node, "artifacts", &mut artifacts);
    item("task", "task", false, node.span, &arguments)
}

/// The same node with what stands under a key changed.
fn inside(node: &Node, key: &str, change: &mut dyn FnMut(&Node) -> Node) -> Node {
    let Some(pairs) = node.pairs() else { return node.clone() };
    let pair = |pair: &Pair| {
        let value = if pair.key.text == key { change(&pair.value) } else { pair.value.clone() };
        Pair { key: pair.key.clone(), value }
    };
    Node { span: node.span, content: Content::Map(pairs.iter().map(pair).collect()) }
}

fn task_patterns(node: &Node, problems: &mut Diagnostics) -> Node {
    match (&node.content, node.scalar()) {
        (Content::List(items), _) => {
            Node::list(node.span, items.iter().map(|item| task_patterns(item, problems)).collect())
        }
        (_, Some(scalar)) if scalar.text.starts_with('/') => {
            let read = pattern(&scalar.text, node.span, problems);
            read.map_or_else(|| node.clone(), |pattern| Node::text(pattern, node.span))
        }
        _ => node.clone(),
    }
}
