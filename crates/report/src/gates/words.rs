//! Describes gates and changes, one sentence each. Names come from suites and agents; callers escape them.

use std::collections::BTreeSet;

use agentci_verdict::{
    CallStep, CaseChanges, Gate, GateCheck, GateStatus, PromptChange, SimilarityChange, SlowerCase, StatusChange,
    StepChange,
};
use serde_json::{Map, Value};

use super::noise;
use crate::rounding::{self, rounded};
use crate::{count_of, duration_of, first_of};

/// The maximum number of cases that a sentence names.
const NAMED: usize = 10;

/// The maximum number of differing arguments that a sentence names.
const ARGUMENTS: usize = 3;

/// Why a baseline cannot be used.
pub fn baseline_problem(path: &str, problem: &str) -> String {
    format!("the baseline `{path}` cannot be used: {problem}")
}

/// The result of a gate: `0.80 is below 0.90 (baseline 1.00)`.
pub fn gate(check: &GateCheck) -> String {
    if let Some(note) = &check.note {
        return format!("not evaluated: {note}");
    }
    if let Some(report) = &check.noise {
        return noise::sentence(check.id, report);
    }
    let (none, names) = (check.cases.is_empty(), first_of(&check.cases, NAMED));
    let cases = |one: &str, many: &str| match check.cases.len() {
        1 => format!("1 case {one}"),
        count => format!("{count} cases {many}"),
    };
    match check.id {
        Gate::MinPassRate => pass_rate(check),
        Gate::MaxAvgWallMsDeltaPct => wall("mean", check),
        Gate::MaxP95WallMsDeltaPct => wall("p95", check),
        Gate::NoNewFailures if none => "no case fails that did not fail in the baseline".to_owned(),
        Gate::NoNewFailures => format!("{} that did not fail in the baseline: {names}", cases("fails", "fail")),
        Gate::NoMissingCases if none => "every case of the baseline was run".to_owned(),
        Gate::NoMissingCases => format!("{} of the baseline not run: {names}", count_of(check.cases.len(), "case")),
        Gate::NoChangedSteps if none => "every case calls its tools as in the baseline".to_owned(),
        Gate::NoChangedSteps => {
            format!("{} tools differently from the baseline: {names}", cases("calls its", "call their"))
        }
        Gate::NoChangedPrompts if none => {
            "models are called with the prompts, tools and parameters of the baseline".to_owned()
        }
        Gate::NoChangedPrompts => {
            let change = check.change.as_deref().unwrap_or_default();
            format!("{} models differently from the baseline ({names}): {change}", cases("calls its", "call their"))
        }
        Gate::NoRegression | Gate::NoSlower | Gate::NoCostlier => "not evaluated".to_owned(),
    }
}

/// All changes of cases, one line each; at most `limit` of each kind.
pub fn changes(changes: &CaseChanges, limit: usize) -> Vec<String> {
    let mut lines = Vec::new();
    extend(&mut lines, &changes.status_changed, limit, status_change);
    extend(&mut lines, &changes.steps_changed, limit, step_change);
    extend(&mut lines, &changes.prompts_changed, limit, prompt_change);
    extend(&mut lines, &changes.similarity_dropped, limit, similarity_change);
    extend(&mut lines, &changes.missing_in_current, limit, |id| format!("{id}: in the baseline, not in this run"));
    extend(&mut lines, &changes.new_in_current, limit, |id| format!("{id}: not in the baseline"));
    lines
}

fn extend<T>(lines: &mut Vec<String>, list: &[T], limit: usize, line: impl Fn(&T) -> String) {
    lines.extend(list.iter().take(limit).map(line));
    if list.len() > limit {
        lines.push(format!("... and {} more like this", list.len() - limit));
    }
}

fn status_change(change: &StatusChange) -> String {
    format!("{}: {} -> {}", change.id, change.baseline.name(), change.current.name())
}

/// `agent "You route requests.": system prompt: 1 line changed; ..`.
fn prompt_change(change: &PromptChange) -> String {
    match &change.agent {
        Some(agent) => format!("agent {agent:?}: {}", change.change),
        None => change.change.clone(),
    }
}

fn similarity_change(change: &SimilarityChange) -> String {
    let SimilarityChange { id, baseline, current, embedder } = change;
    format!("{id}: similarity {baseline:.4} -> {current:.4} ({embedder})")
}

