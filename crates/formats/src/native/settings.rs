//! The keys that a suite and its cases share: defaults in the suite, the last word in the case.

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
use super::target::{ReadTarget, TARGET, target};
use crate::gates::placed_truth;

/// When to stop, by its name in a suite.
pub(super) const STOP_RULES: [(&str, StopRule); 3] = [
    ("first_failed_turn", StopRule::FirstFailedTurn),
    ("never", StopRule::Never),
    ("first_failure", StopRule::FirstFailure),
];

/// When a case is given up; never with `none`.
#[derive(Clone, Copy)]
pub(super) struct Timeout(pub(super) Option<Duration>);

/// What the world of a case is made of; a key that a case leaves out is the suite's.
#[derive(Default)]
pub(super) struct WorldSettings {
    /// The model that the agent is led to.
    pub(super) model: ModelSettings,
    /// The MCP servers that are played; a case's own replace those of the same name.
    pub(super) mcp: McpSettings,
    /// The recording's path, in which `{case}` stands for the case's id.
    pub(super) cassette: Option<Spanned<String>>,
    pub(super) allow: Option<Arc<[Spanned<String>]>>,
    /// Tools to execute; a case's own replace those of the same name.
    pub(super) live: Vec<(Spanned<String>, LiveTool)>,
    /// Tools whose answers are written down; a case's own replace those of the same name.
    pub(super) scripted: Vec<ScriptedTool>,
    /// Patterns of results that say that a tool was not run.
    pub(super) refusals: Vec<Spanned<String>>,
    pub(super) module: Option<Spanned<String>>,
    /// Tools that are called over HTTP.
    pub(super) routes: RouteSettings,
    pub(super) normalization: Normalization,
    pub(super) faults: Vec<Fault>,
    /// The path of the recording, in which `{case}` stands for the case's id.
    pub(super) recording: Option<Spanned<String>>,
    /// What is not compared with it.
    pub(super) matching: MatchSettings,
    /// Whether anything is said of it at all.
    pub(super) is_written: bool,
}

impl WorldSettings {
    /// What these settings and those of the suite are together that neither could be: a model without answers, or two MCP servers
    /// with one variable.
    pub(super) fn misfit(&self, common: &Self) -> Option<Diagnostic> {
        let is_recorded = self.recording.is_some() || common.recording.is_some();
        self.model.without_script(&common.model, is_recorded).or_else(|| self.mcp.clash(&common.mcp))
    }

    /// The paths in which `{case}` may stand, those of the case before those of the suite.
    pub(super) fn paths<'s>(&'s self, common: &'s Self) -> impl Iterator<Item = &'s str> {
        let cassette = self.cassette.as_ref().or(common.cassette.as_ref());
        let recording = self.recording.as_ref().or(common.recording.as_ref());
        let (model, script) = (self.model.recording(&common.model), self.model.script_path(&common.model));
        let paths = [cassette, recording, model, script].into_iter().flatten().map(|path| path.value.as_str());
        paths.chain(self.mcp.paths(&common.mcp))
    }
}

/// The shared keys of a suite or a case.
#[derive(Default)]
pub(super) struct SharedSettings {
    pub(super) target: Option<ReadTarget>,
    pub(super) world: WorldSettings,
    pub(super) variables: Vec<(String, Text)>,
    pub(super) hooks: Vec<Hook>,
    pub(super) checks: Vec<Arc<Check>>,
    pub(super) limits: Limits,
    pub(super) timeout: Option<Timeout>,
    pub(super) runs: Option<u32>,
    pub(super) stop: Option<StopRule>,
    pub(super) played: Option<Spanned<bool>>,
}

