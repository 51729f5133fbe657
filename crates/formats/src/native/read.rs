//! Reads the suite file and its cases into plain structs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{CASE_PLACEHOLDER, Case, Combination, Dialect, FormatConventions, Mode, Skip, Suite, Target, Text};
use agentci_source::shape::{Field, KeyRule, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Files, Node, Pair, Reader, Reading, join, read};

use super::data::{CONDITION, WrittenData, written_data};
use super::gates::{GATES, gates};
use super::matrix::{COMBINATION, MATRIX, combination};
use super::prices::{PRICES, read_prices};
use super::readers::SuiteFolder;
use super::settings::{SETTINGS, SharedSettings, settings};
use super::target::{TARGET, target};
use super::turn::{TURN, turns};
use crate::gates::within;
use crate::invalid_case::no_target;
use crate::new_suite::new_suite;
use crate::search::{EXCLUDE, read_exclude};
use crate::skip::{SKIP, skip};
use crate::world::{REDACTION, read_redaction};

/// The contents of a suite file, except for its cases.
pub(super) struct WrittenSuite {
    /// The suite, without its cases and mode.
    pub(super) suite: Suite,
    pub(super) mode: Option<Mode>,
    pub(super) settings: SharedSettings,
    /// Whether the suite has a target, so that cases need none of their own.
    pub(super) has_target: bool,
}

/// The shape of a suite file.
pub(crate) static SUITE: Shape = Shape::new(
    "the suite",
    "Cases and their shared settings.",
    &[
        required("suite", Kind::Name, "Name of the suite in reports."),
        optional("folder", Kind::Name, "Folder that paths are relative to. Default: the folder of the file."),
        optional(
            "mode",
            Kind::Choice(&words(&Mode::NAMES)),
            "Whether tool answers are replayed from a recording, recorded, or live.",
        ),
        optional("output_dir", Kind::Name, "Folder where runs are stored."),
        optional("gates", Kind::Shape(&GATES), "Baseline and thresholds that runs of the suite must meet."),
        optional("redact", Kind::Shape(&REDACTION), "Additional secrets that must not be stored or shown."),
        optional("embedder", Kind::Name, "Embedder for `semantic` checks: `builtin` or `openai:MODEL`."),
        optional("prices", PRICES, "Prices by model name; they take precedence over the built-in prices."),
    ],
)
.with(&[
    SETTINGS,
    &[
        optional("agents", Kind::Map(&Kind::Shape(&TARGET)), "Agents by name, for `agent` checks."),
        optional("matrix", Kind::Shape(&MATRIX), "Runs each case with every combination of some values."),
        required(
            "cases",
            Kind::Either(&[Kind::Filled(&Kind::Having("from", &DATA_CASE, &CASE)), Kind::Shape(&DATA_CASE)]),
            "The cases, in the order they run; or a single mapping with `from`.",
        ),
    ],
    &[EXCLUDE],
]);

static CASE: Shape = Shape::new(
    "the case",
    "One test.",
    &[required("id", Kind::Name, "Name of the case in reports; unique in the suite.")],
)
.with(&[CASE_KEYS, SETTINGS])
.rules(&[KeyRule::One(&["input", "turns"]), KeyRule::NotBoth(&["matrix", "combination"])]);

/// Cases that are made from the rows of data files.
static DATA_CASE: Shape = Shape::new(
    "the case from data",
    "One test for each row of a data file. `${row.name}` is a column of the row.",
    &[
        required(
            "from",
            Kind::OneOrMore(&Kind::Name),
            "Data file, or several; `*` stands for any characters of a name, `**` for any directories. The extension is \
             `csv`, `tsv`, `jsonl`, `ndjson`, `json`, `yaml`, `yml` or `parquet`.",
        ),
        optional("where", Kind::FilledMap(&CONDITION), "Conditions by column that a row must meet. Default: all rows."),
        optional(
            "id",
            Kind::Name,
            "Name of each case, with columns in braces: `{lang}-{id}`. Default: file name and number of the row.",
        ),
    ],
)
.with(&[CASE_KEYS, SETTINGS])
.rules(&[KeyRule::One(&["input", "turns"]), KeyRule::NotBoth(&["matrix", "combination"])]);

/// The shared keys of a suite alone.
static DEFAULTS: Shape = Shape::new("the suite", "Shared settings of cases.", &[]).with(&[SETTINGS]);

