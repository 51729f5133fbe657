//! The console report, and that it is deterministic.

use crate::ran::Ran;
use crate::suite::Suite;

/// The first case is the slowest, and the ids are not in alphabetical order.
fn uneven() -> Suite {
    let cases = "cases:\n  - { id: zulu, input: {} }\n  - { id: mike, input: {}, checks: [{ contains: nowhere }] }\n  \
        - { id: alpha, input: {} }\n  - { id: bravo, input: {} }\n";
    Suite::native(cases)
        .agent("zulu", "sleep 1; finish '{\"ok\":true}'")
        .agent("mike", "finish '{\"text\":\"here\"}'")
        .agent("alpha", "echo oh no >&2; exit 2")
        .agent("bravo", "finish '{\"ok\":true}'")
}

fn junit_order(ran: &Ran) -> Vec<String> {
    let junit = ran.junit();
    let name = |part: &str| part.split(" name=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    junit.split("<testcase").skip(1).map(name).collect()
}

#[test]
fn output_order_does_not_depend_on_completion_order() {
    let one = uneven().run(&["--parallel", "1"]);
    let four = uneven().run(&["--parallel", "4"]);
    let report = |ran: &Ran| ran.console().split("run them again").next().unwrap().to_owned();
    assert_eq!(report(&one), report(&four));
    let lines: Vec<&str> = one.stdout.lines().skip(1).take(4).map(|line| line.split(' ').nth(1).unwrap()).collect();
    assert_eq!(lines, ["zulu", "mike", "alpha", "bravo"]);
    for ran in [&one, &four] {
        assert_eq!(junit_order(ran), ["zulu", "mike", "alpha", "bravo"]);
        let ids: Vec<String> = ran.verdicts().into_iter().map(|verdict| verdict.0).collect();
        assert_eq!(ids, ["alpha", "bravo", "mike", "zulu"]);
    }
}

#[test]
fn runs_cases_in_parallel() {
    // Each waits for the other, so they would never end if they ran one after the other.
    let meet =
        |own: &str, other: &str| format!("echo > {own}; while [ ! -e {other} ]; do sleep 0.05; done; finish '{{}}'");
    let suite = Suite::new().case("left", "", &meet("l", "r")).case("right", "", &meet("r", "l"));
    suite.run(&["--parallel", "3", "--timeout", "20s"]).all_passed();
}

#[test]
fn prints_full_report() {
    let ran = uneven().run(&[]);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn verbose_shows_checks_and_tool_calls_of_each_case() {
    let tape = r#"{"tool":"search","args":{"q":"x"},"ok":true,"result":1}"#;
    let suite = Suite::new()
        .case("calls", "assertions: [{ type: must_call, tools: search }]", "call search '{\"q\":\"x\"}'; finish '{}'")
        .tape("calls", tape);
    let ran = suite.run(&["--verbose", "--parallel", "2"]);
    ran.all_passed();
    ran.says(&["  calls: search {\"q\":\"x\"}\n  calls: check `must_call` passed: search\nPASS good"]);
}

#[test]
fn groups_repeated_runs_of_a_case_in_one_row() {
    let cases = "cases:\n  - { id: good, input: {} }\n  - { id: flaky, runs: 3, input: {} }\n";
    let script = "if mkdir once 2> /dev/null; then exit 9; fi; finish '{\"ok\":true}'";
    let ran = Suite::native(cases).agent("good", "finish '{}'").agent("flaky", script).run(&[]);
    assert_eq!(ran.code, Some(1));
    ran.says(&["ERROR flaky (2 of 3 runs passed; run 1: ", "ERROR suite/flaky (run 1 of 3): the agent ended"]);
    let case = ran.case("flaky");
    let statuses: Vec<_> = case["runs"].as_array().unwrap().iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["error", "pass", "pass"]);
}

#[test]
fn ends_with_command_to_rerun_failed_cases() {
    let suite = uneven();
    let ran = suite.run(&["--parallel", "2", "--tag", "x"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.stdout.contains("run them again"), "nothing ran");
    let ran = suite.run(&["--run=m|a|b", "--parallel", "2"]);
    let report = ran.run_folder().join("report.html");
    let report = report.strip_prefix(suite.root()).unwrap().display();
    let end = format!("report: {report}\nrun them again: agentci run suite --parallel 2 --case mike --case alpha\n");
    assert!(ran.stdout.ends_with(&end), "{ran:?}");
    let again = end.split_once("agentci ").unwrap().1.split_whitespace().collect::<Vec<_>>();
    suite.agentci(&again).says(&["2 cases: 0 passed, 1 failed, 1 error"]);
    let passed = suite.agentci(&["run", "suite", "--case", "bravo"]);
    assert!(!passed.stdout.contains("again") && !passed.stdout.contains("report: "), "{passed:?}");
}