/// The shared keys.
pub(super) static SETTINGS: &[Field] = &[
    optional("target", Kind::Shape(&TARGET), "How the agent is reached: one key, the kind."),
    optional("world", Kind::Shape(&WORLD), "What the agent's model and tools meet."),
    optional("variables", Kind::Map(&Kind::Word), "Values for `${..}` in texts."),
    optional("hooks", Kind::List(&Kind::Shape(&HOOK)), "Commands that run before a case."),
    optional("checks", Kind::List(&Kind::Check), "What is asked of the whole case."),
    optional("limits", Kind::Shape(&LIMITS), "What stops a case, and fails it."),
    optional(
        "timeout",
        Kind::Either(&[Kind::Duration, Kind::Choice(&["none"])]),
        "When a case is given up, or `none`.",
    ),
    optional("runs", Kind::Whole(1, MOST_RUNS as i64), "How often a case is run; it passes only if all its runs do."),
    optional("stop", Kind::Choice(&words(&STOP_RULES)), "When the rest of a case is left out."),
    optional(
        "played",
        Kind::Truth,
        "Whether a case is meant to be answered from its `recording`, so that `--require-agent` lets it through.",
    ),
];

static WORLD: Shape = Shape::new(
    "`world`",
    "What the agent's model and tools meet.",
    &[
        optional(
            "model",
            Kind::Shape(&MODEL),
            "The mock LLM that the agent is led to, or a recording of the real one.",
        ),
        optional("mcp", MCP, "The MCP servers that are played for the agent, by name."),
        optional("tools", Kind::Shape(&TOOLS), "What answers for tools."),
        NORMALIZATION,
        optional("faults", FAULTS, "What goes wrong with tools on purpose."),
        optional(
            "recording",
            Kind::Name,
            "A recording of all that the agent sends to its model and tools, or of the conversation with a server that runs already; `{case}` stands for the id of the case.",
        ),
        optional(
            "match",
            Kind::Shape(&MATCH),
            "What is not compared between requests of the agent and their recording.",
        ),
    ],
);

static TOOLS: Shape = Shape::new(
    "`tools`",
    "What answers for tools.",
    &[
        optional("cassette", Kind::Name, "Recorded answers; `{case}` stands for the id of the case."),
        optional("allow", Kind::List(&Kind::Text), "The tools that may be called; without it, all."),
        optional("live", LIVE_TOOLS, "Tools that are executed in record and live mode, by name."),
        optional("module", Kind::Name, "A Python module with tools."),
        optional("scripted", SCRIPTED, "Answers that are written down, by name."),
        optional(
            "refusals",
            Kind::List(&Kind::Text),
            "Patterns of results that say that a tool was not run, beside the forms that are known.",
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

/// Takes the shared keys.
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

fn runs(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u32> {
    let runs = read::count(node, name, 1, problems)?;
    if runs > MOST_RUNS {
        let message = format!("`{name}` must be {MOST_RUNS} or less, found {runs}");
        let help = "run the suite several times, and compare the runs with a baseline";
        problems.error(node.span, message, format!("at most {MOST_RUNS}")).help(help);
        return None;
    }
    Some(runs)
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

/// What is said of tools alone.
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
                "use `cassette` where the agent asks `agentci` for tools, and `routes` where it calls them over HTTP";
            fields.problems.error(span, message, "a second source of answers").help(help);
        }
        Some(settings)
    });
    settings.unwrap_or_default()
}

/// Patterns of results that say that a tool was not run.
fn refusals(node: &Node, problems: &mut Diagnostics) -> Vec<Spanned<String>> {
    let patterns = read::texts(node, "refusals", problems).unwrap_or_default();
    for pattern in &patterns {
        check_pattern(pattern, problems);
        if pattern.value.is_empty() {
            let help = "write words that only a refusal has";
            problems.error(pattern.span, "an empty pattern fits every result", "fits every result").help(help);
        }
    }
    patterns
}

fn variables(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let good = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    for pair in node.pairs().unwrap_or_default() {
        if !good(&pair.key.text) {
            let message = format!("`{}` can not be the name of a variable", pair.key.text.escape_debug());
            let help = "use letters, digits and `_`";
            problems.error(pair.key.span, message, "could not be written as `${..}`").help(help);
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
