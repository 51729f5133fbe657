//! The standard streams of the agent: inherited, or passed through and kept.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use agentci_process::StandardStreams;

/// How much of a stream is kept, in bytes.
const KEPT: usize = 1 << 20;

/// How long to wait for the last output of an agent that has exited.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How many bytes are passed through at a time.
const PIECE: usize = 16 * 1024;

/// The standard streams of an agent.
#[derive(Debug)]
pub(in crate::cli) enum AgentStreams {
    /// Our own streams, inherited.
    Ours,
    /// Our own streams, passed through and kept.
    Kept,
    /// This input; the output is dropped.
    Quietly(Vec<u8>),
}

/// The contents of the streams of an agent.
#[derive(Debug, Default)]
pub(in crate::cli) struct StreamContents {
    /// The input, empty if it was a terminal; `None` if it was too long to be kept.
    pub(in crate::cli) input: Option<Vec<u8>>,
    /// The output; `None` if it was too long to be kept.
    pub(in crate::cli) output: Option<Vec<u8>>,
}

/// Copies of streams that are passed through.
#[derive(Debug, Default)]
pub(super) struct PassedStreams {
    input: Option<Arc<Mutex<OutputCopy>>>,
    output: Option<(Arc<Mutex<OutputCopy>>, Receiver<()>)>,
}

#[derive(Debug, Default)]
struct OutputCopy {
    bytes: Vec<u8>,
    more: bool,
}

impl AgentStreams {
    /// The streams for a child process, and their copies.
    pub(super) fn open(self) -> io::Result<(StandardStreams, PassedStreams)> {
        match self {
            AgentStreams::Ours => Ok((StandardStreams::default(), PassedStreams::default())),
            AgentStreams::Kept => kept(),
            AgentStreams::Quietly(input) => {
                let (reader, mut writer) = io::pipe()?;
                thread::spawn(move || writer.write_all(&input));
                let streams = StandardStreams { input: reader.into(), output: Stdio::null(), errors: Stdio::null() };
                Ok((streams, PassedStreams::default()))
            }
        }
    }
}

impl PassedStreams {
    /// The contents of the streams, once the agent and everything that it started has exited.
    pub(super) fn finish(self) -> StreamContents {
        let input = self.input.map_or_else(|| Some(Vec::new()), |copy| complete_bytes(&copy));
        let output = self.output.and_then(|(copy, done)| {
            let _ = done.recv_timeout(LAST_WORDS);
            complete_bytes(&copy)
        });
        StreamContents { input, output }
    }
}

fn complete_bytes(copy: &Mutex<OutputCopy>) -> Option<Vec<u8>> {
    let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
    (!copy.more).then(|| std::mem::take(&mut copy.bytes))
}

fn kept() -> io::Result<(StandardStreams, PassedStreams)> {
    let mut streams = StandardStreams::default();
    let mut passing = PassedStreams::default();
    if !io::IsTerminal::is_terminal(&io::stdin()) {
        let (reader, writer): (PipeReader, PipeWriter) = io::pipe()?;
        streams.input = reader.into();
        let copy = Arc::<Mutex<OutputCopy>>::default();
        passing.input = Some(Arc::clone(&copy));
        // The thread is not joined: it may read from a pipe that never ends.
        thread::spawn(move || pass(io::stdin(), writer, &copy));
    }
    let (reader, writer) = io::pipe()?;
    streams.output = writer.into();
    let copy = Arc::<Mutex<OutputCopy>>::default();
    let (done, finished) = channel();
    passing.output = Some((Arc::clone(&copy), finished));
    thread::spawn(move || {
        pass(reader, io::stdout(), &copy);
        let _ = done.send(());
    });
    Ok((streams, passing))
}

/// Passes everything on, and keeps the beginning. Stops when the reader is gone.
fn pass(mut from: impl Read, mut to: impl Write, copy: &Mutex<OutputCopy>) {
    let mut piece = vec![0; PIECE];
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        {
            let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
            let room = KEPT - copy.bytes.len();
            copy.more |= count > room;
            copy.bytes.extend_from_slice(&piece[..count.min(room)]);
        }
        if to.write_all(&piece[..count]).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwards_all_output_but_discards_oversized_copy() {
        for (length, is_kept) in [(3, true), (KEPT, true), (KEPT + 1, false)] {
            let (copy, mut out) = (Mutex::default(), Vec::new());
            pass(&*vec![b'x'; length], &mut out, &copy);
            assert_eq!(out.len(), length);
            assert_eq!(complete_bytes(&copy).map(|bytes| bytes.len()), is_kept.then_some(length));
        }
    }

    #[test]
    fn wait_for_remaining_output_has_a_timeout() {
        let (sender, never) = channel();
        let copy = Arc::new(Mutex::new(OutputCopy { bytes: b"so far".to_vec(), more: false }));
        let captured = PassedStreams { input: None, output: Some((copy, never)) }.finish();
        assert_eq!(captured.output.as_deref(), Some(&b"so far"[..]));
        drop(sender);
    }
}
