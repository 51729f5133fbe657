//! The HTML report as a consumer of events.

use agentci_verdict::{Body, RunEvent};

use super::gathered::Gathered;
use super::page::page;
use crate::pieces::{Pieces, in_one_piece};
use crate::run::Run;
use crate::{Output, ReportError, Reporter, Stream};

/// Makes `report.html`, one page a run.
pub struct Html {
    output: Stream,
    seen: Option<(Run, Gathered)>,
}

impl Html {
    /// The page goes to `output` when it is complete.
    pub fn new(output: Output) -> Self {
        Self::streamed(in_one_piece(output))
    }

    /// The page goes to `output` while it is made.
    pub fn streamed(output: Stream) -> Self {
        Self { output, seen: None }
    }

    fn write(&mut self) -> Result<(), ReportError> {
        let Some((run, mut gathered)) = self.seen.take() else { return Ok(()) };
        gathered.close();
        let written = (self.output)(&mut |out| page(&run, &gathered, &mut Pieces::new(out)));
        written.map_err(|source| ReportError::Write { report: "html", source })
    }
}

impl Reporter for Html {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) {
            self.write()?;
        }
        let (run, gathered) = self.seen.get_or_insert_default();
        run.add(event);
        gathered.add(event);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.write()
    }
}
