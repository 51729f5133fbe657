//! How time and memory grow with the number of cases.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use crate::measure::{Cost, median, megabytes, program};
use crate::row::{Bar, Row};
use crate::{Measured, Setting};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Maximum cost of a case in the largest suite, relative to one in a suite of a tenth of the size.
const BAR: f64 = 1.1;
/// Maximum memory of 10,000 cases, in megabytes.
const PEAK: f64 = 64.0;
/// Maximum memory of each additional case, in kilobytes.
const EACH: f64 = 2.0;
/// Maximum CPU time of one of 10,000 cases, in microseconds.
const CASE: f64 = 100.0;
/// The largest suite takes as long as everything else together.
const ROUNDS: usize = 3;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let folder = tempfile::tempdir()?;
    for cases in SIZES {
        write_suite(&folder.path().join(format!("{cases}.yaml")), cases)?;
    }
    let mut rounds: Vec<[Cost; 3]> = Vec::new();
    for _ in 0..setting.rounds.min(ROUNDS) {
        rounds.push([
            run(setting, folder.path(), 0)?,
            run(setting, folder.path(), 1)?,
            run(setting, folder.path(), 2)?,
        ]);
    }
    let mut rows = Vec::new();
    for (at, cases) in SIZES.into_iter().enumerate() {
        let each = |of: usize| rounds.iter().map(move |round| micros(round[of], SIZES[of]));
        let name = format!("growth, {cases} mock cases");
        let bar = (at == 2).then_some(Bar::Ratio(BAR));
        let before = at.saturating_sub(1);
        let pairs: Vec<_> = each(at).zip(each(before)).collect();
        rows.push(Row::compared(format!("{name}: beside a tenth"), "us", &pairs, bar));
        if at == 1 {
            let cpu = median(each(at).collect());
            rows.push(Row::value(format!("{name}: cpu a case"), "us", cpu, Some(Bar::Value(CASE))));
        }
        let peak = megabytes(peak(&rounds, at));
        rows.push(Row::value(format!("{name}: peak memory"), "MB", peak, (at == 1).then_some(Bar::Value(PEAK))));
    }
    let grown = megabytes(peak(&rounds, 2)) - megabytes(peak(&rounds, 1));
    #[expect(clippy::cast_precision_loss, reason = "a hundred thousand")]
    let each = grown * 1e3 / (SIZES[2] - SIZES[1]) as f64;
    rows.push(Row::value("growth: memory of a further case", "KB", each, Some(Bar::Value(EACH))));
    Ok(rows)
}

fn run(setting: &Setting, folder: &Path, size: usize) -> Result<Cost, Box<dyn Error>> {
    let suite = format!("{}.yaml", SIZES[size]);
    program(setting.agentci().args(["run", &suite]).current_dir(folder))
}

#[expect(clippy::cast_precision_loss, reason = "a hundred thousand")]
fn micros(cost: Cost, cases: usize) -> f64 {
    cost.cpu.as_secs_f64() * 1e6 / cases as f64
}

/// The peak memory of all rounds.
fn peak(rounds: &[[Cost; 3]], size: usize) -> u64 {
    rounds.iter().map(|round| round[size].peak).max().unwrap_or_default()
}

/// Writes cases with a scripted model and a check each.
pub(crate) fn write_suite(path: &Path, cases: usize) -> Result<(), Box<dyn Error>> {
    let mut suite = String::from(
        "suite: growth\ntarget: { mock: { model_name: m, responses: [{ content: a few words for you, model: m, tokens_used: 5, latency_ms: 1 }] } }\ncases:\n",
    );
    for case in 0..cases {
        write!(
            suite,
            "  - id: c{case}\n    input: {{ prompt: hello {case} }}\n    checks:\n      - contains: words\n"
        )?;
    }
    std::fs::write(path, suite)?;
    Ok(())
}
