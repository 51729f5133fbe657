//! Kills runs at random times and resumes them until they finish: every case is judged exactly once.
//!
//! `AGENTCI_RESUME_KILLS` sets the number of kills; `stress/run` uses a large one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::killed::draw;
use crate::ran::run_folders;
use crate::resume::ends;
use crate::suite::Suite;

const CASES: usize = 40;

/// Notes each start of a case; every seventh case fails.
const AGENT: &str = "read -r task\n\
    id=${task#*'\"task_id\":\"'}; id=${id%%'\"'*}\n\
    echo x >> \"starts-$id\"\n\
    case $id in *3|*7) say=no;; *) say=ok;; esac\n\
    printf '{\"type\":\"final_output\",\"output\":{\"say\":\"%s\"}}\\n' $say\n";

fn suite() -> Suite {
    let case = |number| format!("  - {{ id: c{number}, input: {{}}, runs: {} }}\n", 1 + number % 2);
    let cases: String = (0..CASES).map(case).collect();
    let head = "suite: suite\ntarget: { process: { command: [sh, kill.sh] } }\nchecks: [{ contains: ok }]\n";
    Suite::empty().file("suite/agentci.yaml", format!("{head}cases:\n{cases}")).file("suite/kill.sh", AGENT)
}

/// The run folders, oldest first.
fn runs(suite: &Suite) -> Vec<PathBuf> {
    let mut folders = run_folders(&suite.path(".agentci/runs"));
    let parts = |path: &PathBuf| -> Vec<u64> {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.split('-').map(|part| part.parse().unwrap()).collect()
    };
    folders.sort_by_key(parts);
    folders
}

/// The number of runs of each case that ended in a run, from the whole lines of its record.
fn ended(run: &Path) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(run.join("run.jsonl")).unwrap_or_default();
    let (whole, _torn) = text.rsplit_once('\n').unwrap_or_default();
    let mut ended = BTreeMap::new();
    for line in whole.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["type"] == "case_end" {
            *ended.entry(event["case_id"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    ended
}

fn has_begun(run: &Path) -> bool {
    fs::read_to_string(run.join("run.jsonl")).is_ok_and(|text| text.contains('\n'))
}

#[test]
fn every_case_is_judged_exactly_once_however_often_a_run_is_killed() {
    let mut kills: u64 = std::env::var("AGENTCI_RESUME_KILLS").map_or(5, |count| count.parse().unwrap());
    let mut state = 5;
    while kills > 0 {
        let suite = suite();
        let mut finished: BTreeMap<String, usize> = BTreeMap::new();
        for _ in 0..(draw(&mut state) % 4 + 1).min(kills) {
            kills -= 1;
            start_and_kill(&suite, &mut state);
            // What an earlier run finished is in every later one that has begun, or it is found in that one.
            for (id, runs) in runs(&suite).last().map(|run| ended(run)).unwrap_or_default() {
                if runs == planned(&id) {
                    finished.entry(id.clone()).or_insert_with(|| starts(&suite, &id));
                }
            }
        }
        let last = finish(&suite);
        assert_eq!(ends(&last), (0..CASES).map(|number| (format!("c{number}"), 1 + number % 2)).collect(), "{last:?}");
        for (id, before) in finished {
            assert_eq!(starts(&suite, &id), before, "{id} was finished and is run again: {last:?}");
        }
        let summary: Value = serde_json::from_str(&fs::read_to_string(last.join("summary.json")).unwrap()).unwrap();
        let cases = summary["cases"].as_array().unwrap();
        for case in cases {
            let status = if case["id"].as_str().unwrap().ends_with(['3', '7']) { "fail" } else { "pass" };
            assert_eq!(case["status"], status, "{case}");
        }
        assert_eq!((cases.len(), &summary["aggregates"]["cases_not_run"]), (CASES, &0.into()));
    }
}

fn planned(id: &str) -> usize {
    1 + id[1..].parse::<usize>().unwrap() % 2
}

/// How often the agent of a case was started.
fn starts(suite: &Suite, id: &str) -> usize {
    fs::read_to_string(suite.path(&format!("starts-{id}"))).unwrap_or_default().lines().count()
}

/// Starts a run, or continues the newest one, and kills it after a random number of cases and a random time.
fn start_and_kill(suite: &Suite, state: &mut u64) {
    let (cases, moment) = (draw(state) % (CASES as u64 / 2), Duration::from_micros(draw(state) % 20_000));
    let mut command = suite.command(&["run", "suite", "--parallel", "3"]);
    let can_resume = runs(suite).iter().any(|run| has_begun(run));
    if can_resume {
        command.arg("--resume");
    }
    let known = runs(suite).len();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    loop {
        let under_way = runs(suite);
        let done = under_way.get(known).map(|run| ended(run).values().sum::<usize>()).unwrap_or_default();
        if done as u64 >= cases || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(moment);
    let _ = child.kill();
    child.wait().unwrap();
}

/// Continues the newest run until everything is run, and returns its folder.
fn finish(suite: &Suite) -> PathBuf {
    let is_whole = |run: &Path| {
        let text = fs::read_to_string(run.join("run.jsonl")).unwrap_or_default();
        text.lines().last().is_some_and(|line| line.contains(r#""type":"run_end""#))
            && run.join("summary.json").exists()
    };
    let last = runs(suite).last().cloned();
    if let Some(last) = last.filter(|last| is_whole(last)) {
        return last;
    }
    let can_resume = runs(suite).iter().any(|run| has_begun(run));
    let ran = suite.run(if can_resume { &["--resume"] } else { &[] });
    if ran.stderr.contains("is complete") {
        // It was killed while it wrote its reports.
        let folder = runs(suite).pop().unwrap();
        suite.agentci(&["report", folder.to_str().unwrap()]);
        return folder;
    }
    assert_eq!(ran.code, Some(1), "{ran:?}");
    runs(suite).pop().unwrap()
}
