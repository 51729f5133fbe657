//! Child processes with pipes, which end with all their descendants.

mod attached;
mod command;
mod ending;
mod tracked;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::descendants;
use crate::tail::LastLines;

use self::tracked::TrackedChild;

pub use self::attached::{Attached, SignalRequest, StandardStreams};
pub use self::command::{ProcessCommand, SpawnError};
pub use self::ending::{Ending, Exit, Grace, PrintError};

/// The pipes to a child.
#[derive(Debug)]
pub struct Pipes {
    /// Standard input.
    pub input: ChildStdin,
    /// Standard output.
    pub output: ChildStdout,
}

/// A running child in a separate process group.
#[derive(Debug)]
pub struct Process {
    tracked: TrackedChild,
    tail: Arc<Mutex<LastLines>>,
    /// Reads standard error; absent if the caller does.
    errors: Option<JoinHandle<()>>,
}

/// How long to wait for remaining output after a child exited.
const AFTER_EXIT: Duration = Duration::from_millis(250);

/// How long to wait for the end of standard error after a child exited; its descendants may still hold it open.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Process {
    /// Starts a program without blocking. Starting a program blocks the thread until it is loaded, so while other
    /// children run, this happens on another thread.
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
        let (mut process, pipes, stderr) = Self::spawn_with_errors(command)?;
        process.errors = Some(tokio::spawn(drain(stderr, Arc::clone(&process.tail))));
        Ok((process, pipes))
    }

    /// Starts a program whose standard error the caller must read, so that the program never blocks.
    pub fn spawn_with_errors(command: &ProcessCommand) -> Result<(Self, Pipes, ChildStderr), SpawnError> {
        let mut tracked = TrackedChild::start(true, |tag| command.start(tag))?;
        let child = &mut tracked.child;
        let pipes = child.stdin.take().zip(child.stdout.take()).map(|(input, output)| Pipes { input, output });
        let (Some(pipes), Some(stderr)) = (pipes, child.stderr.take()) else {
            return Err(command.failed(io::Error::other("it has no pipes")));
        };
        Ok((Self { tracked, tail: Arc::default(), errors: None }, pipes, stderr))
    }

    /// Whether the child itself has exited; its descendants may live on.
    pub fn has_exited(&mut self) -> bool {
        !matches!(self.tracked.child.try_wait(), Ok(None))
    }

    /// Its process id, until it has been waited for.
    pub fn id(&self) -> Option<u32> {
        self.tracked.child.id()
    }

    /// Reads standard output as well and keeps its last lines among those of standard error; for servers, whose output
    /// is not read otherwise.
    pub fn keep_output(&mut self, output: ChildStdout) {
        // The task ends with the child and all processes that hold its output open.
        tokio::spawn(drain(output, Arc::clone(&self.tail)));
    }

    /// The last lines of its standard error so far.
    pub fn tail(&self) -> Vec<String> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }

    /// The last lines of its standard error after it exited; waits for output that is still in the pipe.
    pub async fn last_words(&mut self) -> Vec<String> {
        if let Some(errors) = self.errors.as_mut().filter(|errors| !errors.is_finished()) {
            let _ = timeout(LAST_WORDS, errors).await;
        }
        self.tail()
    }

    /// Waits until the child itself has exited; its descendants may live on.
    pub async fn exited(&mut self) -> io::Result<Exit> {
        Ok(self.tracked.child.wait().await?.into())
    }

    /// Reads the output of the child until it exits, at most `limit` bytes. Descendants may hold the output open;
    /// shortly after the exit it is no longer read.
    pub async fn printed(&mut self, output: ChildStdout, limit: usize) -> Result<(Exit, Vec<u8>), PrintError> {
        let mut printed = Vec::new();
        let exit = self.print_to(&mut printed, output, limit).await?;
        Ok((exit, printed))
    }

    /// Reads the output of the child into a buffer, which the caller keeps even if the future is dropped.
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

    /// Ends the child, its group, and all descendants that left the group. Close the pipes before: a child that reads
    /// its input to the end then exits by itself.
    pub async fn end(mut self, grace: Grace) -> Ending {
        let exit = self.tracked.stop(grace).await;
        self.tracked.sweep().await;
        Ending { exit, stderr_tail: self.last_words().await }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(errors) = &self.errors {
            errors.abort();
        }
    }
}

/// Reads standard error to its end, so that the child never blocks, and keeps its last lines.
async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<LastLines>>) {
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
    }
}

#[cfg(test)]
mod tests;
