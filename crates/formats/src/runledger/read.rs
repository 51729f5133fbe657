//! The suite file and the case files as plain structs.

use std::path::Path;

use agentci_plan::{Check, Fault, Gates, Limits, LiveTool, Mode, Normalization, Redaction};
use agentci_source::shape::{Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Files, Name, Node, Reading, Span, Spanned, read};
use serde_json::Value;

use super::assertion::ASSERTIONS;
use super::budgets::BUDGETS;
use super::regression::REGRESSION;
use super::{assertion, budgets, legacy, regression};
use crate::world::{
    FAULTS, LIVE_TOOLS, NORMALIZATION, REDACTION, read_faults, read_live_tools, read_normalization, read_redaction,
};

/// What a suite file says.
pub(super) struct SuiteFile {
    pub(super) name: Spanned<String>,
    pub(super) command: Vec<Spanned<String>>,
    pub(super) command_span: Span,
    pub(super) mode: Mode,
    pub(super) cases_path: Spanned<String>,
    pub(super) tools: Vec<Spanned<String>>,
    pub(super) checks: Vec<Check>,
    pub(super) limits: Limits,
    pub(super) output_dir: Option<String>,
    pub(super) surroundings: Surroundings,
    pub(super) baseline_path: Option<Spanned<String>>,
    pub(super) gates: Gates,
}

/// A suite file.
pub(crate) static SUITE: Shape = Shape::new(
    "the suite",
    "A suite whose cases are files of their own.",
    &[
        required("suite_name", Kind::Name, "What reports call the suite."),
        required(
            "agent_command",
            Kind::Filled(&Kind::Text),
            "The agent: a program and its arguments; files in it are found beside the suite.",
        ),
        required(
            "mode",
            Kind::Choice(&words(&Mode::NAMES)),
            "Whether tools are answered from recordings, recorded, or live.",
        ),
        required("cases_path", Kind::Name, "The folder of the cases."),
        required("tool_registry", Kind::List(&Kind::Text), "The tools that the agent may call."),
        optional("assertions", ASSERTIONS, "What is asked of every case."),
        optional("budgets", Kind::Shape(&BUDGETS), "What stops a case, and fails it."),
        optional("output_dir", Kind::Name, "Where runs are stored."),
        optional("baseline_path", Kind::Name, "The summary of a former run to compare with."),
        optional("regression", Kind::Shape(&REGRESSION), "What runs of the suite are held against."),
        optional("tools", LIVE_TOOLS, "Tools that are executed in record and live mode, by name."),
        optional("tool_module", Kind::Name, "A Python module with tools."),
        optional(
            "normalization",
            Kind::Shape(&NORMALIZATION),
            "What of a tool's arguments does not count when calls are compared.",
        ),
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
        optional("redact", Kind::Shape(&REDACTION), "What must not be stored or shown."),
    ],
);

/// A case file.
pub(crate) static CASE: Shape = Shape::new(
    "the case",
    "One test: a task, and what its tools answered.",
    &[
        required("id", Kind::Name, "What reports call the case; each stands once in a suite."),
        optional("description", Kind::Text, "What it is about."),
        required("input", Kind::Object, "The task that the agent is given."),
        required("cassette", Kind::Name, "The file with what tools answered, from the folder of the suite."),
        optional("assertions", ASSERTIONS, "What is asked of this case beyond what the suite asks."),
        optional("budgets", Kind::Shape(&BUDGETS), "What stops the case, in place of the suite's."),
        optional(
            "normalization",
            Kind::Shape(&NORMALIZATION),
            "What of a tool's arguments does not count when calls are compared.",
        ),
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
    ],
);

