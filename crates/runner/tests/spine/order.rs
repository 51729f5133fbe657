//! The order in which things are opened, asked and closed.

use std::time::Duration;

use agentci_drivers::DriveError;
use agentci_drivers::testing::{FakeScript, ScriptedStep, given, note, script};
use agentci_plan::Mode;
use agentci_verdict::{CaseStatus, Cause};
use serde_json::json;

use crate::run::{Bench, TALKER, WORKER};

#[tokio::test(start_paused = true)]
async fn case_opens_runs_turns_checks_and_closes_in_order() {
    let cases = "  - { id: a, turns: [{ user: hi, checks: [{ contains: one }] }, { user: more }], checks: [{ contains: two }] }\n";
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say("one")], vec![ScriptedStep::say("two")]]));
    let ran = Bench::new(TALKER, cases).run().await;
    assert_eq!(
        ran.effects,
        [
            "run_start",
            "open a/1",
            "turn 0 of a/1",
            "task_start of a/1",
            "text of a/1",
            "check of a/1",
            "turn 1 of a/1",
            "turn_start of a/1",
            "text of a/1",
            "close a/1",
            "trace_end of a/1",
            "check of a/1",
            "case_end of a/1",
            "run_end",
        ]
    );
    assert_eq!(ran.status, CaseStatus::Pass);
}

#[tokio::test(start_paused = true)]
async fn failed_agent_is_closed_and_its_stderr_is_kept() {
    script("a", |_| FakeScript {
        printed: vec!["oh no".into()],
        ..FakeScript::turns([vec![ScriptedStep::Fail(DriveError::AgentError("tired".into()))]])
    });
    let cases = "  - { id: a, turns: [{ user: hi }, { user: more }], checks: [{ contains: x }] }\n";
    let ran = Bench::new(TALKER, cases).run().await;
    assert_eq!(ran.effects_of(&["open", "turn", "close"]), ["open a/1", "turn 0 of a/1", "close a/1"]);
    assert_eq!(ran.cause("a"), (Some(Cause::AgentError), vec!["the agent reported an error: tired"]));
    assert_eq!(*ran.end("a").stderr_tail, ["oh no"]);
    assert_eq!(ran.checks(), ["contains NotEvaluated"]);
}

#[tokio::test(start_paused = true)]
async fn unreachable_agent_gets_no_turn_and_no_close() {
    script("a", |_| FakeScript::unreachable(DriveError::NoServer("nobody is there".into())));
    let ran = Bench::new(TALKER, "  - { id: a, turns: [{ user: hi }], checks: [{ contains: x }] }\n").run().await;
    assert_eq!(
        ran.effects,
        ["run_start", "open a/1", "trace_end of a/1", "check of a/1", "case_end of a/1", "run_end"]
    );
    assert_eq!(ran.end("a").cause, Some(Cause::Unreachable));
}

#[tokio::test(start_paused = true)]
async fn missing_variable_is_reported_before_the_agent_opens() {
    script("a", |_| FakeScript::default());
    let cases = "  - { id: a, turns: [{ user: '${NOT_SET}' }], checks: [{ contains: x }] }\n";
    let ran = Bench::new(TALKER, cases).run().await;
    assert_eq!(ran.effects, ["run_start", "case_end of a/1", "run_end"]);
    assert_eq!(ran.end("a").cause, Some(Cause::Config));
}

