//! `agentci replay --until N --then WHAT` with MCP servers over standard input and output: the beginning is replayed
//! without the server program, and the rest is sent to the live server.

use std::fs;

use serde_json::Value;

use crate::mcp_servers::{record, shop, starts};
use crate::ran::Ran;
use crate::recorded_agent::ran;
use crate::suite::Suite;

const FORK: &str = "r.fork.jsonl";
const SERVER: [&str; 3] = ["--", "python3", "server.py"];

/// The number of the recorded call whose request contains this text.
fn call(suite: &Suite, text: &str) -> String {
    let recording = fs::read_to_string(suite.path("r.jsonl")).unwrap();
    let lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut found = lines.filter(|line| line["type"] == "request" && line["json"].to_string().contains(text));
    found.next().unwrap_or_else(|| panic!("{text} is not in {recording}"))["id"].to_string()
}

/// The shop after these calls were recorded, with orders that have changed since.
fn recorded(calls: &[&str]) -> Suite {
    let suite = shop();
    record(&suite, &[calls, &SERVER].concat());
    fs::write(suite.path("orders.json"), r#"{"A-17": "A-17 is lost", "A-18": "A-18 is found"}"#).unwrap();
    suite
}

fn forked(suite: &Suite, until: &str, then: &str, calls: &[&str]) -> Ran {
    let line = ["replay", "r.jsonl", "--timeout", "60s", "--until", until, "--then", then, "--", "python3", "host.py"];
    ran(suite, &mut suite.command(&[&line[..], calls, &SERVER].concat()))
}

#[test]
fn live_server_handles_calls_after_the_fork() {
    let calls = ["get_order=A-17", "slow", "get_order=A-18"];
    let suite = recorded(&calls);
    let until = call(&suite, "A-17");
    let done = forked(&suite, &until, "live", &calls);
    assert_eq!(done.code, Some(0), "{done:?}");
    for said in ["get_order A-17 is shipped\n", "\"progress\": 2}", "slow slow but done", "get_order A-18 is found\n"] {
        assert!(done.stdout.contains(said), "{said}: {done:?}");
    }
    assert!(done.stdout.ends_with("exit code 0\n"), "{done:?}");
    assert_eq!(starts(&suite), 2);
    done.complains(&[
        "3 of 3 calls answered from r.jsonl, 3 exact\n",
        "then 2 calls to the live world\n",
        "warning: stdio:python server.py was started at the fork",
        "wrote r.fork.jsonl (",
    ]);
    let diff = ran(&suite, &mut suite.command(&["recording", "diff", "r.jsonl", FORK])).stdout;
    assert!(diff.contains("A-18 is late") && diff.contains("A-18 is found") && !diff.contains("A-17 is"), "{diff}");
    // The fork is a recording like any other, and needs no server.
    let line = [&["replay", FORK, "--strict", "--", "python3", "host.py"][..], &calls, &SERVER].concat();
    let again = ran(&suite, &mut suite.command(&line));
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stdout.contains("A-17 is shipped") && again.stdout.contains("A-18 is found"), "{again:?}");
    assert_eq!(starts(&suite), 2);
}

#[test]
fn large_messages_pass_in_both_directions() {
    let long = format!("slow={}", "x".repeat(100_000));
    let calls = ["get_order=A-17", &long, "get_order=A-18"];
    let suite = recorded(&calls);
    let orders = serde_json::json!({ "A-18": "found ".repeat(500_000) });
    fs::write(suite.path("orders.json"), orders.to_string()).unwrap();
    let done = forked(&suite, &call(&suite, "A-17"), "live", &calls);
    assert_eq!((done.code, starts(&suite)), (Some(0), 2), "{}", done.stderr);
    assert!(done.stdout.len() > 3_000_000, "{}", done.stdout.len());
    done.complains(&["then 2 calls to the live world\n"]);
}

#[test]
fn server_not_needed_after_fork_is_not_started() {
    let calls = ["get_order=A-17", "get_order=A-18"];
    let suite = recorded(&calls);
    let done = forked(&suite, &call(&suite, "A-18"), "live", &calls);
    assert_eq!((done.code, starts(&suite)), (Some(0), 1), "{done:?}");
    assert!(done.stdout.contains("A-18 is late"), "{done:?}");
    done.complains(&["then 0 calls to the live world\n"]);
    assert!(!done.stderr.contains("warning"), "{done:?}");
}

