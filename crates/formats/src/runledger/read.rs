//! Reads the suite file and the case files into parts of the plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{
    Case, CaseFiles, Cassette, Check, Data, Dialect, EmptyChecks, FormatConventions, Gates, Limits, LiveTools, Mode,
    Normalization, OutputRule, Parallelism, ProcessTarget, RecordedNumbers, Speech, Suite, Target, Text, ToolSource,
    TurnInput, Verdicts, World,
};
use agentci_source::shape::{Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reading, Spanned, join, read};

use super::assertion::{ASSERTIONS, assertions};
use super::budgets::{BUDGETS, budgets};
use super::legacy;
use super::regression::{REGRESSION, regression};
use crate::command::SuiteFolder;
use crate::gates::within;
use crate::new_suite::{new_suite, plain_turn};
use crate::world::{
    FAULTS, LIVE_TOOLS, NORMALIZATION, REDACTION, read_faults, read_live_tools, read_normalization, read_redaction,
};

/// Defaults of the dialect.
const CONVENTIONS: FormatConventions = FormatConventions {
    parallelism: Parallelism::MachineUnlessTimed,
    empty_checks: EmptyChecks::PassInOrdersAndProhibitions,
    verdicts: Verdicts::Kept,
    // `RunLedger` compares recorded arguments as text.
    recorded_numbers: RecordedNumbers::AsWritten,
    case_files: CaseFiles::CasesAlone,
    ..FormatConventions::USUAL
};

/// Timeout of a case without a wall-time budget.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The content of a suite file.
pub(super) struct SuiteFile {
    /// The suite without its cases.
    pub(super) suite: Suite,
    pub(super) cases_path: Spanned<String>,
    /// The target of all cases.
    pub(super) target: Arc<Target>,
    /// The shared part of the worlds of all cases.
    world: World,
    checks: Vec<Arc<Check>>,
    limits: Limits,
}

/// A suite file.
pub(crate) static SUITE: Shape = Shape::new(
    "the suite",
    "A suite with a separate file for each case.",
    &[
        required("suite_name", Kind::Name, "Name of the suite in reports."),
        required(
            "agent_command",
            Kind::Filled(&Kind::Text),
            "The program of the agent and its arguments; files are looked up in the folder of the suite.",
        ),
        required(
            "mode",
            Kind::Choice(&words(&Mode::NAMES)),
            "Whether tool answers are replayed from a recording, recorded, or live.",
        ),
        required("cases_path", Kind::Name, "Folder of the case files."),
        required("tool_registry", Kind::List(&Kind::Text), "Tools that the agent may call."),
        optional("assertions", ASSERTIONS, "What every case must satisfy."),
        optional("budgets", Kind::Shape(&BUDGETS), "Limits that stop a case and fail it when exceeded."),
        optional("output_dir", Kind::Name, "Folder where runs are stored."),
        optional("baseline_path", Kind::Name, "Summary of an earlier run to compare with."),
        optional("regression", Kind::Shape(&REGRESSION), "Thresholds that runs of the suite must meet."),
        optional("tools", LIVE_TOOLS, "Tools that are executed in record and live mode, by name."),
        optional("tool_module", Kind::Name, "A Python module with tools."),
        NORMALIZATION,
        optional("faults", FAULTS, "Faults to inject into tool calls."),
        optional("redact", Kind::Shape(&REDACTION), "Additional secrets that must not be stored or shown."),
    ],
);

/// A case file.
pub(crate) static CASE: Shape = Shape::new(
    "the case",
    "A test: a task, and the recorded answers of its tools.",
    &[
        required("id", Kind::Name, "Name of the case in reports; unique in the suite."),
        optional("description", Kind::Text, "What the case tests."),
        required("input", Kind::Object, "Task of the agent."),
        required("cassette", Kind::Name, "File with the recorded tool calls, relative to the folder of the suite."),
        optional("assertions", ASSERTIONS, "What this case must satisfy in addition to what the suite requires."),
        optional(
            "budgets",
            Kind::Shape(&BUDGETS),
            "Limits that stop the case and fail it when exceeded; they override those of the suite.",
        ),
        NORMALIZATION,
        optional("faults", FAULTS, "Faults to inject into tool calls."),
    ],
);

