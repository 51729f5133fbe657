//! Lowers a test file or a message to a suite.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{
    Case, CaseFiles, Check, Dialect, FormatConventions, InvalidChecks, LiveTools, Message, Mode, Parallelism,
    ReportWriter, ResultFiles, Skip, StopRule, Suite, Target, Text, TimeLimit, TurnInput, Verdicts, World,
};
use agentci_source::{Diagnostic, Diagnostics, Files, Name, Node, Reading, Sources, Span};
use serde_json::Value;

use super::app::App;
use super::assertion::Assertions;
use super::folders::holding_assistant;
use super::judges::Judges;
use super::record::{Record, UnknownFields, record};
use super::resolve::{TestedAssistant, chosen, resolve};
use super::targets::Targets;
use super::{DEFAULT_TIMEOUT, json};
use crate::LoadOptions;
use crate::document::{Loading, folder_of};
use crate::ids::TakenIds;
use crate::new_suite::{new_suite, plain_turn};

/// Defaults of the dialect.
const CONVENTIONS: FormatConventions = FormatConventions {
    time_limit: TimeLimit::CaseDefault,
    parallelism: Parallelism::One,
    invalid_checks: InvalidChecks::FailCase,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    result_files: ResultFiles::BesideCases,
    report_writer: ReportWriter::Agent,
    ..FormatConventions::USUAL
};

/// Maximum size of a test file in bytes.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// The id of the single test made of a message.
const MESSAGE_ID: &str = "T001";

/// Lowers a test file; `None` if it is rejected.
pub(crate) fn lower_file(options: &LoadOptions, path: &Path, loading: &mut Loading<'_>) -> Option<Suite> {
    let mut problems = Diagnostics::default();
    let suite = file(options, path, &mut loading.with(&mut problems));
    let accepted = loading.report_all(problems);
    for broken in suite.iter().flat_map(|suite| &suite.cases).filter_map(|case| case.broken.as_ref()) {
        loading.problems.append(broken.clone());
    }
    accepted.and(suite)
}

fn file<'a>(options: &'a LoadOptions, path: &Path, loading: &mut Loading<'a>) -> Option<Suite> {
    let text = loading.read_text(path, SIZE_LIMIT);
    let (id, text) =
        loading.report(text.map_err(|problem| problem.help("pass a file with one JSON object per test")))?;
    let nodes = json::stream(&text, id, loading.problems);
    if nodes.is_empty() && !loading.problems.has_errors() {
        let help = "write one JSON object per test: `{\"id\": \"T001\", \"input\": \"Hello\"}`";
        loading.problems.error(Span::whole(id), format!("`{}` contains no tests", path.display()), "").help(help);
    }
    let found = resolve(options, &folder_of(path), loading);
    let mut unknown = UnknownFields::default();
    let mut ids = TakenIds::default();
    let mut records: Vec<Record<'_>> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let Some(record) = record(node, &mut unknown, loading.problems) else { continue };
        ids.claim(&record.id, loading.sources, loading.problems);
        records.push(record);
    }
    let (app, agent) = found?;
    let suite = suite(&app, &agent, records, unknown, path, loading);
    Some(Suite { agent_folder: agent_folder(loading.files, options, path), ..suite })
}

/// The folder of the assistant that the tests belong to; `None` if the caller chose an assistant.
fn agent_folder(files: &dyn Files, options: &LoadOptions, path: &Path) -> Option<PathBuf> {
    if options.agent.is_some() { None } else { holding_assistant(files, path) }
}

fn suite(
    app: &App<'_>,
    agent: &TestedAssistant,
    records: Vec<Record<'_>>,
    unknown: UnknownFields,
    path: &Path,
    loading: &mut Loading<'_>,
) -> Suite {
    let targets = Targets::new(app, agent);
    let folder = &folder_of(path);
    let world = world(folder);
    let mut assertions = Assertions { app, folder, judges: Judges::default(), unknown };
    let mut cases = Vec::with_capacity(records.len());
    for record in records {
        let checks = checks(&mut assertions, &record, loading);
        let timeout = record.timeout.or(app.options.timeout).unwrap_or(DEFAULT_TIMEOUT);
        let target = targets.of(&record, timeout, loading);
        let messages = record.messages.unwrap_or_default();
        let world = if record.options.tools.is_empty() {
            Arc::clone(&world)
        } else {
            Arc::new(World { scripted: record.options.tools.into(), ..World::clone(&world) })
        };
        let expected = record.expected.and_then(|node| node.value(Reading::Core).ok()).map(Arc::new);
        cases.push(Box::new(Case {
            skip: record.skip.then(|| Box::new(Skip { reason: None })),
            checks: checks.into(),
            timeout: Some(timeout),
            asked: Some(record.asked),
            expected,
            metadata: record.metadata,
            broken: (!record.broken.is_empty()).then_some(record.broken),
            ..case(record.id.value, record.id.span, target, &world, messages, record.input_span)
        }));
    }
    open_reporter(app, &mut assertions.judges, loading);
    let agents = assertions.judges.finish();
    let span = cases.first().map_or_else(|| targets.usual().span(), |case| case.span);
    Suite { agents, cases, ..empty(agent.id(), path.to_path_buf(), folder, span) }
}

