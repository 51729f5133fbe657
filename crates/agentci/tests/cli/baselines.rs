//! Compares runs with earlier ones: gates, `agentci diff`, `agentci baseline promote`.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::ran::{Ran, run_folders};
use crate::suite::Suite;

/// Adds a case that passes until a file with its name exists.
fn breakable(suite: Suite, id: &str) -> Suite {
    let script = format!("if [ -e {id} ]; then finish '{{}}'; else finish '{{\"ok\":true}}'; fi");
    suite.case(id, "assertions: [{ type: required_fields, fields: [ok] }]", &script)
}

/// Five cases that are compared with `suite/baseline.json`.
fn five(regression: &str) -> Suite {
    let suite = Suite::new().setting("baseline_path: baseline.json").setting(&format!("regression: {regression}"));
    ["t2", "t3", "t4", "t5"].into_iter().fold(suite, breakable)
}

/// The folder of the last run, as an argument for the command line.
fn last(suite: &Suite) -> String {
    let folders = run_folders(&suite.path(".agentci/runs"));
    let last = folders.last().unwrap();
    last.strip_prefix(suite.root()).unwrap().to_str().unwrap().to_owned()
}

fn promote(suite: &Suite, more: &[&str]) -> Ran {
    let from = last(suite);
    let arguments = ["baseline", "promote", "--from", &from, "--to", "suite/baseline.json"];
    suite.agentci(&[&arguments[..], more].concat())
}

/// Runs the suite and promotes that run to the baseline.
fn promoted(suite: Suite) -> Suite {
    suite.run(&[]);
    let ran = promote(&suite, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    suite
}

fn read(path: PathBuf) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn summary(suite: &Suite) -> Value {
    read(suite.path(&last(suite)).join("summary.json"))
}

fn gate(summary: &Value, id: &str) -> Value {
    let checks = summary["regression"]["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap().clone()
}

#[test]
fn pass_rate_below_threshold_fails_the_run() {
    let suite = promoted(five("{ min_success_rate: 0.9 }")).file("t2", "");
    let ran = suite.run(&["--parallel", "1"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report = ran.console();
    insta::assert_snapshot!(&report[report.find("GATE").unwrap()..]);
    let summary = summary(&suite);
    assert_eq!(summary["run"]["exit_status"], "failed");
    assert_eq!(summary["policy_snapshot"]["thresholds"], json!({ "min_pass_rate": 0.9 }));
    assert_eq!(summary["policy_snapshot"]["regression"], json!({ "min_success_rate": 0.9 }));
    assert_eq!(summary["regression"]["passed"], false);
    assert_eq!(summary["regression"]["baseline_path"], "suite/baseline.json");
    let check = gate(&summary, "min_pass_rate");
    assert_eq!((&check["status"], &check["current"]), (&json!("fail"), &json!(0.8)));
    assert_eq!(summary["regression"]["case_diffs"]["status_changed"][0]["id"], "t2");
    let junit = fs::read_to_string(suite.path(&last(&suite)).join("junit.xml")).unwrap();
    assert!(junit.contains("name=\"gate: min_pass_rate\""), "{junit}");
    let events = crate::ran::read_events(&suite.path(&last(&suite)).join("run.jsonl"));
    assert_eq!(events[events.len() - 2]["type"], "gates");
}

#[test]
fn gate_fails_run_although_every_case_passed() {
    let suite = promoted(five("{ no_missing_cases: true }"));
    fs::remove_file(suite.path("suite/cases/t3.yaml")).unwrap();
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&[
        "GATE FAIL no_missing_cases: 1 case of the baseline not run: t3\n",
        "  t3: in the baseline, not in this run\n",
        "4 cases: 4 passed",
    ]);
    assert_eq!(summary(&suite)["run"]["exit_status"], "failed");
}

#[test]
fn gates_alone_determine_exit_status_with_decide() {
    let suite = five("{ min_pass_rate: 0.7, no_new_failures: true, decide: true }").file("t2", "");
    // The first run has a pass rate, but no usable baseline yet.
    fs::write(suite.path("suite/baseline.json"), "{}").unwrap();
    assert_eq!(suite.run(&[]).code, Some(1), "a baseline that cannot be used fails the run");
    let suite = promoted(suite);
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["FAIL t2", "GATE PASS min_pass_rate: 0.80 is at least 0.70", "its gates decide, and none failed"]);
    let told = summary(&suite);
    assert_eq!((&told["run"]["exit_status"], &told["aggregates"]["cases_fail"]), (&json!("success"), &json!(1)));
    let suite = suite.file("t3", "");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["GATE FAIL no_new_failures: 1 case fails that did not fail in the baseline: t3\n"]);
    assert_eq!(summary(&suite)["run"]["exit_status"], "failed");
}

#[test]
fn decide_does_not_excuse_new_failures_or_invalid_cases() {
    // A baseline of other cases excuses no failure.
    let suite = promoted(five("{ no_new_failures: true, decide: true }"));
    let baseline = fs::read_to_string(suite.path("suite/baseline.json")).unwrap();
    let renamed = ["good", "t2", "t3", "t4", "t5"]
        .iter()
        .fold(baseline, |text, id| text.replace(&format!("\"id\": \"{id}\""), &format!("\"id\": \"former-{id}\"")));
    fs::write(suite.path("suite/baseline.json"), renamed).unwrap();
    let suite = suite.file("t2", "");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["GATE FAIL no_new_failures: 1 case fails that did not fail in the baseline: t2\n"]);
    // An invalid case is not run.
    let text = "gates: { min_pass_rate: 0, decide: true }\ncases: [{ id: a, input: {} }, { id: b, inpt: {} }]\n";
    let ran = Suite::native(text).run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["the gates do not decide: a case could not be run, or recordings were made"]);
    assert_eq!(read(ran.run_folder().join("summary.json"))["run"]["exit_status"], "error");
}

