//! A run that is stopped before, during and after a turn.

use agentci_drivers::testing::{FakeScript, ScriptedStep, note, script};
use agentci_verdict::{CaseStatus, Cause};

use crate::run::{Bench, TALKER};

const TWO: &str = "  - { id: a, turns: [{ user: hi, checks: [{ contains: one }] }, { user: more }], checks: [{ contains: one }] }\n  \
    - { id: b, turns: [{ user: hi }], checks: [{ contains: x }] }\n";

#[tokio::test(start_paused = true)]
async fn interruption_before_the_run_starts_no_case() {
    script("a", |_| FakeScript::default());
    let bench = Bench::new(TALKER, TWO);
    bench.stopper().stop();
    let ran = bench.run().await;
    assert_eq!(ran.effects, ["run_start", "run_end"]);
    assert_eq!((ran.run_end().not_run, ran.run_end().interrupted), (2, true));
}

/// The hook would take a minute; time is not paused, since it is a program.
#[tokio::test]
async fn interruption_in_a_hook_stops_it_without_opening_agent() {
    script("a", |_| FakeScript::default());
    let case = "  - { id: a, turns: [{ user: hi }], checks: [{ contains: x }], hooks: [{ command: [sleep, '60'], timeout: 2m }] }\n";
    let bench = Bench::new(TALKER, case);
    let stopper = bench.stopper();
    let (ran, ()) = tokio::join!(bench.run(), async move { stopper.stop() });
    assert_eq!(ran.cause("a"), (Some(Cause::Interrupted), vec!["the run was interrupted"]));
    assert_eq!(ran.effects, ["run_start", "case_end of a/1", "run_end"]);
}

#[tokio::test(start_paused = true)]
async fn interruption_while_opening_the_agent_starts_no_turn() {
    let bench = Bench::new(TALKER, TWO);
    let stopper = bench.stopper();
    script("a", move |_| {
        stopper.stop();
        FakeScript::turns([vec![ScriptedStep::Meanwhile(Box::new(|| note("went on")))]])
    });
    let ran = bench.run().await;
    assert_eq!(ran.cause("a"), (Some(Cause::Interrupted), vec!["the run was interrupted"]));
    assert_eq!(ran.effects_of(&["open", "turn", "went", "close"]), ["open a/1", "close a/1"]);
}

#[tokio::test(start_paused = true)]
async fn interruption_in_a_turn_closes_agent_without_checks() {
    let bench = Bench::new(TALKER, TWO);
    let stopper = bench.stopper();
    script("a", move |_| {
        let stopper = std::rc::Rc::clone(&stopper);
        FakeScript::turns([vec![
            ScriptedStep::say("one"),
            ScriptedStep::Meanwhile(Box::new(move || stopper.stop())),
            ScriptedStep::Hang,
        ]])
    });
    let ran = bench.run().await;
    assert_eq!(ran.cause("a"), (Some(Cause::Interrupted), vec!["the run was interrupted"]));
    assert_eq!(ran.effects_of(&["open", "turn", "close"]), ["open a/1", "turn 0 of a/1", "close a/1"]);
    assert_eq!(ran.checks(), ["contains NotEvaluated"]);
    assert_eq!((ran.status, ran.run_end().not_run), (CaseStatus::Error, 1));
}

/// The turn finished: it is judged, and the next one is not taken.
#[tokio::test(start_paused = true)]
async fn interruption_after_a_turn_runs_checks_and_skips_next() {
    let bench = Bench::new(TALKER, TWO);
    let stopper = bench.stopper();
    script("a", move |_| {
        let stopper = std::rc::Rc::clone(&stopper);
        FakeScript::turns([vec![ScriptedStep::say("one"), ScriptedStep::Meanwhile(Box::new(move || stopper.stop()))]])
    });
    let ran = bench.run().await;
    assert_eq!(ran.cause("a"), (Some(Cause::Interrupted), vec!["the run was interrupted"]));
    assert_eq!(ran.effects_of(&["turn", "close"]), ["turn 0 of a/1", "close a/1"]);
    assert_eq!(ran.checks(), ["contains Passed", "contains NotEvaluated"]);
}

#[tokio::test(start_paused = true)]
async fn interruption_between_attempts_starts_no_new_attempt() {
    let bench = Bench::new(TALKER, "  - { id: a, turns: [{ user: hi }], checks: [{ contains: one }], runs: 3 }\n");
    let stopper = bench.stopper();
    script("a", move |attempt| {
        let stopper = std::rc::Rc::clone(&stopper);
        let stop = move || {
            if attempt == 2 {
                stopper.stop();
            }
        };
        FakeScript::turns([vec![ScriptedStep::say("one"), ScriptedStep::Meanwhile(Box::new(stop))]])
    });
    let ran = bench.run().await;
    assert_eq!(ran.effects_of(&["open"]), ["open a/1", "open a/2"]);
    assert_eq!(ran.ends("a").iter().map(|end| end.passed).collect::<Vec<_>>(), [true, true]);
}
