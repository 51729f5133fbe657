//! Forwards requests to live tools, in record and live mode.

use std::time::Duration;

use agentci_plan::Mode;
use agentci_text::percent_decoded;
use agentci_wire::http::{self, HttpError, StreamRequest};
use bytes::Bytes;
use hyper::header::{ACCEPT_ENCODING, CONNECTION, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use super::content::of_the_connection;
use super::fixtures::RouteReply;
use super::miss::Explained;
use super::recorded::RecordedToolCall;
use super::request::ToolRequest;
use super::session_state::SessionState;

/// Timeout of a live tool.
const TIME: Duration = Duration::from_mins(1);
/// Maximum size of an answer in bytes.
const ANSWER_LIMIT: usize = 64 << 20;

/// A variable with a base URL, and its live address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForwardTarget {
    pub(super) name: String,
    pub(super) url: Option<String>,
}

/// The destination of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForwardRoute<'w> {
    /// The address that the path is appended to; `None` in replay mode.
    base: Option<&'w str>,
    /// The path without the name of the variable.
    pub(super) path: &'w str,
}

/// The destination of a request: the live address of the variable that its path begins with, else the only live
/// address.
pub(super) fn way<'w>(active: &'w SessionState, path: &'w str) -> Result<ForwardRoute<'w>, Box<Explained>> {
    if active.mode == Mode::Replay {
        return Ok(ForwardRoute { base: None, path });
    }
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let name = percent_decoded(first);
    if let Some(live) = active.live.iter().find(|live| live.name == name) {
        if let Some(url) = &live.url {
            return Ok(ForwardRoute { base: Some(url), path: rest });
        }
        let message = format!("cannot forward this request: `{name}` has no live address");
        return Err(Explained::plain(rest, message, vec!["set one in `tool_bases`".into()]));
    }
    let mut urls: Vec<&str> = active.live.iter().filter_map(|live| live.url.as_deref()).collect();
    urls.sort_unstable();
    urls.dedup();
    if let [url] = urls[..] {
        return Ok(ForwardRoute { base: Some(url), path });
    }
    let message = "cannot forward this request: its live address is unknown".to_owned();
    let names: Vec<String> = active.live.iter().map(|live| format!("`/{}/...`", live.name)).collect();
    let remedy = match names.as_slice() {
        [] => "list the variables with the base URLs of tools, and their live addresses, in `tool_bases`".into(),
        names => format!("known paths are {}", names.join(", ")),
    };
    Err(Explained::plain(path, message, vec![remedy]))
}

/// Sends a request to the live tool, and records the answer in record mode.
pub(super) async fn forward(
    active: &SessionState,
    way: &ForwardRoute<'_>,
    tool: &str,
    head: &Parts,
    asked: ToolRequest,
    body: Vec<u8>,
) -> Result<RouteReply, Box<Explained>> {
    let refused = |reason: String, remedy: &str| {
        Explained::plain(tool, format!("`{tool}` could not be called: {reason}"), vec![remedy.into()])
    };
    let failed = |reason| refused(reason, "check that the live address is correct and reachable from here");
    if tool.is_empty() {
        return Err(refused("the request names no tool".into(), "the path below the address is the name of the tool"));
    }
    if active.mode == Mode::Record && !can_be_named(tool) {
        let remedy = "names must not contain spaces or any of `?#%\\`, or begin with `__`";
        return Err(refused("its path cannot be the name of a tool in a suite".into(), remedy));
    }
    let method = method(&head.method).ok_or_else(|| {
        refused(format!("{} is not forwarded", head.method), "GET, HEAD, POST, PUT, PATCH and DELETE are")
    })?;
    let base = way.base.expect("a replay forwards nothing").trim_end_matches('/');
    let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let url = format!("{base}/{}{query}", way.path);
    let request = StreamRequest { url, method, headers: sent_headers(&head.headers), body: body.into() };
    let answered = async {
        let mut answer = http::send(request).await?;
        let headers = answer.headers().clone();
        let bytes = answer.body(ANSWER_LIMIT).await?;
        Ok((answer.status, headers, Bytes::from(bytes)))
    };
    let answered = tokio::time::timeout(TIME, answered).await.unwrap_or(Err(HttpError::Timeout));
    let (status, headers, bytes) = answered.map_err(|error| failed(error.to_string()))?;
    let status = StatusCode::from_u16(status).map_err(|_| failed(format!("{status} is not an HTTP status")))?;
    let headers = end_to_end(&headers);
    if active.mode == Mode::Record {
        let (tool, headers, bytes) = (tool.to_owned(), headers.clone(), bytes.clone());
        let call = RecordedToolCall { tool, method: head.method.clone(), asked, status, headers, bytes };
        active.state().record(call).map_err(|reason| refused(reason, "record fewer calls at a time"))?;
    }
    Ok(RouteReply { status, headers, bytes, delay: Duration::ZERO })
}

/// Whether a path can be the name of a tool in a suite.
fn can_be_named(tool: &str) -> bool {
    let unfit = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '%' | '\\');
    !tool.starts_with("__") && !tool.contains(unfit) && tool.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn method(method: &Method) -> Option<http::HttpMethod> {
    use http::HttpMethod::{Delete, Get, Patch, Post, Put};
    let name = if *method == Method::HEAD { "GET" } else { method.as_str() };
    [Get, Post, Put, Patch, Delete].into_iter().find(|known| known.name() == name)
}

/// The headers to send to the tool. The answer must be readable, so no compression is accepted.
fn sent_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let ours = [HOST, EXPECT, ACCEPT_ENCODING];
    let theirs = end_to_end(headers);
    let kept = theirs.iter().filter(|(name, _)| !ours.contains(name));
    let kept = kept.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
    kept.chain([(ACCEPT_ENCODING.to_string(), "identity".to_owned())]).collect()
}

/// The headers that describe the message rather than the connection.
fn end_to_end(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|names| names.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut kept = HeaderMap::new();
    let about_it = |name: &HeaderName| !of_the_connection(name) && !named.iter().any(|named| named == name.as_str());
    for (name, value) in headers.iter().filter(|(name, _)| about_it(name)) {
        kept.append(name, HeaderValue::clone(value));
    }
    kept
}
