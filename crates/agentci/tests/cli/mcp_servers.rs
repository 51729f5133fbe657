//! MCP servers over standard input and output: recorded between a host and its server, and replayed without the server
//! program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::ran::Ran;
use crate::recorded_agent::ran;
use crate::suite::Suite;

const HOST: &str = include_str!("mcp_host.py");
const SERVER: &str = include_str!("mcp_server.py");
/// A key that must not appear in any output.
const KEY: &str = "tok-0123456789abcdefghij";

pub(crate) fn shop() -> Suite {
    Suite::empty()
        .file("host.py", HOST)
        .file("server.py", SERVER)
        .file("orders.json", r#"{"A-17": "A-17 is shipped", "A-18": "A-18 is late"}"#)
}

/// A copy of the folder without the server and its data.
fn elsewhere(suite: &Suite) -> Suite {
    let recording = fs::read_to_string(suite.path("r.jsonl")).unwrap();
    Suite::empty().file("host.py", HOST).file("r.jsonl", recording)
}

pub(crate) fn record(suite: &Suite, words: &[&str]) -> Ran {
    let line = [&["record", "-o", "r.jsonl", "--", "python3", "host.py"], words].concat();
    let recorded = ran(suite, &mut suite.command(&line));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    recorded
}

fn replay(suite: &Suite, words: &[&str]) -> Ran {
    let line = [&["replay", "r.jsonl", "--strict", "--", "python3", "host.py"], words].concat();
    ran(suite, &mut suite.command(&line))
}

/// How often the server was started.
pub(crate) fn starts(suite: &Suite) -> usize {
    fs::read_to_string(suite.path("started")).unwrap_or_default().lines().count()
}

/// Writes an executable file.
fn program(suite: &Suite, name: &str, text: &str) -> String {
    let path = suite.path(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn replays_recorded_server_without_its_program() {
    let suite = shop();
    let words = ["get_order=A-17", "slow", "get_order=A-18", "--", "python3", "server.py"];
    let recorded = record(&suite, &words);
    for said in ["'get_order'", "ready", "notifications/progress", "A-17 is shipped", "exit code 0"] {
        assert!(recorded.stdout.contains(said), "{recorded:?}");
    }
    recorded.complains(&["recorded stdio:python server.py  5 calls"]);
    let fresh = elsewhere(&suite);
    let replayed = replay(&fresh, &words);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
    replayed.complains(&["5 of 5 answered"]);
    assert_eq!((starts(&suite), starts(&fresh)), (1, 0));
    // Requests still match with other message ids and another version of the host's library.
    let line = [&["replay", "r.jsonl", "--strict", "--", "python3", "host.py"][..], &words[..]].concat();
    let other = ran(&fresh, fresh.command(&line).env("FIRST_ID", "40").env("CLIENT_VERSION", "2"));
    assert_eq!(other.code, Some(0), "{other:?}");
    assert!(other.stdout.contains(r#"{"progressToken": 43, "progress": 2}"#), "{other:?}");
    assert!(other.stdout.contains("get_order A-18 is late"), "{other:?}");
}

#[test]
fn unrecorded_call_fails_even_if_the_host_ignores_it() {
    let suite = shop();
    record(&suite, &["get_order=A-17", "--", "python3", "server.py"]);
    let fresh = elsewhere(&suite);
    for (calls, words) in [
        (&["get_order=A-18"][..], &["/params/arguments/order", "A-17", "A-18"][..]),
        (&["slow=A-17"], &["/params/name", "get_order", "slow"]),
        (&["get_order=A-17", "get_order=A-17"], &["sent more times than it was recorded"]),
        (&[], &["1 of 3 recorded calls was not made: "]),
    ] {
        let missed = replay(&fresh, &[calls, &["--", "python3", "server.py"]].concat());
        assert_eq!(missed.code, Some(1), "{calls:?}: {missed:?}");
        missed.complains(words);
    }
    assert_eq!(starts(&fresh), 0);
}

#[test]
fn unrecorded_server_is_stopped_without_a_response() {
    let suite = shop();
    record(&suite, &["get_order=A-17", "--", "python3", "server.py"]);
    fs::copy(suite.path("server.py"), suite.path("other.py")).unwrap();
    let missed = replay(&suite, &["get_order=A-17", "--", "python3", "other.py"]);
    assert_eq!(missed.code, Some(1), "{missed:?}");
    missed.complains(&["initialize stdio:python other.py", "the nearest is initialize stdio:python server.py"]);
    assert!(!missed.stdout.contains("shipped"), "{missed:?}");
}

#[test]
fn server_is_recorded_once_however_it_is_started() {
    let suite = shop();
    let script = program(&suite, "server", &format!("#!/usr/bin/env python3\n{SERVER}"));
    let wrapper = program(&suite, "wrapper", "#!/bin/sh\nexec python3 server.py\n");
    let starter = program(&suite, "starter", "#!/bin/sh\npython3 server.py\n");
    let python = find("python3");
    let ways: [&[&str]; 6] = [
        &["python3", "server.py"],
        &[&python, "server.py"],
        &[&script],
        &[&wrapper],
        &[&starter],
        &["sh", "-c", "python3 server.py"],
    ];
    for way in ways {
        let _ = fs::remove_file(suite.path("r.jsonl"));
        let words = [&["get_order=A-17", "--"], way].concat();
        let recorded = record(&suite, &words);
        recorded.complains(&["3 calls"]);
        let before = starts(&suite);
        let replayed = replay(&suite, &words);
        assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{way:?}: {replayed:?}");
        assert_eq!(starts(&suite), before, "{way:?}");
    }
}

fn find(name: &str) -> String {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file());
    found.unwrap().display().to_string()
}

#[test]
fn replay_awaits_and_compares_responses_of_the_host() {
    let suite = shop();
    let words = ["refund=A-17", "--", "python3", "server.py"];
    let recorded = record(&suite, &words);
    assert!(recorded.stdout.contains("refund the user said accept"), "{recorded:?}");
    let fresh = elsewhere(&suite);
    let replayed = replay(&fresh, &words);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
    let line = [&["replay", "r.jsonl", "--", "python3", "host.py"][..], &words[..]].concat();
    let changed = ran(&fresh, fresh.command(&line).env("ANSWER", "decline"));
    assert_eq!(changed.code, Some(1), "{changed:?}");
    changed.complains(&["reply stdio:python server.py", "/result/action", "accept", "decline"]);
}

#[test]
fn server_exit_during_call_is_replayed() {
    let suite = shop();
    let words = ["get_order=A-17", "crash", "--", "python3", "server.py"];
    let recorded = record(&suite, &words);
    assert!(recorded.stdout.ends_with("the server is gone\n"), "{recorded:?}");
    let replayed = replay(&elsewhere(&suite), &words);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
}

#[test]
fn agent_started_through_a_shim_still_uses_shims() {
    let suite = shop();
    // The agent itself uses pipes, but is not a server.
    let script = "echo hi | python3 host.py get_order=A-17 -- python3 server.py | cat";
    let recorded = ran(&suite, &mut suite.command(&["record", "-o", "r.jsonl", "--", "sh", "-c", script]));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    recorded.complains(&["recorded stdio:python server.py  3 calls"]);
    let fresh = elsewhere(&suite);
    let replayed = ran(&fresh, &mut fresh.command(&["replay", "r.jsonl", "--strict"]));
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
    assert_eq!(starts(&fresh), 0);
}

#[test]
fn warns_about_mcp_server_that_was_not_recorded() {
    let agent = r#"
import json, sys, urllib.request
tools = [{"name": "mcp__orders__get_order"}, {"name": "Bash"}] if len(sys.argv) > 1 else []
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools}).encode()
request = urllib.request.Request(open("base").read() + "/v1/messages", body, {"content-type": "application/json"})
try: urllib.request.urlopen(request).read()
except Exception: pass
"#;
    let upstream = crate::upstream::Upstream::start();
    let suite = crate::recorded_agent::shop(&upstream).file("agent.py", agent);
    let recorded = ran(&suite, &mut suite.command(&["record", "-o", "r.jsonl", "--", "python3", "agent.py", "mcp"]));
    recorded.complains(&["the tools of the MCP server orders, which was not recorded", "`agentci tap --`"]);
    let replayed = ran(&suite, &mut suite.command(&["replay", "r.jsonl"]));
    replayed.complains(&["the tools of the MCP server orders, which was not recorded"]);
    let without = ran(&suite, &mut suite.command(&["record", "-o", "s.jsonl", "--", "python3", "agent.py"]));
    assert!(!without.stderr.contains("MCP server"), "{without:?}");
}

#[test]
fn replay_does_not_expect_requests_sent_by_the_server() {
    let upstream = crate::upstream::Upstream::start();
    let suite = shop().file("base", &upstream.url);
    let words = ["remote", "nested", "get_order=A-17", "--", "python3", "server.py"];
    let line = [&["record", "-o", "r.jsonl", "--", "python3", "host.py"][..], &words[..]].concat();
    let recorded = ran(&suite, suite.command(&line).env("WHOLE_ENVIRONMENT", "1"));
    assert_eq!((recorded.code, upstream.asked(), starts(&suite)), (Some(0), 1, 2), "{recorded:?}");
    assert!(recorded.stdout.contains("remote status 200"), "{recorded:?}");
    recorded.complains(&["recorded stdio:python server.py  5 calls"]);
    let replayed = replay(&elsewhere(&suite), &words);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
    assert_eq!(upstream.asked(), 1);
}

#[test]
fn recording_contains_no_secrets_of_the_server() {
    let suite = shop();
    let words = ["key", "--", "python3", "server.py", "--api-key", "another-secret-of-ours"];
    let line = [&["record", "-o", "r.jsonl", "--", "python3", "host.py"][..], &words[..]].concat();
    let recorded = ran(&suite, suite.command(&line).env("FOR_SHOP_TOKEN", KEY));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    assert!(recorded.stdout.contains(KEY), "{recorded:?}");
    let text = fs::read_to_string(suite.path("r.jsonl")).unwrap();
    for secret in [KEY, "another-secret-of-ours"] {
        assert!(!text.contains(secret) && !recorded.stderr.contains(secret), "{text}");
    }
    let replayed = replay(&elsewhere(&suite), &words);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
}

#[test]
fn other_programs_behave_the_same_under_the_recorder() {
    let agent = r#"
import asyncio, signal, subprocess, sys
echo = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data); sys.exit(len(data) % 7)"
for python in ("python3", sys.executable):
    data = bytes(range(256)) * 20000
    done = subprocess.run([python, "-c", echo], input=data, stdout=subprocess.PIPE)
    print(done.stdout == data, done.returncode == len(data) % 7, done.args[0] == python)
    json = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}\n'
    print(subprocess.run([python, "-c", echo], input=json, stdout=subprocess.PIPE).stdout == json)
    # It speaks first, and waits for what has no end of a line.
    talks = "import sys; print('who?', flush=True); print('hello ' + sys.stdin.read(3), flush=True)"
    child = subprocess.Popen([python, "-c", talks], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(child.stdout.readline().strip())
    child.stdin.write("you"); child.stdin.flush()
    print(child.stdout.readline().strip(), child.wait(timeout=20))
    child = subprocess.Popen([python, "-c", "import time; print(1, flush=True); time.sleep(60)"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    print(child.wait(timeout=20) in (-15, 143))
for missing in ("no-such-program", "/no/such/program"):
    try: subprocess.Popen([missing], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except FileNotFoundError as error: print(error.filename)
async def main():
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", echo, stdin=pipe, stdout=pipe)
    print((await child.communicate(b"async"))[0])
asyncio.run(main())
import urllib.request
print(urllib.request.urlopen(open("base").read() + "/x").status)
"#;
    let upstream = crate::upstream::Upstream::start();
    let suite = crate::recorded_agent::shop(&upstream).file("agent.py", agent);
    let plain = std::process::Command::new("python3").arg("agent.py").current_dir(suite.path("")).output().unwrap();
    let plain = String::from_utf8(plain.stdout).unwrap();
    assert!(plain.ends_with("200\n") && !plain.contains("False"), "{plain}");
    let recorded = ran(&suite, &mut suite.command(&["record", "-o", "r.jsonl", "--", "python3", "agent.py"]));
    assert_eq!((recorded.code, &recorded.stdout), (Some(0), &plain), "{recorded:?}");
    let replayed = ran(&suite, &mut suite.command(&["replay", "r.jsonl"]));
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &plain), "{replayed:?}");
}

#[test]
fn tap_runs_server_unchanged_outside_a_recording() {
    let suite = shop();
    let agentci = env!("CARGO_BIN_EXE_agentci");
    let words = ["get_order=A-17", "--", agentci, "tap", "--", "python3", "server.py"];
    let host = [&["host.py"][..], &words[..]].concat();
    let plain = std::process::Command::new("python3").args(host).current_dir(suite.path("")).output().unwrap();
    assert!(String::from_utf8_lossy(&plain.stdout).contains("A-17 is shipped"), "{plain:?}");
    let recorded = record(&suite, &words);
    recorded.complains(&["recorded stdio:python server.py  3 calls"]);
    let replayed = replay(&elsewhere(&suite), &words);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
    let missing = ran(&suite, &mut suite.command(&["tap", "--", "no-such-program"]));
    assert_eq!(missing.code, Some(127), "{missing:?}");
    missing.complains(&["program `no-such-program` not found"]);
    assert_eq!(ran(&suite, &mut suite.command(&["tap"])).code, Some(2));
    let code = ran(&suite, &mut suite.command(&["tap", "--", "sh", "-c", "exit 5"]));
    assert_eq!(code.code, Some(5), "{code:?}");
}

#[test]
fn mcp_calls_of_suite_agent_are_recorded_and_checked() {
    let suite = shop().file(
        "agentci.yaml",
        "suite: shop\ntarget:\n  process: { speaks: text, command: [python3, host.py, \"${ENV.CALL:-get_order=A-17}\", \
         \"--\", python3, server.py] }\nworld: { recording: \"recordings/{case}.jsonl\" }\ncases:\n  - id: ship\n    \
         input: { question: x }\n    checks:\n      - tool_called: { name: get_order, args: { order: A-17 }, count: 1, \
         result_match: shipped }\n      - contains: shipped\n",
    );
    let recorded = ran(&suite, &mut suite.command(&["record"]));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let before = starts(&suite);
    fs::remove_file(suite.path("server.py")).unwrap();
    let green = ran(&suite, &mut suite.command(&["run"]));
    assert_eq!(green.code, Some(0), "{green:?}");
    assert_eq!(starts(&suite), before);
    let red = ran(&suite, suite.command(&["run"]).env("CALL", "get_order=A-18"));
    assert_eq!(red.code, Some(1), "{red:?}");
    assert!(format!("{}{}", red.stdout, red.stderr).contains("/params/arguments/order"), "{red:?}");
}
