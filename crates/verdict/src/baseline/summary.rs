//! Reads the `summary.json` of a run: a run to compare, or a baseline of version 1.

use super::past_run::PastWall;
use super::read::{only_run, prompts, shared};
use super::record::{mode_of, sorted};
use crate::document::DocumentPlace;
use crate::{Baseline, BaselineCase, CaseHistory, CaseSample, CaseStatus, History, PastRun};

/// Reads a summary as a baseline with a history of one run.
pub(super) fn document(
    top: &DocumentPlace<'_>,
    schema_version: Option<u64>,
    problems: &mut Vec<String>,
) -> Option<Baseline> {
    let run = top.field("run", problems);
    let run_id = run.field("run_id", problems).text(problems);
    let mode = run.field("mode", problems).text(problems);
    run.field("exit_status", problems).text(problems);
    let suite = top.field("suite", problems);
    let name = suite.field("name", problems).text(problems);
    for name in ["suite_path", "tool_mode"] {
        suite.field(name, problems).text(problems);
    }
    suite.field("agent_command", problems).items(problems);
    let steps_rule = suite.optional("tool_steps_rule").and_then(|at| at.count(problems)).unwrap_or(1);
    let aggregates = top.field("aggregates", problems);
    for name in ["cases_total", "cases_pass", "cases_fail", "cases_error"] {
        aggregates.field(name, problems).count(problems);
    }
    let pass_rate = aggregates.field("pass_rate", problems).number(problems);
    let metrics = aggregates.field("metrics", problems);
    metrics.object(problems);
    let wall_ms = metrics.optional("wall_ms");
    let mut wall = |name| wall_ms.as_ref()?.optional(name)?.number(problems);
    let (wall_ms_mean, wall_ms_p95) = (wall("mean"), wall("p95"));
    let prompts = prompts(top, problems);
    let at = top.optional("generated_at").and_then(|at| at.text(problems)).unwrap_or_default();
    let cases = top.field("cases", problems).items(problems);
    let cases = sorted(cases.iter().filter_map(|at| case(at, problems)).collect());
    let (mode, pass_rate) = (mode_of(mode?), pass_rate?);
    let only = PastRun {
        at: at.to_owned(),
        mode: mode.clone(),
        pass_rate,
        wall_ms: wall_ms_mean.zip(wall_ms_p95).map(|(mean, p95)| PastWall { mean, p95 }),
        cases: only_run(&cases),
        ..PastRun::default()
    };
    Some(Baseline {
        schema_version: schema_version?,
        steps_rule,
        suite: name?.to_owned(),
        mode,
        pass_rate,
        wall_ms_mean,
        wall_ms_p95,
        cases,
        prompts,
        history: History::new([only.named(run_id?)]),
    })
}

fn case(at: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Option<BaselineCase> {
    let wall_ms = at.field("wall_ms", problems).number(problems);
    let case = shared(at, problems)?;
    let once = CaseSample {
        runs: u64::from(case.status != CaseStatus::Skipped),
        passes: u64::from(case.status == CaseStatus::Pass),
        wall_ms,
        ..CaseSample::default()
    };
    let sample = at.optional("history").and_then(|at| sample(&at, problems)).unwrap_or(once);
    let sample = CaseSample { wall_ms: sample.wall_ms.or(wall_ms), ..sample };
    let most_runs = at.optional("most_runs").and_then(|at| at.count(problems));
    Some(BaselineCase { wall_ms: wall_ms?, most_runs, sample, history: CaseHistory::from(sample), ..case })
}

/// The results of all attempts of a case.
fn sample(at: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Option<CaseSample> {
    let (runs, passes) = (at.field("runs", problems).count(problems), at.field("passes", problems).count(problems));
    let mut number = |name| at.optional(name).and_then(|at| at.number(problems));
    let (wall_ms, tokens, cost_usd) = (number("wall_ms"), number("tokens"), number("cost_usd"));
    Some(CaseSample { runs: runs?, passes: passes?, wall_ms, tokens, cost_usd })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::CallStep;

    /// A document with only the required fields.
    fn document() -> Value {
        json!({
            "schema_version": 1,
            "run": { "run_id": "r", "mode": "replay", "exit_status": "success" },
            "suite": { "name": "demo", "suite_path": "s.yaml", "agent_command": [], "tool_mode": "replay" },
            "aggregates": { "cases_total": 2, "cases_pass": 1, "cases_fail": 1, "cases_error": 0, "pass_rate": 0.5,
                            "metrics": { "wall_ms": { "mean": 20, "p95": 30.0 }, "mine": null } },
            "cases": [
                { "id": "b", "status": "fail", "wall_ms": 30, "tool_calls": 0, "tool_errors": 0,
                  "assertions": { "total": 1, "failed": 1 } },
                { "id": "a", "status": "pass", "wall_ms": 10, "tool_calls": 1, "tool_errors": 0, "mine": [],
                  "assertions": { "total": 1, "failed": 0 }, "history": { "runs": 4, "passes": 3 },
                  "tool_steps": [{ "tool": "search", "args_hash": "00", "args": "{}" }] },
            ],
        })
    }

    #[test]
    fn reads_baseline_with_only_required_fields() {
        let baseline = Baseline::read(&document()).unwrap();
        assert_eq!((baseline.pass_rate, baseline.wall_ms_mean, baseline.wall_ms_p95), (0.5, Some(20.0), Some(30.0)));
        let [a, b] = baseline.cases.as_slice() else { panic!("two cases") };
        assert_eq!((a.id.as_str(), a.history), ("a", CaseHistory { runs: 4, passes: 3 }));
        assert_eq!(baseline.history.total("a"), a.history);
        assert_eq!(
            a.steps.as_deref(),
            Some(
                &[CallStep {
                    tool: "search".into(),
                    args_hash: "00".into(),
                    args: Some("{}".into()),
                    ..CallStep::default()
                }][..]
            )
        );
        assert_eq!((b.status, b.history, &b.steps), (CaseStatus::Fail, CaseHistory { runs: 1, passes: 0 }, &None));
    }

    #[test]
    fn reports_missing_field_with_its_location() {
        let wrong = |change: &dyn Fn(&mut Value)| {
            let mut document = document();
            change(&mut document);
            Baseline::read(&document).unwrap_err().to_string()
        };
        let without = |pointer: &str, name: &str| {
            wrong(&|document| {
                document.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(name);
            })
        };
        assert_eq!(without("", "aggregates"), "`/aggregates` is missing");
        assert_eq!(without("/cases/1", "wall_ms"), "`/cases/1/wall_ms` is missing");
        assert_eq!(
            wrong(&|document| document["cases"][0]["status"] = json!("passed")),
            "`/cases/0/status` must be pass, fail, error or skipped, found the string `passed`"
        );
        assert_eq!(
            Baseline::parse(b"{}").unwrap_err().to_string(),
            "`/schema_version` is missing; `/run` is missing; `/suite` is missing; and 2 more"
        );
        assert!(Baseline::parse(b"[").unwrap_err().to_string().starts_with("it is not JSON: EOF"));
        assert!(Baseline::parse(b"[]").is_err());
    }

    #[test]
    fn subset_has_its_own_aggregates() {
        let part = Baseline::read(&document()).unwrap().only(&BTreeSet::from(["a", "c"]));
        assert_eq!((part.cases.len(), part.pass_rate, part.wall_ms_mean), (1, 1.0, Some(10.0)));
        let nothing = part.only(&BTreeSet::new());
        assert_eq!((nothing.pass_rate, nothing.wall_ms_p95), (0.0, None));
    }
}
