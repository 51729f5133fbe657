//! How often the gate `no_regression` is red: seldom if nothing changed, nearly always if a case broke. Simulated suites
//! of random agents, through the same comparison as a run. `AGENTCI_ROUNDS` sets the number of runs of each setting, and
//! `stress/run gates` runs them with many.

use agentci_statistics::{Counts, Random, SequentialEvidence, e_benjamini_hochberg};
use agentci_verdict::{
    Baseline, BaselineCase, CaseHistory, CaseSample, CaseStatus, Comparison, GateStatus, History, PastRun, Policy,
    Thresholds, compare,
};

/// The number of runs in the history of a suite.
const HISTORY: u64 = 50;

/// The number of runs of each case.
const RUNS: u64 = 5;

/// The accepted share of false alarms.
const ALPHA: f64 = 0.05;

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

/// A simulated suite: the true pass rates of its cases, its policy, and its history as the gate sees it.
struct SimulatedSuite {
    rates: Vec<f64>,
    policy: Policy,
}

impl SimulatedSuite {
    fn new(cases: u32, random: &mut Random) -> Self {
        let rates = rates(cases, random);
        let before: Vec<BaselineCase> =
            rates.iter().enumerate().map(|(at, rate)| case(at, sample(HISTORY, *rate, random))).collect();
        let past = PastRun {
            mode: "live".into(),
            cases: before.iter().map(|case| (case.id.clone(), case.sample)).collect(),
            ..PastRun::default()
        };
        let history = History::new([past]);
        let baseline = Baseline { mode: "live".into(), cases: before, history, ..Baseline::default() };
        let thresholds = Thresholds { no_regression: Some(ALPHA), ..Thresholds::default() };
        Self { rates, policy: Policy { thresholds, baseline: Some(Ok(baseline)), ..Policy::default() } }
    }

    /// The results of a case in the history.
    fn history(&self, at: usize) -> Counts {
        let baseline = self.policy.baseline.as_ref().and_then(|baseline| baseline.as_ref().ok());
        let sample = baseline.expect("it was made").cases[at].sample;
        Counts { passes: sample.passes, runs: sample.runs }
    }

    fn compare(&self, cases: Vec<BaselineCase>) -> Comparison {
        let current = Baseline { mode: "live".into(), cases, ..Baseline::default() };
        let baseline = self.policy.baseline.as_ref().and_then(|baseline| baseline.as_ref().ok());
        compare(baseline, &current, &self.policy.thresholds, true)
    }
}

/// The share of runs that are red, each with a suite and a history of its own; `change` alters the true rates.
fn red(cases: u32, rounds: u32, change: impl Fn(usize, f64) -> f64) -> f64 {
    let mut random = Random::new(u64::from(cases));
    let red = (0..rounds).filter(|_| {
        let suite = SimulatedSuite::new(cases, &mut random);
        let now = suite.rates.iter().enumerate();
        let now = now.map(|(at, rate)| case(at, sample(RUNS, change(at, *rate), &mut random)));
        !suite.compare(now.collect()).passed
    });
    f64::from(u32::try_from(red.count()).expect("there are few rounds")) / f64::from(rounds)
}

/// What happened to simulated suites whose cases were repeated until they were decided.
#[derive(Debug, Default)]
struct Repeats {
    red: f64,
    /// The share of runs in which some case was not decided, and the gate was not red.
    undecided: f64,
    /// The share of runs that would have been red if they had stopped at the worst time: each case after the run at
    /// which it looked worst.
    red_at_worst: f64,
    /// The mean number of runs of cases whose true rate is solid, and of those that changed.
    solid_runs: f64,
    changed_runs: f64,
}

