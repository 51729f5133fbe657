//! A child process that is reached over pipes and ends with everything it started.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::descendants;
use crate::guard;
use crate::tail::Tail;

/// What to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program: a path, or a name to look up on `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its working folder; ours when absent.
    pub folder: Option<PathBuf>,
    /// Variables beside the inherited ones.
    pub environment: Vec<(String, String)>,
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NotFound(String),
    /// The folder to start it in is not there.
    #[error("there is no folder `{0}` to start it in")]
    NoFolder(String),
    /// It may not be executed.
    #[error("`{0}` may not be executed")]
    NotExecutable(String),
    /// Anything else.
    #[error("`{program}` could not be started: {source}")]
    Other {
        /// The program.
        program: String,
        /// The system's words.
        source: io::Error,
    },
}

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
    child: Child,
    group: Option<Pid>,
    tag: String,
    tail: Arc<Mutex<Tail>>,
    errors: JoinHandle<()>,
    ended: bool,
}

/// How long what a child printed before it left may take to arrive.
const AFTER_EXIT: Duration = Duration::from_millis(250);

/// How long the last words of a child that left may take, where something it started could still add to them.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a child that was killed may take to be gone. Only a system call that can not be broken off takes any time.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Why what a child printed is not known.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// There was too much of it.
    #[error("it printed more than {} MiB", .0 >> 20)]
    TooMuch(usize),
    /// The pipe broke.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// How long a child may take to go by itself.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// Before it is asked to.
    pub before_asking: Duration,
    /// Before it is made to.
    pub before_killing: Duration,
}

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Its exit, unless that could not be learnt.
    pub exit: Option<Exit>,
    /// The last lines of its standard error.
    pub stderr_tail: Vec<String>,
}

/// How a process left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or_default()), Exit::Code)
    }
}

impl Process {
    /// Starts a program beside others. The system holds up the thread that starts a program until it is loaded; while another
    /// of ours runs, that is another thread than the one that listens to it.
    pub async fn spawn_beside(command: Command) -> Result<(Self, Pipes), SpawnError> {
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
    pub fn spawn(command: &Command) -> Result<(Self, Pipes), SpawnError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        descendants::adopt_orphans();
        guard::ensure();
        let tag = format!("{}-{}", guard::mark(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let mut child = match start(command, &command.program, &tag) {
            // Many machines have only `python3`.
            Err(error) if error.kind() == io::ErrorKind::NotFound && command.program == "python" => {
                start(command, &OsString::from("python3"), &tag)
            }
            other => other,
        }
        .map_err(|source| explain(command, source))?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(group) = group {
            descendants::register(group);
            guard::started(group);
        }
        let pipes = child.stdin.take().zip(child.stdout.take()).map(|(input, output)| Pipes { input, output });
        let (Some(pipes), Some(stderr)) = (pipes, child.stderr.take()) else {
            let program = command.program.to_string_lossy().into_owned();
            return Err(SpawnError::Other { program, source: io::Error::other("it has no pipes") });
        };
        let tail = Arc::new(Mutex::new(Tail::default()));
        let errors = tokio::spawn(drain(stderr, Arc::clone(&tail)));
        Ok((Self { child, group, tag, tail, errors, ended: false }, pipes))
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
        Ok(self.child.wait().await?.into())
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
                        let exit = match left {
                            Some((exit, _)) => exit,
                            None => self.exited().await?,
                        };
                        return Ok(exit);
                    }
                    if printed.len() > limit {
                        return Err(PrintError::TooMuch(limit));
                    }
                }
                exit = self.exited(), if left.is_none() => left = Some((exit?, Instant::now() + AFTER_EXIT)),
                () = sleep_until(until), if left.is_some() => {
                    if let Some((exit, _)) = left {
                        return Ok(exit);
                    }
                }
            }
        }
    }

    /// Ends the child, its group, and every descendant that left the group. The pipes should be closed before: a child that
    /// reads to the end of its input then goes by itself.
    pub async fn end(mut self, grace: Grace) -> Ending {
        let mut status = timeout(grace.before_asking, self.child.wait()).await.ok();
        if status.is_none() {
            self.signal(Signal::TERM);
            status = timeout(grace.before_killing, self.child.wait()).await.ok();
        }
        if status.is_none() {
            self.signal(Signal::KILL);
            let _ = self.child.start_kill();
            status = timeout(AFTER_KILL, self.child.wait()).await.ok();
        }
        // The leader is gone; the group may not be. Its number can not be given anew while a member lives.
        self.signal(Signal::KILL);
        if let Some(group) = self.group {
            descendants::forget(group);
            guard::ended(group);
        }
        descendants::sweep(&self.tag).await;
        self.ended = true;
        let stderr_tail = self.last_words().await;
        self.errors.abort();
        Ending { exit: status.and_then(Result::ok).map(Exit::from), stderr_tail }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.signal(Signal::KILL);
        if let Some(group) = self.group {
            descendants::forget(group);
            guard::ended(group);
        }
        descendants::kill_tagged(&self.tag);
        self.errors.abort();
    }
}