/// Reads a suite file; `None` if a required part is missing or invalid.
pub(super) fn suite(place: SuiteFolder<'_>, path: &Path, root: &Node, problems: &mut Diagnostics) -> Option<SuiteFile> {
    SUITE.read(root, problems, |fields| {
        let name = fields.required("suite_name", read::name);
        let span = fields.node("agent_command").map_or(root.span, |node| node.span);
        let command = fields.required("agent_command", command_parts);
        let mode = fields.required("mode", |node, key, problems| read::choice(node, key, &Mode::NAMES, problems));
        let cases_path = fields.required("cases_path", read::name);
        let tools = fields.required("tool_registry", read::texts);
        let baseline = fields.optional("baseline_path", read::name);
        let baseline = baseline.map(|path| Spanned::new(configured(place.folder, &path.value), path.span));
        let gates = Gates { baseline, ..fields.or_default("regression", regression) };
        let mut gates = within(gates, fields.key_span("regression"));
        gates.keys.extend(fields.key_span("baseline_path").map(|span| ("baseline".to_owned(), span)));
        let output_dir = fields.name("output_dir").map(|output| configured(place.folder, &output));
        let redact = fields.or_default("redact", read_redaction);
        let checks = fields.or_default("assertions", assertions);
        let limits = fields.or_default("budgets", budgets);
        let live = LiveTools {
            tools: fields.or_default("tools", |node, problems| read_live_tools(node, place, problems)),
            module: fields.optional("tool_module", read::name),
            folder: place.folder.to_path_buf(),
        };
        let world = World {
            live: Arc::new(live),
            normalization: Arc::new(fields.or_default("normalization", normalization)),
            faults: fields.or_default("faults", read_faults).into(),
            ..World::default()
        };
        let (name, command, mode, cases_path, tools) = (name?, command?, mode?, cases_path?, tools?);
        let target = Target::Process(ProcessTarget {
            command: place.command(command),
            folder: None,
            environment: Vec::new(),
            speaks: Speech::Protocol,
            output: OutputRule::Required,
            span,
        });
        let (path, folder) = (path.to_path_buf(), place.folder.to_path_buf());
        let suite = new_suite(name.value, (Dialect::Runledger, CONVENTIONS), path, folder, name.span);
        Some(SuiteFile {
            suite: Suite { mode, output_dir, redact, gates, ..suite },
            cases_path,
            target: Arc::new(target),
            world: World { allowed: Some(tools.into()), ..world },
            checks,
            limits,
        })
    })
}

/// Resolves a path of the suite; suites written on Windows contain backslashes.
pub(super) fn configured(folder: &Path, written: &str) -> PathBuf {
    join(folder, &written.replace('\\', "/"))
}

fn normalization(node: &Node, problems: &mut Diagnostics) -> Normalization {
    read_normalization(node, Reading::Legacy, problems)
}

fn command_parts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Text>> {
    let parts = read::texts(node, name, problems)?;
    let empty = node.items().is_some_and(<[Node]>::is_empty);
    if empty || parts.first().is_some_and(|program| program.value.trim().is_empty()) {
        let help = "write the program and its arguments: `[python3, agent.py]`";
        problems.error(node.span, format!("`{name}` names no program"), "a program is missing here").help(help);
        return None;
    }
    Some(parts.into_iter().map(|part| Text::Literal(part.value)).collect())
}

/// Reads a case file; `None` if a required part is missing or invalid.
pub(super) fn case(root: &Node, suite: &SuiteFile, problems: &mut Diagnostics) -> Option<Case> {
    CASE.read(root, problems, |fields| {
        let id = fields.required("id", read::name);
        let description = fields.text("description");
        let input = fields.required("input", |node, key, problems| {
            let value = read::object(node, key, Reading::Legacy, problems)?;
            legacy::warn(node, problems);
            Some(plain_turn(TurnInput::Input(Data::literal(&value)), node.span))
        });
        let cassette = fields.required("cassette", read::name);
        let checks = fields.or_default("assertions", assertions);
        let limits = fields.or_default("budgets", budgets).over(&suite.limits);
        let normalization = fields.or_default("normalization", normalization);
        let faults = fields.or_default("faults", read_faults);
        let (id, input, cassette) = (id?, input?, cassette?);
        let path = configured(&suite.suite.folder, &cassette.value);
        let world = World {
            tools: ToolSource::Cassette(Cassette { path, span: cassette.span }),
            normalization: Arc::new(suite.world.normalization.extended(&normalization)),
            faults: suite.world.faults.iter().cloned().chain(faults).collect(),
            ..suite.world.clone()
        };
        Some(Case {
            description: description.map(Into::into),
            turns: [input].into(),
            checks: suite.checks.iter().cloned().chain(checks).collect(),
            timeout: limits.wall_ms.is_none().then_some(DEFAULT_TIMEOUT),
            limits: limits.shared(),
            ..Case::new(id.value, id.span, Arc::clone(&suite.target), Arc::new(world))
        })
    })
}