fn step_change(change: &StepChange) -> String {
    let StepChange { id, first_difference: number, baseline, current, .. } = change;
    if baseline.as_ref().or(current.as_ref()).is_some_and(|step| step.within) {
        return format!("{id}: {}", exchange_change(baseline.as_ref(), current.as_ref()));
    }
    match (baseline, current) {
        (Some(old), Some(new)) if old.is_same_call(new) && new.only_answered => {
            format!(
                "{id}: step {number} is {} as before, but the agent answered its model without calling it",
                new.tool
            )
        }
        (Some(old), Some(new)) if old.tool == new.tool => {
            let differ = arguments(old, new).unwrap_or_else(|| "its arguments differ".to_owned());
            format!("{id}: step {number} is {} as before, but {differ}", new.tool)
        }
        (Some(old), Some(new)) => format!("{id}: step {number} was {}, is {}", old.tool, new.tool),
        (Some(old), None) => format!("{id}: step {number} was {}, is missing", old.tool),
        (None, Some(new)) => format!("{id}: step {number} is new: {}", new.tool),
        (None, None) => format!("{id}: step {number} differs"),
    }
}

/// An exchange during a call that only one of the runs has.
fn exchange_change(baseline: Option<&CallStep>, current: Option<&CallStep>) -> String {
    match (baseline, current) {
        (Some(old), Some(new)) if old.tool == new.tool => {
            let differ = arguments(old, new).unwrap_or_else(|| "its arguments differ".to_owned());
            format!("an exchange with {} during a call is as before, but {differ}", new.tool)
        }
        (Some(old), Some(new)) => format!("an exchange during a call was with {}, is with {}", old.tool, new.tool),
        (Some(old), None) => format!("an exchange with {} during a call is missing", old.tool),
        (None, new) => format!("an exchange with {} during a call is new", new.map_or("a tool", |new| &new.tool)),
    }
}

/// The names of the arguments of a call that differ, if both runs recorded them and any differ.
pub(crate) fn differing_arguments(old: &CallStep, new: &CallStep) -> Option<Vec<String>> {
    let names: Vec<String> = differing(&recorded(old)?, &recorded(new)?).into_iter().cloned().collect();
    (!names.is_empty()).then_some(names)
}

fn recorded(step: &CallStep) -> Option<Map<String, Value>> {
    serde_json::from_str(step.args.as_deref()?).ok()
}

fn differing<'a>(old: &'a Map<String, Value>, new: &'a Map<String, Value>) -> Vec<&'a String> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).collect()
}

/// The arguments of a call that differ, if both runs recorded them.
fn arguments(old: &CallStep, new: &CallStep) -> Option<String> {
    let (old, new) = (recorded(old)?, recorded(new)?);
    let shown = |value: Option<&Value>| value.map_or_else(|| "missing".to_owned(), Value::to_string);
    let differ = differing(&old, &new);
    let told = differ.iter().take(ARGUMENTS);
    let told = told.map(|name| format!("`{name}` was {}, is {}", shown(old.get(*name)), shown(new.get(*name))));
    let told = told.collect::<Vec<_>>().join("; ");
    match differ.len().saturating_sub(ARGUMENTS) {
        _ if told.is_empty() => None,
        0 => Some(told),
        more => Some(format!("{told}; and {more} more")),
    }
}

fn pass_rate(check: &GateCheck) -> String {
    let (current, threshold) = (check.current.unwrap_or_default(), check.threshold.unwrap_or_default());
    let relation = if check.status == GateStatus::Fail { "is below" } else { "is at least" };
    let baseline = check.baseline.map(|rate| format!(" (baseline {})", rounding::rate(rate))).unwrap_or_default();
    format!("{} {relation} {}{baseline}", rounded(current, 2, &[threshold, 0.0, 1.0]), plain(threshold, 2))
}

fn wall(which: &str, check: &GateCheck) -> String {
    let (Some(baseline), Some(current), Some(delta)) = (check.baseline, check.current, check.delta_pct) else {
        return format!("the {which} wall time cannot be compared");
    };
    let (delta, limit) = (delta * 100.0, check.threshold.unwrap_or_default() * 100.0);
    let relation = if delta < 0.0 { "less" } else { "more" };
    let shown = rounded(delta, 0, &[limit, 0.0]);
    let (old, new): (Vec<_>, Vec<_>) = check.slower.iter().partition(|case| case.baseline.is_some());
    let listed = |label: &str, cases: &[&SlowerCase]| {
        let cases: Vec<String> = cases.iter().map(|case| slower(case)).collect();
        if cases.is_empty() { String::new() } else { format!("; {label}: {}", cases.join(", ")) }
    };
    let most = listed("grew most", &old) + &listed("new", &new);
    format!(
        "{which} wall time {} is {} % {relation} than the baseline's {} (limit {} %, {} as a fraction){}{most}",
        duration_of(current),
        shown.trim_start_matches('-'),
        duration_of(baseline),
        plain(limit, 0),
        plain(limit / 100.0, 0),
        noise(check, current - baseline).unwrap_or_default(),
    )
}

