//! Pairs the cases of two runs and compares them.

use std::collections::BTreeMap;

use agentci_text::count_of;

use crate::{
    Baseline, BaselineCase, CallStep, CaseChanges, CaseStatus, SimilarityChange, SlowerCase, StatusChange, StepChange,
};

/// The number of baseline calls that are reported after the first difference.
const STEPS_AFTER: usize = 12;
/// The maximum number of slower cases that are named, and of new ones.
const SLOWER: usize = 3;
/// The minimum drop in similarity that is reported: rephrased answers always differ a little.
const DROP: f64 = 0.01;

/// All cases of the two runs. Some formats allow duplicate ids; then the nth case is compared with the nth.
pub(crate) struct Pairs<'c> {
    pairs: BTreeMap<(&'c str, usize), CasePair<'c>>,
    /// Whether the steps of both runs were recorded by the same rule.
    same_rule: bool,
}

/// A case in the baseline and in this run.
type CasePair<'c> = (Option<&'c BaselineCase>, Option<&'c BaselineCase>);

impl<'c> Pairs<'c> {
    pub(crate) fn new(baseline: Option<&'c Baseline>, current: &'c Baseline) -> Self {
        let mut pairs: BTreeMap<_, CasePair<'c>> = BTreeMap::new();
        for (key, case) in numbered(baseline.map_or(&[], |baseline| &baseline.cases)) {
            pairs.entry(key).or_default().0 = Some(case);
        }
        for (key, case) in numbered(&current.cases) {
            pairs.entry(key).or_default().1 = Some(case);
        }
        let same_rule = baseline.is_none_or(|baseline| baseline.steps_rule == current.steps_rule);
        Self { pairs, same_rule }
    }

    /// Whether the steps of a case can be compared. Recorded by another rule, they differ even if the agent did not
    /// change.
    fn steps_compare(&self, current: &BaselineCase) -> bool {
        self.same_rule || !current.seen_by_others
    }

    /// The cases with different tool calls, possibly only because they were counted by another rule.
    pub(crate) fn other_rule(&self) -> Vec<String> {
        let others = self.both().filter(|(_, current)| !self.steps_compare(current));
        let departure = |(baseline, current)| departure(baseline, current, self.same_rule);
        others.filter_map(departure).map(|change| change.id).collect()
    }

    pub(crate) fn both(&self) -> impl Iterator<Item = (&'c BaselineCase, &'c BaselineCase)> {
        self.pairs.values().filter_map(|(baseline, current)| Some(((*baseline)?, (*current)?)))
    }

    /// Whether any case was run in both runs.
    pub(crate) fn any(&self) -> bool {
        self.both().any(|(old, new)| old.status != CaseStatus::Skipped && new.status != CaseStatus::Skipped)
    }

    /// Whether the tool calls of any case are known in both runs.
    pub(crate) fn any_steps(&self) -> bool {
        self.both().any(|(old, new)| old.steps.is_some() && new.steps.is_some())
    }

    /// Cases that fail now but did not fail in the baseline: they passed there, or are new or renamed. A case that
    /// passed only in some runs of the baseline is not a new failure, but a warning.
    pub(crate) fn new_failures(&self, warnings: &mut Vec<String>) -> Vec<String> {
        let mut failures = Vec::new();
        for (baseline, current) in self.pairs.values().filter_map(|(baseline, current)| Some((*baseline, (*current)?)))
        {
            if baseline.is_some_and(|baseline| is_failure(baseline.status)) || !is_failure(current.status) {
                continue;
            }
            if let Some(history) = baseline.map(|baseline| baseline.history).filter(|history| history.is_mixed()) {
                let id = &current.id;
                let (passes, runs) = (history.passes, history.runs);
                warnings
                    .push(format!("`{id}` does not pass and is not counted by `no_new_failures`: in the baseline it passed {passes} of {runs} runs"));
            } else {
                failures.push(current.id.clone());
            }
        }
        failures
    }

