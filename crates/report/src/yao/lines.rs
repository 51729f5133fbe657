//! The results as lines that are written during the run.

use agentci_verdict::{Body, RunEvent};
use serde_json::Value;

use super::record;
use super::run_rows::YaoRun;
use crate::{ReportError, ReportOutput, Reporter};

/// Writes the JSON lines of a suite's results. Each line is written as soon as it and all before it are known.
pub struct YaoLines {
    output: ReportOutput,
    seen: Option<YaoRun>,
    /// The position of the first case that is not written yet.
    next: usize,
}

impl YaoLines {
    /// Writes each line to `output` separately.
    pub fn new(output: ReportOutput) -> Self {
        Self { output, seen: None, next: 0 }
    }

    /// The part after the last case.
    fn close(&mut self) -> Result<(), ReportError> {
        let Some(gathered) = self.seen.take() else { return Ok(()) };
        // No more events follow, so the cases that these waited for never end.
        for told in gathered.iter().filter(|told| told.row.decisive().index >= self.next) {
            write(&mut self.output, &record::line(told))?;
        }
        let mut summary = serde_json::Map::from_iter([("type".to_owned(), Value::from("summary"))]);
        summary.extend(record::summary(&gathered.run));
        write(&mut self.output, &summary.into())
    }
}

impl Reporter for YaoLines {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) {
            self.close()?;
            self.next = 0;
        }
        let begins = self.seen.is_none();
        let gathered = self.seen.get_or_insert_default();
        gathered.add(event);
        if begins {
            write(&mut self.output, &record::start(&gathered.run))?;
        }
        while let Some(told) = gathered.get(self.next).filter(|told| told.row.complete()) {
            write(&mut self.output, &record::line(told))?;
            gathered.forget(self.next);
            self.next += 1;
        }
        if matches!(event.body, Body::RunEnd(_)) {
            self.close()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.close()
    }
}

fn write(output: &mut ReportOutput, record: &Value) -> Result<(), ReportError> {
    let mut line = record.to_string().into_bytes();
    line.push(b'\n');
    output(&line).map_err(|source| ReportError::Write { report: "jsonl", source })
}
