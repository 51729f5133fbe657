//! The keys that a suite and its cases share. The suite sets defaults; the values of a case take precedence.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Check, Fault, Hook, Limits, LiveTool, MOST_RUNS, Normalization, ScriptedTool, StopRule, Text};
use agentci_source::shape::{Field, KeyRule, Kind, Shape, optional, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Reader, Reading, Spanned, read};

use crate::world::{
    FAULTS, LIVE_TOOLS, NORMALIZATION, ROUTES, RouteSettings, SCRIPTED, check_pattern, read_faults, read_live_tools,
    read_normalization, read_routes, read_scripted,
};

use super::check::checks;
use super::hook::{HOOK, hooks};
use super::limits::{LIMITS, limits};
use super::matching::{MATCH, MatchSettings};
use super::mcp::{MCP, McpSettings};
use super::model::{MODEL, ModelSettings};
use super::readers::{SuiteFolder, named_texts};
use super::repeats::{REPEATS, RunSetting, runs};
use super::target::{ReadTarget, TARGET, target};
use crate::gates::placed_truth;

/// Stop rules by their names in a suite.
pub(super) const STOP_RULES: [(&str, StopRule); 3] = [
    ("first_failed_turn", StopRule::FirstFailedTurn),
    ("never", StopRule::Never),
    ("first_failure", StopRule::FirstFailure),
];

/// The timeout of a case; `None` if it is written as `none`.
#[derive(Clone, Copy)]
pub(super) struct Timeout(pub(super) Option<Duration>);

/// The `world` settings of a suite or a case; a key that a case omits is taken from the suite.
#[derive(Default)]
pub(super) struct WorldSettings {
    pub(super) model: ModelSettings,
    /// Mock MCP servers; those of a case replace those of the suite with the same name.
    pub(super) mcp: McpSettings,
    /// The path of the cassette, in which `{case}` is replaced by the case's id.
    pub(super) cassette: Option<Spanned<String>>,
    pub(super) allow: Option<Arc<[Spanned<String>]>>,
    /// Tools to execute; those of a case replace those of the suite with the same name.
    pub(super) live: Vec<(Spanned<String>, LiveTool)>,
    /// Tools with scripted answers; those of a case replace those of the suite with the same name.
    pub(super) scripted: Vec<ScriptedTool>,
    /// Patterns of results that mean that a tool was not run.
    pub(super) refusals: Vec<Spanned<String>>,
    pub(super) module: Option<Spanned<String>>,
    pub(super) routes: RouteSettings,
    pub(super) normalization: Normalization,
    pub(super) faults: Vec<Fault>,
    /// The path of the recording, in which `{case}` is replaced by the case's id.
    pub(super) recording: Option<Spanned<String>>,
    /// What to ignore when requests are compared with the recording.
    pub(super) matching: MatchSettings,
    /// Whether `world` is set at all.
    pub(super) is_written: bool,
}

impl WorldSettings {
    /// The error in the combination of these settings with those of the suite: a model without answers, or two MCP
    /// servers with the same environment variable.
    pub(super) fn misfit(&self, common: &Self) -> Option<Diagnostic> {
        let is_recorded = self.recording.is_some() || common.recording.is_some();
        self.model.without_script(&common.model, is_recorded).or_else(|| self.mcp.clash(&common.mcp))
    }

    /// The paths of scripts, which are read with the suite.
    pub(super) fn scripts<'s>(&'s self, common: &'s Self) -> impl Iterator<Item = &'s str> {
        let model = self.model.script_path(&common.model).map(|path| path.value.as_str());
        model.into_iter().chain(self.mcp.scripts(&common.mcp))
    }

    /// The paths that may contain `{case}`: those of the case, else those of the suite.
    pub(super) fn paths<'s>(&'s self, common: &'s Self) -> impl Iterator<Item = &'s str> {
        let cassette = self.cassette.as_ref().or(common.cassette.as_ref());
        let recording = self.recording.as_ref().or(common.recording.as_ref());
        let (model, script) = (self.model.recording(&common.model), self.model.script_path(&common.model));
        let paths = [cassette, recording, model, script].into_iter().flatten().map(|path| path.value.as_str());
        paths.chain(self.mcp.paths(&common.mcp))
    }
}

