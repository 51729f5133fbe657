//! `assert.tools`: lowers required and forbidden tool calls to checks.

use std::sync::Arc;

use agentci_plan::Check;
use agentci_source::shape::{Field, KeyRule, Kind, Shape, optional, required};
use agentci_source::{Content, Diagnostics, Key, Node, Pair, Reader, Scalar, Span, Spanned, read};

use super::assertion::item;
use super::pattern::pattern;

const KIND: &str = "tool_called";

/// The keys that describe a call.
static DESCRIBED: &[Field] = &[
    required("name", Kind::Name, "The name of the tool."),
    optional("args_match", Kind::Map(&Kind::Text), "Patterns for argument values, by the path of the argument."),
    optional("result_match", Kind::Text, "A pattern that the result matches."),
    optional("result_not_match", Kind::Text, "A pattern that the result does not match."),
];

pub(super) static REQUIRED: Shape = Shape::new("a required call", "A call that must be made.", DESCRIBED).with(&[&[
    optional("count", Kind::Shape(&COUNT), "How often the call must be made. Default: at least once."),
    optional("after", Kind::Name, "A tool that must be called before this one."),
]]);

pub(super) static FORBIDDEN: Shape = Shape::new("a forbidden call", "A call that must not be made.", DESCRIBED);

static COUNT: Shape = Shape::new(
    "`count`",
    "How often a call must be made.",
    &[
        optional("exact", Kind::Count(0), "Exact number of calls."),
        optional("min", Kind::Count(0), "Minimum number of calls."),
        optional("max", Kind::Count(0), "Maximum number of calls."),
    ],
)
.rules(&[KeyRule::NotBoth(&["exact", "min"]), KeyRule::NotBoth(&["exact", "max"])]);

/// Reads the names of tools that must not be called.
pub(super) fn forbid(node: &Node, problems: &mut Diagnostics) -> Vec<Arc<Check>> {
    let names = read::each(node, "forbid", problems, |item, problems| read::name(item, "forbid[]", problems));
    names.into_iter().map(|name| item(KIND, "tools.forbid", true, name.span, &text(name))).collect()
}

/// Reads the calls that must be made.
pub(super) fn require(node: &Node, problems: &mut Diagnostics) -> Vec<Arc<Check>> {
    read::each(node, "require", problems, |node, problems| {
        REQUIRED.read(node, problems, |fields| {
            let described = described(fields);
            let count = fields.optional("count", count);
            let after = fields.optional("after", read::name).map(text);
            let more = [("count", count), ("after", after)].map(|(key, value)| pair(fields, key, value));
            let pairs = described?.into_iter().chain(more.into_iter().flatten()).collect();
            Some(check(node.span, pairs, "tools.require", false))
        })
    })
}

/// Reads the calls that must not be made.
pub(super) fn forbid_calls(node: &Node, problems: &mut Diagnostics) -> Vec<Arc<Check>> {
    read::each(node, "forbid_calls", problems, |node, problems| {
        let described = FORBIDDEN.read(node, problems, described)?;
        Some(check(node.span, described, "tools.forbid_calls", true))
    })
}

fn check(span: Span, pairs: Vec<Pair>, label: &'static str, negate: bool) -> Arc<Check> {
    let arguments = Node { span, content: Content::Map(pairs.into()) };
    let span = arguments.get("name").map_or(span, |name| name.span);
    item(KIND, label, negate, span, &arguments)
}

/// Reads the description of a call as arguments of the check; `None` if it has no name.
fn described(fields: &mut Reader<'_, '_>) -> Option<Vec<Pair>> {
    let name = fields.required("name", read::name);
    let args = fields.optional("args_match", args_match);
    let [result, not] = ["result_match", "result_not_match"].map(|key| fields.optional(key, one_pattern));
    let described =
        [("name", Some(text(name?))), ("args_match", args), ("result_match", result), ("result_not_match", not)];
    Some(described.into_iter().filter_map(|(key, value)| pair(fields, key, value)).collect())
}

fn pair(fields: &Reader<'_, '_>, key: &str, value: Option<Node>) -> Option<Pair> {
    Some(Pair { key: Key { text: key.into(), span: fields.key_span(key)? }, value: value? })
}

fn text(text: Spanned<String>) -> Node {
    Node::text(text.value, text.span)
}

fn one_pattern(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Node> {
    let written = read::text(node, name, problems)?;
    Some(Node::text(pattern(&written, node.span, problems)?, node.span))
}

/// Reads a pattern for each path into the arguments.
fn args_match(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Node> {
    let Some(pairs) = node.pairs() else {
        problems.mismatch(node, format_args!("`{name}` must be a mapping"), "expected `argument: pattern` lines");
        return None;
    };
    let read = |pair: &Pair| {
        if pair.key.text.contains("${") {
            let message = "a path in `args_match` cannot contain a variable";
            let help = "write the path out; the pattern after it may contain variables";
            problems.error(pair.key.span, message, "would be taken literally").help(help);
        }
        Some(Pair { key: pair.key.clone(), value: one_pattern(&pair.value, &pair.key.text, problems)? })
    };
    Some(Node { span: node.span, content: Content::Map(pairs.iter().filter_map(read).collect()) })
}

/// Reads `{ exact }`, or `{ min, max }`, where both are optional.
fn count(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Node> {
    const EXAMPLE: &str = "write `{ exact: 1 }`, or `{ min: 1, max: 3 }`";
    if node.pairs().is_none() {
        problems.mismatch(node, format_args!("`{name}` must be a mapping"), "expected a mapping").help(EXAMPLE);
        return None;
    }
    let mut fields = COUNT.reader(node, problems)?;
    let [exact, min, max] =
        ["exact", "min", "max"].map(|key| fields.node(key).map(|node| Spanned::new(fields.count(key, 0), node.span)));
    let numbers = [("min", &min), ("max", &max)];
    let numbers =
        numbers.into_iter().filter_map(|(key, number)| pair(&fields, key, number.as_ref().and_then(number_node)));
    let numbers = Node { span: node.span, content: Content::Map(numbers.collect()) };
    fields.finish();
    if let Some(other) = min.as_ref().or(max.as_ref()).filter(|_| exact.is_some()) {
        let message = "`exact` cannot be combined with `min` or `max`";
        problems.error(other.span, message, "conflicts with `exact`").help(EXAMPLE);
        return None;
    }
    let bounds = (min.and_then(|min| min.value), max.and_then(|max| Some((max.value?, max.span))));
    if let (Some(min), Some((max, span))) = bounds
        && min > max
    {
        let help = "no number of calls can satisfy both";
        problems.error(span, "`max` is less than `min`", format!("less than {min}")).help(help);
        return None;
    }
    Some(exact.as_ref().and_then(number_node).unwrap_or(numbers))
}

fn number_node(number: &Spanned<Option<u32>>) -> Option<Node> {
    Some(Node { span: number.span, content: Content::Scalar(Scalar::plain(number.value?.to_string())) })
}
