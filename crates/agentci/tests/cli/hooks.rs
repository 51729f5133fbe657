//! Commands that run before a case.

use crate::suite::Suite;

const ECHO: &str = r#"input=${task#*'"input":'}; finish "{\"input\":${input%?}}""#;

/// A suite of two cases; `hooked` has this hook, and its input uses the variable `ID`.
fn hooked(hook: &str) -> Suite {
    let cases = format!(
        "cases:\n  - id: good\n    input: {{}}\n  - id: hooked\n    input: {{ id: \"${{ID}}\" }}\n    hooks:\n      - {hook}\n"
    );
    Suite::native(&cases).agent("good", "finish '{}'").agent("hooked", ECHO)
}

#[test]
fn what_a_hook_prints_can_be_used_in_the_input() {
    let ran = hooked(r#"{ command: [echo, '{"ID":"A-17","unused":[1]}'] }"#).run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("hooked")["input"]["id"], "A-17");
}

#[test]
fn a_hook_that_fails_costs_only_its_case() {
    let ran = hooked("{ command: [sh, -c, 'echo no database >&2; exit 5'] }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `sh` failed with exit code 5 (hook)", "--> suite/agentci.yaml:9:9", "stderr: no database"]);
}

#[test]
fn a_hook_that_prints_something_else_is_quoted() {
    let ran = hooked("{ command: [echo, ready] }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `echo` must print one JSON object", "it printed: ready"]);
}

#[test]
fn a_hook_that_prints_nothing_gets_advice() {
    let ran = hooked("{ command: [echo, ''] }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `echo` printed nothing, but must print one JSON object (hook)", "print `{}`"]);
}

#[test]
fn a_hook_that_does_not_end_is_given_up() {
    let ran = hooked("{ command: [sleep, '600'], timeout: 1s }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `sleep` did not finish within 1s"]);
    ran.ended_soon_after(1);
}

#[test]
fn a_hook_that_does_not_leave_when_it_is_asked_to_is_made_to() {
    let ran = hooked("{ command: [sh, -c, \"trap '' TERM; sleep 600\"], timeout: 300ms }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.ended_soon_after(1);
}

#[test]
fn a_variable_without_a_value_is_named() {
    let ran = hooked("{ command: [echo, '{}'] }").run(&[]);
    ran.only_wrong("hooked", "error", "config");
    ran.says(&["the variable `ID` has no value (config)", "--> suite/agentci.yaml:7:12"]);
}

#[test]
fn a_script_beside_the_suite_is_found_as_an_agent_is() {
    let suite = hooked("{ command: [sh, seed.sh] }").file("suite/seed.sh", "echo '{\"ID\":\"A-17\"}'\n");
    suite.run(&[]).all_passed();
}

#[test]
fn a_child_that_a_hook_leaves_behind_does_not_keep_it_waiting() {
    let suite = hooked("{ command: [sh, -c, 'sleep 600 & echo \"{\\\"ID\\\":\\\"A-17\\\"}\"'], timeout: 15s }");
    let ran = suite.run(&[]);
    ran.all_passed();
    ran.ended_soon_after(0);
}

#[test]
fn a_hook_that_prints_without_end_is_reported_at_once() {
    let ran = hooked("{ command: [yes], timeout: 15s }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.ended_soon_after(0);
    assert!(!ran.stdout.contains("did not finish within"), "{ran:?}");
}
