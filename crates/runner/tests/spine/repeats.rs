//! Cases that are run several times, and retries.

use agentci_drivers::DriveError;
use agentci_drivers::testing::{FakeScript, ScriptedStep, script};
use agentci_plan::Mode;
use agentci_trace::{EventKind, Usage};
use agentci_verdict::{Baseline, Body, CaseEnd, CaseSample, CaseStatus, Cause, History, PastRun, Policy, Thresholds};

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

/// Repeats the case `a` until it is decided; `runs` has further keys of the suite's `runs`. In the history it passed
/// this many of 50 runs.
fn until_decided(runs: &str, history: u64) -> Bench {
    let shared = format!("{TALKER}runs: {{ until: decided{runs} }}\ngates: {{ no_regression: true }}\n");
    let mut bench = Bench::new(&shared, "  - { id: a, turns: [{ user: hi }], checks: [{ contains: one }] }\n");
    let sample = CaseSample { passes: history, runs: 50, ..CaseSample::default() };
    let run = PastRun { mode: "live".into(), cases: [("a".to_owned(), sample)].into(), ..PastRun::default() };
    let baseline = Baseline { mode: "live".into(), history: History::new([run]), ..Baseline::default() };
    let thresholds = Thresholds { no_regression: Some(0.05), ..Thresholds::default() };
    bench.mode = Mode::Live;
    bench.policy = Some(Policy { thresholds, baseline: Some(Ok(baseline)), ..Policy::default() });
    bench
}

/// How often the case ran, and the planned number of runs that the end of each run names.
fn planned(ends: &[&CaseEnd]) -> (usize, Vec<u32>) {
    (ends.len(), ends.iter().map(|end| end.runs).collect())
}

fn always(answer: &'static str) {
    script("a", move |_| FakeScript::turns([vec![ScriptedStep::say(answer)]]));
}

#[tokio::test(start_paused = true)]
async fn solid_case_is_repeated_until_it_is_decided() {
    always("one");
    let ran = until_decided("", 50).run().await;
    assert_eq!(planned(&ran.ends("a")), (9, vec![2, 3, 4, 5, 6, 7, 8, 9, 9]));
    assert!(ran.ends("a").iter().all(|end| end.most_runs == Some(20)));
    assert_eq!(ran.effects_of(&["stability"]), ["stability of a"], "it is known when the last run ended");
}

#[tokio::test(start_paused = true)]
async fn broken_case_is_decided_after_a_few_runs() {
    always("two");
    let ran = until_decided("", 50).run().await;
    assert_eq!(planned(&ran.ends("a")), (1, vec![1]), "a single case that never failed in 50 runs");
    always("two");
    let ran = until_decided(", min: 4", 50).run().await;
    assert_eq!(ran.ends("a").len(), 4);
}

#[tokio::test(start_paused = true)]
async fn flaky_case_stops_at_its_maximum() {
    script("a", |attempt| FakeScript::turns([vec![ScriptedStep::say(if attempt % 2 == 0 { "one" } else { "two" })]]));
    let ran = until_decided(", max: 6", 27).run().await;
    assert_eq!(planned(&ran.ends("a")), (6, vec![2, 3, 4, 5, 6, 6]));
}

#[tokio::test(start_paused = true)]
async fn replayed_case_runs_once() {
    always("one");
    let mut bench = until_decided("", 50);
    bench.mode = Mode::Record;
    let ran = bench.run().await;
    assert_eq!(planned(&ran.ends("a")), (1, vec![1]), "recording again would replace what was recorded");
}

#[tokio::test(start_paused = true)]
async fn without_a_baseline_the_minimum_is_run() {
    always("one");
    let mut bench = until_decided(", min: 3", 50);
    bench.policy = None;
    assert_eq!(bench.run().await.ends("a").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn used_up_budget_ends_the_repeats_but_not_the_minimum() {
    let costs = |cost: Option<f64>| {
        script("a", move |_| {
            let usage = cost.map(|cost| EventKind::Usage(Usage { cost_usd: Some(cost), ..Usage::default() }));
            let steps = usage.map(ScriptedStep::Show).into_iter().chain([ScriptedStep::say("one")]);
            FakeScript::turns([steps.collect()])
        });
    };
    for (budget, cost, runs, reason) in [
        (", max_cost_usd: 0.3", Some(0.1), 3, "`runs.max_cost_usd` of 0.3 USD is used up"),
        (", min: 5, total: { max_cost_usd: 0.3 }", Some(0.1), 5, "`runs.total.max_cost_usd` of 0.3 USD is used up"),
        (", max_cost_usd: 0.3", None, 1, "`runs.max_cost_usd` cannot be enforced, because the agent reports no cost"),
    ] {
        costs(cost);
        let ran = until_decided(budget, 50).run().await;
        let ends = ran.ends("a");
        assert_eq!(ends.len(), runs, "{budget}");
        let warning = format!("the case is not repeated until it is decided: {reason}");
        assert_eq!(ends.last().unwrap().warnings, [warning], "{budget}");
        assert!(ends[..runs - 1].iter().all(|end| end.warnings.is_empty()), "{budget}");
    }
}
