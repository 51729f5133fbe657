//! What kept a case from passing, as the page's script gets it.

use agentci_source::Place;
use agentci_trace::json_beginning;
use agentci_verdict::{CaseStatus, Detail, Finding};
use serde_json::{Value, json};

use crate::json_object::{list, object};
use crate::{cut, findings};

/// How many findings of an attempt are kept, and notes and details of a finding.
pub(super) const FINDINGS: usize = 20;
const NOTES: usize = 20;
/// The most of a text or value, in bytes.
const LIMIT: usize = 4 * 1024;
const SHORT: usize = 1024;

/// A finding, no larger than can be shown.
pub(super) fn told(finding: &Finding) -> Value {
    let text = |text: &str| (!text.is_empty()).then(|| short(text).into());
    // What was expected and what was there, both as JSON text.
    let detail = |detail: &Detail| {
        json!({
            "path": short(&detail.path),
            "expected": json_beginning(&detail.expected, SHORT).0,
            "actual": json_beginning(&detail.actual, SHORT).0,
        })
    };
    Value::Object(object([
        ("headline", Some(cut::name(&findings::headline(finding), SHORT).into())),
        ("broken", Some((finding.cause.status() == CaseStatus::Error).into())),
        ("cause", Some(finding.cause.name().into())),
        ("name", Some(cut::name(&finding.name, SHORT).into())),
        ("message", Some(cut::head(&finding.message, LIMIT).0.into())),
        ("place", finding.place.as_ref().map(spot)),
        ("label", text(&finding.label)),
        ("notes", list(&finding.notes.iter().take(NOTES).map(|note| short(note)).collect::<Vec<_>>())),
        ("details", list(&finding.details.iter().take(NOTES).map(detail).collect::<Vec<_>>())),
        ("help", finding.help.as_deref().and_then(text)),
    ]))
}

/// A line of a suite.
pub(super) fn spot(place: &Place) -> Value {
    let text = cut::head(&place.text, LIMIT).0;
    Value::Object(object([
        ("path", Some(short(&place.path).into())),
        ("line", Some(place.line.into())),
        ("column", Some(place.column.into())),
        ("width", Some(place.width.into())),
        ("text", (!text.is_empty()).then(|| text.into())),
    ]))
}

fn short(text: &str) -> &str {
    cut::head(text, SHORT).0
}
