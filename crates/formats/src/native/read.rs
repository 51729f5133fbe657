//! The suite file and its cases as plain structs.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Case, Dialect, Habits, Mode, Suite, Target};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Files, Node, Pair, Reading, join, read};

use super::gates::{GATES, gates};
use super::prices::{PRICES, read_prices};
use super::readers::SuiteFolder;
use super::settings::{SETTINGS, SharedSettings, settings};
use super::target::{TARGET, target};
use super::turn::{TURN, turns};
use crate::invalid_case::no_target;
use crate::new_suite::new_suite;
use crate::search::{EXCLUDE, read_exclude};
use crate::skip::{SKIP, skip};
use crate::world::{REDACTION, read_redaction};

/// What a suite file says beside its cases.
pub(super) struct WrittenSuite {
    /// The suite without its cases and its mode.
    pub(super) suite: Suite,
    pub(super) mode: Option<Mode>,
    pub(super) settings: SharedSettings,
    /// Whether cases need no target of their own.
    pub(super) has_target: bool,
}

/// A suite file.
pub(crate) static SUITE: Shape = Shape::new(
    "the suite",
    "Cases, and what they have in common.",
    &[
        required("suite", Kind::Name, "What reports call the suite."),
        optional("folder", Kind::Name, "The folder that paths are named from, if it is not that of the file."),
        optional(
            "mode",
            Kind::Choice(&words(&Mode::NAMES)),
            "Whether tools are answered from recordings, recorded, or live.",
        ),
        optional("output_dir", Kind::Name, "Where runs are stored."),
        optional("gates", Kind::Shape(&GATES), "What runs of the suite are held against."),
        optional("redact", Kind::Shape(&REDACTION), "What must not be stored or shown."),
        optional("embedder", Kind::Name, "What measures similarities for `semantic` checks."),
        optional("prices", PRICES, "What models cost that are not known, or cost something else here, by their names."),
    ],
)
.with(&[
    SETTINGS,
    &[
        optional("agents", Kind::Map(&Kind::Shape(&TARGET)), "Agents by names, for `agent` checks."),
        required("cases", Kind::Filled(&Kind::Shape(&CASE)), "The cases, in the order they are run."),
    ],
    &[EXCLUDE],
]);

static CASE: Shape = Shape::new(
    "the case",
    "One test.",
    &[
        required("id", Kind::Name, "What reports call the case; each stands once in a suite."),
        optional("description", Kind::Text, "What it is about."),
        optional("tags", Kind::OneOrMore(&Kind::Text), "Words to select it by."),
        optional("skip", SKIP, "Whether it is left out, or why it is."),
        optional("input", Kind::Object, "A task as data: the one turn of the case."),
        optional("turns", Kind::Filled(&Kind::Shape(&TURN)), "A conversation, turn by turn."),
        optional("asked", Kind::Data, "What reports show as the question."),
        optional("expected", Kind::Data, "What reports show as the hoped-for answer."),
        optional("metadata", Kind::Data, "What reports show beside."),
    ],
)
.with(&[SETTINGS])
.rules(&[KeyRule::One(&["input", "turns"])]);

/// Reads a suite file but for its cases; `None` when something it cannot do without is missing or wrong.
pub(super) fn suite(files: &dyn Files, path: &Path, root: &Node, problems: &mut Diagnostics) -> Option<WrittenSuite> {
    let mut fields = SUITE.reader(root, problems)?;
    let name = fields.required("suite", read::name);
    let folder = fields.name("folder").unwrap_or_default();
    let folder = join(path.parent().unwrap_or(Path::new("")), &folder);
    let place = SuiteFolder { files, folder: &folder };
    let mode = fields.choice("mode", &Mode::NAMES);
    let output_dir = fields.name("output_dir").map(|output| place.path(&output));
    let gates = fields.or_default("gates", |node, problems| gates(node, &folder, problems));
    let exclude = fields.or_default(EXCLUDE.key, read_exclude);
    let redact = fields.or_default("redact", read_redaction);
    let embedder = fields.optional("embedder", read::name);
    let prices = fields.or_default("prices", read_prices);
    let settings = settings(&mut fields, place);
    let agents = fields.or_default("agents", |node, problems| agents(node, place, problems));
    let has_target = fields.node("target").is_some();
    let cases = fields.required("cases", |node, _, problems| cases(node, has_target, problems));
    fields.finish();
    if name.is_none() {
        // The suite is refused without its name; what is wrong with its cases is told all the same.
        for node in cases.into_iter().flatten() {
            case(node, place, has_target, problems);
        }
    }
    let (name, _) = (name?, cases?);
    let exclude = exclude.into_iter().map(|pattern| pattern.value).collect();
    let suite = new_suite(name.value, (Dialect::Native, Habits::USUAL), path.to_path_buf(), folder, name.span);
    let suite = Suite { output_dir, redact, gates, exclude, embedder, prices, agents, ..suite };
    Some(WrittenSuite { suite, mode, settings, has_target })
}

/// Agents by their names.
fn agents(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Vec<(String, Arc<Target>)> {
    let pairs = read::pairs(node, "`agents`", "`name: { kind: {..} }`", problems);
    let agent = |pair: &Pair| Some((pair.key.text.to_string(), target(&pair.value, place, problems)?.at(0)));
    pairs.iter().filter_map(agent).collect()
}

fn cases<'n>(node: &'n Node, has_target: bool, problems: &mut Diagnostics) -> Option<&'n [Node]> {
    let items = read::list(node, "cases", problems)?;
    if items.is_empty() {
        let help = "add a case: `- { id: first, input: {..} }`";
        problems.error(node.span, "`cases` is empty", "a case is missing here").help(help);
        return None;
    }
    // Said once here rather than once for each of the cases.
    if !has_target && items.iter().all(|case| case.get("target").is_none()) {
        let message = "neither the suite nor any case has a `target`";
        let help = "add `target: { process: { command: [..] } }` to the suite";
        problems.error(node.span, message, "it is not said how the agent is reached").help(help);
        return None;
    }
    Some(items)
}

/// What a case says.
pub(super) struct WrittenCase {
    /// The case without what it shares with the suite.
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
        let (description, tags) = (fields.text("description"), fields.texts("tags"));
        let skip = fields.optional("skip", skip);
        let turns = turns(fields);
        let mut told = |key| {
            let data = fields.optional(key, |node, key, problems| read::data(node, key, Reading::Core, problems));
            data.map(Arc::new)
        };
        let (asked, expected, metadata) = (told("asked"), told("expected"), told("metadata"));
        let settings = settings(fields, place);
        if !suite_has_target && fields.node("target").is_none() {
            let message = "the case has no `target`, and neither has the suite";
            let help = "add `target: { process: { command: [..] } }` to the case or to the suite";
            fields.problems.error(node.span, message, "it is not said how the agent is reached").help(help);
        }
        let (id, turns) = (id?, turns?);
        let case = Case {
            description: description.map(Into::into),
            tags: tags.into(),
            skip: skip.map(Box::new),
            turns: turns.into(),
            asked,
            expected,
            metadata,
            ..Case::new(id.value, id.span, no_target(id.span), Arc::default())
        };
        Some(WrittenCase { case, settings })
    })
}