/// The values of the shared keys of a suite or a case.
#[derive(Default)]
pub(super) struct SharedSettings {
    pub(super) target: Option<ReadTarget>,
    pub(super) world: WorldSettings,
    pub(super) variables: Vec<(String, Text)>,
    pub(super) hooks: Vec<Hook>,
    pub(super) checks: Vec<Arc<Check>>,
    pub(super) limits: Limits,
    pub(super) timeout: Option<Timeout>,
    pub(super) runs: Option<RunSetting>,
    pub(super) stop: Option<StopRule>,
    pub(super) played: Option<Spanned<bool>>,
}

/// The declarations of the shared keys.
pub(super) static SETTINGS: &[Field] = &[
    optional("target", Kind::Shape(&TARGET), "How to reach the agent: a mapping with one key, the kind of target."),
    optional("world", Kind::Shape(&WORLD), "Model, tools and MCP servers that the agent uses."),
    optional("variables", Kind::Map(&Kind::Word), "Values for `${..}` in strings."),
    optional("hooks", Kind::List(&Kind::Shape(&HOOK)), "Commands that run before a case."),
    optional("checks", Kind::List(&Kind::Check), "Checks on the whole case."),
    optional("limits", Kind::Shape(&LIMITS), "Limits that stop a case and fail it when exceeded."),
    optional(
        "timeout",
        Kind::Either(&[Kind::Duration, Kind::Choice(&["none"])]),
        "Timeout of a case, or `none`. Default: 5m.",
    ),
    optional(
        "runs",
        Kind::Either(&[Kind::Whole(1, MOST_RUNS as i64), Kind::Shape(&REPEATS)]),
        "How many times a case runs, or `until: decided`; it passes only if all runs pass. Default: 1.",
    ),
    optional(
        "stop",
        Kind::Choice(&words(&STOP_RULES)),
        "When to skip the rest of a case. Default: `first_failed_turn`.",
    ),
    optional(
        "played",
        Kind::Truth,
        "Whether a case replays its `recording` on purpose, so that `--require-agent` accepts it. Default: false.",
    ),
];

static WORLD: Shape = Shape::new(
    "`world`",
    "Model, tools and MCP servers that the agent uses.",
    &[
        optional("model", Kind::Shape(&MODEL), "Mock LLM for the agent, or a recording of the real one."),
        optional("mcp", MCP, "Mock MCP servers for the agent, by name."),
        optional("tools", Kind::Shape(&TOOLS), "Where the answers of tools come from."),
        NORMALIZATION,
        optional("faults", FAULTS, "Faults to inject into tool calls, or into calls of a recorded model."),
        optional(
            "recording",
            Kind::Name,
            "Recording of all requests of the agent to its model and tools, or of the conversation with a \
             server that is already running; `{case}` is replaced by the case id.",
        ),
        optional(
            "match",
            Kind::Shape(&MATCH),
            "What to ignore when requests of the agent are compared with their recording.",
        ),
    ],
);

static TOOLS: Shape = Shape::new(
    "`tools`",
    "Where the answers of tools come from.",
    &[
        optional("cassette", Kind::Name, "Recorded answers; `{case}` is replaced by the case id."),
        optional("allow", Kind::List(&Kind::Text), "Tools that may be called. Default: all."),
        optional("live", LIVE_TOOLS, "Tools that are executed in record and live mode, by name."),
        optional("module", Kind::Name, "A Python module with tools."),
        optional("scripted", SCRIPTED, "Scripted answers, by tool name."),
        optional(
            "refusals",
            Kind::List(&Kind::Text),
            "Patterns of results that mean that a tool was not run, in addition to the built-in ones.",
        ),
    ],
)
.with(&[ROUTES])
.rules(&[
    KeyRule::NotBoth(&["cassette", "routes"]),
    KeyRule::NotBoth(&["cassette", "bases"]),
    KeyRule::NotBoth(&["cassette", "miss"]),
    KeyRule::NotBoth(&["cassette", "port"]),
]);

