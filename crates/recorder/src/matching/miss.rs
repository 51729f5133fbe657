//! A request that the recording has no answer to, and how it is told.

use std::fmt::Write as _;

use super::compare::{Rank, RequestComparison, RequestDifference};
use super::pattern::system_of;
use super::place;
use super::request_view::TOO_LARGE;
use crate::{Exchange, RecordedRequest, Recording};

/// A request that the recording has no answer to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Miss {
    /// Which request of the session, from 1, chatter aside.
    pub number: usize,
    /// Method, origin and path, without secrets.
    pub asked: String,
    /// What is wrong, in one sentence.
    pub reason: String,
    /// The recorded request that comes nearest, if there is one for this place.
    pub nearest: Option<NearestRequest>,
    /// What helps, where recording again does not.
    pub remedy: Option<Remedy>,
}

/// The recorded request that comes nearest to one that missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestRequest {
    /// Its id.
    pub id: u64,
    /// Whether it continues the same conversation.
    pub same_conversation: bool,
    /// How many leaves differ, of how many.
    pub different: usize,
    /// How many leaves there are.
    pub leaves: usize,
    /// The first difference: a JSON pointer, and the line for a text of several. Empty where nothing differs.
    pub at: String,
    /// What was recorded there.
    pub recorded: String,
    /// What was sent.
    pub sent: String,
}

impl Miss {
    /// The message of several lines. `file` is the recording, and `again` the command that records it anew.
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
            ("see why the agent asks again; if it is meant to", "")
        } else {
            ("if the change is meant", " again")
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

/// A recorded request that was compared to the end.
pub(super) struct MissCandidate<'r> {
    pub(super) exchange: &'r Exchange,
    pub(super) comparison: RequestComparison,
    pub(super) used: bool,
    /// Whether it continues the same conversation.
    pub(super) continues: bool,
}

/// What is told of a request that missed.
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
            None if candidate.used => "it was asked once more than it was recorded".into(),
            None => "it does not fit what was asked before it".into(),
            Some(difference) => {
                system(request, &candidate.exchange.request).unwrap_or_else(|| reason(request, difference))
            }
        },
    };
    let remedy = nearest.as_ref().and_then(|candidate| candidate.comparison.first.as_ref()).filter(|it| too_large(it));
    let remedy = remedy.map(|_| Remedy::less(&request.origin));
    Miss { number, asked, reason, nearest: nearest.map(told), remedy }
}

/// Whether one of the two was not kept.
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

/// What became of the system prompt, where only one of the two has one.
fn system(sent: &RecordedRequest, recorded: &RecordedRequest) -> Option<String> {
    let has =
        |request: &RecordedRequest| request.body.as_json().is_some_and(|body| !system_of(request, body).is_empty());
    match (has(recorded), has(sent)) {
        (true, false) => Some("the system prompt is gone".into()),
        (false, true) => Some("there was no system prompt when it was recorded".into()),
        _ => None,
    }
}

fn reason(request: &RecordedRequest, difference: &RequestDifference) -> String {
    if too_large(difference) {
        return "its body is too large to be kept, and what is not kept cannot be compared".into();
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
        Rank::System => "the system prompt changed".into(),
        Rank::Model if of_model => "the model changed".into(),
        Rank::Tools if of_model => "the tools changed".into(),
        _ if of_model && of_messages => "a message changed".into(),
        _ => format!("the request changed at `{}`", difference.at),
    }
}

/// The place has no recorded request: is there one that differs only a little?
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
    // The first of those that are equally alike.
    let nearest = nearest.rev().max_by_key(|(likeness, _)| *likeness);
    let Some((_, other)) = nearest else { return format!("nothing was recorded for {asked}") };
    let (path, _) = place::split(&other.path);
    format!("nothing was recorded for {asked}; the nearest is {} {}{path}", other.method, other.origin)
}

/// What helps where recording again does not. As text it is for a command; a suite has no flags.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Remedy {
    /// The agent needs this address, and no recording can hold what is said there.
    #[error("`--allow {0}` lets the agent reach it in a replay")]
    Allow(String),
    /// The same, and nobody listens there.
    #[error("if the agent needs that server in a replay, start it and permit it: `--allow {0}`")]
    Start(String),
    /// What is exchanged with this address is too large to be kept.
    #[error(
        "recording it again does not help: have the agent send and ask for less, \
         or let it reach the server in a replay with `--allow {0}`"
    )]
    Less(String),
}

impl Remedy {
    /// The remedy for something too large that was exchanged with this origin.
    pub(crate) fn less(origin: &str) -> Self {
        Self::Less(origin.split_once("://").map_or(origin, |(_, authority)| authority).to_owned())
    }

    /// What helps in a suite.
    pub fn in_suite(&self) -> String {
        match self {
            Self::Allow(address) | Self::Start(address) => {
                format!("a replay reaches no live server: have the agent do without {address} in this case")
            }
            Self::Less(_) => "recording it again does not help: have the agent send and ask for less".into(),
        }
    }
}