fn start(command: &Command, program: &OsString, tag: &str) -> io::Result<Child> {
    let mut prepared = tokio::process::Command::new(program);
    prepared
        .args(&command.arguments)
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .env(descendants::TAG, tag)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if let Some(folder) = &command.folder {
        prepared.current_dir(folder);
    }
    prepared.spawn()
}

fn explain(command: &Command, source: io::Error) -> SpawnError {
    let program = command.program.to_string_lossy().into_owned();
    if let Some(folder) = command.folder.as_ref().filter(|folder| !folder.is_dir()) {
        return SpawnError::NoFolder(folder.display().to_string());
    }
    match source.kind() {
        io::ErrorKind::NotFound => SpawnError::NotFound(program),
        io::ErrorKind::PermissionDenied => SpawnError::NotExecutable(program),
        _ => SpawnError::Other { program, source },
    }
}

/// How much of standard error is read at a time at most.
const LARGEST_READ: usize = 8 * 1024;

/// Reads standard error to its end, so that a child never waits for us, and keeps its last lines.
async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>) {
    // Most say nothing; whoever says much is soon read in larger pieces.
    let mut buffer = Vec::with_capacity(500);
    loop {
        match stderr.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer),
        }
        let filled = buffer.len() == buffer.capacity();
        buffer.clear();
        if filled && buffer.capacity() < LARGEST_READ {
            buffer.reserve(LARGEST_READ);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(50) };

    fn shell(script: &str) -> Command {
        Command { program: "sh".into(), arguments: vec!["-c".into(), script.into()], ..Command::default() }
    }

    /// Whether a process is there and not merely waiting to be reaped.
    fn alive(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
    }

    async fn first_line(pipes: &mut Pipes) -> String {
        let mut lines = crate::Lines::new(&mut pipes.output, 1000);
        String::from_utf8(lines.next().await.unwrap().unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn grandchildren_end_with_the_child() {
        let (process, mut pipes) = Process::spawn(&shell("sleep 60 & echo $!; wait")).unwrap();
        let pid = first_line(&mut pipes).await;
        assert!(alive(&pid));
        process.end(AT_ONCE).await;
        assert!(!alive(&pid));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_daemon_in_a_session_of_its_own_ends_too() {
        let script = "setsid sh -c 'sleep 60 & echo $!; wait' & wait";
        let (process, mut pipes) = Process::spawn(&shell(script)).unwrap();
        let pid = first_line(&mut pipes).await;
        assert!(alive(&pid));
        process.end(AT_ONCE).await;
        assert!(!alive(&pid));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_daemon_whose_parent_left_long_ago_ends_too() {
        let script = "(setsid sleep 60 >/dev/null & echo $!); cat >/dev/null";
        let (process, mut pipes) = Process::spawn(&shell(script)).unwrap();
        let pid = first_line(&mut pipes).await;
        assert!(alive(&pid));
        drop(pipes);
        let ending = process.end(Grace { before_asking: Duration::from_secs(5), before_killing: Duration::ZERO }).await;
        assert_eq!(ending.exit, Some(Exit::Code(0)));
        assert!(!alive(&pid));
    }

    #[tokio::test]
    async fn descendants_of_another_child_are_left_alone() {
        let script = "setsid sleep 60 >/dev/null & echo $!; cat >/dev/null";
        let (first, mut first_pipes) = Process::spawn(&shell(script)).unwrap();
        let (second, mut second_pipes) = Process::spawn(&shell(script)).unwrap();
        let (one, other) = (first_line(&mut first_pipes).await, first_line(&mut second_pipes).await);
        drop(first_pipes);
        first.end(AT_ONCE).await;
        assert!(!alive(&one));
        assert!(alive(&other));
        drop(second_pipes);
        second.end(AT_ONCE).await;
        assert!(!alive(&other));
    }

    #[tokio::test]
    async fn what_is_started_beside_another_ends_as_wholly() {
        let script = "sleep 60 & echo $!; wait";
        let (first, mut first_pipes) = Process::spawn_beside(shell(script)).await.unwrap();
        assert!(descendants::any());
        let (second, mut second_pipes) = Process::spawn_beside(shell(script)).await.unwrap();
        let (one, other) = (first_line(&mut first_pipes).await, first_line(&mut second_pipes).await);
        second.end(AT_ONCE).await;
        assert!(alive(&one) && !alive(&other));
        first.end(AT_ONCE).await;
        assert!(!alive(&one));
    }

    #[tokio::test]
    async fn why_a_program_did_not_start_beside_another_is_told() {
        let (running, _pipes) = Process::spawn_beside(shell("sleep 60")).await.unwrap();
        let missing = Command { program: "no-such-program-of-ours".into(), ..Command::default() };
        let error = Process::spawn_beside(missing).await.unwrap_err();
        assert!(matches!(error, SpawnError::NotFound(ref program) if program == "no-such-program-of-ours"), "{error}");
        running.end(AT_ONCE).await;
    }

    #[tokio::test]
    async fn a_flood_on_standard_error_blocks_nobody() {
        let (mut process, pipes) =
            Process::spawn(&shell("head -c 20000000 /dev/zero >&2; echo end >&2; exit 3")).unwrap();
        assert_eq!(process.exited().await.unwrap(), Exit::Code(3));
        drop(pipes);
        let ending = process.end(AT_ONCE).await;
        assert!(ending.stderr_tail.last().is_some_and(|line| line.ends_with("end") || line.ends_with("[cut]")));
    }

    #[tokio::test]
    async fn what_a_server_prints_is_kept() {
        let (mut process, pipes) = Process::spawn(&shell("echo out; echo err >&2; read -r line; echo $line")).unwrap();
        process.keep_output(pipes.output);
        let mut input = pipes.input;
        tokio::io::AsyncWriteExt::write_all(&mut input, b"more\n").await.unwrap();
        process.exited().await.unwrap();
        let mut lines = process.end(AT_ONCE).await.stderr_tail;
        lines.sort();
        assert_eq!(lines, ["err", "more", "out"]);
    }

    /// What it started holds its pipes open.
    #[tokio::test]
    async fn what_a_child_left_behind_is_not_waited_for() {
        let (mut process, pipes) = Process::spawn(&shell("sleep 60 & echo out; echo err >&2; exit 2")).unwrap();
        let (exit, printed) = process.printed(pipes.output, 100).await.unwrap();
        assert_eq!((exit, printed), (Exit::Code(2), b"out\n".to_vec()));
        assert_eq!(process.last_words().await, ["err"]);
        process.end(AT_ONCE).await;
    }

    #[tokio::test]
    async fn a_child_that_does_not_leave_when_it_is_asked_to_is_made_to() {
        let (process, mut pipes) =
            Process::spawn(&shell("trap '' TERM; echo ready; while :; do sleep 1; done")).unwrap();
        first_line(&mut pipes).await;
        assert_eq!(process.end(AT_ONCE).await.exit, Some(Exit::Signal(9)));
    }

    #[tokio::test]
    async fn says_why_a_program_does_not_start() {
        let missing = Command { program: "no-such-program-here".into(), ..Command::default() };
        assert!(matches!(Process::spawn(&missing), Err(SpawnError::NotFound(_))));
        let folder = Command { folder: Some("no/such/folder".into()), ..shell("true") };
        assert!(matches!(Process::spawn(&folder), Err(SpawnError::NoFolder(_))));
        let script = Command { program: "/etc/passwd".into(), ..Command::default() };
        assert!(matches!(Process::spawn(&script), Err(SpawnError::NotExecutable(_))));
    }
}
