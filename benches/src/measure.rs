//! Measures the cost of a program, and compares two in turns.

use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

use wait4::Wait4 as _;

use crate::row::{Bar, Row};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    /// User and system time, including that of children that it waited for.
    pub(crate) cpu: Duration,
    /// The peak memory of the program or one of its children, in bytes.
    pub(crate) peak: u64,
}

/// Runs a program to its end; fails if the program fails.
pub(crate) fn program(command: &mut Command) -> Result<Cost, Box<dyn Error>> {
    program_exiting(command, 0)
}

/// Runs a program that ends with this exit code.
pub(crate) fn program_exiting(command: &mut Command, code: i32) -> Result<Cost, Box<dyn Error>> {
    let start = Instant::now();
    let used = command.spawn()?.wait4()?;
    let wall = start.elapsed();
    if used.status.code() != Some(code) {
        return Err(format!("{} failed: {}", command.get_program().display(), used.status).into());
    }
    Ok(Cost { wall, cpu: used.rusage.utime + used.rusage.stime, peak: used.rusage.maxrss })
}

/// Runs a program this many times, one after the other.
pub(crate) fn many(command: &mut Command, times: usize) -> Result<Cost, Box<dyn Error>> {
    let mut sum = Cost { wall: Duration::ZERO, cpu: Duration::ZERO, peak: 0 };
    for _ in 0..times {
        let one = program(command)?;
        sum = Cost { wall: sum.wall + one.wall, cpu: sum.cpu + one.cpu, peak: sum.peak.max(one.peak) };
    }
    Ok(sum)
}

/// The costs of a program and its floor, a pair for each round.
#[derive(Debug)]
pub(crate) struct Pairs {
    name: String,
    costs: Vec<(Cost, Cost)>,
}

type Work<'w> = &'w mut dyn FnMut() -> Result<Cost, Box<dyn Error>>;

/// Runs both in turns; the first round is a warm-up and does not count.
pub(crate) fn compare(
    name: impl Into<String>,
    rounds: usize,
    thing: Work<'_>,
    floor: Work<'_>,
) -> Result<Pairs, Box<dyn Error>> {
    let mut costs = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        // The order alternates, so that aftereffects of a round affect both.
        let pair = if round % 2 == 0 {
            let first = thing()?;
            (first, floor()?)
        } else {
            let first = floor()?;
            (thing()?, first)
        };
        if round > 0 {
            costs.push(pair);
        }
    }
    Ok(Pairs { name: name.into(), costs })
}

impl Pairs {
    pub(crate) fn wall(&self, bar: Option<f64>) -> Row {
        self.row("wall", &|cost| cost.wall.as_secs_f64() * 1e3, bar)
    }

    pub(crate) fn cpu(&self, bar: Option<f64>) -> Row {
        self.row("cpu", &|cost| cost.cpu.as_secs_f64() * 1e3, bar)
    }

    fn row(&self, what: &str, value: &dyn Fn(&Cost) -> f64, bar: Option<f64>) -> Row {
        let pairs: Vec<_> = self.costs.iter().map(|(thing, floor)| (value(thing), value(floor))).collect();
        Row::compared(format!("{}: {what}", self.name), "ms", &pairs, bar.map(Bar::Ratio))
    }

    /// The peak memory of the program in any round, in megabytes.
    pub(crate) fn peak(&self, most: Option<f64>) -> Row {
        let most_seen = self.costs.iter().map(|(thing, _)| thing.peak).max().unwrap_or_default();
        Row::value(format!("{}: peak memory", self.name), "MB", megabytes(most_seen), most.map(Bar::Value))
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files and memory")]
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
