//! One turn of a test: something that is said, or an action of the protocol.

use agentci_plan::{Action, Message, TurnInput};
use agentci_source::shape::{Field, KeyRule, Shape, Tagged, ValueKind, optional, required, words};
use agentci_source::{Content, Diagnostics, Node, Pair, Reader, Span, Spanned, read};

use super::assertion::{AssertionBlock, BlockLevel, OF_TURN, block};
use super::other_releases::refuse_step;
use super::target::TargetProtocol;
use super::version::{FormatVersion, needs};
use crate::canonical::as_written;
use crate::suggestion::meant_or_known;
use crate::texts::{object, template};

/// A turn as it is written.
pub(super) struct ReadTurn {
    pub(super) said: TurnInput,
    pub(super) block: Option<AssertionBlock>,
    pub(super) span: Span,
}

/// What a test is written for.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// The version of the test file, if it is known.
    pub(super) version: Option<FormatVersion>,
    /// The protocol of the target.
    pub(super) protocol: TargetProtocol,
}

/// A turn.
pub(super) const TURNS: ValueKind = ValueKind::Filled(&ValueKind::Tagged(&Tagged {
    tag: "type",
    variants: &[
        (TYPES[0].name, TYPES[0].shape),
        (TYPES[1].name, TYPES[1].shape),
        (TYPES[2].name, TYPES[2].shape),
        (TYPES[3].name, TYPES[3].shape),
        (TYPES[4].name, TYPES[4].shape),
        (TYPES[5].name, TYPES[5].shape),
        (TYPES[6].name, TYPES[6].shape),
        (TYPES[7].name, TYPES[7].shape),
    ],
    usual: Some(USER),
}));

/// What every turn may have.
static TURN: &[Field] = &[
    optional("type", ValueKind::Choice(&NAMES), "What kind of turn it is, `user` without it."),
    optional("assert", ValueKind::Shape(&OF_TURN), "What is asked of this turn."),
];

const STATUSES: [(&str, ()); 2] = [("resolved", ()), ("cancelled", ())];
const ERRORS: [(&str, ()); 2] = [("allow", ()), ("fail", ())];
const ACTIONS: [(&str, ()); 3] = [("accept", ()), ("decline", ()), ("cancel", ())];

const NAMES: [&str; 8] =
    [USER, "agui:connect", "agui:resume", "a2a:send", "mcp:call", "mcp:read", "mcp:prompt", "mcp:list"];

static PLAIN: Shape = Shape::new("a turn", "A turn that has nothing of its own.", TURN);

static SAID: Shape = Shape::new("a turn", "Something that the user says.", TURN).with(&[&[required(
    "user",
    ValueKind::Text,
    "The words; variables may stand in them.",
)]]);

static RESUME: Shape = Shape::new("a turn", "An answer to an interrupt.", TURN).with(&[
    &[optional("resume", ValueKind::Map(&ValueKind::Shape(&RESUMED)), "Answers to interrupts, by their ids.")],
    STATUS,
]);

/// The answer to an interrupt.
static STATUS: &[Field] = &[
    optional("status", ValueKind::Choice(&words(&STATUSES)), "What became of the interrupt."),
    optional("payload", ValueKind::Data, "What the agent is told."),
];

static RESUMED: Shape = Shape::new("the answer to an interrupt", "What an interrupt is answered with.", STATUS);

static SEND: Shape = Shape::new("a turn", "A message to an A2A agent.", TURN)
    .with(&[&[
        optional("message", ValueKind::Text, "The words."),
        optional("parts", ValueKind::List(&ValueKind::Data), "The parts of the message."),
        optional("metadata", ValueKind::Object, "What is told beside."),
        optional("contextId", ValueKind::Name, "The context that it belongs to."),
        optional("taskId", ValueKind::Name, "The task that it belongs to."),
    ]])
    .rules(&[KeyRule::Some(&["message", "parts"])]);

