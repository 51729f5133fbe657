//! A tool call that arrives after its case has ended belongs to that case, not to the one that is running by then.

use crate::http_agent::command;
use crate::ran::Ran;
use crate::suite::Suite;

/// A case whose only fixture is for this id, followed by `more`.
fn case(id: &str, question: &str, fixture: u32, more: &str) -> String {
    format!(
        "  - id: {id}\n    input: {{ user_input: {question:?} }}\n    world: {{ tools: {{ bases: [PAY_BASE], miss: fail, routes: {{ paySlips: \
         [{{ request: {{ id: {fixture} }}, response: {{ net: 1 }} }}] }} }} }}\n{more}"
    )
}

const NOT_CALLED: &str = "    checks: [{ not: { tool_called: paySlips } }]\n";

/// Runs cases that share one agent process.
fn run(cases: &str) -> Ran {
    run_agent(cases, "    shared: true\n")
}

fn run_agent(cases: &str, sharing: &str) -> Ran {
    run_with(cases, sharing, &[])
}

fn run_with(cases: &str, sharing: &str, arguments: &[&str]) -> Ran {
    let suite = Suite::empty();
    let root = suite.root().display().to_string();
    for pipe in ["poke.in", "poke.out"] {
        assert!(std::process::Command::new("mkfifo").arg(suite.path(pipe)).status().unwrap().success());
    }
    let environment = format!("{{ HTTP_AGENT: \"{root}/agent.pid\", HTTP_AGENT_POKE: \"{root}/poke\" }}");
    let target = format!(
        "target:\n  http:\n    url: \"http://127.0.0.1:${{PORT}}/ask\"\n    command: {}\n    env: {environment}\n{sharing}",
        command()
    );
    let yaml = format!("suite: suite\n{target}cases:\n{}", cases.replace("ROOT", &root));
    suite.file("suite/agentci.yaml", yaml).run(arguments)
}

/// Asserts that the first case fails because of a late call, and that the second is not affected.
fn first_is_late(ran: &Ran) {
    ran.only_wrong("first", "fail", "stub_miss");
    assert!(ran.stdout.contains("`paySlips` was called after the case was over"), "{}", ran.stdout);
    assert_eq!(ran.case("second")["tool_calls"], 0);
}

#[test]
fn late_call_during_next_case_fails_the_earlier_case() {
    let cases = [case("first", "owe 1", 1, ""), case("second", "meanwhile", 2, NOT_CALLED)].concat();
    let ran = run(&cases);
    first_is_late(&ran);
    assert!(ran.stdout.contains("it arrived while the next case was running; only this case has a fixture for it"));
}

#[test]
fn late_call_between_cases_fails_the_earlier_case() {
    let hook = "    hooks: [{ command: [sh, -c, 'echo > ROOT/poke.in; cat ROOT/poke.out'] }]\n";
    let cases = [case("first", "owe 1", 1, ""), case("second", "hello", 1, &format!("{hook}{NOT_CALLED}"))].concat();
    first_is_late(&run(&cases));
}

#[test]
fn late_call_is_a_warning_when_misses_are_warnings() {
    let cases = [case("first", "owe 1", 1, ""), case("second", "meanwhile", 2, NOT_CALLED)].concat();
    let ran = run(&cases.replace("miss: fail", "miss: warn"));
    ran.all_passed();
    assert!(ran.stdout.contains("`paySlips` was called after the case was over"), "{}", ran.stdout);
}

#[test]
fn an_agent_that_waits_for_its_tools_passes() {
    let paid = "    checks: [{ tool_called: { name: paySlips, count: 1 } }]\n";
    let cases =
        [case("first", "pay 1", 1, paid), case("second", "meanwhile", 2, NOT_CALLED), case("third", "pay 1", 1, paid)];
    let ran = run(&cases.concat());
    ran.all_passed();
    let ids: Vec<String> = ran.verdicts().into_iter().map(|verdict| verdict.0).collect();
    assert_eq!(ids, ["first", "second", "third"]);
}

#[test]
fn late_call_cannot_affect_next_case_with_unshared_agent() {
    // Both cases have a fixture for the call, so a shared agent's call cannot be attributed.
    let cases = [case("first", "owe 1", 1, ""), case("second", "meanwhile", 1, NOT_CALLED)].concat();
    run(&cases).only_wrong("second", "fail", "check");
    run_agent(&cases, "").all_passed();
}

/// The agent gets only the question, so it finds the base URL of its tools only in its environment.
const QUESTION_ALONE: &str = "    body: { user_input: \"${INPUT.user_input}\" }\n";

#[test]
fn concurrent_agents_get_separate_base_urls_in_environment() {
    let paid = "    checks: [{ tool_called: { name: paySlips, count: 1 } }]\n";
    let cases =
        [case("first", "pay 1", 1, paid), case("second", "pay 2", 2, paid), case("third", "hello", 1, NOT_CALLED)];
    run_with(&cases.concat(), QUESTION_ALONE, &["--parallel", "3"]).all_passed();
}

#[test]
fn call_outside_every_running_case_is_a_miss() {
    let unseen = case("first", "pay 1", 1, NOT_CALLED);
    let other = case("second", "hello", 1, "");
    let target = format!("{QUESTION_ALONE}    shared: true\n");
    // One of the two cases may have ended by then.
    let ran = run_with(&format!("{unseen}{other}"), &target, &["--parallel", "2"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!((&ran.case("first")["status"], &ran.case("first")["cause"]), (&"fail".into(), &"stub_miss".into()));
    assert!(ran.stdout.contains("`paySlips` was called outside the base URL of every running case"), "{}", ran.stdout);
    // If cases run one after the other, the call can be attributed.
    let ran = run_with(&format!("{unseen}{other}"), &target, &["--parallel", "1"]);
    ran.only_wrong("first", "fail", "check");
}
