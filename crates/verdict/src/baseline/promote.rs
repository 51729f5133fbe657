//! Turns the summary of a run into a baseline, or adds it to one.

use std::collections::BTreeSet;

use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::{Baseline, BaselineError, Prompts, print_baseline};

/// Creates a baseline file from a summary. With an `earlier` baseline (the document and what was read from it), the run
/// is added to its history, of which the newest `keep` runs stay. Cases that the run does not have are dropped if it is
/// `whole`, else they stay as they are.
pub fn promote(
    summary: &Value,
    earlier: Option<(&Value, &Baseline)>,
    keep: usize,
    whole: bool,
) -> Result<String, BaselineError> {
    let run = Baseline::read(summary)?;
    let Some((before, earlier)) = earlier else {
        return Ok(print_baseline(&with_cases(summary, summary, &BTreeSet::new()), &run));
    };
    let known = run.history.newest().is_some_and(|newest| earlier.history.contains(&newest.id));
    let history = match run.history.newest() {
        Some(newest) => earlier.history.with(newest.clone(), keep),
        None => earlier.history.clone(),
    };
    let older = earlier.history.newest().zip(run.history.newest()).is_some_and(|(last, this)| this.at < last.at);
    let baseline = Baseline { history, ..run };
    if known || older {
        // The cases of a newer run stay.
        return Ok(print_baseline(before, &baseline));
    }
    let ids: BTreeSet<&str> = baseline.cases.iter().map(|case| case.id.as_str()).collect();
    let kept = earlier.cases.iter().map(|case| case.id.as_str()).filter(|id| !whole && !ids.contains(id)).collect();
    Ok(print_baseline(&with_cases(summary, before, &kept), &baseline))
}

/// A summary with some more cases of an earlier baseline and what was sent to models in them.
fn with_cases(summary: &Value, earlier: &Value, kept: &BTreeSet<&str>) -> Value {
    let items = |document: &Value| document["cases"].as_array().cloned().unwrap_or_default();
    let id = |case: &Value| case["id"].as_str().unwrap_or_default().to_owned();
    let mut cases = items(summary);
    cases.extend(items(earlier).into_iter().filter(|case| kept.contains(id(case).as_str())));
    cases.sort_by_key(id);
    let mut document = json!({ "suite": summary["suite"], "cases": cases });
    if let Some(prompts) = prompts(summary, earlier, &cases) {
        document["prompts"] = prompts;
    }
    document
}

