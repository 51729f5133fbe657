//! Counts runs one by one. The wall times are kept, since the median needs all of them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use agentci_statistics::Counts;

use super::numbers::MatrixNumbers;
use crate::{CaseEnd, CaseRow, CaseStatus};

/// The runs of some cases so far.
#[derive(Debug, Clone, Default)]
pub(super) struct MatrixTally {
    cases: u64,
    skipped: u64,
    counts: Counts,
    errors: u64,
    cost: KnownSum<f64>,
    tokens_in: KnownSum<u64>,
    tokens_out: KnownSum<u64>,
    wall_ms: Vec<u64>,
    /// A sum of the hashes of the cases that ran: it is equal for combinations that ran the same cases.
    pub(super) ran: u64,
    /// The runs of each case, by its hash; empty in a sum of several combinations.
    by_case: BTreeMap<u64, Counts>,
}

/// A sum over runs, some of which may not report the number.
#[derive(Debug, Clone, Copy, Default)]
struct KnownSum<T> {
    sum: Option<T>,
    unknown: u64,
}

impl<T: Copy> KnownSum<T> {
    fn add(&mut self, value: Option<T>, plus: impl Fn(T, T) -> T) {
        match value {
            Some(value) => self.sum = Some(self.sum.map_or(value, |sum| plus(sum, value))),
            None => self.unknown += 1,
        }
    }

    fn join(&mut self, other: Self, plus: impl Fn(T, T) -> T) {
        let unknown = self.unknown + other.unknown;
        if let Some(sum) = other.sum {
            self.add(Some(sum), plus);
        }
        self.unknown = unknown;
    }
}

impl MatrixTally {
    /// The runs of several combinations.
    pub(super) fn of_all<'t>(all: impl IntoIterator<Item = &'t Self>) -> Self {
        all.into_iter().fold(Self::default(), |mut sum, other| {
            sum.join(other);
            sum
        })
    }

    /// Whether any case ran.
    pub(super) fn has_run(&self) -> bool {
        self.cases > 0
    }

    /// Adds a case with all its runs; a skipped case has none. `of` is its id without axes.
    pub(super) fn add(&mut self, row: &CaseRow, of: &str) {
        if row.status() == CaseStatus::Skipped {
            self.skipped += 1;
            return;
        }
        self.cases += 1;
        let mut hasher = DefaultHasher::new();
        of.hash(&mut hasher);
        let case = hasher.finish();
        self.ran = self.ran.wrapping_add(case);
        let before = self.counts;
        row.attempts.iter().filter(|end| end.status != CaseStatus::Skipped).for_each(|end| self.run(end));
        let counts = self.by_case.entry(case).or_default();
        counts.passes += self.counts.passes - before.passes;
        counts.runs += self.counts.runs - before.runs;
    }

    fn run(&mut self, end: &CaseEnd) {
        self.counts = self.counts.with(end.status == CaseStatus::Pass);
        self.errors += u64::from(end.status == CaseStatus::Error);
        let usage = end.metrics.usage;
        self.cost.add(usage.cost_usd, |sum, cost| sum + cost);
        self.tokens_in.add(usage.tokens_in, u64::saturating_add);
        self.tokens_out.add(usage.tokens_out, u64::saturating_add);
        self.wall_ms.push(end.wall_ms);
    }

    fn join(&mut self, other: &Self) {
        self.cases += other.cases;
        self.skipped += other.skipped;
        self.counts.passes += other.counts.passes;
        self.counts.runs += other.counts.runs;
        self.errors += other.errors;
        self.cost.join(other.cost, |sum, cost| sum + cost);
        self.tokens_in.join(other.tokens_in, u64::saturating_add);
        self.tokens_out.join(other.tokens_out, u64::saturating_add);
        self.wall_ms.extend_from_slice(&other.wall_ms);
    }

    /// The runs of two combinations in the cases that both ran, without their costs and times; `None` if there are none.
    pub(super) fn shared(&self, other: &Self) -> Option<(Self, Self)> {
        let counted = |counts: Counts| Self { counts, ..Self::default() };
        if self.ran == other.ran {
            return self.has_run().then(|| (counted(self.counts), counted(other.counts)));
        }
        let (mut one, mut two) = (Counts::default(), Counts::default());
        let mut any = false;
        for (case, own) in &self.by_case {
            let Some(its) = other.by_case.get(case) else { continue };
            for (sum, counts) in [(&mut one, own), (&mut two, its)] {
                sum.passes += counts.passes;
                sum.runs += counts.runs;
            }
            any = true;
        }
        any.then(|| (counted(one), counted(two)))
    }

    /// The numbers for reports.
    pub(super) fn numbers(&self) -> MatrixNumbers {
        let mut wall_ms = self.wall_ms.clone();
        wall_ms.sort_unstable();
        MatrixNumbers {
            cases: self.cases,
            skipped: self.skipped,
            runs: self.counts.runs,
            passes: self.counts.passes,
            errors: self.errors,
            pass_rate: self.counts.rate(),
            interval: agentci_statistics::wilson(self.counts, MatrixNumbers::CONFIDENCE).map(<[f64; 2]>::from),
            cost_usd: self.cost.sum,
            cost_unknown: self.cost.unknown,
            tokens_in: self.tokens_in.sum,
            tokens_in_unknown: self.tokens_in.unknown,
            tokens_out: self.tokens_out.sum,
            tokens_out_unknown: self.tokens_out.unknown,
            wall_ms: median(&wall_ms),
        }
    }
}

/// The median of sorted times: a time that occurred.
fn median(sorted: &[u64]) -> Option<u64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
