//! Distinguishes the two forms of `agentci record`: a command after `--`, or suites.
//!
//! The forms have different flags, so each is a separate subcommand: `record` for suites, and a hidden one for
//! commands.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use agentci_process::find_program;
use clap::Command;

use crate::cli::quoted;

/// The hidden subcommand for the form with a command.
pub(in crate::cli) const WITH_COMMAND: &str = "record-command";

/// The form of a command line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum RecordForm {
    /// Words to parse.
    Words(Vec<OsString>),
    /// The `--` before a command is missing; this is the corrected line, including the interpreter of a script.
    Unseparated(String),
}

/// Determines the form of a command line.
pub(in crate::cli) fn choose(mut words: Vec<OsString>) -> RecordForm {
    let Some(at) = subcommand(&words).filter(|at| words[*at] == "record") else { return RecordForm::Words(words) };
    if words[at..].iter().any(|word| word == "--") {
        words[at] = WITH_COMMAND.into();
        return RecordForm::Words(words);
    }
    match unseparated(&words[at + 1..]) {
        Some(first) => RecordForm::Unseparated(corrected(&words, at + 1 + first)),
        None => RecordForm::Words(words),
    }
}

/// Whether a command line has the form for suites.
pub(in crate::cli) fn is_for_suites(words: &[OsString]) -> bool {
    subcommand(words).is_some_and(|at| words[at] == "record")
}

/// Prints the help of both forms.
pub(in crate::cli) fn print_help(whole: &mut Command, suites: &clap::Error) {
    whole.build();
    let command = whole.find_subcommand_mut(WITH_COMMAND).expect("the subcommand is defined").render_help().to_string();
    let mut stdout = std::io::stdout().lock();
    let _ = write!(stdout, "{}\n\nFor suites:\n\n", command.trim_end());
    drop(stdout);
    let _ = suites.print();
}

/// The position of the subcommand.
fn subcommand(words: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.to_str() {
            Some("--color") => at += 2,
            Some(flag) if flag.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// The position of the first operand, if it is a program and not a file or folder of suites.
fn unseparated(words: &[OsString]) -> Option<usize> {
    let takes_value =
        ["-o", "--out", "--output", "--name", "--pass", "--only", "--volatile", "--max-cost", "--max-wall"];
    let mut at = 0;
    while let Some(flag) = words.get(at).and_then(|word| word.to_str()).filter(|word| word.starts_with('-')) {
        at += if takes_value.contains(&flag) { 2 } else { 1 };
    }
    let first = words.get(at)?;
    let path = Path::new(first);
    let is_command = if path.exists() { path.is_file() && runner(path).is_some() } else { is_program(first) };
    is_command.then_some(at)
}

/// The interpreter of a script, by its extension; empty for an executable, `None` for any other file.
fn runner(path: &Path) -> Option<&'static [&'static str]> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match ending {
        "py" => Some(&["python3"]),
        "js" | "mjs" | "cjs" => Some(&["node"]),
        "ts" | "mts" => Some(&["npx", "tsx"]),
        "rb" => Some(&["ruby"]),
        "sh" => Some(&["bash"]),
        "" | "exe" | "bin" | "AppImage" => is_executable(path).then_some(&[]),
        _ => None,
    }
}

fn is_executable(path: &Path) -> bool {
    fs_err::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn is_program(name: &OsStr) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    !name.as_encoded_bytes().contains(&b'/') && find_program(name, &path).is_some()
}

fn corrected(words: &[OsString], command: usize) -> String {
    let shown = |words: &[OsString]| {
        let words = words.iter().map(|word| quoted(&word.to_string_lossy()).unwrap_or_else(|| "'..'".into()));
        words.collect::<Vec<_>>().join(" ")
    };
    let path = Path::new(&words[command]);
    let mut run: Vec<OsString> = Vec::new();
    if path.is_file() {
        let by = runner(path).unwrap_or_default();
        run.extend(by.iter().map(OsString::from));
        // A shell would search for a bare name in `PATH`.
        let bare = by.is_empty() && path.components().count() == 1 && !words[command].to_string_lossy().contains('/');
        run.push(if bare { Path::new(".").join(path).into() } else { path.into() });
        run.extend(words[command + 1..].iter().cloned());
    } else {
        run.extend(words[command..].iter().cloned());
    }
    format!("agentci {} -- {}", shown(&words[1..command]), shown(&run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(line: &str) -> RecordForm {
        choose(line.split(' ').map(OsString::from).collect())
    }

    fn words(line: &str) -> RecordForm {
        RecordForm::Words(line.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn command_after_double_dash_is_recorded() {
        assert_eq!(form("agentci record -o x -- sh -c 1"), words("agentci record-command -o x -- sh -c 1"));
        assert_eq!(form("agentci --color never record -- sh"), words("agentci --color never record-command -- sh"));
        for same in ["agentci record suite", "agentci run -- record", "agentci record", "agentci replay x -- sh record"]
        {
            assert_eq!(form(same), words(same));
        }
    }

    #[test]
    fn suggests_line_with_missing_double_dash() {
        let RecordForm::Unseparated(line) = form("agentci record -o x.jsonl sh -c 1") else { panic!() };
        assert_eq!(line, "agentci record -o x.jsonl -- sh -c 1");
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["agent.py", "suite.yaml"] {
            fs_err::write(path(name), "").unwrap();
        }
        let script = path("agent.py");
        let RecordForm::Unseparated(line) = form(&format!("agentci record {script} x")) else { panic!() };
        assert_eq!(line, format!("agentci record -- python3 {script} x"));
        for suite in [path("suite.yaml"), path("")] {
            let line = format!("agentci record {suite}");
            assert_eq!(form(&line), words(&line));
        }
        assert_eq!(form("agentci record no-such-folder"), words("agentci record no-such-folder"));
    }
}
