//! A request in the form that is compared: its place, its body as one JSON value, and the texts around the body.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use agentci_trace::sha256;
use serde_json::{Value, json};

use super::options::MatchRules;
use super::pattern::{PointerPattern, patterns_of, system_of};
use super::place::{place_at, query_of, split, unversioned};
use crate::{FormPart, LearnedHole, RecordedBody, RecordedRequest};

/// The kind of a body that was not recorded.
pub(super) const TOO_LARGE: &str = "too large";

/// A request in the form that is compared.
pub(super) struct RequestView<'r> {
    request: &'r RecordedRequest,
    /// Replaces the path of the request in its place.
    other_path: Option<String>,
    /// Computed on first use: the search for equal requests does not need it.
    place: OnceCell<String>,
    /// What is compared besides the body, each with its name: path, query, headers.
    pub(super) head: Vec<(String, String)>,
    /// The kind of the body.
    pub(super) kind: &'static str,
    pub(super) body: Cow<'r, Value>,
    /// The places of the body that are not compared.
    pub(super) patterns: Vec<PointerPattern>,
    /// Pointers to the system prompt; computed on first use, too.
    system: OnceCell<Vec<String>>,
    pub(super) at_us: u64,
}

impl<'r> RequestView<'r> {
    pub(super) fn of(request: &'r RecordedRequest, rules: &MatchRules, learned: &[LearnedHole]) -> Self {
        let (kind, body) = body_of(&request.body);
        let patterns = patterns_of(request, &body, rules, learned);
        let head = head(request, rules);
        let (place, system) = (OnceCell::new(), OnceCell::new());
        Self { request, other_path: None, place, head, kind, body, patterns, system, at_us: request.at_us }
    }

    /// The same view with another path in its place.
    pub(super) fn at(self, path: String) -> Self {
        Self { other_path: Some(path), place: OnceCell::new(), ..self }
    }

    pub(super) fn place(&self) -> &str {
        let path = || self.other_path.as_deref().unwrap_or(split(&self.request.path).0);
        self.place.get_or_init(|| place_at(self.request, path()))
    }

    /// Pointers to the parts of the system prompt.
    pub(super) fn system(&self) -> &[String] {
        self.system.get_or_init(|| system_of(self.request, &self.body))
    }
}

fn head(request: &RecordedRequest, rules: &MatchRules) -> Vec<(String, String)> {
    let (path, _) = split(&request.path);
    let mut head = vec![("path".to_owned(), unversioned(path).to_owned())];
    head.extend(query_of(&request.path).into_iter().map(|(name, value)| (format!("query `{name}`"), value)));
    for name in &rules.headers {
        let values = request.headers.iter().filter(|(given, _)| given.eq_ignore_ascii_case(name));
        let name = format!("header `{}`", name.to_ascii_lowercase());
        head.extend(values.map(|(_, value)| (name.clone(), value.clone())));
    }
    head
}

/// The kind of a body, and its value.
pub(super) fn body_of(body: &RecordedBody) -> (&'static str, Cow<'_, Value>) {
    match body {
        RecordedBody::Empty => ("nothing", Cow::Owned(Value::Null)),
        RecordedBody::Json(value) => ("JSON", Cow::Borrowed(value)),
        RecordedBody::Text(text) => ("text", Cow::Owned(Value::String(text.clone()))),
        RecordedBody::Form(pairs) => ("form", Cow::Owned(form(pairs))),
        RecordedBody::Parts(parts) => ("parts", Cow::Owned(parts.iter().map(part).collect())),
        RecordedBody::Bytes(bytes) => ("bytes", Cow::Owned(content(bytes))),
        RecordedBody::TooLarge { bytes } => (TOO_LARGE, Cow::Owned(json!({ "bytes": bytes }))),
    }
}

/// The values of each name, in order.
fn form(pairs: &[(String, String)]) -> Value {
    let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in pairs {
        fields.entry(name).or_default().push(value);
    }
    json!(fields)
}

fn part(part: &FormPart) -> Value {
    json!({
        "name": part.name,
        "filename": part.filename,
        "content_type": part.content_type,
        "content": content(&part.content),
    })
}

/// Bytes as text if they are UTF-8, otherwise as their digest.
fn content(bytes: &[u8]) -> Value {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Value::String(text.to_owned());
    }
    // In groups of four digits it does not look like an id, so that different bytes never count as different ids.
    let digest = sha256(bytes);
    let groups = digest.as_bytes().chunks(4).map(String::from_utf8_lossy);
    json!({ "bytes": bytes.len(), "sha256": groups.collect::<Vec<_>>().join(" ") })
}
