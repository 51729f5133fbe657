//! The child that runs Python code: one request, one answer.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agentci_process::{Exit, Grace, LineError, LineReader, Pipes, Process, ProcessCommand};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::printed::Printed;

/// The program of the child.
const HOST: &str = include_str!("host.py");
const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };
/// For a child that has closed its output: it is about to exit, and its exit code says more than a signal.
const EXITING: Grace = Grace { before_asking: Duration::from_millis(500), before_killing: Duration::from_millis(200) };
const POLITE: Grace = Grace { before_asking: Duration::from_millis(300), before_killing: Duration::from_millis(300) };
/// How long to read what a child that was stopped still says.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A running child.
#[derive(Debug)]
pub struct PythonHost {
    process: Process,
    input: ChildStdin,
    output: LineReader<ChildStdout>,
    printed: Printed,
}

/// The child, if it still runs, the answer to a request, and what the code printed meanwhile.
pub type HostExchange = (Option<PythonHost>, Result<Value, HostError>, String);

/// A function that was running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// The file of the function.
    pub path: String,
    /// The line in the file.
    pub line: u32,
    /// The name of the function.
    pub function: String,
}

/// Why there is no answer. The child has ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The child could not be started.
    #[error("{0}")]
    NotStarted(String),
    /// The answer did not come in time.
    #[error("it timed out after {limit:?}")]
    Late {
        /// The time limit.
        limit: Duration,
        /// Where the code was, from the outermost function to the innermost.
        stack: Vec<StackFrame>,
    },
    /// The process exited.
    #[error("it ended the Python process with {0}")]
    Ended(String),
    /// Something else wrote to the pipe of the answers, so that no answer can be told from another.
    #[error("it wrote to the file descriptors of agentci")]
    Garbled,
    /// The answer is too long.
    #[error("its answer is longer than {} MiB", .0 >> 20)]
    TooLong(usize),
}

impl PythonHost {
    /// Starts a child with the memory limit in bytes, if there is one. Modules are imported from `folders` first.
    /// Answers have at most `longest` bytes.
    pub fn start(
        program: OsString,
        memory: Option<u64>,
        folders: impl IntoIterator<Item = PathBuf>,
        longest: usize,
    ) -> Result<Self, HostError> {
        let memory = memory.unwrap_or_default().to_string();
        // Compiled modules are recognized by their time in seconds: a module that was just changed would be missed.
        let fixed = ["-B".into(), "-c".into(), HOST.into(), memory.into()];
        let arguments = fixed.into_iter().chain(folders.into_iter().map(PathBuf::into_os_string)).collect();
        // Functions fail by `assert`, which the variable would remove, also from the modules that they import.
        let environment = vec![("PYTHONOPTIMIZE".to_owned(), String::new())];
        let command = ProcessCommand { program, arguments, environment, ..ProcessCommand::default() };
        let started = Process::spawn_with_errors(&command).map_err(|error| HostError::NotStarted(error.to_string()));
        let (process, Pipes { input, output }, errors) = started?;
        Ok(Self { process, input, output: LineReader::new(output, longest), printed: Printed::new(errors) })
    }

    /// Sends a request, a line without its end, and waits for the answer. Returns the child, unless it had to be ended,
    /// the answer, and what the code printed. If the future is dropped, the child is killed.
    pub async fn exchange(mut self, mut request: String, limit: Duration) -> HostExchange {
        request.push('\n');
        match timeout(limit, self.talk(request.as_bytes())).await {
            Ok(Ok(None)) => self.fail(AT_ONCE, |_, _| HostError::Garbled).await,
            Ok(Ok(Some(answer))) => {
                let printed = self.printed.take();
                (Some(self), Ok(answer), printed)
            }
            Ok(Err(LineError::TooLong { limit, .. })) => self.fail(AT_ONCE, |_, _| HostError::TooLong(limit)).await,
            Ok(Err(LineError::Io(_))) => self.fail(EXITING, |exit, _| HostError::Ended(exit)).await,
            Err(_) => self.fail(AT_ONCE, |_, stack| HostError::Late { limit, stack }).await,
        }
    }

    /// Sends a request and reads the answer; `None` if the line is none.
    async fn talk(&mut self, request: &[u8]) -> Result<Option<Value>, LineError> {
        let Self { input, output, printed, .. } = self;
        // A child that has exited does not read; the end of its output says so.
        let write = async {
            let _ = input.write_all(request).await;
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            biased;
            line = output.next() => match line? {
                Some(line) => Ok(read_answer(line)),
                None => Err(LineError::Io(std::io::ErrorKind::UnexpectedEof.into())),
            },
            never = printed.read() => match never {},
            never = write => match never {},
        }
    }

    /// Ends the child after a request without an answer.
    async fn fail(self, grace: Grace, why: impl FnOnce(String, Vec<StackFrame>) -> HostError) -> HostExchange {
        let Self { process, input, mut output, mut printed } = self;
        let ending = tokio::select! {
            ending = process.end(grace) => ending,
            never = printed.read() => match never {},
        };
        drop(input);
        let mut stack = Vec::new();
        while let Ok(Ok(Some(line))) = timeout(LAST_WORDS, output.next()).await {
            stack.extend(StackFrame::read(&String::from_utf8_lossy(line)));
        }
        stack.reverse();
        let exit = ending.exit.map_or_else(|| "an unknown status".to_owned(), |exit| exit.to_string());
        let error = match (why(exit, stack), ending.exit) {
            // A process that it left behind kept the pipe open.
            (HostError::Late { .. }, Some(exit @ Exit::Code(_))) => HostError::Ended(exit.to_string()),
            (error, _) => error,
        };
        (None, Err(error), printed.take())
    }

    /// Whether the child has exited since its last answer: a function can leave a thread that ends the process.
    pub fn has_exited(&mut self) -> bool {
        self.process.has_exited()
    }

    /// Ends the child and all its descendants.
    pub async fn close(self) {
        let Self { process, input, .. } = self;
        drop(input);
        process.end(POLITE).await;
    }
}

impl StackFrame {
    /// Reads a line such as `  File "suite/checks.py", line 12 in loops`; `None` for frames of the child itself.
    fn read(line: &str) -> Option<Self> {
        let (path, rest) = line.trim().strip_prefix("File \"")?.rsplit_once("\", line ")?;
        let (line, function) = rest.split_once(" in ")?;
        let own = path.starts_with('<');
        let frame = Self { path: path.to_owned(), line: line.parse().ok()?, function: function.to_owned() };
        (!own).then_some(frame)
    }
}

/// An answer as JSON; `None` if the line is no answer, after which others may follow. An answer that cannot be read is a
/// wrong result, not a broken child: lines are still whole.
fn read_answer(line: &[u8]) -> Option<Value> {
    let is_answer = line.starts_with(b"{") && line.ends_with(b"}");
    let unreadable = |error| json!({ "thrown": format!("it returned a value that cannot be read: {error}") });
    is_answer.then(|| serde_json::from_slice(line).unwrap_or_else(unreadable))
}