/// Each step prints its position; a hook is a program, so time is not paused.
#[tokio::test]
async fn hooks_run_before_the_agent_until_one_fails() {
    let hook = |line: &str| format!("{{ command: [sh, -c, '{line}'] }}");
    let fine = hook(r#"echo "{\"ORDER\": \"A-17\"}""#);
    let uses = r#"{ command: [sh, -c, 'test "$1" = A-17 && echo "{\"ORDER\": \"$1-2\"}"', sh, "${ORDER}"] }"#;
    let fails = hook("echo broken >&2; exit 3");
    let asks = "turns: [{ user: 'about ${ORDER}' }], checks: [{ contains: A-17-2 }]";
    let cases = format!(
        "  - {{ id: a, {asks}, hooks: [{fine}, {uses}] }}\n  - {{ id: b, {asks}, hooks: [{fine}, {fails}, {uses}] }}\n"
    );
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say("it is A-17-2")]]));
    script("b", |_| FakeScript::default());
    let ran = Bench::new(TALKER, &cases).run().await;
    assert_eq!(ran.end("a").cause, None);
    assert!(ran.stored().contains("about A-17-2"));
    let end = ran.end("b");
    assert_eq!((end.cause, &end.stderr_tail), (Some(Cause::Hook), &vec!["broken".to_owned()]));
    assert_eq!(ran.effects_of(&["open"]), ["open a/1"]);
}

struct Clerk;

impl agentci_stubs::Tool for Clerk {
    fn name(&self) -> &'static str {
        "look_up"
    }

    fn call(&self, args: &serde_json::Value) -> Result<serde_json::Value, String> {
        Ok(json!({ "found": args["order"] }))
    }
}

#[tokio::test(start_paused = true)]
async fn tool_runs_between_call_and_result() {
    script("a", |_| {
        FakeScript::turns([vec![
            ScriptedStep::call("look_up", json!({"order": "A-17"})),
            ScriptedStep::Wait(Duration::from_secs(3)),
            ScriptedStep::Meanwhile(Box::new(|| note("then"))),
            ScriptedStep::result(json!({"done": true})),
        ]])
    });
    let case = "  - { id: a, input: {}, checks: [{ tool_called: look_up }] }\n";
    let mut bench = Bench::new(&format!("{WORKER}world: {{ tools: {{ allow: [look_up] }} }}\n"), case);
    bench.mode = Mode::Live;
    bench.tools = vec![std::sync::Arc::new(Clerk)];
    let ran = bench.run().await;
    assert_eq!(ran.end("a").findings.len(), 0, "{:?}", ran.end("a").findings);
    let order = ran.effects_of(&["tool_call", "tool_result", "then", "final_output", "close", "check"]);
    assert_eq!(
        order,
        ["tool_call of a/1", "tool_result of a/1", "then", "final_output of a/1", "close a/1", "check of a/1"]
    );
    assert!(ran.stored().contains(r#""found":"A-17""#));
}

/// The tool is a program that writes a file when it is asked to exit.
#[tokio::test]
async fn agent_is_closed_before_its_model_and_tools() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let (looks, path) = (gone.clone(), gone.display().to_string());
    script("a", move |_| {
        let looks = looks.clone();
        let closing = move || {
            let address = given("OPENAI_BASE_URL").unwrap().replace("http://", "").replace("/v1", "");
            note(if std::net::TcpStream::connect(address).is_ok() { "model there" } else { "model gone" });
            note(if looks.exists() { "tool gone" } else { "tool there" });
        };
        let steps = vec![ScriptedStep::call("find", json!({})), ScriptedStep::result(json!({"done": true}))];
        FakeScript { closing: Some(Box::new(closing)), ..FakeScript::turns([steps]) }
    });
    let program = r#"read line; echo "{\"ok\":true,\"result\":1}"; read more; touch "$0""#;
    let live = format!("live: {{ find: {{ command: [sh, -c, '{program}', '{path}'], long_lived: true }} }}");
    let shared = format!("{WORKER}world: {{ model: {{ script: model.yaml, optional: true }}, tools: {{ {live} }} }}\n");
    let case = "  - { id: a, input: {}, checks: [{ tool_called: find }] }\n";
    let mut bench = Bench::new(&shared, case).with("model.yaml", "default: Fine.\n");
    bench.mode = Mode::Live;
    let ran = bench.run().await;
    assert_eq!(ran.end("a").findings.len(), 0, "{:?}", ran.end("a").findings);
    let order = ran.effects_of(&["close", "model", "tool", "case_end"]);
    assert_eq!(order, ["close a/1", "model there", "tool there", "case_end of a/1"]);
    assert!(gone.exists());
}
