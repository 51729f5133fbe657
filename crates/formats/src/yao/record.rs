//! Reads one test, an object of a test file.

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

/// A line of a test file.
pub(crate) static RECORD: Shape = Shape::new(
    "a test",
    "An input for an assistant, and what the answer must satisfy.",
    &[
        required("id", Kind::Name, "Name of the test in reports; unique in the file."),
        required("input", INPUT, "Input for the assistant: a string, a message or a list of messages."),
        optional("assert", ASSERT, "What the answer must satisfy."),
        optional("expected", Kind::Data, "Expected answer; the answer must equal it if `assert` is not set."),
        optional("user", Kind::Text, "The user."),
        optional("team", Kind::Text, "The team of the user."),
        optional("timeout", Kind::Duration, "Timeout of the test."),
        optional("skip", Kind::Truth, "Whether to skip the test. Default: false."),
        optional("metadata", Kind::Object, "Additional data to show in reports."),
        optional("options", Kind::Shape(&OPTIONS), "Options of the assistant for this test."),
    ],
)
.unknown(Others::Ignored);

/// Keys of other versions of the format without which a test would mean something else.
const UNSUPPORTED: [&str; 4] = ["simulator", "checkpoints", "before", "after"];

static OPTIONS: Shape = Shape::new(
    "`options`",
    "Options of the assistant for one test.",
    &[
        optional("connector", Kind::Name, "Connector to use instead of the assistant's own."),
        optional("metadata", Kind::Object, "Data to pass to the functions of the assistant."),
        optional("disable_global_prompts", Kind::Truth, "Whether to omit application prompts. Default: false."),
        optional("tools", SCRIPTED, "Answers of the tools that the model calls, by tool name."),
        optional("mode", Kind::Data, "Ignored."),
        optional("search", Kind::Data, "Ignored."),
        optional("skip", Kind::Data, "Ignored."),
    ],
)
.unknown(Others::Ignored);

/// A test as written.
pub(super) struct Record<'n> {
    pub(super) id: Spanned<Name>,
    /// The input as written.
    pub(super) asked: Arc<Value>,
    pub(super) input_span: Span,
    /// `None` if the input is invalid.
    pub(super) messages: Option<Vec<Message>>,
    pub(super) assert: Option<&'n Node>,
    pub(super) expected: Option<&'n Node>,
    pub(super) user: Option<String>,
    pub(super) team: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) skip: bool,
    pub(super) metadata: Option<Arc<Value>>,
    pub(super) options: TestOptions,
    /// Errors that break only this test.
    pub(super) broken: Diagnostics,
}

/// Options of the assistant for one test.
#[derive(Default)]
pub(super) struct TestOptions {
    pub(super) connector: Option<Spanned<String>>,
    pub(super) metadata: Map<String, Value>,
    pub(super) disable_global_prompts: bool,
    /// Answers of the tools that the model calls.
    pub(super) tools: Vec<ScriptedTool>,
}

/// Warns of unknown fields, once per field.
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
        problems.warning(pair.key.span, message, "ignored").help(help);
    }
}

/// Reads a test; `None` if the whole file must be rejected.
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
                .error(pair.key.span, format!("tests with `{}` are not supported", pair.key.text), "not supported")
                .help("remove it; a conversation can be written as `input`, a list of messages");
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

/// The input. If it is missing, the error names the test.
fn input<'n>(fields: &mut Reader<'n, '_>, id: Option<&Spanned<Name>>) -> Option<&'n Node> {
    let found = fields.demanded("input");
    if found.is_none() {
        let named = id.map(|id| format!(" `{}`", id.value.escape_debug())).unwrap_or_default();
        let span = fields.key_span("input").unwrap_or(fields.span());
        let help = "add `\"input\": \"..\"`, the message to the assistant";
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
        // These change what Yao loads or stores, which does not apply here.
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
