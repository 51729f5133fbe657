//! Results of assistant tests: by file extension, beside the tests, and on standard output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::ran::Ran;
use crate::suite::Suite;

const TESTS: &str = "assistants/keyword/tests/inputs.jsonl";

/// An assistant whose model answers `yes` to `steady`, `yes`, `no`, `yes` to `odd`, and `no` to `wrong`.
fn app(tests: &str) -> Suite {
    let model = "rules:\n\
        \x20 - { when: { user: odd }, reply: [yes, no, yes] }\n\
        \x20 - { when: { user: wrong }, reply: no }\n\
        \x20 - { when: { user: busy }, fail: { status: 500, message: busy } }\n\
        \x20 - { when: { user: sleepy }, fail: { hang: true } }\n\
        default: [yes]\n";
    Suite::empty()
        .file("app.yao", "{}")
        .file("assistants/keyword/package.yao", "{ \"name\": \"Keywords\", \"connector\": \"mock\" }")
        .file("assistants/keyword/tests/model.yaml", model)
        .file(TESTS, tests)
}

fn test(id: &str, input: &str) -> String {
    json!({ "id": id, "input": input, "assert": { "type": "contains", "value": "yes" } }).to_string() + "\n"
}

fn run(suite: &Suite, more: &[&str]) -> Ran {
    suite.agentci(&[&["run", "-i", TESTS], more].concat())
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(path: impl AsRef<Path>) -> Vec<Value> {
    read(path).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Files named `output-..` beside the tests.
fn outputs(suite: &Suite) -> Vec<PathBuf> {
    let folder = suite.path("assistants/keyword/tests");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("output-")).collect();
    found.sort();
    found
}

#[test]
fn every_outcome_has_its_status_and_exit_code() {
    let tests = test("T1", "steady") + &test("T2", "wrong") + &test("T3", "busy");
    let late = json!({ "id": "T4", "input": "sleepy", "timeout": "300ms" }).to_string();
    let suite = app(&format!("{tests}{late}\n{{\"id\":\"T5\",\"input\":\"x\",\"skip\":true}}\n"));
    let ran = run(&suite, &["-o", "out/results.jsonl"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let told = lines(suite.path("out/results.jsonl"));
    let statuses: Vec<&str> = told[1..6].iter().map(|line| line["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["passed", "failed", "error", "timeout", "skipped"], "{ran:?}");
    assert_eq!((&told[0]["type"], &told[0]["agent_id"]), (&json!("start"), &json!("keyword")));
    assert_eq!((&told[0]["total_cases"], &told[1]["output"]), (&json!(5), &json!("yes")));
    let mut summary = told[6].clone();
    summary.as_object_mut().unwrap().remove("duration_ms").unwrap();
    let counts = json!({
        "type": "summary", "total": 5, "passed": 1, "failed": 1, "skipped": 1, "errors": 1, "timeouts": 1,
    });
    assert_eq!(summary, counts);
    let skipped = app("{\"id\":\"T5\",\"input\":\"x\",\"skip\":true}\n");
    assert_eq!(run(&skipped, &["-o", "r.json"]).code, Some(0));
    assert_eq!(run(&app(&test("T1", "steady")), &["-o", "r.json"]).code, Some(0));
}

#[test]
fn default_result_file_is_written_and_never_run() {
    let suite = app(&test("T1", "steady"));
    let ran = run(&suite, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let [path] = &outputs(&suite)[..] else { panic!("{:?}", outputs(&suite)) };
    let name = path.file_name().unwrap().to_str().unwrap();
    let stamp = name.strip_prefix("output-").unwrap().strip_suffix(".jsonl").unwrap();
    assert!(stamp.len() == 14 && stamp.bytes().all(|byte| byte.is_ascii_digit()), "{name}");
    ran.says(&[&format!("results: assistants/keyword/tests/{name}\n")]);
    assert_eq!(lines(path).len(), 3);
    assert_eq!(run(&suite, &[]).code, Some(0));
    assert_eq!(outputs(&suite).len(), 2, "a second run has a file of its own");
    let listed = suite.agentci(&["list", ".", "--json"]);
    let cases: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(cases.len(), 1, "{listed:?}");
    for more in [&["-o", "elsewhere.jsonl"][..], &["-o", "elsewhere.md"]] {
        assert_eq!(run(&suite, more).code, Some(0));
        assert_eq!(outputs(&suite).len(), 2, "{more:?}");
    }
}

#[test]
fn file_extension_selects_the_report_format() {
    let suite = app(&(test("T1", "steady") + &test("T2", "wrong")));
    let ran = run(
        &suite,
        &["-o", "r.json", "-o", "r.md", "-o", "r.html", "-o", "r.jsonl", "-u", "ci-user", "--timeout", "10s"],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let text = read(suite.path("r.json"));
    assert!(text.starts_with("{\n  \"summary\": {\n    \"total\": 2,"), "{text}");
    let document: Value = serde_json::from_str(&text).unwrap();
    let summary = &document["summary"];
    let named = [&summary["agent_id"], &summary["connector"], &summary["agent_path"]];
    assert_eq!(named, ["keyword", "mock", "assistants/keyword"]);
    assert_eq!(document["environment"]["user_id"], "ci-user");
    assert_eq!(document["environment"]["team_id"], "test-team");
    assert_eq!(document["results"][0]["input"], "steady");
    assert_eq!(document["metadata"]["input_file"], TESTS);
    assert_eq!(document["metadata"]["options"]["timeout"], "10s");
    assert!(read(suite.path("r.md")).starts_with("# Test results of `keyword`\n"));
    let page = read(suite.path("r.html"));
    assert!(page.contains("<dt>agent<dd><code>keyword</code>") && page.contains("<dt>user_id<dd><code>ci-user</code>"));
    assert_eq!(lines(suite.path("r.jsonl"))[0]["type"], "start");
    let unknown = run(&suite, &["-o", "r.pdf"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    unknown
        .complains(&["no report has this extension; expected one of .json, .xml, .md, .markdown, .html, .htm, .jsonl"]);
    let printed = run(&suite, &["--json"]);
    let printed: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(printed["summary"]["total"], 2);
}

#[test]
fn unwritable_report_fails_the_run() {
    let suite = app(&test("T1", "steady")).file("taken", "a file, no folder");
    for path in ["taken/r.jsonl", "taken/r.json", "taken/r.md"] {
        let ran = run(&suite, &["-o", path]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&[&format!("the report {path} could not be written")]);
    }
}

#[test]
fn repeated_runs_are_reported_in_every_format() {
    let suite = app(&(test("T1", "steady") + &test("T2", "odd") + "{\"id\":\"T3\",\"input\":\"x\",\"skip\":true}\n"));
    let ran = run(&suite, &["--runs", "3", "-o", "r.json", "-o", "r.jsonl", "-o", "r.md"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let document: Value = serde_json::from_str(&read(suite.path("r.json"))).unwrap();
    let rates: Vec<f64> =
        document["results"].as_array().unwrap().iter().map(|result| result["pass_rate"].as_f64().unwrap()).collect();
    assert_eq!((rates[0], rates[1].floor(), rates[2]), (100.0, 66.0, 100.0));
    let odd = &document["stability_results"][1];
    assert_eq!((&odd["stability_class"], &odd["stable"]), (&json!("unstable"), &json!(false)));
    let outputs: Vec<&Value> = odd["run_details"].as_array().unwrap().iter().map(|run| &run["output"]).collect();
    assert_eq!(outputs, ["yes", "no", "yes"]);
    assert!((odd["identical_outputs"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
    let summary = &document["summary"];
    let counts = ["passed", "failed", "skipped", "runs_per_case", "total_runs", "stable_cases", "unstable_cases"];
    assert_eq!(counts.map(|key| summary[key].as_u64().unwrap()), [1, 1, 1, 3, 6, 1, 1]);
    let told = lines(suite.path("r.jsonl"));
    let types: Vec<&str> = told.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["start", "stability", "stability", "result", "summary"]);
    assert!(read(suite.path("r.md")).contains("| `T2` | unstable | 2 of 3 | 66.7 % |"));
}

#[test]
fn stored_runs_give_the_same_reports() {
    let suite = app(&(test("T1", "steady") + &test("T2", "odd")));
    for runs in ["1", "3"] {
        let output = format!("runs-{runs}");
        let files = ["r.json", "r.jsonl", "r.md", "r.html"];
        let flags: Vec<&str> = files.iter().flat_map(|file| ["-o", file]).collect();
        run(&suite, &[&["--runs", runs, "--output-dir", &output], &flags[..]].concat());
        let live: Vec<String> = files.iter().map(|file| read(suite.path(file))).collect();
        for file in files {
            fs::remove_file(suite.path(file)).unwrap();
        }
        let folder = crate::ran::run_folders(&suite.path(&output)).pop().unwrap();
        let again = suite.agentci(&[&["report", folder.to_str().unwrap()], &flags[..]].concat());
        assert_eq!(again.code, Some(0), "{again:?}");
        let made: Vec<String> = files.iter().map(|file| read(suite.path(file))).collect();
        assert!(made == live, "{runs} runs: {} is not {}", made[0], live[0]);
    }
}

#[test]
fn result_line_is_written_while_next_test_runs() {
    let late = json!({ "id": "T2", "input": "sleepy", "timeout": "60s" }).to_string();
    let suite = app(&format!("{}{late}\n", test("T1", "steady")));
    let mut command: Command = suite.command(&["run", "-i", TESTS, "-o", "r.jsonl"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let path = suite.path("r.jsonl");
    let written = || fs::read_to_string(&path).is_ok_and(|text| text.lines().count() >= 2);
    let seen = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        written()
    });
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(seen && running, "{:?}", fs::read_to_string(&path));
    assert_eq!(lines(&path)[1]["id"], "T1");
}
