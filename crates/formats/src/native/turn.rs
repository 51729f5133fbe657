//! `input` and `turns`: what is said to the agent.

use agentci_plan::{Action, Data, Message, Text, Turn, TurnInput};
use agentci_source::shape::{Field, KeyRule, Kind, Shape, UnknownKeys, depends, optional, required};
use agentci_source::{Diagnostics, Node, Pair, Reader, Reading, Spanned, read};
use serde_json::{Map, Value};

use super::check::checks;
use super::limits::{LIMITS, limits};
use super::readers::{template, unknown_key};
use crate::canonical::as_written;
use crate::new_suite::plain_turn;

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
.unknown(UnknownKeys::Matching {
    pattern: ":",
    about: "An action of the protocol, such as `mcp:call`, and its arguments.",
})
.rules(&[KeyRule::One(&["user", "input", "messages"])]);

/// What a message may say beside its role and its content.
pub(crate) static MORE: &[Field] = &[
    optional("name", Kind::Data, "The name of who says it."),
    optional("tool_call_id", Kind::Data, "The call that it answers."),
    optional("tool_calls", Kind::Data, "Calls of tools."),
    optional("refusal", Kind::Data, "Why nothing else is said."),
    optional("reasoning_content", Kind::Data, "What was thought before."),
];
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
    ],
)
.with(&[MORE])
.rules(&[KeyRule::Some(&["content", "tool_calls"])]);

/// The turns of a case, which has `input` or `turns` but not both.
pub(super) fn turns(fields: &mut Reader<'_, '_>) -> Option<Vec<Turn>> {
    let (input, turns) = (fields.node("input"), fields.node("turns"));
    let problems = &mut *fields.problems;
    match (input, turns) {
        (Some(input), None) => Some(vec![plain_turn(said_input(input, problems)?, input.span)]),
        (None, Some(turns)) => {
            let items = read::list(turns, "turns", problems)?;
            if items.is_empty() {
                problems.error(turns.span, "`turns` is empty", "a turn is missing here");
            }
            Some(items.iter().filter_map(|item| turn(item, problems)).collect())
        }
        (Some(_), Some(turns)) => {
            let span = fields.key_span("turns").unwrap_or(turns.span);
            let help = "make the input a turn: `- input: {..}`";
            fields.problems.error(span, "a case has `input` or `turns`, not both", "a second way to say it").help(help);
            None
        }
        (None, None) => {
            let help = "add `input: {..}` for a task, or `turns:` for a conversation";
            fields.problems.error(fields.span(), "the case needs `input` or `turns`", "").help(help);
            None
        }
    }
}

fn said_input(node: &Node, problems: &mut Diagnostics) -> Option<TurnInput> {
    if node.pairs().is_none() && node.scalar().is_some() {
        let help = "name it as the agent expects it, such as `input: { question: .. }`, or let a user say it: `turns: [{ user: .. }]`";
        problems.mismatch(node, "`input` must be a mapping", "expected a mapping").help(help);
        return None;
    }
    Some(TurnInput::Input(Data::parse(&read::object(node, "input", Reading::Core, problems)?)))
}

fn turn(node: &Node, problems: &mut Diagnostics) -> Option<Turn> {
    let mut fields = TURN.reader(node, problems)?;
    let words = ["user", "input", "messages"].map(|key| fields.node(key));
    let checks = fields.or_default("checks", checks);
    let limits = fields.or_default("limits", limits);
    let (actions, unknown): (Vec<&Pair>, Vec<&Pair>) = fields.rest().partition(|pair| pair.key.text.contains(':'));
    fields.end();
    for pair in &unknown {
        problems.push(unknown_key(pair, TURN.what, &TURN.keys()));
    }
    let is_misnamed = |pair: &&Pair| read::meant(&pair.key.text, ["user", "input", "messages"].into_iter()).is_some();
    let misnamed = actions.iter().chain(&unknown).any(is_misnamed);
    let said = match (words, actions.as_slice()) {
        ([Some(user), None, None], []) => {
            template(user, "user", problems).map(|content| TurnInput::Messages(vec![Message::new("user", content)]))
        }
        ([None, Some(input), None], []) => said_input(input, problems),
        ([None, None, Some(list)], []) => messages(list, problems).map(TurnInput::Messages),
        // It was told of as unknown, with what is meant.
        ([None, None, None], []) if misnamed => None,
        ([None, None, None], [pair]) => Some(TurnInput::Action(Box::new(action(pair)))),
        _ => {
            let message = "a turn needs exactly one of `user`, `input`, `messages` or an action";
            let help = "write `user: text`, `input: {..}`, `messages: [..]`, or an action such as `mcp:call: {..}`";
            problems.error(node.span, message, "").help(help);
            None
        }
    };
    Some(Turn { said: said?, checks: checks.into(), limits: limits.shared(), span: node.span })
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
    let mut fields = MESSAGE.reader(node, problems)?;
    let role = fields.required("role", read::name);
    let mut more = Map::new();
    let content = match fields.node("content") {
        // A list of parts is the model's to read, and so is nothing at all beside calls of tools.
        Some(parts) if parts.items().is_some() => {
            more.insert("content".into(), read::data(parts, "content", Reading::Core, fields.problems)?);
            Some(Text::Literal(String::new()))
        }
        None if node.get("content").is_some() && node.get("tool_calls").is_some() => {
            more.insert("content".into(), Value::Null);
            Some(Text::Literal(String::new()))
        }
        _ => fields.required("content", template),
    };
    take_more(&mut fields, &mut more)?;
    fields.finish();
    Some(Message { role: role?.value, content: content?, more })
}

/// Takes what a message says beside its role and its content; `None` when that is wrong.
pub(crate) fn take_more(fields: &mut Reader<'_, '_>, more: &mut Map<String, Value>) -> Option<()> {
    for key in Message::MORE {
        if let Some(node) = fields.node(key) {
            more.insert(key.into(), read::data(node, key, Reading::Core, fields.problems)?);
        }
    }
    Some(())
}