#[test]
fn redacts_late_discovered_secret_in_every_step() {
    let text = "world: { tools: { scripted: { login: { reply: { token: s3cr3t-val-98765 } }, use: { reply: 1 } } } }\n\
        cases: [{ id: a, input: {} }]\n";
    let agent = "call login '{}'; call use '{\"q\":\"s3cr3t-val-98765\"}'; finish '{}'";
    let ran = Suite::native(text).agent("a", agent).run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for name in ["summary.json", "run.jsonl", "report.html"] {
        let kept = fs::read_to_string(ran.run_folder().join(name)).unwrap();
        assert!(!kept.contains("s3cr3t-val-98765"), "{name}: {kept}");
    }
    let summary = fs::read_to_string(ran.run_folder().join("summary.json")).unwrap();
    assert!(summary.contains(r#""args": "{\"q\":\"[REDACTED]\"}""#), "{summary}");
}

#[test]
fn new_failure_gate_ignores_known_flaky_cases() {
    let suite = five("{ no_new_failures: yes }").file("t2", "");
    let suite = promoted(suite);
    fs::remove_file(suite.path("t2")).unwrap();
    suite.run(&[]);
    assert_eq!(promote(&suite, &["--add"]).code, Some(0));
    let suite = suite.file("t2", "");
    let ran = suite.run(&[]);
    ran.says(&[
        "GATE PASS no_new_failures: no case fails that did not fail in the baseline\n",
        "warning: `t2` does not pass and is not counted by `no_new_failures`: in the baseline it passed 1 of 2 runs\n",
    ]);
    assert_eq!(ran.code, Some(1), "the case itself still fails: {ran:?}");
    let suite = suite.file("t4", "");
    suite.run(&[]).says(&["GATE FAIL no_new_failures: 1 case fails that did not fail in the baseline: t4\n"]);
}

#[test]
fn promoted_run_has_no_diff_against_itself() {
    let suite = promoted(five("{ min_pass_rate: 1, no_new_failures: true, no_missing_cases: true }"));
    let ran = suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", &last(&suite)]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.says(&["suite/20", " against suite/baseline.json\n", "no case changed\n", "\nno gate failed\n"]);
    let ran = suite.run(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.says(&[
        "GATE PASS min_pass_rate: 1.00 is at least 1.00 (baseline 1.00)\n",
        "no case changed since suite/baseline.json\n",
    ]);
}

#[test]
fn baseline_has_one_line_per_case_and_per_run() {
    let suite = promoted(five("{}"));
    let text = fs::read_to_string(suite.path("suite/baseline.json")).unwrap();
    assert!(text.starts_with("{\n\"schema_version\": 2,\n") && text.ends_with("\n}\n"), "{text}");
    let baseline: Value = serde_json::from_str(&text).unwrap();
    assert!(baseline.get("regression").is_none());
    let lines = text.lines().filter(|line| line.starts_with("{\"id\":\"")).count();
    let runs = runs(&baseline);
    assert_eq!((lines, baseline["cases"].as_array().unwrap().len(), runs.len()), (6, 5, 1));
    let run = runs[0];
    assert_eq!((&run["pass_rate"], &run["mode"]), (&json!(1.0), &json!("replay")));
    assert_eq!(run["cases"]["t2"].as_array().unwrap()[..2], [json!(1), json!(1)]);
}

/// The runs of a baseline.
fn runs(baseline: &Value) -> Vec<&Value> {
    baseline["runs"].as_object().unwrap().values().flat_map(|list| list.as_array().unwrap()).collect()
}

/// The passes and runs of a case in all runs of the baseline.
fn history(suite: &Suite, case: &str) -> (u64, u64) {
    let baseline = read(suite.path("suite/baseline.json"));
    let samples = runs(&baseline).into_iter().filter_map(|run| run["cases"][case].as_array());
    samples
        .fold((0, 0), |(passes, all), sample| (passes + sample[0].as_u64().unwrap(), all + sample[1].as_u64().unwrap()))
}

#[test]
fn promote_add_keeps_history_and_plain_promote_resets_it() {
    let suite = promoted(five("{}")).file("t2", "");
    suite.run(&[]);
    let ran = promote(&suite, &["--add"]);
    assert_eq!(
        ran.stdout,
        "baseline suite/baseline.json: 5 cases of suite suite, 4 passed; added to its earlier runs\n"
    );
    assert_eq!(history(&suite, "t2"), (1, 2));
    // The same run counts once, and the file stays as it is.
    let before = fs::read_to_string(suite.path("suite/baseline.json")).unwrap();
    assert_eq!(promote(&suite, &["--add"]).stdout, "baseline suite/baseline.json: the run is already in it\n");
    assert_eq!(fs::read_to_string(suite.path("suite/baseline.json")).unwrap(), before);
    suite.run(&[]);
    promote(&suite, &["--add"]);
    assert_eq!(history(&suite, "t2"), (1, 3));
    suite.run(&[]);
    promote(&suite, &["--add", "--keep", "2"]);
    assert_eq!(history(&suite, "t2"), (0, 2), "the oldest runs fall out");
    promote(&suite, &[]);
    assert_eq!(history(&suite, "t2"), (0, 1));
}

#[test]
fn adding_part_of_a_suite_changes_only_its_cases() {
    let suite = promoted(five("{}"));
    suite.run(&["--case", "t3"]);
    let ran = promote(&suite, &["--add", "--force"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!((history(&suite, "t2"), history(&suite, "t3")), ((1, 1), (2, 2)));
    assert_eq!(read(suite.path("suite/baseline.json"))["cases"].as_array().unwrap().len(), 5);
}

/// Runs git in the folder of the suite.
fn git(suite: &Suite, arguments: &[&str]) -> bool {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let done = std::process::Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(suite.path("suite"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    done.unwrap().success()
}

#[test]
fn baselines_of_two_branches_merge_without_conflict() {
    let suite = promoted(five("{}"));
    assert!(git(&suite, &["init", "-q", "-b", "main"]));
    assert!(git(&suite, &["add", "baseline.json"]) && git(&suite, &["commit", "-q", "-m", "baseline"]));
    for (branch, case) in [("one", "t2"), ("two", "t4")] {
        assert!(git(&suite, &["checkout", "-q", "-b", branch, "main"]));
        let changed = suite.path(case);
        fs::write(&changed, "").unwrap();
        suite.run(&["--case", case]);
        let ran = promote(&suite, &["--add", "--force"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        fs::remove_file(changed).unwrap();
        assert!(git(&suite, &["commit", "-q", "-a", "-m", branch]));
    }
    // Both runs may belong in the same list, which git cannot merge by itself.
    let merged = git(&suite, &["merge", "-q", "one", "-m", "merge"]) || {
        assert!(git(&suite, &["checkout", "-q", "-f", "two"]));
        git(&suite, &["merge", "-q", "-X", "ours", "one", "-m", "merge"])
    };
    assert!(merged);
    let baseline = read(suite.path("suite/baseline.json"));
    let status = |id: &str| {
        let cases = baseline["cases"].as_array().unwrap();
        cases.iter().find(|case| case["id"] == id).unwrap()["status"].clone()
    };
    assert_eq!((status("t2"), status("t4"), status("t3")), (json!("fail"), json!("fail"), json!("pass")));
}

#[test]
fn conflict_markers_are_named_with_their_line() {
    let suite = promoted(five("{}"));
    let text = fs::read_to_string(suite.path("suite/baseline.json")).unwrap();
    let text = text.replacen("{\"id\":\"t2\"", "<<<<<<< HEAD\n{\"id\":\"t2\"", 1);
    fs::write(suite.path("suite/baseline.json"), text).unwrap();
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("line 6 is a conflict marker of git: keep the lines of both sides"), "{ran:?}");
}

#[test]
fn simulates_what_the_gate_would_do() {
    let suite = promoted(five("{}"));
    let ran = suite.agentci(&["gate", "simulate", "suite/baseline.json", "--rounds", "50"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.says(&[
        "suite with 5 cases: 1 run in the history, alpha 0.05; 50 simulated runs, seed 1\n",
        "nothing (false alarms)",
        "one case never passes",
    ]);
    let again = suite.agentci(&["gate", "simulate", "suite/baseline.json", "--rounds", "50", "--json"]);
    let document: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&document["cases"], document["changes"].as_array().unwrap().len()), (&json!(5), 5));
    // With a history of one run, no number of runs decides anything.
    let unchanged = &document["changes"][0]["until_decided"];
    assert_eq!((&unchanged["red"], unchanged["runs"].as_f64()), (&json!(0.0), Some(20.0)), "{document}");
    let none = suite.agentci(&["gate", "simulate", "nothing.json"]);
    assert_eq!(none.code, Some(1), "{none:?}");
}

#[test]
fn diff_shows_pass_rate_gates_and_changed_cases() {
    let suite = promoted(five("{ min_pass_rate: 0.9, no_new_failures: true }")).file("t2", "").file("t3", "");
    suite.run(&[]);
    let arguments = ["diff", "--baseline", "suite/baseline.json", "--run", &last(&suite)];
    let ran = suite.agentci(&arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&[
        "pass rate  1.00",
        "0.60",
        "-0.40\n",
        "min_pass_rate    FAIL    0.60 is below 0.90 (baseline 1.00)\n",
        "no_new_failures  FAIL    2 cases fail that did not fail in the baseline: t2, t3\n",
        "\nt2: pass -> fail\nt3: pass -> fail\n",
        "\n2 of 2 gates failed\n",
    ]);
    let file = format!("{}/summary.json", last(&suite));
    let ran = suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", &file, "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document, summary(&suite)["regression"]);
}

#[test]
fn reports_first_changed_step() {
    let tape = [
        r#"{"tool":"search","args":{"q":"a"},"ok":true,"result":1}"#,
        r#"{"tool":"search","args":{"q":"b"},"ok":true,"result":2}"#,
        r#"{"tool":"create","args":{},"ok":true,"result":3}"#,
    ]
    .join("\n");
    let steps = "call search '{\"q\":\"a\"}'; if [ -e other ]; then call create '{}'; \
        elif [ -e changed ]; then call search '{\"q\":\"a\"}'; else call search '{\"q\":\"b\"}'; fi; finish '{\"ok\":true}'";
    let suite = Suite::new().setting("baseline_path: baseline.json").setting("regression: { no_changed_steps: true }");
    let suite = suite.case("walks", "", steps).tape("walks", &tape);
    let suite = promoted(suite).file("other", "");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&[
        "changed since suite/baseline.json:\n  walks: step 2 was search, is create\n",
        "GATE FAIL no_changed_steps: 1 case calls its tools differently from the baseline: walks\n",
    ]);
    fs::remove_file(suite.path("other")).unwrap();
    let suite = suite.file("changed", "");
    suite.run(&[]).says(&["  walks: step 2 is search as before, but `q` was \"b\", is \"a\"\n"]);
    let ran = suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", &last(&suite)]);
    ran.says(&["walks: step 2 is search as before, but `q` was \"b\", is \"a\"\n", "no_changed_steps  FAIL "]);
}

#[test]
fn missing_baseline_is_reported_and_the_run_continues() {
    let suite = five("{ min_pass_rate: 0.5 }");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(
        ran.stderr,
        "error: the baseline `suite/baseline.json` cannot be used: no such file\n\
         help: create one from a good run: `agentci baseline promote --from RUN_DIR --to suite/baseline.json`\n"
    );
    ran.says(&[
        "GATE FAIL baseline: the baseline `suite/baseline.json`",
        "GATE PASS min_pass_rate: ",
        "5 cases: 5 passed",
    ]);
    let summary = ran.summary();
    assert_eq!(summary["regression"]["problem"], "no such file");
    assert_eq!(summary["run"]["exit_status"], "failed");
    assert!(ran.junit().contains("name=\"gate: baseline\""));
}

#[test]
fn broken_baseline_is_reported_with_its_location() {
    let suite = five("{}").file("suite/baseline.json", "{ \"schema_version\": 1, \"cases\": [{ \"id\": 7 }] }");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["cannot be used: `/run` is missing; `/suite` is missing; `/aggregates` is missing; and "]);
    assert_eq!(ran.verdicts().len(), 5);
    let suite = suite.file("suite/baseline.json", "not json");
    suite
        .run(&[])
        .complains(&["cannot be used: it is not JSON: expected `true`, `false` or `null` at line 1 column 2\n"]);
}

#[test]
fn baseline_flag_takes_precedence_over_suite_baseline() {
    let suite = promoted(five("{ no_new_failures: true }"));
    fs::rename(suite.path("suite/baseline.json"), suite.path("other.json")).unwrap();
    let ran = suite.run(&["--baseline", "other.json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.says(&["no case changed since other.json\n"]);
    let ran = suite.run(&["--baseline", "nowhere.json"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["error: the baseline `nowhere.json` cannot be used: no such file\n"]);
}

#[test]
fn refuses_baseline_flag_for_several_suites() {
    let second =
        "suite: second\ntarget: { process: { command: [sh, ../suite/agent.sh] } }\ncases: [{ id: good, input: {} }]\n";
    let suite = Suite::new().file("second/agentci.yaml", second);
    let ran = suite.agentci(&["run", ".", "--baseline", "b.json"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["`--baseline` applies to a single suite, but 2 would run", "help: "]);
    assert!(!suite.path(".agentci").exists());
}

#[test]
fn partial_run_reports_no_missing_cases() {
    let suite = promoted(five("{ no_missing_cases: true, no_new_failures: true, min_pass_rate: 1 }"));
    let ran = suite.run(&["--case", "t2"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["warning: only part of the suite was run: 1 of 5 cases of the baseline are compared\n"]);
    let ran = promote(&suite, &[]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&[
        "cannot become a baseline: the run left out 4 of the suite's cases\n",
        "help: run the whole suite",
    ]);
    let part = last(&suite);
    assert_eq!(suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", &part]).code, Some(0));
    assert_eq!(promote(&suite, &["--force"]).code, Some(0));
    assert_eq!(read(suite.path("suite/baseline.json"))["cases"].as_array().unwrap().len(), 1);
}

#[test]
fn accepts_runledger_baseline() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/baselines/runledger.json");
    let baseline = fs::read(fixture).unwrap();
    let gates = "{ min_pass_rate: 1.0, max_avg_wall_ms_delta_pct: 0.1, max_p95_wall_ms_increase_pct: 0.1, no_missing_cases: true }";
    let suite = five(gates).file("suite/baseline.json", baseline);
    let ran = suite.run(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.says(&[
        "GATE PASS max_avg_wall_ms_delta_pct: mean wall time ",
        "% less than the baseline's 805 ms (limit 10 %, 0.1 as a fraction)\n",
    ]);
    suite.run(&["--case", "t5"]);
    let ran = suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", fixture]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[
        "min_pass_rate              PASS    1.00 is at least 1.00",
        "max_avg_wall_ms_delta_pct  PASS    mean wall time",
    ]);
}

#[test]
fn native_thresholds_are_percentages() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/baselines/runledger.json");
    let yaml = "gates: { baseline: b.json, max_avg_wall_ms_delta_pct: -99.9, min_pass_rate: 0.5 }\ncases: [{ id: good, input: {} }]\n";
    let suite = Suite::native(yaml).agent("good", "finish '{}'").file("suite/b.json", fs::read(fixture).unwrap());
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["GATE FAIL max_avg_wall_ms_delta_pct: ", "(limit -99.9 %, -0.999 as a fraction)\n"]);
    let summary = ran.summary();
    assert_eq!(summary["policy_snapshot"]["thresholds"]["max_avg_wall_ms_delta_pct"], json!(-0.999));
    assert_eq!(summary["policy_snapshot"]["regression"]["max_avg_wall_ms_delta_pct"].to_string(), "-99.9");
}

#[test]
fn unusable_summary_or_baseline_is_reported_with_help() {
    let suite = promoted(five("{}"));
    let ran = suite.agentci(&["diff", "--baseline", "suite/baseline.json", "--run", "suite"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["the summary `suite/summary.json` cannot be used: no such file\n", "help: pass a run folder"]);
    let ran = suite.agentci(&["diff", "--baseline", "nowhere.json", "--run", &last(&suite)]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["the baseline `nowhere.json` cannot be used: no such file\n", "help: create one"]);
    let ran = suite.file("taken", "").agentci(&["baseline", "promote", "--from", "taken", "--to", "x.json"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["the summary `taken` cannot be used: it is not JSON: "]);
}

#[test]
fn diff_and_promote_require_their_arguments() {
    let suite = Suite::empty();
    for arguments in [&["diff"][..], &["baseline"], &["baseline", "promote"], &["diff", "--run", "x"]] {
        assert_eq!(suite.agentci(arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn promote_refuses_to_overwrite_other_files() {
    let suite = five("{}");
    suite.run(&[]);
    let (from, before) = (last(&suite), fs::read_to_string(suite.path("suite/suite.yaml")).unwrap());
    let onto = |path: &str, more: &[&str]| {
        suite.agentci(&[&["baseline", "promote", "--from", &from, "--to", path][..], more].concat())
    };
    let ran = onto("suite/suite.yaml", &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("`suite/suite.yaml` already exists and is not a baseline"), "{ran:?}");
    assert_eq!(fs::read_to_string(suite.path("suite/suite.yaml")).unwrap(), before);
    // Another baseline is replaced.
    for _ in 0..2 {
        assert_eq!(onto("suite/baseline.json", &[]).code, Some(0));
    }
    // So is a baseline damaged by a merge conflict, but not a document of another kind.
    fs::write(suite.path("suite/baseline.json"), "<<<<<<< ours\n{").unwrap();
    assert_eq!(onto("suite/baseline.json", &[]).code, Some(0));
    fs::write(suite.path("suite/baseline.json"), "{\"name\": \"shop\"}").unwrap();
    assert_eq!(
        (onto("suite/baseline.json", &[]).code, onto("suite/baseline.json", &["--force"]).code),
        (Some(1), Some(0))
    );
}
