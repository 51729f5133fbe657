//! Describes a request that the recording has no answer to.

use std::fmt::Write as _;

use serde_json::Value;

use super::compare::{DifferenceRank, RequestComparison, RequestDifference};
use super::pattern::system_of;
use super::place;
use super::request_view::TOO_LARGE;
use crate::{Exchange, RecordedRequest, Recording};

/// A request that the recording has no answer to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Miss {
    /// The number of the request in the session, from 1, without chatter.
    pub number: usize,
    /// Method, origin and path, without secrets.
    pub asked: String,
    /// What is wrong, in one sentence.
    pub reason: String,
    /// The nearest recorded request, if there is one for this place.
    pub nearest: Option<NearestRequest>,
    /// What helps if recording again does not.
    pub remedy: Option<Remedy>,
}

/// The recorded request that is nearest to a missed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestRequest {
    /// The id of its exchange.
    pub id: u64,
    /// Whether it continues the same conversation.
    pub same_conversation: bool,
    /// The number of leaves that differ.
    pub different: usize,
    /// The number of leaves in total.
    pub leaves: usize,
    /// The first difference: a JSON pointer, and the line for a text of several lines. Empty if there is none.
    pub at: String,
    /// The recorded value.
    pub recorded: String,
    /// The value that was sent.
    pub sent: String,
}

impl Miss {
    /// The message, in several lines. `file` is the recording, and `again` the command that records it again.
    pub fn explain(&self, file: &str, again: Option<&str>) -> String {
        let mut text = format!("error: call {} is not in {file} (replay_miss)\n", self.number);
        let _ = writeln!(text, "  {}: {}", self.asked, self.reason);
        if let Some(nearest) = &self.nearest {
            nearest.write(&mut text);
        }
        text.push_str("help: ");
        if let Some(remedy) = &self.remedy {
            return text + &remedy.to_string();
        }
        let is_repeated = self.nearest.as_ref().is_some_and(|nearest| nearest.different == 0);
        let (meant, more) = if is_repeated {
            ("check why the agent repeats the request; if that is intended", "")
        } else {
            ("if the change is intended", " again")
        };
        let how = again.map_or("record it again".into(), |again| format!("`{again}` records it{more}"));
        text + &format!("{meant}, {how}")
    }
}

impl NearestRequest {
    fn write(&self, text: &mut String) {
        let conversation = if self.same_conversation { ", same conversation" } else { "" };
        let verb = if self.different == 1 { "differs" } else { "differ" };
        let (different, leaves) = (self.different, self.leaves);
        let _ = writeln!(text, "  nearest: call {}{conversation}, {different} of {leaves} values {verb}", self.id);
        if !self.at.is_empty() {
            let width = self.at.chars().count();
            let _ = writeln!(text, "  {}: {}", self.at, self.recorded);
            let _ = writeln!(text, "  {:width$}| {}", "", self.sent);
        }
    }
}

/// A recorded request that was compared completely.
pub(super) struct MissCandidate<'r> {
    pub(super) exchange: &'r Exchange,
    pub(super) comparison: RequestComparison,
    pub(super) used: bool,
    /// Whether it continues the same conversation.
    pub(super) continues: bool,
}

/// Describes a request without a recorded answer.
pub(super) fn miss(
    number: usize,
    request: &RecordedRequest,
    nearest: Option<MissCandidate<'_>>,
    recording: &Recording,
) -> Miss {
    let (path, _) = place::split(&request.path);
    let asked = format!("{} {}{path}", request.method, request.origin);
    let reason = match &nearest {
        None => nothing(&asked, request, recording),
        Some(candidate) => match &candidate.comparison.first {
            None if candidate.used => "it was sent more times than it was recorded".into(),
            None => "it does not match the requests before it".into(),
            Some(difference) => {
                let recorded = &candidate.exchange.request;
                system(request, recorded).unwrap_or_else(|| reason(request, recorded, difference))
            }
        },
    };
    let remedy = nearest.as_ref().and_then(|candidate| candidate.comparison.first.as_ref()).filter(|it| too_large(it));
    let remedy = remedy.map(|_| Remedy::less(&request.origin));
    Miss { number, asked, reason, nearest: nearest.map(told), remedy }
}

/// Whether the body of one of the two requests was not recorded.
fn too_large(difference: &RequestDifference) -> bool {
    difference.at == "body" && [&difference.recorded, &difference.sent].into_iter().any(|kind| kind == TOO_LARGE)
}

fn told(candidate: MissCandidate<'_>) -> NearestRequest {
    let MissCandidate { exchange, comparison, continues, .. } = candidate;
    let (different, leaves) = (comparison.different, comparison.leaves);
    let same_conversation = continues && exchange.after.is_some();
    let (at, recorded, sent) = comparison.first.map_or_else(Default::default, |first| {
        let line = first.line.map_or_else(String::new, |line| format!(" line {line}"));
        (format!("{}{line}", first.at), first.recorded, first.sent)
    });
    NearestRequest { id: exchange.id, same_conversation, different, leaves, at, recorded, sent }
}

/// The reason if only one of the requests has a system prompt.
fn system(sent: &RecordedRequest, recorded: &RecordedRequest) -> Option<String> {
    let has =
        |request: &RecordedRequest| request.body.as_json().is_some_and(|body| !system_of(request, body).is_empty());
    match (has(recorded), has(sent)) {
        (true, false) => Some("the system prompt is missing".into()),
        (false, true) => Some("the recorded request has no system prompt".into()),
        _ => None,
    }
}

