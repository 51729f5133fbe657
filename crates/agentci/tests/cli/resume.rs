//! `--resume`: continues a stored run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::ceilings::{costly, times};
use crate::filter::filter;
use crate::processes::{signal, wait_for};
use crate::ran::{Ran, read_events, run_folders};
use crate::suite::Suite;

const COST: &str = r#""cost_usd":0.01"#;

/// The newest run of the suite `suite`.
fn newest(suite: &Suite) -> PathBuf {
    let folders = run_folders(&suite.path(".agentci/runs"));
    let order = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let parts: Vec<u64> = name.split('-').map(|part| part.parse().unwrap()).collect();
        parts
    };
    folders.into_iter().max_by_key(order).unwrap()
}

/// A run that the ceiling ended after this many cases.
fn cut(suite: &Suite, cases: usize) -> PathBuf {
    let limit = format!("0.{cases:02}");
    let ran = suite.run(&["--parallel", "1", "--max-cost", &limit]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    newest(suite)
}

fn resume(suite: &Suite, run: &Path, more: &[&str]) -> Ran {
    let flag = format!("--resume={}", run.display());
    suite.run(&[&["--parallel", "1", &flag], more].concat())
}

/// A value without times, ids of runs, and where results come from.
fn timeless(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("id").and_then(Value::as_str).is_some_and(|id| id.contains("_wall_ms_")) {
                map.remove("current");
            }
            map.retain(|key, value| !(key.ends_with("_ms") && value.is_number()));
            map.retain(|key, _| {
                !["wall_ms", "suite_wall_ms", "generated_at", "run_id", "resumed"].contains(&key.as_str())
            });
            map.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// The summary and the other reports in a run folder, without times.
fn reports(suite: &Suite, run: &Path) -> (Value, String) {
    let mut summary: Value = serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap();
    timeless(&mut summary);
    (summary, filter(&fs::read_to_string(run.join("junit.xml")).unwrap(), suite.root()))
}

/// How often each case ended in a run.
pub(crate) fn ends(run: &Path) -> BTreeMap<String, usize> {
    let mut ends = BTreeMap::new();
    for event in read_events(&run.join("run.jsonl")).iter().filter(|event| event["type"] == "case_end") {
        *ends.entry(event["case_id"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    ends
}

/// The case lines and totals of the console.
fn console(ran: &Ran) -> Vec<String> {
    let told = ran.console();
    let shown = |line: &&str| !["artifacts:", "report:", "run it again:"].iter().any(|head| line.starts_with(head));
    told.lines().filter(shown).map(str::to_owned).collect()
}

#[test]
fn resumed_run_is_like_one_that_was_never_interrupted() {
    let gates = "gates: { min_pass_rate: 0.5 }\nruns: 2\n";
    let suite = costly(gates, 6, COST)
        .agent("c1", "echo x >> ran-c1\nsay '{\"type\":\"usage\",\"cost_usd\":0.01}'\nfinish '{}'");
    let whole = suite.run(&["--parallel", "1", "--output-dir", "whole"]);
    let of_whole = run_folders(&suite.path("whole")).remove(0);
    let first = cut(&suite, 6);
    let before = fs::read(first.join("run.jsonl")).unwrap();
    let resumed = resume(&suite, &first, &[]);
    assert_eq!((whole.code, resumed.code), (Some(1), Some(1)), "{resumed:?}");
    resumed.complains(&["resuming ", "3 cases kept, 3 cases to run"]);
    assert_eq!(reports(&suite, &newest(&suite)), reports(&suite, &of_whole));
    assert_eq!(console(&resumed), console(&whole));
    assert_eq!(fs::read(first.join("run.jsonl")).unwrap(), before);
    assert_eq!(ends(&newest(&suite)), (0..6).map(|number| (format!("c{number}"), 2)).collect());
    assert_eq!(["c0", "c1", "c2", "c3", "c5"].map(|id| times(&suite, id)), [4, 4, 4, 4, 4]);
}

#[test]
fn resumed_runs_can_be_resumed() {
    let suite = costly("", 5, COST);
    let mut run = cut(&suite, 2);
    for _ in 0..2 {
        let ran = resume(&suite, &run, &["--max-cost", "0.01"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        run = newest(&suite);
    }
    let last = suite.run(&["--resume"]);
    assert_eq!(last.code, Some(0), "{last:?}");
    assert_eq!(ends(&newest(&suite)).into_values().collect::<Vec<_>>(), [1; 5]);
    assert!((0..5).all(|number| times(&suite, &format!("c{number}")) == 1));
    let again = resume(&suite, &newest(&suite), &[]);
    assert_eq!(again.code, Some(1), "{again:?}");
    again.complains(&["is complete: there is nothing left to run"]);
}

#[test]
fn failed_case_stays_failed_unless_it_is_run_again() {
    let suite =
        costly("", 3, COST).agent("c0", "echo x >> ran-c0\nsay '{\"type\":\"usage\",\"cost_usd\":0.01}'\nfinish '{}'");
    let run = cut(&suite, 2);
    let resumed = resume(&suite, &run, &["--fail-fast"]);
    assert_eq!(resumed.code, Some(1), "{resumed:?}");
    resumed.says(&["FAIL c0", "PASS c2", "3 cases: 2 passed, 1 failed"]);
    assert_eq!((times(&suite, "c0"), times(&suite, "c2")), (1, 1));
}

#[test]
fn changed_case_and_changed_agent_are_run_again() {
    let suite = costly("", 4, COST);
    let run = cut(&suite, 3);
    let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let stricter = yaml.replace("{ id: c1, input: {} }", "{ id: c1, input: {}, checks: [{ contains: nowhere }] }");
    let suite = suite.file("suite/agentci.yaml", format!("# moves every line\n{stricter}"));
    let resumed = resume(&suite, &run, &[]);
    assert_eq!(resumed.code, Some(1), "{resumed:?}");
    resumed.complains(&["2 cases kept, 2 cases to run", "run again, because the case or a file it uses changed: c1\n"]);
    resumed.says(&["FAIL c1"]);
    assert_eq!(["c0", "c1", "c2", "c3"].map(|id| times(&suite, id)), [1, 2, 1, 1]);
    let suite = suite.agent("c9", "# another agent\nfinish '{}'");
    let resumed = resume(&suite, &run, &[]);
    resumed.complains(&["0 cases kept, 4 cases to run", "changed: c0, c1, c2\n"]);
}

#[test]
fn changed_file_of_a_check_is_noticed() {
    let schema = r#"{"type":"object","required":["say"]}"#;
    let suite = costly("", 3, COST).file("suite/schema.json", schema);
    let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let suite = suite.file("suite/agentci.yaml", yaml.replace("contains: ok", "json_schema: schema.json"));
    let run = cut(&suite, 2);
    let suite = suite.file("suite/schema.json", schema.replace("say", "answer"));
    let resumed = resume(&suite, &run, &[]);
    assert_eq!(resumed.code, Some(1), "{resumed:?}");
    resumed.complains(&["0 cases kept, 3 cases to run", "changed: c0, c1\n"]);
    resumed.says(&["3 cases: 0 passed, 3 failed"]);
}

#[test]
fn removed_and_new_cases_are_told() {
    let suite = costly("", 4, COST);
    let run = cut(&suite, 2);
    let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let other = yaml.replace("  - { id: c0, input: {} }\n", "  - { id: c2x, input: {} }\n");
    let suite = suite.file("suite/agentci.yaml", other).agent("c2x", "finish '{\"say\":\"ok\"}'");
    // The new script is in the same file as those of the other cases.
    let resumed = resume(&suite, &run, &["--case", "c1", "--case", "c2x"]);
    resumed.complains(&["left out, because it is not selected any more: c0\n", "changed: c1\n"]);
    assert_eq!(ends(&newest(&suite)).into_keys().collect::<Vec<_>>(), ["c1", "c2x"]);
}

#[test]
fn runs_of_another_kind_are_refused() {
    let suite = costly("", 3, COST);
    let run = cut(&suite, 1);
    for (more, message) in [
        (&["--mode", "live"][..], "it ran in mode `replay`, not `live`"),
        (&["--shard", "1/2"], "it is no shard, not shard 1/2"),
    ] {
        let ran = resume(&suite, &run, more);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["cannot be resumed: ", message, "help: "]);
    }
    let run_at = |sha: &str, arguments: &[&str]| {
        let mut command = suite.command(arguments);
        let output = command.env("GITHUB_SHA", sha).output().unwrap();
        suite.ran(&output, std::time::Duration::ZERO)
    };
    run_at("aaaa", &["run", "suite", "--parallel", "1", "--max-cost", "0.01"]);
    run_at("bbbb", &["run", "suite", "--resume"]).complains(&["it ran at commit aaaa, and this is bbbb"]);
    let suite = Suite::native("cases: [{ id: a, input: {} }]").agent("a", "finish '{}'");
    for (arguments, message) in [
        (&["--resume"][..], "the last run of every suite is complete, or there is none"),
        (&["--resume=nowhere"], "nowhere"),
        (&["--resume", "--failed"], "`--failed` would select"),
    ] {
        let ran = suite.run(arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&[message]);
    }
    assert_eq!(suite.run(&["--resume", "--watch"]).code, Some(2));
}

#[test]
fn flags_that_would_select_something_else_are_refused() {
    let suite = costly("", 3, COST).agent("c2", "echo x >> ran-c2\nfinish '{}'");
    let run = cut(&suite, 1);
    let run = run.strip_prefix(suite.root()).unwrap().to_str().unwrap();
    suite
        .agentci(&["run", "suite", "--resume", run])
        .complains(&["is a run folder, not a suite", &format!("write `--resume={run}`")]);
    suite.run(&["--resume", "--failed"]).complains(&["`--failed` would select from the run that `--resume` continues"]);
    suite.run(&["--resume", "--dry-run", "--json"]).complains(&["lists cases without `--resume`"]);
    let dry = suite.run(&["--resume", "--dry-run"]);
    assert_eq!(dry.stdout, "would run suite/c1\nwould run suite/c2\n", "{dry:?}");
    // The rest of a run of failed cases is selected from the run that they failed in.
    let failed = suite.run(&["--parallel", "1"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let source = newest(&suite);
    let cut = suite.run(&["--failed", "--max-wall", "0s"]);
    let name = source.file_name().unwrap().to_str().unwrap();
    cut.says(&[&format!(
        "run the rest: agentci run suite --failed=.agentci/runs/suite/{name} --max-wall 0s --resume="
    )]);
}

#[test]
fn damaged_and_edited_runs_are_refused_with_their_line() {
    let suite = costly("", 3, COST).agent("c0", "say '{\"type\":\"usage\",\"cost_usd\":0.01}'\nfinish '{}'");
    let run = cut(&suite, 2);
    let path = run.join("run.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let number = |part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    let failed = number(r#""type":"case_end","suite":"suite","case_id":"c0""#);
    let line = text.lines().nth(failed - 1).unwrap();
    let place = |line: usize| format!("run.jsonl:{line}: ");
    let edited = |from: &str, to: &str| text.replacen(line, &line.replace(from, to), 1);
    let forged = line
        .replace(r#""passed":false,"status":"fail","cause":"check""#, r#""passed":true,"status":"pass","cause":null"#);
    let emptied = {
        let mut end: Value = serde_json::from_str(&forged).unwrap();
        end["findings"] = Value::Array(Vec::new());
        text.replacen(line, &end.to_string(), 1)
    };
    for (changed, at, reason) in [
        (edited("{\"v\"", "{\"v"), failed, "a damaged run cannot be resumed"),
        (edited(r#""status":"fail""#, r#""status":"pass""#), failed, "the status `pass` contradicts the findings"),
        (text.replacen(line, &forged, 1), failed, "the status `pass` contradicts the findings"),
        (emptied, failed, "the case passed, but 1 of its checks did not"),
        (text.replacen(line, &format!("{line}\n{line}"), 1), failed + 1, "run 1 of case `c0` ended after 1"),
        (text.split_once('\n').unwrap().1.to_owned(), 1, "the first line is not `run_start`"),
    ] {
        fs::write(&path, &changed).unwrap();
        let ran = resume(&suite, &run, &[]);
        assert_eq!(ran.code, Some(1), "{reason}: {ran:?}");
        ran.complains(&[&place(at), reason, "without `--resume`"]);
        assert_eq!(times(&suite, "c2"), 0);
    }
    // A line that is cut off, as by a loss of power.
    let cut_off = text.rfind(r#""type":"case_end""#).unwrap() + 30;
    fs::write(&path, &text[..cut_off]).unwrap();
    let ran = resume(&suite, &run, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let torn = text[..cut_off].lines().count();
    ran.complains(&[&place(torn), "the last line is cut off", "1 case kept, 2 cases to run"]);
    ran.says(&["FAIL c0", "3 cases: 2 passed, 1 failed"]);
}

#[test]
fn interrupted_run_is_resumed_and_a_running_one_is_not() {
    let wait = "echo x >> ran-c1\n: > under-way\nwhile [ ! -e go ]; do sleep 0.1; done\nfinish '{\"say\":\"ok\"}'";
    let suite = costly("", 3, COST).agent("c1", wait);
    let mut command = suite.command(&["run", "suite", "--parallel", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| suite.path("under-way").exists().then_some(())).unwrap();
    suite.run(&["--resume"]).complains(&["is still running"]);
    assert!(signal(child.id(), "INT"));
    let interrupted = suite.ran(&child.wait_with_output().unwrap(), std::time::Duration::ZERO);
    assert_eq!(interrupted.code, Some(130), "{interrupted:?}");
    interrupted.says(&["run the rest: agentci run suite --parallel 1 --resume=.agentci/runs/suite/"]);
    let suite = suite.file("go", "");
    let resumed = suite.run(&["--resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(["c0", "c1", "c2"].map(|id| times(&suite, id)), [1, 2, 1]);
    assert_eq!(ends(&newest(&suite)).into_values().collect::<Vec<_>>(), [1; 3]);
}
