//! Reports that are written when a run has ended.

use std::io::{self, BufWriter, Write};

use agentci_verdict::{Body, RunEvent};
use serde::Serialize;

use crate::shared_runs::RunsInView;
use crate::{ReportError, ReportOutput, ReportedRun, Reporter, SharedRuns};

/// Writes a run as a document.
pub trait RunDocument: Default {
    /// The name of the report in errors.
    const REPORT: &'static str;
    /// Whether several runs are written to one document.
    const JOINS_RUNS: bool = false;

    /// Takes from an event what the document needs beyond the facts and rows of the run.
    fn add(&mut self, _event: &RunEvent) {}

    /// Writes the document about a run, or about all of them if it joins them; no events are added after that.
    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()>;
}

/// Writes a document for each run, or one for all runs.
pub struct DocumentReport<D> {
    output: PieceSink,
    begin: Box<dyn Fn() -> D>,
    runs: RunsInView,
    gathered: Option<D>,
    /// The number of the run that the document is about.
    number: usize,
}

impl<D: RunDocument + 'static> DocumentReport<D> {
    /// Writes the complete document to `output` at once.
    pub fn new(output: ReportOutput) -> Self {
        Self::streamed(in_one_piece(output))
    }

    /// Writes the document to `output` piece by piece.
    pub fn streamed(output: PieceSink) -> Self {
        Self::beginning_with(output, D::default)
    }

    /// Writes documents that `begin` creates, for example with a limit.
    pub(crate) fn beginning_with(output: PieceSink, begin: impl Fn() -> D + 'static) -> Self {
        Self { output, begin: Box::new(begin), runs: RunsInView::default(), gathered: None, number: 0 }
    }

    fn write(&mut self) -> Result<(), ReportError> {
        let Some(mut document) = self.gathered.take() else { return Ok(()) };
        let runs = self.runs.all();
        let runs = if D::JOINS_RUNS { &runs[..] } else { &runs[self.number..=self.number] };
        let written = (self.output)(&mut |out| {
            document.write(runs, out)?;
            runs.iter().try_for_each(|run| run.rows.intact())
        });
        written.map_err(|source| ReportError::Write { report: D::REPORT, source })
    }
}

/// Writes a document as indented JSON with a line end.
pub(crate) fn write_json(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(PIECE, out);
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

impl<D: RunDocument + 'static> Reporter for DocumentReport<D> {
    fn share(&mut self, runs: &SharedRuns) {
        self.runs.share(runs);
    }

    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) && !D::JOINS_RUNS {
            self.write()?;
        }
        self.number = self.runs.add(event);
        self.gathered.get_or_insert_with(&self.begin).add(event);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        if D::JOINS_RUNS {
            self.gathered.get_or_insert_with(&self.begin);
        }
        self.write()
    }
}

/// The size of the write buffer, in bytes.
pub(crate) const PIECE: usize = 32 * 1024;

/// The output of a document that is written piece by piece: it receives a function that writes the pieces, and makes
/// sure that all or none of them are stored.
pub type PieceSink = Box<dyn FnMut(&mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()>>;

/// Adapts an output that takes the pieces of a document to a report that is written in one piece.
pub(crate) fn of_pieces(mut output: PieceSink) -> ReportOutput {
    Box::new(move |bytes| output(&mut |out| out.write_all(bytes)))
}

/// Adapts an output that needs the document in one piece.
pub(crate) fn in_one_piece(mut output: ReportOutput) -> PieceSink {
    Box::new(move |write| {
        let mut document = Vec::new();
        write(&mut document)?;
        output(&document)
    })
}
