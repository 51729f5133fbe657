//! Writes to the standard input of a child.

use std::io;

use rustix::io::Errno;
use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;

/// Writes as much as the pipe accepts. The first attempt bypasses the runtime, which would first wait for readiness: a
/// new pipe accepts short data immediately.
async fn write_some(input: &mut ChildStdin, bytes: &[u8]) -> io::Result<usize> {
    let count = match rustix::io::write(&*input, bytes) {
        Err(Errno::AGAIN | Errno::INTR) => input.write(bytes).await?,
        tried => tried?,
    };
    if count == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(count) }
}

/// The queue of bytes for a child, which may have stopped reading.
#[derive(Debug)]
pub struct Outbox {
    input: Option<ChildStdin>,
    /// The queued bytes, and how many of them were written.
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    /// Creates an empty queue.
    pub fn new(input: ChildStdin) -> Self {
        Self { input: Some(input), bytes: Vec::new(), sent: 0 }
    }

    /// The number of bytes still to be written.
    pub fn waiting(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Whether the child may still read.
    pub fn is_open(&self) -> bool {
        self.input.is_some()
    }

    /// The queue, to append to.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Writes as much as the pipe accepts; pending forever if there is nothing to write or the child does not read.
    pub async fn write(&mut self) {
        let Some(input) = self.input.as_mut().filter(|_| self.sent < self.bytes.len()) else {
            return std::future::pending().await;
        };
        let written = write_some(input, &self.bytes[self.sent..]).await;
        match written {
            Ok(count) => self.sent += count,
            // The child stopped reading, but it may still write.
            Err(_) => self.input = None,
        }
        if self.sent == self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use crate::{Grace, Process, ProcessCommand};

    use super::*;

    const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(50) };

    #[tokio::test]
    async fn resumes_writing_when_pipe_has_space() {
        let cat = ProcessCommand { program: "cat".into(), ..ProcessCommand::default() };
        let (process, mut pipes) = Process::spawn(&cat).unwrap();
        let sent: Vec<u8> = (0..4_000_000_u32).flat_map(u32::to_le_bytes).collect();
        let writing = async {
            let mut done = 0;
            while done < sent.len() {
                done += write_some(&mut pipes.input, &sent[done..]).await.unwrap();
            }
            drop(pipes.input);
        };
        let mut came = Vec::new();
        let ((), read) = tokio::join!(writing, pipes.output.read_to_end(&mut came));
        read.unwrap();
        assert!(came == sent);
        process.end(AT_ONCE).await;
    }

    #[tokio::test]
    async fn writing_to_exited_child_fails_with_broken_pipe() {
        let (mut process, mut pipes) =
            Process::spawn(&ProcessCommand { program: "true".into(), ..ProcessCommand::default() }).unwrap();
        process.exited().await.unwrap();
        assert_eq!(write_some(&mut pipes.input, b"a").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        process.end(AT_ONCE).await;
    }
}
