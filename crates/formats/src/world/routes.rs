//! Reads tools that an agent calls over HTTP, in the native format:
//!
//! ```yaml
//! routes:
//!   paySlips:
//!     - request: { payDetailsIds: [1] }
//!       response_file: payslips/1.json
//!     - { request: { payDetailsIds: [2] }, response: { error: gone }, status: 410, delay: 50ms }
//! bases: [PAY_API_BASE]
//! miss: warn
//! ```

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Fixture, FixtureAnswer, RoutedTool, Routes, ToolBase, UnansweredRoute};
use agentci_source::shape::{Field, KeyRule, Kind as Of, Shape, optional, words};
use agentci_source::{Diagnostic, Diagnostics, FileKind, Node, Pair, Reader, Reading, Span, Spanned, read};
use serde_json::Value;

use super::bases::{BASES, read_bases};
use super::fixture::{FixtureManner, MANNER, USUAL_STATUS, check_delay, read_manner, read_tool_id};
use crate::command::SuiteFolder;
use crate::printer::Printer;

/// The keys of routed tools.
pub(crate) static ROUTES: &[Field] = &[
    optional(
        "routes",
        Of::Map(&Of::List(&Of::Shape(&ROUTE))),
        "Answers of the tools that the agent calls over HTTP, by tool name.",
    ),
    optional("bases", BASES, "The environment variables that point the agent at its tools."),
    optional(
        "miss",
        Of::Choice(&words(&UnansweredRoute::NAMES)),
        "What to do when no answer matches a call. Default: fail.",
    ),
    optional(
        "port",
        PORT,
        "The port of the stub tool server, for an agent that is already running. Default: any free port.",
    ),
];

pub(crate) const PORT: Of = Of::Whole(1, 65535);

static ROUTE: Shape = Shape::new(
    "an answer",
    "A request to a tool, and its answer.",
    &[optional("request", Of::Data, "The request to match. Default: any request.")],
)
.with(&[
    MANNER,
    &[
        optional("delay", Of::Duration, "The delay before the answer is sent."),
        optional("response_file", Of::Name, "A file with the answer, relative to the suite's folder."),
        optional("response", Of::Data, "The answer itself."),
    ],
])
.rules(&[KeyRule::OneWritten(&["response_file", "response"])]);

/// The settings of a suite or a case for routed tools.
#[derive(Default)]
pub(crate) struct RouteSettings {
    tools: Vec<RoutedTool>,
    bases: Option<Arc<[ToolBase]>>,
    miss: Option<UnansweredRoute>,
    port: Option<u16>,
    span: Option<Span>,
}

/// Reads `routes`, `bases`, `miss` and `port`.
pub(crate) fn read_routes(fields: &mut Reader<'_, '_>, place: SuiteFolder<'_>) -> RouteSettings {
    let written = ["routes", "bases", "miss", "port"].into_iter().find_map(|key| fields.node(key));
    RouteSettings {
        tools: fields.or_default("routes", |node, problems| tools(node, place, problems)),
        bases: fields.node("bases").map(|node| read_bases(node, "bases", fields.problems)),
        miss: fields.choice("miss", &UnansweredRoute::NAMES),
        port: fields.optional("port", read_port),
        span: written.map(|node| node.span),
    }
}

impl RouteSettings {
    /// The place of the first setting, if there is any.
    pub(crate) fn span(&self) -> Option<Span> {
        self.span
    }

    /// The case's settings over those of its suite (`common`). Tools replace those of the same name. `None` if neither
    /// has any.
    pub(crate) fn over(&self, common: &Self) -> Option<Routes> {
        let span = self.span.or(common.span)?;
        let mut tools = common.tools.clone();
        tools.retain(|tool| !self.tools.iter().any(|own| own.id.value == tool.id.value));
        tools.extend(self.tools.iter().cloned());
        let bases = self.bases.as_ref().or(common.bases.as_ref()).cloned();
        let miss = self.miss.or(common.miss).unwrap_or_default();
        let port = self.port.or(common.port);
        Some(Routes { bases: bases.unwrap_or_else(|| Arc::from([])), tools, miss, port, record: None, span })
    }
}

