//! Suites with a `matrix`: what runs, which combination fails, and what reports say about the values of an axis.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::ran::{Ran, run_folders};
use crate::suite::Suite;
use crate::terminal::at_terminal;

const SUITE: &str = "suite: suite
matrix:
  model: [small, large]
  prompt: [prompts/short.md, prompts/long.md]
target:
  process: { command: [sh, model.sh, \"${matrix.model}\", \"${matrix.prompt}\"], speaks: text }
cases:
  - { id: refund, turns: [{ user: refund }], checks: [{ contains: \"good ${matrix.model}\" }] }
  - { id: greet, tags: [easy], turns: [{ user: hello }], checks: [{ contains: \"good ${matrix.model}\" }] }
";

/// The agent prints its prompt, and the name of the model unless that is broken for the task.
const AGENT: &str = "task=$(cat)
word=good
if [ -e \"broken-$1-$task\" ]; then word=bad; fi
echo \"$word $1 $(cat \"$2\")\"
";

fn suite() -> Suite {
    let suite = Suite::empty().file("suite/agentci.yaml", SUITE).file("suite/model.sh", AGENT);
    suite.file("suite/prompts/short.md", "in short").file("suite/prompts/long.md", "in full")
}

/// The suite with an agent that is broken for one model and task.
fn broken() -> Suite {
    suite().file("broken-large-refund", "")
}

fn last(suite: &Suite) -> PathBuf {
    run_folders(&suite.path(".agentci/runs")).pop().unwrap()
}

fn summary(suite: &Suite) -> Value {
    serde_json::from_str(&fs::read_to_string(last(suite).join("summary.json")).unwrap()).unwrap()
}

/// The ids of the cases in the last run, in the order of the summary.
fn ran(suite: &Suite, arguments: &[&str]) -> Vec<String> {
    let ran = suite.run(arguments);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let cases = summary(suite)["cases"].clone();
    cases.as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn failing_combination_fails_the_run_and_is_named() {
    let ran = broken().run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let short = "FAIL refund[model=large,prompt=short]";
    ran.says(&[short, "FAIL refund[model=large,prompt=long]", "PASS refund[model=small,prompt=short]"]);
    ran.says(&["suite/agentci.yaml:8", "the answer does not contain `good large`", "8 cases: 6 passed, 2 failed"]);
    assert!(ran.junit_case("refund[model=large,prompt=short]").contains("<failure"), "{}", ran.junit());
    let failed: Vec<String> =
        ran.verdicts().into_iter().filter(|verdict| verdict.1 == "fail").map(|verdict| verdict.0).collect();
    assert_eq!(failed, ["refund[model=large,prompt=long]", "refund[model=large,prompt=short]"]);
    let id = "refund[model=small,prompt=short]";
    let is_end = |event: &Value| event["type"] == "case_end" && event["case_id"] == id;
    let end = ran.events().into_iter().find(is_end).unwrap();
    let of = serde_json::json!({ "of": "refund", "axes": [
        { "axis": "model", "value": "small" }, { "axis": "prompt", "value": "prompts/short.md" },
    ] });
    assert_eq!(end["combination"], of);
}

#[test]
fn combinations_are_selected_by_case_axis_and_pattern() {
    let suite = suite();
    let all = |id: &str| {
        ["large,prompt=long", "large,prompt=short", "small,prompt=long", "small,prompt=short"]
            .map(|axes| format!("{id}[model={axes}]"))
    };
    assert_eq!(ran(&suite, &["--case", "refund"]), all("refund"));
    let one = "refund[model=small,prompt=short]";
    assert_eq!(ran(&suite, &["--case", one]), [one]);
    assert_eq!(ran(&suite, &["--run", r"refund\[model=small,prompt=short\]"]), [one]);
    let small = ["greet[model=small,prompt=long]", "greet[model=small,prompt=short]"];
    assert_eq!(ran(&suite, &["--tag", "model=small", "--case", "greet"]), small);
    assert_eq!(ran(&suite, &["--tag", "prompt=prompts/short.md", "--tag", "model=none"]).len(), 4);
    let unknown = suite.run(&["--case", "refnd"]);
    assert_eq!(unknown.code, Some(1));
    unknown.complains(&["unknown case `refnd`", "did you mean `refund`?"]);
}

#[test]
fn failed_combinations_run_again_alone() {
    let suite = broken();
    let hint = suite.run(&[]);
    let hinted = format!("{}{}", hint.stdout, hint.stderr);
    assert!(hinted.contains("--case 'refund[model=large,prompt=short]'"), "{hinted}");
    fs::remove_file(suite.path("broken-large-refund")).unwrap();
    let again = ran(&suite, &["--failed"]);
    assert_eq!(again, ["refund[model=large,prompt=long]", "refund[model=large,prompt=short]"]);
}

#[test]
fn list_and_check_show_the_expansion() {
    let suite = suite();
    let listed = suite.agentci(&["list", "suite"]);
    assert_eq!(listed.stdout.lines().count(), 8, "{listed:?}");
    listed.says(&["suite/greet[model=small,prompt=long] [model=small, prompt=prompts/long.md, easy]"]);
    let json: Value = serde_json::from_str(&suite.agentci(&["list", "suite", "--json"]).stdout).unwrap();
    assert_eq!(json[1]["combination"]["of"], "refund");
    assert_eq!(json[1]["combination"]["axes"][1]["value"], "prompts/long.md");
    let checked = suite.agentci(&["check", "suite"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let planned = suite.run(&["--dry-run"]);
    planned.says(&["refund[model=large,prompt=short]"]);
}

#[test]
fn converted_suite_runs_the_same_cases() {
    let suite = suite();
    let before = ran(&suite, &[]);
    let made = suite.agentci(&["convert", "suite", "-o", "again/agentci.yaml"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let listed = suite.agentci(&["list", "again", "--json"]);
    let cases: Value = serde_json::from_str(&listed.stdout).unwrap();
    let mut ids: Vec<&str> = cases.as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, before);
    assert_eq!(cases[0]["combination"]["of"], "refund");
    let again = suite.agentci(&["run", "again"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    again.says(&["no difference in pass rates beyond chance"]);
}

/// The numbers of a value of the axis `model`, as the reports show them.
const LARGE: [&str; 4] = ["4 of 8", "50 %", "21.5 % to 78.5 %", "unknown"];

#[test]
fn reports_have_equal_numbers_with_intervals() {
    let suite = broken();
    let run = suite.run(&["--runs", "2", "--report", "markdown", "--report", "csv"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let row = run.stdout.lines().find(|line| line.starts_with("  large ")).unwrap_or_else(|| panic!("{run:?}"));
    assert!(LARGE.iter().all(|part| row.contains(part)), "{row}");
    run.says(&["model: no difference in pass rates beyond chance: the 95 % intervals overlap"]);
    let summary = summary(&suite);
    let large = &summary["matrix"]["axes"][0]["values"][1];
    assert_eq!((&large["value"], &large["runs"], &large["passes"]), (&"large".into(), &8.into(), &4.into()));
    assert_eq!((&large["cost_usd"], &large["cost_unknown"]), (&Value::Null, &8.into()));
    let interval: Vec<f64> = large["interval"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
    assert!((interval[0] - 0.2152).abs() < 1e-4 && (interval[1] - 0.7848).abs() < 1e-4, "{interval:?}");
    assert_eq!(summary["matrix"]["combinations"].as_array().unwrap().len(), 4);
    let file = |name: &str| fs::read_to_string(last(&suite).join(name)).unwrap();
    let markdown = file("report.md");
    let row = markdown.lines().find(|line| line.starts_with("| `large` |")).unwrap_or_else(|| panic!("{markdown}"));
    assert!(LARGE.iter().all(|part| row.contains(part)), "{row}");
    let page = file("report.html");
    let row = page.lines().find(|line| line.contains("#tag=model%3Dlarge\">large</a><td>")).unwrap();
    assert!(LARGE.iter().all(|part| row.contains(part)), "{row}");
    assert!(page.contains("fail, 0 of 2"), "the table of cases by combination");
    // A stored run gives the same tables.
    let folder = last(&suite).to_str().unwrap().to_owned();
    let again = suite.agentci(&["report", &folder, "--report", "markdown=-"]);
    assert_eq!(again.stdout, markdown);
}

#[test]
fn clear_difference_is_said() {
    let suite = suite().file("broken-large-refund", "").file("broken-large-hello", "");
    let run = suite.run(&["--runs", "4"]);
    run.says(&["model: `small` passed more often than `large`: the 95 % intervals do not overlap"]);
    run.says(&["prompt: no difference in pass rates beyond chance"]);
}

#[test]
fn terminal_table_is_short_and_says_what_it_leaves_out() {
    let values: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let axes = format!("  model: [{}]\n  prompt: [prompts/short.md, prompts/long.md]", values.join(", "));
    let text = SUITE.replace("  model: [small, large]\n  prompt: [prompts/short.md, prompts/long.md]", &axes);
    let text = text
        .replace("\"${matrix.model}\"", "\"m${matrix.model}\"")
        .replace("good ${matrix.model}", "good m${matrix.model}");
    let suite = suite().file("suite/agentci.yaml", text);
    let run = suite.run(&[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    run.says(&["12 more rows not shown", "not shown: the cases (see `report.html` or `summary.json`)"]);
    let from = run.stdout.find("\nmodel ").unwrap();
    let to = run.stdout[from..].find("\n80 cases").unwrap();
    assert!(run.stdout[from..from + to].lines().count() <= 34, "{}", run.stdout);
}

#[test]
fn terminal_table_has_whole_numbers_at_any_width() {
    let suite = suite();
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("  ") && line.contains("4 of 4")).map(str::to_owned).collect()
    };
    let check = |text: &str, columns: usize, time: bool| {
        assert_eq!(rows(text).len(), 4, "{text}");
        assert!(rows(text).iter().all(|row| row.chars().count() <= columns && !row.contains("...")), "{text}");
        assert_eq!(text.contains("median time\n"), time, "{text}");
        let note = text.lines().find(|line| line.starts_with("not shown: ")).unwrap_or_default();
        assert_eq!(note.contains("the column `median time`"), !time, "{text}");
        assert!(text.contains("refund  pass") || note.contains("the cases"), "{text}");
        assert!(!text.contains("unknown, "), "{text}");
    };
    for (columns, time) in [(40, false), (70, false), (140, true)] {
        let output = suite.command(&["run", "suite"]).env("COLUMNS", columns.to_string()).output().unwrap();
        check(&String::from_utf8(output.stdout).unwrap(), columns, time);
        let at_terminal = at_terminal(&suite, columns.try_into().unwrap(), &[], &["run", "suite"]).0;
        check(&at_terminal, columns, time);
    }
    check(&suite.run(&[]).stdout, usize::MAX, true);
}

#[test]
fn each_combination_has_its_own_history() {
    let gates = "gates: { baseline: baseline.json, no_new_failures: true }\ncases:\n";
    let suite = suite().file("suite/agentci.yaml", SUITE.replace("cases:\n", gates)).file("broken-large-refund", "");
    suite.run(&[]);
    let folder = last(&suite).to_str().unwrap().to_owned();
    let promoted = suite.agentci(&["baseline", "promote", "--from", &folder, "--to", "suite/baseline.json"]);
    assert_eq!(promoted.code, Some(0), "{promoted:?}");
    fs::write(suite.path("broken-small-hello"), "").unwrap();
    let run = suite.run(&[]);
    assert_eq!(run.code, Some(1));
    let new = run.stdout.lines().find(|line| line.contains("no_new_failures") || line.contains("no-new-failures"));
    let new = new.unwrap_or_else(|| panic!("{run:?}"));
    assert!(new.contains("greet[model=small,prompt=short]") && !new.contains("refund["), "{new}");
}

#[test]
fn merged_shards_have_the_tables_of_one_run() {
    let whole = broken();
    whole.run(&[]);
    let sharded = broken();
    for number in ["1", "2", "3"] {
        let ran = sharded.run(&["--shard", &format!("{number}/3"), "--output-dir", &format!("parts/{number}")]);
        assert!(ran.code.is_some_and(|code| code <= 1), "{ran:?}");
    }
    let parts: Vec<String> = ["1", "2", "3"]
        .iter()
        .flat_map(|number| run_folders(&sharded.path(&format!("parts/{number}"))))
        .map(|folder| folder.to_str().unwrap().to_owned())
        .collect();
    let mut arguments = vec!["merge"];
    arguments.extend(parts.iter().map(String::as_str));
    let merged: Ran = sharded.agentci(&arguments);
    assert_eq!(merged.code, Some(1), "{merged:?}");
    let timeless = |suite: &Suite| {
        let mut matrix = summary(suite)["matrix"].clone();
        for axis in matrix["axes"].as_array_mut().unwrap() {
            axis["values"].as_array_mut().unwrap().iter_mut().for_each(|value| value["wall_ms"] = Value::Null);
        }
        for combination in matrix["combinations"].as_array_mut().unwrap() {
            combination["numbers"]["wall_ms"] = Value::Null;
        }
        matrix
    };
    assert_eq!(timeless(&sharded), timeless(&whole));
}

#[test]
fn grouped_failures_name_the_axes() {
    let case =
        |number: u32| format!("  - {{ id: c{number}, turns: [{{ user: refund }}], checks: [{{ contains: good }}] }}");
    let cases: Vec<String> = (0..15).map(case).collect();
    let cases = cases.join("\n");
    let text = format!("{}cases:\n{cases}\n", SUITE.split_once("cases:\n").unwrap().0);
    let run = broken().file("suite/agentci.yaml", text).run(&[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    run.says(&["30 cases: `contains` failed", "c0[model=large,prompt=short]", "c5[model=large,prompt=long]"]);
}

#[test]
fn each_combination_has_its_own_cassette() {
    let yaml = "suite: suite
matrix: { model: [openai/a-1, \"b/a-1\", a-1] }
target: { process: { command: [sh, model.sh, \"${matrix.model}\"] } }
world: { tools: { cassette: \"tapes/{case}.jsonl\" } }
cases: [{ id: one, input: {} }]
";
    let suite = Suite::empty().file("suite/agentci.yaml", yaml).file("suite/model.sh", "");
    let checked = suite.agentci(&["list", "suite", "--json"]);
    let cases: Value = serde_json::from_str(&checked.stdout).unwrap();
    let ids: Vec<&str> = cases.as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| !id.contains('/')), "{ids:?}");
    let distinct: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(distinct.len(), 3, "{ids:?}");
}

#[test]
fn prompt_files_of_an_axis_are_sent_with_the_columns_of_each_row() {
    let suite = Suite::empty()
        .file(
            "suite/agentci.yaml",
            "suite: suite
matrix: { prompt: [prompts/short.md, prompts/long.md] }
target: { chat: { connector: mock, prompts: [\"${matrix.prompt|text}\"] } }
cases: { from: q.csv, id: \"q{id}\", turns: [{ user: \"${row.q}\" }] }
",
        )
        .file("suite/prompts/short.md", "Be short about ${row.q}.\n")
        .file("suite/prompts/long.md", "Explain ${row.q}.\n")
        .file("suite/q.csv", "id,q\n1,teapots\n2,$ENV.HOME\n");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let run = fs::read_to_string(last(&suite).join("run.jsonl")).unwrap();
    // The variable is data of a row, so it is sent as it is.
    for sent in ["Be short about teapots.", "Explain teapots.", "Be short about $ENV.HOME.", "Explain $ENV.HOME."] {
        assert!(run.contains(&format!("\"role\":\"system\",\"content\":\"{sent}\"")), "{sent}");
    }
}
