//! The result of running the binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::filter::filter;

/// The output, exit code and files of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
    pub(crate) took: Duration,
    root: Rc<TempDir>,
}

impl Ran {
    pub(crate) fn new(root: Rc<TempDir>, output: &Output, took: Duration) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
            code: output.status.code(),
            took,
            root,
        }
    }

    /// Exit code, standard output and standard error in one text, with varying parts replaced.
    pub(crate) fn shown(&self) -> String {
        let text = format!("exit {:?}\n-- stdout\n{}-- stderr\n{}", self.code.unwrap(), self.stdout, self.stderr);
        filter(&text, self.root.path())
    }

    /// The console report, with varying parts replaced.
    pub(crate) fn console(&self) -> String {
        filter(&self.stdout, self.root.path())
    }

    /// The folders of all runs, sorted.
    pub(crate) fn run_folders(&self) -> Vec<PathBuf> {
        run_folders(&self.root.path().join(".agentci/runs"))
    }

    /// The folder of the only run.
    pub(crate) fn run_folder(&self) -> PathBuf {
        let folders = self.run_folders();
        assert_eq!(folders.len(), 1, "{folders:?}\n{self:?}");
        folders[0].clone()
    }

    pub(crate) fn summary(&self) -> Value {
        read_json(&self.run_folder().join("summary.json"))
    }

    pub(crate) fn junit(&self) -> String {
        fs::read_to_string(self.run_folder().join("junit.xml")).unwrap()
    }

    /// Every event of `run.jsonl`; a line that is not JSON fails the test.
    pub(crate) fn events(&self) -> Vec<Value> {
        read_events(&self.run_folder().join("run.jsonl"))
    }

    /// The final output of a case, as the agent sent it.
    pub(crate) fn final_output(&self, id: &str) -> Value {
        let events = self.events();
        let of_case = |event: &&Value| event["type"] == "final_output" && event["case_id"] == id;
        events.iter().find(of_case).unwrap_or_else(|| panic!("no final output of {id}: {self:?}"))["output"].clone()
    }

    /// A case of the summary.
    pub(crate) fn case(&self, id: &str) -> Value {
        let summary = self.summary();
        let cases = summary["cases"].as_array().unwrap();
        cases.iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}: {self:?}")).clone()
    }

    /// Id, status and cause of every case, in the order of the summary.
    pub(crate) fn verdicts(&self) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let summary = self.summary();
        let cases = summary["cases"].as_array().unwrap();
        cases.iter().map(|case| (text(&case["id"]), text(&case["status"]), text(&case["cause"]))).collect()
    }

    /// Asserts that this case has this status and cause and every other case passed, in every artifact, and that the
    /// exit code is 1.
    #[track_caller]
    pub(crate) fn only_wrong(&self, id: &str, status: &str, cause: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        let verdicts = self.verdicts();
        let (wrong, others): (Vec<_>, Vec<_>) = verdicts.iter().partition(|verdict| verdict.0 == id);
        assert_eq!(wrong, [&(id.to_owned(), status.to_owned(), cause.to_owned())], "{self:?}");
        assert!(!others.is_empty(), "no other case ran: {self:?}");
        assert!(others.iter().all(|verdict| verdict.1 == "pass" && verdict.2.is_empty()), "{self:?}");
        let word = if status == "fail" { "FAIL" } else { "ERROR" };
        assert!(self.stdout.lines().any(|line| line.starts_with(&format!("{word} {id} ("))), "{self:?}");
        let element = if status == "fail" { "failure" } else { "error" };
        let told = self.junit_case(id);
        assert!(told.contains(&format!("<{element} message=")), "{told}");
        assert!(told.contains(&format!("type=\"{cause}\"")), "{told}");
        let ends: Vec<Value> = self.events().into_iter().filter(|event| event["type"] == "case_end").collect();
        assert_eq!(ends.len(), verdicts.len());
        let end = ends.iter().find(|end| end["case_id"] == id).unwrap();
        assert_eq!((&end["status"], &end["cause"]), (&status.into(), &cause.into()));
    }

    /// Asserts that every case passed, in every artifact.
    #[track_caller]
    pub(crate) fn all_passed(&self) {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert!(self.verdicts().iter().all(|verdict| verdict.1 == "pass"), "{self:?}");
        let junit = self.junit();
        assert!(!junit.contains("<failure") && !junit.contains("<error"), "{junit}");
        assert!(self.events().iter().any(|event| event["type"] == "run_end"));
    }

    /// The `testcase` element of a case.
    pub(crate) fn junit_case(&self, id: &str) -> String {
        let junit = self.junit();
        let start = junit.find(&format!(" name=\"{id}\" time=")).unwrap_or_else(|| panic!("no {id} in {junit}"));
        let rest = &junit[start..];
        let end = rest.find("<testcase").unwrap_or(rest.len());
        rest[..end].to_owned()
    }

    /// Asserts that standard output contains each of these.
    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.stdout.contains(part), "{part:?} is not in:\n{}{}", self.stdout, self.stderr);
        }
    }

    /// Asserts that standard error contains each of these.
    #[track_caller]
    pub(crate) fn complains(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in:\n{}{}", self.stdout, self.stderr);
        }
    }

    /// Asserts that the run ended at most ten seconds after a limit: the machine may be slow, but nothing may hang.
    #[track_caller]
    pub(crate) fn ended_soon_after(&self, seconds: u64) {
        assert!(self.took < Duration::from_secs(seconds + 10), "{self:?}");
    }
}

/// The folders of runs below an output folder, sorted.
pub(crate) fn run_folders(base: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = folders(base).iter().flat_map(|suite| folders(suite)).collect();
    found.sort();
    found
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

/// The events of a `run.jsonl`.
pub(crate) fn read_events(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn read_json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}
