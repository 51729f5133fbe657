//! Reports that are written when a run is over.

use std::io::{self, BufWriter, Write};

use agentci_verdict::{Body, RunEvent};
use serde::Serialize;

use crate::{ReportError, ReportOutput, Reporter};

/// What a report gathers of a run, and the document that it becomes.
pub trait RunDocument: Default {
    /// What the report is called in errors.
    const REPORT: &'static str;
    /// Whether runs one after another go into one document.
    const JOINS_RUNS: bool = false;

    /// Takes note of an event.
    fn add(&mut self, event: &RunEvent);

    /// Writes the document; nothing more is added to it.
    fn write(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// Makes a document of each run, or of all of them.
pub struct DocumentReport<D> {
    output: PieceSink,
    begin: Box<dyn Fn() -> D>,
    gathered: Option<D>,
}

impl<D: RunDocument + 'static> DocumentReport<D> {
    /// The document goes to `output` when it is complete.
    pub fn new(output: ReportOutput) -> Self {
        Self::streamed(in_one_piece(output))
    }

    /// The document goes to `output` while it is made.
    pub fn streamed(output: PieceSink) -> Self {
        Self::beginning_with(output, D::default)
    }

    /// The same for a document that begins with something, such as a limit.
    pub(crate) fn beginning_with(output: PieceSink, begin: impl Fn() -> D + 'static) -> Self {
        Self { output, begin: Box::new(begin), gathered: None }
    }

    fn write(&mut self) -> Result<(), ReportError> {
        let Some(mut document) = self.gathered.take() else { return Ok(()) };
        let written = (self.output)(&mut |out| document.write(out));
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
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) && !D::JOINS_RUNS {
            self.write()?;
        }
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

/// How much is gathered before it is handed on, in bytes.
pub(crate) const PIECE: usize = 32 * 1024;

/// Where a document goes that is written piece by piece: it is handed what writes the pieces, and sees to it that they are all
/// there or none.
pub type PieceSink = Box<dyn FnMut(&mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()>>;

/// The same for an output that wants the document in one piece.
pub(crate) fn in_one_piece(mut output: ReportOutput) -> PieceSink {
    Box::new(move |write| {
        let mut document = Vec::new();
        write(&mut document)?;
        output(&document)
    })
}
