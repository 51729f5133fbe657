//! Requests to the live tools, when their answers are recorded.

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

/// How long a live tool may take.
const TIME: Duration = Duration::from_mins(1);
/// The largest answer.
const ANSWER_LIMIT: usize = 64 << 20;

/// Where a variable leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForwardTarget {
    /// The variable.
    pub(super) name: String,
    /// The live address, if it has one.
    pub(super) url: Option<String>,
}

/// Where a request goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForwardRoute<'w> {
    /// The address that its path is appended to.
    base: Option<&'w str>,
    /// What is left of its path.
    pub(super) path: &'w str,
}

/// Where a request goes: its path begins with the variable it came through, unless there is only one place to go to.
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
        let message = format!("nothing can be recorded: `{name}` has no live address");
        return Err(Explained::plain(rest, message, vec!["give it one in `tool_bases`".into()]));
    }
    let mut urls: Vec<&str> = active.live.iter().filter_map(|live| live.url.as_deref()).collect();
    urls.sort_unstable();
    urls.dedup();
    if let [url] = urls[..] {
        return Ok(ForwardRoute { base: Some(url), path });
    }
    let message = "nothing can be recorded: it is not known where this request should go".to_owned();
    let names: Vec<String> = active.live.iter().map(|live| format!("`/{}/...`", live.name)).collect();
    let remedy = match names.as_slice() {
        [] => "name the variables that lead to the tools, and their live addresses, in `tool_bases`".into(),
        names => format!("the paths that lead somewhere are {}", names.join(", ")),
    };
    Err(Explained::plain(path, message, vec![remedy]))
}

/// Asks the live tool and takes note of its answer.
pub(super) async fn forward(
    active: &SessionState,
    way: &ForwardRoute<'_>,
    tool: &str,
    head: &Parts,
    asked: ToolRequest,
    body: Vec<u8>,
) -> Result<RouteReply, Box<Explained>> {
    let refused = |reason: String, remedy: &str| {
        Explained::plain(tool, format!("`{tool}` could not be asked: {reason}"), vec![remedy.into()])
    };
    let failed = |reason| refused(reason, "see that the live address is right and that it can be reached from here");
    if tool.is_empty() {
        return Err(refused("the request names no tool".into(), "a tool is the path below the address"));
    }
    if active.mode == Mode::Record && !can_be_named(tool) {
        let remedy = "names have neither spaces nor any of `?#%\\`, and do not begin with `__`";
        return Err(refused("its path can not be the name of a tool in a suite".into(), remedy));
    }
    let method = method(&head.method).ok_or_else(|| {
        refused(format!("{} is not forwarded", head.method), "GET, HEAD, POST, PUT, PATCH and DELETE are")
    })?;
    let base = way.base.unwrap_or_default().trim_end_matches('/');
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
    let status = StatusCode::from_u16(status).map_err(|_| failed(format!("its status is {status}")))?;
    let headers = end_to_end(&headers);
    if active.mode == Mode::Record {
        let (tool, headers, bytes) = (tool.to_owned(), headers.clone(), bytes.clone());
        let call = RecordedToolCall { tool, method: head.method.clone(), asked, status, headers, bytes };
        active.state().record(call).map_err(|reason| refused(reason, "record fewer at a time"))?;
    }
    Ok(RouteReply { status, headers, bytes, delay: Duration::ZERO })
}

/// Whether a suite takes a path for the name of a tool.
fn can_be_named(tool: &str) -> bool {
    let unfit = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '%' | '\\');
    !tool.starts_with("__") && !tool.contains(unfit) && tool.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn method(method: &Method) -> Option<http::HttpMethod> {
    use http::HttpMethod::{Delete, Get, Patch, Post, Put};
    let name = if *method == Method::HEAD { "GET" } else { method.as_str() };
    [Get, Post, Put, Patch, Delete].into_iter().find(|known| known.name() == name)
}

/// The headers that go on to the tool. What comes back must be readable, so nothing but plain text is welcome.
fn sent_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let ours = [HOST, EXPECT, ACCEPT_ENCODING];
    let theirs = end_to_end(headers);
    let kept = theirs.iter().filter(|(name, _)| !ours.contains(name));
    let kept = kept.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
    kept.chain([(ACCEPT_ENCODING.to_string(), "identity".to_owned())]).collect()
}

/// The headers that are about what is sent and not about the connection it is sent over.
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
