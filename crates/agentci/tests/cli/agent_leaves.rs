//! Agents that exit before their work is done, or never start.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::agent_stalls::large_tape;
use crate::processes::{TELL, is_gone, told};
use crate::suite::Suite;

#[test]
fn early_exit_shows_exit_code_and_stderr_tail() {
    let script = "for i in 1 2 3 4 5 6 7 8 9 10 11; do echo \"trace $i\" >&2; done\necho 'KeyError: order' >&2\nexit 3";
    let ran = Suite::new().case("dies", "", script).run(&[]);
    ran.only_wrong("dies", "error", "agent_exited");
    ran.says(&[
        "the agent ended with exit code 3 before its final output",
        "stderr, last 10 of 12 lines:",
        "     trace 11\n     KeyError: order\n",
    ]);
    assert!(!ran.stdout.contains("trace 2\n"));
    assert!(ran.junit_case("dies").contains("<system-err>trace 1\n"));
    assert!(!ran.stdout.contains("it must end with a line"), "it knows why it left: {ran:?}");
    ran.ended_soon_after(0);
}

#[test]
fn traceback_names_the_line_in_the_agents_code() {
    let program =
        "import json\n\n\ndef total(order):\n    return json.loads(order)[\"total\"]\n\n\nprint(total(\"{broken\"))\n";
    let suite = Suite::new().case("dies", "", "exec python3 total.py").file("total.py", program);
    let ran = suite.run(&[]);
    ran.only_wrong("dies", "error", "agent_exited");
    ran.says(&["total.py:5 in total: return json.loads(order)[\"total\"]\n", "= the agent's own code: "]);
    assert!(
        ran.junit_case("dies").contains("the agent&apos;s own code: ")
            || ran.junit_case("dies").contains("the agent's own code: ")
    );
}

#[test]
fn reports_signal_that_killed_the_agent() {
    let ran = Suite::new().case("killed", "", "kill -KILL $$").run(&[]);
    ran.only_wrong("killed", "error", "agent_exited");
    ran.says(&["the agent ended with signal 9 before its final output"]);
}

#[test]
fn exit_with_unread_response_fails_only_that_case() {
    let ask = r#"say '{"type":"tool_call","name":"search","call_id":"c1","args":{}}'"#;
    let suite = Suite::new().case("leaves", "", &format!("{ask}\nexit 4")).tape("leaves", &large_tape(5_000_000));
    let ran = suite.run(&[]);
    ran.only_wrong("leaves", "error", "agent_exited");
    ran.says(&["with exit code 4 before", "it exited with an answer unread"]);
    ran.ended_soon_after(0);
}

#[test]
fn ignores_exit_code_after_final_output() {
    Suite::new().case("seven", "", "finish '{\"ok\":true}'\nexit 7").run(&[]).all_passed();
}

#[test]
fn accepts_last_line_without_newline() {
    let script = r#"printf '%s' '{"type":"final_output","output":{"ok":true}}'"#;
    Suite::new().case("unfinished", "", script).run(&[]).all_passed();
}

#[test]
fn closing_stdout_ends_the_case_and_the_agent() {
    let script = format!("{TELL}tell agent.pid $$\nexec 1>&-\nsleep 600");
    let suite = Suite::new().case("closed", "", &script);
    let ran = suite.run(&[]);
    ran.only_wrong("closed", "error", "agent_exited");
    // The process is still running, so the message must not say that it exited.
    ran.says(&["the agent closed its standard output before its final output"]);
    ran.says(&["help: it must end with a line `{\"type\":\"final_output\",\"output\":{..}}`"]);
    ran.ended_soon_after(1);
    assert!(is_gone(told(&suite.path("agent.pid"))));
}

#[test]
fn detects_exit_while_grandchild_holds_stdout() {
    let script = format!("{TELL}sleep 600 &\ntell child.pid $!\nexit 3");
    let suite = Suite::new().case("orphan", "", &script);
    let ran = suite.run(&[]);
    ran.only_wrong("orphan", "error", "agent_exited");
    ran.says(&["with exit code 3 before"]);
    ran.ended_soon_after(1);
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[test]
fn reads_all_output_written_before_exit() {
    // The lines fill the pipe when the agent exits, and a grandchild keeps it open.
    let script = r#"
sleep 600 &
i=0; while [ $i -lt 500 ]; do say '{"type":"log","level":"info","message":"one of many"}'; i=$((i + 1)); done
finish '{"ok":true}'
exit 1"#;
    let ran = Suite::new().case("hasty", "", script).run(&[]);
    ran.all_passed();
    assert_eq!(ran.events().iter().filter(|event| event["type"] == "log").count(), 500);
}

fn native_with(command: &str) -> Suite {
    let cases = format!(
        "cases:\n  - id: good\n    input: {{}}\n  - id: absent\n    input: {{}}\n    target: {{ process: {{ command: [{command}] }} }}\n"
    );
    Suite::native(&cases).agent("good", "finish '{\"ok\":true}'")
}

#[test]
fn missing_program_is_reported_with_its_location() {
    let ran = native_with("no-such-program, x").run(&[]);
    ran.only_wrong("absent", "error", "unreachable");
    ran.says(&[
        "the agent could not be started: program `no-such-program` not found (unreachable)",
        "--> suite/agentci.yaml:8:",
        "command: [no-such-program, x]",
    ]);
}

#[test]
fn reports_program_that_is_not_executable() {
    let suite = native_with("./plain.txt").file("suite/plain.txt", "not a program\n");
    let ran = suite.run(&[]);
    ran.only_wrong("absent", "error", "unreachable");
    ran.says(&["plain.txt` is not executable", "help: make it executable with `chmod +x`"]);
}

#[test]
fn reports_executable_file_that_is_not_a_program() {
    let suite = native_with("./noise").file("suite/noise", [0xff_u8, 0xfe, 0x00, 0x01]);
    fs::set_permissions(suite.path("suite/noise"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = suite.run(&[]);
    ran.only_wrong("absent", "error", "unreachable");
    ran.says(&["noise` could not be started: "]);
}

#[test]
fn missing_final_output_error_includes_help() {
    let ran = Suite::new().case("done", "", "exit 0").run(&[]);
    ran.only_wrong("done", "error", "agent_exited");
    ran.says(&[
        "ended with exit code 0",
        "help: it must end with a line `{\"type\":\"final_output\",\"output\":{..}}`",
    ]);
}