/// The keys of a case that are not defaults of the suite.
static CASE_KEYS: &[Field] = &[
    optional("matrix", Kind::Shape(&MATRIX), "Matrix of the case, in place of the suite's; `{}` for none."),
    optional("combination", Kind::Shape(&COMBINATION), "Combination of a matrix that the case is."),
    optional("description", Kind::Text, "What the case tests."),
    optional("tags", Kind::OneOrMore(&Kind::Text), "Tags to select the case by."),
    optional("skip", SKIP, "Whether to skip the case: a boolean, or the reason as a string."),
    optional("input", Kind::Object, "Input of the agent as data; the case then has one turn."),
    optional("turns", Kind::Filled(&Kind::Shape(&TURN)), "A conversation, turn by turn."),
    optional("asked", Kind::Data, "Question to show in reports."),
    optional("expected", Kind::Data, "Expected answer to show in reports; it is not checked."),
    optional("metadata", Kind::Data, "Additional data to show in reports."),
];

/// Reads a suite file except for its cases; `None` if something required is missing or invalid.
pub(super) fn suite(files: &dyn Files, path: &Path, root: &Node, problems: &mut Diagnostics) -> Option<WrittenSuite> {
    let mut fields = SUITE.reader(root, problems)?;
    let name = fields.required("suite", read::name);
    let folder = fields.name("folder").unwrap_or_default();
    let folder = folder_of(path, &folder);
    let place = SuiteFolder { files, folder: &folder };
    let mode = fields.choice("mode", &Mode::NAMES);
    let output_dir = fields.name("output_dir").map(|output| place.path(&output));
    let gates = fields.or_default("gates", |node, problems| gates(node, &folder, problems));
    let gates = within(gates, fields.key_span("gates"));
    let exclude = fields.or_default(EXCLUDE.key, read_exclude);
    let redact = fields.or_default("redact", read_redaction);
    let embedder = fields.optional("embedder", read::name);
    let prices = fields.or_default("prices", read_prices);
    let settings = settings(&mut fields, place);
    let agents = fields.or_default("agents", |node, problems| agents(node, place, problems));
    let has_target = fields.node("target").is_some();
    // The matrix was applied to the shared keys before.
    let has_matrix = fields.node("matrix").is_some();
    let cases = fields.required("cases", |node, _, problems| cases(node, has_target, problems));
    fields.finish();
    if name.is_none() && !has_matrix {
        // A suite without a name is refused; problems of its cases are reported nevertheless.
        for node in cases.into_iter().flatten() {
            if is_from_data(node) {
                data_case(node, place, has_target, problems);
            } else {
                case(node, place, has_target, problems);
            }
        }
    }
    let (name, _) = (name?, cases?);
    let exclude = exclude.into_iter().map(|pattern| pattern.value).collect();
    let suite =
        new_suite(name.value, (Dialect::Native, FormatConventions::USUAL), path.to_path_buf(), folder, name.span);
    let suite = Suite { output_dir, redact, gates, exclude, embedder, prices, agents, ..suite };
    Some(WrittenSuite { suite, mode, settings, has_target })
}

/// The folder that the paths of a suite start from.
fn folder_of(path: &Path, folder: &str) -> PathBuf {
    join(path.parent().unwrap_or(Path::new("")), folder)
}

/// The folder that the paths of a suite start from, before the suite is read.
pub(super) fn folder(path: &Path, root: &Node) -> PathBuf {
    folder_of(path, &root.get("folder").and_then(Node::as_text).unwrap_or_default())
}

/// Reads the shared keys of a suite.
pub(super) fn defaults(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> SharedSettings {
    DEFAULTS.read(node, problems, |fields| Some(settings(fields, place))).unwrap_or_default()
}

/// Reads agents by name.
fn agents(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Vec<(String, Arc<Target>)> {
    let pairs = read::pairs(node, "`agents`", "`name: { kind: {..} }`", problems);
    let agent = |pair: &Pair| Some((pair.key.text.to_string(), target(&pair.value, place, problems)?.at(0)));
    pairs.iter().filter_map(agent).collect()
}

fn cases<'n>(node: &'n Node, has_target: bool, problems: &mut Diagnostics) -> Option<&'n [Node]> {
    let items = if is_from_data(node) { std::slice::from_ref(node) } else { read::list(node, "cases", problems)? };
    if items.is_empty() {
        let help = "add a case: `- { id: first, input: {..} }`";
        problems.error(node.span, "`cases` is empty", "a case is missing here").help(help);
        return None;
    }
    // Reported once here and not once per case.
    if !has_target && items.iter().all(|case| case.get("target").is_none()) {
        let message = "neither the suite nor any case has a `target`";
        let help = "add `target: { process: { command: [..] } }` to the suite";
        problems.error(node.span, message, "no way to reach the agent").help(help);
        return None;
    }
    Some(items)
}

