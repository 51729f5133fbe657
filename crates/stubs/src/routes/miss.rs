//! Explains requests that no fixture matches: the closest fixture, and the first difference.

use agentci_source::did_you_mean;
use agentci_trace::{canonical, same_value};
use hyper::Method;
use serde_json::{Map, Value, json};

use super::fixtures::{FixtureSet, ReadyFixture, ToolFixtures};
use super::request::{ToolRequest, loosely_same};
use crate::closest::{closest, cut, shown};
use agentci_text::{Difference, first_difference};

/// Maximum size of a value that is shown in full, in bytes.
const LONG: usize = 4096;
/// Maximum number of similar fixtures to list.
const NEAR: usize = 3;
/// Maximum number of tools to list.
const NAMED: usize = 20;

/// A request that no fixture matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteMiss {
    /// The tool that was called.
    pub tool: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The request, the closest fixtures, and the first difference.
    pub notes: Vec<String>,
}

/// A miss, and additional fields for the body that the agent receives.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) miss: RouteMiss,
    details: Map<String, Value>,
}

impl Explained {
    /// A miss without additional fields.
    pub(super) fn plain(tool: &str, message: String, notes: Vec<String>) -> Box<Self> {
        Box::new(Self { miss: RouteMiss { tool: cut(tool), message, notes }, details: Map::new() })
    }

    /// The body of the answer.
    pub(super) fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("error".into(), self.miss.message.clone().into());
        body.insert("tool".into(), self.miss.tool.clone().into());
        body.extend(self.details.clone());
        body.insert("notes".into(), self.miss.notes.clone().into());
        Value::Object(body)
    }
}

impl RouteMiss {
    /// The message and all notes on one line.
    pub(super) fn line(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("; {note}"));
        std::iter::once(self.message.clone()).chain(notes).collect()
    }

    pub(super) fn value(&self) -> Value {
        json!({ "tool": self.tool, "message": self.message, "notes": self.notes })
    }
}

/// A call that arrived after its case had ended: between two cases, or while the next one was running.
pub(super) fn too_late(tool: &str, method: &Method, asked: &ToolRequest, during_next: bool) -> Box<Explained> {
    let mut notes = vec![requested(tool, method, asked)];
    if during_next {
        notes.push("it arrived while the next case was running; only this case has a fixture for it".into());
    }
    Explained::plain(tool, format!("`{}` was called after the case was over", cut(tool)), notes)
}

/// A call outside the scopes of all running cases.
pub(super) fn outside(tool: &str, method: &Method, asked: &ToolRequest) -> Box<Explained> {
    let notes = vec![
        requested(tool, method, asked),
        "concurrent cases have separate base URLs, and this call used none of them: agentci cannot tell which case it \
         belongs to"
            .into(),
        "run with `--parallel 1`, let agentci start an agent for each case, or let the agent use the base URL in the \
         `variables` of each question"
            .into(),
    ];
    Explained::plain(tool, format!("`{}` was called outside the base URL of every running case", cut(tool)), notes)
}

/// A call of an unknown tool.
pub(super) fn unknown_tool(fixtures: &FixtureSet, tool: &str, method: &Method, asked: &ToolRequest) -> Box<Explained> {
    let mut ids: Vec<&str> = fixtures.ids().collect();
    ids.sort_unstable();
    let mut notes = vec![requested(tool, method, asked)];
    let known: Vec<String> = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
    notes.push(match ids.len() {
        0 => "this case has no tools".into(),
        all if all > NAMED => format!("known: {} and {} more", known.join(", "), all - NAMED),
        _ => format!("known: {}", known.join(", ")),
    });
    let meant = did_you_mean(tool, ids.iter().copied());
    notes.extend(meant.map(|meant| format!("did you mean `{meant}`? names must match exactly")));
    let mut explained = Explained::plain(tool, format!("unknown tool `{}`", cut(tool)), notes);
    explained.details.insert("known".into(), ids.into_iter().take(NAMED).collect());
    explained.details.extend(meant.map(|meant| ("did_you_mean".to_owned(), meant.into())));
    explained
}

/// A request that no fixture of its tool matches.
pub(super) fn no_fixture(tool: &ToolFixtures, method: &Method, asked: &ToolRequest) -> Box<Explained> {
    let message = format!("no fixture of `{}` matches this request", tool.id);
    let mut notes = vec![requested(&tool.id, method, asked)];
    let mut details = Map::new();
    let loose = match asked {
        ToolRequest::Body(_) => same_value,
        ToolRequest::Parameters(_) => loosely_same,
    };
    let candidates = tool.fixtures.iter().enumerate();
    let with_request = candidates.filter_map(|(at, fixture)| {
        let request = fixture.request.as_ref()?;
        Some(((at, fixture, request), request))
    });
    let mut near = closest(with_request, asked.value(), NEAR, loose);
    // Among equally close fixtures, prefer one with the right method.
    near.sort_by(|((_, a, _), likeness_a), ((_, b, _), likeness_b)| {
        likeness_b.total_cmp(likeness_a).then_with(|| b.takes(method).cmp(&a.takes(method)))
    });
    if let Some(&((at, fixture, wanted), _)) = near.first() {
        let difference = first_difference(wanted, &asked.like(wanted), same_value);
        notes.push(match &difference {
            Some(difference) => told(difference),
            None => wrong_method(fixture, method),
        });
        details.insert("closest".into(), json!({ "fixture": label(at, fixture), "request": wanted }));
        details.extend(difference.map(|difference| ("difference".to_owned(), value(&difference))));
    } else {
        notes.push(match tool.fixtures.first() {
            Some(fixture) => wrong_method(fixture, method),
            None => "it has no fixtures".into(),
        });
    }
    for (index, ((at, fixture, request), likeness)) in near.iter().enumerate() {
        let what = if index == 0 { "closest" } else { "then" };
        notes.push(format!("{what}: {} {} (likeness {likeness:.2})", label(*at, fixture), cut(&canonical(request))));
    }
    let mut explained = Explained::plain(&tool.id, message, notes);
    explained.details = details;
    explained
}

fn requested(tool: &str, method: &Method, asked: &ToolRequest) -> String {
    format!("requested: {method} {} {}", cut(tool), cut(&canonical(asked.value())))
}

fn wrong_method(fixture: &ReadyFixture, method: &Method) -> String {
    let wanted = fixture.method.as_ref().map_or("any method", Method::as_str);
    format!("the closest fixture is for {wanted}, but the request is {method}")
}

fn told(difference: &Difference) -> String {
    format!(
        "first difference from the closest fixture: at {} it has {}, the agent sent {}",
        if difference.path.is_empty() { "the top".into() } else { cut(&difference.path) },
        shown(difference.expected.as_ref()),
        shown(difference.actual.as_ref()),
    )
}

fn value(difference: &Difference) -> Value {
    let (expected, got) = (difference.expected.as_ref().map(shortened), difference.actual.as_ref().map(shortened));
    json!({ "at": cut(&difference.path), "expected": expected, "got": got })
}

/// The value, or the beginning of its text if it is long.
fn shortened(value: &Value) -> Value {
    let text = canonical(value);
    if text.len() > LONG { cut(&text).into() } else { value.clone() }
}

/// The name or number of a fixture, and its line.
fn label(at: usize, fixture: &ReadyFixture) -> String {
    let name = fixture.name.as_ref().map_or_else(|| format!("fixture {}", at + 1), |name| format!("`{name}`"));
    if fixture.line == 0 { name } else { format!("{name} on line {}", fixture.line) }
}
