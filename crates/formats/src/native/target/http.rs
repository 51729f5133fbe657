//! Reads a server that is called over plain HTTP, from native suites and from the settings of a project.

use agentci_plan::{HttpServer, HttpTarget, OutputRule, Strictness, Target, Text, TextEvents};
use agentci_source::shape::{Field, KeyRule, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reader, Span, Spanned, read};

use super::super::readers::{SuiteFolder, command, data, named_texts};
use super::{ReadTarget, read_address};
use crate::gates::placed_truth;
use crate::printer::Printer;

/// Keys about a server program, except for its command.
const ABOUT_SERVER: [&str; 5] = ["folder", "env", "ready", "patience", "shared"];

/// Keys of a server, except for its URL.
pub(crate) static HTTP_KEYS: &[Field] = &[
    optional("headers", Kind::Map(&Kind::Word), "Additional request headers."),
    optional("body", Kind::Data, "Request body; its strings may contain variables such as `${INPUT}`."),
    optional("answer", Kind::Like("^(/|$)"), "JSON pointer to the text in each JSON value of the answer."),
    optional(
        "events",
        Kind::Either(&[Kind::Choice(&["all"]), Kind::Filled(&Kind::Name)]),
        "Kinds of server-sent events that are text, or `all` for every event that carries text.",
    ),
    optional(
        "protocol",
        Kind::Choice(&words(&Strictness::NAMES)),
        "How to treat an answer that does not match its `content-type` or its stream format.",
    ),
    optional("timeout", Kind::Duration, "Timeout of one request. Default: 1m."),
];

/// Keys about a server program, except for its command.
pub(crate) static SERVER_KEYS: &[Field] = &[
    optional("folder", Kind::Name, "Working directory of the program."),
    optional("env", Kind::Map(&Kind::Word), "Environment variables to set."),
    optional("ready", Kind::Address, "URL that answers once the program is ready."),
    optional("patience", Kind::Duration, "Startup timeout of the program. Default: 30s."),
    optional(
        "shared",
        Kind::Truth,
        "Whether one program serves all cases even if their tools are mocked. Default: false.",
    ),
];

pub(super) static HTTP: Shape = Shape::new(
    "`http`",
    "A server that is called over plain HTTP.",
    &[required("url", Kind::Address, "URL; it may contain variables.")],
)
.with(&[
    HTTP_KEYS,
    &[optional("command", Kind::Filled(&Kind::Text), "Server program that agentci starts, and its arguments.")],
    SERVER_KEYS,
    &[optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT)],
])
.rules(&[
    KeyRule::Needs("folder", "command"),
    KeyRule::Needs("env", "command"),
    KeyRule::Needs("ready", "command"),
    KeyRule::Needs("patience", "command"),
    KeyRule::Needs("shared", "command"),
]);

pub(super) fn http(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    HTTP.read(node, problems, |fields| {
        let url = fields.required("url", read_address);
        let http = read_http(fields, "command", place, usual_http(node.span));
        let output = fields.choice("output", &OutputRule::NAMES).unwrap_or_default();
        Some(Target::Http(Box::new(HttpTarget { url: url?, output, ..http })).into())
    })
}

/// A server with default settings and an empty URL, to be filled in by the caller.
pub(crate) fn usual_http(span: Span) -> HttpTarget {
    HttpTarget {
        url: Spanned::new(Text::Literal(String::new()), span),
        headers: Vec::new(),
        body: None,
        answer: None,
        events: TextEvents::default(),
        protocol: HttpTarget::PROTOCOL,
        timeout: HttpTarget::TIMEOUT,
        server: None,
        output: OutputRule::Required,
        span,
    }
}