/// Opens the assistant that writes the report, if one is chosen.
fn open_reporter(app: &App<'_>, judges: &mut Judges, loading: &mut Loading<'_>) {
    let Some(reporter) = &app.options.reporter else { return };
    let id = chosen("-r", reporter, loading.sources);
    if judges.open(app, &id, None, loading).is_none() && !loading.problems.has_errors() {
        let message = format!("the report assistant `{}` does not exist", reporter.escape_debug());
        loading
            .problems
            .push(Diagnostic::error(id.span, message).help("choose an assistant of the same application with `-r ID`"));
    }
}

/// The checks of a test: those of `assert`, else that the answer equals `expected`.
fn checks(assertions: &mut Assertions<'_>, record: &Record<'_>, loading: &mut Loading<'_>) -> Vec<Arc<Check>> {
    if let Some(node) = record.assert {
        return assertions.checks(node, record, loading).into_iter().map(Arc::new).collect();
    }
    let equal = |node: &Node| Check::new("equals", node.span, node.clone()).with_label(Some("expected"));
    record.expected.map(|node| Arc::new(equal(node))).into_iter().collect()
}

fn case(id: Name, span: Span, target: Arc<Target>, world: &Arc<World>, messages: Vec<Message>, said_at: Span) -> Case {
    let turns = (!messages.is_empty()).then(|| plain_turn(TurnInput::Messages(messages), said_at));
    Case {
        turns: turns.into_iter().collect(),
        timeout: Some(DEFAULT_TIMEOUT),
        stop: StopRule::Never,
        ..Case::new(id, span, target, Arc::clone(world))
    }
}

/// A world without stubs, whose tools run in the suite's folder.
fn world(folder: &Path) -> Arc<World> {
    let live = LiveTools { folder: folder.to_path_buf(), ..LiveTools::default() };
    Arc::new(World { live: Arc::new(live), ..World::default() })
}

fn empty(name: &str, path: PathBuf, folder: &Path, span: Span) -> Suite {
    let dialect = (Dialect::Yao, CONVENTIONS);
    Suite { mode: Mode::Live, ..new_suite(name.to_owned(), dialect, path, folder.to_path_buf(), span) }
}

/// Lowers a message to a suite of one case.
pub(crate) fn lower_message(options: &LoadOptions, message: &str, outer: &mut Loading<'_>) -> Option<Suite> {
    let mut problems = Diagnostics::default();
    let loading = &mut outer.with(&mut problems);
    let here = Path::new(".");
    let suite = resolve(options, here, loading).map(|(app, agent)| {
        let targets = Targets::new(&app, &agent);
        let span = Span { line: 1, column: 1, width: 1, file: loading.sources.add(Path::new("-i"), message) };
        let messages = vec![Message::new("user", Text::Literal(message.to_owned()))];
        let timeout = options.yao.timeout.unwrap_or(DEFAULT_TIMEOUT);
        let world = world(here);
        let case = Case {
            timeout: Some(timeout),
            asked: Some(Arc::new(Value::String(message.to_owned()))),
            ..case(MESSAGE_ID.into(), span, targets.usual(), &world, messages, span)
        };
        let path = match &agent {
            // A folder, not a file: no results are written beside a message.
            TestedAssistant::Assistant(assistant) => assistant.folder.clone(),
            TestedAssistant::Target(..) => here.to_path_buf(),
        };
        let mut judges = Judges::default();
        open_reporter(&app, &mut judges, loading);
        Suite {
            agent_folder: agent_folder(loading.files, options, &path),
            agents: judges.finish(),
            cases: vec![Box::new(case)],
            ..empty(agent.id(), path, here, span)
        }
    });
    if message.trim().is_empty() {
        let span = Span::whole(loading.sources.add(Path::new("-i"), ""));
        let help = "write `-i \"text\"`, or pass a test file";
        loading.problems.error(span, "the message is empty", "").help(help);
    }
    outer.report_all(problems)?;
    suite
}

/// Whether a file can be read and is not blank.
pub(crate) fn holds_something(files: &dyn Files, path: &Path) -> bool {
    files.read_text(path, SIZE_LIMIT).is_ok_and(|text| !text.trim().is_empty())
}

/// Whether the first record of a file has `assert`, which is rare in unrelated data.
pub(crate) fn asserts(files: &dyn Files, path: &Path) -> bool {
    let text = files.read_text(path, SIZE_LIMIT).unwrap_or_default();
    json::first(&text, Sources::default().add(path, "")).is_some_and(|first| first.get("assert").is_some())
}

/// Whether a file contains tests: its first value is an object with `id` and one of `input`, `assert` and `expected`.
pub(crate) fn holds_tests(files: &dyn Files, path: &Path) -> bool {
    let Ok(text) = files.read_text(path, SIZE_LIMIT) else { return false };
    let file = Sources::default().add(path, "");
    let Some(first) = json::first(&text, file) else {
        // If the first test is invalid, the file must be reported, not skipped.
        return ["\"id\"", "\"input\""].iter().all(|key| text.contains(key));
    };
    let has = |key: &str| first.get(key).is_some();
    has("id") && (has("input") || has("assert") || has("expected"))
}
