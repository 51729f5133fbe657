//! Findings for the page's script.

use agentci_source::Place;
use agentci_trace::json_beginning;
use agentci_verdict::{CaseStatus, Detail, Finding};
use serde::Serialize;

use crate::{cut, findings};

/// The maximum number of findings of an attempt, and of notes and details of a finding.
pub(super) const FINDINGS: usize = 20;
const NOTES: usize = 20;
/// The maximum size of a text or value, in bytes.
const LIMIT: usize = 4 * 1024;
const SHORT: usize = 1024;

/// A finding of limited size.
#[derive(Serialize)]
pub(super) struct PageFinding<'r> {
    headline: String,
    broken: bool,
    cause: &'static str,
    name: String,
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PagePlace<'r>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'r str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<PageDetail<'r>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    help: &'r str,
}

/// The expected and the actual value, both as JSON text.
#[derive(Serialize)]
struct PageDetail<'r> {
    path: &'r str,
    expected: String,
    actual: String,
}

/// A line of a suite.
#[derive(Serialize)]
pub(super) struct PagePlace<'r> {
    path: &'r str,
    line: u32,
    column: u32,
    width: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'r str,
}

impl<'r> PageFinding<'r> {
    pub(super) fn of(finding: &'r Finding) -> Self {
        Self {
            headline: cut::name(&findings::headline(finding), SHORT),
            broken: finding.cause.status() == CaseStatus::Error,
            cause: finding.cause.name(),
            name: cut::name(&finding.name, SHORT),
            message: cut::head(&finding.message, LIMIT).0,
            place: finding.place.as_ref().map(PagePlace::of),
            label: short(&finding.label),
            notes: finding.notes.iter().take(NOTES).map(|note| short(note)).collect(),
            details: finding.details.iter().take(NOTES).map(PageDetail::of).collect(),
            help: short(finding.help.as_deref().unwrap_or_default()),
        }
    }
}

impl<'r> PageDetail<'r> {
    fn of(detail: &'r Detail) -> Self {
        Self {
            path: short(&detail.path),
            expected: json_beginning(&detail.expected, SHORT).0,
            actual: json_beginning(&detail.actual, SHORT).0,
        }
    }
}

impl<'r> PagePlace<'r> {
    pub(super) fn of(place: &'r Place) -> Self {
        let text = cut::head(&place.text, LIMIT).0;
        Self { path: short(&place.path), line: place.line, column: place.column, width: place.width, text }
    }
}

fn short(text: &str) -> &str {
    cut::head(text, SHORT).0
}
