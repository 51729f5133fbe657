//! Each limit ends the case as soon as it is exceeded, and the finding shows the usage.

use std::time::Duration;

use agentci_drivers::testing::{FakeScript, ScriptedStep, note, script};
use agentci_plan::Mode;
use agentci_trace::{EventKind, Usage};
use agentci_verdict::{CaseStatus, Cause};
use serde_json::{Value, json};

use crate::run::{Bench, Ran, SERVER, TALKER, WORKER};

/// A model call.
fn asks(request: Value) -> ScriptedStep {
    ScriptedStep::Show(EventKind::ModelCall { request: request.into(), response: json!({"choices": []}).into() })
}

fn uses(tokens_in: u64, tokens_out: u64, cost_usd: f64) -> ScriptedStep {
    let (tokens_in, tokens_out, cost_usd) = (Some(tokens_in), Some(tokens_out), Some(cost_usd));
    ScriptedStep::Show(EventKind::Usage(Usage { tokens_in, tokens_out, cost_usd }))
}

fn never() -> ScriptedStep {
    ScriptedStep::Meanwhile(Box::new(|| note("went on")))
}

/// Runs a case with these limits; its agent performs these actions, and has a result if nothing stops it.
async fn limited(limits: &str, steps: impl Fn() -> Vec<ScriptedStep> + 'static) -> Ran {
    script("a", move |_| {
        let mut steps = steps();
        steps.extend([never(), ScriptedStep::result(json!({"done": true}))]);
        FakeScript::turns([steps])
    });
    let world = "world: { model: { script: model.yaml }, tools: { scripted: { find: { reply: 1 }, pay: { error: no money } } } }\n";
    let case =
        format!("  - {{ id: a, input: {{}}, limits: {{ {limits} }}, checks: [{{ required_fields: [done] }}] }}\n");
    Bench::new(&format!("{WORKER}{world}"), &case).with("model.yaml", "default: Fine.\n").run().await
}

