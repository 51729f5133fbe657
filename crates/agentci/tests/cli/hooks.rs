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
fn hook_output_is_available_as_input_variables() {
    let ran = hooked(r#"{ command: [echo, '{"ID":"A-17","unused":[1]}'] }"#).run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("hooked")["input"]["id"], "A-17");
}

#[test]
fn failed_hook_fails_only_its_case() {
    let ran = hooked("{ command: [sh, -c, 'echo no database >&2; exit 5'] }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `sh` failed with exit code 5 (hook)", "--> suite/agentci.yaml:9:9", "stderr: no database"]);
}

#[test]
fn quotes_hook_output_that_is_not_json() {
    let ran = hooked("{ command: [echo, ready] }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `echo` must print one JSON object", "it printed: ready"]);
}

#[test]
fn empty_hook_output_error_suggests_empty_object() {
    let ran = hooked("{ command: [echo, ''] }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `echo` printed nothing, but must print one JSON object (hook)", "print `{}`"]);
}

#[test]
fn hook_has_a_timeout() {
    let ran = hooked("{ command: [sleep, '600'], timeout: 1s }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.says(&["the hook `sleep` did not finish within 1s"]);
    ran.ended_soon_after(1);
}

#[test]
fn hook_that_ignores_sigterm_is_killed() {
    let ran = hooked("{ command: [sh, -c, \"trap '' TERM; sleep 600\"], timeout: 300ms }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.ended_soon_after(1);
}

#[test]
fn reports_variable_without_value() {
    let ran = hooked("{ command: [echo, '{}'] }").run(&[]);
    ran.only_wrong("hooked", "error", "config");
    ran.says(&["the variable `ID` has no value (config)", "--> suite/agentci.yaml:7:12"]);
}

#[test]
fn finds_hook_script_relative_to_the_suite() {
    let suite = hooked("{ command: [sh, seed.sh] }").file("suite/seed.sh", "echo '{\"ID\":\"A-17\"}'\n");
    suite.run(&[]).all_passed();
}

#[test]
fn background_child_of_hook_does_not_delay_the_case() {
    let suite = hooked("{ command: [sh, -c, 'sleep 600 & echo \"{\\\"ID\\\":\\\"A-17\\\"}\"'], timeout: 15s }");
    let ran = suite.run(&[]);
    ran.all_passed();
    ran.ended_soon_after(0);
}

#[test]
fn endless_hook_output_is_reported_immediately() {
    let ran = hooked("{ command: [yes], timeout: 15s }").run(&[]);
    ran.only_wrong("hooked", "error", "hook");
    ran.ended_soon_after(0);
    assert!(!ran.stdout.contains("did not finish within"), "{ran:?}");
}
