//! `input` and `turns`: what is said to the agent.

use std::sync::Arc;

use agentci_plan::{Action, Data, Limits, Message, Said, Text, Turn};
use agentci_source::shape::{Kind, Rule, Shape, Unknown, depends, optional, required};
use agentci_source::{Diagnostic, Diagnostics, Node, Pair, Reading, Spanned, read};
use serde_json::{Map, Value};

use super::check::checks;
use super::limits::{LIMITS, limits};
use super::words::{template, unknown_key};
use crate::normal::as_written;

pub(super) static TURN: Shape = Shape::new(
    "a turn",
    "Something that is said to the agent, or an action of its protocol.",
    &[
        optional("user", Kind::Text, "What the user says; variables may stand in it."),
        optional("input", Kind::Object, "A task as data."),
        optional("messages", Kind::Filled(&Kind::Shape(&MESSAGE)), "Several messages at once."),
        optional("checks", Kind::List(&Kind::Check), "What is asked of this turn."),
        optional("limits", Kind::Shape(&LIMITS), "What stops the turn."),
    ],
)
.unknown(Unknown::Matching { pattern: ":", about: "An action of the protocol, such as `mcp:call`, and its arguments." })
.rules(&[Rule::One(&["user", "input", "messages"])]);

static MESSAGE: Shape = Shape::new(
    "a message",
    "One message of a conversation.",
    &[
        required("role", Kind::Name, "Who says it."),
        depends(
            "content",
            Kind::Either(&[Kind::Text, Kind::List(&Kind::Data)]),
            "What is said: a text, or a list of parts.",
        ),
        optional("name", Kind::Data, "The name of who says it."),
        optional("tool_call_id", Kind::Data, "The call that it answers."),
        optional("tool_calls", Kind::Data, "Calls of tools."),
        optional("refusal", Kind::Data, "Why nothing else is said."),
        optional("reasoning_content", Kind::Data, "What was thought before."),
    ],
)
.rules(&[Rule::Some(&["content", "tool_calls"])]);

/// The turns of a case, which has `input` or `turns` but not both.
pub(super) fn turns(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) -> Option<Vec<Turn>> {
    match (fields.optional("input"), fields.optional("turns")) {
        (Some(input), None) => {
            let said = said_input(input, problems)?;
            Some(vec![Turn { said, checks: Turn::no_checks(), limits: Limits::none(), span: input.span }])
        }
        (None, Some(turns)) => {
            let items = read::list(turns, "turns", problems)?;
            if items.is_empty() {
                problems.error(turns.span, "`turns` is empty", "a turn is missing here");
            }
            Some(items.iter().filter_map(|item| turn(item, problems)).collect())
        }
        (Some(_), Some(turns)) => {
            let message = "a case has `input` or `turns`, not both";
            problems
                .error(fields.key_span("turns").unwrap_or(turns.span), message, "a second way to say it")
                .help("make the input a turn: `- input: {..}`");
            None
        }
        (None, None) => {
            problems.push(
                Diagnostic::error(fields.span(), "the case needs `input` or `turns`")
                    .help("add `input: {..}` for a task, or `turns:` for a conversation"),
            );
            None
        }
    }
}

fn said_input(node: &Node, problems: &mut Diagnostics) -> Option<Said> {
    if node.pairs().is_none() && node.scalar().is_some() {
        problems.mismatch(node, "`input` must be a mapping", "expected a mapping").help("name it as the agent expects it, such as `input: { question: .. }`, or let a user say it: `turns: [{ user: .. }]`");
        return None;
    }
    Some(Said::Input(Data::parse(&read::object(node, "input", Reading::Core, problems)?)))
}

fn turn(node: &Node, problems: &mut Diagnostics) -> Option<Turn> {
    let mut fields = TURN.open(node, problems)?;
    let words = [fields.optional("user"), fields.optional("input"), fields.optional("messages")];
    let checks = fields.optional("checks").map(|node| checks(node, problems)).unwrap_or_default();
    let limits = fields.optional("limits").map(|node| limits(node, problems)).unwrap_or_default();
    let mut actions = Vec::new();
    for pair in fields.rest() {
        if pair.key.text.contains(':') {
            actions.push(pair);
        } else {
            problems.push(unknown_key(pair, TURN.what, &TURN.keys()));
        }
    }
    let misnamed =
        fields.rest().any(|pair| read::meant(&pair.key.text, ["user", "input", "messages"].into_iter()).is_some());
    fields.end();
    let said = match (words, actions.as_slice()) {
        ([Some(user), None, None], []) => {
            template(user, "user", problems).map(|content| Said::Messages(vec![Message::new("user", content)]))
        }
        ([None, Some(input), None], []) => said_input(input, problems),
        ([None, None, Some(list)], []) => messages(list, problems).map(Said::Messages),
        // It was told of as unknown, with what is meant.
        ([None, None, None], []) if misnamed => None,
        ([None, None, None], [pair]) => Some(Said::Action(Box::new(action(pair)))),
        _ => {
            problems.push(
                Diagnostic::error(node.span, "a turn needs exactly one of `user`, `input`, `messages` or an action")
                    .help("write `user: text`, `input: {..}`, `messages: [..]`, or an action such as `mcp:call: {..}`"),
            );
            None
        }
    };
    Some(Turn {
        said: said?,
        checks: checks.into_iter().map(Arc::new).collect(),
        limits: limits.shared(),
        span: node.span,
    })
}

fn action(pair: &Pair) -> Action {
    Action { kind: Spanned::new(pair.key.text.to_string(), pair.key.span), arguments: as_written(&pair.value) }
}

fn messages(node: &Node, problems: &mut Diagnostics) -> Option<Vec<Message>> {
    let items = read::list(node, "messages", problems)?;
    if items.is_empty() {
        problems.error(node.span, "`messages` is empty", "a message is missing here");
        return None;
    }
    Some(items.iter().filter_map(|item| message(item, problems)).collect())
}

fn message(node: &Node, problems: &mut Diagnostics) -> Option<Message> {
    let mut fields = MESSAGE.open(node, problems)?;
    let role = fields.required("role", problems).and_then(|node| read::name(node, "role", problems));
    let mut more = Map::new();
    let content = match fields.optional("content") {
        // A list of parts is the model's to read, and so is nothing at all beside calls of tools.
        Some(parts) if parts.items().is_some() => {
            more.insert("content".into(), read::data(parts, "content", Reading::Core, problems)?);
            Some(Text::Literal(String::new()))
        }
        None if node.get("content").is_some() && node.get("tool_calls").is_some() => {
            more.insert("content".into(), Value::Null);
            Some(Text::Literal(String::new()))
        }
        _ => fields.required("content", problems).and_then(|node| template(node, "content", problems)),
    };
    for key in Message::MORE {
        if let Some(node) = fields.optional(key) {
            more.insert(key.into(), read::data(node, key, Reading::Core, problems)?);
        }
    }
    fields.finish(problems);
    Some(Message { role: role?.value, content: content?, more })
}
