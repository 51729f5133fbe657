//! The events of a stream, in the formats of all APIs: texts that are sent in pieces are joined, whatever their keys.
//!
//! Texts at the same place of several events are one streamed text: `/choices/0/delta/content`, or
//! `/delta/partial_json` of the content block 1. If the items of a list have an `index`, it identifies them instead of
//! their position.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use agentci_text::pointer;
use agentci_trace::Redactor;
use serde_json::Value;

use super::{keys, texts};

/// Fields that identify the object that an event refers to.
const NAMING: [&str; 7] =
    ["index", "output_index", "content_index", "summary_index", "item_id", "messageId", "toolCallId"];
/// Keys whose texts every event repeats, and that are not streamed.
const REPEATED: [&str; 12] = [
    "id",
    "type",
    "object",
    "model",
    "role",
    "status",
    "item_id",
    "finish_reason",
    "service_tier",
    "obfuscation",
    "system_fingerprint",
    "modelVersion",
];

/// Maximum number of characters of a word that is called a token.
const LONGEST_WORD: usize = 20;

/// A streamed text, and the places of its parts.
#[derive(Default)]
struct TextLane {
    text: String,
    parts: Vec<Range<usize>>,
    /// For each part, the event and the place in it.
    places: Vec<(usize, String)>,
}

/// Learns the secrets in events, both single and joined.
pub(super) fn learn(events: &[Value], streamed: bool, redactor: &mut Redactor) {
    for event in events {
        if !streamed || word(event).is_none() {
            keys::learn(event, redactor);
        }
    }
    for lane in lanes(events) {
        keys::learn_text(&lane.text, redactor);
    }
}

/// Removes the secrets of events.
pub(super) fn scrub(events: &mut [Value], streamed: bool, redactor: &Redactor) {
    for lane in lanes(events) {
        for (part, clean) in texts::clean_parts(&lane.text, &lane.parts, redactor) {
            let Some((event, place)) = lane.places.get(part) else { continue };
            if let Some(said) = events.get_mut(*event).and_then(|event| event.pointer_mut(place)) {
                *said = clean.into();
            }
        }
    }
    for event in events {
        let word = if streamed { word(event).map(str::to_owned) } else { None };
        keys::scrub(event, redactor);
        if let (Some(said), Some(word)) = (event.get_mut("token"), word) {
            *said = texts::clean(&word, redactor).unwrap_or(word).into();
        }
    }
}

/// A `token` that is a word of the answer: many agents stream words like this, and they are not secrets.
fn word(event: &Value) -> Option<&str> {
    let word = event.get("token")?.as_str()?;
    (word.contains(' ') || word.chars().count() <= LONGEST_WORD).then_some(word)
}

fn lanes(events: &[Value]) -> Vec<TextLane> {
    let mut lanes = BTreeMap::new();
    if events.len() < 2 {
        return Vec::new();
    }
    for (number, event) in events.iter().enumerate() {
        let mut name = String::new();
        for field in NAMING {
            if let Some(value) = event.get(field).filter(|value| !value.is_object() && !value.is_array()) {
                let _ = write!(name, "{field}={value} ");
            }
        }
        collect(event, number, "", &name, &mut lanes);
    }
    lanes.into_values().filter(|lane: &TextLane| lane.parts.len() > 1).collect()
}

fn collect(value: &Value, event: usize, place: &str, name: &str, lanes: &mut BTreeMap<String, TextLane>) {
    let mut step = |item: &Value, at: &str, called: &str| {
        let mut place = place.to_owned();
        pointer::push(&mut place, at);
        collect(item, event, &place, &format!("{name}/{called}"), lanes);
    };
    match value {
        Value::String(text) => {
            let lane = lanes.entry(name.to_owned()).or_default();
            let start = lane.text.len();
            lane.text.push_str(text);
            lane.parts.push(start..lane.text.len());
            lane.places.push((event, place.to_owned()));
        }
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                let named = item.get("index").and_then(Value::as_u64).map(|index| index.to_string());
                let position = position.to_string();
                step(item, &position, named.as_deref().unwrap_or(&position));
            }
        }
        Value::Object(map) => {
            for (key, item) in map.iter().filter(|(key, _)| !REPEATED.contains(&key.as_str())) {
                step(item, key, key);
            }
        }
        _ => {}
    }
}
