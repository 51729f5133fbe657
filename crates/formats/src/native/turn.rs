//! Reads `input` and `turns`: what the agent is asked.

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
    "A message or input for the agent, or an action of its protocol.",
    &[
        optional("user", Kind::Text, "Message of the user; it may contain variables."),
        optional("input", Kind::Object, "Input of the agent as data."),
        optional("messages", Kind::Filled(&Kind::Shape(&MESSAGE)), "Several messages at once."),
        optional("checks", Kind::List(&Kind::Check), "Checks on this turn."),
        optional("limits", Kind::Shape(&LIMITS), "Limits of this turn."),
    ],
)
.unknown(UnknownKeys::Matching {
    pattern: ":",
    about: "An action of the protocol, such as `mcp:call`, and its arguments.",
})
.rules(&[KeyRule::One(&["user", "input", "messages"])]);

/// Keys of a message in addition to its role and content.
pub(crate) static MORE: &[Field] = &[
    optional("name", Kind::Data, "Name of the author."),
    optional("tool_call_id", Kind::Data, "ID of the tool call that it answers."),
    optional("tool_calls", Kind::Data, "Tool calls."),
    optional("refusal", Kind::Data, "Refusal of the model."),
    optional("reasoning_content", Kind::Data, "Reasoning of the model before the message."),
];
static MESSAGE: Shape = Shape::new(
    "a message",
    "One message of a conversation.",
    &[
        required("role", Kind::Name, "Role of the author."),
        depends(
            "content",
            Kind::Either(&[Kind::Text, Kind::List(&Kind::Data)]),
            "Content: a string, or a list of parts.",
        ),
    ],
)
.with(&[MORE])
.rules(&[KeyRule::Some(&["content", "tool_calls"])]);

/// Reads the turns of a case from either `input` or `turns`.
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
            fields.problems.error(span, "a case has `input` or `turns`, not both", "conflicts with `input`").help(help);
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
        let help =
            "write the keys that the agent expects, `input: { question: .. }`, or a message, `turns: [{ user: .. }]`";
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
        // The unknown key was already reported, with a suggestion.
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
        // A list of parts is passed to the model as it is, and so is an absent content next to tool calls.
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

/// Reads the keys of a message in addition to its role and content; `None` if one is invalid.
pub(crate) fn take_more(fields: &mut Reader<'_, '_>, more: &mut Map<String, Value>) -> Option<()> {
    for key in Message::MORE {
        if let Some(node) = fields.node(key) {
            more.insert(key.into(), read::data(node, key, Reading::Core, fields.problems)?);
        }
    }
    Some(())
}
