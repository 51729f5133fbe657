//! Reads `when`: the requests that a rule matches.

use agentci_plan::{ModelCondition, WantedOffer, WantedWords};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Spanned, read};

use crate::world::check_pattern;

pub(super) static CONDITION: Shape = Shape::new(
    "`when`",
    "The requests that a rule matches.",
    &[
        optional("model", Kind::Name, "The model that the request names."),
        optional("system", WORDS, "A string or pattern in the system prompt."),
        optional("user", WORDS, "A string or pattern in the last user message."),
        optional("messages", WORDS, "A string or pattern in any message other than a system prompt."),
        optional(
            "tools",
            Kind::Either(&[Kind::OneOrMore(&Kind::Name), Kind::Shape(&EXACTLY)]),
            "Tools that the request offers.",
        ),
        optional("tool_result", Kind::Truth, "Whether the request includes tool results."),
        optional("turn", Kind::Count(1), "The number of the model's answer in its conversation, from 1."),
        optional(
            "nth",
            Kind::Count(1),
            "The number of the request among those that meet all other conditions, from 1.",
        ),
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
    CONDITION.read(node, problems, |fields| {
        Some(ModelCondition {
            system: fields.optional("system", words),
            user: fields.optional("user", words),
            messages: fields.optional("messages", words),
            model: fields.name("model"),
            tools: fields.optional("tools", tools),
            tool_result: fields.truth("tool_result"),
            turn: fields.count("turn", 1),
            nth: fields.count("nth", 1),
        })
    })
}

/// `refund`, or `{ regex: "order (\\w+)" }`.
fn words(node: &Node, key: &str, problems: &mut Diagnostics) -> Option<WantedWords> {
    if node.pairs().is_none() {
        return read::text(node, key, problems).map(WantedWords::Contains);
    }
    let pattern = PATTERN.read(node, problems, |fields| {
        fields.required("regex", |node, key, problems| Some(Spanned::new(read::text(node, key, problems)?, node.span)))
    })?;
    check_pattern(&pattern, problems);
    Some(WantedWords::Matches(pattern))
}

/// `refund_order`, `[find_order, refund_order]`, or `{ exactly: [find_order] }`.
fn tools(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<WantedOffer> {
    let names = |node: &Node, _: &str, problems: &mut Diagnostics| {
        let found = read::one_or_more_texts(node, name, problems)?;
        Some(found.into_iter().map(|name| name.value).collect::<Vec<String>>())
    };
    if node.pairs().is_some() {
        let names = EXACTLY.read(node, problems, |fields| fields.required("exactly", names))?;
        return Some(WantedOffer { names, exactly: true });
    }
    let names = names(node, name, problems)?;
    if names.is_empty() || names.iter().any(|name| name.trim().is_empty()) {
        let help = "name a tool that the request offers; `tools: { exactly: [] }` matches requests that offer none";
        problems.error(node.span, "`tools` names no tool", "matches every request").help(help);
        return None;
    }
    Some(WantedOffer { names, exactly: false })
}