/// Why a wall time over its limit does not fail the gate.
fn noise(check: &GateCheck, grown: f64) -> Option<String> {
    let least = check.min_wall_ms_delta.filter(|least| grown < *least)?;
    let over = check.delta_pct.zip(check.threshold).is_some_and(|(delta, limit)| delta > limit);
    let (grown, least) = (rounded(grown, 0, &[least, 0.0]), plain(least, 0));
    (over && check.status == GateStatus::Pass)
        .then(|| format!(", and a difference of {grown} ms is below `min_wall_ms_delta` ({least} ms)"))
}

/// `t1 10 ms -> 2.4 s`, or `t1 2.4 s` for a new case.
fn slower(case: &SlowerCase) -> String {
    let before = case.baseline.map(|baseline| format!("{} -> ", duration_of(baseline))).unwrap_or_default();
    format!("{} {before}{}", case.id, duration_of(case.current))
}

/// A number without floating-point noise in its last digits.
fn plain(number: f64, decimals: usize) -> String {
    let exact = format!("{number:.6}");
    let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
    let kept = fraction.trim_end_matches('0').len().max(decimals);
    if kept == 0 { whole.to_owned() } else { format!("{whole}.{}", &fraction[..kept]) }
}

#[cfg(test)]
mod tests {
    use agentci_verdict::{CallStep, CaseStatus};

    use super::*;

    fn check(id: Gate, status: GateStatus, threshold: f64) -> GateCheck {
        GateCheck {
            id,
            status,
            threshold: Some(threshold),
            baseline: None,
            current: None,
            delta: None,
            delta_pct: None,
            min_wall_ms_delta: None,
            cases: Vec::new(),
            slower: Vec::new(),
            change: None,
            noise: None,
            note: None,
        }
    }

    #[test]
    fn rates_show_enough_digits_to_differ_from_threshold() {
        let rate = |current, status| {
            let check = check(Gate::MinPassRate, status, 0.9);
            gate(&GateCheck { current: Some(current), baseline: Some(1.0), ..check })
        };
        assert_eq!(rate(0.8, GateStatus::Fail), "0.80 is below 0.90 (baseline 1.00)");
        assert_eq!(rate(0.9, GateStatus::Pass), "0.90 is at least 0.90 (baseline 1.00)");
        assert_eq!(rate(0.8999, GateStatus::Fail), "0.8999 is below 0.90 (baseline 1.00)");
        assert_eq!(rate(2.0 / 3.0, GateStatus::Fail), "0.67 is below 0.90 (baseline 1.00)");
        assert_eq!(rate(0.996, GateStatus::Pass), "0.996 is at least 0.90 (baseline 1.00)", "not everything passed");
    }

    #[test]
    fn wall_times_are_shown_with_relative_change() {
        let wall = |current: f64, status, threshold| {
            let delta_pct = Some((current - 50.0) / 50.0);
            let check = check(Gate::MaxAvgWallMsDeltaPct, status, threshold);
            gate(&GateCheck { current: Some(current), baseline: Some(50.0), delta_pct, ..check })
        };
        assert_eq!(
            wall(110.0, GateStatus::Fail, 0.125),
            "mean wall time 110 ms is 120 % more than the baseline's 50 ms (limit 12.5 %, 0.125 as a fraction)"
        );
        assert_eq!(
            wall(40.0, GateStatus::Pass, 0.1),
            "mean wall time 40 ms is 20 % less than the baseline's 50 ms (limit 10 %, 0.1 as a fraction)"
        );
        assert_eq!(
            wall(55.1, GateStatus::Fail, 0.1),
            "mean wall time 55 ms is 10.2 % more than the baseline's 50 ms (limit 10 %, 0.1 as a fraction)"
        );
        assert!(wall(50.1, GateStatus::Pass, 0.1).contains(" is 0.2 % more than "), "not 0 %");
        let check = check(Gate::MaxAvgWallMsDeltaPct, GateStatus::Pass, 0.1);
        let (current, baseline, min_wall_ms_delta) = (Some(84.0), Some(56.0), Some(50.0));
        let told = gate(&GateCheck { current, baseline, delta_pct: Some(0.5), min_wall_ms_delta, ..check });
        assert_eq!(
            told,
            "mean wall time 84 ms is 50 % more than the baseline's 56 ms (limit 10 %, 0.1 as a fraction), and a difference of \
             28 ms is below `min_wall_ms_delta` (50 ms)"
        );
    }

