//! The contents of a run folder.

use std::fs;

use crate::ran::{read_events, run_folders};
use crate::suite::Suite;

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn run_writes_exactly_four_files() {
    let suite = Suite::new();
    let before = names(suite.root());
    let ran = suite.run(&[]);
    ran.all_passed();
    assert_eq!(before, ["suite"]);
    assert_eq!(names(suite.root()), [".agentci", "suite"]);
    assert_eq!(names(&ran.run_folder()), ["junit.xml", "report.html", "run.jsonl", "summary.json"]);
    assert_eq!(names(&suite.path("suite")), ["agent.sh", "cases", "cassettes", "suite.yaml"]);
    assert!(
        ran.stdout.ends_with(&format!(
            "artifacts: {}\n",
            ".agentci/runs/suite/".to_owned() + ran.run_folder().file_name().unwrap().to_str().unwrap()
        )),
        "{ran:?}"
    );
}

#[test]
fn every_event_starts_with_the_same_keys() {
    let tape = r#"{"tool":"search","args":{},"ok":true,"result":1}"#;
    let suite = Suite::new().case("calls", "", "call search '{}'; finish '{}'").tape("calls", tape);
    let ran = suite.run(&["--parallel", "1"]);
    ran.all_passed();
    let events = ran.events();
    for event in &events {
        let keys: Vec<&str> = event.as_object().unwrap().keys().take(3).map(String::as_str).collect();
        assert_eq!(keys, ["v", "type", "suite"], "{event}");
        assert!(event["timestamp"].as_u64().unwrap() > 1_500_000_000_000, "{event}");
    }
    let of_case: Vec<&str> = events
        .iter()
        .filter(|event| event["case_id"] == "calls")
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(of_case, ["task_start", "tool_call", "tool_result", "final_output", "trace_end", "case_end"]);
    assert_eq!(events.first().unwrap()["type"], "run_start");
    assert_eq!(events.last().unwrap()["type"], "run_end");
}

#[test]
fn output_dir_flag_sets_the_output_folder() {
    let suite = Suite::new();
    let ran = suite.run(&["--output-dir", "out/here"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!suite.path(".agentci").exists());
    let folders = run_folders(&suite.path("out/here"));
    assert_eq!(folders.len(), 1);
    assert!(folders[0].join("summary.json").is_file());
    ran.says(&["artifacts: out/here/suite/"]);
}

#[test]
fn suite_output_dir_is_relative_to_the_suite() {
    let suite = Suite::new().setting("output_dir: results");
    assert_eq!(suite.run(&[]).code, Some(0));
    assert_eq!(run_folders(&suite.path("suite/results")).len(), 1);
}

#[test]
fn reports_output_folder_that_cannot_be_created() {
    let ran = Suite::new().file("taken", "").run(&["--output-dir", "taken"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&[
        "error: the run folder cannot be created: ",
        "taken/suite",
        "help: choose another with `--output-dir`",
    ]);
}

#[test]
fn hostile_suite_name_cannot_escape_the_output_folder() {
    let suite = Suite::new().setting("suite_name: ../../evil");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(names(suite.root()), [".agentci", "suite"]);
    assert_eq!(names(&suite.path(".agentci")), ["runs"]);
    let folder = ran.run_folder();
    assert!(folder.starts_with(suite.path(".agentci/runs")), "{}", folder.display());
    assert_eq!(ran.summary()["suite"]["name"], "../../evil");
}

#[test]
fn runs_in_the_same_second_get_distinct_folders() {
    let suite = Suite::new();
    suite.write();
    let children: Vec<_> =
        (0..4).map(|_| suite.command(&["run", "suite"]).stdout(std::process::Stdio::null()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let folders = run_folders(&suite.path(".agentci/runs"));
    assert_eq!(folders.len(), 4);
    for folder in folders {
        assert!(folder.join("summary.json").is_file() && folder.join("junit.xml").is_file());
        let events = read_events(&folder.join("run.jsonl"));
        assert_eq!(events.iter().filter(|event| event["type"] == "run_start").count(), 1);
        assert_eq!(events.last().unwrap()["type"], "run_end");
    }
}

#[test]
fn invalid_case_file_fails_only_that_case() {
    let ran = Suite::new().file("suite/cases/torn.yaml", "id: torn\ninput: [\n").run(&[]);
    ran.only_wrong("torn", "error", "config");
    ran.says(&["--> suite/cases/torn.yaml:2:8"]);
    assert_eq!(ran.stderr, "");
}
