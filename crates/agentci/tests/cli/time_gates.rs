//! Gates on wall times: percentages, fractions, and the smallest difference that counts. Times are written into
//! summaries, so that no test depends on the machine.

use std::fs;

use serde_json::{Value, json};

use crate::ran::{Ran, run_folders};
use crate::suite::Suite;

/// A suite that was run once with these thresholds; `diff` sets the times in its baseline and its summary.
struct Timed {
    suite: Suite,
    run: String,
}

impl Timed {
    fn runledger(regression: &str) -> Self {
        Self::of(Suite::new().setting(&format!("regression: {regression}")))
    }

    fn of(suite: Suite) -> Self {
        assert_eq!(suite.run(&[]).code, Some(0));
        let folder = run_folders(&suite.path(".agentci/runs")).pop().unwrap();
        let run = folder.strip_prefix(suite.root()).unwrap().join("summary.json").to_str().unwrap().to_owned();
        Self { suite, run }
    }

    fn summary(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.suite.path(&self.run)).unwrap()).unwrap()
    }

    /// Compares a run with this mean time with a baseline.
    fn diff(&self, baseline: f64, current: f64) -> Ran {
        for (path, mean) in [("baseline.json", baseline), ("current.json", current)] {
            let mut summary = self.summary();
            summary["aggregates"]["metrics"]["wall_ms"]["mean"] = json!(mean);
            summary["aggregates"]["metrics"]["wall_ms"]["p95"] = json!(mean);
            fs::write(self.suite.path(path), summary.to_string()).unwrap();
        }
        self.suite.agentci(&["diff", "--baseline", "baseline.json", "--run", "current.json"])
    }
}

#[test]
fn new_slow_case_is_named_by_the_gate() {
    let timed = Timed::runledger("{ max_avg_wall_ms_delta_pct: 10 }");
    let mut summary = timed.summary();
    summary["aggregates"]["metrics"]["wall_ms"]["mean"] = json!(100.0);
    summary["cases"][0]["wall_ms"] = json!(100);
    fs::write(timed.suite.path("baseline.json"), summary.to_string()).unwrap();
    let mut new = summary["cases"][0].clone();
    (new["id"], new["wall_ms"]) = (json!("checkout"), json!(12_000));
    summary["cases"].as_array_mut().unwrap().push(new);
    summary["aggregates"]["metrics"]["wall_ms"]["mean"] = json!(6050.0);
    fs::write(timed.suite.path("current.json"), summary.to_string()).unwrap();
    let ran = timed.suite.agentci(&["diff", "--baseline", "baseline.json", "--run", "current.json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("(limit 10 %, 0.1 as a fraction); new: checkout 12.0 s\n"), "{}", ran.stdout);
}

#[test]
fn runledger_time_gate_is_percentage_or_fraction_below_one() {
    for (written, stored, readings) in [
        ("10", 0.1, "(limit 10 %, 0.1 as a fraction)"),
        ("0.1", 0.1, "(limit 10 %, 0.1 as a fraction)"),
        ("1", 0.01, "(limit 1 %, 0.01 as a fraction)"),
        ("1.0", 0.01, "(limit 1 %, 0.01 as a fraction)"),
        ("0.99", 0.99, "(limit 99 %, 0.99 as a fraction)"),
        ("250", 2.5, "(limit 250 %, 2.5 as a fraction)"),
    ] {
        let timed = Timed::runledger(&format!("{{ max_avg_wall_ms_delta_pct: {written} }}"));
        let policy = &timed.summary()["policy_snapshot"];
        assert_eq!(policy["thresholds"]["max_avg_wall_ms_delta_pct"], json!(stored), "{written}");
        assert_eq!(policy["regression"]["max_avg_wall_ms_delta_pct"].to_string(), written);
        let within = timed.diff(1000.0, 1000.0 + 1000.0 * stored);
        assert_eq!(within.code, Some(0), "{written}: {within:?}");
        let beyond = timed.diff(10_000.0, 10_060.0 + 10_000.0 * stored);
        assert_eq!(beyond.code, Some(1), "{written}: {beyond:?}");
        beyond.says(&["max_avg_wall_ms_delta_pct  FAIL", readings]);
    }
}

#[test]
fn percentage_time_gates_cause_no_warning() {
    let suite = Suite::new().setting("regression: { max_avg_wall_ms_delta_pct: 10, max_p95_wall_ms_delta_pct: 50 }");
    suite.write();
    let checked = suite.agentci(&["check", "suite", "--strict"]);
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{checked:?}");
}

#[test]
fn time_gate_ignores_noise_and_fails_slow_agent() {
    let native = Suite::native("gates: { max_avg_wall_ms_delta_pct: 10 }\ncases: [{ id: a, input: {} }]\n");
    let native = Timed::of(native.agent("a", "finish '{\"ok\":true}'"));
    for timed in [Timed::runledger("{ max_avg_wall_ms_delta_pct: 10 }"), native] {
        let noise = timed.diff(56.0, 84.0);
        assert_eq!(noise.code, Some(0), "{noise:?}");
        noise.says(&[
            "50 % more than the baseline's 56 ms",
            "a difference of 28 ms is below `min_wall_ms_delta` (50 ms)",
        ]);
        let slow = timed.diff(56.0, 812.0);
        assert_eq!(slow.code, Some(1), "{slow:?}");
        assert!(!slow.stdout.contains("min_wall_ms_delta"), "{slow:?}");
    }
}

#[test]
fn min_wall_ms_delta_is_configurable() {
    for (least, code) in [("0", 1), ("7", 1), ("7.1", 0), ("500", 0)] {
        let gates = format!("{{ max_p95_wall_ms_delta_pct: 10, min_wall_ms_delta: {least} }}");
        let ran = Timed::runledger(&gates).diff(56.0, 63.0);
        assert_eq!(ran.code, Some(code), "{least}: {ran:?}");
    }
    let suite = Suite::native("gates: { min_wall_ms_delta: -1 }\ncases: [{ id: a, input: {} }]\n");
    suite.write();
    suite.agentci(&["check", "suite"]).complains(&["`min_wall_ms_delta` must be 0 or more", "suite/agentci.yaml:"]);
}

#[test]
fn failed_agent_stderr_is_in_summary_but_not_baseline() {
    let suite = Suite::new().case("bad", "", "echo 'the database is away' >&2; exit 3");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.case("bad")["stderr_tail"], json!(["the database is away"]));
    assert_eq!(ran.case("good").get("stderr_tail"), None);
    let from = ran.run_folder();
    let to = ["baseline", "promote", "--from", from.to_str().unwrap(), "--to", "suite/baseline.json"];
    assert_eq!(suite.agentci(&to).code, Some(0));
    let baseline = fs::read_to_string(suite.path("suite/baseline.json")).unwrap();
    assert!(!baseline.contains("stderr_tail"), "{baseline}");
}