#[test]
fn divergence_before_fork_starts_no_server() {
    let suite = recorded(&["get_order=A-17", "get_order=A-18"]);
    let lost = forked(&suite, &call(&suite, "A-18"), "live", &["get_order=B-1", "get_order=A-17", "get_order=A-18"]);
    assert_eq!((lost.code, starts(&suite)), (Some(1), 1), "{lost:?}");
    assert!(lost.stdout.contains("get_order agentci replay: "), "{lost:?}");
    lost.complains(&["error: the agent did not reach call", "/params/arguments/order", "nothing was written"]);
    assert!(!suite.path(FORK).exists());
}

#[test]
fn server_startup_failure_is_reported_and_fails() {
    let calls = ["get_order=A-17", "get_order=A-18"];
    let suite = recorded(&calls);
    fs::remove_file(suite.path("server.py")).unwrap();
    let failed = forked(&suite, &call(&suite, "A-17"), "live", &calls);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let told = "stdio:python server.py cannot continue live: the server ended before it answered `initialize`";
    assert!(failed.stdout.contains("get_order A-17 is shipped") && failed.stdout.contains(told), "{failed:?}");
    failed.complains(&[
        "has no answer after the fork",
        "tools/call stdio:python server.py: the server ended before it answered `initialize` (exit status: 2)",
        "help: check why the server does not start",
    ]);
}

#[test]
fn missing_server_program_is_reported_and_fails() {
    let suite = shop();
    let program = suite.path("orders");
    let script = format!("#!/usr/bin/env python3\n{}", fs::read_to_string(suite.path("server.py")).unwrap());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (program, calls) = (program.display().to_string(), ["get_order=A-17", "get_order=A-18"]);
    record(&suite, &[&calls[..], &["--", &program]].concat());
    // The program still exists, as the host's library requires, but cannot be started.
    fs::write(&program, "#!/no/such/interpreter\n").unwrap();
    let until = call(&suite, "A-17");
    let line =
        ["replay", "r.jsonl", "--timeout", "60s", "--until", &until, "--then", "live", "--", "python3", "host.py"];
    let failed = ran(&suite, &mut suite.command(&[&line[..], &calls, &["--", &program]].concat()));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("cannot continue live: its program could not be started"), "{failed:?}");
    failed.complains(&["has no answer after the fork", "its program could not be started: No such file or directory"]);
}

#[test]
fn live_server_can_send_requests_to_the_host() {
    let calls = ["get_order=A-17", "refund=A-18"];
    let suite = recorded(&calls);
    let until = call(&suite, "A-17");
    let line =
        ["replay", "r.jsonl", "--timeout", "60s", "--until", &until, "--then", "live", "--", "python3", "host.py"];
    let done = ran(&suite, suite.command(&[&line[..], &calls, &SERVER].concat()).env("ANSWER", "decline"));
    assert_eq!((done.code, starts(&suite)), (Some(0), 2), "{done:?}");
    assert!(done.stdout.contains("server: elicitation/create"), "{done:?}");
    assert!(done.stdout.contains("refund the user said decline"), "{done:?}");
    let line = [&["replay", FORK, "--strict", "--", "python3", "host.py"][..], &calls, &SERVER].concat();
    let again = ran(&suite, suite.command(&line).env("ANSWER", "decline"));
    assert_eq!((again.code, starts(&suite)), (Some(0), 2), "{again:?}");
}

#[test]
fn reply_to_recorded_request_never_reaches_live_server() {
    // The fork is directly after the call during which the server asks, so that the host's answer comes after the fork.
    let calls = ["refund=A-17", "get_order=A-18"];
    let suite = recorded(&calls);
    let done = forked(&suite, &call(&suite, "\"refund\""), "live", &calls);
    assert_eq!((done.code, starts(&suite)), (Some(0), 2), "{done:?}");
    assert!(done.stdout.contains("refund the user said accept"), "{done:?}");
    assert!(done.stdout.contains("get_order A-18 is found"), "{done:?}");
    done.complains(&["then 1 call to the live world\n"]);
    let line = [&["replay", FORK, "--strict", "--", "python3", "host.py"][..], &calls, &SERVER].concat();
    let again = ran(&suite, &mut suite.command(&line));
    assert_eq!((again.code, starts(&suite)), (Some(0), 2), "{again:?}");
}

