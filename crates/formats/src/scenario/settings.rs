//! Reads the settings of a project: an `agentci.yaml` without `cases:`.
//!
//! ```yaml
//! targets:
//!   us_payroll: { url: "http://127.0.0.1:8081/", agent_command: [python3, agent.py] }
//! tool_bases: [PAY_DETAILS_API_BASE, US_PAYROLL_API_BASE]
//! embedder: builtin
//! threshold: { builtin: 0.55 }
//! ```

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{HttpTarget, Strictness, Text, TextEvents, ToolBase, UnansweredRoute};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, words};
use agentci_source::{Diagnostic, Diagnostics, Files, Node, Pair, Span, Spanned, did_you_mean, read, relative};

use super::threshold::{THRESHOLD, threshold};
use crate::ScenarioOptions;
use crate::command::SuiteFolder;
use crate::native::{HTTP_KEYS, SERVER_KEYS, read_address, read_http, usual_http};
use crate::search::EXCLUDE;
use crate::world::{BASES, PORT, read_bases, read_port};

/// Default address of an agent.
const USUAL_URL: &str = "http://127.0.0.1:8081/";

/// The target of agents without their own target.
const DEFAULT: &str = "default";

/// Values of `facts` and `contradictions`: what to do if the answer differs in this way.
const FACTS: [(&str, &str); 3] = [("fail", "fail"), ("warn", "warn"), ("off", "off")];

/// Default of `facts` and `contradictions`.
const USUAL_FACTS: &str = "warn";

#[derive(Default)]
pub(crate) struct ProjectSettings {
    targets: Vec<ScenarioTarget>,
    bases: Option<Arc<[ToolBase]>>,
    miss: Option<UnansweredRoute>,
    facts: Option<&'static str>,
    contradictions: Option<&'static str>,
    pub(super) stub_port: Option<u16>,
    pub(super) embedder: Option<Spanned<String>>,
    pub(super) threshold: Option<Node>,
}

struct ScenarioTarget {
    /// The agent that it is for.
    slug: Spanned<String>,
    url: Option<Spanned<Text>>,
    /// The remaining keys.
    http: HttpTarget,
}

/// The settings file.
pub(crate) static SETTINGS: Shape = Shape::new(
    "the settings",
    "Settings shared by all scenarios of a project.",
    &[
        optional(
            "targets",
            Kind::Map(&Kind::Shape(&TARGET)),
            "Targets of agents, by agent folder; `default` applies to all other agents.",
        ),
        optional("tool_bases", BASES, "Environment variables with the base URLs of tools."),
        optional(
            "stub_miss",
            Kind::Choice(&words(&UnansweredRoute::NAMES)),
            "What to do when no answer matches a call. Default: fail.",
        ),
        optional(
            "stub_port",
            PORT,
            "The port of the stub tool server, for an agent that is already running. Default: any free port.",
        ),
        optional(
            "facts",
            Kind::Choice(&words(&FACTS)),
            "What to do if the answer does not state an expected fact. Default: `warn`.",
        ),
        optional(
            "contradictions",
            Kind::Choice(&words(&FACTS)),
            "What to do if the answer certainly contradicts the expected one. Default: `warn`.",
        ),
        optional("embedder", Kind::Name, "Embedder for `semantic` checks: `builtin` or `openai:MODEL`."),
        optional("threshold", THRESHOLD, "Minimum similarity, or one for each embedder."),
    ],
)
.with(&[&[EXCLUDE]]);

static TARGET: Shape = Shape::new(
    "a target",
    "How to reach an agent.",
    &[optional("url", Kind::Address, "URL; it may contain variables.")],
)
.with(&[
    HTTP_KEYS,
    &[optional("agent_command", Kind::Filled(&Kind::Text), "Agent program that agentci starts, and its arguments.")],
    SERVER_KEYS,
])
.rules(&[
    KeyRule::Needs("folder", "agent_command"),
    KeyRule::Needs("env", "agent_command"),
    KeyRule::Needs("ready", "agent_command"),
    KeyRule::Needs("patience", "agent_command"),
]);

/// Reads the settings of a project.
pub(super) fn settings(root: &Node, files: &dyn Files, folder: &Path, problems: &mut Diagnostics) -> ProjectSettings {
    if root.is_null() {
        return ProjectSettings::default();
    }
    let place = SuiteFolder { files, folder };
    let settings = SETTINGS.read(root, problems, |fields| {
        let settings = ProjectSettings {
            targets: fields.or_default("targets", |node, problems| targets(node, place, problems)),
            bases: fields.node("tool_bases").map(|node| read_bases(node, "tool_bases", fields.problems)),
            miss: fields.choice("stub_miss", &UnansweredRoute::NAMES),
            facts: fields.choice("facts", &FACTS),
            contradictions: fields.choice("contradictions", &FACTS),
            stub_port: fields.optional("stub_port", read_port),
            embedder: fields.optional("embedder", read::name),
            threshold: fields.optional("threshold", threshold),
        };
        // Already read by the search.
        fields.node(EXCLUDE.key);
        Some(settings)
    });
    settings.unwrap_or_default()
}