    #[test]
    fn increased_wall_time_lists_the_slowest_growing_cases() {
        let case = |id: &str, baseline, current| SlowerCase { id: id.into(), baseline: Some(baseline), current };
        let checkout = SlowerCase { id: "checkout".into(), baseline: None, current: 12_000.0 };
        let slower = vec![checkout, case("t1", 10.0, 2400.0), case("t2", 50.0, 51.0)];
        let check = check(Gate::MaxAvgWallMsDeltaPct, GateStatus::Fail, 0.1);
        let (current, baseline, delta_pct) = (Some(110.0), Some(50.0), Some(1.2));
        let told = gate(&GateCheck { current, baseline, delta_pct, slower, ..check });
        assert!(
            told.ends_with(
                "(limit 10 %, 0.1 as a fraction); grew most: t1 10 ms -> 2.4 s, t2 50 ms -> 51 ms; new: checkout 12.0 s"
            ),
            "{told}"
        );
    }

    #[test]
    fn long_case_lists_are_truncated() {
        let cases = |many: usize| (1..=many).map(|number| format!("t{number}")).collect::<Vec<_>>();
        let failures =
            |many| gate(&GateCheck { cases: cases(many), ..check(Gate::NoNewFailures, GateStatus::Fail, 0.0) });
        assert_eq!(failures(1), "1 case fails that did not fail in the baseline: t1");
        assert_eq!(failures(2), "2 cases fail that did not fail in the baseline: t1, t2");
        assert!(failures(12).ends_with("t9, t10 and 2 more"), "{}", failures(12));
        let missing = check(Gate::NoMissingCases, GateStatus::Fail, 0.0);
        assert_eq!(gate(&GateCheck { cases: cases(1), ..missing }), "1 case of the baseline not run: t1");
    }

    #[test]
    fn describes_first_different_step() {
        let step = |tool: &str, hash: &str| {
            Some(CallStep { tool: tool.into(), args_hash: hash.into(), ..CallStep::default() })
        };
        let given = |args: &str| Some(CallStep { args: Some(args.into()), ..step("a", args).unwrap() });
        let line = |baseline, current| {
            let (id, baseline_after) = ("t3".into(), Vec::new());
            step_change(&StepChange { id, first_difference: 2, baseline, baseline_after, current })
        };
        assert_eq!(line(step("a", "0"), step("b", "0")), "t3: step 2 was a, is b");
        assert_eq!(line(step("a", "0"), step("a", "1")), "t3: step 2 is a as before, but its arguments differ");
        assert_eq!(line(given("{}"), step("a", "1")), "t3: step 2 is a as before, but its arguments differ");
        assert_eq!(
            line(given(r#"{"a":1,"q":"x"}"#), given(r#"{"a":1,"q":"y","z":[]}"#)),
            "t3: step 2 is a as before, but `q` was \"x\", is \"y\"; `z` was missing, is []"
        );
        let many = |value: u8| given(&format!(r#"{{"a":{value},"b":{value},"c":{value},"d":{value},"e":{value}}}"#));
        assert!(line(many(1), many(2)).ends_with("`c` was 1, is 2; and 2 more"), "{}", line(many(1), many(2)));
        assert_eq!(line(step("a", "0"), None), "t3: step 2 was a, is missing");
        assert_eq!(line(None, step("a", "0")), "t3: step 2 is new: a");
        let told = step("a", "0").map(|step| CallStep { only_answered: true, ..step });
        assert_eq!(
            line(step("a", "0"), told),
            "t3: step 2 is a as before, but the agent answered its model without calling it"
        );
    }

    #[test]
    fn describes_exchange_during_a_call() {
        let step = |tool: &str| Some(CallStep { tool: tool.into(), within: true, ..CallStep::default() });
        let line = |baseline, current| {
            let (id, baseline_after) = ("t3".into(), Vec::new());
            step_change(&StepChange { id, first_difference: 2, baseline, baseline_after, current })
        };
        assert_eq!(line(step("a"), None), "t3: an exchange with a during a call is missing");
        assert_eq!(line(None, step("a")), "t3: an exchange with a during a call is new");
        assert_eq!(line(step("a"), step("b")), "t3: an exchange during a call was with a, is with b");
        assert_eq!(
            line(step("a"), step("a")),
            "t3: an exchange with a during a call is as before, but its arguments differ"
        );
    }

    #[test]
    fn long_change_lists_are_truncated() {
        let change =
            |number| StatusChange { id: format!("t{number}"), baseline: CaseStatus::Pass, current: CaseStatus::Fail };
        let all = CaseChanges { status_changed: (1..=4).map(change).collect(), ..CaseChanges::default() };
        assert_eq!(changes(&all, 2), ["t1: pass -> fail", "t2: pass -> fail", "... and 2 more like this"]);
    }
}
