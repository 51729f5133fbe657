//! `events.jsonl`: the stored events, one per line.
//!
//! ```json
//! {"v":1,"type":"run_start","suite":"demo","timestamp":1763176000123,"run_id":"20251115-030640", ...}
//! {"v":1,"type":"task_start","suite":"demo","case_id":"t1","attempt":1,"timestamp":1763176000125, ...}
//! ```
//!
//! The same lines as in `run.jsonl`, but complete or absent, and at any path.

use agentci_verdict::RunEvent;

use crate::{ReportError, ReportOutput, Reporter};

/// Writes `events.jsonl`.
pub struct Jsonl {
    output: ReportOutput,
    lines: String,
}

impl Jsonl {
    /// Writes all lines to `output` when the run has ended.
    pub fn new(output: ReportOutput) -> Self {
        Self { output, lines: String::new() }
    }
}

impl Reporter for Jsonl {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        let wrong = |error| ReportError::Write { report: "jsonl", source: std::io::Error::other(error) };
        let line = event.to_line().map_err(wrong)?;
        self.lines.push_str(&line);
        self.lines.push('\n');
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let lines = std::mem::take(&mut self.lines);
        (self.output)(lines.as_bytes()).map_err(|source| ReportError::Write { report: "jsonl", source })
    }
}
