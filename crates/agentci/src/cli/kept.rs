//! A report that is kept in memory until its run is over.

use std::io;
use std::sync::mpsc::{Receiver, channel};

use agentci::report::Output;

/// The text of such a report. The report owns its output, so the text comes back through a channel.
pub(super) struct Kept(Receiver<Vec<u8>>);

impl Kept {
    /// A place to keep a report, and the output to give to it.
    pub(super) fn new() -> (Self, Output) {
        let (sender, receiver) = channel();
        let output: Output = Box::new(move |bytes| sender.send(bytes.to_vec()).map_err(io::Error::other));
        (Self(receiver), output)
    }

    /// Everything that was written so far.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.try_iter().collect::<Vec<_>>().concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_pieces_comes_back_whole() {
        let (kept, mut output) = Kept::new();
        output(b"{\"a\":").unwrap();
        output(b"1}\n").unwrap();
        assert_eq!(kept.into_bytes(), b"{\"a\":1}\n");
    }
}
