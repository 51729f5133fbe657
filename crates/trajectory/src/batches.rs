//! Finds calls that run in parallel: their order means nothing.

use crate::{StepKind, TrajectoryStep};

/// When a call was made, as positions of events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallSpan {
    /// The first observation.
    pub(crate) start: usize,
    /// The result.
    pub(crate) end: Option<usize>,
    /// The number of the model's answer that requested it.
    pub(crate) answer: Option<usize>,
    /// The call during which it was made.
    pub(crate) part_of: Option<usize>,
}

/// The batch of each call. Calls are parallel if one model answer requests them, or if one starts before the result of
/// another arrives. Calls without results that no model answer connects are in sequence, as far as is known.
pub(crate) fn batches(spans: &[CallSpan]) -> Vec<Option<u32>> {
    let mut order: Vec<usize> = (0..spans.len()).filter(|at| spans[*at].part_of.is_none()).collect();
    order.sort_by_key(|at| spans[*at].start);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in order {
        match groups.last_mut() {
            Some(group) if group.iter().any(|other| are_parallel(&spans[*other], &spans[at])) => group.push(at),
            _ => groups.push(vec![at]),
        }
    }
    for of in 0..spans.len() {
        groups.push((0..spans.len()).filter(|at| spans[*at].part_of == Some(of)).collect());
    }
    let mut batches = vec![None; spans.len()];
    for (number, group) in groups.iter().filter(|group| group.len() > 1).enumerate() {
        for at in group {
            batches[*at] = u32::try_from(number).ok();
        }
    }
    batches
}

fn are_parallel(earlier: &CallSpan, later: &CallSpan) -> bool {
    let of_one_answer = earlier.answer.is_some() && earlier.answer == later.answer;
    of_one_answer || earlier.end.is_some_and(|end| end > later.start)
}

/// Moves the steps of each batch to the place of its first one, in a fixed order.
pub(crate) fn in_canonical_order(steps: Vec<TrajectoryStep>) -> Vec<TrajectoryStep> {
    if steps.iter().all(|step| step.batch.is_none()) {
        return steps;
    }
    let first = |batch: u32| steps.iter().position(|step| step.batch == Some(batch));
    let places: Vec<usize> =
        steps.iter().enumerate().map(|(at, step)| step.batch.and_then(first).unwrap_or(at)).collect();
    let mut keyed: Vec<_> = steps
        .into_iter()
        .zip(places)
        .map(|(step, place)| {
            let key = match (step.kind, step.batch) {
                (StepKind::Call, Some(_)) => step.order_key(),
                _ => ("", String::new()),
            };
            ((place, key.0.to_owned(), key.1), step)
        })
        .collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    keyed.into_iter().map(|(_, step)| step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: Option<usize>, answer: Option<usize>) -> CallSpan {
        CallSpan { start, end, answer, part_of: None }
    }

    #[test]
    fn overlapping_calls_and_calls_of_one_answer_are_parallel() {
        let apart = [span(0, Some(1), None), span(2, Some(3), None)];
        assert_eq!(batches(&apart), [None, None]);
        let overlapping = [span(0, Some(2), None), span(1, Some(3), None), span(4, Some(5), None)];
        assert_eq!(batches(&overlapping), [Some(0), Some(0), None]);
        let of_answers = [span(1, None, Some(1)), span(2, None, Some(1)), span(4, None, Some(2))];
        assert_eq!(batches(&of_answers), [Some(0), Some(0), None]);
        let without_results = [span(0, None, None), span(1, None, None)];
        assert_eq!(batches(&without_results), [None, None], "their order is what the agent reported");
    }
}
