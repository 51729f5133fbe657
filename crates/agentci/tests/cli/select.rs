//! Which cases run.

use crate::ran::Ran;
use crate::suite::Suite;

const CASES: &str = r"cases:
  - { id: pay, tags: [money, slow], input: {} }
  - { id: refund, tags: [money], input: {} }
  - { id: greet, input: {} }
  - { id: later, skip: not ready yet, input: {} }
";

fn suite() -> Suite {
    let suite = Suite::native(CASES);
    ["pay", "refund", "greet"].into_iter().fold(suite, |suite, id| suite.agent(id, "finish '{\"ok\":true}'"))
}

fn ids(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.verdicts().into_iter().map(|verdict| verdict.0).collect()
}

#[test]
fn selects_by_id_tag_and_pattern() {
    assert_eq!(ids(&suite().run(&["--case", "greet"])), ["greet"]);
    assert_eq!(ids(&suite().run(&["--case", "greet", "--case", "pay"])), ["greet", "pay"]);
    assert_eq!(ids(&suite().run(&["--tag", "money"])), ["pay", "refund"]);
    assert_eq!(ids(&suite().run(&["--tag", "slow", "--tag", "money"])), ["pay", "refund"]);
    assert_eq!(ids(&suite().run(&["--run", "^(pay|gr)"])), ["greet", "pay"]);
    assert_eq!(ids(&suite().run(&["--run", "suite/re"])), ["refund"]);
    assert_eq!(ids(&suite().run(&["--tag", "money", "--run", "^p"])), ["pay"]);
}

#[test]
fn skipped_case_is_reported_and_not_run() {
    let ran = suite().run(&[]);
    assert_eq!(ran.code, Some(0));
    ran.says(&["SKIP later: not ready yet\n", "4 cases: 3 passed, 0 failed, 0 errors, 1 skipped"]);
    let case = ran.case("later");
    assert_eq!((&case["status"], &case["skip_reason"]), (&"skipped".into(), &"not ready yet".into()));
    assert!(ran.junit_case("later").contains("<skipped message=\"not ready yet\"/>"));
}

#[test]
fn refuses_unknown_id_with_a_suggestion() {
    let ran = suite().run(&["--case", "refnd"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert_eq!(ran.stderr, "error: unknown case `refnd`\nhelp: did you mean `refund`?\n");
    let ran = suite().run(&["--case", "entirely-different", "--case", "pay"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["unknown case `entirely-different`", "help: `agentci list` shows every case"]);
    assert!(ran.run_folders().is_empty());
}

#[test]
fn empty_selection_is_an_error() {
    for arguments in [["--tag", "unknown"], ["--run", "^x$"]] {
        let ran = suite().run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
        ran.complains(&["error: no case matches the selection\n", "help: "]);
        assert!(ran.run_folders().is_empty());
    }
}

#[test]
fn list_shows_tags_and_supports_selection_flags() {
    let ran = suite().agentci(&["list", "suite"]);
    assert_eq!(ran.stdout, "suite/pay [money, slow]\nsuite/refund [money]\nsuite/greet\nsuite/later (skipped)\n");
    assert_eq!(ran.code, Some(0));
    let ran = suite().agentci(&["list", "suite", "--tag", "slow", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!((&rows[0]["id"], &rows[0]["path"]), (&"pay".into(), &"suite/agentci.yaml".into()));
}

#[test]
fn selected_id_runs_only_in_the_suite_containing_it() {
    let other =
        "suite: other\ntarget: { process: { command: [sh, ../suite/agent.sh] } }\ncases: [{ id: alone, input: {} }]\n";
    let suite = suite().file("other/agentci.yaml", other).agent("alone", "finish '{}'");
    let ran = suite.agentci(&["run", ".", "--case", "alone"]);
    assert_eq!(ids(&ran), ["alone"]);
}
