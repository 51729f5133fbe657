//! Sharded runs: `--shard` and `agentci merge`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::docs_page::project;
use crate::ran::Ran;
use crate::suite::Suite;

/// Eleven cases with a mock, one of which fails.
fn suite() -> Suite {
    let case = |number: u32| {
        let word = if number == 7 { "nowhere" } else { "answer" };
        format!("  - {{ id: c{number:02}, input: {{ n: {number} }}, checks: [{{ contains: {word} }}] }}\n")
    };
    let cases: String = (1..=11).map(case).collect();
    let response = "{ content: an answer, model: m, tokens_used: 1, latency_ms: 1 }";
    let head = format!("suite: shared\ntarget: {{ mock: {{ model_name: m, responses: [{response}] }} }}\n");
    Suite::empty().file("suite/agentci.yaml", format!("{head}gates: {{ min_pass_rate: 0.95 }}\ncases:\n{cases}"))
}

fn part(suite: &Suite, number: u32, more: &[&str]) -> Ran {
    let (shard, folder) = (format!("{number}/4"), format!("parts/{number}"));
    let mut arguments = vec!["--shard", &shard, "--output-dir", &folder];
    arguments.extend(more);
    suite.run(&arguments)
}

/// Removes times and names, which differ between runs, from a report.
fn timeless(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Object(map) => {
                let of_time = |key: &str| key.contains("wall") || ["run", "generated_at"].contains(&key);
                map.retain(|key, _| !of_time(key));
                if map.get("id").and_then(Value::as_str).is_some_and(of_time) {
                    map.remove("current");
                }
                map.values_mut().for_each(walk);
            }
            Value::Array(items) => items.iter_mut().for_each(walk),
            _ => {}
        }
    }
    walk(&mut value);
    value
}

