//! Fingerprints of a request, which find recorded requests without comparing them all.
//!
//! Two equal requests have the same exact fingerprint. Two requests that differ only in holes have the same shape
//! fingerprint: it covers keys, lengths of lists, and every leaf that cannot contain a hole. Fingerprints only find
//! candidates; those are then compared.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use agentci_trace::{PLACEHOLDER, decimal};
use rustc_hash::FxBuildHasher;
use serde_json::{Map, Value};

use super::call_ids::is_call_id;
use super::ids::{ids_in, masked};
use super::pattern::{IgnoreReason, RemainingSteps};
use super::request_view::RequestView;
use super::text::opened;
use crate::RecordedRequest;

/// Longer texts are not searched for ids in the `likely` fingerprint.
const SHORT: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RequestPrint {
    Equal(u64),
    Exact(u64),
    Shape(u64),
    Likely(u64),
    Place(u64),
}

impl RequestPrint {
    /// The fingerprint of the unmodified request. Most requests equal a recorded one, which is then found without
    /// building a view.
    pub(super) fn equal(request: &RecordedRequest) -> Self {
        Self::Equal(FxBuildHasher.hash_one((&request.method, &request.origin, &request.path, &request.body)))
    }

    /// The fingerprint of everything that is compared, including places that the rules ignore.
    pub(super) fn exact(view: &RequestView<'_>) -> Self {
        let mut hasher = DefaultHasher::new();
        (view.place(), &view.head, view.kind).hash(&mut hasher);
        exact_value(&view.body, &RemainingSteps::of(&view.patterns), 0, &mut hasher);
        Self::Exact(hasher.finish())
    }

    /// The fingerprint of everything that no hole may change.
    pub(super) fn shape(view: &RequestView<'_>) -> Self {
        let mut hasher = DefaultHasher::new();
        (view.place(), view.kind).hash(&mut hasher);
        for (name, _) in &view.head {
            name.hash(&mut hasher);
        }
        shape_value(&view.body, "", &RemainingSteps::of(&view.patterns), &mut hasher);
        Self::Shape(hasher.finish())
    }

    /// The fingerprint of everything except ids and the content of long texts. It usually finds requests that differ
    /// only in ids, and of many with the same shape those that should be compared first.
    pub(super) fn likely(view: &RequestView<'_>) -> Self {
        let mut hasher = DefaultHasher::new();
        (view.place(), view.kind).hash(&mut hasher);
        likely_value(&view.body, &mut hasher);
        Self::Likely(hasher.finish())
    }

    pub(super) fn place(view: &RequestView<'_>) -> Self {
        Self::Place(hash_of(view.place()))
    }
}

pub(crate) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(value)
}

/// The fingerprint of any value.
pub(super) fn of_value(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    exact_value(value, &RemainingSteps::default(), 0, &mut hasher);
    hasher.finish()
}

fn exact_value(value: &Value, below: &RemainingSteps<'_>, depth: usize, hasher: &mut DefaultHasher) {
    if below.here() == Some(IgnoreReason::Number) {
        return b'#'.hash(hasher);
    }
    match value {
        Value::Null => b'n'.hash(hasher),
        Value::Bool(truth) => (b'b', truth).hash(hasher),
        Value::Number(number) => (b'd', decimal(number.as_str())).hash(hasher),
        Value::String(text) => match opened(text, depth) {
            Some(inner) => {
                b'o'.hash(hasher);
                exact_value(&inner, below, depth + 1, hasher);
            }
            None => (b's', text).hash(hasher),
        },
        Value::Array(items) => {
            (b'l', items.len()).hash(hasher);
            for (index, item) in items.iter().enumerate() {
                exact_value(item, &below.step(&index.to_string()), depth, hasher);
            }
        }
        Value::Object(map) => {
            let pairs = sorted(map);
            (b'm', pairs.len()).hash(hasher);
            for (name, item) in pairs {
                name.hash(hasher);
                exact_value(item, &below.step(name), depth, hasher);
            }
        }
    }
}

fn likely_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::String(text) if text.len() > SHORT => b'?'.hash(hasher),
        Value::String(text) => masked(text).hash(hasher),
        Value::Array(items) => items.iter().for_each(|item| likely_value(item, hasher)),
        Value::Object(map) => sorted(map).iter().for_each(|(_, item)| likely_value(item, hasher)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string().hash(hasher),
    }
}

/// `name` is the key of the value.
fn shape_value(value: &Value, name: &str, below: &RemainingSteps<'_>, hasher: &mut DefaultHasher) {
    match value {
        _ if below.here().is_some() => b'#'.hash(hasher),
        Value::Null => b'n'.hash(hasher),
        Value::Bool(truth) => (b'b', truth).hash(hasher),
        Value::Number(number) if may_be_time(number.as_str()) => b't'.hash(hasher),
        Value::Number(number) => (b'd', decimal(number.as_str())).hash(hasher),
        Value::String(text) if may_differ(text) => b'?'.hash(hasher),
        Value::String(text) => (b's', text).hash(hasher),
        Value::Array(items) => {
            (b'l', items.len()).hash(hasher);
            for (index, item) in items.iter().enumerate() {
                shape_value(item, "", &below.step(&index.to_string()), hasher);
            }
        }
        Value::Object(map) => {
            // Keys with holes may be in any order.
            let mut unordered = 0_u64;
            let parent = name;
            for (name, item) in sorted(map) {
                let inner = below.step(name);
                // A place that is not compared may be absent.
                if inner.here().is_some() {
                    continue;
                }
                if item.is_string() && is_call_id(parent, name) {
                    (name, b'?').hash(hasher);
                } else if may_differ(name) {
                    let mut apart = DefaultHasher::new();
                    shape_value(item, name, &inner, &mut apart);
                    unordered = unordered.wrapping_add(apart.finish());
                } else {
                    name.hash(hasher);
                    shape_value(item, name, &inner, hasher);
                }
            }
            (b'e', unordered).hash(hasher);
        }
    }
}

fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
    pairs.sort_by_key(|(name, _)| name.as_str());
    pairs
}

/// Whether a number is large enough to be the seconds since 1970.
fn may_be_time(digits: &str) -> bool {
    digits.parse::<f64>().map_or(true, |number| number >= 1e9)
}

/// Whether a text may contain a hole: an id or a time has digits or is a weekday, a path has a slash or a substitute
/// for one. JSON may be formatted in several ways.
fn may_differ(text: &str) -> bool {
    let bytes = text.as_bytes();
    let marks = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'/' | b'\\' | b'-' | b'_');
    let days = [b"mon", b"tue", b"wed", b"thu", b"fri", b"sat", b"sun"];
    let is_day = |three: &[u8]| days.iter().any(|day| three.eq_ignore_ascii_case(*day));
    bytes.iter().any(marks)
        || text.trim_start().starts_with(['{', '['])
        || text.contains(PLACEHOLDER)
        || bytes.windows(3).any(is_day)
        || ids_in(text).next().is_some()
}
