//! A file of tests, or a message, to a suite.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{
    Case, Check, Dialect, Gates, Limits, LiveTools, Message, Mode, Redaction, Said, Skip, StopRule, Suite, Target,
    Text, Turn, World,
};
use agentci_source::{Diagnostic, Diagnostics, Files, Name, Node, Reading, Sources, Span, join};
use serde_json::Value;

use super::app::App;
use super::assertion::{About, Assertions};
use super::habits::HABITS;
use super::judges::Judges;
use super::place::holding_assistant;
use super::record::{Record, Unknown, record};
use super::resolve::{Agent, chosen, resolve};
use super::targets::Targets;
use super::{DEFAULT_TIMEOUT, json};
use crate::LoadOptions;
use crate::ids::Ids;

/// The most bytes a file of tests may have.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// The id of the one test that a message is.
const MESSAGE_ID: &str = "T001";

/// Lowers a file of tests; `None` when it is refused.
pub(crate) fn lower_file(
    files: &dyn Files,
    options: &LoadOptions,
    sources: &mut Sources,
    path: &Path,
    diagnostics: &mut Diagnostics,
) -> Option<Suite> {
    let mut problems = Diagnostics::default();
    let suite = file(files, options, sources, path, &mut problems);
    let refused = problems.has_errors();
    diagnostics.append(problems);
    for problem in suite.iter().flat_map(|suite| &suite.cases).filter_map(|case| case.broken.as_ref()).flatten() {
        diagnostics.push(problem.clone());
    }
    suite.filter(|_| !refused)
}

fn file(
    files: &dyn Files,
    options: &LoadOptions,
    sources: &mut Sources,
    path: &Path,
    problems: &mut Diagnostics,
) -> Option<Suite> {
    let text = match files.read_text(path, SIZE_LIMIT) {
        Ok(text) => text,
        Err(error) => {
            let span = Span::whole(sources.add(path, ""));
            let message = format!("can not read `{}`: {error}", path.display());
            problems.push(Diagnostic::error(span, message).help("name a file of tests, one JSON object for each"));
            return None;
        }
    };
    let text: Arc<str> = text.into();
    let id = sources.add(path, Arc::clone(&text));
    let nodes = json::stream(&text, id, problems);
    if nodes.is_empty() && !problems.has_errors() {
        let message = format!("`{}` holds no test", path.display());
        problems.push(
            Diagnostic::error(Span::whole(id), message)
                .help("write one JSON object for each: `{\"id\": \"T001\", \"input\": \"Hello\"}`"),
        );
    }
    let folder = join(path.parent().unwrap_or(Path::new("")), "");
    let found = resolve(files, options, &folder, sources, problems);
    let mut unknown = Unknown::default();
    let mut ids = Ids::default();
    let mut records: Vec<Record<'_>> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let Some(record) = record(node, &mut unknown, problems) else { continue };
        ids.claim(&record.id, sources, problems);
        records.push(record);
    }
    let (app, agent) = found?;
    let place = Place { path: path.to_path_buf(), folder: &folder };
    let suite = suite(&app, &agent, records, unknown, place, sources, problems);
    Some(Suite { agent_folder: agent_folder(files, options, path), ..suite })
}

/// The folder of the assistant that tests belong to, where the caller chose none.
fn agent_folder(files: &dyn Files, options: &LoadOptions, path: &Path) -> Option<PathBuf> {
    if options.agent.is_some() { None } else { holding_assistant(files, path) }
}

/// Where a suite is from.
struct Place<'p> {
    path: PathBuf,
    folder: &'p Path,
}

fn suite(
    app: &App<'_>,
    agent: &Agent,
    records: Vec<Record<'_>>,
    unknown: Unknown,
    place: Place<'_>,
    sources: &mut Sources,
    problems: &mut Diagnostics,
) -> Suite {
    let targets = Targets::new(app, agent);
    let folder = place.folder;
    let world = world(folder);
    let mut assertions = Assertions { app, folder, sources, judges: Judges::default(), unknown };
    let mut cases = Vec::with_capacity(records.len());
    for record in records {
        let checks = checks(&mut assertions, &record, problems);
        let timeout = record.timeout.or(app.options.timeout).unwrap_or(DEFAULT_TIMEOUT);
        let target = targets.of(&record, timeout, assertions.sources, problems);
        let messages = record.messages.unwrap_or_default();
        let turns = turns(messages, record.input_span);
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
            ..case(record.id.value, record.id.span, target, &world, turns)
        }));
    }
    open_reporter(app, &mut assertions.judges, assertions.sources, problems);
    let agents = assertions.judges.finish();
    let span = cases.first().map_or_else(|| targets.usual().span(), |case| case.span);
    Suite { agents, cases, ..empty(agent.id(), place.path, folder, span) }
}

/// Opens the assistant that is to write the report, if one is.
fn open_reporter(app: &App<'_>, judges: &mut Judges, sources: &mut Sources, problems: &mut Diagnostics) {
    let Some(reporter) = &app.options.reporter else { return };
    let id = chosen("-r", reporter, sources);
    if judges.open(app, &id, None, sources, problems).is_none() && !problems.has_errors() {
        let message = format!("there is no assistant `{}` to write the report", reporter.escape_debug());
        problems.push(Diagnostic::error(id.span, message).help("name one of the same application with `-r ID`"));
    }
}

