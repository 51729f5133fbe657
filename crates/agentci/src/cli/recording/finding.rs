//! Findings of `agentci recording check`, as lines and as JSON.

use std::path::Path;

use agentci::report::{Paint, Tone, one_line};
use serde::Serialize;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HealthSeverity {
    /// It must be fixed.
    Error,
    /// It is probably unintended.
    Warning,
    /// It could not be determined.
    Note,
}

impl HealthSeverity {
    fn paint(self, paint: Paint) -> String {
        match self {
            HealthSeverity::Error => paint.apply(Tone::Error, "error"),
            HealthSeverity::Warning => paint.apply(Tone::Warning, "warning"),
            HealthSeverity::Note => paint.apply(Tone::Help, "note"),
        }
    }
}

/// A finding about a recording.
#[derive(Debug, Clone, Serialize)]
pub(super) struct HealthFinding {
    pub(super) severity: HealthSeverity,
    /// The machine-readable kind.
    pub(super) kind: &'static str,
    pub(super) file: String,
    /// The line in the file, if known.
    pub(super) line: Option<usize>,
    /// The number of the call, if the finding is about one.
    pub(super) call: Option<u64>,
    pub(super) message: String,
    /// The remedy.
    pub(super) help: String,
}

impl HealthFinding {
    /// A finding about a whole file.
    pub(super) fn new(
        severity: HealthSeverity,
        kind: &'static str,
        path: &Path,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, help) = (message.into(), help.into());
        Self { severity, kind, file: path.display().to_string(), line: None, call: None, message, help }
    }

    /// `warning: recordings/a.jsonl:14: call 3 GET .. was answered with status 404; record it again ..`
    pub(super) fn line(&self, paint: Paint) -> String {
        let place = self.line.map_or_else(|| self.file.clone(), |line| format!("{}:{line}", self.file));
        let severity = self.severity.paint(paint);
        format!("{severity}: {}: {}; {}\n", one_line(&place), one_line(&self.message), one_line(&self.help))
    }
}
