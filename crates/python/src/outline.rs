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
    outlines_within(OUTLINE_LIMIT, python, sources)
}

fn outlines_within(
    limit: Duration,
    python: &OsStr,
    sources: &[&str],
) -> Option<Vec<Result<Outline, OutlineSyntaxError>>> {
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
    let found = read.recv_timeout(limit).ok().flatten();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(source: &str) -> Result<Outline, OutlineSyntaxError> {
        outlines(OsStr::new("python3"), &[source]).unwrap().remove(0)
    }

    #[test]
    fn finds_names_that_may_be_functions() {
        let source = "from a import b as c\nimport d.e\ndef f(): g = 1\nasync def h(): pass\nclass I: pass\n\
                      try:\n    j = f\nexcept ImportError:\n    def k(): pass\ndef _l(): pass\nif f: m, n = 1, 2\n";
        let outline = outline(source).unwrap();
        assert_eq!(outline.functions, ["f", "h", "k"]);
        let found = |names: &str| names.split(' ').filter(|name| outline.may_have(name)).collect::<Vec<_>>().join(" ");
        assert_eq!(found("a b c d e f g h I j k _l m n o"), "c d f h I j k _l m n");
    }

    #[test]
    fn code_that_defines_names_at_run_time_may_have_any() {
        for source in
            ["from a import *", "globals()['f'] = 1", "def g():\n  global f\n  f = 1", "def __getattr__(name): pass"]
        {
            assert!(outline(source).unwrap().may_have("f"), "{source}");
        }
    }

    #[test]
    fn reports_syntax_errors_and_runs_nothing() {
        let error = outline("x = 1\ndef f(:\n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 7));
        assert!(outline(&"(".repeat(100_000)).is_err());
        assert!(outline("import sys; sys.exit(1); open('/dev/full', 'w').write('x')").is_ok());
        assert_eq!(outlines(OsStr::new("no-such-python"), &["x"]), None);
        assert_eq!(outlines(OsStr::new("false"), &["x"]), None);
    }

    #[test]
    fn parsing_has_a_timeout() {
        // It ignores its arguments and waits.
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("python3");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 60\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let begun = std::time::Instant::now();
        assert_eq!(outlines_within(Duration::from_millis(100), program.as_os_str(), &["x"]), None);
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