#[track_caller]
fn stopped(ran: &Ran, message: &str) {
    assert_eq!(ran.cause("a"), (Some(Cause::Limit), vec![message]));
    assert_eq!(ran.effects_of(&["went", "close"]), ["close a/1"]);
    assert_eq!((ran.status, ran.checks()), (CaseStatus::Fail, vec!["required_fields NotEvaluated".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn usage_equal_to_the_limit_passes() {
    let limits = "tool_calls: 2, tool_errors: 1, model_calls: 1, tokens_in: 10, tokens_out: 5, cost_usd: 0.5";
    let ran = limited(limits, || {
        vec![
            ScriptedStep::call("find", json!({})),
            ScriptedStep::call("pay", json!({})),
            asks(json!({"n": 1})),
            uses(10, 5, 0.5),
        ]
    })
    .await;
    assert_eq!(ran.cause("a"), (None, vec![]));
    assert_eq!(ran.effects_of(&["went"]), ["went on"]);
}

#[tokio::test(start_paused = true)]
async fn tool_calls() {
    let ran = limited("tool_calls: 1", || (0..2).map(|n| ScriptedStep::call("find", json!({"n": n}))).collect()).await;
    stopped(&ran, "budget exceeded: tool_calls limit=1 actual=2");
    // The call that exceeds the limit is not answered.
    assert_eq!(ran.effects_of(&["tool_call", "tool_result"]).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn tool_errors() {
    let ran =
        limited("tool_errors: 0", || vec![ScriptedStep::call("find", json!({})), ScriptedStep::call("pay", json!({}))])
            .await;
    stopped(&ran, "budget exceeded: tool_errors limit=0 actual=1");
    assert_eq!(ran.end("a").findings[0].label, "1 call failed: pay");
}

#[tokio::test(start_paused = true)]
async fn model_calls() {
    let ran = limited("model_calls: 1", || vec![asks(json!({"n": 1})), asks(json!({"n": 2}))]).await;
    stopped(&ran, "budget exceeded: model_calls limit=1 actual=2");
}

#[tokio::test(start_paused = true)]
async fn tokens_and_cost_accumulate() {
    let twice = || vec![uses(10, 5, 0.5), uses(10, 5, 0.5)];
    stopped(&limited("tokens_in: 19", twice).await, "budget exceeded: tokens_in limit=19 actual=20");
    stopped(&limited("tokens_out: 9", twice).await, "budget exceeded: tokens_out limit=9 actual=10");
    stopped(&limited("cost_usd: 0.75", twice).await, "budget exceeded: cost_usd limit=0.75 actual=1");
}

#[tokio::test(start_paused = true)]
async fn wall_time() {
    let ran = limited("wall: 20s", || vec![ScriptedStep::Wait(Duration::from_secs(19)), ScriptedStep::Hang]).await;
    let (cause, messages) = ran.cause("a");
    assert_eq!(cause, Some(Cause::Limit));
    assert!(messages[0].starts_with("budget exceeded: wall limit=20000 actual=200"), "{messages:?}");
    assert_eq!(ran.end("a").findings[0].label, "the agent did not finish in time");
    assert_eq!(ran.effects_of(&["went", "close"]), ["close a/1"]);
}

#[tokio::test(start_paused = true)]
async fn reports_only_the_first_exceeded_limit() {
    let limits = "tool_calls: 0, tool_errors: 0";
    stopped(
        &limited(limits, || vec![ScriptedStep::call("pay", json!({}))]).await,
        "budget exceeded: tool_calls limit=0 actual=1",
    );
}

#[tokio::test(start_paused = true)]
async fn refuses_tool_that_is_not_allowed() {
    script("a", |_| {
        FakeScript::turns([vec![
            ScriptedStep::call("find", json!({})),
            ScriptedStep::call("drop_all", json!({})),
            never(),
        ]])
    });
    let world = "world: { tools: { allow: [find], scripted: { find: { reply: 1 } } } }\n";
    let ran = Bench::new(&format!("{WORKER}{world}"), "  - { id: a, input: {}, checks: [{ tool_called: find }] }\n");
    let ran = ran.run().await;
    assert_eq!(ran.cause("a"), (Some(Cause::ToolNotAllowed), vec!["tool not allowed: drop_all. Allowed tools: find"]));
    assert_eq!(ran.effects_of(&["went", "close"]), ["close a/1"]);
}

/// The limit of a turn starts with the turn.
#[tokio::test(start_paused = true)]
async fn turns_have_separate_limits() {
    let slow = |seconds| vec![ScriptedStep::Wait(Duration::from_secs(seconds)), ScriptedStep::say("hi")];
    script("a", move |_| FakeScript::turns([slow(9), slow(9), slow(11)]));
    let turn = "{ user: hi, limits: { wall: 10s } }";
    let case = format!("  - {{ id: a, turns: [{turn}, {turn}, {turn}, {turn}], checks: [{{ contains: hi }}] }}\n");
    let mut bench = Bench::new(SERVER, &case);
    bench.mode = Mode::Live;
    let ran = bench.run().await;
    assert_eq!(ran.end("a").cause, Some(Cause::Limit));
    assert_eq!(ran.end("a").findings[0].turn, Some(2));
    assert_eq!(ran.effects_of(&["turn"]).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn cases_and_runs_have_a_timeout() {
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say("hi"), ScriptedStep::Hang]]));
    let case = "  - { id: a, turns: [{ user: hi }], checks: [{ contains: hi }], timeout: 7s }\n";
    let ran = Bench::new(TALKER, case).run().await;
    assert_eq!(ran.cause("a"), (Some(Cause::Timeout), vec!["the agent did not finish within 7s"]));
    let mut bench = Bench::new(TALKER, case);
    bench.timeout = Some(Duration::from_secs(3));
    assert_eq!(bench.run().await.cause("a"), (Some(Cause::Timeout), vec!["the agent did not finish within 3s"]));
}

#[tokio::test(start_paused = true)]
async fn suite_starts_no_case_after_its_timeout() {
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say("hi"), ScriptedStep::Wait(Duration::from_secs(4))]]));
    script("b", |_| FakeScript::turns([vec![ScriptedStep::say("hi"), ScriptedStep::Wait(Duration::from_secs(4))]]));
    script("c", |_| FakeScript::default());
    let case = |id| format!("  - {{ id: {id}, turns: [{{ user: hi }}], checks: [{{ contains: hi }}] }}\n");
    let mut bench = Bench::new(TALKER, &["a", "b", "c"].map(case).concat());
    bench.suite_timeout = Some(Duration::from_secs(6));
    let ran = bench.run().await;
    assert_eq!(ran.end("a").cause, None);
    for late in ["b", "c"] {
        assert_eq!(ran.cause(late), (Some(Cause::Timeout), vec!["the suite did not finish within 6s"]));
    }
    assert_eq!(ran.effects_of(&["open"]), ["open a/1", "open b/1"]);
}