pub(super) struct WrittenCase {
    /// The case without the settings that it shares with the suite.
    pub(super) case: Case,
    pub(super) settings: SharedSettings,
}

pub(super) fn case(
    node: &Node,
    place: SuiteFolder<'_>,
    suite_has_target: bool,
    problems: &mut Diagnostics,
) -> Option<WrittenCase> {
    CASE.read(node, problems, |fields| {
        let id = fields.required("id", read::name);
        let written = common(fields, place, suite_has_target);
        let (id, written) = (id?, written?);
        let case = Case { id: id.value.into(), span: id.span, ..written.case };
        Some(WrittenCase { case, ..written })
    })
}

/// Whether a case is made from the rows of data files.
pub(super) fn is_from_data(node: &Node) -> bool {
    node.get("from").is_some()
}

/// Reads a case that is made from data. Its id is the placeholder, so that paths keep theirs.
pub(super) fn data_case(
    node: &Node,
    place: SuiteFolder<'_>,
    suite_has_target: bool,
    problems: &mut Diagnostics,
) -> Option<(WrittenCase, WrittenData)> {
    DATA_CASE.read(node, problems, |fields| {
        let data = written_data(fields);
        let written = common(fields, place, suite_has_target)?;
        let case = Case { id: CASE_PLACEHOLDER.into(), ..written.case };
        Some((WrittenCase { case, ..written }, data?))
    })
}

/// Reads all keys of a case but its id.
fn common(fields: &mut Reader<'_, '_>, place: SuiteFolder<'_>, suite_has_target: bool) -> Option<WrittenCase> {
    // The entry was expanded before.
    fields.node("matrix");
    let combination = fields.optional("combination", combination);
    let (description, tags) = (fields.text("description"), fields.texts("tags"));
    let tags = with_axes(combination.as_ref(), tags);
    let skip = fields.optional("skip", skip_without_variables);
    let turns = turns(fields);
    let mut told = |key| {
        let data = fields.optional(key, |node, key, problems| read::data(node, key, Reading::Core, problems));
        data.map(Arc::new)
    };
    let (asked, expected, metadata) = (told("asked"), told("expected"), told("metadata"));
    let settings = settings(fields, place);
    if !suite_has_target && fields.node("target").is_none() {
        let message = "neither the case nor the suite has a `target`";
        let help = "add `target: { process: { command: [..] } }` to the case or to the suite";
        fields.problems.error(fields.span(), message, "no way to reach the agent").help(help);
    }
    let turns = turns?;
    let span = fields.span();
    let case = Case {
        description: description.map(Into::into),
        tags: tags.into(),
        combination: combination.map(Arc::new),
        skip: skip.map(Box::new),
        turns: turns.into(),
        asked,
        expected,
        metadata,
        ..Case::new("", span, no_target(span), Arc::default())
    };
    Some(WrittenCase { case, settings })
}

/// Reads `skip`. A variable in the reason would skip the case whatever its value, so it is an error.
fn skip_without_variables(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Skip> {
    let Some(reason) = skip(node, name, problems)?.reason else { return Some(Skip { reason: None }) };
    match Text::parse(&reason) {
        Text::Literal(reason) => Some(Skip { reason: Some(reason) }),
        Text::Template(_) => {
            let help = "write `true`, `false` or the reason; rows of data are left out with `where`";
            let label = "would always skip the case";
            problems.error(node.span, "`skip` cannot contain a variable", label).help(help);
            None
        }
    }
}

/// The tags of a case, and one for each axis of its combination.
fn with_axes(combination: Option<&Combination>, tags: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = combination.into_iter().flat_map(Combination::tags).collect();
    all.extend(tags);
    let mut seen = HashSet::new();
    all.retain(|tag| combination.is_none() || seen.insert(tag.clone()));
    all
}
