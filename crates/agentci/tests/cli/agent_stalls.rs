//! Agents that do not end by themselves.

use crate::processes::{TELL, is_gone, told};
use crate::suite::Suite;

const ONE_SECOND: &str = "budgets: { max_wall_ms: 1000 }";

/// A cassette whose only entry answers `search {}` with this many bytes.
pub(crate) fn large_tape(bytes: usize) -> String {
    format!("{{\"tool\":\"search\",\"args\":{{}},\"ok\":true,\"result\":\"{}\"}}\n", "x".repeat(bytes))
}

#[test]
fn silent_agent_fails_after_wall_time_budget() {
    let script = format!("{TELL}tell agent.pid $$\nsleep 600");
    let suite = Suite::new().case("mute", ONE_SECOND, &script);
    let ran = suite.run(&[]);
    ran.only_wrong("mute", "fail", "limit");
    ran.says(&["budget exceeded: max_wall_ms limit=1000", "it never sent a message", "max_wall_ms: 1000", "^^^^"]);
    ran.ended_soon_after(1);
    assert!(ran.case("mute")["wall_ms"].as_u64().unwrap() >= 1000);
    assert!(is_gone(told(&suite.path("agent.pid"))));
}

#[test]
fn silent_agent_without_budget_times_out() {
    let suite = Suite::new().case("mute", "", "sleep 600");
    let ran = suite.run(&["--timeout", "2s"]);
    ran.only_wrong("mute", "error", "timeout");
    ran.says(&[
        "the agent did not finish within 2s (timeout)",
        "it never sent a message",
        "set `speaks: text`",
        "Raise `--timeout`",
    ]);
    ran.ended_soon_after(2);
}

#[test]
fn shorter_of_budget_and_timeout_decides_the_verdict() {
    let suite = Suite::new().case("mute", "budgets: { max_wall_ms: 60000 }", "sleep 600");
    suite.run(&["--timeout", "2s"]).only_wrong("mute", "error", "timeout");
    let suite = Suite::new().case("mute", ONE_SECOND, "sleep 600");
    suite.run(&["--timeout", "60s"]).only_wrong("mute", "fail", "limit");
}

#[test]
fn messages_do_not_extend_the_time_limit() {
    let drip = r#"while :; do say '{"type":"log","level":"info","message":"still here"}'; sleep 0.2; done"#;
    let suite = Suite::new().case("drips", ONE_SECOND, drip);
    let ran = suite.run(&[]);
    ran.only_wrong("drips", "fail", "limit");
    ran.says(&["its last message was a log line"]);
    ran.ended_soon_after(1);
    assert!(ran.events().iter().filter(|event| event["type"] == "log").count() >= 2);
}

#[test]
fn message_flood_does_not_extend_the_time_limit() {
    let flood = r#"yes '{"type":"log","level":"info","message":"still here"}'"#;
    let suite = Suite::new().case("floods", ONE_SECOND, flood);
    let ran = suite.run(&[]);
    ran.only_wrong("floods", "fail", "limit");
    ran.ended_soon_after(1);
}

#[test]
fn agent_that_never_reads_does_not_block_the_run() {
    let ask = r#"say '{"type":"tool_call","name":"search","call_id":"c1","args":{}}'"#;
    let suite = Suite::new()
        .case("deaf", "budgets: { max_wall_ms: 2000 }", &format!("{ask}\nsleep 600"))
        .tape("deaf", &large_tape(20_000_000));
    let ran = suite.run(&[]);
    ran.only_wrong("deaf", "fail", "limit");
    ran.says(&["its last message was a call to `search`", "bytes of its input unread"]);
    // Reading and recording twenty megabytes is slow in a debug build.
    ran.ended_soon_after(20);
}

#[test]
fn delivers_large_tool_result_to_agent() {
    let script = r#"call search '{}'; finish "{\"length\":${#answer}}""#;
    let suite = Suite::new().case("reads", "", script).tape("reads", &large_tape(300_000));
    let ran = suite.run(&[]);
    ran.all_passed();
    assert!(ran.final_output("reads")["length"].as_u64().unwrap() > 300_000);
}

#[test]
fn reads_and_writes_concurrently_without_deadlock() {
    // It makes many calls before it reads an answer: both pipes fill up unless we read while we write.
    let script = r#"
i=0; while [ $i -lt 2000 ]; do
  say '{"type":"tool_call","name":"search","call_id":"same","args":{}}'; i=$((i + 1))
done
i=0; while [ $i -lt 2000 ]; do read -r answer; i=$((i + 1)); done
finish "{\"answers\":$i}""#;
    let suite = Suite::new().case("eager", "", script).tape("eager", &large_tape(1000));
    let ran = suite.run(&[]);
    ran.all_passed();
    assert_eq!(ran.case("eager")["tool_calls"], 2000);
}

#[test]
fn accepts_large_stderr_output() {
    let line = "a line of noise that says nothing at all, and then some more of it to make it longer";
    let script = format!("yes '{line}' | head -c 100000000 >&2\nfinish '{{\"ok\":true}}'");
    let suite = Suite::new().case("loud", "", &script);
    let ran = suite.run(&[]);
    ran.all_passed();
    ran.ended_soon_after(10);
}

#[test]
fn kill_delay_after_ignored_sigterm_is_not_measured() {
    let script = format!("{TELL}trap '' TERM\ntell agent.pid $$\nfinish '{{\"ok\":true}}'\nwhile :; do sleep 1; done");
    let suite = Suite::new().case("stubborn", "", &script);
    let ran = suite.run(&["--case", "stubborn"]);
    ran.all_passed();
    ran.ended_soon_after(1);
    // It gets SIGTERM after half a second and is killed half a second later.
    let wall = u128::from(ran.case("stubborn")["wall_ms"].as_u64().unwrap());
    assert!(ran.took.as_millis() >= wall + 900, "{wall} of {:?}", ran.took);
    assert!(is_gone(told(&suite.path("agent.pid"))));
}