/// The prompts that the cases refer to, from both documents. Those recorded by another rule cannot be compared with the
/// new ones and are dropped.
fn prompts(summary: &Value, earlier: &Value, cases: &[Value]) -> Option<Value> {
    let read = |document: &Value| Prompts::deserialize(&document["prompts"]).ok();
    let mut all = match (read(summary), read(earlier)) {
        (Some(new), Some(mut old)) if old.rule == new.rule => {
            old.requests.extend(new.requests);
            old.systems.extend(new.systems);
            old.tools.extend(new.tools);
            old
        }
        (new, old) => new.or(old)?,
    };
    let asked: BTreeSet<&str> = cases.iter().flat_map(|case| strings(&case["asked"])).collect();
    all.requests.retain(|id, _| asked.contains(id.as_str()));
    let systems: BTreeSet<&String> = all.requests.values().filter_map(|request| request.system.as_ref()).collect();
    let tools: BTreeSet<&String> = all.requests.values().flat_map(|request| &request.tools).collect();
    all.systems.retain(|id, _| systems.contains(id));
    all.tools.retain(|id, _| tools.contains(id));
    Some(serde_json::to_value(&all).expect("prompts have a form in JSON"))
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Why a run should not become a baseline: not all of its suite was run.
pub fn incomplete(summary: &Value) -> Option<String> {
    let count = |pointer: &str| summary.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    if summary["run"]["interrupted"] == json!(true) {
        return Some("the run was interrupted".to_owned());
    }
    if let Some(flag) = summary.pointer("/run/ceiling/flag").and_then(Value::as_str) {
        return Some(format!("the run was stopped by `{}`", flag.escape_debug()));
    }
    let (not_run, left_out) = (count("/aggregates/cases_not_run"), count("/suite/cases_left_out"));
    match (not_run, left_out) {
        (0, 0) => None,
        (0, _) => Some(format!("the run left out {left_out} of the suite's cases")),
        (_, _) => Some(format!("the run ended before {not_run} of its cases were run")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn summary(at: &str, statuses: &[(&str, &str)]) -> Value {
        let case = |(id, status): &(&str, &str)| {
            json!({ "id": id, "status": status, "wall_ms": 1, "tool_calls": 0, "tool_errors": 0, "mine": 7,
                    "stderr_tail": ["x"], "assertions": { "total": 0, "failed": 0 }, "tool_steps": [],
                    "asked": [format!("q-{id}")] })
        };
        let ids: Vec<&str> = statuses.iter().map(|(id, _)| *id).collect();
        let request = |id: &&str| (format!("q-{id}"), json!({ "parameters": { "hash": "0" }, "system": "s1" }));
        json!({
            "suite": { "name": "s", "suite_path": "", "agent_command": [], "tool_mode": "replay" },
            "schema_version": 1,
            "generated_at": at,
            "run": { "run_id": "r", "mode": "replay", "exit_status": "failed", "interrupted": false },
            "regression": { "passed": false },
            "aggregates": { "cases_total": 1, "cases_pass": 1, "cases_fail": 0, "cases_error": 0, "pass_rate": 1,
                            "metrics": {} },
            "cases": statuses.iter().map(case).collect::<Vec<_>>(),
            "prompts": { "rule": 1, "requests": ids.iter().map(request).collect::<Map<_, _>>(),
                         "systems": { "s1": { "lines": ["0 hi"] } }, "tools": {} },
        })
    }

    /// Adds a run to a baseline file.
    fn added(file: &str, summary: &Value, keep: usize, whole: bool) -> String {
        let document: Value = serde_json::from_str(file).unwrap();
        let earlier = Baseline::read(&document).unwrap();
        promote(summary, Some((&document, &earlier)), keep, whole).unwrap()
    }

    fn history(file: &str, case: &str) -> (u64, u64) {
        let total = Baseline::parse(file.as_bytes()).unwrap().history.total(case);
        (total.passes, total.runs)
    }

    fn ids(file: &str) -> Vec<String> {
        Baseline::parse(file.as_bytes()).unwrap().cases.into_iter().map(|case| case.id).collect()
    }

    #[test]
    fn baseline_has_one_line_per_case_run_and_prompt() {
        let file = promote(&summary("1", &[("b", "pass"), ("a", "skipped")]), None, 50, true).unwrap();
        let lines: Vec<&str> = file.lines().collect();
        assert!(lines.iter().any(|line| line.starts_with(r#"{"id":"a","status":"skipped","#)), "{file}");
        assert!(lines.iter().any(|line| line.starts_with(r#"{"id":"b","status":"pass","#)), "{file}");
        assert!(lines.iter().any(|line| line.starts_with(r#""q-a": {"#)), "{file}");
        for gone in ["mine", "stderr_tail", "regression"] {
            assert!(!file.contains(gone), "{file}");
        }
        assert_eq!((history(&file, "a"), history(&file, "b")), ((0, 0), (1, 1)));
    }

    #[test]
    fn printed_baseline_reads_back_unchanged() {
        let file = promote(&summary("1", &[("a", "pass"), ("b", "fail")]), None, 50, true).unwrap();
        let document: Value = serde_json::from_str(&file).unwrap();
        assert_eq!(print_baseline(&document, &Baseline::read(&document).unwrap()), file);
    }

    #[test]
    fn adding_a_run_twice_changes_nothing() {
        let first = promote(&summary("1", &[("a", "pass")]), None, 50, true).unwrap();
        assert_eq!(added(&first, &summary("1", &[("a", "pass")]), 50, true), first);
        let second = added(&first, &summary("2", &[("a", "fail")]), 50, true);
        assert_eq!(history(&second, "a"), (1, 2));
        assert_eq!(added(&second, &summary("2", &[("a", "fail")]), 50, true), second);
        // Also if other runs were added meanwhile.
        let third = added(&second, &summary("3", &[("a", "pass")]), 50, true);
        assert_eq!(added(&third, &summary("2", &[("a", "fail")]), 50, true), third);
    }

    #[test]
    fn only_the_newest_runs_are_kept() {
        let first = promote(&summary("1", &[("a", "fail")]), None, 2, true).unwrap();
        let second = added(&first, &summary("2", &[("a", "pass")]), 2, true);
        assert_eq!(history(&added(&second, &summary("3", &[("a", "pass")]), 2, true), "a"), (2, 2));
    }

    #[test]
    fn complete_run_drops_other_cases_and_partial_run_keeps_them() {
        let first = promote(&summary("1", &[("a", "pass"), ("b", "pass")]), None, 50, true).unwrap();
        let run = summary("2", &[("b", "fail"), ("c", "pass")]);
        assert_eq!(ids(&added(&first, &run, 50, true)), ["b", "c"]);
        let part = added(&first, &run, 50, false);
        assert_eq!(ids(&part), ["a", "b", "c"]);
        assert_eq!((history(&part, "a"), history(&part, "b")), ((1, 1), (1, 2)));
        assert!(part.contains("\"q-a\": {") && part.contains("\"q-c\": {"), "{part}");
    }

    #[test]
    fn line_of_a_case_changes_only_with_its_behaviour() {
        let first = promote(&summary("1", &[("a", "pass"), ("b", "pass")]), None, 50, true).unwrap();
        let second = added(&first, &summary("2", &[("a", "pass"), ("b", "fail")]), 50, true);
        let line = |file: &str, id: &str| {
            file.lines()
                .find(|line| line.starts_with(&format!(r#"{{"id":"{id}""#)))
                .map(|line| line.trim_end_matches(',').to_owned())
        };
        assert_eq!(line(&first, "a"), line(&second, "a"));
        assert_ne!(line(&first, "b"), line(&second, "b"));
    }

    #[test]
    fn reports_cases_that_were_not_run() {
        let whole = summary("1", &[("a", "pass")]);
        assert_eq!(incomplete(&whole), None);
        let with = |pointer: &str, name: &str, value: Value| {
            let mut summary = whole.clone();
            summary.pointer_mut(pointer).unwrap()[name] = value;
            incomplete(&summary)
        };
        assert_eq!(with("/run", "interrupted", json!(true)).unwrap(), "the run was interrupted");
        assert_eq!(with("/suite", "cases_left_out", json!(2)).unwrap(), "the run left out 2 of the suite's cases");
        assert_eq!(
            with("/aggregates", "cases_not_run", json!(3)).unwrap(),
            "the run ended before 3 of its cases were run"
        );
        assert!(matches!(promote(&json!({}), None, 50, true), Err(BaselineError::Shape(_))));
    }
}
