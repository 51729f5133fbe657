//! When recordings are written, and what is replayed from them.

use std::fs;
use std::path::Path;

use agentci_drivers::DriveError;
use agentci_drivers::testing::{FakeScript, ScriptedStep, script};
use agentci_plan::Mode;
use agentci_verdict::Cause;
use serde_json::json;
use tempfile::TempDir;

use crate::run::{Bench, Ran, SERVER, WORKER};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Runs a server's case in record or replay mode; it sends one request and then performs these actions.
async fn conversation(folder: &Path, mode: Mode, check: &str, rest: impl Fn() -> Vec<ScriptedStep> + 'static) -> Ran {
    script("a", move |_| {
        let mut steps = vec![ScriptedStep::Exchange(json!({"ask": 1}), json!({"answer": "one"}))];
        steps.extend(rest());
        FakeScript::turns([steps])
    });
    let shared = format!("{SERVER}world: {{ recording: '{}/a.jsonl' }}\n", folder.display());
    let mut bench =
        Bench::new(&shared, &format!("  - {{ id: a, turns: [{{ user: hi }}], checks: [{{ contains: {check} }}] }}\n"));
    bench.mode = mode;
    bench.run().await
}

fn written(folder: &Path) -> Option<String> {
    fs::read_to_string(folder.join("a.jsonl")).ok()
}

#[tokio::test(start_paused = true)]
async fn records_and_replays_conversation() {
    let folder = folder();
    let ran = conversation(folder.path(), Mode::Record, "one", Vec::new).await;
    assert_eq!(ran.cause("a"), (None, vec![]));
    assert!(written(folder.path()).unwrap().contains("one"));
    let ran = conversation(folder.path(), Mode::Replay, "one", Vec::new).await;
    assert_eq!(ran.cause("a"), (None, vec![]));
    let end = ran.end("a");
    assert!(end.played.is_some() && end.replay.as_ref().unwrap().cassette_path.ends_with("a.jsonl"));
}

/// A failed check does not affect the recording.
#[tokio::test(start_paused = true)]
async fn keeps_conversation_with_failed_checks() {
    let folder = folder();
    let ran = conversation(folder.path(), Mode::Record, "two", Vec::new).await;
    assert_eq!(ran.end("a").cause, Some(Cause::Check));
    assert!(written(folder.path()).is_some());
}

#[tokio::test(start_paused = true)]
async fn keeps_failed_conversation_unless_a_recording_exists() {
    let folder = folder();
    let fails = || vec![ScriptedStep::Fail(DriveError::AgentError("tired".into()))];
    let ran = conversation(folder.path(), Mode::Record, "one", fails).await;
    assert_eq!(ran.end("a").cause, Some(Cause::AgentError));
    assert!(written(folder.path()).is_some());
    fs::write(folder.path().join("a.jsonl"), "the one before").unwrap();
    conversation(folder.path(), Mode::Record, "one", fails).await;
    assert_eq!(written(folder.path()).unwrap(), "the one before");
}

#[tokio::test(start_paused = true)]
async fn drops_conversation_of_unreachable_or_unsupported_agent() {
    let folder = folder();
    let unreachable = || vec![ScriptedStep::Fail(DriveError::NoServer("nobody is there".into()))];
    conversation(folder.path(), Mode::Record, "one", unreachable).await;
    assert_eq!(written(folder.path()), None);
    let config = || vec![ScriptedStep::Fail(DriveError::Unsupported("no".into()))];
    conversation(folder.path(), Mode::Record, "one", config).await;
    assert_eq!(written(folder.path()), None);
}

#[tokio::test(start_paused = true)]
async fn live_mode_keeps_no_conversation() {
    let folder = folder();
    conversation(folder.path(), Mode::Live, "one", Vec::new).await;
    assert_eq!(written(folder.path()), None);
}

struct Clerk;

impl agentci_stubs::Tool for Clerk {
    fn name(&self) -> &'static str {
        "find"
    }

    fn call(&self, _args: &serde_json::Value) -> Result<serde_json::Value, String> {
        Ok(json!({"found": 1}))
    }
}

/// Runs a case that calls a tool, with a cassette.
async fn cassette(folder: &Path, mode: Mode, rest: impl Fn() -> Vec<ScriptedStep> + 'static) -> Ran {
    script("a", move |_| {
        let mut steps = vec![ScriptedStep::call("find", json!({"q": 1}))];
        steps.extend(rest());
        FakeScript::turns([steps])
    });
    let tools = format!("{{ cassette: '{}/a.jsonl', allow: [find] }}", folder.display());
    let case = "  - { id: a, input: {}, checks: [{ tool_called: find }] }\n";
    let mut bench = Bench::new(&format!("{WORKER}world: {{ tools: {tools} }}\n"), case);
    bench.mode = mode;
    bench.tools = vec![std::sync::Arc::new(Clerk)];
    bench.run().await
}

#[tokio::test(start_paused = true)]
async fn keeps_cassette_of_finished_agent() {
    let folder = folder();
    let ends = || vec![ScriptedStep::result(json!({"done": true}))];
    let ran = cassette(folder.path(), Mode::Record, ends).await;
    assert_eq!(ran.cause("a"), (None, vec![]));
    assert!(written(folder.path()).unwrap().contains(r#""found":1"#));
    let ran = cassette(folder.path(), Mode::Replay, ends).await;
    assert_eq!(ran.cause("a"), (None, vec![]));
    assert!(ran.stored().contains(r#""found":1"#));
}

#[tokio::test(start_paused = true)]
async fn drops_cassette_of_failed_agent() {
    let folder = folder();
    let ran =
        cassette(folder.path(), Mode::Record, || vec![ScriptedStep::Fail(DriveError::AgentError("tired".into()))])
            .await;
    assert_eq!((ran.end("a").cause, written(folder.path())), (Some(Cause::AgentError), None));
}

#[tokio::test(start_paused = true)]
async fn call_missing_from_cassette_stops_the_agent() {
    let folder = folder();
    let lines = "{\"tool\":\"find\",\"args\":{\"q\":2},\"ok\":true,\"result\":1}\n";
    fs::write(folder.path().join("a.jsonl"), lines).unwrap();
    let ran = cassette(folder.path(), Mode::Replay, || vec![ScriptedStep::result(json!({}))]).await;
    assert_eq!(ran.end("a").cause, Some(Cause::ReplayMiss));
    assert_eq!(ran.effects_of(&["final_output", "close"]), ["close a/1"]);
}

#[tokio::test(start_paused = true)]
async fn reports_unused_cassette_lines() {
    let folder = folder();
    let line = |q| format!("{{\"tool\":\"find\",\"args\":{{\"q\":{q}}},\"ok\":true,\"result\":1}}\n");
    fs::write(folder.path().join("a.jsonl"), line(1) + &line(2)).unwrap();
    let ran = cassette(folder.path(), Mode::Replay, || vec![ScriptedStep::result(json!({"done": 1}))]).await;
    assert_eq!(ran.end("a").replay.as_ref().unwrap().unused_lines, [2]);
}
