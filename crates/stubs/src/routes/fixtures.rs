//! Loads the fixtures of a case and finds those for a request.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use agentci_plan::{Fixture, FixtureAnswer, Routes};
use agentci_source::{Files, Span};
use agentci_trace::same_value;
use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::content::{content_type, of_the_connection};
use super::{error::RouteError, request::ToolRequest};
use crate::wildcard;

/// Maximum size of an answer in bytes.
const ANSWER_LIMIT: u64 = 64 << 20;

/// All tools with their fixtures.
#[derive(Debug, Default)]
pub(super) struct FixtureSet {
    tools: Vec<ToolFixtures>,
}

#[derive(Debug)]
pub(super) struct ToolFixtures {
    pub(super) id: String,
    pub(super) fixtures: Vec<ReadyFixture>,
}

/// A fixture with its answer loaded.
#[derive(Debug)]
pub(super) struct ReadyFixture {
    pub(super) name: Option<String>,
    /// The line of the fixture, from 1; 0 if it has none.
    pub(super) line: u32,
    pub(super) method: Option<Method>,
    pub(super) request: Option<Value>,
    pub(super) reply: RouteReply,
}

/// An answer, ready to be sent.
#[derive(Debug, Clone)]
pub(super) struct RouteReply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Bytes,
    pub(super) delay: Duration,
}

impl FixtureSet {
    /// Reads all answer files.
    pub(super) fn new(routes: &Routes, files: &dyn Files) -> Result<Self, RouteError> {
        let mut set = Self::default();
        let mut read = HashMap::new();
        for tool in &routes.tools {
            let id = &tool.id.value;
            let known = set.tools.iter().position(|known| known.id == *id);
            let at = known.unwrap_or_else(|| {
                set.tools.push(ToolFixtures { id: id.clone(), fixtures: Vec::new() });
                set.tools.len() - 1
            });
            for fixture in &tool.fixtures {
                set.tools[at].fixtures.push(ready(fixture, files, &mut read)?);
            }
        }
        Ok(set)
    }

    /// A tool, by its exact name.
    pub(super) fn tool(&self, id: &str) -> Option<&ToolFixtures> {
        self.tools.iter().find(|tool| tool.id == id)
    }

    /// The names of all tools.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.id.as_str())
    }
}

impl ToolFixtures {
    /// The fixtures for a request, by index: those that match it exactly, else those that match it except for redacted
    /// secrets, else those for any request.
    pub(super) fn matching(&self, method: &Method, asked: &ToolRequest) -> Vec<usize> {
        let taking = || self.fixtures.iter().enumerate().filter(|(_, fixture)| fixture.takes(method));
        let fitting = |fits: &dyn Fn(&Value) -> bool| -> Vec<usize> {
            let fitting = taking().filter(|(_, fixture)| fixture.request.as_ref().is_some_and(fits));
            fitting.map(|(at, _)| at).collect()
        };
        let exact = fitting(&|request| same_value(request, &asked.like(request)));
        if !exact.is_empty() {
            return exact;
        }
        let without_secrets = fitting(&|request| wildcard::fits(request, &asked.like(request), same_value));
        if !without_secrets.is_empty() {
            return without_secrets;
        }
        taking().filter(|(_, fixture)| fixture.request.is_none()).map(|(at, _)| at).collect()
    }
}

impl ReadyFixture {
    /// Whether the fixture accepts a method. HEAD is accepted wherever GET is.
    pub(super) fn takes(&self, method: &Method) -> bool {
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        self.method.as_ref().is_none_or(|own| own == wanted || own == method)
    }
}

/// Loads the answer of a fixture. A file that several fixtures name is read once.
fn ready<'f>(
    fixture: &'f Fixture,
    files: &dyn Files,
    read: &mut HashMap<&'f Path, Bytes>,
) -> Result<ReadyFixture, RouteError> {
    let wrong = |message: String| RouteError::Answer { message, span: fixture.span };
    let (bytes, content) = match &fixture.answer {
        FixtureAnswer::Inline(value) => (Bytes::from(value.to_string()), content_type(Path::new(""))),
        FixtureAnswer::File(path) => {
            let bytes = match read.get(path.value.as_path()) {
                Some(bytes) => bytes.clone(),
                None => load(&path.value, path.span, files)?,
            };
            read.insert(&path.value, bytes.clone());
            (bytes, content_type(&path.value))
        }
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content));
    let mut own = HeaderMap::new();
    for (name, value) in &fixture.headers {
        let unfit = || wrong(format!("`{name}` cannot be sent as a header"));
        let header = HeaderName::try_from(name.as_str()).map_err(|_| unfit())?;
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| unfit())?;
        // The server itself sets the length of the body.
        if !of_the_connection(&header) {
            own.append(header, value);
        }
    }
    headers.extend(own);
    let status = StatusCode::from_u16(fixture.status).ok().filter(|status| !status.is_informational());
    let status = status.ok_or_else(|| wrong(format!("an answer cannot have the status {}", fixture.status)))?;
    let method = fixture.method.as_ref().map(|method| {
        let known = Method::from_bytes(method.to_ascii_uppercase().as_bytes());
        known.map_err(|_| wrong(format!("`{method}` is not an HTTP method")))
    });
    Ok(ReadyFixture {
        name: fixture.name.clone(),
        line: fixture.span.line,
        method: method.transpose()?,
        request: fixture.request.clone(),
        reply: RouteReply { status, headers, bytes, delay: fixture.delay },
    })
}

fn load(path: &Path, span: Span, files: &dyn Files) -> Result<Bytes, RouteError> {
    let read = files.read(path, ANSWER_LIMIT);
    read.map(Bytes::from).map_err(|reason| RouteError::File { path: path.to_path_buf(), reason, span })
}
