//! `--resume` of a command that ran several suites: none of them is forgotten.

use std::fs;

use crate::ran::run_folders;
use crate::suite::Suite;

const AGENT: &str = "read -r task\necho '{\"type\":\"usage\",\"cost_usd\":0.01}'\n\
                     echo '{\"type\":\"final_output\",\"output\":{\"say\":\"ok\"}}'\n";

fn yaml(name: &str, cases: &str) -> String {
    format!("suite: {name}\ntarget: {{ process: {{ command: [sh, ../agent.sh] }} }}\ncases:\n{cases}")
}

/// A run of `a`, which fails and uses up the ceiling, and of `b` and `c`, which are not run.
fn cut() -> Suite {
    let suite = Suite::empty()
        .file("agent.sh", AGENT)
        .file("a/agentci.yaml", yaml("a", "  - { id: one, input: {}, checks: [{ contains: nowhere }] }\n"))
        .file("b/agentci.yaml", yaml("b", "  - { id: two, input: {} }\n"))
        .file("c/agentci.yaml", yaml("c", "  - { id: three, input: {} }\n"));
    let ran = suite.agentci(&["run", "a", "b", "c", "--parallel", "1", "--max-cost", "0.01"]);
    ran.says(&["FAIL one", "1 case not run"]);
    suite
}

#[test]
fn failed_suite_of_the_command_must_be_loaded() {
    let suite = cut();
    let forgotten = suite.agentci(&["run", "b", "c", "--resume"]);
    assert_eq!(forgotten.code, Some(1), "{forgotten:?}");
    forgotten.complains(&[
        "ran suites that are not loaded now: `a` (it was in `a/agentci.yaml`)",
        "help: pass their paths as well, or resume the other suites one by one with `--resume=RUN_DIR`, or run again \
         without `--resume`",
    ]);
    let runs = run_folders(&suite.path(".agentci/runs"));
    let of_b = runs.iter().find(|run| run.parent().unwrap().ends_with("b")).unwrap();
    let one = suite.agentci(&["run", "b", "c", &format!("--resume={}", of_b.display())]);
    assert_eq!(one.code, Some(0), "{one:?}");
    // Suites are known by their names.
    fs::rename(suite.path("a"), suite.path("moved")).unwrap();
    suite.agentci(&["run", ".", "--resume"]).says(&["FAIL one", "PASS two", "PASS three"]);
}

#[test]
fn resumed_command_fails_like_the_whole_one() {
    let suite = cut();
    let resumed = suite.agentci(&["run", "a", "b", "c", "--resume"]);
    assert_eq!(resumed.code, Some(1), "{resumed:?}");
    resumed.says(&["FAIL one", "PASS two", "PASS three"]);
}

#[test]
fn renamed_suite_is_not_taken_for_a_complete_one() {
    let cases = "  - { id: one, input: {} }\n  - { id: two, input: {} }\n";
    let suite = Suite::empty().file("agent.sh", AGENT).file("suite/agentci.yaml", yaml("old", cases));
    suite.run(&["--parallel", "1", "--max-cost", "0.01"]).says(&["1 case not run"]);
    let suite = suite.file("suite/agentci.yaml", yaml("new", cases));
    let renamed = suite.run(&["--resume"]);
    assert_eq!(renamed.code, Some(1), "{renamed:?}");
    renamed.complains(&[
        "`--resume`: the run `.agentci/runs/old/",
        "is not complete, and its suite `old` is not loaded",
        "help: pass the path of the suite (it was in `suite/agentci.yaml`), or, if it was renamed or removed, run \
         without `--resume`",
    ]);
}
