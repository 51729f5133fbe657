//! `agentci check` finds problems without running anything.

use std::fs;
use std::path::Path;

use crate::suite::Suite;

fn suite() -> Suite {
    Suite::new().agent("good", "echo > ran; finish '{}'")
}

/// Asserts that `check` reports these, and neither runs nor writes anything.
#[track_caller]
fn finds(suite: &Suite, parts: &[&str]) {
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(parts);
    assert!(!suite.path("ran").exists() && !suite.path(".agentci").exists());
}

#[test]
fn valid_suite_has_no_problems() {
    let suite = suite();
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(ran.stdout, "1 suite, 1 case: no problems found\n");
    assert!(!suite.path("ran").exists() && !suite.path(".agentci").exists());
    assert_eq!(suite.agentci(&["validate", "suite"]).code, Some(0));
}

#[test]
fn warns_about_missing_programs_and_baseline() {
    let text = "target: { process: { command: [no-such-program, x] } }\ngates: { baseline: gone.json }\n\
        cases: [{ id: a, input: {} }, { id: b, input: {}, target: { process: { command: [\"${ENV.AGENT}\"] } } },\n  \
        { id: c, input: {}, target: { process: { command: [./none/agent] } } }, { id: d, input: hello }]\n";
    let ran = Suite::empty().file("suite/agentci.yaml", format!("suite: s\n{text}")).agentci(&["check", "suite"]);
    ran.complains(&[
        "warning: program `no-such-program` not found on this machine\n  --> suite/agentci.yaml:2:20",
        "warning: program `./none/agent` not found on this machine\n  --> suite/agentci.yaml:5:42",
        "warning: the baseline `suite/gone.json` cannot be used: no such file\n  --> suite/agentci.yaml:3:20",
        "error: `input` must be a mapping, found the string `hello`",
        "or a message, `turns: [{ user: .. }]`",
    ]);
    assert_eq!(ran.stdout, "1 suite, 4 cases: 1 error, 3 warnings\n");
}

#[test]
fn checks_current_folder_by_default() {
    let suite = suite();
    suite.write();
    for words in [&["check"][..], &["check", "--secrets"]] {
        let ran = suite.agentci(words);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "1 suite, 1 case: no problems found\n"), "{ran:?}");
    }
    let ran = Suite::empty().agentci(&["check"]);
    assert_eq!((ran.code, ran.stderr), (Some(1), Suite::empty().agentci(&["run"]).stderr));
}

#[test]
fn reports_malformed_checks() {
    let suite =
        suite().case("odd", "assertions:\n  - { type: must_cal, tools: x }\n  - { type: call_order, order: x }", "");
    finds(&suite, &["unknown assertion type `must_cal`", "odd.yaml:5:13", "`order` must be a list", "odd.yaml:6:32"]);
}

#[test]
fn reports_missing_and_invalid_schemas() {
    let schema = |name: &str| format!("assertions: [{{ type: json_schema, schema_path: {name} }}]");
    let suite = suite()
        .case("absent", &schema("absent.json"), "")
        .case("broken", &schema("broken.json"), "")
        .case("wrong", &schema("wrong.json"), "")
        .file("suite/broken.json", "{ \"type\": ")
        .file("suite/wrong.json", r#"{ "properties": { "a": { "type": "strin" } } }"#);
    finds(&suite, &["the schema `suite/absent.json` cannot be read", "the schema `suite/broken.json` is not JSON"]);
    finds(&suite, &["not a valid JSON Schema: at /properties/a/type", "wrong.yaml:4:48"]);
}

#[test]
fn reports_duplicate_case_id() {
    let again = "id: good\ninput: {}\ncassette: cassettes/good.jsonl\n";
    finds(&suite().file("suite/cases/twin.yaml", again), &["the case id `good` is used twice", "twin.yaml:1:5"]);
}

#[test]
fn reports_missing_and_invalid_cassettes() {
    let suite = suite()
        .case("absent", "", "")
        .case("torn", "", "")
        .tape("torn", "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n{\"tool\":\"search\",\n");
    fs::remove_file(suite.path("suite/cassettes/absent.jsonl")).unwrap();
    finds(&suite, &["absent.yaml:3:11", "the cassette `suite/cassettes/absent.jsonl` cannot be read"]);
    finds(&suite, &["--> suite/cassettes/torn.jsonl:2:", "invalid cassette entry: it is not JSON"]);
}

#[test]
fn a_mistyped_cases_key_does_not_hide_the_suite() {
    let suite = Suite::empty().file("suite/agentci.yaml", "suite: refunds\ncase:\n  - { id: a, input: {} }\n");
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1));
    // The file is meant to be a suite, so the message must name the file and not only the folder.
    ran.complains(&["suite/agentci.yaml", "`cases"]);
}

