//! The result as a report.

use std::io::{self, Write};

use agentci_verdict::RunEvent;

use super::OwnWordsResults;
use crate::document::{DocumentReport, RunDocument, write_json};

/// Makes the result of a run as JSON, one document a run.
pub type TestSuite = DocumentReport<OwnWordsResults>;

impl RunDocument for OwnWordsResults {
    const REPORT: &'static str = "test suite";

    fn add(&mut self, event: &RunEvent) {
        self.add(event);
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write_json(out, &std::mem::take(self).result())
    }
}
