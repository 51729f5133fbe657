//! Documents that are written piece by piece: one about many cases is never in memory as a whole.

use std::io::{self, Write};

use crate::Output;

/// How much is gathered before it is handed on, in bytes.
pub(crate) const PIECE: usize = 32 * 1024;

/// Where a document goes that is written piece by piece: it is handed what writes the pieces, and sees to it that they are all
/// there or none.
pub type Stream = Box<dyn FnMut(&mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()>>;

/// The same for an output that wants the document in one piece.
pub(crate) fn in_one_piece(mut output: Output) -> Stream {
    Box::new(move |write| {
        let mut document = Vec::new();
        write(&mut document)?;
        output(&document)
    })
}

/// A document while it is written.
pub(crate) struct Pieces<'o> {
    out: &'o mut dyn Write,
    /// What was not handed on yet.
    pub(crate) text: String,
    handed_on: usize,
}

impl<'o> Pieces<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, text: String::new(), handed_on: 0 }
    }

    /// Hands on what was gathered, if it is enough to be worth it.
    pub(crate) fn go_on(&mut self) -> io::Result<()> {
        if self.text.len() > PIECE { self.hand_on() } else { Ok(()) }
    }

    /// Hands on what was gathered.
    pub(crate) fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(self.text.as_bytes())?;
        self.handed_on += self.text.len();
        self.text.clear();
        Ok(())
    }

    /// How long the document is so far, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.handed_on + self.text.len()
    }
}
