//! The effect of a failed check on the rest of its case, and of a failed case on the rest of the run.

use agentci_drivers::DriveError;
use agentci_drivers::testing::{FakeScript, ScriptedStep, script};
use agentci_verdict::{CaseStatus, Cause};

use crate::run::{Bench, Ran, TALKER};

/// Two turns, the first of which fails its first check; one check of the whole case fails too.
async fn stopped(rule: &str) -> Ran {
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say("one")], vec![ScriptedStep::say("two")]]));
    let case = format!(
        "  - {{ id: a, stop: {rule}, turns: [{{ user: hi, checks: [{{ contains: wrong }}, {{ contains: one }}] }}, \
         {{ user: more, checks: [{{ contains: two }}] }}], checks: [{{ contains: two }}, {{ matches: wrong }}, {{ contains: two }}] }}\n"
    );
    Bench::new(TALKER, &case).run().await
}

#[tokio::test(start_paused = true)]
async fn runs_no_further_turn_after_failed_turn() {
    let ran = stopped("first_failed_turn").await;
    assert_eq!(ran.effects_of(&["turn"]), ["turn 0 of a/1"]);
    let skipped = ["contains NotEvaluated", "matches NotEvaluated", "contains NotEvaluated"];
    assert_eq!(ran.checks(), [&["contains Failed", "contains Passed"][..], &skipped].concat());
    assert_eq!((ran.end("a").cause, ran.end("a").assertions.failed), (Some(Cause::Check), 1));
}

#[tokio::test(start_paused = true)]
async fn stop_never_runs_all_turns_and_checks() {
    let ran = stopped("never").await;
    assert_eq!(ran.effects_of(&["turn"]).len(), 2);
    let all = [
        "contains Failed",
        "contains Passed",
        "contains Passed",
        "contains Passed",
        "matches Failed",
        "contains Passed",
    ];
    assert_eq!(ran.checks(), all);
    assert_eq!(ran.end("a").assertions.failed, 2);
}

#[tokio::test(start_paused = true)]
async fn stop_at_first_failure_skips_remaining_checks() {
    let ran = stopped("first_failure").await;
    assert_eq!(ran.effects_of(&["turn"]), ["turn 0 of a/1"]);
    assert!(ran.checks()[1..].iter().all(|check| check.ends_with("NotEvaluated")), "{:?}", ran.checks());
    assert_eq!((ran.checks().len(), ran.end("a").assertions.failed), (5, 1));
}

/// An agent that gives up is not a failed check: the case stops, whatever the rule.
#[tokio::test(start_paused = true)]
async fn agent_error_ends_case_despite_stop_never() {
    script("a", |_| FakeScript::turns([vec![ScriptedStep::Fail(DriveError::AgentError("tired".into()))]]));
    let case = "  - { id: a, stop: never, turns: [{ user: hi }, { user: more }], checks: [{ contains: two }] }\n";
    let ran = Bench::new(TALKER, case).run().await;
    assert_eq!(ran.effects_of(&["turn"]), ["turn 0 of a/1"]);
    assert_eq!(ran.checks(), ["contains NotEvaluated"]);
}

#[tokio::test(start_paused = true)]
async fn fail_fast_starts_no_case_after_failed_case() {
    for id in ["a", "b", "c"] {
        script(id, move |_| FakeScript::turns([vec![ScriptedStep::say(id)]]));
    }
    let case =
        |id| format!("  - {{ id: {id}, turns: [{{ user: hi }}], checks: [{{ not: {{ contains: b }} }}], runs: 2 }}\n");
    let cases = ["a", "b", "c"].map(case).concat();
    let mut bench = Bench::new(TALKER, &cases);
    bench.fail_fast = true;
    let ran = bench.run().await;
    // A case that was started is run as often as configured.
    assert_eq!(ran.effects_of(&["open"]), ["open a/1", "open a/2", "open b/1", "open b/2"]);
    assert_eq!((ran.status, ran.run_end().not_run), (CaseStatus::Fail, 1));
    assert_eq!(Bench::new(TALKER, &cases).run().await.effects_of(&["open"]).len(), 6);
}

#[tokio::test(start_paused = true)]
async fn skipped_case_does_not_trigger_fail_fast() {
    script("b", |_| FakeScript::turns([vec![ScriptedStep::say("one")]]));
    let cases = "  - { id: a, skip: later, turns: [{ user: hi }] }\n  - { id: b, turns: [{ user: hi }], checks: [{ contains: one }] }\n";
    let mut bench = Bench::new(TALKER, cases);
    bench.fail_fast = true;
    let ran = bench.run().await;
    assert_eq!(ran.effects_of(&["open", "case_end"]), ["case_end of a/1", "open b/1", "case_end of b/1"]);
    assert_eq!(ran.end("a").status, CaseStatus::Skipped);
}
