//! `events.jsonl`, the events as they are stored: one line each.
//!
//! ```json
//! {"v":1,"type":"run_start","suite":"demo","timestamp":1763176000123,"run_id":"20251115-030640", ...}
//! {"v":1,"type":"task_start","suite":"demo","case_id":"t1","attempt":1,"timestamp":1763176000125, ...}
//! ```
//!
//! The same lines as in `run.jsonl`, but complete or absent, and wherever they are wanted.

use agentci_verdict::RunEvent;

use crate::{ReportError, ReportOutput, Reporter};

/// Makes `events.jsonl`.
pub struct Jsonl {
    output: ReportOutput,
    lines: String,
}

impl Jsonl {
    /// The lines go to `output` when they are complete.
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
