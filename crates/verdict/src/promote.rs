//! Turns the summary of a run into a baseline.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{Baseline, BaselineError, CaseHistory, CaseStatus};

/// Creates a baseline from a summary: removes the run's own comparison and the output of its agents, and adds the runs
/// and passes of each case in the `earlier` baseline. Everything else stays, including unknown keys.
pub fn promote(mut summary: Value, earlier: Option<&Baseline>) -> Result<Value, BaselineError> {
    let run = Baseline::read(&summary)?;
    if let Some(fields) = summary.as_object_mut() {
        fields.remove("regression");
    }
    let earlier: BTreeMap<&str, CaseHistory> =
        earlier.iter().flat_map(|earlier| &earlier.cases).map(|case| (case.id.as_str(), case.history)).collect();
    summary["run"]["exit_status"] = json!(exit_status(&run));
    if let Some(cases) = summary["cases"].as_array_mut() {
        cases.sort_by(|one, other| one["id"].as_str().cmp(&other["id"].as_str()));
        for (case, read) in cases.iter_mut().zip(&run.cases) {
            let before = earlier.get(read.id.as_str()).copied().unwrap_or_default();
            let CaseHistory { runs, passes } = read.history.plus(before);
            case["history"] = json!({ "runs": runs, "passes": passes });
            // Comparisons do not use it, and it differs between machines.
            if let Some(fields) = case.as_object_mut() {
                fields.remove("stderr_tail");
            }
        }
    }
    summary.sort_all_objects();
    Ok(summary)
}

/// Why a run should not become a baseline: not all of its suite was run.
pub fn incomplete(summary: &Value) -> Option<String> {
    let count = |pointer: &str| summary.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    if summary["run"]["interrupted"] == json!(true) {
        return Some("the run was interrupted".to_owned());
    }
    let (not_run, left_out) = (count("/aggregates/cases_not_run"), count("/suite/cases_left_out"));
    match (not_run, left_out) {
        (0, 0) => None,
        (0, _) => Some(format!("the run left out {left_out} of the suite's cases")),
        (_, _) => Some(format!("the run ended before {not_run} of its cases were run")),
    }
}

/// The status of the run by its cases alone, since its own comparison was removed.
fn exit_status(run: &Baseline) -> &'static str {
    match run.cases.iter().map(|case| case.status).max() {
        Some(CaseStatus::Error) => "error",
        Some(CaseStatus::Fail) => "failed",
        None | Some(CaseStatus::Pass | CaseStatus::Skipped) => "success",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(statuses: &[(&str, &str)]) -> Value {
        let case = |(id, status): &(&str, &str)| {
            json!({ "id": id, "status": status, "wall_ms": 1, "tool_calls": 0, "tool_errors": 0, "mine": 7, "stderr_tail": ["x"],
                    "assertions": { "total": 0, "failed": 0 } })
        };
        json!({
            "suite": { "name": "s", "suite_path": "", "agent_command": [], "tool_mode": "replay" },
            "schema_version": 1,
            "run": { "run_id": "r", "mode": "replay", "exit_status": "failed", "interrupted": false },
            "regression": { "passed": false },
            "aggregates": { "cases_total": 1, "cases_pass": 1, "cases_fail": 0, "cases_error": 0, "pass_rate": 1,
                            "metrics": {} },
            "cases": statuses.iter().map(case).collect::<Vec<_>>(),
        })
    }

    #[test]
    fn baseline_is_summary_without_comparison() {
        let baseline = promote(summary(&[("b", "pass"), ("a", "skipped")]), None).unwrap();
        assert!(baseline.get("regression").is_none());
        assert_eq!(baseline["run"]["exit_status"], "success");
        let ids: Vec<_> = baseline["cases"].as_array().unwrap().iter().map(|case| &case["id"]).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(baseline["cases"][0]["history"], json!({ "runs": 0, "passes": 0 }));
        assert_eq!(baseline["cases"][1]["history"], json!({ "runs": 1, "passes": 1 }));
        assert_eq!(baseline["cases"][1]["mine"], 7);
        assert!(baseline["cases"][1].get("stderr_tail").is_none());
        assert!(baseline.as_object().unwrap().keys().is_sorted());
        let failed = promote(summary(&[("a", "fail"), ("b", "pass")]), None).unwrap();
        assert_eq!(failed["run"]["exit_status"], "failed");
    }

    #[test]
    fn histories_accumulate() {
        let first = promote(summary(&[("a", "pass"), ("gone", "pass")]), None).unwrap();
        let second = promote(summary(&[("a", "fail"), ("b", "pass")]), Some(&Baseline::read(&first).unwrap())).unwrap();
        assert_eq!(second["cases"][0]["history"], json!({ "runs": 2, "passes": 1 }));
        assert_eq!(second["cases"][1]["history"], json!({ "runs": 1, "passes": 1 }));
        assert_eq!(second["cases"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn reports_cases_that_were_not_run() {
        let whole = summary(&[("a", "pass")]);
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
        assert!(matches!(promote(json!({}), None), Err(BaselineError::Shape(_))));
    }
}
