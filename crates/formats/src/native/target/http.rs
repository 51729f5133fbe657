//! A server that is asked over plain HTTP, as the native dialect has it and as the settings of a project do.

use std::time::Duration;

use agentci_plan::{Data, HttpServer, HttpTarget, OutputRule, Strictness, Text, TextEvents};
use agentci_source::shape::{Field, Kind, Rule, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Reading, Span, Spanned, join, read};

use super::super::words::{Place, command, named_texts};
use super::read_address;
use crate::command::part;
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
    Rule::Needs("folder", "command"),
    Rule::Needs("env", "command"),
    Rule::Needs("ready", "command"),
    Rule::Needs("patience", "command"),
    Rule::Needs("shared", "command"),
]);

pub(super) fn http(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<HttpTarget> {
    let mut fields = HTTP.open(node, problems)?;
    fields.required("url", problems);
    let read = read_http(&mut fields, "command", place, problems);
    let output = fields.optional("output").and_then(|node| read::choice(node, "output", &OutputRule::NAMES, problems));
    fields.finish(problems);
    let url = read.url.clone()?;
    Some(HttpTarget { output: output.unwrap_or_default(), ..read.target(url, node.span) })
}

/// The keys of a server, whatever mapping they stand in.
#[derive(Clone, Default)]
pub(crate) struct ReadHttp {
    pub(crate) url: Option<Spanned<Text>>,
    pub(crate) server: Option<HttpServer>,
    headers: Vec<(String, Text)>,
    body: Option<Data>,
    answer: Option<Spanned<String>>,
    events: Option<TextEvents>,
    protocol: Option<Strictness>,
    timeout: Option<Duration>,
}

/// Takes the keys of a server; `program` is the one that has its command.
pub(crate) fn read_http(
    fields: &mut read::Fields<'_>,
    program: &'static str,
    place: Place<'_>,
    problems: &mut Diagnostics,
) -> ReadHttp {
    ReadHttp {
        url: fields.optional("url").and_then(|node| read_address(node, "url", problems)),
        headers: fields.optional("headers").map(|node| named_texts(node, "headers", problems)).unwrap_or_default(),
        body: fields
            .optional("body")
            .and_then(|node| read::data(node, "body", Reading::Core, problems))
            .map(|value| Data::parse(&value)),
        answer: fields.optional("answer").and_then(|node| pointer(node, problems)),
        events: fields.optional("events").and_then(|node| events(node, problems)),
        protocol: fields
            .optional("protocol")
            .and_then(|node| read::choice(node, "protocol", &Strictness::NAMES, problems)),
        timeout: fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems)),
        server: server(fields, program, place, problems),
    }
}

impl ReadHttp {
    /// The target at this address.
    pub(crate) fn target(self, url: Spanned<Text>, span: Span) -> HttpTarget {
        let Self { headers, body, answer, events, protocol, timeout, server, .. } = self;
        HttpTarget {
            url,
            headers,
            body,
            answer,
            events: events.unwrap_or_default(),
            protocol: protocol.unwrap_or(HttpTarget::PROTOCOL),
            timeout: timeout.unwrap_or(HttpTarget::TIMEOUT),
            server,
            output: OutputRule::Required,
            span,
        }
    }

    /// The same, with the defaults of a format in which every event with text counts and a mislabelled answer is a warning.
    #[must_use]
    pub(crate) fn lenient(mut self) -> Self {
        self.events.get_or_insert(TextEvents::All);
        self.protocol.get_or_insert(Strictness::Warn);
        self
    }
}

fn events(node: &Node, problems: &mut Diagnostics) -> Option<TextEvents> {
    if node.scalar().is_some_and(|scalar| &*scalar.text == "all") {
        return Some(TextEvents::All);
    }
    let items = read::list(node, "events", problems)?;
    if items.is_empty() {
        let help = "write `[token]` with the kinds of events that are text, or `all`";
        problems.error(node.span, "`events` must name at least one kind of event", "no event would be text").help(help);
        return None;
    }
    let names = items.iter().filter_map(|item| read::name(item, "events", problems));
    Some(TextEvents::Named(names.map(|name| name.value).collect()))
}

fn pointer(node: &Node, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let pointer = read::text(node, "answer", problems)?;
    if pointer.is_empty() || pointer.starts_with('/') {
        return Some(Spanned::new(pointer, node.span));
    }
    let help = format!("write `/{}`", pointer.trim_start_matches("$.").replace('.', "/"));
    problems.mismatch(node, "`answer` must be a JSON pointer", "does not begin with `/`").help(help);
    None
}

fn server(
    fields: &mut read::Fields<'_>,
    program: &'static str,
    place: Place<'_>,
    problems: &mut Diagnostics,
) -> Option<HttpServer> {
    let written = fields.optional(program);
    let command = written.and_then(|node| command(node, program, problems));
    let [folder, env, ready, patience, shared] = ABOUT_SERVER.map(|key| fields.optional(key));
    let folder = folder.and_then(|node| read::name(node, "folder", problems));
    let environment = env.map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    let ready = ready.and_then(|node| read_address(node, "ready", problems));
    let patience = patience.and_then(|node| read::duration(node, "patience", problems));
    let shared = shared.filter(|node| read::truth(node, "shared", problems) == Some(true)).map(|node| node.span);
    if written.is_none() {
        for (key, span) in ABOUT_SERVER.into_iter().filter_map(|key| Some((key, fields.key_span(key)?))) {
            let message = format!("`{key}` is about an agent that the run starts, and this one is not");
            let help = format!("say how it is started with `{program}: [python3, agent.py]`, or remove `{key}`");
            problems.error(span, message, "nothing is started").help(help);
        }
    }
    Some(HttpServer {
        command: command?.into_iter().map(|text| part(place.files, place.folder, text)).collect(),
        folder: folder.map(|folder| join(place.folder, &folder.value)),
        environment,
        ready,
        patience: patience.unwrap_or(HttpServer::PATIENCE),
        shared,
        span: written.map_or(fields.span(), |node| node.span),
    })
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