fn summary(folder: &Path) -> Value {
    let path = walk(folder).into_iter().find(|path| path.ends_with("summary.json")).unwrap();
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn merged_shards_equal_an_unsharded_run() {
    let suite = suite();
    let whole = suite.run(&["--output-dir", "whole"]);
    let codes: Vec<i32> = (1..=4).filter_map(|number| part(&suite, number, &[]).code).collect();
    assert_eq!(codes, [0, 0, 1, 0], "the case that fails is the seventh");
    // A folder that is named twice counts once.
    let merged = suite.agentci(&["merge", "parts", "parts/2", "parts/2", "--output-dir", "merged"]);
    assert_eq!(merged.code, whole.code, "{merged:?}");
    assert_eq!(timeless(summary(&suite.path("merged"))), timeless(summary(&suite.path("whole"))));
    let lines = |ran: &Ran| ran.stdout.lines().filter(|line| line.starts_with("FAIL")).count();
    assert_eq!(lines(&merged), lines(&whole));
    assert!(merged.stdout.contains("min_pass_rate"), "{}", merged.stdout);
}

#[test]
fn shard_ignores_gates_of_the_full_run() {
    let suite = suite();
    let first = part(&suite, 1, &[]);
    assert_eq!(first.code, Some(0));
    let gates = &summary(&suite.path("parts/1"))["regression"];
    assert_ne!(gates["passed"], Value::Bool(false), "{gates}");
}

/// Four cases of which two fail; each of two shards has one of them.
fn deciding(rate: &str, last: &str) -> Suite {
    let case = |number: u32| {
        let word = if number < 3 { "nowhere" } else { "answer" };
        format!("  - {{ id: c{number}, input: {{}}, checks: [{{ contains: {word} }}] }}\n")
    };
    let cases: String = (1..=4).map(case).collect();
    let response = "{ content: an answer, model: m, tokens_used: 1, latency_ms: 1 }";
    let head = format!("suite: shared\ntarget: {{ mock: {{ model_name: m, responses: [{response}] }} }}\n");
    let gates = format!("gates: {{ min_pass_rate: {rate}, decide: true }}\n");
    Suite::empty().file("suite/agentci.yaml", format!("{head}{gates}cases:\n{cases}{last}"))
}

fn half(suite: &Suite, number: u32, more: &[&str]) -> Ran {
    let (shard, folder) = (format!("{number}/2"), format!("parts/{number}"));
    suite.run(&[&["--shard", &shard, "--output-dir", &folder, "--report", "markdown"], more].concat())
}

#[test]
fn shard_leaves_failed_cases_to_deciding_gates_of_the_merge() {
    for (rate, code) in [("0.5", 0), ("0.6", 1)] {
        let suite = deciding(rate, "");
        for number in [1, 2] {
            let shard = half(&suite, number, &[]);
            assert_eq!(shard.code, Some(0), "{shard:?}");
            shard.says(&[
                "FAIL c",
                "the verdict is pending: 1 case of this shard did not pass, and `agentci merge` decides",
            ]);
            assert!(!shard.stdout.contains("GATE "), "{}", shard.stdout);
        }
        let folder = suite.path("parts/1");
        let pending = summary(&folder);
        assert_eq!(
            (&pending["regression"]["pending"], &pending["run"]["exit_status"]),
            (&true.into(), &"failed".into())
        );
        let page = walk(&folder).into_iter().find(|path| path.ends_with("report.md")).unwrap();
        let page = fs::read_to_string(page).unwrap();
        let title = "## ⏳ `shared`: pending\n\nThe verdict is pending: 1 case of this shard did not pass, and agentci merge decides.";
        assert!(page.starts_with(title), "{page}");
        let merged = suite.agentci(&["merge", "parts", "--output-dir", "merged"]);
        assert_eq!(merged.code, Some(code), "{merged:?}");
        assert!(!merged.stdout.contains("pending"), "{}", merged.stdout);
        assert_eq!(summary(&suite.path("merged"))["regression"]["pending"], Value::Null);
    }
}

#[test]
fn shard_with_a_case_that_could_not_be_run_fails_although_gates_decide() {
    // An invalid case fails every shard, a hook only its own.
    for (broken, other) in [
        ("  - { id: c5, input: {}, chekcs: [] }\n", 1),
        ("  - { id: c5, input: {}, checks: [{ json_schema: gone.json }] }\n", 1),
        ("  - { id: c5, input: {}, hooks: [{ command: [\"false\"] }] }\n", 0),
    ] {
        let suite = deciding("0", broken);
        let (first, second) = (half(&suite, 1, &[]), half(&suite, 2, &[]));
        assert_eq!((first.code, second.code), (Some(1), Some(other)), "{broken}: {first:?}");
        first.says(&["the gates do not decide: a case could not be run, or recordings were made"]);
        let merged = suite.agentci(&["merge", "parts", "--output-dir", "merged"]);
        assert_eq!(merged.code, Some(1), "{merged:?}");
    }
    let stopped = half(&deciding("0", ""), 1, &["--fail-fast"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
}

#[test]
fn merge_refuses_missing_or_duplicate_shard() {
    let suite = suite();
    for number in [1, 2, 4] {
        part(&suite, number, &[]);
    }
    let missing = suite.agentci(&["merge", "parts", "--output-dir", "merged"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("`shared` is incomplete: found 8 of 11 cases; missing of 4 shards: 3"),
        "{}",
        missing.stderr
    );
    assert!(!suite.path("merged").exists());
    part(&suite, 3, &[]);
    part(&suite, 3, &[]);
    let doubled = suite.agentci(&["merge", "parts"]);
    assert_eq!(doubled.code, Some(1));
    assert!(doubled.stderr.contains("shard 3 of `shared` occurs twice"), "{}", doubled.stderr);
}

#[test]
fn merge_refuses_shards_of_different_runs() {
    let suite = suite();
    part(&suite, 1, &[]);
    part(&suite, 2, &["--run", "c0."]);
    let strangers = suite.agentci(&["merge", "parts"]);
    assert!(strangers.stderr.contains("different cases were selected"), "{}", strangers.stderr);
    suite.run(&["--output-dir", "whole"]);
    let whole = suite.agentci(&["merge", "whole"]);
    assert!(whole.stderr.contains("is not a shard: it ran without `--shard`"), "{}", whole.stderr);
    let nothing = suite.agentci(&["merge", "suite"]);
    assert!(nothing.stderr.contains("no run folder in `suite`"), "{}", nothing.stderr);
}

#[test]
fn auto_shard_reads_ci_variables() {
    let suite = suite();
    let auto = |variables: &[(&str, &str)]| {
        let mut command = suite.command(&["run", "suite", "--shard", "auto", "--dry-run"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (_, third) = auto(&[("JOB_COMPLETION_INDEX", "2"), ("JOB_COMPLETIONS", "4")]);
    assert_eq!(third, "would run shared/c03\nwould run shared/c07\nwould run shared/c11\n");
    let (_, same) = auto(&[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "4")]);
    assert_eq!(same, third);
    assert_eq!(auto(&[]).0, 1);
}

#[test]
fn empty_shard_passes() {
    let suite = suite();
    let idle = suite.run(&["--shard", "4/4", "--case", "c01"]);
    assert_eq!(idle.code, Some(0), "{}", idle.stderr);
    assert!(idle.stderr.contains("shard 4 of 4 has no cases"));
}

#[test]
fn earlier_durations_balance_the_shards() {
    let suite = suite();
    let long = r#"{"suite":{"name":"shared"},"cases":[{"id":"c05","wall_ms":90000},{"id":"c01","wall_ms":10}]}"#;
    let suite = suite.file("former/summary.json", long);
    let part = |shard| suite.run(&["--shard", shard, "--shard-by", "former", "--dry-run"]).stdout;
    assert_eq!(part("1/2"), "would run shared/c05\n");
    assert_eq!(part("2/2").lines().count(), 10);
}

#[test]
fn every_documented_ci_variable_is_read() {
    let page = fs::read_to_string(project().join("docs/reference/shards.md")).unwrap();
    let table = page.split("`--shard auto` takes").nth(1).unwrap().split("\n\nGitHub").next().unwrap();
    let is_one =
        |name: &&str| name.contains('_') && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|row| row.split('`').filter(is_one).collect())
        .filter(|row: &Vec<_>| !row.is_empty())
        .collect();
    assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 11, "{rows:?}");
    let suite = suite();
    for row in rows {
        let mut command = suite.command(&["run", "suite", "--dry-run", "--shard", "auto"]);
        match row[..] {
            [both] => command.env(both, "1/4"),
            [index, count] => command.env(index, "1").env(count, "4"),
            _ => panic!("{row:?}"),
        };
        let output = command.output().unwrap();
        assert!(output.status.success(), "{row:?} is not read: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn github_workflow_installs_agentci_before_running_it() {
    let text = fs::read_to_string(project().join("examples/ci/github-shards.yml")).unwrap();
    for job in ["  part:\n", "  whole:\n"] {
        let steps = text.split(job).nth(1).unwrap();
        let (install, use_of) = (steps.find("cargo install --locked").unwrap(), steps.find("run: agentci ").unwrap());
        assert!(install < use_of, "{steps}");
    }
}
