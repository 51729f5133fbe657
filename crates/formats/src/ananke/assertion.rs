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
//! | `text.must_match` | `matches: pattern` |
//! | `text.must_not_match` | `not: { matches: pattern }` |

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Check, Diagnostic, Diagnostics, Node, Reading, Span, Spanned, read};
use serde_json::Value;

use super::call::{forbid, forbid_calls, require};
use super::pattern::pattern;
use super::rules::{Limit, Rules};
use crate::normal;

/// A block of assertions as it is written.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The named blocks it builds on.
    pub(super) extends: Vec<Spanned<String>>,
    /// Whether its demands are made of every turn as well.
    pub(super) inherit: bool,
    /// What it asks itself.
    pub(super) rules: Rules,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// In the target or at the top of a test: turns may inherit it.
    Above,
    /// In a turn.
    Turn,
    /// Among the named blocks.
    Named,
}

/// Reads a block.
pub(super) fn block(node: &Node, level: Level, problems: &mut Diagnostics) -> Block {
    let mut block = Block::default();
    let what = match level {
        Level::Above => "`assert`",
        Level::Turn => "`assert` of a turn",
        Level::Named => "a named block",
    };
    let Some(mut fields) = read::Fields::open(node, what, problems) else { return block };
    block.extends = fields
        .optional("extends")
        .and_then(|node| read::one_or_more_texts(node, "extends", problems))
        .unwrap_or_default();
    if level == Level::Above {
        block.inherit = inherit(&mut fields, problems);
    }
    if let Some(mut tools) = open(&mut fields, "tools", "`tools`", problems) {
        let rules = &mut block.rules;
        rules.forbid = tools.optional("forbid").map(|node| forbid(node, problems)).unwrap_or_default();
        rules.require = tools.optional("require").map(|node| require(node, problems)).unwrap_or_default();
        rules.forbid_calls =
            tools.optional("forbid_calls").map(|node| forbid_calls(node, problems)).unwrap_or_default();
        tools.finish(problems);
    }
    if let Some(mut timing) = open(&mut fields, "timing", "`timing`", problems) {
        let rules = &mut block.rules;
        rules.max_duration = limit(&mut timing, "max_duration_ms", "timing.max_duration_ms", "max", problems);
        rules.max_idle = limit(&mut timing, "max_idle_ms", "timing.max_idle_ms", "idle", problems);
        timing.finish(problems);
    }
    if let Some(task) = fields.optional("task") {
        block.rules.task.push(super::task::task(task, problems));
    }
    if let Some(mut text) = open(&mut fields, "text", "`text`", problems) {
        let rules = &mut block.rules;
        rules.must_match = patterns(&mut text, "must_match", "text.must_match", false, problems);
        rules.must_not_match = patterns(&mut text, "must_not_match", "text.must_not_match", true, problems);
        text.finish(problems);
    }
    fields.finish(problems);
    block
}

/// Whether turns inherit the demands of the levels above them, too.
pub(super) fn inherit(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) -> bool {
    let node = fields.optional("inherit");
    node.and_then(|node| read::choice(node, "inherit", &[("all", true)], problems)).unwrap_or(false)
}

fn open<'n>(
    fields: &mut read::Fields<'n>,
    key: &'static str,
    what: &'static str,
    problems: &mut Diagnostics,
) -> Option<read::Fields<'n>> {
    fields.optional(key).and_then(|node| read::Fields::open(node, what, problems))
}

fn limit(
    fields: &mut read::Fields<'_>,
    key: &'static str,
    label: &'static str,
    argument: &str,
    problems: &mut Diagnostics,
) -> Limit {
    let Some(node) = fields.optional(key) else { return Limit::Unsaid };
    let value = node.scalar().and_then(|scalar| scalar.value(Reading::Core));
    if value == Some(Value::Bool(false)) {
        return Limit::Off;
    }
    let number = value.as_ref().and_then(Value::as_f64);
    let Some(number) = number.filter(|number| Duration::try_from_secs_f64(number / 1000.0).is_ok()) else {
        let wanted = "a number of milliseconds, or false";
        problems.push(
            Diagnostic::error(node.span, format!("`{key}` must be {wanted}, found {}", node.describe()))
                .label(format!("expected {wanted}"))
                .help("write `false` to switch off a limit that is set elsewhere"),
        );
        return Limit::Unsaid;
    };
    let arguments = Node::map(node.span, [(argument, Node::text(format!("{number}ms"), node.span))]);
    Limit::At(item("duration", label, false, node.span, &arguments))
}

fn patterns(
    fields: &mut read::Fields<'_>,
    key: &'static str,
    label: &'static str,
    negate: bool,
    problems: &mut Diagnostics,
) -> Vec<Arc<Check>> {
    let texts = fields.optional(key).and_then(|node| read::one_or_more_texts(node, key, problems));
    let check = |text: Spanned<String>| {
        let pattern = pattern(&text.value, text.span, problems)?;
        Some(item("matches", label, negate, text.span, &Node::text(pattern, text.span)))
    };
    texts.unwrap_or_default().into_iter().filter_map(check).collect()
}

/// A check for one item of a block.
pub(super) fn item(kind: &str, label: &'static str, negate: bool, span: Span, arguments: &Node) -> Arc<Check> {
    let (arguments, templated) = normal::arguments(arguments);
    Arc::new(Check { label: Some(label), negate, templated, ..Check::new(kind, span, arguments) })
}
