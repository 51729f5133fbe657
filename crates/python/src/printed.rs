//! What a function prints: the beginning is kept, the rest is read and dropped, so that printing never blocks.

use std::convert::Infallible;

use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStderr;

/// The maximum number of bytes that are kept of what a call prints.
const KEPT: usize = 8 * 1024;
/// The end of output that was cut. The redactor treats the beginning of a secret before this mark as the whole secret.
const CUT: &str = " [cut]";
const CHUNK: usize = 16 * 1024;

/// The standard error of a child, to which its standard output is redirected.
#[derive(Debug)]
pub(crate) struct Printed {
    stream: Option<ChildStderr>,
    kept: Vec<u8>,
    dropped: bool,
    chunk: Vec<u8>,
}

impl Printed {
    pub(crate) fn new(stream: ChildStderr) -> Self {
        Self { stream: Some(stream), kept: Vec::new(), dropped: false, chunk: vec![0; CHUNK] }
    }

    /// Reads what is printed; never returns while the stream is open. Dropping the future loses nothing.
    pub(crate) async fn read(&mut self) -> Infallible {
        while let Some(stream) = &mut self.stream {
            match stream.read(&mut self.chunk).await {
                Ok(count @ 1..) => self.keep(count),
                _ => self.stream = None,
            }
        }
        std::future::pending().await
    }

    /// Takes what has been printed so far. All that was printed before an answer is in the pipe by then.
    pub(crate) fn take(&mut self) -> String {
        // A process of the suite may print without end.
        for _ in 0..64 {
            let Some(stream) = &self.stream else { break };
            match rustix::io::read(stream, &mut self.chunk[..]) {
                Ok(count @ 1..) => self.keep(count),
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => break,
            }
        }
        if self.kept.is_empty() {
            return String::new();
        }
        let mut kept = std::mem::take(&mut self.kept);
        let cut = std::mem::take(&mut self.dropped);
        if let Some(error) = str::from_utf8(&kept).err().filter(|error| cut && error.error_len().is_none()) {
            kept.truncate(error.valid_up_to());
        }
        let text = String::from_utf8_lossy(&kept).into_owned();
        if cut { text + CUT } else { text }
    }

    fn keep(&mut self, count: usize) {
        let room = (KEPT - self.kept.len()).min(count);
        self.kept.extend_from_slice(&self.chunk[..room]);
        self.dropped |= room < count;
    }
}
