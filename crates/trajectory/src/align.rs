//! Aligns the steps of two attempts at the least cost.
//!
//! Equal steps cost nothing, the same tool with other arguments as much as the arguments differ, and a step that only
//! one attempt has costs one. Long attempts are aligned window by window.

use crate::{PartKind, StepKind, TrajectoryStep};

/// A step of each attempt that belong together, or a step that only one attempt has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepPair {
    Both(usize, usize),
    Old(usize),
    New(usize),
}

/// The number of steps of each attempt that are aligned at a time.
const WINDOW: usize = 400;
/// The cost of a step that only one attempt has.
const GAP: f32 = 1.0;
/// The maximum number of unpaired steps among which members of parallel batches are searched.
const UNPAIRED: usize = 200;

/// Aligns two lists of steps. The new steps are in their order; so are the old ones, except within batches.
pub(crate) fn align(old: &[TrajectoryStep], new: &[TrajectoryStep]) -> Vec<StepPair> {
    let start = old.iter().zip(new).take_while(|(one, other)| one.is_identical(other)).count();
    let mut pairs: Vec<StepPair> = (0..start).map(|at| StepPair::Both(at, at)).collect();
    let (mut from, mut to) = (start, start);
    while from < old.len() || to < new.len() {
        let ends = (old.len().min(from + WINDOW), new.len().min(to + WINDOW));
        let is_last = ends == (old.len(), new.len());
        let window = windowed(&old[from..ends.0], &new[to..ends.1]);
        // The end of a window is aligned again with what follows.
        let (half, begun) = (WINDOW / 2, (from, to));
        for pair in window {
            if !is_last && (from - begun.0 >= half || to - begun.1 >= half) {
                break;
            }
            pairs.push(match pair {
                StepPair::Both(a, b) => StepPair::Both(begun.0 + a, begun.1 + b),
                StepPair::Old(a) => StepPair::Old(begun.0 + a),
                StepPair::New(b) => StepPair::New(begun.1 + b),
            });
            from += usize::from(!matches!(pair, StepPair::New(_)));
            to += usize::from(!matches!(pair, StepPair::Old(_)));
        }
    }
    pair_within_batches(old, new, &mut pairs);
    pairs
}

fn windowed(old: &[TrajectoryStep], new: &[TrajectoryStep]) -> Vec<StepPair> {
    let width = new.len() + 1;
    // The cost from here to the end; `both` is the cost of a pair.
    let mut costs = vec![0.0_f32; (old.len() + 1) * width];
    let mut both = vec![f32::INFINITY; old.len() * new.len()];
    for a in (0..=old.len()).rev() {
        for b in (0..=new.len()).rev() {
            let mut least = f32::INFINITY;
            if a < old.len() {
                least = least.min(GAP + costs[(a + 1) * width + b]);
            }
            if b < new.len() {
                least = least.min(GAP + costs[a * width + b + 1]);
            }
            if a < old.len() && b < new.len() && old[a].is_alike(&new[b]) {
                let cost = cost(&old[a], &new[b]);
                both[a * new.len() + b] = cost;
                least = least.min(cost + costs[(a + 1) * width + b + 1]);
            }
            if a < old.len() || b < new.len() {
                costs[a * width + b] = least;
            }
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::with_capacity(old.len().max(new.len())));
    while a < old.len() || b < new.len() {
        let is_pair = a < old.len() && b < new.len() && {
            let cost = both[a * new.len() + b] + costs[(a + 1) * width + b + 1];
            cost <= costs[a * width + b] + 1e-4
        };
        let is_old = a < old.len() && (b == new.len() || costs[(a + 1) * width + b] <= costs[a * width + b + 1]);
        if is_pair {
            pairs.push(StepPair::Both(a, b));
            (a, b) = (a + 1, b + 1);
        } else if is_old {
            pairs.push(StepPair::Old(a));
            a += 1;
        } else {
            pairs.push(StepPair::New(b));
            b += 1;
        }
    }
    pairs
}

/// The cost of a pair of steps of the same tool.
fn cost(old: &TrajectoryStep, new: &TrajectoryStep) -> f32 {
    let is_call = old.kind == StepKind::Call;
    let weight = |kind: PartKind| match kind {
        PartKind::Arguments if is_call => 1.2,
        PartKind::Messages | PartKind::Answer => 0.3,
        // A retry succeeds where the first call failed.
        PartKind::Error if is_call => 0.3,
        PartKind::Input
        | PartKind::Model
        | PartKind::SystemPrompt
        | PartKind::Tools
        | PartKind::Parameters
        | PartKind::Requested
        | PartKind::Arguments
        | PartKind::State
        | PartKind::Result
        | PartKind::Error => 0.1,
    };
    let of_old = old.parts.iter().map(|part| {
        let distance = new.part(part.kind).map_or(1.0, |other| part.distance(other));
        weight(part.kind) * distance
    });
    let only_new = new.parts.iter().filter(|part| old.part(part.kind).is_none()).map(|part| weight(part.kind));
    of_old.chain(only_new).sum()
}

/// Pairs members of parallel batches that are in another order: a batch is a set. If only one of the runs knows about
/// the batch, as with a baseline, its order is free in the other as well.
fn pair_within_batches(old: &[TrajectoryStep], new: &[TrajectoryStep], pairs: &mut Vec<StepPair>) {
    let only = |pair: &&(usize, StepPair)| !matches!(pair.1, StepPair::Both(..));
    let unpaired: Vec<(usize, StepPair)> =
        pairs.iter().copied().enumerate().collect::<Vec<_>>().iter().filter(only).copied().collect();
    if unpaired.len() > UNPAIRED {
        return;
    }
    let mut found: Vec<(f32, usize, usize)> = Vec::new();
    for (at, one) in &unpaired {
        let StepPair::Old(a) = *one else { continue };
        for (other_at, other) in &unpaired {
            let StepPair::New(b) = *other else { continue };
            let known = old[a].batch.is_some() || new[b].batch.is_some();
            if known && old[a].is_alike(&new[b]) && are_within(old, new, pairs, (*at, a), (*other_at, b)) {
                found.push((cost(&old[a], &new[b]), *at, *other_at));
            }
        }
    }
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2)));
    let mut gone = Vec::new();
    for (_, at, other_at) in found {
        if let (StepPair::Old(a), StepPair::New(b)) = (pairs[at], pairs[other_at])
            && !gone.contains(&at)
        {
            pairs[other_at] = StepPair::Both(a, b);
            gone.push(at);
        }
    }
    let mut at = 0;
    pairs.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}