    /// Cases that ran in the baseline but not in this run: they were removed or skipped.
    pub(crate) fn missing(&self) -> Vec<String> {
        let not_run = |case: Option<&BaselineCase>| case.is_none_or(|case| case.status == CaseStatus::Skipped);
        let missing = self.pairs.values().filter(|(baseline, current)| !not_run(*baseline) && not_run(*current));
        missing.filter_map(|(baseline, _)| Some((*baseline)?.id.clone())).collect()
    }

    /// The cases that made a wall time grow most, largest growth first, and then the slowest that did not run in the
    /// baseline. Those can only raise it if they take longer than `usual`, the wall time of the baseline.
    pub(crate) fn slower(&self, usual: Option<f64>) -> Vec<SlowerCase> {
        let ran = |case: &&BaselineCase| case.status != CaseStatus::Skipped;
        let now = self.pairs.values().filter_map(|(old, new)| Some((old.filter(ran), new.filter(ran)?)));
        let mut slower: Vec<(f64, SlowerCase)> = now
            .filter_map(|(old, new)| {
                let baseline = old.map(|old| old.wall_ms);
                let grown = new.wall_ms - baseline.or(usual)?;
                (grown > 0.0).then(|| (grown, SlowerCase { id: new.id.clone(), baseline, current: new.wall_ms }))
            })
            .collect();
        slower.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let (mut old, mut new): (Vec<_>, Vec<_>) =
            slower.into_iter().map(|(_, case)| case).partition(|case| case.baseline.is_some());
        old.truncate(SLOWER);
        new.truncate(SLOWER);
        old.append(&mut new);
        old
    }

    pub(crate) fn changes(&self) -> CaseChanges {
        let id = |case: &BaselineCase| case.id.clone();
        let missing = self.pairs.values().filter(|(_, current)| current.is_none());
        let new = self.pairs.values().filter(|(baseline, _)| baseline.is_none());
        CaseChanges {
            missing_in_current: missing.filter_map(|(baseline, _)| baseline.map(id)).collect(),
            new_in_current: new.filter_map(|(_, current)| current.map(id)).collect(),
            status_changed: self
                .both()
                .filter(|(baseline, current)| baseline.status != current.status)
                .map(|(old, new)| StatusChange { id: id(new), baseline: old.status, current: new.status })
                .collect(),
            steps_changed: self.departures().collect(),
            prompts_changed: Vec::new(),
            similarity_dropped: self.both().filter_map(|(baseline, current)| drop(baseline, current)).collect(),
        }
    }

    fn departures(&self) -> impl Iterator<Item = StepChange> {
        let compared = self.both().filter(|(_, current)| self.steps_compare(current));
        compared.filter_map(|(baseline, current)| departure(baseline, current, self.same_rule))
    }

    /// The cases whose tool calls differ from the baseline.
    pub(crate) fn departed(&self) -> Vec<String> {
        self.departures().map(|change| change.id).collect()
    }

    /// The warning for similarities of different embedders, which use different scales and are not compared.
    pub(crate) fn incomparable(&self) -> Option<String> {
        let measured = self.both().filter_map(|(old, new)| Some((old.similarity.as_ref()?, new.similarity.as_ref()?)));
        let others: Vec<_> = measured.filter(|(old, new)| old.embedder != new.embedder).collect();
        let (old, new) = others.first()?;
        let cases = count_of(others.len(), "case");
        Some(format!(
            "similarities of {cases} are not compared: the baseline used the embedder `{}`, this run `{}`",
            old.embedder, new.embedder
        ))
    }
}

fn numbered(cases: &[BaselineCase]) -> impl Iterator<Item = ((&str, usize), &BaselineCase)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    cases.iter().map(move |case| {
        let count = seen.entry(case.id.as_str()).or_default();
        *count += 1;
        ((case.id.as_str(), *count), case)
    })
}

