//! Plain programs as agents: they get their task when they start, and their output is the answer.

use std::time::Duration;

use crate::ran::Ran;
use crate::suite::Suite;

/// A suite with one case whose agent is this command, and one that passes.
fn suite(command: &str, case: &str) -> Suite {
    let text = format!(
        "suite: plain\ntarget:\n  process:\n    command: {command}\n    speaks: text\ncases:\n  \
         - id: good\n    target: {{ process: {{ command: [echo, fine], speaks: text }} }}\n    input: {{}}\n  \
         - id: only\n    {}\n",
        case.replace('\n', "\n    ")
    );
    Suite::empty().file("suite/agentci.yaml", &text)
}

fn run(command: &str, case: &str) -> Ran {
    suite(command, case).agentci(&["run", "suite"])
}

#[test]
fn task_is_passed_as_argument_or_on_stdin() {
    for (command, case, said) in [
        (r#"[sh, -c, 'echo "asked: $1"', sh, "${INPUT.question}"]"#, "input: { question: why? }", "asked: why?"),
        (r#"[sh, -c, 'echo "asked: $1"', sh, "${INPUT}"]"#, "turns: [{ user: why? }]", "asked: why?"),
        (r#"[sh, -c, 'echo "asked: $1"', sh, "${INPUT}"]"#, "input: { a: [1] }", r#"asked: {"a":[1]}"#),
        ("[sh, -c, 'read -r line; echo \"heard: $line\"']", "turns: [{ user: why? }]", "heard: why?"),
        ("[sh, -c, 'read -r line; echo \"heard: $line\"']", "input: { q: 1 }", r#"heard: {"q":1}"#),
        // If the task is in the command, standard input is empty.
        (r#"[sh, -c, 'echo "$1 $(cat | wc -c)"', sh, "${INPUT}"]"#, "turns: [{ user: why? }]", "why? 0"),
        (
            r#"[sh, -c, 'echo "$1"', sh, "${WHO} ${INPUT}"]"#,
            "variables: { WHO: ada }\nturns: [{ user: asks }]",
            "ada asks",
        ),
    ] {
        let case = format!("{case}\nchecks: [{{ equals: {} }}]", serde_json::Value::from(said));
        let ran = run(command, &case);
        assert_eq!(ran.code, Some(0), "{command} {case}: {ran:?}");
    }
}

#[test]
fn every_turn_starts_a_new_process() {
    let script = "[sh, -c, 'read -r line; echo \"$line!\"']";
    let turns = "turns:\n  - { user: one, checks: [{ equals: one! }] }\n  - { user: two, checks: [{ equals: two! }] }";
    let ran = run(script, turns);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn json_output_is_checked_as_data() {
    let checks = "input: {}\nchecks: [{ required_fields: [answer] }, { contains: '42' }]";
    let ran = run("[echo, '{\"answer\": 42}']", checks);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // A bare number is a string.
    let ran = run("[echo, \"42\"]", "input: {}\nchecks: [{ equals: '42' }]");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn failing_program_is_reported_with_its_stderr() {
    let ran = run("[sh, -c, 'echo half an answer; echo KeyError >&2; exit 3']", "input: {}");
    ran.only_wrong("only", "error", "agent_exited");
    ran.says(&["the agent ended with exit code 3", "KeyError"]);
    assert!(!ran.stdout.contains("final output"), "{ran:?}");
    assert!(ran.events().iter().any(|event| event["text"] == "half an answer"), "{ran:?}");
    let ran = run("[no-such-program-at-all]", "input: {}");
    ran.only_wrong("only", "error", "unreachable");
}

#[test]
fn stops_program_with_endless_output_or_timeout() {
    let ran = run("[sh, -c, 'yes']", "input: {}");
    ran.only_wrong("only", "error", "protocol");
    ran.says(&["the agent printed too much: it printed more than 16 MiB"]);
    let ran = run("[sleep, \"600\"]", "input: {}\ntimeout: 300ms");
    ran.only_wrong("only", "error", "timeout");
    assert!(ran.took < Duration::from_mins(1), "{ran:?}");
}

#[test]
fn program_that_ignores_stdin_does_not_block() {
    let long = "x".repeat(1_000_000);
    let ran = run("[echo, done]", &format!("turns: [{{ user: {long} }}]\nchecks: [{{ equals: done }}]"));
    assert_eq!(ran.code, Some(0));
}

#[test]
fn reports_input_field_missing_from_the_turn() {
    let ran = run(r#"[echo, "${INPUT.question}"]"#, "input: { q: 1 }");
    ran.only_wrong("only", "error", "config");
    ran.says(&["the variable `INPUT.question` has no value, and the turn has no such field"]);
}

#[test]
fn refuses_input_variable_in_command_of_protocol_agent() {
    let text = "suite: s\ntarget: { process: { command: [echo, '${INPUT}'] } }\ncases: [{ id: a, input: {} }]\n";
    let ran = Suite::empty().file("suite/agentci.yaml", text).agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&[
        "`${INPUT}` cannot be used in the command of a program that speaks the protocol",
        "add `speaks: text` if it is a plain program",
    ]);
}