static CALL: Shape = Shape::new("a turn", "A call of a tool.", TURN).with(&[
    &[
        required("tool", ValueKind::Name, "The name of the tool."),
        optional("args", ValueKind::Object, "Its arguments."),
    ],
    ANSWERS,
    &[optional("errors", ValueKind::Choice(&words(&ERRORS)), "Whether the tool may fail.")],
]);

static RESOURCE: Shape = Shape::new("a turn", "A resource that is read.", TURN)
    .with(&[&[required("uri", ValueKind::Name, "The address of the resource.")], ANSWERS]);

static PROMPT: Shape = Shape::new("a turn", "A prompt that is got.", TURN).with(&[
    &[
        required("name", ValueKind::Name, "The name of the prompt."),
        optional("args", ValueKind::Object, "Its arguments."),
    ],
    ANSWERS,
]);

static LISTED: Shape = Shape::new("a turn", "The tools of the server.", TURN).with(&[&[optional(
    "snapshot",
    ValueKind::Name,
    "A file that the list of tools must be equal to.",
)]]);

static ANSWERS: &[Field] = &[optional(
    "answers",
    ValueKind::List(&ValueKind::Shape(&ANSWER)),
    "What the server is told when it asks the user, one after another.",
)];
static ANSWER: Shape = Shape::new(
    "an answer",
    "What the server is told when it asks the user.",
    &[
        optional("action", ValueKind::Choice(&words(&ACTIONS)), "What the user does."),
        optional("content", ValueKind::Object, "What the user fills in."),
    ],
);

/// A type of turn.
#[derive(Clone, Copy)]
struct TurnType {
    name: &'static str,
    /// The protocol that has it; all without one.
    protocol: Option<TargetProtocol>,
    /// The keys of such a turn.
    shape: &'static Shape,
    /// Reads its own keys, each of which is an argument of the action.
    read: fn(&mut Reader<'_, '_>),
}

const USER: &str = "user";

const TYPES: [TurnType; 8] = [
    TurnType { name: USER, protocol: None, shape: &SAID, read: nothing },
    TurnType { name: NAMES[1], protocol: Some(TargetProtocol::Agui), shape: &PLAIN, read: nothing },
    TurnType { name: NAMES[2], protocol: Some(TargetProtocol::Agui), shape: &RESUME, read: resume },
    TurnType { name: NAMES[3], protocol: Some(TargetProtocol::A2a), shape: &SEND, read: send },
    TurnType { name: NAMES[4], protocol: Some(TargetProtocol::Mcp), shape: &CALL, read: call },
    TurnType { name: NAMES[5], protocol: Some(TargetProtocol::Mcp), shape: &RESOURCE, read: resource },
    TurnType { name: NAMES[6], protocol: Some(TargetProtocol::Mcp), shape: &PROMPT, read: prompt },
    TurnType { name: NAMES[7], protocol: Some(TargetProtocol::Mcp), shape: &LISTED, read: list },
];

/// Reads a turn; `None` when it is wrong.
pub(super) fn turn(node: &Node, setting: Setting, problems: &mut Diagnostics) -> Option<ReadTurn> {
    if refuse_step(node, problems) {
        return None;
    }
    let mut fields = PLAIN.reader(node, problems)?;
    let written = fields.node("type");
    let found = written.map_or(Some(TYPES[0]), |node| known(node, fields.problems));
    let block = fields.node("assert").map(|node| block(node, BlockLevel::Turn, fields.problems));
    // Without its type it can not be said which keys are known.
    let found = found?;
    fields.becomes(found.shape);
    fits(found, written.unwrap_or(node), setting, fields.problems);
    let said = if found.name == USER {
        fields.required("user", template).map(|content| TurnInput::Messages(vec![Message::new("user", content)]))
    } else {
        (found.read)(&mut fields);
        let kind = Spanned::new(found.name.to_owned(), written.map_or(node.span, |node| node.span));
        Some(TurnInput::Action(Box::new(Action { kind, arguments: arguments(node) })))
    };
    fields.finish();
    Some(ReadTurn { said: said?, block, span: node.span })
}