/// Reads a suite file; `None` when something it cannot do without is missing or wrong.
pub(super) fn suite(files: &dyn Files, folder: &Path, root: &Node, problems: &mut Diagnostics) -> Option<SuiteFile> {
    let mut fields = SUITE.open(root, problems)?;
    let name = fields.required("suite_name", problems).and_then(|node| read::name(node, "suite_name", problems));
    let command = fields.required("agent_command", problems);
    let command_span = command.map_or(root.span, |node| node.span);
    let command = command.and_then(|node| command_parts(node, problems));
    let mode = fields.required("mode", problems).and_then(|node| read::choice(node, "mode", &Mode::NAMES, problems));
    let cases_path = fields.required("cases_path", problems).and_then(|node| read::name(node, "cases_path", problems));
    let tools =
        fields.required("tool_registry", problems).and_then(|node| read::texts(node, "tool_registry", problems));
    let checks = fields.optional("assertions").map(|node| assertion::assertions(node, problems)).unwrap_or_default();
    let limits = fields.optional("budgets").map(|node| budgets::budgets(node, problems)).unwrap_or_default();
    let output_dir = fields
        .optional("output_dir")
        .and_then(|node| read::name(node, "output_dir", problems))
        .map(|folder| folder.value);
    let baseline_path = fields.optional("baseline_path").and_then(|node| read::name(node, "baseline_path", problems));
    let gates = fields.optional("regression").map(|node| regression::regression(node, problems)).unwrap_or_default();
    let surroundings = surroundings(&mut fields, files, folder, problems);
    fields.finish(problems);
    Some(SuiteFile {
        name: name?,
        command: command?,
        command_span,
        mode: mode?,
        cases_path: cases_path?,
        tools: tools?,
        checks,
        limits,
        output_dir,
        surroundings,
        baseline_path,
        gates,
    })
}

/// What a suite says about the world around the agent, beyond what its tools answered once.
pub(super) struct Surroundings {
    pub(super) live: Vec<(Spanned<String>, LiveTool)>,
    pub(super) module: Option<Spanned<String>>,
    pub(super) normalization: Normalization,
    pub(super) faults: Vec<Fault>,
    pub(super) redact: Redaction,
}

fn surroundings(
    fields: &mut read::Fields<'_>,
    files: &dyn Files,
    folder: &Path,
    problems: &mut Diagnostics,
) -> Surroundings {
    Surroundings {
        live: fields.optional("tools").map(|node| read_live_tools(node, files, folder, problems)).unwrap_or_default(),
        module: fields.optional("tool_module").and_then(|node| read::name(node, "tool_module", problems)),
        normalization: normalization(fields, problems),
        faults: fields.optional("faults").map(|node| read_faults(node, problems)).unwrap_or_default(),
        redact: fields.optional("redact").map(|node| read_redaction(node, problems)).unwrap_or_default(),
    }
}

fn normalization(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) -> Normalization {
    let node = fields.optional("normalization");
    node.map(|node| read_normalization(node, Reading::Legacy, problems)).unwrap_or_default()
}

fn command_parts(node: &Node, problems: &mut Diagnostics) -> Option<Vec<Spanned<String>>> {
    let parts = read::texts(node, "agent_command", problems)?;
    let empty = node.items().is_some_and(<[Node]>::is_empty);
    if empty || parts.first().is_some_and(|program| program.value.trim().is_empty()) {
        let help = "write the program and its arguments: `[python3, agent.py]`";
        problems.error(node.span, "`agent_command` names no program", "a program is missing here").help(help);
        return None;
    }
    Some(parts)
}

/// What a case file says.
pub(super) struct CaseFile {
    pub(super) id: Spanned<Name>,
    pub(super) description: Option<String>,
    pub(super) input: Spanned<Value>,
    pub(super) cassette: Spanned<String>,
    pub(super) checks: Vec<Check>,
    pub(super) limits: Limits,
    pub(super) normalization: Normalization,
    pub(super) faults: Vec<Fault>,
}

/// Reads a case file; `None` when something it cannot do without is missing or wrong.
pub(super) fn case(root: &Node, problems: &mut Diagnostics) -> Option<CaseFile> {
    let mut fields = CASE.open(root, problems)?;
    let id = fields.required("id", problems).and_then(|node| read::name(node, "id", problems)).map(Spanned::into_name);
    let description = fields.optional("description").and_then(|node| read::text(node, "description", problems));
    let input = fields.required("input", problems).and_then(|node| {
        let value = read::object(node, "input", Reading::Legacy, problems)?;
        legacy::warn(node, problems);
        Some(Spanned::new(value, node.span))
    });
    let cassette = fields.required("cassette", problems).and_then(|node| read::name(node, "cassette", problems));
    let checks = fields.optional("assertions").map(|node| assertion::assertions(node, problems)).unwrap_or_default();
    let limits = fields.optional("budgets").map(|node| budgets::budgets(node, problems)).unwrap_or_default();
    let normalization = normalization(&mut fields, problems);
    let faults = fields.optional("faults").map(|node| read_faults(node, problems)).unwrap_or_default();
    fields.finish(problems);
    Some(CaseFile { id: id?, description, input: input?, cassette: cassette?, checks, limits, normalization, faults })
}