/// Reads the shared keys.
pub(super) fn settings(fields: &mut Reader<'_, '_>, place: SuiteFolder<'_>) -> SharedSettings {
    SharedSettings {
        target: fields.optional("target", |node, _, problems| target(node, place, problems)),
        world: fields.or_default("world", |node, problems| world(node, place, problems)),
        variables: fields.named_or_default("variables", variables),
        hooks: fields.or_default("hooks", |node, problems| hooks(node, place, problems)),
        checks: fields.or_default("checks", checks),
        limits: fields.or_default("limits", limits),
        timeout: fields.optional("timeout", timeout),
        runs: fields.optional("runs", runs),
        stop: fields.choice("stop", &STOP_RULES),
        played: fields.optional("played", placed_truth),
    }
}

fn world(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> WorldSettings {
    let settings = WORLD.read(node, problems, |fields| {
        let model = fields.or_default("model", ModelSettings::read);
        let mcp = fields.or_default("mcp", McpSettings::read);
        let tools = fields.or_default("tools", |node, problems| tools(node, place, problems));
        Some(WorldSettings {
            model,
            mcp,
            normalization: fields
                .or_default("normalization", |node, problems| read_normalization(node, Reading::Core, problems)),
            faults: fields.or_default("faults", read_faults),
            recording: fields.optional("recording", read::name),
            matching: fields.or_default("match", MatchSettings::read),
            is_written: true,
            ..tools
        })
    });
    settings.unwrap_or_default()
}

/// Reads `tools`; all other settings of the world stay at their defaults.
fn tools(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> WorldSettings {
    let settings = TOOLS.read(node, problems, |fields| {
        let settings = WorldSettings {
            cassette: fields.optional("cassette", read::name),
            allow: fields.optional("allow", read::texts).map(Into::into),
            live: fields.or_default("live", |node, problems| read_live_tools(node, place, problems)),
            module: fields.optional("module", read::name),
            scripted: fields.or_default("scripted", read_scripted),
            refusals: fields.or_default("refusals", refusals),
            routes: read_routes(fields, place),
            ..WorldSettings::default()
        };
        if let (Some(_), Some(span)) = (&settings.cassette, settings.routes.span()) {
            let message = "tools are answered by a `cassette` or by `routes`, not by both";
            let help =
                "use `cassette` if the agent calls tools through agentci, and `routes` if it calls them over HTTP";
            fields.problems.error(span, message, "a second source of answers").help(help);
        }
        Some(settings)
    });
    settings.unwrap_or_default()
}

/// Patterns of results that mean that a tool was not run.
fn refusals(node: &Node, problems: &mut Diagnostics) -> Vec<Spanned<String>> {
    let patterns = read::texts(node, "refusals", problems).unwrap_or_default();
    for pattern in &patterns {
        check_pattern(pattern, problems);
        if pattern.value.is_empty() {
            let help = "write a pattern that matches only refusals";
            problems.error(pattern.span, "an empty pattern matches every result", "matches every result").help(help);
        }
    }
    patterns
}

fn variables(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let good = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    for pair in node.pairs().unwrap_or_default() {
        if !good(&pair.key.text) {
            let message = format!("`{}` cannot be the name of a variable", pair.key.text.escape_debug());
            let help = "use letters, digits and `_`";
            problems.error(pair.key.span, message, "cannot be written as `${..}`").help(help);
        }
    }
    named_texts(node, name, problems)
}

fn timeout(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Timeout> {
    if node.scalar().is_some_and(|scalar| &*scalar.text == "none") {
        return Some(Timeout(None));
    }
    read::duration(node, name, problems).map(|time| Timeout(Some(time)))
}
