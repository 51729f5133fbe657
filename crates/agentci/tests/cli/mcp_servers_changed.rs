//! Recorded MCP servers over standard input and output with injected faults, with changed answers, or served to others.

use std::fs;

use crate::mcp_servers::{record, shop};
use crate::recorded_agent::ran;

const SUITE: &str = r#"
suite: shop
target: { process: { speaks: text, command: [python3, host.py, "get_order=A-17", "--", python3, server.py] } }
world:
  recording: "recordings/{case}.jsonl"
  faults: [FAULT]
cases:
  - id: ship
    input: { question: x }
    checks: [{ contains: A-17 is shipped }]
"#;

#[test]
fn agent_that_retries_passes_despite_injected_tool_fault() {
    for (fault, trying, giving_up) in [
        ("{ tool: get_order, call: 1, error: the shop is closed }", 0, 1),
        ("{ tool: get_order, call: 1, delay: 200ms }", 0, 0),
        ("{ tool: get_order, call: 1, malformed: true }", 1, 1),
        ("{ tool: get_order, call: 1, truncated: true }", 1, 1),
    ] {
        let suite = shop().file("agentci.yaml", SUITE.replace("FAULT", fault));
        let recorded = ran(&suite, &mut suite.command(&["record"]));
        assert_eq!(recorded.code, Some(0), "{fault}: {recorded:?}");
        fs::remove_file(suite.path("server.py")).unwrap();
        let tried = ran(&suite, suite.command(&["run"]).env("RETRY", "1"));
        assert_eq!(tried.code, Some(trying), "{fault}: {tried:?}");
        let gave_up = ran(&suite, &mut suite.command(&["run"]));
        assert_eq!(gave_up.code, Some(giving_up), "{fault}: {gave_up:?}");
    }
}

#[test]
fn reports_fault_for_tool_that_is_never_called() {
    let suite = shop().file("agentci.yaml", SUITE.replace("FAULT", "{ tool: refund, call: 1, error: closed }"));
    assert_eq!(ran(&suite, &mut suite.command(&["record"])).code, Some(0));
    let never = ran(&suite, &mut suite.command(&["run"]));
    let told = format!("{}{}", never.stdout, never.stderr);
    assert!(told.contains("refund") && told.contains("never"), "{never:?}");
}

#[test]
fn fork_changes_a_single_response() {
    let suite = shop();
    let words = ["get_order=A-17", "get_order=A-18", "--", "python3", "server.py"];
    record(&suite, &words);
    let before = fs::read_to_string(suite.path("r.jsonl")).unwrap();
    // Messages that the server sends unprompted may be recorded as calls, so the call numbers vary.
    let last = before.lines().find(|line| line.contains("tools/call") && line.contains("A-18")).unwrap();
    let last = serde_json::from_str::<serde_json::Value>(last).unwrap()["id"].to_string();
    fs::remove_file(suite.path("server.py")).unwrap();
    let set = format!(r#"/calls/{last}/result/content/0/text="A-18 is lost""#);
    let line = ["replay", "r.jsonl", "--until", &last, "--then", "live", "--set", &set, "-o", "fork.jsonl"];
    let forked = ran(&suite, &mut suite.command(&line));
    assert_eq!(forked.code, Some(0), "{forked:?}");
    assert!(forked.stdout.contains("get_order A-17 is shipped\nget_order A-18 is lost\n"), "{forked:?}");
    assert_eq!(fs::read_to_string(suite.path("r.jsonl")).unwrap(), before);
    let different = ran(&suite, &mut suite.command(&["recording", "diff", "r.jsonl", "fork.jsonl"]));
    assert_eq!(different.code, Some(1), "{different:?}");
    assert!(different.stdout.contains(&format!("the first difference is at call {last}")), "{different:?}");
    // An agent that sends a different request before the fork does not reach it.
    let line = [&line[..6], &["-o", "lost.jsonl", "--", "python3", "host.py", "slow"], &words[2..]].concat();
    let astray = ran(&suite, &mut suite.command(&line));
    assert_eq!(astray.code, Some(1), "{astray:?}");
    astray.complains(&[&format!("the agent did not reach call {last} of r.jsonl as recorded")]);
    assert!(!suite.path("lost.jsonl").exists());
}

#[test]
fn recording_is_served_to_other_hosts() {
    let suite = shop();
    let recorded = record(&suite, &["get_order=A-17", "--", "python3", "server.py"]);
    fs::remove_file(suite.path("server.py")).unwrap();
    let agentci = env!("CARGO_BIN_EXE_agentci");
    let words = ["host.py", "get_order=A-17", "--", agentci, "serve", "mcp", "r.jsonl", "--stdio"];
    let served = std::process::Command::new("python3").args(words).current_dir(suite.path("")).output().unwrap();
    let said = String::from_utf8(served.stdout).unwrap();
    for line in ["['get_order', ", "get_order A-17 is shipped\n", "exit code 0\n"] {
        assert!(said.contains(line) && recorded.stdout.contains(line), "{said}");
    }
}
