//! What kept a case from passing, as the page's script gets it.

use agentci_source::Place;
use agentci_trace::json_beginning;
use agentci_verdict::{Finding, Status};
use serde::Serialize;

use crate::{cut, findings};

/// How many findings of an attempt are kept, and notes and details of a finding.
pub(super) const FINDINGS: usize = 20;
const NOTES: usize = 20;
/// The most of a text or value, in bytes.
const LIMIT: usize = 4 * 1024;
const SHORT: usize = 1024;

/// A finding, no larger than can be shown.
#[derive(Debug, Serialize)]
pub(super) struct Told<'f> {
    headline: String,
    broken: bool,
    cause: &'static str,
    name: String,
    message: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Spot<'f>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'f str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'f str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Difference<'f>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    help: &'f str,
}

/// A line of a suite.
#[derive(Debug, Serialize)]
pub(super) struct Spot<'f> {
    path: &'f str,
    line: u32,
    column: u32,
    width: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'f str,
}

/// What was expected and what was there, both as JSON text.
#[derive(Debug, Serialize)]
struct Difference<'f> {
    path: &'f str,
    expected: String,
    actual: String,
}

impl<'f> Told<'f> {
    pub(super) fn of(finding: &'f Finding) -> Self {
        let detail = |detail: &'f agentci_verdict::Detail| Difference {
            path: short(&detail.path),
            expected: json_beginning(&detail.expected, SHORT).0,
            actual: json_beginning(&detail.actual, SHORT).0,
        };
        Self {
            headline: cut::name(&findings::headline(finding), SHORT),
            broken: finding.cause.status() == Status::Error,
            cause: finding.cause.name(),
            name: cut::name(&finding.name, SHORT),
            message: cut::head(&finding.message, LIMIT).0,
            place: finding.place.as_ref().map(Spot::of),
            label: short(&finding.label),
            notes: finding.notes.iter().take(NOTES).map(|note| short(note)).collect(),
            details: finding.details.iter().take(NOTES).map(detail).collect(),
            help: short(finding.help.as_deref().unwrap_or_default()),
        }
    }
}

impl<'f> Spot<'f> {
    pub(super) fn of(place: &'f Place) -> Self {
        let Place { path, line, column, width, text } = place;
        Self { path: short(path), line: *line, column: *column, width: *width, text: cut::head(text, LIMIT).0 }
    }
}

fn short(text: &str) -> &str {
    cut::head(text, SHORT).0
}