/// Reads the keys of a server, except for its URL, from any mapping that contains them; `program` is the key of its
/// command. Omitted keys are taken from `usual`.
pub(crate) fn read_http(
    fields: &mut Reader<'_, '_>,
    program: &'static str,
    place: SuiteFolder<'_>,
    usual: HttpTarget,
) -> HttpTarget {
    HttpTarget {
        headers: fields.named_or_default("headers", named_texts),
        body: fields.optional("body", data),
        answer: fields.optional("answer", pointer),
        events: fields.optional("events", events).unwrap_or(usual.events),
        protocol: fields.choice("protocol", &Strictness::NAMES).unwrap_or(usual.protocol),
        timeout: fields.duration("timeout").unwrap_or(usual.timeout),
        server: server(fields, program, place),
        ..usual
    }
}

fn events(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<TextEvents> {
    if node.scalar().is_some_and(|scalar| &*scalar.text == "all") {
        return Some(TextEvents::All);
    }
    let items = read::list(node, name, problems)?;
    if items.is_empty() {
        let help = "write the kinds of events that are text, such as `[token]`, or `all`";
        problems.error(node.span, "`events` must name at least one kind of event", "no event would be text").help(help);
        return None;
    }
    let names = items.iter().filter_map(|item| read::name(item, name, problems));
    Some(TextEvents::Named(names.map(|name| name.value).collect()))
}

fn pointer(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let pointer = read::text(node, name, problems)?;
    if pointer.is_empty() || pointer.starts_with('/') {
        return Some(Spanned::new(pointer, node.span));
    }
    let help = format!("write `/{}`", pointer.trim_start_matches("$.").replace('.', "/"));
    problems.mismatch(node, "`answer` must be a JSON pointer", "does not begin with `/`").help(help);
    None
}

fn server(fields: &mut Reader<'_, '_>, program: &'static str, place: SuiteFolder<'_>) -> Option<HttpServer> {
    let written = fields.node(program);
    let command = fields.optional(program, command);
    let folder = fields.name("folder").map(|folder| place.path(&folder));
    let environment = fields.named_or_default("env", named_texts);
    let ready = fields.optional("ready", read_address);
    let patience = fields.duration("patience").unwrap_or(HttpServer::PATIENCE);
    let shared = fields.optional("shared", placed_truth).filter(|shared| shared.value).map(|shared| shared.span);
    if written.is_none() {
        for key in ABOUT_SERVER {
            let Some(span) = fields.key_span(key) else { continue };
            let message = format!("`{key}` has no effect: agentci does not start this agent");
            let help = format!("add its command with `{program}: [python3, agent.py]`, or remove `{key}`");
            fields.problems.error(span, message, "nothing is started").help(help);
        }
    }
    let span = written.map_or(fields.span(), |node| node.span);
    Some(HttpServer { command: place.command(command?), folder, environment, ready, patience, shared, span })
}

impl Printer<'_> {
    pub(super) fn http(&self, http: &HttpTarget) -> Node {
        let events = match &http.events {
            TextEvents::Usual => None,
            TextEvents::All => Some(self.text("all")),
            TextEvents::Named(names) => self.texts(names),
        };
        let protocol = Some(http.protocol).filter(|protocol| *protocol != HttpTarget::PROTOCOL);
        let server = http.server.as_ref();
        self.map([
            ("url", Some(self.template(&http.url.value))),
            ("headers", self.named_texts(&http.headers)),
            ("body", http.body.as_ref().map(|body| self.data(body))),
            ("answer", http.answer.as_ref().map(|answer| self.text(&answer.value))),
            ("events", events),
            ("protocol", protocol.and_then(|protocol| self.word(protocol, &Strictness::NAMES))),
            ("timeout", self.duration(http.timeout, HttpTarget::TIMEOUT)),
            ("command", server.and_then(|server| self.command(&server.command))),
            ("folder", server.and_then(|server| server.folder.as_deref()).map(|folder| self.path(folder))),
            ("env", server.and_then(|server| self.named_texts(&server.environment))),
            ("ready", server.and_then(|server| server.ready.as_ref()).map(|ready| self.template(&ready.value))),
            ("patience", server.and_then(|server| self.duration(server.patience, HttpServer::PATIENCE))),
            ("shared", self.flag(server.is_some_and(|server| server.shared.is_some()))),
            ("output", self.choice(http.output, &OutputRule::NAMES)),
        ])
    }
}
