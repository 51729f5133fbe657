//! Cases that run concurrently.

use std::time::Duration;

use agentci_drivers::testing::{FakeScript, ScriptedStep, script};
use agentci_verdict::CaseStatus;

use crate::run::{Bench, Ran, TALKER};

/// Four cases that take 3, 1, 1 and 1 seconds.
async fn run(parallel: usize, fail_fast: bool) -> Ran {
    for (id, seconds) in [("a", 3), ("b", 1), ("c", 1), ("d", 1)] {
        script(id, move |_| {
            FakeScript::turns([vec![ScriptedStep::Wait(Duration::from_secs(seconds)), ScriptedStep::say(id)]])
        });
    }
    let case = |id| format!("  - {{ id: {id}, turns: [{{ user: hi }}], checks: [{{ not: {{ contains: b }} }}] }}\n");
    let mut bench = Bench::new(TALKER, &["a", "b", "c", "d"].map(case).concat());
    (bench.parallel, bench.fail_fast) = (parallel, fail_fast);
    bench.run().await
}

#[tokio::test(start_paused = true)]
async fn one_lane_runs_cases_sequentially() {
    let ran = run(1, false).await;
    assert_eq!(
        ran.effects_of(&["open", "close"]),
        ["open a/1", "close a/1", "open b/1", "close b/1", "open c/1", "close c/1", "open d/1", "close d/1"]
    );
}

#[tokio::test(start_paused = true)]
async fn idle_lane_takes_the_next_case() {
    let ran = run(2, false).await;
    assert_eq!(ran.effects_of(&["open"]), ["open a/1", "open b/1", "open c/1", "open d/1"]);
    let order: Vec<&str> = ran.effects_of(&["open", "case_end"]);
    assert_eq!(order[..5], ["open a/1", "open b/1", "case_end of b/1", "open c/1", "case_end of c/1"]);
    assert_eq!(ran.status, CaseStatus::Fail);
    // Each end has the position of its case, whatever finished first.
    let positions = ["a", "b", "c", "d"].map(|id| ran.end(id).index);
    assert_eq!(positions, [0, 1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn event_order_is_the_same_in_every_run() {
    let first = run(3, false).await.effects;
    for _ in 0..10 {
        assert_eq!(run(3, false).await.effects, first);
    }
}

#[tokio::test(start_paused = true)]
async fn number_of_lanes_is_limited() {
    let ran = run(3, false).await;
    let before: Vec<&str> =
        ran.effects_of(&["open", "close"]).into_iter().take_while(|effect| effect.starts_with("open")).collect();
    assert_eq!(before, ["open a/1", "open b/1", "open c/1"]);
}

/// A case that was started before the failure runs to its end.
#[tokio::test(start_paused = true)]
async fn failure_in_one_lane_prevents_new_cases_in_others() {
    let ran = run(2, true).await;
    assert_eq!(ran.effects_of(&["open"]), ["open a/1", "open b/1"]);
    assert_eq!((ran.end("a").passed, ran.run_end().not_run), (true, 2));
}
