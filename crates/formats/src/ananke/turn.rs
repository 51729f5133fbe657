//! Reads a turn of a test: a message, or an action of the protocol.

use agentci_plan::{Action, Message, TurnInput};
use agentci_source::shape::{Field, KeyRule, Kind, Need, Shape, Tagged, optional, required, words};
use agentci_source::{Content, Diagnostics, Node, Pair, Reader, Span, Spanned, read};

use super::assertion::{AssertionBlock, BlockLevel, OF_TURN, block};
use super::other_releases::refuse_step;
use super::target::TargetProtocol;
use super::version::{FormatVersion, needs};
use crate::canonical::as_written;
use crate::suggestion::meant_or_known;
use crate::texts::{object, template};

pub(super) struct ReadTurn {
    pub(super) said: TurnInput,
    pub(super) block: Option<AssertionBlock>,
    pub(super) span: Span,
}

/// The version and protocol that decide which turns are allowed.
#[derive(Clone, Copy)]
pub(super) struct TurnSetting {
    /// The version of the test file, if it is valid.
    pub(super) version: Option<FormatVersion>,
    pub(super) protocol: TargetProtocol,
}

pub(super) const TURNS: Kind =
    Kind::Filled(&Kind::Tagged(&Tagged { tag: "type", variants: &TYPES, usual: Some(USER) }));

const USER: &str = "user";

const SEND_MESSAGE: &str = "a2a:send";

/// The turn types with their keys. The prefix before the colon is the protocol.
static TYPES: [(&str, &Shape); 8] = [
    (USER, &SAID),
    ("agui:connect", &PLAIN),
    ("agui:resume", &RESUME),
    (SEND_MESSAGE, &SEND),
    ("mcp:call", &CALL),
    ("mcp:read", &RESOURCE),
    ("mcp:prompt", &PROMPT),
    ("mcp:list", &LISTED),
];

static NAMES: [&str; 8] = words(&TYPES);

/// The keys of every turn.
static TURN: &[Field] = &[
    optional("type", Kind::Choice(&NAMES), "Type of the turn. Default: `user`."),
    optional("assert", Kind::Shape(&OF_TURN), "Assertions for this turn."),
];

static PLAIN: Shape = Shape::new("a turn", "A turn without keys of its own.", TURN);

static SAID: Shape = Shape::new("a turn", "A message from the user.", TURN).with(&[&[required(
    "user",
    Kind::Text,
    "Text of the message; may contain variables.",
)]]);

static RESUME: Shape = Shape::new("a turn", "An answer to an interrupt.", TURN)
    .with(&[&[optional("resume", Kind::Map(&Kind::Shape(&RESUMED)), "Answers to interrupts, by their ids.")], STATUS]);

/// The answer to an interrupt.
static STATUS: &[Field] = &[
    optional("status", Kind::Choice(&["resolved", "cancelled"]), "Outcome of the interrupt."),
    optional("payload", Kind::Data, "Data sent to the agent."),
];

static RESUMED: Shape = Shape::new("the answer to an interrupt", "Answer to one interrupt.", STATUS);

static SEND: Shape = Shape::new("a turn", "A message to an A2A agent.", TURN)
    .with(&[&[
        optional("message", Kind::Text, "Text of the message."),
        optional("parts", Kind::List(&Kind::Data), "The parts of the message."),
        optional("metadata", Kind::Object, "Metadata of the message."),
        optional("contextId", Kind::Name, "ID of the context to continue."),
        optional("taskId", Kind::Name, "ID of the task to continue."),
    ]])
    .rules(&[KeyRule::Some(&["message", "parts"])]);

static CALL: Shape = Shape::new("a turn", "A tool call.", TURN).with(&[
    &[required("tool", Kind::Name, "The name of the tool."), optional("args", Kind::Object, "Its arguments.")],
    ANSWERS,
    &[optional("errors", Kind::Choice(&["allow", "fail"]), "Whether a tool error fails the turn. Default: `allow`.")],
]);

static RESOURCE: Shape = Shape::new("a turn", "A request for a resource.", TURN)
    .with(&[&[required("uri", Kind::Name, "URI of the resource.")], ANSWERS]);

static PROMPT: Shape = Shape::new("a turn", "A request for a prompt.", TURN).with(&[
    &[required("name", Kind::Name, "The name of the prompt."), optional("args", Kind::Object, "Its arguments.")],
    ANSWERS,
]);

static LISTED: Shape = Shape::new("a turn", "A request for what the server offers.", TURN).with(&[&[optional(
    "snapshot",
    Kind::Name,
    "A snapshot file that the list of tools must match.",
)]]);

static ANSWERS: &[Field] = &[optional(
    "answers",
    Kind::List(&Kind::Shape(&ANSWER)),
    "Answers to the server's questions to the user, in order.",
)];
static ANSWER: Shape = Shape::new(
    "an answer",
    "Answer to one of the server's questions to the user.",
    &[
        optional("action", Kind::Choice(&["accept", "decline", "cancel"]), "What the user does."),
        optional("content", Kind::Object, "Values that the user fills in."),
    ],
);

