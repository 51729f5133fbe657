//! Wall and CPU time of two things that take turns.

use std::error::Error;
use std::time::{Duration, Instant};

/// What one thing cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    wall: Duration,
    cpu: Duration,
}

/// A thing beside its floor.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) name: String,
    pub(crate) wall_ms: f64,
    pub(crate) floor_wall_ms: f64,
    pub(crate) wall_ratio: f64,
    pub(crate) cpu_ratio: f64,
}

type Work<'w> = &'w mut dyn FnMut() -> Result<(), Box<dyn Error>>;

/// Does both things in turn and compares the medians of their ratios; the first round warms up and does not count.
pub(crate) fn compare(
    name: String,
    rounds: usize,
    thing: Work<'_>,
    floor: Work<'_>,
) -> Result<Comparison, Box<dyn Error>> {
    let mut costs = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        let pair = (cost(thing)?, cost(floor)?);
        if round > 0 {
            costs.push(pair);
        }
    }
    let median_of = |value: &dyn Fn(&(Cost, Cost)) -> f64| median(costs.iter().map(value).collect());
    Ok(Comparison {
        name,
        wall_ms: median_of(&|(thing, _)| thing.wall.as_secs_f64() * 1000.0),
        floor_wall_ms: median_of(&|(_, floor)| floor.wall.as_secs_f64() * 1000.0),
        wall_ratio: median_of(&|(thing, floor)| thing.wall.as_secs_f64() / floor.wall.as_secs_f64()),
        cpu_ratio: median_of(&|(thing, floor)| thing.cpu.as_secs_f64() / floor.cpu.as_secs_f64()),
    })
}

/// The middle one.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn cost(work: Work<'_>) -> Result<Cost, Box<dyn Error>> {
    let (before, start) = (cpu()?, Instant::now());
    work()?;
    Ok(Cost { wall: start.elapsed(), cpu: cpu()?.saturating_sub(before) })
}

/// CPU time of this process and of every child that was waited for, to the clock tick, from `/proc`.
fn cpu() -> Result<Duration, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, rest) = stat.rsplit_once(')').ok_or("no process name")?;
    // After the name come state, parent, ..., and from the twelfth on: user, system, and both of the children.
    let ticks: u64 = rest.split_ascii_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Ok(Duration::from_secs_f64(ticks_to_seconds(ticks)))
}

#[expect(clippy::cast_precision_loss, reason = "ticks of one run")]
fn ticks_to_seconds(ticks: u64) -> f64 {
    ticks as f64 / rustix::param::clock_ticks_per_second() as f64
}
