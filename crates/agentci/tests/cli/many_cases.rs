//! Runs of many cases, in a form that a person can read: passes are counted, and failures are grouped.

use std::fmt::Write as _;

use serde_json::Value;

use crate::ran::Ran;
use crate::suite::Suite;

const HEAD: &str = "suite: suite
target:
  mock: { model_name: m, responses: [{ content: a few words, model: m, tokens_used: 5, latency_ms: 1 }] }
";

/// The number of the reason why a case fails, if it does.
fn reason(case: usize) -> Option<usize> {
    (case % 20 < 3).then(|| [0, 0, 0, 0, 1, 1, 1, 2, 2, 3][case / 20 % 10])
}

/// A suite of mock cases that all get the same answer. Of 20 cases 3 fail, for one of four reasons; the texts that cases of
/// the second reason expect all differ.
fn failing(cases: usize) -> (Suite, [(usize, &'static str); 4]) {
    let mut text = format!("{HEAD}cases:\n");
    let mut counts = [0; 4];
    for case in 0..cases {
        let reason = reason(case);
        let check = match reason {
            None => "contains: words".to_owned(),
            Some(0) => "contains: good".to_owned(),
            Some(1) => format!("contains: order {case}"),
            Some(2) => "matches: ^never$".to_owned(),
            Some(_) => "valid_json: true".to_owned(),
        };
        if let Some(reason) = reason {
            counts[reason] += 1;
        }
        writeln!(text, "  - id: c{case}\n    input: {{ prompt: hello }}\n    checks: [{{ {check} }}]").unwrap();
    }
    let titles = [
        "`contains` failed: the answer does not contain `good`",
        "`contains` failed: the answer does not contain `…`",
        "`matches` failed",
        "`valid_json` failed",
    ];
    let mut expected: Vec<(usize, &str)> = counts.into_iter().zip(titles).collect();
    expected.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    (Suite::empty().file("suite/agentci.yaml", text), expected.try_into().unwrap())
}

/// The groups in the summary: the number of cases, and the title.
fn groups(ran: &Ran) -> Vec<(usize, String)> {
    let folder = ran.run_folders().pop().unwrap();
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap();
    let groups = summary["failure_groups"].as_array().unwrap();
    let group = |group: &Value| (group["cases"].as_array().unwrap().len(), group["title"].as_str().unwrap().to_owned());
    groups.iter().map(group).collect()
}

/// The groups of a run are the expected ones, and the same in every report.
fn groups_are_everywhere(suite: &Suite, cases: usize, expected: [(usize, &str); 4]) {
    let ran = suite.run(&["--report", "markdown=report.md"]);
    assert_eq!(ran.code, Some(1));
    let lines = ran.stdout.lines().count() + ran.stderr.lines().count();
    assert!(lines <= 120, "{lines} lines:\n{}", ran.console());
    let groups = groups(&ran);
    assert_eq!(groups.len(), 4, "{groups:?}");
    let folder = ran.run_folders().pop().unwrap();
    let pages = [
        ran.console(),
        std::fs::read_to_string(suite.path("report.md")).unwrap(),
        std::fs::read_to_string(folder.join("report.html")).unwrap(),
    ];
    for ((count, title), (expected_count, expected_title)) in groups.iter().zip(expected) {
        assert_eq!(*count, expected_count, "{title}");
        assert!(title.starts_with(expected_title), "{title}");
        for page in &pages {
            let line = page.lines().find(|line| line.contains(title.as_str()) && line.contains("cases"));
            assert!(line.is_some_and(|line| line.contains(&format!("{count} cases"))), "{title}:\n{line:?}");
        }
    }
    let failed: usize = groups.iter().map(|(count, _)| count).sum();
    ran.says(&[&format!("{cases} cases: {} passed, {failed} failed", cases - failed)]);
    assert!(!ran.stdout.contains("PASS c"), "{}", ran.stdout);
}

#[test]
fn failures_are_grouped_alike_in_every_report() {
    let (suite, expected) = failing(400);
    groups_are_everywhere(&suite, 400, expected);
}

#[test]
fn output_does_not_grow_with_the_suite() {
    let (suite, expected) = failing(2_000);
    groups_are_everywhere(&suite, 2_000, expected);
}

/// The same suite, with a baseline that knows steps: the cases of the second and third reason called a tool that they no
/// longer call, those of the first reason another one that passing cases do not call any more either.
fn departing(cases: usize) -> (Suite, [(usize, &'static str); 4]) {
    let (suite, counts) = failing(cases);
    // A baseline of all cases, made of the only case of a small run.
    let one = "cases: [{ id: c, input: { prompt: x }, checks: [{ contains: words }] }]\n";
    let mut summary = some_fail(one).run(&[]).summary();
    let entry = summary["cases"][0].take();
    let entry = |case: usize| {
        let tool = match reason(case) {
            Some(1) => Some("refund_order"),
            Some(2) => Some("find_order"),
            Some(3) => None,
            _ => Some("search_docs"),
        };
        let step = |tool| serde_json::json!({ "tool": tool, "args_hash": "0000000000000000" });
        let mut entry = entry.clone();
        entry["id"] = format!("c{case}").into();
        entry["status"] = if reason(case).is_some() { "fail" } else { "pass" }.into();
        entry["tool_steps"] = tool.into_iter().map(step).collect();
        entry
    };
    summary["cases"] = (0..cases).map(entry).collect();
    let suite = suite.file("suite/baseline.json", summary.to_string());
    let written = std::fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let gates = "gates: { baseline: baseline.json, min_pass_rate: 0.5 }\ncases:\n";
    let suite = suite.file("suite/agentci.yaml", written.replace("cases:\n", gates));
    let titles = [
        counts[0].1,
        "first differing step: `refund_order` is missing",
        "first differing step: `find_order` is missing",
        counts[3].1,
    ];
    let counts = counts.map(|(count, _)| count);
    (suite, [0, 1, 2, 3].map(|at| (counts[at], titles[at])))
}

#[test]
fn failures_are_grouped_by_the_first_step_that_differs() {
    let (suite, expected) = departing(400);
    groups_are_everywhere(&suite, 400, expected);
}

#[test]
fn first_differing_steps_of_many_cases_are_grouped() {
    let (suite, expected) = departing(10_000);
    groups_are_everywhere(&suite, 10_000, expected);
}

#[test]
fn verbose_lists_every_case() {
    let (suite, _) = failing(60);
    let ran = suite.run(&["--verbose"]);
    assert_eq!(ran.stdout.matches("PASS c").count(), 51, "{}", ran.stdout);
    let small = failing(50).0.run(&[]);
    assert_eq!(small.stdout.matches("PASS c").count(), 41, "{}", small.stdout);
}

/// The ids of the cases of the newest run.
fn ids(ran: &Ran) -> Vec<String> {
    let folder = ran.run_folders().pop().unwrap();
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap();
    summary["cases"].as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect()
}

fn some_fail(cases: &str) -> Suite {
    Suite::empty().file("suite/agentci.yaml", format!("{HEAD}{cases}"))
}

const SOME_FAIL: &str = "cases:
  - { id: one, input: { prompt: x }, checks: [{ contains: good }] }
  - { id: two, input: { prompt: x }, checks: [{ contains: words }] }
  - { id: three, input: { prompt: x }, checks: [{ contains: bad }] }
";

#[test]
fn runs_only_what_failed_last() {
    let suite = some_fail(SOME_FAIL);
    assert_eq!(ids(&suite.run(&[])).len(), 3);
    let again = suite.run(&["--failed"]);
    assert_eq!((again.code, ids(&again)), (Some(1), vec!["one".to_owned(), "three".to_owned()]));
    // The newest run counts, and it has two cases of which one fails now.
    let better = format!("{HEAD}{}", SOME_FAIL.replace("good", "words"));
    std::fs::write(suite.path("suite/agentci.yaml"), better).unwrap();
    assert_eq!(ids(&suite.run(&["--lf"])), ["one", "three"]);
    let last = suite.run(&["--lf"]);
    assert_eq!((last.code, ids(&last)), (Some(1), vec!["three".to_owned()]));
}

#[test]
fn runs_what_failed_in_a_given_run() {
    let suite = some_fail(SOME_FAIL);
    let first = suite.run(&[]).run_folder();
    suite.run(&["--case", "two"]);
    let failed = format!("--failed={}", first.display());
    assert_eq!(ids(&suite.run(&[&failed])), ["one", "three"]);
    assert_eq!(ids(&suite.run(&[&failed, "--case", "three"])), ["three"]);
}

#[test]
fn nothing_failed_is_not_a_pass() {
    let suite = some_fail(&SOME_FAIL.replace("good", "words").replace("bad", "words"));
    let before = suite.run(&["--failed"]);
    assert_eq!(before.code, Some(1));
    before.complains(&["`--failed`: the suite `suite` has no stored run", "help: run it once without `--failed`"]);
    suite.run(&[]).all_passed();
    let after = suite.run(&["--failed"]);
    assert_eq!(after.code, Some(1));
    after.complains(&["`--failed`: every case of the last run passed", "help: run all cases without `--failed`"]);
    let other = suite.run(&["--failed=nowhere"]);
    assert_eq!(other.code, Some(1));
    other.complains(&["the cases that failed in `nowhere` cannot be read", "help: pass a run folder"]);
}

#[test]
fn case_that_a_killed_run_left_open_is_run_again() {
    let suite = some_fail(SOME_FAIL);
    let folder = suite.run(&["--case", "two"]).run_folder();
    let journal = std::fs::read_to_string(folder.join("run.jsonl")).unwrap();
    let open: Vec<&str> = journal.lines().take_while(|line| !line.contains("\"case_end\"")).collect();
    std::fs::write(folder.join("run.jsonl"), open.join("\n") + "\n").unwrap();
    let again = suite.run(&["--failed"]);
    assert_eq!((again.code, ids(&again)), (Some(0), vec!["two".to_owned()]));
}

#[test]
fn hint_selects_many_failures_by_their_result() {
    let (suite, _) = failing(400);
    let ran = suite.run(&[]);
    ran.says(&["run them again: agentci run suite --failed\n"]);
    let again = suite.run(&["--failed"]);
    assert_eq!(ids(&again).len(), 60);
}
