//! Runs that are stopped by a signal.

use std::process::Stdio;
use std::time::Instant;

use crate::processes::{TELL, is_gone, signal, told, wait_for};
use crate::ran::{Ran, read_events, run_folders};
use crate::suite::Suite;

/// Starts a run, waits until the agent reports its process id, sends a signal to `agentci` alone and waits for it to
/// end.
fn stopped_by(suite: &Suite, name: &str) -> Ran {
    let child = suite
        .command(&["run", "suite", "--parallel", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    told(&suite.path("agent.pid"));
    let started = Instant::now();
    assert!(signal(child.id(), name));
    let output = child.wait_with_output().unwrap();
    suite.ran(&output, started.elapsed())
}

fn hanging() -> Suite {
    // When the signal arrives, one case has ended, two are running, and one has not started.
    let hang = format!("{TELL}while [ ! -e first ]; do sleep 0.05; done\ntell agent.pid $$\nsleep 600");
    let cases = "cases:\n  - { id: first, input: {} }\n  - { id: hangs, input: {} }\n  - { id: also, input: {} }\n  - { id: last, input: {} }\n";
    Suite::native(cases)
        .agent("first", "echo > first; finish '{\"ok\":true}'")
        .agent("hangs", &hang)
        .agent("also", "sleep 600")
        .agent("last", "echo > last; finish '{}'")
}

#[test]
fn interrupt_stops_agents_and_writes_partial_results() {
    for name in ["INT", "TERM", "HUP"] {
        let suite = hanging();
        let ran = stopped_by(&suite, name);
        assert_eq!(ran.code, Some(130), "{name} {ran:?}");
        ran.ended_soon_after(0);
        assert!(is_gone(told(&suite.path("agent.pid"))));
        assert!(!suite.path("last").exists());
        let statuses: Vec<_> = ran.verdicts().into_iter().map(|(id, status, _)| (id, status)).collect();
        let passed = ("first".to_owned(), "pass".to_owned());
        let stopped = ("hangs".to_owned(), "error".to_owned());
        assert!(statuses.contains(&passed) && statuses.contains(&stopped), "{statuses:?}");
        assert_eq!(ran.case("hangs")["cause"], "interrupted");
        assert!(ran.junit_case("hangs").contains("type=\"interrupted\""));
        ran.says(&["; stopped: interrupted", "artifacts: "]);
        assert_eq!(ran.events().last().unwrap()["type"], "run_end");
    }
}

/// A mock never waits, so the run would never yield.
#[test]
fn interrupt_stops_run_that_never_yields() {
    let case = |number| format!("  - {{ id: c{number}, input: {{ q: 1 }} }}\n");
    let cases = (0..10_000).map(case).collect::<Vec<_>>().concat();
    let suite = Suite::empty().file(
        "suite/agentci.yaml",
        format!("suite: suite\ntarget: {{ mock: {{ model_name: m }} }}\nchecks: [contains: mock]\ncases:\n{cases}"),
    );
    let child = suite.command(&["run", "suite"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let record = || run_folders(&suite.path(".agentci/runs")).pop().filter(|folder| folder.join("run.jsonl").exists());
    assert!(wait_for(record).is_some());
    assert!(signal(child.id(), "INT"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn interrupt_kills_agent_that_ignores_signals() {
    let script = format!("trap '' INT TERM HUP\n{TELL}tell agent.pid $$\nwhile :; do sleep 1; done");
    let suite = Suite::new().case("stubborn", "", &script);
    let ran = stopped_by(&suite, "INT");
    assert_eq!(ran.code, Some(130));
    ran.ended_soon_after(0);
    assert!(is_gone(told(&suite.path("agent.pid"))));
}

#[test]
fn interrupt_stops_running_hook() {
    let hook = "echo $$ > agent.pid.new; mv agent.pid.new agent.pid; exec sleep 20";
    let cases = format!("cases:\n  - id: hooked\n    input: {{}}\n    hooks: [{{ command: [sh, -c, \"{hook}\"] }}]\n");
    let suite = Suite::native(&cases).agent("hooked", "finish '{}'");
    let ran = stopped_by(&suite, "INT");
    assert_eq!(ran.code, Some(130), "{ran:?}");
    ran.ended_soon_after(0);
    assert!(is_gone(told(&suite.path("agent.pid"))));
}

#[test]
fn interrupt_skips_later_suites() {
    let other =
        "suite: other\ntarget: { process: { command: [sh, ../suite/agent.sh] } }\ncases: [{ id: last, input: {} }]\n";
    let suite = hanging().file("zzz/agentci.yaml", other);
    let child = suite.command(&["run", "suite", "zzz"]).stdout(Stdio::piped()).spawn().unwrap();
    told(&suite.path("agent.pid"));
    assert!(signal(child.id(), "INT"));
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(!suite.path("last").exists());
}

#[test]
fn killed_run_keeps_earlier_events() {
    let tape = r#"{"tool":"search","args":{},"ok":true,"result":1}"#;
    let script = format!("{TELL}call search '{{}}'\ntell agent.pid $$\nsleep 600");
    let suite = Suite::new().case("calls", "", &script).tape("calls", tape);
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::null()).spawn().unwrap();
    let agent = told(&suite.path("agent.pid"));
    let folders = run_folders(&suite.path(".agentci/runs"));
    assert_eq!(folders.len(), 1);
    // The event is written once the run waits for the agent, which may be just after the agent got its answer.
    let journal = folders[0].join("run.jsonl");
    let written = wait_for(|| std::fs::read_to_string(&journal).ok().filter(|text| text.contains("tool_result")));
    assert!(written.is_some(), "{:?}", std::fs::read_to_string(&journal));
    assert!(signal(child.id(), "KILL"));
    child.wait().unwrap();
    let text = std::fs::read_to_string(&journal).unwrap();
    assert!(text.ends_with('\n'));
    let events = read_events(&journal);
    assert!(events.iter().any(|event| event["type"] == "tool_result" && event["case_id"] == "calls"), "{text}");
    assert!(!folders[0].join("summary.json").exists() && !folders[0].join("junit.xml").exists());
    assert!(wait_for(|| is_gone(agent).then_some(())).is_some());
}

#[test]
fn interrupt_does_not_wait_for_script_checks() {
    let check = "      - script: { file: loops.js, function: loops }\n";
    let cases = format!("cases:\n  - id: judged\n    input: {{}}\n    checks:\n{}", check.repeat(8));
    let suite = Suite::native(&cases)
        .agent("judged", &format!("{TELL}tell agent.pid $$\nfinish '{{}}'"))
        .file("suite/loops.js", "function loops() { for (;;); }");
    let ran = stopped_by(&suite, "INT");
    assert_eq!(ran.code, Some(130), "{ran:?}");
    ran.ended_soon_after(0);
    assert_eq!(ran.case("judged")["cause"], "interrupted");
}