fn reason(request: &RecordedRequest, recorded: &RecordedRequest, difference: &RequestDifference) -> String {
    if too_large(difference) {
        return "its body is too large to be recorded, so it cannot be compared".into();
    }
    if difference.at == "path" || difference.at == "body" {
        return format!("the {} changed", difference.at);
    }
    if !difference.at.starts_with('/') {
        return format!("{} changed", difference.at);
    }
    let of_model = request.api().is_some();
    let of_messages = matches!(difference.at.split('/').nth(1), Some("messages" | "input" | "contents"));
    match difference.rank {
        DifferenceRank::System => "the system prompt changed".into(),
        DifferenceRank::Model if of_model => "the model changed".into(),
        DifferenceRank::Tools if of_model => "the tools changed".into(),
        _ if of_model && of_messages => {
            tool_result(request, recorded, &difference.at).unwrap_or_else(|| "a message changed".into())
        }
        _ => format!("the request changed at `{}`", difference.at),
    }
}

/// Describes a difference in the result of a tool, with the tool's name if both requests contain its call. `None`
/// unless both requests have a result at this pointer.
fn tool_result(sent: &RecordedRequest, recorded: &RecordedRequest, at: &str) -> Option<String> {
    let tool = tool_of_result(sent.body.as_json()?, at)?;
    let recorded_tool = tool_of_result(recorded.body.as_json()?, at)?;
    if tool.is_empty() || tool != recorded_tool {
        return Some("the result of a tool changed".into());
    }
    Some(format!("the result of the tool `{tool}` changed"))
}

/// The name of the tool whose result contains this pointer; empty if the request does not contain the call. `None` if
/// the pointer is not in the result of a tool.
fn tool_of_result<'b>(body: &'b Value, at: &str) -> Option<&'b str> {
    // A message (`/messages/4`, `/input/4`), or a part of one (`/messages/4/content/0`, `/contents/4/parts/0`).
    let first_steps = |steps: usize| at.match_indices('/').nth(steps).map_or(at, |(end, _)| &at[..end]);
    [2, 4].into_iter().find_map(|steps| tool_of_item(body, body.pointer(first_steps(steps))?))
}

/// The tool that this message or part is a result of, as in [`tool_of_result`].
fn tool_of_item<'b>(body: &'b Value, item: &'b Value) -> Option<&'b str> {
    if let Some(response) = item.get("functionResponse") {
        return Some(response["name"].as_str().unwrap_or_default());
    }
    let id = match (item["type"].as_str(), item["role"].as_str()) {
        (Some("function_call_output" | "custom_tool_call_output"), _) => &item["call_id"],
        (Some("tool_result"), _) => &item["tool_use_id"],
        (_, Some("tool")) => &item["tool_call_id"],
        _ => &item.get("toolResult")?["toolUseId"],
    };
    Some(id.as_str().and_then(|id| called_tool(body, id)).unwrap_or_default())
}

/// The name of the tool in the call with this id.
fn called_tool<'b>(value: &'b Value, id: &str) -> Option<&'b str> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| called_tool(item, id)),
        Value::Object(map) => {
            let has_id = |key: &str| map.get(key).and_then(Value::as_str) == Some(id);
            let is_call = ["id", "call_id", "toolUseId"].into_iter().any(has_id);
            let name = map.get("name").or_else(|| map.get("function")?.get("name")).and_then(Value::as_str);
            name.filter(|_| is_call).or_else(|| map.values().find_map(|item| called_tool(item, id)))
        }
        _ => None,
    }
}

/// The reason if there is no recorded request for this place, with a similar one if there is any.
fn nothing(asked: &str, request: &RecordedRequest, recording: &Recording) -> String {
    let (path, _) = place::split(&request.path);
    let origin = place::origin(&request.origin);
    let likeness = |other: &RecordedRequest| {
        let same_path = place::unversioned(place::split(&other.path).0) == place::unversioned(path);
        let same_origin = place::origin(&other.origin) == origin;
        let same_method = other.method.eq_ignore_ascii_case(&request.method);
        usize::from(same_path) * 2 + usize::from(same_origin) * 2 + usize::from(same_method)
    };
    let requests = recording.exchanges.iter().filter(|exchange| !exchange.chatter).map(|exchange| &exchange.request);
    let nearest = requests.map(|other| (likeness(other), other)).filter(|(likeness, _)| *likeness >= 2);
    // The first of those that are equally similar.
    let nearest = nearest.rev().max_by_key(|(likeness, _)| *likeness);
    let Some((_, other)) = nearest else { return format!("nothing was recorded for {asked}") };
    let (path, _) = place::split(&other.path);
    format!("nothing was recorded for {asked}; the nearest is {} {}{path}", other.method, other.origin)
}

/// What helps if recording again does not. Its text names flags of the command line, which a suite does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Remedy {
    /// The agent needs this address, and its traffic cannot be recorded.
    #[error("`--allow {0}` lets the agent reach it in a replay")]
    Allow(String),
    /// The same, and nothing listens there.
    #[error("if the agent needs this server in a replay, start the server and allow it: `--allow {0}`")]
    Start(String),
    /// The traffic with this address is too large to be recorded.
    #[error(
        "recording it again does not help: make the agent send and request less, \
         or let it reach the server in a replay with `--allow {0}`"
    )]
    Less(String),
}

impl Remedy {
    /// The remedy for something too large from this origin.
    pub(crate) fn less(origin: &str) -> Self {
        Self::Less(origin.split_once("://").map_or(origin, |(_, authority)| authority).to_owned())
    }

    /// The remedy in a suite.
    pub fn in_suite(&self) -> String {
        match self {
            Self::Allow(address) | Self::Start(address) => {
                format!("a replay does not reach live servers: make the agent work without {address} in this case")
            }
            Self::Less(_) => "recording it again does not help: make the agent send and request less".into(),
        }
    }
}
