//! A child process that is reached over pipes and ends with everything it started.

mod attached;
mod command;
mod ending;
mod tracked;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::descendants;
use crate::tail::LastLines;

use self::tracked::TrackedChild;

pub use self::attached::{Attached, SignalRequest, StandardStreams};
pub use self::command::{ProcessCommand, SpawnError};
pub use self::ending::{Ending, Exit, Grace, PrintError};

/// The ends of the pipes to a child.
#[derive(Debug)]
pub struct Pipes {
    /// What it reads.
    pub input: ChildStdin,
    /// What it writes.
    pub output: ChildStdout,
}

/// A running child, in a process group of its own.
#[derive(Debug)]
pub struct Process {
    tracked: TrackedChild,
    tail: Arc<Mutex<LastLines>>,
    errors: JoinHandle<()>,
}

/// How long what a child printed before it left may take to arrive.
const AFTER_EXIT: Duration = Duration::from_millis(250);

/// How long the last words of a child that left may take, where something it started could still add to them.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Process {
    /// Starts a program beside others. The system holds up the thread that starts a program until it is loaded; while another
    /// of ours runs, that is another thread than the one that listens to it.
    pub async fn spawn_beside(command: ProcessCommand) -> Result<(Self, Pipes), SpawnError> {
        if !descendants::any() {
            return Self::spawn(&command);
        }
        let program = command.program.to_string_lossy().into_owned();
        match tokio::task::spawn_blocking(move || Self::spawn(&command)).await {
            Ok(spawned) => spawned,
            Err(error) => Err(SpawnError::Other { program, source: io::Error::other(error) }),
        }
    }

    /// Starts a program.
    pub fn spawn(command: &ProcessCommand) -> Result<(Self, Pipes), SpawnError> {
        let mut tracked = TrackedChild::start(true, |tag| command.start(tag))?;
        let child = &mut tracked.child;
        let pipes = child.stdin.take().zip(child.stdout.take()).map(|(input, output)| Pipes { input, output });
        let (Some(pipes), Some(stderr)) = (pipes, child.stderr.take()) else {
            return Err(command.failed(io::Error::other("it has no pipes")));
        };
        let tail = Arc::new(Mutex::new(LastLines::default()));
        let errors = tokio::spawn(drain(stderr, Arc::clone(&tail)));
        Ok((Self { tracked, tail, errors }, pipes))
    }

    /// Its process id, as long as it was not waited for.
    pub fn id(&self) -> Option<u32> {
        self.tracked.child.id()
    }

    /// Reads what the child prints, too, and keeps its last lines among those of its standard error: for a server, which nobody
    /// else listens to.
    pub fn keep_output(&mut self, output: ChildStdout) {
        // It ends when the child and everything that holds its output have.
        tokio::spawn(drain(output, Arc::clone(&self.tail)));
    }

    /// The last lines so far of its standard error.
    pub fn tail(&self) -> Vec<String> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }

    /// The last lines of its standard error, once it has left: what it wrote before may still be on its way.
    pub async fn last_words(&mut self) -> Vec<String> {
        if !self.errors.is_finished() {
            let _ = timeout(LAST_WORDS, &mut self.errors).await;
        }
        self.tail()
    }

    /// Waits until the child itself has left; what it started may live on.
    pub async fn exited(&mut self) -> io::Result<Exit> {
        Ok(self.tracked.child.wait().await?.into())
    }

    /// Reads what the child prints until it has left, at most `limit` bytes. What it started may hold its output open; a moment
    /// after it has left that is not waited for any more.
    pub async fn printed(&mut self, output: ChildStdout, limit: usize) -> Result<(Exit, Vec<u8>), PrintError> {
        let mut printed = Vec::new();
        let exit = self.print_to(&mut printed, output, limit).await?;
        Ok((exit, printed))
    }

    /// The same into a buffer of the caller's, who has it also when it is not waited for any more.
    pub async fn print_to(
        &mut self,
        printed: &mut Vec<u8>,
        mut output: ChildStdout,
        limit: usize,
    ) -> Result<Exit, PrintError> {
        let mut left: Option<(Exit, Instant)> = None;
        loop {
            let until = left.map_or_else(|| Instant::now() + Duration::from_hours(24), |(_, until)| until);
            tokio::select! {
                read = output.read_buf(printed) => {
                    if read? == 0 {
                        break;
                    }
                    if printed.len() > limit {
                        return Err(PrintError::TooMuch(limit));
                    }
                }
                exit = self.exited(), if left.is_none() => left = Some((exit?, Instant::now() + AFTER_EXIT)),
                () = sleep_until(until), if left.is_some() => break,
            }
        }
        match left {
            Some((exit, _)) => Ok(exit),
            None => Ok(self.exited().await?),
        }
    }

    /// Ends the child, its group, and every descendant that left the group. The pipes should be closed before: a child that
    /// reads to the end of its input then goes by itself.
    pub async fn end(mut self, grace: Grace) -> Ending {
        let exit = self.tracked.stop(grace).await;
        self.tracked.sweep().await;
        Ending { exit, stderr_tail: self.last_words().await }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.errors.abort();
    }
}

/// Reads standard error to its end, so that a child never waits for us, and keeps its last lines.
async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<LastLines>>) {
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
    }
}

#[cfg(test)]
mod tests;