/// Reads the port of the stub tool server.
pub(crate) fn read_port(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u16> {
    let number = read::number(node, name, problems)?;
    let port = number.to_string().parse::<u16>().ok().filter(|port| *port > 0);
    if port.is_none() {
        let help = "omit it to use any free port, which the run prints";
        problems.mismatch(node, format_args!("`{name}` must be a port, from 1 to 65535"), "not a port").help(help);
    }
    port
}

fn tools(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Vec<RoutedTool> {
    let pairs = read::pairs(node, "`routes`", "`tool: [..]`", problems);
    let tool = |pair: &Pair| {
        let id = read_tool_id(pair, problems)?;
        let items = read::list(&pair.value, &id.value, problems)?;
        let fixtures = items.iter().filter_map(|item| fixture(item, place, problems)).collect();
        Some(RoutedTool { id, fixtures })
    };
    pairs.iter().filter_map(tool).collect()
}

fn fixture(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Fixture> {
    ROUTE.read(node, problems, |fields| {
        let request = fields.valid("request", |node, key, problems| read::data(node, key, Reading::Core, problems));
        let FixtureManner { name, method, status, headers } = read_manner(fields);
        let delay = fields.optional("delay", delay).unwrap_or_default();
        let [file, inline] = ["response_file", "response"].map(|key| fields.node(key));
        let answer = match (file, inline) {
            (Some(file), None) => answer_file(file, place, fields.problems),
            (None, Some(inline)) => {
                read::data(inline, "response", Reading::Core, fields.problems).map(FixtureAnswer::Inline)
            }
            // The answer may be null, but the key must be present.
            (None, None) if fields.key_span("response").is_some() => Some(FixtureAnswer::Inline(Value::Null)),
            _ => {
                fields.problems.push(either_answer(node.span));
                None
            }
        };
        let (request, answer) = (request?, answer?);
        Some(Fixture { name, method, request, answer, status, headers, delay, span: node.span })
    })
}

fn delay(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Duration> {
    let delay = read::duration(node, name, problems)?;
    check_delay(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), node, name, problems).map(|_| delay)
}

fn answer_file(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<FixtureAnswer> {
    let written = read::name(node, "response_file", problems)?;
    let path = place.path(&written.value);
    if place.files.kind(&path) != Some(FileKind::File) {
        let help = "paths are relative to the suite's folder";
        problems.error(node.span, format!("file `{}` does not exist", path.display()), "not found").help(help);
        return None;
    }
    Some(FixtureAnswer::File(Spanned::new(path, written.span)))
}

/// The error for an answer with neither of the keys, or with both.
pub(crate) fn either_answer(span: Span) -> Diagnostic {
    Diagnostic::error(span, "an answer needs either `response_file` or `response`")
        .label("expected one of the two")
        .help("name a file with `response_file: payslips/1.json`, or write JSON: `response: { ok: true }`")
}

impl Printer<'_> {
    /// The routes as pairs of the mapping `tools`.
    pub(crate) fn routes(&self, routes: &Routes) -> Vec<(&'static str, Option<Node>)> {
        let fixtures = |fixtures: &[Fixture]| fixtures.iter().map(|fixture| self.fixture(fixture)).collect();
        let tool = |tool: &RoutedTool| Node::list(self.span, fixtures(&tool.fixtures));
        vec![
            ("routes", Some(self.map(routes.tools.iter().map(|routed| (&routed.id.value, Some(tool(routed))))))),
            ("bases", self.bases(&routes.bases)),
            ("miss", self.choice(routes.miss, &UnansweredRoute::NAMES)),
            ("port", routes.port.map(|port| self.plain(port))),
        ]
    }

    fn fixture(&self, fixture: &Fixture) -> Node {
        let (key, answer) = match &fixture.answer {
            FixtureAnswer::File(file) => ("response_file", self.path(&file.value)),
            FixtureAnswer::Inline(value) => ("response", self.value(value)),
        };
        let headers = fixture.headers.iter().map(|(name, value)| (name, Some(self.text(value))));
        self.map([
            ("name", fixture.name.as_ref().map(|name| self.text(name))),
            ("method", fixture.method.as_ref().map(|method| self.text(method))),
            ("request", fixture.request.as_ref().map(|request| self.value(request))),
            (key, Some(answer)),
            ("status", (fixture.status != USUAL_STATUS).then(|| self.plain(fixture.status))),
            ("headers", self.filled_map(headers)),
            ("delay", self.duration(fixture.delay, Duration::ZERO)),
        ])
    }
}
