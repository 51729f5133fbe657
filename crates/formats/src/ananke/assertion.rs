//! `assert`: lowers each assertion to a check that points at its line in the file.
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

/// A block of assertions as written.
#[derive(Debug, Default)]
pub(super) struct AssertionBlock {
    /// The named blocks that it extends.
    pub(super) extends: Vec<Spanned<String>>,
    /// Whether its requirements apply to every turn, too.
    pub(super) inherit: bool,
    /// Its own assertions.
    pub(super) rules: Rules,
}

/// The location of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockLevel {
    /// In the target or at the top level of a test: turns may inherit it.
    Above,
    Turn,
    /// Under `assertions`.
    Named,
}

static EXTENDS: &[Field] = &[optional("extends", Kind::OneOrMore(&Kind::Text), "Named blocks that this one extends.")];

const INHERITED: [(&str, bool); 1] = [("all", true)];

pub(super) static INHERIT: &[Field] =
    &[optional("inherit", Kind::Choice(&words(&INHERITED)), "With `all`, requirements also apply to every turn.")];

static RULES: &[Field] = &[
    optional("tools", Kind::Shape(&TOOLS), "Tools that must be called, and tools that must not be."),
    optional("timing", Kind::Shape(&TIMING), "Time limits."),
    optional("task", Kind::Arguments("task"), "Assertions about the task of an A2A agent."),
    optional("text", Kind::Shape(&TEXT), "Patterns that the answer must match or must not match."),
];

pub(super) static ABOVE: Shape =
    Shape::new("`assert`", "Assertions for a whole test.", EXTENDS).with(&[INHERIT, RULES]);
pub(super) static OF_TURN: Shape = Shape::new("`assert` of a turn", "Assertions for one turn.", EXTENDS).with(&[RULES]);
pub(super) static NAMED: Shape =
    Shape::new("a named block", "Named assertions that other blocks can extend.", EXTENDS).with(&[RULES]);

static TOOLS: Shape = Shape::new(
    "`tools`",
    "Tools that must be called, and tools that must not be.",
    &[
        optional("forbid", Kind::List(&Kind::Name), "Tools that must not be called."),
        optional("require", Kind::List(&Kind::Shape(&REQUIRED)), "Tool calls that must be made."),
        optional("forbid_calls", Kind::List(&Kind::Shape(&FORBIDDEN)), "Tool calls that must not be made."),
    ],
);

static TIMING: Shape = Shape::new(
    "`timing`",
    "Time limits; `false` switches off a limit that is set elsewhere.",
    &[
        optional(
            "max_duration_ms",
            Kind::Either(&[Kind::Range(0.0, f64::INFINITY), Kind::False]),
            "Maximum duration in milliseconds.",
        ),
        optional(
            "max_idle_ms",
            Kind::Either(&[Kind::Range(0.0, f64::INFINITY), Kind::False]),
            "Maximum time without a tool call, in milliseconds.",
        ),
    ],
);

static TEXT: Shape = Shape::new(
    "`text`",
    "Patterns that the answer must match or must not match, plain or as `/body/flags`.",
    &[
        optional(
            "must_match",
            Kind::Either(&[Kind::Text, Kind::Filled(&Kind::Text)]),
            "Patterns that must be found in the answer.",
        ),
        optional("must_not_match", Kind::OneOrMore(&Kind::Text), "Patterns that must not be found in the answer."),
    ],
);

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

/// Whether turns inherit the requirements of the levels above them.
pub(super) fn inherit(fields: &mut Reader<'_, '_>) -> bool {
    fields.choice("inherit", &INHERITED).unwrap_or_default()
}

/// The check for a time limit; an empty list if it is switched off, `None` if it is not set.
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
        let message = format!("`{key}` expects nothing: the list is empty");
        let help = format!("add a pattern to the list, or remove `{key}`");
        fields.problems.error(node.span, message, "expects nothing").help(help);
    }
    let texts = fields.optional(key, read::one_or_more_texts).unwrap_or_default();
    let check = |text: Spanned<String>| {
        let pattern = pattern(&text.value, text.span, fields.problems)?;
        let pattern = Node::text(pattern, text.span);
        // For a whole test, the pattern may be found in the answer of any turn.
        let arguments = if negate {
            pattern
        } else {
            Node::map(text.span, [("pattern", pattern), ("of", Node::text("conversation", text.span))])
        };
        Some(item("matches", label, negate, text.span, &arguments))
    };
    texts.into_iter().filter_map(check).collect()
}

/// Creates the check for one item of a block.
pub(super) fn item(kind: &str, label: &'static str, negate: bool, span: Span, arguments: &Node) -> Arc<Check> {
    let (arguments, templated) = canonical::arguments(arguments);
    Arc::new(Check { negate, templated, ..Check::new(kind, span, arguments).with_label(Some(label)) })
}

/// The check for a block's `task`. The check reads its arguments as written, except that patterns are translated.
fn task(node: &Node, problems: &mut Diagnostics) -> Arc<Check> {
    let mut artifacts = |node: &Node| inside(node, "match", &mut |node| task_patterns(node, problems));
    let arguments = inside(node, "artifacts", &mut artifacts);
    item("task", "task", false, node.span, &arguments)
}

/// Returns the node with the value of a key changed.
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
