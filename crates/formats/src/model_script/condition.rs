//! `when`: the requests that a rule is for.

use agentci_plan::{ModelCondition, WantedOffer, WantedWords};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Spanned, read};

use crate::world::check_pattern;

pub(super) static CONDITION: Shape = Shape::new(
    "`when`",
    "The requests that a rule is for.",
    &[
        optional("model", Kind::Name, "The model that is asked."),
        optional("system", WORDS, "What the system prompt contains."),
        optional("user", WORDS, "What the last words of the user contain."),
        optional("messages", WORDS, "What one of the messages contains, system prompts aside."),
        optional(
            "tools",
            Kind::Either(&[Kind::OneOrMore(&Kind::Name), Kind::Shape(&EXACTLY)]),
            "Tools that the request offers.",
        ),
        optional("tool_result", Kind::Truth, "Whether the request brings the result of a tool."),
        optional("turn", Kind::Count(1), "Which answer of the model in its conversation this is, from 1."),
        optional("nth", Kind::Count(1), "Which of the requests that fit otherwise this is, from 1."),
    ],
);

const WORDS: Kind = Kind::Either(&[Kind::Text, Kind::Shape(&PATTERN)]);

static PATTERN: Shape = Shape::new(
    "a pattern",
    "A pattern that is found in the text.",
    &[required("regex", Kind::Text, "A regular expression.")],
);

static EXACTLY: Shape = Shape::new(
    "`tools`",
    "The tools that the request offers.",
    &[required("exactly", Kind::List(&Kind::Name), "These tools, and no others.")],
);

pub(super) fn condition(node: &Node, problems: &mut Diagnostics) -> Option<ModelCondition> {
    let mut fields = CONDITION.open(node, problems)?;
    let mut wanted = |key: &'static str| fields.optional(key).and_then(|node| words(node, key, problems));
    let (system, user, messages) = (wanted("system"), wanted("user"), wanted("messages"));
    let condition = ModelCondition {
        model: fields.optional("model").and_then(|node| read::name(node, "model", problems)).map(|name| name.value),
        system,
        user,
        messages,
        tools: fields.optional("tools").and_then(|node| tools(node, problems)),
        tool_result: fields.optional("tool_result").and_then(|node| read::truth(node, "tool_result", problems)),
        turn: fields.optional("turn").and_then(|node| read::count(node, "turn", 1, problems)),
        nth: fields.optional("nth").and_then(|node| read::count(node, "nth", 1, problems)),
    };
    fields.finish(problems);
    Some(condition)
}

/// `refund`, or `{ regex: "order (\\w+)" }`.
fn words(node: &Node, key: &str, problems: &mut Diagnostics) -> Option<WantedWords> {
    if node.pairs().is_none() {
        return read::text(node, key, problems).map(WantedWords::Contains);
    }
    let mut fields = PATTERN.open(node, problems)?;
    let found = fields.required("regex", problems);
    let pattern = found.and_then(|node| Some(Spanned::new(read::text(node, "regex", problems)?, node.span)));
    fields.finish(problems);
    let pattern = pattern?;
    check_pattern(&pattern, problems);
    Some(WantedWords::Matches(pattern))
}

/// `refund_order`, `[find_order, refund_order]`, or `{ exactly: [find_order] }`.
fn tools(node: &Node, problems: &mut Diagnostics) -> Option<WantedOffer> {
    let names = |node: &Node, problems: &mut Diagnostics| {
        let found = read::one_or_more_texts(node, "tools", problems)?;
        Some(found.into_iter().map(|name| name.value).collect::<Vec<String>>())
    };
    if node.pairs().is_some() {
        let mut fields = EXACTLY.open(node, problems)?;
        let found = fields.required("exactly", problems).and_then(|node| names(node, problems));
        fields.finish(problems);
        return Some(WantedOffer { names: found?, exactly: true });
    }
    let names = names(node, problems)?;
    if names.is_empty() || names.iter().any(|name| name.trim().is_empty()) {
        let help = "name a tool that the request offers; `tools: { exactly: [] }` is for requests that offer none";
        problems.error(node.span, "`tools` names no tool", "every request fits").help(help);
        return None;
    }
    Some(WantedOffer { names, exactly: false })
}
