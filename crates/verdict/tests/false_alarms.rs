//! How often the gate `no_regression` is red: seldom if nothing changed, nearly always if a case broke. Simulated suites
//! of random agents, through the same comparison as a run. `AGENTCI_ROUNDS` sets the number of runs of each setting.

use agentci_statistics::Random;
use agentci_verdict::{
    Baseline, BaselineCase, CaseHistory, CaseSample, CaseStatus, History, PastRun, Thresholds, compare,
};

/// The number of runs in the history of a suite.
const HISTORY: u64 = 50;

/// The number of runs of each case.
const RUNS: u64 = 5;

/// The number of simulated runs of each setting: few by default, 20,000 in the slow set.
#[expect(clippy::disallowed_methods, reason = "the slow set runs these tests with more rounds")]
fn rounds() -> u32 {
    std::env::var("AGENTCI_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(500)
}

/// The true pass rates of a suite: most cases are solid, some fail now and then, a few often.
fn rates(cases: u32, random: &mut Random) -> Vec<f64> {
    let rate = |share: f64, random: &mut Random| match share {
        solid if solid < 0.6 => 0.995 + 0.005 * random.next_f64(),
        mild if mild < 0.9 => 0.85 + 0.14 * random.next_f64(),
        _ => 0.4 + 0.4 * random.next_f64(),
    };
    (0..cases).map(|at| rate(f64::from(at) / f64::from(cases), random)).collect()
}

fn sample(runs: u64, rate: f64, random: &mut Random) -> CaseSample {
    CaseSample { passes: random.binomial(runs, rate.clamp(0.0, 1.0)), runs, ..CaseSample::default() }
}

fn case(at: usize, sample: CaseSample) -> BaselineCase {
    let status = if sample.passes == sample.runs { CaseStatus::Pass } else { CaseStatus::Fail };
    BaselineCase {
        id: format!("case {at:03}"),
        status,
        sample,
        history: CaseHistory::from(sample),
        came_to_its_end: true,
        ..BaselineCase::default()
    }
}

/// The share of runs that are red, each with a suite and a history of its own; `change` alters the true rates.
fn red(cases: u32, rounds: u32, change: impl Fn(usize, f64) -> f64) -> f64 {
    let thresholds = Thresholds { no_regression: Some(0.05), ..Thresholds::default() };
    let mut random = Random::new(u64::from(cases));
    let red = (0..rounds).filter(|_| {
        let rates = rates(cases, &mut random);
        let before: Vec<BaselineCase> =
            rates.iter().enumerate().map(|(at, rate)| case(at, sample(HISTORY, *rate, &mut random))).collect();
        let past = PastRun {
            mode: "live".into(),
            cases: before.iter().map(|case| (case.id.clone(), case.sample)).collect(),
            ..PastRun::default()
        };
        let now = rates.iter().enumerate().map(|(at, rate)| case(at, sample(RUNS, change(at, *rate), &mut random)));
        let current = Baseline { mode: "live".into(), cases: now.collect(), ..Baseline::default() };
        let history = History::new([past]);
        let baseline = Baseline { mode: "live".into(), cases: before, history, ..Baseline::default() };
        !compare(Some(&baseline), &current, &thresholds, true).passed
    });
    f64::from(u32::try_from(red.count()).expect("there are few rounds")) / f64::from(rounds)
}

#[test]
fn false_alarms_are_rare() {
    let bound = if rounds() >= 20_000 { 0.035 } else { 0.06 };
    for cases in [1, 3, 8, 20, 50, 200] {
        let share = red(cases, rounds(), |_, rate| rate);
        println!("{cases} cases, nothing changed: {share:.4} red");
        assert!(share <= bound, "{cases} cases: {share}");
    }
}

#[test]
fn one_broken_case_of_50_is_noticed() {
    let share = red(50, rounds(), |at, rate| if at == 0 { 0.0 } else { rate });
    println!("50 cases, one broken: {share:.4} red");
    assert!(share >= 0.85, "{share}");
}

#[test]
fn drops_of_several_cases_are_noticed() {
    let tenth = |drop: f64| move |at: usize, rate: f64| if at.is_multiple_of(10) { rate - drop } else { rate };
    let settings = [
        ("20 cases, a tenth loses 0.6", red(20, rounds(), tenth(0.6)), 0.75),
        ("50 cases, a tenth loses 0.3", red(50, rounds(), tenth(0.3)), 0.5),
        ("200 cases, four broken", red(200, rounds() / 5, |at, rate| if at < 4 { 0.0 } else { rate }), 0.95),
    ];
    for (name, share, least) in settings {
        println!("{name}: {share:.4} red");
        assert!(share >= least, "{name}: {share}");
    }
}