fn known(node: &Node, problems: &mut Diagnostics) -> Option<TurnType> {
    let name = read::text(node, "type", problems)?;
    let found = TYPES.into_iter().find(|known| known.name == name);
    if found.is_none() {
        let help = meant_or_known(&name, &NAMES, "known types");
        problems.error(node.span, format!("unknown turn type `{}`", name.escape_debug()), "not known here").help(help);
    }
    found
}

/// Reports a turn that the target can not take, or that the version of the file does not know.
fn fits(found: TurnType, place: &Node, setting: Setting, problems: &mut Diagnostics) {
    let target = setting.protocol.facts().name;
    let Some(protocol) = found.protocol else {
        if setting.protocol == TargetProtocol::Mcp {
            let help = "call a tool: `type: mcp:call` with `tool` and `args`";
            problems.error(place.span, "a target of type `mcp` takes no messages", "not for this target").help(help);
        }
        return;
    };
    let what = format!("the turn type `{}`", found.name);
    needs(&what, protocol.facts().version, setting.version, place.span, problems);
    if protocol != setting.protocol {
        let fitting = TYPES.into_iter().filter(|other| other.protocol.is_none_or(|other| other == setting.protocol));
        let fitting: Vec<&str> = fitting.map(|fitting| fitting.name).collect();
        let message =
            format!("{what} is for targets of type `{}`, and the config has `{target}`", protocol.facts().name);
        let help = format!("turns for `{target}` are {}", read::quoted_list(&fitting));
        problems.error(place.span, message, "not for this target").help(help);
    }
}

/// All keys but those that every turn may have.
fn arguments(node: &Node) -> Node {
    let own = |pair: &&Pair| !matches!(pair.key.text.as_str(), "type" | "assert") && !pair.value.is_null();
    let pairs = node.pairs().unwrap_or_default().iter().filter(own);
    let pairs = pairs.map(|pair| Pair { key: pair.key.clone(), value: as_written(&pair.value) });
    Node { span: node.span, content: Content::Map(pairs.collect()) }
}

fn nothing(_: &mut Reader<'_, '_>) {}

/// `resume` answers interrupts by their ids; `status` and `payload` are for those that it does not name.
fn resume(fields: &mut Reader<'_, '_>) {
    fields.optional("resume", object);
    for pair in fields.node("resume").and_then(Node::pairs).unwrap_or_default() {
        RESUMED.read(&pair.value, fields.problems, |fields| {
            status(fields);
            Some(())
        });
    }
    status(fields);
}

fn status(fields: &mut Reader<'_, '_>) {
    fields.choice("status", &STATUSES);
    fields.node("payload");
}

fn send(fields: &mut Reader<'_, '_>) {
    fields.text("message");
    fields.optional("parts", read::list);
    if fields.node("message").is_none() && fields.node("parts").is_none() {
        let help = "add `message:` with a text, or `parts:` with a list of parts";
        fields.problems.error(fields.span(), "`a2a:send` sends nothing", "").help(help);
    }
    fields.optional("metadata", object);
    fields.name("contextId");
    fields.name("taskId");
}

fn call(fields: &mut Reader<'_, '_>) {
    fields.required("tool", read::name);
    fields.optional("args", object);
    answers(fields);
    fields.choice("errors", &ERRORS);
}

fn resource(fields: &mut Reader<'_, '_>) {
    fields.required("uri", read::name);
    answers(fields);
}

fn prompt(fields: &mut Reader<'_, '_>) {
    fields.required("name", read::name);
    fields.optional("args", object);
    answers(fields);
}

fn list(fields: &mut Reader<'_, '_>) {
    fields.name("snapshot");
}

/// What the server is told when it asks the user.
fn answers(fields: &mut Reader<'_, '_>) {
    for item in fields.optional("answers", read::list).unwrap_or_default() {
        ANSWER.read(item, fields.problems, |fields| {
            fields.choice("action", &ACTIONS);
            fields.optional("content", object)
        });
    }
}
