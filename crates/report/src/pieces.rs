//! Documents that are written piece by piece: one about many cases is never in memory as a whole.

use std::io::{self, Write};

use crate::ReportOutput;

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
