//! Every example of every dialect gives the same verdicts after conversion to the native format, whether it passes or
//! is broken on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agentci::Suites;
use agentci::plan::{Dialect, case_count};

use crate::suite::Suite;

/// Every dialect, so that one without an example fails the test.
const DIALECTS: [Dialect; 6] =
    [Dialect::Native, Dialect::Runledger, Dialect::Aumai, Dialect::Scenario, Dialect::Yao, Dialect::Ananke];

/// The kinds of agents that `agentci init` supports.
pub(crate) const KINDS: [&str; 8] = ["command", "http", "agui", "a2a", "mcp", "sdk", "prompts", "answers"];

/// Texts of the examples' agents, tools and models, and the broken texts that replace them.
const BREAKS: [(&str, &str); 15] = [
    ("reset link", "coffee"),
    ("T-1042", "T-9999"),
    ("\"q\":\"Where is my order?\"", "\"q\":\"Where?\""),
    ("Reset password", "Nothing"),
    ("\"states\":", "\"stages\":"),
    ("Hello!", "Go away!"),
    ("\"status\": \"ok\"", "\"status\": \"odd\""),
    ("AI, machine learning", "sorry, an error"),
    ("buy bread", "sleep"),
    ("Lisbon for 95", "Lisbon for 19"),
    ("3 found", "0 found"),
    ("from 9 to 17", "always"),
    ("18 degrees", "very warm"),
    ("\"overtime\": overtime", "\"working late\": overtime"),
    ("\"kind\": \"health\"", "\"kind\": \"dental\""),
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Copies a folder without the files left by runs.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (path, name) = (entry.path(), entry.file_name());
        match name.to_str() {
            Some(".agentci" | "__pycache__") => {}
            _ if path.is_dir() => copy(&path, &to.join(name)),
            _ => drop(fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}

/// Breaks all answers below a folder: cassettes, recordings, models and stored files.
pub(crate) fn break_answers(folder: &Path) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let shown = path.display().to_string();
        if path.is_dir() {
            break_answers(&path);
        } else if ["/cassettes/", "/recordings/", "/__files/", "model", "mock_config", "server.yaml", "agent.py"]
            .iter()
            .any(|part| shown.contains(part))
        {
            let text = fs::read_to_string(&path).unwrap();
            let broken = BREAKS.iter().fold(text, |text, (from, to)| text.replace(from, to));
            fs::write(&path, broken).unwrap();
        }
    }
}

/// The examples of the project, and a suite from `agentci init` for every kind of agent.
pub(crate) fn examples() -> Suite {
    let suite = Suite::empty();
    copy(&project().join("examples"), &suite.path("examples"));
    for kind in KINDS {
        let made = suite.agentci(&["init", &format!("first/{kind}"), "--kind", kind]);
        assert_eq!(made.code, Some(0), "{made:?}");
    }
    suite
}

/// Id, status and cause of every case.
type Verdicts = Vec<(String, String, String)>;

fn verdicts(suite: &Suite, path: &str, dialect: Dialect) -> Verdicts {
    // Suites that need a server are replayed.
    let mode: &[&str] = if dialect == Dialect::Ananke { &["--mode", "replay"] } else { &[] };
    let mut arguments = vec!["run", path, "--seed", "7", "--output-dir", ".agentci/runs"];
    arguments.extend(mode);
    let ran = suite.agentci(&arguments);
    assert!(ran.code.is_some_and(|code| code <= 1), "{path}: {ran:?}");
    let verdicts = ran.verdicts();
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    verdicts
}

/// Runs every suite and its conversion; returns the verdicts by dialect.
fn compare(suite: &Suite) -> BTreeMap<&'static str, Verdicts> {
    let first = KINDS.map(|kind| suite.path("first").join(kind));
    let mut found: BTreeMap<&str, Verdicts> = BTreeMap::new();
    // One run per suite, since suites of one run cannot share a name.
    for (folder, root) in first.into_iter().chain([suite.path("examples")]).enumerate() {
        let loaded = Suites::load([root]);
        assert!(!loaded.problems().has_errors(), "{:?}", loaded.problems());
        for (number, original) in loaded.loaded().iter().map(|loaded| &loaded.suite).enumerate() {
            let path = original.path.strip_prefix(suite.root()).unwrap().to_str().unwrap();
            let converted = format!("converted/{folder}-{number}/agentci.yaml");
            let made = suite.agentci(&["convert", path, "-o", &converted]);
            assert_eq!(made.code, Some(0), "{path}: {made:?}");
            let before = verdicts(suite, path, original.dialect);
            assert_eq!(before.len(), case_count(&original.cases), "{path}");
            assert_eq!(verdicts(suite, &converted, original.dialect), before, "{path}");
            found.entry(original.dialect.name()).or_default().extend(before);
        }
    }
    found
}

#[test]
fn conversion_keeps_verdicts_of_every_example() {
    let suite = examples();
    let found = compare(&suite);
    for dialect in DIALECTS {
        let verdicts = found.get(dialect.name()).unwrap_or_else(|| panic!("no example of {}", dialect.name()));
        assert!(verdicts.iter().all(|verdict| ["pass", "skipped"].contains(&verdict.1.as_str())), "{verdicts:?}");
        assert!(verdicts.iter().any(|verdict| verdict.1 == "pass"), "{verdicts:?}");
    }
}

#[test]
fn conversion_keeps_verdicts_of_every_broken_example() {
    let suite = examples();
    break_answers(&suite.path("examples"));
    break_answers(&suite.path("first"));
    let found = compare(&suite);
    for dialect in DIALECTS {
        let verdicts = &found[dialect.name()];
        assert!(verdicts.iter().any(|verdict| verdict.1 == "fail"), "nothing fails: {verdicts:?}");
    }
    for cause in ["check", "replay_miss", "stub_miss"] {
        assert!(found.values().flatten().any(|verdict| verdict.2 == cause), "no {cause}: {found:?}");
    }
}
