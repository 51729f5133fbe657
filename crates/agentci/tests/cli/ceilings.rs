//! Ceilings for a whole run: `--max-cost` and `--max-wall`.

use std::fs;

use serde_json::Value;

use crate::ran::{Ran, run_folders};
use crate::suite::Suite;

/// A native suite of cases `c0`, `c1`, .. whose agent reports this usage and answers `ok`; `head` comes before the cases.
pub(crate) fn costly(head: &str, count: usize, usage: &str) -> Suite {
    let cases: Vec<String> = (0..count).map(|number| format!("  - {{ id: c{number}, input: {{}} }}\n")).collect();
    let suite = Suite::native(&format!("checks: [{{ contains: ok }}]\n{head}cases:\n{}", cases.concat()));
    let report = if usage.is_empty() { String::new() } else { format!("say '{{\"type\":\"usage\",{usage}}}'\n") };
    let script = format!("echo x >> \"ran-$id\"\n{report}finish '{{\"say\":\"ok\"}}'");
    (0..count).fold(suite, |suite, number| suite.agent(&format!("c{number}"), &format!("id=c{number}\n{script}")))
}

/// The summary in a run folder.
fn summary(folder: &std::path::Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

/// How often the agent of a case was started.
pub(crate) fn times(suite: &Suite, id: &str) -> usize {
    fs::read_to_string(suite.path(&format!("ran-{id}"))).unwrap_or_default().lines().count()
}

fn end(ran: &Ran) -> Value {
    ran.events().into_iter().find(|event| event["type"] == "run_end").unwrap()
}

#[test]
fn cases_after_the_cost_ceiling_are_not_run_in_every_report() {
    let suite = costly("", 5, r#""tokens_out":7,"cost_usd":0.01"#);
    let mut command =
        suite.command(&["run", "suite", "--parallel", "1", "--max-cost", "0.02", "--report", "markdown=out.md"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", suite.root());
    let output = command.env("GITHUB_STEP_SUMMARY", suite.path("job.md")).output().unwrap();
    let ran = suite.ran(&output, std::time::Duration::ZERO);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&[
        "2 cases: 2 passed",
        "; stopped: `--max-cost` of 0.02 USD reached: 0.02 USD so far; 3 cases not run",
        "::error file=suite/agentci.yaml",
        "The run was stopped by --max-cost 0.02 USD. 3 cases not run.",
        "run the rest: agentci run suite --parallel 1 --max-cost 0.02",
        "--resume=.agentci/runs/suite/",
    ]);
    ran.complains(&["the run was stopped: `--max-cost` of 0.02 USD reached"]);
    let made = ran.summary();
    assert_eq!(made["aggregates"]["cases_not_run"], 3);
    assert_eq!((&made["run"]["exit_status"], &made["run"]["ceiling"]["limit"]), (&"error".into(), &"0.02 USD".into()));
    assert!(ran.junit().contains("<testcase classname=\"suite\" name=\"run\""), "{}", ran.junit());
    assert!(ran.junit().contains("type=\"ceiling\""), "{}", ran.junit());
    let page = fs::read_to_string(ran.run_folder().join("report.html")).unwrap();
    for text in
        [page, fs::read_to_string(suite.path("out.md")).unwrap(), fs::read_to_string(suite.path("job.md")).unwrap()]
    {
        assert!(text.contains("incomplete"), "{text}");
        assert!(text.contains("The run was stopped by --max-cost 0.02 USD. 3 cases not run."), "{text}");
    }
    assert_eq!((end(&ran)["not_run"].as_u64(), times(&suite, "c1"), times(&suite, "c2")), (Some(3), 1, 0));
    let promoted =
        suite.agentci(&["baseline", "promote", "--from", ran.run_folder().to_str().unwrap(), "--to", "b.json"]);
    promoted.complains(&["the run was stopped by `--max-cost`"]);
}

#[test]
fn gates_do_not_forgive_a_run_that_a_ceiling_ended() {
    let gates = "gates: { min_pass_rate: 0.1, decide: true }\n";
    let suite =
        costly(gates, 4, r#""cost_usd":0.01"#).agent("c0", "say '{\"type\":\"usage\",\"cost_usd\":0.01}'\nfinish '{}'");
    let ran = suite.run(&["--parallel", "1", "--max-cost", "0.02"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["the gates do not decide"]);
    let whole = suite.run(&["--parallel", "1", "--max-cost", "1", "--output-dir", "whole"]);
    assert_eq!(whole.code, Some(0), "{whole:?}");
}

#[test]
fn wall_ceiling_ends_what_is_under_way_and_blames_no_agent() {
    let suite = costly("", 3, "").agent("c1", "exec sleep 600");
    let ran = suite.run(&["--parallel", "1", "--max-wall", "3s"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.ended_soon_after(3);
    // On a busy machine not even the first case may have finished.
    let made = ran.summary();
    let cut = ran.verdicts().into_iter().filter(|verdict| verdict.2 == "interrupted").count();
    assert_eq!((cut, &made["aggregates"]["cases_fail"]), (1, &0.into()), "{ran:?}");
    assert_eq!(made["aggregates"]["cases_unfinished"], 1, "{made}");
    ran.says(&["ended by `--max-wall` of 3s", "`--max-wall` of 3s reached", "1 case not finished"]);
    assert_eq!(times(&suite, "c2"), 0);
}

#[test]
fn unknown_cost_is_reported_and_never_assumed() {
    let tokens = costly("", 3, r#""tokens_out":7"#);
    let ran = tokens.run(&["--parallel", "1", "--max-cost", "5"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["`--max-cost` cannot be enforced: the agent reported its usage in case `c0`, but no cost"]);
    assert_eq!(times(&tokens, "c1"), 0);
    // An agent that calls no model reports nothing, and is not to blame for it.
    let silent = costly("", 3, "");
    let ran = silent.run(&["--max-cost", "5"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.complains(&["warning: `--max-cost` does not cover 3 runs of cases whose agent reported no usage"]);
    assert_eq!(ran.summary()["aggregates"]["runs_of_unknown_cost"], 3);
}

#[test]
fn scripted_models_cost_nothing() {
    let target = "{ mock: { model_name: m, responses: [{ content: ok, model: m, tokens_used: 2, latency_ms: 1 }] } }";
    let yaml =
        format!("suite: suite\ntarget: {target}\ncases:\n  - {{ id: a, input: {{}} }}\n  - {{ id: b, input: {{}} }}\n");
    let ran = Suite::empty().file("suite/agentci.yaml", yaml).run(&["--max-cost", "0"]);
    ran.all_passed();
    assert!(!ran.stderr.contains("max-cost"), "{ran:?}");
}

#[test]
fn repeated_case_that_a_ceiling_cuts_is_not_finished() {
    let suite = costly("runs: 4\n", 2, r#""cost_usd":0.01"#);
    let ran = suite.run(&["--parallel", "1", "--max-cost", "0.06"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!((times(&suite, "c0"), times(&suite, "c1")), (4, 2));
    ran.says(&["0 cases not run, 1 case not finished"]);
    let run = ran.run_folder();
    let resumed = suite.run(&["--parallel", "1", &format!("--resume={}", run.display())]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    // The case is repeated as a whole: its runs are compared with each other.
    assert_eq!((times(&suite, "c0"), times(&suite, "c1")), (4, 6));
}

#[test]
fn ceilings_hold_for_all_suites_together_and_each_can_be_resumed() {
    let suite = costly("", 2, r#""cost_usd":0.01"#);
    let other = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let other = other.replace("suite: suite", "suite: other").replace("agent.sh", "../suite/agent.sh");
    let suite = suite.file("other/agentci.yaml", other);
    let ran = suite.agentci(&["run", "suite", "other", "--parallel", "1", "--max-cost", "0.01"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["run the rest: agentci run suite other --parallel 1 --max-cost 0.01 --resume\n"]);
    let folders = run_folders(&suite.path(".agentci/runs"));
    let not_run: Vec<u64> =
        folders.iter().map(|folder| summary(folder)["aggregates"]["cases_not_run"].as_u64().unwrap()).collect();
    assert_eq!(not_run.iter().sum::<u64>(), 3, "{folders:?}");
    assert_eq!(folders.len(), 2);
    let resumed = suite.agentci(&["run", "suite", "other", "--resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!((times(&suite, "c0"), times(&suite, "c1")), (2, 2));
    let again = suite.agentci(&["run", "suite", "other", "--resume"]);
    again.complains(&["the last run of every suite is complete"]);
}
