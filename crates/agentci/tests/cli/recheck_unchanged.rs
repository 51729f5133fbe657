//! A recheck of an unedited run with its unchanged suite changes nothing: for every suite of the gallery and every
//! example, whether it passes or is broken on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use agentci::Suites;
use agentci::plan::Dialect;
use serde_json::{Value, json};

use crate::convert_examples::{KINDS, break_answers, examples};
use crate::gallery::{folders, gallery, judged_in};
use crate::ran::{read_events, run_folders};
use crate::surroundings::on_a_desk;

/// The events of a run that a recheck makes anew, by case and attempt, without what only a recheck has.
fn results(path: &Path) -> BTreeMap<String, Vec<Value>> {
    let mut results: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for mut event in read_events(path) {
        let kind = event["type"].as_str().unwrap().to_owned();
        let key = format!("{}:{}", event["case_id"], event["attempt"]);
        if let (Some(fields), true) = (event.as_object_mut(), ["case_end", "run_start"].contains(&kind.as_str())) {
            fields.remove("recheck");
            // That of the new run folder.
            fields.remove("run_id");
        }
        if kind == "check" {
            // All checks of an attempt have the time of its end.
            event["timestamp"] = Value::Null;
        }
        results.entry(format!("{key}:{kind}")).or_default().push(event);
    }
    results
}

/// The first values that differ.
fn difference(key: &str, before: &Value, now: &Value) -> String {
    match (before, now) {
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            let pair = before.iter().zip(now).enumerate().find(|(_, (before, now))| before != now);
            pair.map(|(at, (before, now))| difference(&format!("{key}/{at}"), before, now)).unwrap_or_default()
        }
        (Value::Object(before), Value::Object(now)) => {
            let keys = before.keys().chain(now.keys());
            let differs = |key: &&String| before.get(*key) != now.get(*key);
            let found = keys.into_iter().find(differs).expect("the objects differ");
            let value = |map: &serde_json::Map<String, Value>| map.get(found).cloned().unwrap_or_default();
            difference(&format!("{key}/{found}"), &value(before), &value(now))
        }
        _ => format!("{key}: {before:.400} is now {now:.400}"),
    }
}

/// Rechecks a run in the folder where it was made; returns what differs.
fn differences(folder: &Path, run: &Path, status: Option<i32>) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentci"));
    let run = run.strip_prefix(folder).unwrap();
    command.arg("report").arg(run).args(["--recheck", "--output-dir", "again"]);
    command.current_dir(folder).stdin(Stdio::null()).env("TERM", "dumb");
    on_a_desk(&mut command);
    let output = command.output().unwrap();
    let shown = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let mut found = Vec::new();
    if status.is_some_and(|status| output.status.code() != Some(status)) {
        found.push(format!("exit {:?} instead of {status:?}:\n{shown}", output.status.code()));
    }
    let Some(again) = run_folders(&folder.join("again")).pop() else {
        found.push(format!("no run folder:\n{shown}"));
        return found;
    };
    let (stored, rechecked) = (results(&folder.join(run).join("run.jsonl")), results(&again.join("run.jsonl")));
    fs::remove_dir_all(folder.join("again")).unwrap();
    for key in stored.keys().chain(rechecked.keys().filter(|key| !stored.contains_key(*key))) {
        let (before, now) = (stored.get(key), rechecked.get(key));
        if before != now {
            found.push(difference(key, &json!(before), &json!(now)));
        }
    }
    found
}

#[test]
fn no_run_of_the_gallery_changes() {
    let mut problems = Vec::new();
    let mut rechecked = 0;
    for suite in folders(&gallery()).iter().flat_map(|entry| folders(entry)) {
        if suite.join("command").is_file() {
            continue;
        }
        let root = tempfile::tempdir().unwrap();
        let said = judged_in(root.path(), Path::new(env!("CARGO_BIN_EXE_agentci")), &suite);
        let folder = root.path().join("suite");
        let runs = run_folders(&folder.join(".agentci/runs"));
        // The exit code is that of all suites.
        let status = said.lines().next().and_then(|line| line.strip_prefix("exit ")?.parse().ok());
        for run in &runs {
            rechecked += 1;
            let found = differences(&folder, run, status.filter(|_| runs.len() == 1));
            problems.extend(found.into_iter().map(|text| format!("{}: {text}", suite.display())));
        }
    }
    assert!(problems.is_empty(), "{} differences:\n{}", problems.len(), problems.join("\n"));
    assert!(rechecked > 100, "only {rechecked} runs were rechecked");
}

/// Runs and rechecks every example; returns what differs.
fn recheck_examples(break_them: bool) -> Vec<String> {
    let suite = examples();
    if break_them {
        break_answers(&suite.path("examples"));
        break_answers(&suite.path("first"));
    }
    let mut problems = Vec::new();
    for root in KINDS.map(|kind| suite.path("first").join(kind)).into_iter().chain([suite.path("examples")]) {
        for original in Suites::load([root]).loaded().iter().map(|loaded| &loaded.suite) {
            let path = original.path.strip_prefix(suite.root()).unwrap().to_str().unwrap();
            let mut arguments = vec!["run", path, "--output-dir", ".agentci/runs"];
            if original.dialect == Dialect::Ananke {
                arguments.extend(["--mode", "replay"]);
            }
            let ran = suite.agentci(&arguments);
            let found = differences(suite.root(), &ran.run_folder(), ran.code);
            problems.extend(found.into_iter().map(|text| format!("{path}: {text}")));
            fs::remove_dir_all(suite.path(".agentci")).unwrap();
        }
    }
    problems
}

#[test]
fn no_run_of_an_example_changes() {
    let problems = recheck_examples(false);
    assert!(problems.is_empty(), "{} differences:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn no_run_of_a_broken_example_changes() {
    let problems = recheck_examples(true);
    assert!(problems.is_empty(), "{} differences:\n{}", problems.len(), problems.join("\n"));
}
