//! The result as a report.

use agentci_verdict::{Body, RunEvent};

use super::Gathered;
use crate::{Output, ReportError, Reporter};

/// Makes the JSON of a suite's result, one document a run.
pub struct TestSuite {
    output: Output,
    gathered: Option<Gathered>,
}

impl TestSuite {
    /// The document goes to `output` when it is complete.
    pub fn new(output: Output) -> Self {
        Self { output, gathered: None }
    }

    fn write(&mut self) -> Result<(), ReportError> {
        let Some(gathered) = self.gathered.take() else { return Ok(()) };
        let mut document = serde_json::to_vec_pretty(&gathered.result())
            .map_err(|source| ReportError::Encode { report: "test suite", source })?;
        document.push(b'\n');
        (self.output)(&document).map_err(|source| ReportError::Write { report: "test suite", source })
    }
}

impl Reporter for TestSuite {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) {
            self.write()?;
        }
        self.gathered.get_or_insert_default().add(event);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.write()
    }
}
