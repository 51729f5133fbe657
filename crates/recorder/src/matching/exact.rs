//! Requests that are equal to a recorded one to the letter. Most are, and these are found without a view of them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::call_ids::is_call_id;
use super::options::MatchRules;
use super::pairing::{Pairing, Trial};
use super::pattern::{Below, patterns_of};
use super::place::{query_of, split, unversioned};
use super::request_view::body_of;
use crate::{LearnedHole, RecordedBody, RecordedRequest, Recording};

/// Positions of exchanges by the prints of their requests, in their order.
#[derive(Debug, Default)]
pub(super) struct Equal(HashMap<u64, Vec<usize>>);

impl Equal {
    pub(super) fn of(recording: &Recording) -> Self {
        let mut equal = Self::default();
        for (position, exchange) in recording.exchanges.iter().enumerate() {
            equal.0.entry(print(&exchange.request)).or_default().push(position);
        }
        equal
    }

    /// Where a request may be that is equal to this one.
    pub(super) fn to(&self, request: &RecordedRequest) -> &[usize] {
        self.0.get(&print(request)).map_or(&[], Vec::as_slice)
    }
}

fn print(request: &RecordedRequest) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&request.method, &request.origin, &request.path, &request.body).hash(&mut hasher);
    hasher.finish()
}

/// Whether two requests are equal in everything that is compared. What was not kept is equal to nothing.
pub(super) fn are_equal(recorded: &RecordedRequest, sent: &RecordedRequest, rules: &MatchRules) -> bool {
    !matches!(sent.body, RecordedBody::TooLarge { .. })
        && recorded.method == sent.method
        && recorded.origin == sent.origin
        && recorded.path == sent.path
        && recorded.speaks == sent.speaks
        && recorded.body == sent.body
        && rules.headers.iter().all(|name| header(recorded, name).eq(header(sent, name)))
}

/// The values of a header, in their order.
fn header<'r>(request: &'r RecordedRequest, name: &'r str) -> impl Iterator<Item = &'r str> {
    let named = request.headers.iter().filter(move |(given, _)| given.eq_ignore_ascii_case(name));
    named.map(|(_, value)| value.as_str())
}

/// The ids of a request that is equal to a recorded one stand for themselves; nothing where something else was decided.
pub(super) fn pair(
    request: &RecordedRequest,
    rules: &MatchRules,
    learned: &[LearnedHole],
    pairing: &Pairing,
) -> Option<Trial> {
    let (_, body) = body_of(&request.body);
    let patterns = patterns_of(request, &body, rules, learned);
    let mut ids = IdPairs { pairing, trial: Trial::default() };
    let holds = ids.text(unversioned(split(&request.path).0))
        && query_of(&request.path).iter().all(|(_, value)| ids.text(value))
        && ids.value(&body, "", &Below::of(&patterns));
    holds.then_some(ids.trial)
}

struct IdPairs<'p> {
    pairing: &'p Pairing,
    trial: Trial,
}

impl IdPairs<'_> {
    fn text(&mut self, text: &str) -> bool {
        self.pairing.pair_same(text, &mut self.trial)
    }

    /// `name` is that of the value.
    fn value(&mut self, value: &Value, name: &str, below: &Below<'_>) -> bool {
        if below.here().is_some() {
            return true;
        }
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                items.iter().enumerate().all(|(index, item)| self.value(item, "", &below.step(&index.to_string())))
            }
            Value::Object(map) => map.iter().all(|(inner, item)| match item {
                Value::String(id) if is_call_id(name, inner) && below.step(inner).here().is_none() => {
                    self.pairing.pair_call(id, id, &mut self.trial)
                }
                _ => self.value(item, inner, &below.step(inner)),
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }
}
