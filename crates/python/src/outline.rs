//! Reads which names Python files define, without running them.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde::Deserialize;

const PROGRAM: &str = include_str!("outline.py");
/// The time limit for all files together.
const OUTLINE_LIMIT: Duration = Duration::from_secs(20);

/// The names that a file defines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Outline {
    /// The functions at the top level, without those whose name begins with `_`.
    pub functions: Vec<String>,
    names: Vec<String>,
    /// Whether the file may define names that cannot be seen.
    open: bool,
}

/// A syntax error of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OutlineSyntaxError {
    /// The line of the error.
    pub line: u32,
    /// The column of the error.
    pub column: u32,
    /// The description of the error.
    #[serde(rename = "syntax")]
    pub message: String,
}

impl Outline {
    /// Whether a function of this name may exist.
    pub fn may_have(&self, function: &str) -> bool {
        self.open || self.names.iter().any(|name| name == function)
    }
}

/// The outlines of files with these sources, in order; `None` if the interpreter does not work. It only parses: no code
/// of the project runs.
pub fn outlines(python: &OsStr, sources: &[&str]) -> Option<Vec<Result<Outline, OutlineSyntaxError>>> {
    let request = serde_json::to_vec(sources).ok()?;
    let mut child = Command::new(python)
        .args(["-I", "-S", "-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut input, output) = (child.stdin.take()?, child.stdout.take()?);
    let (send, read) = channel();
    std::thread::spawn(move || {
        // A child that has exited does not read.
        let _ = input.write_all(&request);
        drop(input);
        let _ = send.send(serde_json::from_reader::<_, Vec<serde_json::Value>>(output).ok());
    });
    let found = read.recv_timeout(OUTLINE_LIMIT).ok().flatten();
    let _ = child.kill();
    let _ = child.wait();
    let found = found.filter(|found| found.len() == sources.len())?;
    found
        .into_iter()
        .map(|outline| {
            if outline.get("syntax").is_some() {
                return serde_json::from_value(outline).ok().map(Err);
            }
            serde_json::from_value(outline).ok().map(Ok)
        })
        .collect()
}