#[test]
fn script_does_not_start_the_server() {
    let calls = ["get_order=A-17", "get_order=A-18"];
    let suite = recorded(&calls).file("script.yaml", "rules: [{ when: { turn: 1 }, reply: Never. }]\n");
    let done = forked(&suite, &call(&suite, "A-17"), "script.yaml", &calls);
    assert_eq!((done.code, starts(&suite)), (Some(0), 1), "{done:?}");
    assert!(done.stdout.contains("A-18 is late"), "{done:?}");
    let missed = forked(&suite, &call(&suite, "A-17"), "script.yaml", &["get_order=A-17", "slow"]);
    assert_eq!((missed.code, starts(&suite)), (Some(1), 1), "{missed:?}");
    missed.complains(&["has no answer after the fork", "need `--then live`"]);
}

#[test]
fn server_started_by_agent_after_fork_is_recorded() {
    let suite = shop();
    fs::copy(suite.path("server.py"), suite.path("other.py")).unwrap();
    let both =
        "python3 host.py get_order=A-17 -- python3 server.py && python3 host.py get_order=A-18 -- python3 other.py";
    let done = ran(&suite, &mut suite.command(&["record", "-o", "r.jsonl", "--", "sh", "-c", both]));
    assert_eq!((done.code, starts(&suite)), (Some(0), 2), "{done:?}");
    fs::write(suite.path("orders.json"), r#"{"A-17": "A-17 is lost", "A-18": "A-18 is found"}"#).unwrap();
    let until = call(&suite, "A-17");
    let line = ["replay", "r.jsonl", "--timeout", "60s", "--until", &until, "--then", "live", "--", "sh", "-c", both];
    let done = ran(&suite, &mut suite.command(&line));
    assert_eq!((done.code, starts(&suite)), (Some(0), 3), "{done:?}");
    assert!(done.stdout.contains("A-17 is shipped") && done.stdout.contains("A-18 is found"), "{done:?}");
    done.complains(&["then 3 calls to the live world\n"]);
    assert!(!done.stderr.contains("was started at the fork"), "{done:?}");
}

#[test]
fn concurrent_calls_may_arrive_in_any_order() {
    // Both calls are in the pipe before the first answer is read.
    let agent = r#"
import json, subprocess, sys
server = subprocess.Popen(["python3", "server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def say(*messages):
    server.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages))
    server.stdin.flush()
def heard(number):
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == number: return message["result"]
params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
say({"id": 0, "method": "initialize", "params": params})
heard(0)
say({"method": "notifications/initialized"})
orders = open("first").read().split()
asks = [(order, {"name": "get_order", "arguments": {"order": order}}) for order in orders]
say(*({"id": order, "method": "tools/call", "params": params} for order, params in asks))
answers = {}
while len(answers) < 2:
    message = json.loads(server.stdout.readline())
    if "result" in message: answers[message["id"]] = message["result"]["content"][0]["text"]
print(answers["A-17"], answers["A-18"], sep="\n")
server.stdin.close()
server.wait(timeout=20)
"#;
    let suite = shop().file("agent.py", agent).file("first", "A-17 A-18");
    let done = ran(&suite, &mut suite.command(&["record", "-o", "r.jsonl", "--", "python3", "agent.py"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    fs::write(suite.path("orders.json"), r#"{"A-17": "A-17 is lost", "A-18": "A-18 is found"}"#).unwrap();
    fs::write(suite.path("first"), "A-18 A-17").unwrap();
    let until = call(&suite, "A-17");
    let line = ["replay", "r.jsonl", "--timeout", "60s", "--until", &until, "--then", "live"];
    let done = ran(&suite, &mut suite.command(&line));
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "A-17 is shipped\nA-18 is found\n"), "{done:?}");
    done.complains(&["then 1 call to the live world\n"]);
}