/// What is asked of the answer: what `assert` says, else that it is the expected one.
fn checks(assertions: &mut Assertions<'_>, record: &Record<'_>, problems: &mut Diagnostics) -> Vec<Arc<Check>> {
    let about = About { asked: &record.asked, expected: record.expected };
    if let Some(node) = record.assert {
        return assertions.checks(node, about, problems).into_iter().map(Arc::new).collect();
    }
    let equal = |node: &Node| Check::new("equals", node.span, node.clone()).with_label(Some("expected"));
    record.expected.map(|node| Arc::new(equal(node))).into_iter().collect()
}

fn turns(messages: Vec<Message>, span: Span) -> Vec<Turn> {
    if messages.is_empty() {
        return Vec::new();
    }
    vec![Turn { said: Said::Messages(messages), checks: Turn::no_checks(), limits: Limits::none(), span }]
}

fn case(id: Name, span: Span, target: Arc<Target>, world: &Arc<World>, turns: Vec<Turn>) -> Case {
    Case {
        turns: turns.into(),
        timeout: Some(DEFAULT_TIMEOUT),
        stop: StopRule::Never,
        ..Case::new(id, span, target, Arc::clone(world))
    }
}

/// Nothing stands in for the world, and what is executed is executed in the suite's folder.
fn world(folder: &Path) -> Arc<World> {
    let live = LiveTools { folder: folder.to_path_buf(), ..LiveTools::default() };
    Arc::new(World { live: Arc::new(live), ..World::default() })
}

fn empty(name: &str, path: PathBuf, folder: &Path, span: Span) -> Suite {
    Suite {
        name: name.to_owned(),
        dialect: Dialect::Yao,
        habits: HABITS,
        path,
        folder: folder.to_path_buf(),
        span,
        mode: Mode::Live,
        output_dir: None,
        redact: Redaction::default(),
        gates: Gates::default(),
        exclude: Vec::new(),
        agent_folder: None,
        prices: std::collections::BTreeMap::new(),
        agents: Vec::new(),
        embedder: None,
        cases: Vec::new(),
    }
}

/// Lowers a message to a suite of one case.
pub(crate) fn lower_message(
    files: &dyn Files,
    options: &LoadOptions,
    sources: &mut Sources,
    message: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Suite> {
    let mut problems = Diagnostics::default();
    let here = Path::new(".");
    let suite = resolve(files, options, here, sources, &mut problems).map(|(app, agent)| {
        let targets = Targets::new(&app, &agent);
        let span = Span { line: 1, column: 1, width: 1, file: sources.add(Path::new("-i"), message) };
        let messages = vec![Message::new("user", Text::Literal(message.to_owned()))];
        let timeout = options.yao.timeout.unwrap_or(DEFAULT_TIMEOUT);
        let world = world(here);
        let case = Case {
            timeout: Some(timeout),
            asked: Some(Arc::new(Value::String(message.to_owned()))),
            ..case(MESSAGE_ID.into(), span, targets.usual(), &world, turns(messages, span))
        };
        let path = match &agent {
            // A folder, not a file: nothing is written beside a message.
            Agent::Assistant(assistant) => assistant.folder.clone(),
            Agent::Target(..) => here.to_path_buf(),
        };
        let mut judges = Judges::default();
        open_reporter(&app, &mut judges, sources, &mut problems);
        Suite {
            agent_folder: agent_folder(files, options, &path),
            agents: judges.finish(),
            cases: vec![Box::new(case)],
            ..empty(agent.id(), path, here, span)
        }
    });
    if message.trim().is_empty() {
        let span = Span::whole(sources.add(Path::new("-i"), ""));
        problems
            .push(Diagnostic::error(span, "the message is empty").help("write `-i \"text\"`, or name a file of tests"));
    }
    let refused = problems.has_errors();
    diagnostics.append(problems);
    suite.filter(|_| !refused)
}

/// Whether a file can be read and holds anything but blanks.
pub(crate) fn holds_something(files: &dyn Files, path: &Path) -> bool {
    files.read_text(path, SIZE_LIMIT).is_ok_and(|text| !text.trim().is_empty())
}

/// Whether the first record of a file has `assert`, which data for other purposes hardly has.
pub(crate) fn asserts(files: &dyn Files, path: &Path) -> bool {
    let text = files.read_text(path, SIZE_LIMIT).unwrap_or_default();
    json::first(&text, Sources::default().add(path, "")).is_some_and(|first| first.get("assert").is_some())
}

/// Whether a file holds tests: what comes first in it is an object with `id` and `input`, or nearly so.
pub(crate) fn holds_tests(files: &dyn Files, path: &Path) -> bool {
    let Ok(text) = files.read_text(path, SIZE_LIMIT) else { return false };
    let file = Sources::default().add(path, "");
    let Some(first) = json::first(&text, file) else {
        // Tests with a mistake in the first of them are to be told of, not passed over.
        return ["\"id\"", "\"input\""].iter().all(|key| text.contains(key));
    };
    let has = |key: &str| first.get(key).is_some();
    has("id") && (has("input") || has("assert") || has("expected"))
}
