//! Golden files for the formats of artifacts, so that no format changes by accident.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::suite::Suite;

const ACCEPT: &str = "AGENTCI_ACCEPT=1 cargo test -p agentci --test cli golden";

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether the value of this key differs from run to run.
fn differs(key: &str) -> bool {
    ["timestamp", "generated_at", "run_id", "wall_ms", "wall_us", "us", "suite_wall_ms", "agentci_version"]
        .contains(&key)
}

/// Whether it is the fingerprint of a case, which another version of Rust may compute differently. Those of checks are
/// the same everywhere.
fn is_fingerprint(key: &str, event: Option<&str>) -> bool {
    key == "definition" && event == Some("task_start")
}

/// Replaces values that differ from run to run, and all numbers below `wall_ms`.
fn steady(value: &mut Value, below_wall: bool) {
    match value {
        Value::Object(map) => {
            let event = map.get("type").and_then(Value::as_str).map(str::to_owned);
            for (key, value) in map.iter_mut() {
                if (differs(key) || is_fingerprint(key, event.as_deref())) && !value.is_object() {
                    *value = format!("[{key}]").into();
                } else {
                    steady(value, below_wall || key == "wall_ms");
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| steady(item, below_wall)),
        Value::Number(_) if below_wall => *value = "[time]".into(),
        _ => {}
    }
}

fn steady_json(text: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap();
    steady(&mut value, false);
    value
}

fn steady_xml(text: &str) -> String {
    let time = regex::Regex::new(r#"(time|timestamp)="[^"]*""#).unwrap();
    time.replace_all(text, r#"$1="[$1]""#).into_owned()
}

/// Runs an example in the project folder and compares its artifacts with the golden files.
fn holds(example: &str) {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().display().to_string();
    let mut command = Suite::empty().command(&["run", example, "--parallel", "1", "--output-dir", &folder]);
    let status = command.current_dir(project()).output().unwrap();
    assert!(status.status.success(), "{status:?}");
    let run = crate::ran::run_folders(out.path()).pop().unwrap();
    let read = |name: &str| fs::read_to_string(run.join(name)).unwrap();
    let lines: Vec<String> = read("run.jsonl").lines().map(|line| steady_json(line).to_string()).collect();
    let artifacts = [
        ("summary.json", format!("{:#}\n", steady_json(&read("summary.json")))),
        ("junit.xml", steady_xml(&read("junit.xml"))),
        ("run.jsonl", format!("{}\n", lines.join("\n"))),
    ];
    let kept = project().join("fixtures/golden").join(example.replace('/', "-"));
    for (name, text) in artifacts {
        let path = kept.join(name);
        if std::env::var_os("AGENTCI_ACCEPT").is_some() {
            fs::create_dir_all(&kept).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            expected == text,
            "the format of {name} of {example} changed; if that is meant, accept it with `{ACCEPT}`\n\
             --- {}\n{expected}\n+++ now\n{text}",
            path.display()
        );
    }
}

#[test]
fn quickstart_artifacts_keep_their_format() {
    holds("examples/quickstart");
}

#[test]
fn demo_artifacts_keep_their_format() {
    holds("examples/evals/demo");
}

/// Recording the example with stateful tools reproduces the cassettes stored with it.
#[test]
fn polling_example_reproduces_its_cassettes_and_replays_without_tools() {
    let suite = Suite::empty();
    let from = project().join("examples/evals/polling");
    let files = ["suite.yaml", "tools.py", "agent.py", "cases/export.yaml", "cases/status-fails-once.yaml"];
    let cassettes = ["cassettes/export.jsonl", "cassettes/status-fails-once.jsonl"];
    let suite = files
        .iter()
        .fold(suite, |suite, name| suite.file(&format!("polling/{name}"), fs::read(from.join(name)).unwrap()));
    let recorded = suite.agentci(&["record", "polling", "--output-dir", "recorded"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    for name in cassettes {
        let made = fs::read_to_string(suite.path(&format!("polling/{name}"))).unwrap();
        assert_eq!(made, fs::read_to_string(from.join(name)).unwrap(), "{name}");
    }
    fs::remove_file(suite.path("polling/tools.py")).unwrap();
    let replayed = suite.agentci(&["run", "polling"]);
    replayed.all_passed();
    assert_eq!(replayed.final_output("export")["states"].to_string(), r#"["queued","running","done"]"#);
    let states = &replayed.final_output("status-fails-once")["states"];
    assert_eq!(states.to_string(), r#"["queued","service unavailable","running","done"]"#);
}