/// Reads a turn; `None` if it is invalid.
pub(super) fn turn(node: &Node, setting: TurnSetting, problems: &mut Diagnostics) -> Option<ReadTurn> {
    if refuse_step(node, problems) {
        return None;
    }
    let mut fields = PLAIN.reader(node, problems)?;
    let written = fields.node("type");
    let found = written.map_or(Some(TYPES[0]), |node| known(node, fields.problems));
    let block = fields.node("assert").map(|node| block(node, BlockLevel::Turn, fields.problems));
    // Without a type, the allowed keys are unknown.
    let (name, shape) = found?;
    fields.becomes(shape);
    fits(name, written.unwrap_or(node), setting, fields.problems);
    let said = if name == USER {
        fields.required("user", template).map(|content| TurnInput::Messages(vec![Message::new("user", content)]))
    } else {
        check_keys(&mut fields, shape);
        if name == SEND_MESSAGE && fields.node("message").is_none() && fields.node("parts").is_none() {
            let help = "add `message:` with a string, or `parts:` with a list of parts";
            fields.problems.error(node.span, "`a2a:send` sends nothing", "").help(help);
        }
        let kind = Spanned::new(name.to_owned(), written.map_or(node.span, |node| node.span));
        Some(TurnInput::Action(Box::new(Action { kind, arguments: arguments(node) })))
    };
    fields.finish();
    Some(ReadTurn { said: said?, block, span: node.span })
}

fn known(node: &Node, problems: &mut Diagnostics) -> Option<(&'static str, &'static Shape)> {
    let name = read::text(node, "type", problems)?;
    let found = TYPES.into_iter().find(|(known, _)| *known == name);
    if found.is_none() {
        let help = meant_or_known(&name, &NAMES, "known types");
        problems.error(node.span, format!("unknown turn type `{}`", name.escape_debug()), "unknown type").help(help);
    }
    found
}

/// Reports a turn that the target or the version of the file does not support.
fn fits(name: &str, place: &Node, setting: TurnSetting, problems: &mut Diagnostics) {
    let target = setting.protocol.facts().name;
    let Some(protocol) = TargetProtocol::of_turn(name) else {
        if setting.protocol == TargetProtocol::Mcp {
            let help = "call a tool: `type: mcp:call` with `tool` and `args`";
            problems.error(place.span, "a target of type `mcp` takes no messages", "not for this target").help(help);
        }
        return;
    };
    let what = format!("the turn type `{name}`");
    needs(&what, protocol.facts().version, setting.version, place.span, problems);
    if protocol != setting.protocol {
        let fits = |name: &&str| TargetProtocol::of_turn(name).is_none_or(|other| other == setting.protocol);
        let fitting: Vec<&str> = NAMES.into_iter().filter(fits).collect();
        let message =
            format!("{what} is for targets of type `{}`, but the config has `{target}`", protocol.facts().name);
        let help = format!("turns for `{target}` are {}", read::quoted_list(&fitting));
        problems.error(place.span, message, "not for this target").help(help);
    }
}

/// All keys except those of every turn.
fn arguments(node: &Node) -> Node {
    let own = |pair: &&Pair| !matches!(pair.key.text.as_str(), "type" | "assert") && !pair.value.is_null();
    let pairs = node.pairs().unwrap_or_default().iter().filter(own);
    let pairs = pairs.map(|pair| Pair { key: pair.key.clone(), value: as_written(&pair.value) });
    Node { span: node.span, content: Content::Map(pairs.collect()) }
}

/// Checks the keys of an action, or of a mapping inside it, against its shape.
fn check_keys(fields: &mut Reader<'_, '_>, shape: &'static Shape) {
    for Field { key, kind, need, .. } in shape.fields().filter(|field| !TURN.iter().any(|of| of.key == field.key)) {
        let value = match need {
            Need::Required => fields.required_node(key),
            Need::Optional | Need::Filled | Need::Depends => fields.node(key),
        };
        if let Some(node) = value {
            check_value(node, key, kind, fields.problems);
        }
    }
}

fn check_value(node: &Node, key: &str, kind: &'static Kind, problems: &mut Diagnostics) {
    match kind {
        Kind::Text => drop(read::text(node, key, problems)),
        Kind::Name => drop(read::name(node, key, problems)),
        Kind::Object => drop(object(node, key, problems)),
        Kind::Choice(words) => {
            let words: Vec<(&str, ())> = words.iter().map(|word| (*word, ())).collect();
            read::choice(node, key, &words, problems);
        }
        Kind::List(kind) => {
            for item in read::list(node, key, problems).unwrap_or_default() {
                check_value(item, key, kind, problems);
            }
        }
        Kind::Map(kind) => {
            object(node, key, problems);
            for pair in node.pairs().unwrap_or_default() {
                check_value(&pair.value, key, kind, problems);
            }
        }
        Kind::Shape(shape) => {
            shape.read(node, problems, |fields| {
                check_keys(fields, shape);
                Some(())
            });
        }
        other => debug_assert!(matches!(other, Kind::Data), "no key of a turn is {other:?}"),
    }
}
