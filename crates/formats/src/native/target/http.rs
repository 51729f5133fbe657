//! A server that is asked over plain HTTP, as the native dialect has it and as the settings of a project do.

use agentci_plan::{HttpServer, HttpTarget, OutputRule, Strictness, Target, Text, TextEvents};
use agentci_source::shape::{Field, KeyRule, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reader, Span, Spanned, read};

use super::super::readers::{SuiteFolder, command, data, named_texts};
use super::{ReadTarget, read_address};
use crate::gates::placed_truth;
use crate::printer::Printer;

/// What is said about a program that is the server, beside its command.
const ABOUT_SERVER: [&str; 5] = ["folder", "env", "ready", "patience", "shared"];

/// What is said about a server beside its address.
pub(crate) static HTTP_KEYS: &[Field] = &[
    optional("headers", Kind::Map(&Kind::Word), "Headers that are sent along."),
    optional("body", Kind::Data, "The body of the request; variables such as `${input}` stand in its texts."),
    optional("answer", Kind::Like("^(/|$)"), "A JSON pointer to what the agent says in the answer."),
    optional(
        "events",
        Kind::Either(&[Kind::Choice(&["all"]), Kind::Filled(&Kind::Name)]),
        "The kinds of server-sent events that are text; `all` for every event that carries text.",
    ),
    optional(
        "protocol",
        Kind::Choice(&words(&Strictness::NAMES)),
        "The outcome of an answer that is not what its `content-type` or its stream format says.",
    ),
    optional("timeout", Kind::Duration, "How long one request may take."),
];

/// What is said about a program that is the server, beside its command.
pub(crate) static SERVER_KEYS: &[Field] = &[
    optional("folder", Kind::Name, "The folder that the program runs in."),
    optional("env", Kind::Map(&Kind::Word), "Variables of its environment."),
    optional("ready", Kind::Address, "An address that answers once the program is ready."),
    optional("patience", Kind::Duration, "How long the program may take to be ready."),
    optional(
        "shared",
        Kind::Truth,
        "Whether one program serves all cases although their tools are played [default: false].",
    ),
];

pub(super) static HTTP: Shape = Shape::new(
    "`http`",
    "A server that is asked over plain HTTP.",
    &[required("url", Kind::Address, "The address; variables may stand in it.")],
)
.with(&[
    HTTP_KEYS,
    &[optional("command", Kind::Filled(&Kind::Text), "The program that is the server, started by the run.")],
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

/// A server of which nothing is said, and whose address is yet to be filled in.
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

/// Takes the keys of a server but for its address, whatever mapping they stand in; `program` is the one that has its command.
/// What is left out is as in `usual`.
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
        let help = "write `[token]` with the kinds of events that are text, or `all`";
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
            let message = format!("`{key}` is about an agent that the run starts, and this one is not");
            let help = format!("say how it is started with `{program}: [python3, agent.py]`, or remove `{key}`");
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