#[test]
fn reports_all_problems_in_one_run() {
    let suite = suite()
        .case("one", "budget: {}", "")
        .case("two", "budgets: { max_tool_calls: few }", "")
        .file("suite/cases/three.yaml", "id: 3\ninput: {}\ncassette: x\n");
    finds(
        &suite,
        &["unknown key `budget`", "did you mean `budgets`?", "`max_tool_calls` must be", "`id` must be a string"],
    );
    assert!(suite.agentci(&["check", "suite"]).stdout.starts_with("1 suite, 4 cases: 3 errors, "));
}

#[test]
fn warnings_fail_only_with_strict() {
    let suite = suite().case("norway", "input: { land: NO }", "");
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.complains(&["warning: `NO` is read as false here", "norway.yaml:3:16", "help: put it in quotes"]);
    assert_eq!(ran.stdout, "1 suite, 2 cases: 0 errors, 1 warning\n");
    assert_eq!(suite.agentci(&["check", "suite", "--strict"]).code, Some(1));
}

#[test]
fn validates_checks_of_otherwise_invalid_case() {
    let native = "cases:\n  - id: a\n    input: {}\n    limits: { tool_calls: 1.5 }\n    checks: [{ tool_caled: x }, { json_schema: none.json }]\n";
    let ran = Suite::native(native).agentci(&["check", "suite"]);
    ran.complains(&["`tool_calls` must be", "unknown check `tool_caled`", "cannot be read: no such file"]);
    let yaml = "budgets: { max_tool_calls: x }\nassertions: [{ type: json_schema, schema_path: none.json }]";
    let ran = Suite::new().case("bad", yaml, "").agentci(&["check", "suite"]);
    ran.complains(&["`max_tool_calls` must be", "cannot be read: no such file"]);
}

#[test]
fn missing_recording_is_reported_once_in_replay_mode() {
    let yaml = |mode: &str| {
        format!(
            "suite: suite\nmode: {mode}\ntarget: {{ http: {{ url: \"http://127.0.0.1:9/\" }} }}\nworld: {{ recording: kept.jsonl }}\n\
             cases: [{{ id: a, input: {{}} }}, {{ id: b, input: {{}} }}]\n"
        )
    };
    let suite = Suite::empty().file("suite/agentci.yaml", yaml("replay"));
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&[
        "the recording `suite/kept.jsonl` cannot be read",
        "agentci.yaml:4:",
        "record it with `agentci record`",
    ]);
    assert_eq!(ran.stderr.matches("cannot be read").count(), 1, "{ran:?}");
    let ran = suite.file("suite/kept.jsonl", "no recording\n").agentci(&["check", "suite"]);
    ran.complains(&["`suite/kept.jsonl` is not a recording"]);
    let live = Suite::empty().file("suite/agentci.yaml", yaml("live")).agentci(&["check", "suite"]);
    assert_eq!(live.code, Some(0), "{live:?}");
}

#[test]
fn missing_cassette_has_same_help_in_every_command() {
    let suite = Suite::new();
    std::fs::remove_file(suite.path("suite/cassettes/good.jsonl")).unwrap();
    let help = "record it with `agentci record`, or correct the path";
    suite.agentci(&["check", "suite"]).complains(&[help]);
    suite.run(&[]).says(&["the cassette `suite/cassettes/good.jsonl` cannot be read", help]);
}

#[test]
fn examples_pass_strict_check() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let ran = Suite::empty().agentci(&["check", "--strict", examples.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let suites: usize = ran.stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(suites >= 10, "only {suites} examples were found: {ran:?}");
}
