//! One test: an object of a file of tests, as plain fields.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Message, ScriptedTool};
use agentci_source::shape::{Kind, Shape, UnknownKeys as Others, optional, required};
use agentci_source::{Diagnostics, Name, Node, Pair, Reader, Reading, Span, Spanned, parse_duration, read};
use serde_json::{Map, Value};

use super::assertion::ASSERT;
use super::message::{INPUT, messages};
use crate::suggestion::meant_or_known;
use crate::texts::{object, object_map};
use crate::world::{SCRIPTED, read_scripted};

/// A line of a file of tests.
pub(crate) static RECORD: Shape = Shape::new(
    "a test",
    "What an assistant is told, and what is asked of its answer.",
    &[
        required("id", Kind::Name, "What reports call the test; each stands once in a file."),
        required("input", INPUT, "What the assistant is told: a text, a message, or a conversation."),
        optional("assert", ASSERT, "What is asked of the answer."),
        optional("expected", Kind::Data, "The hoped-for answer, which is asked for where there is no `assert`."),
        optional("user", Kind::Text, "The user who asks."),
        optional("team", Kind::Text, "The team of the user."),
        optional("timeout", Kind::Duration, "When the test is given up."),
        optional("skip", Kind::Truth, "Whether it is left out."),
        optional("metadata", Kind::Object, "What reports show beside."),
        optional("options", Kind::Shape(&OPTIONS), "What the test chooses for its assistant."),
    ],
)
.unknown(Others::Ignored);

/// What other versions of the format have, and what a test does not mean without it.
const UNSUPPORTED: [&str; 4] = ["simulator", "checkpoints", "before", "after"];

static OPTIONS: Shape = Shape::new(
    "`options`",
    "What a test chooses for its assistant.",
    &[
        optional("connector", Kind::Name, "The model, in place of the one of the assistant."),
        optional("metadata", Kind::Object, "What functions of the assistant are told."),
        optional("disable_global_prompts", Kind::Truth, "Whether the prompts of the application are left out."),
        optional("tools", SCRIPTED, "What tools answer that the model calls, by name."),
        optional("mode", Kind::Data, "Not looked at."),
        optional("search", Kind::Data, "Not looked at."),
        optional("skip", Kind::Data, "Not looked at."),
    ],
)
.unknown(Others::Ignored);

/// What a test says.
pub(super) struct Record<'n> {
    pub(super) id: Spanned<Name>,
    /// The input as it is written.
    pub(super) asked: Arc<Value>,
    pub(super) input_span: Span,
    /// The messages; `None` where the input is nothing that can be said.
    pub(super) messages: Option<Vec<Message>>,
    pub(super) assert: Option<&'n Node>,
    pub(super) expected: Option<&'n Node>,
    pub(super) user: Option<String>,
    pub(super) team: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) skip: bool,
    pub(super) metadata: Option<Arc<Value>>,
    pub(super) options: TestOptions,
    /// What keeps this test alone from being run.
    pub(super) broken: Diagnostics,
}

/// What a test chooses for its assistant.
#[derive(Default)]
pub(super) struct TestOptions {
    pub(super) connector: Option<Spanned<String>>,
    pub(super) metadata: Map<String, Value>,
    pub(super) disable_global_prompts: bool,
    /// What tools answer that the model calls.
    pub(super) tools: Vec<ScriptedTool>,
}

/// Fields that nobody knows, each told of once however many tests have it.
#[derive(Default)]
pub(super) struct UnknownFields {
    told: HashSet<String>,
}

impl UnknownFields {
    pub(super) fn warn(&mut self, pair: &Pair, what: &str, known: &[&str], problems: &mut Diagnostics) {
        if !self.told.insert(format!("{what} {}", pair.key.text)) {
            return;
        }
        let help = meant_or_known(&pair.key.text, known, "known fields");
        let message = format!("unknown field `{}` in {what}", pair.key.text.escape_debug());
        problems.warning(pair.key.span, message, "it is not looked at").help(help);
    }
}

/// Reads a test; `None` when the whole file has to be refused.
pub(super) fn record<'n>(
    node: &'n Node,
    unknown: &mut UnknownFields,
    problems: &mut Diagnostics,
) -> Option<Record<'n>> {
    let mut fields = RECORD.reader(node, problems)?;
    let id = fields.required("id", read::name).map(Spanned::into_name);
    let input = input(&mut fields, id.as_ref());
    let (assert, expected) = (fields.node("assert"), fields.node("expected"));
    let [user, team] = ["user", "team"].map(|key| fields.text(key).filter(|text| !text.is_empty()));
    let timeout = fields.optional("timeout", timeout);
    let skip = fields.truth("skip").unwrap_or_default();
    let metadata = fields.optional("metadata", object).map(Arc::new);
    let options = fields.or_default("options", |node, problems| options(node, unknown, problems));
    let mut broken = Diagnostics::default();
    for pair in fields.rest() {
        if UNSUPPORTED.contains(&pair.key.text.as_str()) {
            broken
                .error(pair.key.span, format!("tests with `{}` can not be run", pair.key.text), "not known here")
                .help("leave it out; a conversation may be written down as `input`, a list of messages");
        } else {
            unknown.warn(pair, RECORD.what, &RECORD.keys(), fields.problems);
        }
    }
    fields.finish();
    let (id, input) = (id?, input?);
    let asked = input.value(Reading::Core).unwrap_or_default();
    Some(Record {
        id,
        asked: Arc::new(asked),
        input_span: input.span,
        messages: messages(input, &mut broken),
        assert,
        expected,
        user,
        team,
        timeout,
        skip,
        metadata,
        options,
        broken,
    })
}

/// The input, which is missed with the id of its test.
fn input<'n>(fields: &mut Reader<'n, '_>, id: Option<&Spanned<Name>>) -> Option<&'n Node> {
    let found = fields.demanded("input");
    if found.is_none() {
        let named = id.map(|id| format!(" `{}`", id.value.escape_debug())).unwrap_or_default();
        let span = fields.key_span("input").unwrap_or(fields.span());
        let help = "add `\"input\": \"..\"`, what the assistant is told";
        fields.problems.error(span, format!("the test{named} needs `input`"), "").help(help);
    }
    found
}

fn timeout(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Duration> {
    let written = read::text(node, name, problems)?;
    match parse_duration(&written) {
        Ok(time) if !time.is_zero() => Some(time),
        _ => {
            let help = "write `30s`, `1m30s` or `500ms`";
            problems.mismatch(node, "`timeout` must be a duration", "expected a number and a unit").help(help);
            None
        }
    }
}

fn options(node: &Node, unknown: &mut UnknownFields, problems: &mut Diagnostics) -> TestOptions {
    let options = OPTIONS.read(node, problems, |fields| {
        let options = TestOptions {
            connector: fields.optional("connector", read::name),
            metadata: fields.optional("metadata", object_map).unwrap_or_default(),
            disable_global_prompts: fields.truth("disable_global_prompts").unwrap_or_default(),
            tools: fields.or_default("tools", read_scripted),
        };
        // These change what the original loads or stores, of which there is nothing here.
        for key in ["mode", "search", "skip"] {
            fields.node(key);
        }
        for pair in fields.rest() {
            unknown.warn(pair, OPTIONS.what, &OPTIONS.keys(), fields.problems);
        }
        Some(options)
    });
    options.unwrap_or_default()
}
