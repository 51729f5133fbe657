//! The suite file and the case files as plain structs.

use std::sync::Arc;

use agentci_plan::{Check, Fault, Gates, Limits, LiveTool, Mode, Normalization, Redaction};
use agentci_source::shape::{Shape, ValueKind, optional, required, words};
use agentci_source::{Diagnostics, Name, Node, Reading, Span, Spanned, read};
use serde_json::Value;

use super::assertion::{ASSERTIONS, assertions};
use super::budgets::{BUDGETS, budgets};
use super::legacy;
use super::regression::{REGRESSION, regression};
use crate::command::SuiteFolder;
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
    pub(super) checks: Vec<Arc<Check>>,
    pub(super) limits: Limits,
    pub(super) output_dir: Option<String>,
    pub(super) baseline_path: Option<Spanned<String>>,
    pub(super) gates: Gates,
    pub(super) live: Vec<(Spanned<String>, LiveTool)>,
    pub(super) module: Option<Spanned<String>>,
    pub(super) normalization: Normalization,
    pub(super) faults: Vec<Fault>,
    pub(super) redact: Redaction,
}

/// A suite file.
pub(crate) static SUITE: Shape = Shape::new(
    "the suite",
    "A suite whose cases are files of their own.",
    &[
        required("suite_name", ValueKind::Name, "What reports call the suite."),
        required(
            "agent_command",
            ValueKind::Filled(&ValueKind::Text),
            "The agent: a program and its arguments; files in it are found beside the suite.",
        ),
        required(
            "mode",
            ValueKind::Choice(&words(&Mode::NAMES)),
            "Whether tools are answered from recordings, recorded, or live.",
        ),
        required("cases_path", ValueKind::Name, "The folder of the cases."),
        required("tool_registry", ValueKind::List(&ValueKind::Text), "The tools that the agent may call."),
        optional("assertions", ASSERTIONS, "What is asked of every case."),
        optional("budgets", ValueKind::Shape(&BUDGETS), "What stops a case, and fails it."),
        optional("output_dir", ValueKind::Name, "Where runs are stored."),
        optional("baseline_path", ValueKind::Name, "The summary of a former run to compare with."),
        optional("regression", ValueKind::Shape(&REGRESSION), "What runs of the suite are held against."),
        optional("tools", LIVE_TOOLS, "Tools that are executed in record and live mode, by name."),
        optional("tool_module", ValueKind::Name, "A Python module with tools."),
        optional(
            "normalization",
            ValueKind::Shape(&NORMALIZATION),
            "What of a tool's arguments does not count when calls are compared.",
        ),
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
        optional("redact", ValueKind::Shape(&REDACTION), "What must not be stored or shown."),
    ],
);

/// A case file.
pub(crate) static CASE: Shape = Shape::new(
    "the case",
    "One test: a task, and what its tools answered.",
    &[
        required("id", ValueKind::Name, "What reports call the case; each stands once in a suite."),
        optional("description", ValueKind::Text, "What it is about."),
        required("input", ValueKind::Object, "The task that the agent is given."),
        required("cassette", ValueKind::Name, "The file with what tools answered, from the folder of the suite."),
        optional("assertions", ASSERTIONS, "What is asked of this case beyond what the suite asks."),
        optional("budgets", ValueKind::Shape(&BUDGETS), "What stops the case, in place of the suite's."),
        optional(
            "normalization",
            ValueKind::Shape(&NORMALIZATION),
            "What of a tool's arguments does not count when calls are compared.",
        ),
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
    ],
);

/// Reads a suite file; `None` when something it cannot do without is missing or wrong.
pub(super) fn suite(place: SuiteFolder<'_>, root: &Node, problems: &mut Diagnostics) -> Option<SuiteFile> {
    SUITE.read(root, problems, |fields| {
        let name = fields.required("suite_name", read::name);
        let command_span = fields.node("agent_command").map_or(root.span, |node| node.span);
        let command = fields.required("agent_command", command_parts);
        let mode = fields.required("mode", |node, key, problems| read::choice(node, key, &Mode::NAMES, problems));
        let cases_path = fields.required("cases_path", read::name);
        let tools = fields.required("tool_registry", read::texts);
        Some(SuiteFile {
            checks: fields.or_default("assertions", assertions),
            limits: fields.or_default("budgets", budgets),
            output_dir: fields.name("output_dir"),
            baseline_path: fields.optional("baseline_path", read::name),
            gates: fields.or_default("regression", regression),
            live: fields.or_default("tools", |node, problems| read_live_tools(node, place, problems)),
            module: fields.optional("tool_module", read::name),
            normalization: fields.or_default("normalization", normalization),
            faults: fields.or_default("faults", read_faults),
            redact: fields.or_default("redact", read_redaction),
            name: name?,
            command: command?,
            command_span,
            mode: mode?,
            cases_path: cases_path?,
            tools: tools?,
        })
    })
}

fn normalization(node: &Node, problems: &mut Diagnostics) -> Normalization {
    read_normalization(node, Reading::Legacy, problems)
}

fn command_parts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Spanned<String>>> {
    let parts = read::texts(node, name, problems)?;
    let empty = node.items().is_some_and(<[Node]>::is_empty);
    if empty || parts.first().is_some_and(|program| program.value.trim().is_empty()) {
        let help = "write the program and its arguments: `[python3, agent.py]`";
        problems.error(node.span, format!("`{name}` names no program"), "a program is missing here").help(help);
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
    pub(super) checks: Vec<Arc<Check>>,
    pub(super) limits: Limits,
    pub(super) normalization: Normalization,
    pub(super) faults: Vec<Fault>,
}

/// Reads a case file; `None` when something it cannot do without is missing or wrong.
pub(super) fn case(root: &Node, problems: &mut Diagnostics) -> Option<CaseFile> {
    CASE.read(root, problems, |fields| {
        let id = fields.required("id", read::name);
        let description = fields.text("description");
        let input = fields.required("input", |node, key, problems| {
            let value = read::object(node, key, Reading::Legacy, problems)?;
            legacy::warn(node, problems);
            Some(Spanned::new(value, node.span))
        });
        let cassette = fields.required("cassette", read::name);
        Some(CaseFile {
            description,
            checks: fields.or_default("assertions", assertions),
            limits: fields.or_default("budgets", budgets),
            normalization: fields.or_default("normalization", normalization),
            faults: fields.or_default("faults", read_faults),
            id: id?.into_name(),
            input: input?,
            cassette: cassette?,
        })
    })
}