fn targets(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Vec<ScenarioTarget> {
    let pairs = read::pairs(node, "`targets`", "`agent: { url: .. }`", problems);
    let target = |pair: &Pair| {
        TARGET.read(&pair.value, problems, |fields| {
            let slug = Spanned::new(pair.key.text.to_string(), pair.key.span);
            let url = fields.optional("url", read_address);
            let http = read_http(fields, "agent_command", place, lenient_http(slug.span));
            Some(ScenarioTarget { slug, url, http })
        })
    };
    pairs.iter().filter_map(target).collect()
}

/// The default server, except that every event with text counts and a mislabelled answer is only a warning.
fn lenient_http(span: Span) -> HttpTarget {
    HttpTarget { events: TextEvents::All, protocol: Strictness::Warn, ..usual_http(span) }
}

impl ProjectSettings {
    /// The target of an agent. `folder` is the folder of its suite, to which the paths in its command are made
    /// relative; `span` is the place of a target that the settings do not define.
    pub(super) fn target(&self, slug: &str, folder: &Path, options: &ScenarioOptions, span: Span) -> HttpTarget {
        let of = |slug: &str| self.targets.iter().find(|target| target.slug.value == slug);
        let found = of(slug).or_else(|| of(DEFAULT));
        let mut http = found.map_or_else(|| lenient_http(span), |target| target.http.clone());
        let usual = || Spanned::new(Text::Literal(USUAL_URL.into()), http.span);
        let url = match &options.agent_url {
            Some(url) => Spanned::new(Text::Literal(url.clone()), http.span),
            None => found.and_then(|target| target.url.clone()).unwrap_or_else(usual),
        };
        if options.agent_url.is_some() {
            // An agent whose address the caller sets is already running.
            http.server = None;
        }
        for part in http.server.iter_mut().flat_map(|server| &mut server.command) {
            if let Some(file) = &part.file {
                part.text = Text::Literal(relative(folder, file).to_string_lossy().into_owned());
            }
        }
        HttpTarget { url, ..http }
    }

    /// Warns of a target whose name is similar to that of an agent without a target, and is not that of another agent.
    pub(super) fn misspelt(&self, slug: &str, agents: &[String]) -> Option<Diagnostic> {
        let own = self.targets.iter().any(|target| target.slug.value == slug);
        let near = self.targets.iter().find(|target| {
            let name = &target.slug.value;
            name != DEFAULT && !agents.contains(name) && did_you_mean(name, [slug]).is_some()
        })?;
        let message = format!("unknown agent `{}`", near.slug.value.escape_debug());
        let help = format!("did you mean `{slug}`?");
        (!own).then(|| Diagnostic::warning(near.slug.span, message).label("no agent has this name").help(help))
    }

    /// The variables with the base URLs of tools: those of the settings, else the default ones.
    pub(super) fn bases(&self, slug: &str, span: Span) -> Arc<[ToolBase]> {
        self.bases.clone().unwrap_or_else(|| {
            let names = usual_bases(slug).into_iter();
            names.map(|name| ToolBase { name: Spanned::new(name, span), live: None }).collect()
        })
    }

    pub(super) fn miss(&self, options: &ScenarioOptions) -> UnansweredRoute {
        options.miss.or(self.miss).unwrap_or_default()
    }

    pub(super) fn facts(&self) -> &'static str {
        self.facts.unwrap_or(USUAL_FACTS)
    }

    pub(super) fn contradictions(&self) -> &'static str {
        self.contradictions.unwrap_or(USUAL_FACTS)
    }
}

/// The variable named after the agent, and those of the payroll agents that the dialect was made for, so that none of
/// them calls a live tool by accident.
fn usual_bases(slug: &str) -> Vec<String> {
    let word: String =
        slug.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    let digit = word.starts_with(|c: char| c.is_ascii_digit());
    let mut names = vec![format!("{}{word}_API_BASE", if digit { "_" } else { "" })];
    for name in ["PAY_DETAILS_API_BASE", "US_PAYROLL_API_BASE", "UK_PAYROLL_API_BASE"] {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_names_derive_from_the_agent_slug() {
        for (slug, first, count) in [
            ("us_payroll", "US_PAYROLL_API_BASE", 3),
            ("time-off", "TIME_OFF_API_BASE", 4),
            ("401k", "_401K_API_BASE", 4),
        ] {
            let names = usual_bases(slug);
            assert_eq!((names[0].as_str(), names.len()), (first, count));
        }
    }
}
