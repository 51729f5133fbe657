//! Helpers: routes to serve, and a client for them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{
    Fault, FaultKind, FaultTime, Fixture, FixtureAnswer, Mode, RoutedTool, Routes, Text, ToolBase, UnansweredRoute,
};
use agentci_source::{FileId, Files, MemoryFiles, Sources, Span, Spanned};
use agentci_stubs::{Faults, RouteError, RouteOptions, RouteServer, RouteServerOptions, RouteSession};
use agentci_trace::EventKind;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use crate::raw::{Answer, request, send_to};

pub(crate) fn file() -> FileId {
    Sources::default().add(Path::new("scenario.yaml"), "")
}

pub(crate) fn line(line: u32) -> Span {
    Span { file: file(), line, column: 1, width: 1 }
}

/// A fixture for a request.
pub(crate) fn fixture(request: Value, answer: Value) -> Fixture {
    Fixture { request: Some(request), ..for_any(answer) }
}

/// A fixture for any request.
pub(crate) fn for_any(answer: Value) -> Fixture {
    Fixture {
        name: None,
        method: None,
        request: None,
        answer: FixtureAnswer::Inline(answer),
        status: 200,
        headers: Vec::new(),
        delay: Duration::ZERO,
        span: line(7),
    }
}

pub(crate) fn from_file(path: &str) -> FixtureAnswer {
    FixtureAnswer::File(Spanned::new(path.into(), line(8)))
}

pub(crate) fn tool(id: &str, fixtures: impl Into<Vec<Fixture>>) -> RoutedTool {
    RoutedTool { id: Spanned::new(id.into(), line(5)), fixtures: fixtures.into() }
}

pub(crate) fn routes(tools: impl Into<Vec<RoutedTool>>) -> Routes {
    Routes {
        bases: [].into(),
        tools: tools.into(),
        miss: UnansweredRoute::Fail,
        port: None,
        record: None,
        span: line(4),
    }
}

pub(crate) fn base(name: &str, live: Option<&str>) -> ToolBase {
    ToolBase { name: Spanned::new(name.into(), line(2)), live: live.map(Text::parse) }
}

pub(crate) fn fault(tool: Option<&str>, when: FaultTime, kind: FaultKind) -> Fault {
    Fault { tool: tool.map(|tool| Spanned::new(tool.to_owned(), line(9))), model: false, when, kind, span: line(9) }
}

/// Options for opening routes.
pub(crate) struct Opening<'o> {
    pub(crate) scope: Option<&'o str>,
    pub(crate) alone: bool,
    pub(crate) mode: Mode,
    pub(crate) faults: Vec<Fault>,
    pub(crate) observer: Option<UnboundedSender<EventKind>>,
    pub(crate) files: &'o dyn Files,
}

static NO_FILES: std::sync::LazyLock<MemoryFiles> = std::sync::LazyLock::new(MemoryFiles::default);

impl Default for Opening<'_> {
    fn default() -> Self {
        Self { scope: None, alone: false, mode: Mode::Replay, faults: Vec::new(), observer: None, files: &*NO_FILES }
    }
}

pub(crate) fn open(server: &RouteServer, routes: Routes, how: Opening<'_>) -> Result<RouteSession, RouteError> {
    let faults = Faults::new(how.faults.into(), 1);
    let variables = &|name: &str| (name == "KNOWN").then(|| "known".to_owned());
    let routes = Arc::new(routes);
    let options = RouteOptions { routes, mode: how.mode, faults, observer: how.observer, files: how.files, variables };
    match how.scope.filter(|_| how.alone) {
        Some(scope) => server.open_alone(scope, options),
        None => server.open(how.scope, options),
    }
}

pub(crate) async fn start() -> RouteServer {
    RouteServer::start(RouteServerOptions::default()).await.unwrap()
}

/// A server with one case that has these tools.
pub(crate) async fn serve(tools: impl Into<Vec<RoutedTool>>) -> (RouteServer, RouteSession) {
    let server = start().await;
    let session = open(&server, routes(tools), Opening::default()).unwrap();
    (server, session)
}

pub(crate) async fn ask(server: &RouteServer, method: &str, path: &str, body: &str) -> Answer {
    send_to(server.address(), &request(method, path, "", body.as_bytes())).await
}

pub(crate) async fn post(server: &RouteServer, path: &str, body: &Value) -> Answer {
    ask(server, "POST", path, &body.to_string()).await
}

pub(crate) async fn get(server: &RouteServer, path: &str) -> Answer {
    ask(server, "GET", path, "").await
}