fn is_failure(status: CaseStatus) -> bool {
    matches!(status, CaseStatus::Fail | CaseStatus::Error)
}

/// The drop in similarity, if there is one and both were measured by the same embedder.
fn drop(baseline: &BaselineCase, current: &BaselineCase) -> Option<SimilarityChange> {
    let (old, new) = (baseline.similarity.as_ref()?, current.similarity.as_ref()?);
    let dropped = old.embedder == new.embedder && old.similarity - new.similarity >= DROP - 1e-9;
    dropped.then(|| SimilarityChange {
        id: current.id.clone(),
        baseline: old.similarity,
        current: new.similarity,
        embedder: new.embedder.clone(),
    })
}

/// The first tool call that differs, if both runs recorded theirs. Other rules did not record who saw a call, or the
/// exchanges during it.
fn departure(baseline: &BaselineCase, current: &BaselineCase, same_rule: bool) -> Option<StepChange> {
    if baseline.status == CaseStatus::Skipped || current.status == CaseStatus::Skipped {
        return None;
    }
    let (old, exchanges_before) = calls_and_exchanges(baseline.steps.as_deref()?);
    let (new, exchanges_now) = calls_and_exchanges(current.steps.as_deref()?);
    let is_same = if same_rule { CallStep::is_repeated_by } else { CallStep::is_same_call };
    let same = old.iter().zip(new).take_while(|(old, new)| is_same(old, new)).count();
    let (number, before, now) = match (old.get(same), new.get(same)) {
        (None, None) if same_rule => other_exchange(exchanges_before, exchanges_now)?,
        (None, None) => return None,
        (before, now) => (1, before, now),
    };
    Some(StepChange {
        id: current.id.clone(),
        first_difference: same + number,
        baseline: before.cloned(),
        baseline_after: old.iter().skip(same + 1).take(STEPS_AFTER).cloned().collect(),
        current: now.cloned(),
    })
}

/// Splits steps into calls, which come first, and the exchanges during calls.
fn calls_and_exchanges(steps: &[CallStep]) -> (&[CallStep], &[CallStep]) {
    steps.split_at(steps.iter().position(|step| step.within).unwrap_or(steps.len()))
}

/// The first exchange that only one of the runs has, with its number: the old and the new one. Concurrent calls make
/// exchanges in any order, so the order does not matter.
fn other_exchange<'s>(
    old: &'s [CallStep],
    new: &'s [CallStep],
) -> Option<(usize, Option<&'s CallStep>, Option<&'s CallStep>)> {
    let only = |of: &'s [CallStep], others: &[CallStep]| {
        let times = |steps: &[CallStep], step: &CallStep| steps.iter().filter(|other| other.is_same_call(step)).count();
        of.iter().enumerate().find(|(at, step)| times(&of[..=*at], step) > times(others, step))
    };
    match (only(old, new), only(new, old)) {
        (None, None) => None,
        (Some((at, before)), now) => Some((at + 1, Some(before), now.map(|(_, now)| now))),
        (None, Some((at, now))) => Some((at + 1, None, Some(now))),
    }
}

