//! Plays a reader who follows a page, in a temporary folder with a copy of the examples.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use regex::Regex;
use tempfile::TempDir;

use crate::docs_page::{Block, Item, Page, project};
use crate::filter::filter;
use crate::processes::signal;
use crate::surroundings::on_a_desk;

/// The time limit for a command, long enough for a slow machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// How the README runs `agentci`, since its readers have not installed it.
const BY_CARGO: &str = "cargo run --release --locked -- ";

/// A run folder in the text of a page; it is replaced by the newest run folder of that suite.
static RUN_FOLDER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"([\w./-]+/)\d{8}-\d{6}\b").unwrap());

/// A similarity; its last digits depend on the machine.
static SIMILARITY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[01]\.\d{4}\b").unwrap());

/// A reader with a working folder.
pub(crate) struct Reader {
    home: TempDir,
    /// The current directory.
    at: PathBuf,
    /// Port numbers on the page, and the free ports that replace them.
    ports: Vec<(String, String)>,
    running: Vec<Child>,
}

/// The result of a command.
pub(crate) struct Came {
    /// The exit code; `None` if the command was killed.
    pub(crate) code: Option<i32>,
    pub(crate) printed: String,
}

impl Reader {
    /// Creates a reader with `agentci` on the `PATH`. The examples are copied unless the page lists the files to copy.
    pub(crate) fn of(page: &Page) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_agentci"), home.path().join("bin/agentci")).unwrap();
        let at = home.path().join("work");
        fs::create_dir_all(&at).unwrap();
        let reader = Self { home, at, ports: Vec::new(), running: Vec::new() };
        if !page.items.iter().any(|item| matches!(item, Item::Copy { .. })) {
            reader.copy("examples", "examples");
        }
        reader
    }

    /// Chooses a free port to replace this number.
    pub(crate) fn port(&mut self, number: &str) {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        self.ports.push((number.to_owned(), free.to_string()));
        if self.work().join("examples").is_dir() {
            self.copy("examples", "examples");
        }
    }

    /// Copies project files to the working folder.
    pub(crate) fn copy(&self, from: &str, to: &str) {
        copy(&project().join(from), &self.work().join(to), &|text| self.with_ports(&text));
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.with_ports(text)).unwrap();
    }

    /// The folder in which a page starts.
    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// Runs a command and waits for it to end.
    pub(crate) fn run(&mut self, command: &str) -> Came {
        let log = self.home.path().join("printed");
        let out = File::create(&log).unwrap();
        let mut shell = self.shell(command);
        let mut child = shell.stdout(out.try_clone().unwrap()).stderr(out).spawn().unwrap();
        let pid = child.id();
        let (send, ended) = channel();
        let waiting = std::thread::spawn(move || {
            let code = child.wait().unwrap().code();
            let _ = send.send(());
            code
        });
        if matches!(ended.recv_timeout(PATIENCE), Err(RecvTimeoutError::Timeout)) {
            end(pid);
        }
        let code = waiting.join().unwrap();
        if let Ok(at) = fs::read_to_string(self.home.path().join("at")) {
            self.at = PathBuf::from(at.trim_end());
        }
        Came { code, printed: String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned() }
    }

    /// Starts a command that runs until the page ends; returns its first line of output, if any.
    pub(crate) fn start(&mut self, command: &str) -> Option<String> {
        let mut child = self.shell(command).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let said = lines(&mut child);
        self.running.push(child);
        said.recv_timeout(PATIENCE).ok()
    }

    /// Compares the output with the block on the page, ignoring what differs from run to run. The error contains both.
    pub(crate) fn compare(&self, shown: &Block, printed: &str) -> Result<(), String> {
        let filtered = |text: &str| SIMILARITY.replace_all(&filter(text, &self.work()), "[similarity]").into_owned();
        let (shown, printed) = (filtered(&self.with_ports(&shown.text)), filtered(printed));
        let (wanted, lines): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), printed.trim_end().lines().collect());
        if fits(&wanted, &lines) { Ok(()) } else { Err(format!("shown:\n{shown}\nprinted:\n{printed}")) }
    }

    fn shell(&self, command: &str) -> Command {
        let command = self.with_ports(&command.replace(BY_CARGO, "agentci "));
        let command = RUN_FOLDER.replace_all(&command, |found: &regex::Captures<'_>| {
            let newest = newest(&self.at.join(&found[1]));
            newest.map_or_else(|| found[0].to_owned(), |name| format!("{}{name}", &found[1]))
        });
        let script = format!("trap 'pwd > \"$DOCS_AT\"' EXIT\n{command}");
        let mut shell = Command::new("bash");
        let path = format!("{}:{}", self.home.path().join("bin").display(), std::env::var("PATH").unwrap());
        shell.args(["-c", &script]).current_dir(&self.at).stdin(Stdio::null()).process_group(0);
        shell.env("PATH", path).env("DOCS_AT", self.home.path().join("at")).env("TERM", "dumb");
        on_a_desk(&mut shell);
        shell
    }

    fn with_ports(&self, text: &str) -> String {
        self.ports.iter().fold(text.to_owned(), |text, (number, port)| text.replace(number.as_str(), port))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        for child in &mut self.running {
            end(child.id());
            let _ = child.wait();
        }
    }
}

/// Kills a command and its process group.
fn end(pid: u32) {
    let _ = std::process::Command::new("sh").args(["-c", &format!("kill -KILL -{pid}")]).output();
    signal(pid, "KILL");
}

/// The output lines of a command. They are read to the end, so that the command never blocks.
fn lines(child: &mut Child) -> Receiver<String> {
    let (send, lines) = channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    lines
}

/// The newest run folder in a folder.
fn newest(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.max()
}

/// Copies a file or a folder; `change` is applied to text files.
fn copy(from: &Path, to: &Path, change: &dyn Fn(String) -> String) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.file_name().unwrap();
            if name != ".agentci" && name != "__pycache__" {
                copy(&entry, &to.join(name), change);
            }
        }
        return;
    }
    match String::from_utf8(fs::read(from).unwrap()) {
        Ok(text) => fs::write(to, change(text)).unwrap(),
        Err(_) => drop(fs::copy(from, to).unwrap()),
    }
}

/// Whether the lines match the expected ones, where `...` matches any number of lines.
fn fits(wanted: &[&str], lines: &[&str]) -> bool {
    match wanted {
        [] => lines.is_empty(),
        [any, rest @ ..] if any.trim() == "..." => (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..])),
        [first, rest @ ..] => {
            lines.first().is_some_and(|line| line.trim_end() == first.trim_end()) && fits(rest, &lines[1..])
        }
    }
}

#[test]
fn ellipsis_matches_any_number_of_lines() {
    assert!(fits(&["a", "...", "d"], &["a", "b", "c", "d"]) && fits(&["..."], &[]));
    assert!(!fits(&["a", "..."], &["b"]) && !fits(&["a"], &["a", "b"]));
}
