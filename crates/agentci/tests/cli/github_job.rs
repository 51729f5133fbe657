//! What a GitHub Actions job shows besides the log: annotations on lines of suites, and the job summary.

use std::fs;
use std::time::Instant;

use crate::ran::{Ran, run_folders};
use crate::reports::commands;
use crate::suite::Suite;

/// Runs `agentci` as in a job whose checkout is the folder of the test. The job summary is `summary.md`.
fn in_job(suite: &Suite, arguments: &[&str]) -> Ran {
    let started = Instant::now();
    let mut command = suite.command(arguments);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", suite.root());
    let output = command.env("GITHUB_STEP_SUMMARY", suite.path("summary.md")).output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// A native suite with a case that passes and one that fails; `gates` is followed by its keys.
fn half(gates: &str) -> Suite {
    let cases = "cases:\n  - { id: good, input: {}, checks: [{ contains: ok }] }\n  \
                 - { id: bad, input: {}, checks: [{ contains: nowhere }] }\n";
    let suite = Suite::native(&format!("gates:\n{gates}{cases}"));
    ["good", "bad"].iter().fold(suite, |suite, id| suite.agent(id, "finish '{\"say\":\"ok\"}'"))
}

/// The annotations of gates, without their messages.
fn gate_lines(log: &str) -> Vec<String> {
    let gates = commands(log).into_iter().filter(|line| line.contains("::gate "));
    gates.map(|line| line.split(",title=").next().unwrap().to_owned()).collect()
}

#[test]
fn failed_gate_is_annotated_on_the_line_of_its_key() {
    let suite = half("  no_new_failures: false\n  min_pass_rate:\n    0.9\n");
    let ran = in_job(&suite, &["run", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(gate_lines(&ran.stdout), ["::error file=suite/agentci.yaml,line=5,col=3"], "{}", ran.stdout);
    assert!(ran.junit().contains("\n  --&gt; suite/agentci.yaml:5:3<"), "{}", ran.junit());
}

#[test]
fn gates_of_runledger_suites_are_annotated_too() {
    let settings = "regression:\n  unknown: 1\n  min_success_rate: 0.9\nbaseline_path: gone.json";
    let suite = Suite::new().case("bad", "assertions: [{ type: must_call, tools: [pay] }]", "finish '{}'");
    let ran = in_job(&suite.setting(settings), &["run", "suite"]);
    let file = "::error file=suite/suite.yaml";
    assert_eq!(gate_lines(&ran.stdout), [format!("{file},line=9,col=1"), format!("{file},line=8,col=3")]);
}

#[test]
fn baseline_from_a_flag_is_not_annotated_on_the_line_of_another() {
    let suite = half("  baseline: own.json\n  min_pass_rate: 0.1\n");
    let ran = in_job(&suite, &["run", "suite", "--baseline", "other.json"]);
    assert_eq!(gate_lines(&ran.stdout), ["::error file=suite/agentci.yaml,line=3,col=1"], "{}", ran.stdout);
}

#[test]
fn secrets_in_the_lines_of_gates_are_not_stored() {
    let suite = half("  min_pass_rate: 0.9 # sk-abcdefghijklmnop1234\n");
    let mut command = suite.command(&["run", "suite"]);
    let output = command.env("MY_API_KEY", "sk-abcdefghijklmnop1234").output().unwrap();
    let ran = suite.ran(&output, std::time::Duration::ZERO);
    let journal = fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap();
    assert!(journal.contains("min_pass_rate: 0.9 # [REDACTED]"), "{journal}");
    assert!(!journal.contains("sk-abcdefghijklmnop1234"), "{journal}");
}

/// Runs both shards outside a job and merges them in one; returns the merge.
fn merged(suite: &Suite, more: &[&str]) -> Ran {
    for shard in ["1/2", "2/2"] {
        suite.agentci(&["run", ".", "--shard", shard, "--output-dir", &format!("parts/{}", &shard[..1])]);
    }
    in_job(suite, &[&["merge", "parts"], more].concat())
}

#[test]
fn merge_annotates_and_summarizes_as_a_run_does() {
    let suite = half("  min_pass_rate: 0.9\n");
    let whole = in_job(&suite, &["run", "suite"]);
    let summary = fs::read_to_string(suite.path("summary.md")).unwrap();
    fs::remove_file(suite.path("summary.md")).unwrap();
    let merged = merged(&suite, &[]);
    assert_eq!(merged.code, whole.code, "{merged:?}");
    assert_eq!(commands(&merged.stdout), commands(&whole.stdout), "{merged:?}");
    assert_eq!(commands(&merged.stdout).len(), 2, "a check and a gate: {merged:?}");
    let again = fs::read_to_string(suite.path("summary.md")).unwrap();
    let table = |text: &str| text.split("### Slowest").next().unwrap().replace(char::is_numeric, "");
    assert_eq!(table(&again), table(&summary));
    assert_eq!(again.matches("## ").count(), summary.matches("## ").count(), "written once: {again}");
}

#[test]
fn merge_moves_annotations_aside_and_survives_an_unwritable_summary() {
    let suite = half("  min_pass_rate: 0.9\n");
    fs::create_dir(suite.path("summary.md")).unwrap();
    let merged = merged(&suite, &["--report", "summary=-"]);
    assert_eq!((merged.code, commands(&merged.stderr).len()), (Some(1), 2), "{merged:?}");
    assert!(serde_json::from_str::<serde_json::Value>(&merged.stdout).is_ok(), "{}", merged.stdout);
    merged.complains(&["warning: the report for GITHUB_STEP_SUMMARY could not be written: "]);
}

#[test]
fn what_cannot_be_loaded_is_annotated_although_nothing_runs() {
    let suite = Suite::native("cases:\n  - { id: a, input: {}, checks: [{ contians: x }] }\nlimitz: 5\n");
    for arguments in [&["run", "suite"][..], &["check", "suite"], &["run", "suite", "--case", "a"]] {
        let ran = in_job(&suite, arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let commands = commands(&ran.stdout);
        let unknown = "::error file=suite/agentci.yaml,line=5,col=1,title=agentci%3A not loaded::unknown key `limitz`";
        assert!(commands.iter().any(|line| line.starts_with(unknown)), "{arguments:?}: {commands:?}");
    }
    let ran = in_job(&suite, &["run", "elsewhere", "--json"]);
    let commands = commands(&ran.stderr);
    assert!(commands[0].starts_with("::error file=elsewhere,title=agentci%3A not loaded::"), "{ran:?}");
}

#[test]
fn what_cannot_be_loaded_is_annotated_once_beside_other_suites() {
    let other = "suite: other\ntarget: { process: { command: [sh, agent.sh] } }\n";
    let good = "cases: [{ id: a, input: {} }]\n";
    let suite = Suite::native("cases: [{ id: a, input: {} }, { id: b, input: {}, checks: [{ contians: x }] }]\n")
        .agent("a", "finish '{}'")
        .agent("b", "finish '{}'")
        .file("other/agentci.yaml", format!("{other}{good}").replace("agent.sh", "../suite/agent.sh"))
        .file("broken/agentci.yaml", "suite: [\n");
    let ran = in_job(&suite, &["run", "."]);
    let lines = commands(&ran.stdout);
    let of = |file: &str| lines.iter().filter(|line| line.contains(&format!("file={file},line="))).count();
    assert_eq!((of("broken/agentci.yaml"), of("suite/agentci.yaml"), lines.len()), (1, 1, 2), "{lines:?}");
    assert!(ran.stdout.find("::error file=broken").unwrap() < ran.stdout.find("::stop-commands").unwrap());
    // A stored run has all of it in its report.
    let folders = run_folders(&suite.path(".agentci/runs"));
    let stored = suite.agentci(&["report", folders[0].to_str().unwrap(), "--report", "github=-"]);
    assert!(stored.stdout.contains("::error file=broken/agentci.yaml,line="), "{}", stored.stdout);
}

#[test]
fn merge_annotates_what_the_shards_could_not_load_once() {
    let suite = half("  min_pass_rate: 0\n").file("broken/agentci.yaml", "suite: [\n");
    let merged = merged(&suite, &[]);
    let lines = commands(&merged.stdout);
    let of_broken = lines.iter().filter(|line| line.contains("file=broken/agentci.yaml,line=")).count();
    assert_eq!((merged.code, of_broken), (Some(1), 1), "{merged:?}");
}

#[test]
fn pending_shard_says_so_in_an_annotation_and_in_the_job_summary() {
    let suite = half("  min_pass_rate: 0.9\n  decide: true\n");
    let ran = in_job(&suite, &["run", "suite", "--shard", "1/1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = commands(&ran.stdout);
    let pending =
        "::warning file=suite/agentci.yaml,title=agentci%3A suite::The verdict is pending: 1 case of this shard";
    assert!(lines.iter().all(|line| line.starts_with("::warning ")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with(pending)), "{lines:?}");
    let summary = fs::read_to_string(suite.path("summary.md")).unwrap();
    assert!(summary.starts_with("## ⏳ `suite`: pending\n\nThe verdict is pending: "), "{summary}");
}