/// Whether only members of the batch of one of two steps are between them.
fn are_within(
    old: &[TrajectoryStep],
    new: &[TrajectoryStep],
    pairs: &[StepPair],
    (at, a): (usize, usize),
    (other_at, b): (usize, usize),
) -> bool {
    let of_batch = |pair: &StepPair| {
        let (one, other) = match *pair {
            StepPair::Both(one, other) => (Some(one), Some(other)),
            StepPair::Old(one) => (Some(one), None),
            StepPair::New(other) => (None, Some(other)),
        };
        let in_old = one.is_some_and(|one| old[one].batch.is_some() && old[one].batch == old[a].batch);
        let in_new = other.is_some_and(|other| new[other].batch.is_some() && new[other].batch == new[b].batch);
        in_old || in_new
    };
    pairs[at.min(other_at) + 1..at.max(other_at)].iter().all(of_batch)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(text: &str) -> TrajectoryStep {
        let (name, argument) = text.split_once(' ').unwrap_or((text, ""));
        let (argument, error) = argument.split_once('!').map_or((argument, None), |(it, error)| (it, Some(error)));
        let step = TrajectoryStep::new(StepKind::Call, name).with(PartKind::Arguments, json!({"q": argument}));
        match error {
            Some(error) => step.with(PartKind::Error, error.into()),
            None => step.with(PartKind::Result, true.into()),
        }
    }

    fn batched(texts: &[&str], batch: u32) -> Vec<TrajectoryStep> {
        texts.iter().map(|text| TrajectoryStep { batch: Some(batch), ..call(text) }).collect()
    }

    fn shown(old: &[TrajectoryStep], new: &[TrajectoryStep]) -> String {
        let shown = |pair: &StepPair| match *pair {
            StepPair::Both(a, b) => format!("{a}={b}"),
            StepPair::Old(a) => format!("-{a}"),
            StepPair::New(b) => format!("+{b}"),
        };
        align(old, new).iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    fn aligned(old: &[&str], new: &[&str]) -> String {
        let steps = |texts: &[&str]| texts.iter().map(|text| call(text)).collect::<Vec<_>>();
        shown(&steps(old), &steps(new))
    }

    #[test]
    fn equal_calls_are_paired_around_what_changed() {
        assert_eq!(aligned(&["find a", "refund a"], &["find a", "refund b"]), "0=0 1=1");
        assert_eq!(aligned(&["find a", "refund a"], &["find a", "check a", "refund a"]), "0=0 +1 1=2");
        assert_eq!(aligned(&["a", "b"], &["a"]), "0=0 -1", "the last call is missing");
        assert_eq!(aligned(&["find a", "refund a"], &["refund a", "find a"]), "-0 1=0 +1", "sequences have an order");
    }

    #[test]
    fn extra_retry_is_the_call_that_failed() {
        assert_eq!(aligned(&["find a"], &["find a!late", "find a"]), "+0 0=1");
        assert_eq!(aligned(&["find x"], &["find y", "find x"]), "+0 0=1");
    }

    #[test]
    fn batches_are_sets_even_if_one_run_does_not_know_them() {
        let sequence = [call("b x"), call("a x"), call("c x")];
        let mut batch = batched(&["a x", "b x"], 1);
        batch.push(call("c x"));
        for pairs in [shown(&sequence, &batch), shown(&batch, &sequence)] {
            assert!(!pairs.contains(['-', '+']), "{pairs}");
        }
        let other = batched(&["a x", "b y"], 1);
        assert_eq!(shown(&batched(&["a x", "b x"], 7), &other), "0=0 1=1");
    }

    #[test]
    fn batch_does_not_reach_across_other_steps() {
        let mut batch = vec![call("find x")];
        batch.extend(batched(&["a x", "b x"], 1));
        let old = [call("a x"), call("find x"), call("b x")];
        assert_eq!(shown(&old, &batch), "-0 1=0 +1 2=2", "`a` now waits for `find`");
    }

    #[test]
    fn long_attempts_are_aligned_in_windows() {
        let old: Vec<TrajectoryStep> = (0..1500).map(|number| call(&format!("find {number}"))).collect();
        let mut new = old.clone();
        new.remove(1000);
        new.insert(100, call("check 1"));
        let pairs = align(&old, &new);
        let alone: Vec<&StepPair> = pairs.iter().filter(|pair| !matches!(pair, StepPair::Both(..))).collect();
        assert_eq!(alone, [&StepPair::New(100), &StepPair::Old(1000)]);
    }
}