/// Repeats each case until it is decided, at most `most` times.
fn repeats(cases: u32, rounds: u32, most: u64, change: impl Fn(usize, f64) -> f64) -> Repeats {
    let mut random = Random::new(u64::from(cases));
    let (mut all, mut solid, mut changed) = (Repeats::default(), (0.0, 0.0), (0.0, 0.0));
    for _ in 0..rounds {
        let suite = SimulatedSuite::new(cases, &mut random);
        let rule = suite.policy.repeats("live", suite.rates.len()).expect("the gate is set");
        let (mut now, mut worst) = (Vec::new(), Vec::new());
        for (at, &rate) in suite.rates.iter().enumerate() {
            let true_rate = change(at, rate).clamp(0.0, 1.0);
            let results = runs_until(most, true_rate, &mut random);
            let id = format!("case {at:03}");
            let decided = results.iter().position(|counts| rule.is_decided(&id, *counts));
            let stop = decided.map_or(most, |at| at as u64 + 1);
            let is_changed = (true_rate - rate).abs() > 1e-9;
            let mean = if is_changed { Some(&mut changed) } else { (rate >= 0.995).then_some(&mut solid) };
            if let Some((total, count)) = mean {
                *total += f64::from(u32::try_from(stop).expect("few runs"));
                *count += 1.0;
            }
            now.push(repeated(at, most, results[usize::try_from(stop).expect("few runs") - 1]));
            worst.push(most_evidence(suite.history(at), &results));
        }
        let comparison = suite.compare(now);
        all.red += f64::from(u8::from(!comparison.passed));
        all.undecided += f64::from(u8::from(comparison.checks.iter().any(|gate| gate.status == GateStatus::Undecided)));
        all.red_at_worst += f64::from(u8::from(e_benjamini_hochberg(&worst, ALPHA).contains(&true)));
    }
    let rounds = f64::from(rounds);
    Repeats {
        red: all.red / rounds,
        undecided: all.undecided / rounds,
        red_at_worst: all.red_at_worst / rounds,
        solid_runs: solid.0 / f64::max(solid.1, 1.0),
        changed_runs: changed.0 / f64::max(changed.1, 1.0),
    }
}

/// The results of a case after each of its runs.
fn runs_until(most: u64, rate: f64, random: &mut Random) -> Vec<CaseHistory> {
    let mut passes = 0;
    let next = |runs| {
        passes += u64::from(random.passes(rate));
        CaseHistory { runs, passes }
    };
    (1..=most).map(next).collect()
}

/// The evidence of a regression after the run at which it is largest.
fn most_evidence(history: Counts, results: &[CaseHistory]) -> f64 {
    let mut evidence = SequentialEvidence::new(history, SequentialEvidence::DROP);
    let mut most = evidence.regressed_e();
    let mut passes = 0;
    for after in results {
        evidence.observe(after.passes > passes);
        passes = after.passes;
        most = most.max(evidence.regressed_e());
    }
    most
}

fn repeated(at: usize, most: u64, counts: CaseHistory) -> BaselineCase {
    let sample = CaseSample { passes: counts.passes, runs: counts.runs, ..CaseSample::default() };
    BaselineCase { most_runs: Some(most), ..case(at, sample) }
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

#[test]
fn repeats_raise_few_false_alarms_whenever_they_stop() {
    let bound = if rounds() >= 20_000 { 0.035 } else { 0.06 };
    for cases in [1, 3, 8, 20, 50, 200] {
        let share = repeats(cases, rounds(), 20, |_, rate| rate);
        println!("{cases} cases until decided, nothing changed: {share:.4?}");
        assert!(share.red <= bound && share.red_at_worst <= bound, "{cases} cases: {share:?}");
        assert!(share.solid_runs <= 12.0, "{cases} cases: {share:?}");
    }
}

#[test]
fn repeats_notice_a_broken_case_within_a_few_runs() {
    for most in [5, 20] {
        let share = repeats(50, rounds(), most, |at, rate| if at == 0 { 0.0 } else { rate });
        println!("50 cases until decided, at most {most} runs, one broken: {share:.4?}");
        assert!(share.red >= 0.95 && share.changed_runs <= 6.0, "{share:?}");
    }
    let share = repeats(50, rounds(), 20, |at, rate| if at.is_multiple_of(10) { rate - 0.3 } else { rate });
    println!("50 cases until decided, a tenth loses 0.3: {share:.4?}");
    assert!(share.red >= 0.85 && share.red + share.undecided >= 0.99, "{share:?}");
}
