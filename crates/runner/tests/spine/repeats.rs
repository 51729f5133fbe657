//! Cases that are run several times, and retries.

use agentci_drivers::DriveError;
use agentci_drivers::testing::{FakeScript, ScriptedStep, script};
use agentci_verdict::{Body, CaseStatus, Cause};

use crate::run::{Bench, TALKER};

#[tokio::test(start_paused = true)]
async fn each_run_opens_an_agent_and_stability_follows_last() {
    script("a", |attempt| FakeScript::turns([vec![ScriptedStep::say(if attempt == 2 { "two" } else { "one" })]]));
    let ran =
        Bench::new(TALKER, "  - { id: a, runs: 3, turns: [{ user: hi }], checks: [{ contains: one }] }\n").run().await;
    assert_eq!(
        ran.effects_of(&["open", "close", "case_end", "stability"]),
        [
            "open a/1",
            "close a/1",
            "case_end of a/1",
            "open a/2",
            "close a/2",
            "case_end of a/2",
            "open a/3",
            "close a/3",
            "case_end of a/3",
            "stability of a",
        ]
    );
    let passed: Vec<bool> = ran.ends("a").iter().map(|end| end.passed).collect();
    assert_eq!((ran.status, passed), (CaseStatus::Fail, vec![true, false, true]));
    let hashes: Vec<_> = ran.ends("a").iter().map(|end| end.output_hash.clone().unwrap()).collect();
    assert!(hashes[0] == hashes[2] && hashes[0] != hashes[1], "{hashes:?}");
}

/// Results of checks do not carry over to the next run.
#[tokio::test(start_paused = true)]
async fn warnings_do_not_carry_over_to_next_run() {
    script("a", |attempt| {
        let odd = agentci_trace::EventKind::Violation("odd".into());
        let first = if attempt == 1 { vec![ScriptedStep::Show(odd)] } else { Vec::new() };
        FakeScript::turns([first.into_iter().chain([ScriptedStep::say("one")]).collect()])
    });
    let ran =
        Bench::new(TALKER, "  - { id: a, runs: 2, turns: [{ user: hi }], checks: [{ contains: one }] }\n").run().await;
    let warnings: Vec<Vec<String>> = ran.ends("a").iter().map(|end| end.warnings.clone()).collect();
    assert_eq!(warnings, [vec!["odd".to_owned()], vec![]]);
}

#[tokio::test(start_paused = true)]
async fn retries_unreachable_agent_with_backoff() {
    let mut opened = 0;
    script("a", move |_| {
        opened += 1;
        if opened < 3 {
            return FakeScript::unreachable(DriveError::NoServer("nobody is there".into()));
        }
        FakeScript::turns([vec![ScriptedStep::say("one")]])
    });
    let mut bench = Bench::new(TALKER, "  - { id: a, turns: [{ user: hi }], checks: [{ contains: one }] }\n");
    bench.retries = 2;
    let begun = tokio::time::Instant::now();
    let ran = bench.run().await;
    assert_eq!((ran.status, ran.effects_of(&["open"]).len()), (CaseStatus::Pass, 3));
    // Half a second, then one second.
    assert_eq!(begun.elapsed().as_millis() / 100, 15);
    assert_eq!(ran.end("a").warnings.clone(), ["passed after 2 retries; the first try: nobody is there"]);
    let logs = ran.events.iter().filter(|event| matches!(event.body, Body::Log(_))).count();
    assert_eq!(logs, 2);
}

/// Failures of the agent itself are not retried.
#[tokio::test(start_paused = true)]
async fn does_not_retry_agent_error() {
    script("a", |_| FakeScript::turns([vec![ScriptedStep::Fail(DriveError::AgentError("tired".into()))]]));
    let mut bench = Bench::new(TALKER, "  - { id: a, turns: [{ user: hi }] }\n");
    bench.retries = 2;
    let ran = bench.run().await;
    assert_eq!((ran.end("a").cause, ran.effects_of(&["open"]).len()), (Some(Cause::AgentError), 1));
}

#[tokio::test(start_paused = true)]
async fn stopped_run_does_not_wait_for_retry() {
    let mut bench = Bench::new(TALKER, "  - { id: a, turns: [{ user: hi }] }\n");
    bench.retries = 2;
    let stopper = bench.stopper();
    script("a", move |_| {
        stopper.stop();
        FakeScript::unreachable(DriveError::NoServer("nobody is there".into()))
    });
    let ran = bench.run().await;
    assert_eq!((ran.end("a").cause, ran.effects_of(&["open"]).len()), (Some(Cause::Unreachable), 1));
}