/// Runs and cases for tests.
#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use crate::{CaseSample, SCHEMA_VERSION};

    /// A run of one millisecond a case.
    pub(crate) fn run<const N: usize>(cases: [BaselineCase; N]) -> Baseline {
        let ids: std::collections::BTreeSet<String> = cases.iter().map(|case| case.id.clone()).collect();
        let all = Baseline {
            schema_version: SCHEMA_VERSION,
            steps_rule: crate::STEPS_RULE,
            suite: "demo".into(),
            pass_rate: 0.0,
            wall_ms_mean: None,
            wall_ms_p95: None,
            cases: cases.into(),
            ..Baseline::default()
        };
        all.only(&ids.iter().map(String::as_str).collect())
    }

    pub(crate) fn case(id: &str, status: CaseStatus, steps: &[(&str, &str)]) -> BaselineCase {
        let step = |(tool, hash): &(&str, &str)| CallStep {
            tool: (*tool).into(),
            args_hash: (*hash).into(),
            ..CallStep::default()
        };
        let sample = CaseSample { runs: 1, passes: u64::from(status == CaseStatus::Pass), ..CaseSample::default() };
        BaselineCase {
            id: id.into(),
            status,
            wall_ms: 1.0,
            steps: Some(steps.iter().map(step).collect()),
            seen_by_others: false,
            asked: None,
            came_to_its_end: status != CaseStatus::Error,
            similarity: None,
            deterministic: false,
            most_runs: None,
            sample,
            history: sample.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{case, run};
    use super::*;

    #[test]
    fn call_no_longer_executed_is_a_different_step() {
        let of = |only_answered| {
            let mut case = case("a", CaseStatus::Pass, &[("refund", "0")]);
            case.steps.iter_mut().flatten().for_each(|step| step.only_answered = only_answered);
            case
        };
        assert_eq!(departure(&of(false), &of(true), true).map(|change| change.first_difference), Some(1));
        assert_eq!(departure(&of(true), &of(false), true), None, "only now somebody could see it");
        assert_eq!(departure(&of(true), &of(true), true), None);
        assert_eq!(departure(&of(false), &of(true), false), None, "the first rule did not write it down");
    }

    #[test]
    fn exchanges_during_calls_are_compared_regardless_of_order() {
        let of = |exchanges: &[(&str, &str)]| {
            let calls = [("refund", "0")];
            let mut case = case("a", CaseStatus::Pass, &[&calls, exchanges].concat());
            case.steps.iter_mut().flatten().skip(1).for_each(|step| step.within = true);
            case
        };
        let change = |old: &[(&str, &str)], new: &[(&str, &str)]| {
            let name = |step: Option<CallStep>| step.map(|step| step.tool);
            let change = departure(&of(old), &of(new), true)?;
            Some((change.first_difference, name(change.baseline), name(change.current)))
        };
        assert_eq!(change(&[("a", "1"), ("b", "1")], &[("b", "1"), ("a", "1")]), None);
        assert_eq!(change(&[("a", "1"), ("b", "1")], &[("b", "1")]), Some((2, Some("a".into()), None)));
        assert_eq!(change(&[("a", "1")], &[("a", "1"), ("a", "1")]), Some((3, None, Some("a".into()))));
        assert_eq!(change(&[("a", "1")], &[("a", "2")]), Some((2, Some("a".into()), Some("a".into()))));
    }

    #[test]
    fn lists_changed_cases() {
        let baseline = run([
            case("a", CaseStatus::Pass, &[]),
            case("gone", CaseStatus::Pass, &[]),
            case("later", CaseStatus::Pass, &[]),
        ]);
        let current = run([
            case("a", CaseStatus::Error, &[]),
            case("later", CaseStatus::Skipped, &[]),
            case("new", CaseStatus::Pass, &[]),
        ]);
        let pairs = Pairs::new(Some(&baseline), &current);
        let changes = pairs.changes();
        assert_eq!(
            (&changes.missing_in_current[..], &changes.new_in_current[..]),
            (&["gone".into()][..], &["new".into()][..])
        );
        let ended: Vec<_> = changes.status_changed.iter().map(|change| (&*change.id, change.current)).collect();
        assert_eq!(ended, [("a", CaseStatus::Error), ("later", CaseStatus::Skipped)]);
        assert_eq!(pairs.missing(), ["gone", "later"]);
        assert_eq!(pairs.new_failures(&mut Vec::new()), ["a"]);
    }

    #[test]
    fn failing_case_without_baseline_result_is_a_new_failure() {
        let baseline = run([
            case("known", CaseStatus::Fail, &[]),
            case("old", CaseStatus::Pass, &[]),
            case("later", CaseStatus::Skipped, &[]),
        ]);
        let current = run([
            case("known", CaseStatus::Error, &[]),
            case("renamed", CaseStatus::Fail, &[]),
            case("new", CaseStatus::Pass, &[]),
            case("later", CaseStatus::Fail, &[]),
        ]);
        let pairs = Pairs::new(Some(&baseline), &current);
        assert_eq!(pairs.new_failures(&mut Vec::new()), ["later", "renamed"]);
    }

    #[test]
    fn duplicate_ids_are_compared_individually() {
        let two = [case("a", CaseStatus::Pass, &[]), case("a", CaseStatus::Fail, &[])];
        let (baseline, current) = (run(two.clone()), run([two[0].clone()]));
        let changes = Pairs::new(Some(&baseline), &current).changes();
        assert_eq!((changes.missing_in_current.len(), changes.status_changed.len()), (1, 0));
    }

    #[test]
    fn finds_first_differing_step() {
        let find = |old: &[(&str, &str)], new: &[(&str, &str)]| {
            departure(&case("a", CaseStatus::Pass, old), &case("a", CaseStatus::Fail, new), true)
        };
        assert_eq!(find(&[("s", "1")], &[("s", "1")]), None);
        let other = find(&[("s", "1"), ("s", "2")], &[("s", "1"), ("c", "2"), ("s", "3")]).unwrap();
        assert_eq!(
            (other.first_difference, other.baseline.unwrap().tool, other.current.unwrap().tool),
            (2, "s".into(), "c".into())
        );
        let arguments = find(&[("s", "1")], &[("s", "2")]).unwrap();
        assert_eq!(arguments.baseline.unwrap().tool, arguments.current.unwrap().tool);
        let shorter = find(&[("s", "1")], &[]).unwrap();
        assert_eq!((shorter.first_difference, shorter.current), (1, None));
        let rest = find(&[("s", "1"), ("c", "2"), ("d", "3")], &[("x", "1")]).unwrap().baseline_after;
        assert_eq!(rest.iter().map(|step| step.tool.as_str()).collect::<Vec<_>>(), ["c", "d"]);
        let longer = find(&[], &[("s", "1")]).unwrap();
        assert_eq!((longer.first_difference, longer.baseline), (1, None));
    }

    #[test]
    fn unrecorded_steps_are_not_compared() {
        let unknown = BaselineCase { steps: None, ..case("a", CaseStatus::Pass, &[]) };
        assert_eq!(departure(&unknown, &case("a", CaseStatus::Pass, &[("s", "1")]), true), None);
        assert_eq!(
            departure(&case("a", CaseStatus::Pass, &[("s", "1")]), &case("a", CaseStatus::Skipped, &[]), true),
            None
        );
    }

    #[test]
    fn similarities_are_compared_only_for_same_embedder() {
        let measured = |id: &str, similarity, embedder: &str| BaselineCase {
            similarity: Some(crate::Measure { similarity, embedder: embedder.into() }),
            ..case(id, CaseStatus::Pass, &[])
        };
        let baseline = run([measured("a", 0.9, "x"), measured("b", 0.9, "x"), measured("c", 0.9, "x")]);
        let current = run([measured("a", 0.89, "x"), measured("b", 0.895, "x"), measured("c", 0.5, "y")]);
        let pairs = Pairs::new(Some(&baseline), &current);
        let dropped: Vec<_> = pairs.changes().similarity_dropped;
        assert_eq!(dropped.iter().map(|change| (&*change.id, change.current)).collect::<Vec<_>>(), [("a", 0.89)]);
        assert_eq!(
            pairs.incomparable().unwrap(),
            "similarities of 1 case are not compared: the baseline used the embedder `x`, this run `y`"
        );
        assert_eq!(Pairs::new(Some(&baseline), &baseline).incomparable(), None);
    }
}
