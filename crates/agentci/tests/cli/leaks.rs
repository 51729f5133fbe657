//! Collects all output of a run, to check that it contains no secret.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ran::Ran;
use crate::suite::Suite;

/// Output texts of a run, each with its name.
pub(crate) type Texts = Vec<(String, String)>;

/// Runs with every report; returns everything that was printed and written.
pub(crate) fn run_with_every_report(suite: &Suite, arguments: &[&str], variables: &[(&str, &str)]) -> (Ran, Texts) {
    let known = suite.agentci(&["run", "suite", "--report", "no-such-report"]);
    let mut arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.push("-v".into());
    for name in known.stderr.split('`').skip(1).step_by(2) {
        if name.chars().all(char::is_alphanumeric) {
            arguments.extend(["--report".to_owned(), format!("{name}=out/{name}.report")]);
        }
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let summary = suite.path("step-summary.md");
    let mut command = suite.command(&arguments);
    command.envs(variables.iter().copied()).env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let ran = suite.ran(&command.output().unwrap(), Duration::ZERO);
    let mut files = Vec::new();
    for folder in [".agentci", "out"].map(|name| suite.path(name)).iter().filter(|folder| folder.is_dir()) {
        files_below(folder, &mut files);
    }
    files.extend(Some(summary).filter(|summary| summary.exists()));
    let names = ["run.jsonl", "summary.json", "junit.xml", "report.html"];
    for name in names {
        assert!(files.iter().any(|file| file.ends_with(name)), "no {name} in {files:?}\n{ran:?}");
    }
    let read = |path: &PathBuf| (path.display().to_string(), fs::read_to_string(path).unwrap());
    let mut texts: Texts = files.iter().map(read).collect();
    texts.extend([("stdout".to_owned(), ran.stdout.clone()), ("stderr".to_owned(), ran.stderr.clone())]);
    (ran, texts)
}

/// The texts of all files below a folder.
pub(crate) fn texts_below(folder: &Path) -> Texts {
    let mut files = Vec::new();
    files_below(folder, &mut files);
    files.iter().map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

pub(crate) fn assert_no_leak(texts: &[(String, String)], secrets: &[&str]) {
    for (name, text) in texts {
        for secret in secrets {
            let around = text.find(secret).map(|at| {
                let from = text.floor_char_boundary(at.saturating_sub(200));
                &text[from..text.ceil_char_boundary(at + secret.len() + 50)]
            });
            assert_eq!(around, None, "{secret} is in {name}");
        }
    }
}
