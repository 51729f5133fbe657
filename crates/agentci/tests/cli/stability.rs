//! Cases with several runs: their statistics in every report.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::ran::Ran;
use crate::suite::Suite;

/// A shell function that counts the runs of a case in a file and sets `$n`.
const COUNTS: &str = r#"
count() { n=$(($(cat "count-$1" 2> /dev/null || echo 0) + 1)); echo $n > "count-$1"; }
"#;

/// `steady` always passes, `odd` gives a different output in its third run, `rare` passes only in its second run, and
/// `breaks` exits without a result in its first.
fn uneven() -> Suite {
    let cases = "cases:\n\
        \x20 - { id: steady, input: {}, checks: [{ contains: yes }] }\n\
        \x20 - { id: odd, input: {}, checks: [{ contains: yes }] }\n\
        \x20 - { id: rare, input: {}, checks: [{ contains: yes }] }\n\
        \x20 - { id: breaks, input: {}, checks: [{ contains: yes }] }\n\
        \x20 - { id: later, input: {}, skip: not yet }\n";
    let scripted = |id: &str, answers: &str| format!("{COUNTS}count {id}; case $n in {answers} esac");
    Suite::native(cases)
        .agent("steady", r#"finish '{"text":"yes"}'"#)
        .agent("odd", &scripted("odd", r#"3) finish '{"text":"no"}' ;; *) finish '{"text":"yes"}' ;;"#))
        .agent("rare", &scripted("rare", r#"2) finish '{"text":"yes"}' ;; *) finish "{\"text\":\"no $n\"}" ;;"#))
        .agent("breaks", &scripted("breaks", r#"1) exit 3 ;; *) finish '{"text":"yes"}' ;;"#))
}

fn forget_counts(suite: &Suite) {
    for name in ["odd", "rare", "breaks"] {
        let _ = fs::remove_file(suite.path(&format!("count-{name}")));
    }
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

/// The statistics of a case's runs, without times.
fn measured(ran: &Ran, id: &str) -> Value {
    let mut stability = ran.case(id)["stability"].clone();
    for time in ["avg_duration_ms", "min_duration_ms", "max_duration_ms", "std_deviation_ms"] {
        assert!(stability.as_object_mut().unwrap().remove(time).unwrap().is_number());
    }
    stability
}

#[test]
fn stability_statistics_match_known_values() {
    let ran = uneven().run(&["--runs", "5"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let expected = [
        ("steady", 5, 100.0, "stable", 1.0),
        ("odd", 4, 80.0, "mostly_stable", 0.8),
        ("rare", 1, 20.0, "highly_unstable", 0.2),
        ("breaks", 4, 80.0, "mostly_stable", 0.8),
    ];
    for (id, passed, rate, class, same) in expected {
        let wanted = json!({
            "runs": 5, "passed": passed, "failed": 5 - passed, "pass_rate": rate, "stable": passed == 5,
            "stability_class": class, "identical_outputs": same,
        });
        let found = measured(&ran, id);
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(found[key].as_f64(), value.as_f64(), "{id} {key}");
            assert_eq!(found[key].to_string(), value.to_string(), "{id} {key}");
        }
        assert_eq!(ran.case(id)["runs"].as_array().unwrap().len(), 5);
    }
    assert!(ran.case("later").get("stability").is_none());
    let summary = &ran.summary()["aggregates"]["stability"];
    let wanted = json!({
        "runs_per_case": 5, "total_runs": 20, "overall_pass_rate": 70.0, "stable_cases": 1, "unstable_cases": 3,
    });
    assert_eq!(summary.to_string(), sorted(wanted).to_string());
    assert_eq!(ran.summary()["aggregates"]["cases_pass"], 1);
}

fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

#[test]
fn every_report_shows_stability() {
    let suite = uneven();
    let kinds = ["markdown", "csv", "jsonl", "github", "console", "html", "junit"];
    let flags: Vec<&str> = kinds.iter().flat_map(|kind| ["--report", kind]).collect();
    let ran = suite.run(&[&["--runs", "2"], &flags[..]].concat());
    let folder = ran.run_folder();
    let steady = "stable: 2 of 2 runs passed (100 %), mean ";
    let rare = "unstable: 1 of 2 runs passed (50 %), mean ";
    let all = "4 cases in 8 runs: 2 stable, 2 not; 75 % passed on average";
    ran.says(&[&format!("stability of rare: {rare}"), &format!("stability: {all}")]);
    assert!(!ran.stdout.contains("stability of steady"), "{ran:?}");
    suite.agentci(&["report", "-v", folder.to_str().unwrap()]).says(&[&format!("stability of steady: {steady}")]);
    assert!(ran.junit_case("rare").contains(rare), "{}", ran.junit_case("rare"));
    assert!(ran.junit_case("steady").contains(steady), "{}", ran.junit_case("steady"));
    let markdown = read(folder.join("report.md"));
    assert!(markdown.contains(&format!("### Stability\n\n{all}\n")), "{markdown}");
    assert!(markdown.contains("\n| `rare` | unstable | 1 of 2 | 50 % | "), "{markdown}");
    let csv = read(folder.join("report.csv"));
    let column = csv.lines().next().unwrap().split(',').position(|name| name == "pass_rate").unwrap();
    let cells: Vec<&str> = csv.lines().find(|line| line.contains(",rare,")).unwrap().split(',').collect();
    assert_eq!(cells[column..column + 2], ["50", "unstable"], "{csv}");
    let annotations = read(folder.join("annotations.log"));
    assert!(annotations.contains("unstable: 1 of 2 runs passed (50 %25)"), "{annotations}");
    let html = read(folder.join("report.html"));
    assert!(html.contains("<dt>stable<dd>2 of 4</div>") && html.contains(rare), "the page does not tell it");
    let lines = read(folder.join("events.jsonl"));
    let told: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_cases: Vec<&Value> = told.iter().filter(|line| line["type"] == "stability").collect();
    assert_eq!(of_cases.len(), 4);
    let one = of_cases.iter().find(|line| line["case_id"] == "rare").unwrap();
    assert_eq!((&one["passed"], &one["stability_class"]), (&json!(1), &json!("unstable")));
    assert_eq!(told.last().unwrap()["stability"]["stable_cases"], 2);
}

#[test]
fn regenerated_reports_are_identical() {
    let suite = uneven();
    let kinds = ["summary", "junit", "markdown", "html", "jsonl", "csv", "console", "github"];
    let flags: Vec<&str> = kinds.iter().flat_map(|kind| ["--report", kind]).collect();
    let ran = suite.run(&[&["--runs", "3"], &flags[..]].concat());
    let folder = ran.run_folder();
    let files = || -> Vec<(String, String)> {
        let mut entries: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().map(|path| (path.display().to_string(), read(path))).collect()
    };
    let live = files();
    for (path, _) in live.iter().filter(|(path, _)| !path.ends_with("run.jsonl")) {
        fs::remove_file(path).unwrap();
    }
    let again = suite.agentci(&[&["report", folder.to_str().unwrap()], &flags[..]].concat());
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(files(), live);
}

#[test]
fn runs_flag_overrides_suite_setting_in_every_format() {
    let native = Suite::native("runs: 4\ncases: [{ id: a, input: {} }, { id: b, runs: 3, input: {} }]\n")
        .agent("a", "finish '{}'")
        .agent("b", "finish '{}'");
    let runs = |ran: &Ran, id: &str| ran.case(id)["runs"].as_array().map(Vec::len);
    let twice = native.run(&["--runs", "2"]);
    assert_eq!((runs(&twice, "a"), runs(&twice, "b")), (Some(2), Some(2)));
    let runledger = Suite::new().run(&["--runs", "3"]);
    runledger.all_passed();
    assert_eq!(runs(&runledger, "good"), Some(3));
    let test = "name: greets\ninput_messages: [{ role: user, content: hi }]\n";
    let mock = "model_name: m\nresponses: [{ content: hello, model: m, tokens_used: 3, latency_ms: 1 }]\n";
    let aumai = Suite::empty().file("tests/mock_config.yaml", mock).file("tests/greets.yaml", test);
    let aumai = aumai.agentci(&["run", "tests", "--runs", "2"]);
    assert_eq!(runs(&aumai, "greets"), Some(2), "{aumai:?}");
    let config = "version: '1.0'\ntarget: { type: agui, endpoint: 'http://127.0.0.1:9/', agentId: a }\n";
    let talk = "version: '1.0'\nname: talk\nturns: [{ user: hi }]\n";
    let ananke = Suite::empty().file("shop/ananke.config.yaml", config).file("shop/a.test.yaml", talk);
    let ananke = ananke.agentci(&["run", "shop", "--runs", "2"]);
    assert_eq!(ananke.case("talk")["stability"]["failed"], 2, "{ananke:?}");
}

#[test]
fn random_choices_differ_in_each_run_and_depend_on_the_seed() {
    let test = "name: greets\ninput_messages: [{ role: user, content: hi }]\n";
    let mock =
        "model_name: m\nfailure_rate: 0.5\nresponses: [{ content: hello, model: m, tokens_used: 3, latency_ms: 1 }]\n";
    let suite = || Suite::empty().file("tests/mock_config.yaml", mock).file("tests/greets.yaml", test);
    let passed = || {
        let ran = suite().agentci(&["run", "tests", "--runs", "40", "--seed", "3"]);
        ran.case("greets")["stability"]["passed"].as_u64().unwrap()
    };
    let first = passed();
    assert!((8..32).contains(&first), "{first} of 40 with a failure rate of 0.5");
    assert_eq!(passed(), first);
}

#[test]
fn fail_fast_stops_after_unstable_case() {
    let suite = uneven();
    for parallel in ["1", "2"] {
        forget_counts(&suite);
        let folder = format!("out-{parallel}");
        let flags = ["--runs", "3", "--fail-fast", "--parallel", parallel, "--output-dir", &folder, "--json"];
        let ran = suite.run(&flags);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        let cases = summary["cases"].as_array().unwrap();
        let odd = cases.iter().find(|case| case["id"] == "odd").unwrap();
        assert_eq!(odd["runs"].as_array().unwrap().len(), 3, "a case that was begun has all its runs: {odd}");
        let not_run = summary["aggregates"]["cases_not_run"].as_u64().unwrap();
        assert_eq!(cases.len() as u64 + not_run, 5, "{ran:?}");
        let ids: Vec<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
        assert!(!ids.contains(&"later") && not_run >= 1, "{ids:?}");
        if parallel == "1" {
            assert_eq!(ids, ["odd", "steady"]);
        }
    }
}

#[test]
fn runs_of_one_case_never_overlap() {
    let cases = "cases: [{ id: a, input: {} }, { id: b, input: {} }]\n";
    let alone = |id: &str| format!("mkdir lock-{id} || exit 9; sleep 0.02; rmdir lock-{id}; finish '{{}}'");
    let suite = Suite::native(cases).agent("a", &alone("a")).agent("b", &alone("b"));
    suite.run(&["--runs", "4", "--parallel", "4"]).all_passed();
}

#[test]
fn baseline_counts_each_run_separately() {
    let suite = uneven();
    let ran = suite.run(&["--runs", "5"]);
    let folder = ran.run_folder();
    let promoted = suite.agentci(&["baseline", "promote", "--from", folder.to_str().unwrap(), "--to", "baseline.json"]);
    assert_eq!(promoted.code, Some(0), "{promoted:?}");
    let baseline: Value = serde_json::from_str(&read(suite.path("baseline.json"))).unwrap();
    let runs = baseline["runs"].as_object().unwrap().values().find_map(|list| list.get(0)).unwrap();
    let odd = runs["cases"]["odd"].as_array().unwrap();
    assert_eq!(odd[..2], [json!(4), json!(5)], "passes and runs");
    forget_counts(&suite);
    let again = suite.run(&["--runs", "5", "--baseline", "baseline.json", "--output-dir", "again"]);
    again.says(&["stability: 4 cases in 20 runs: 1 stable, 3 not; 70 % passed on average"]);
    assert_eq!(again.code, Some(1), "{again:?}");
}

#[test]
fn refuses_invalid_number_of_runs() {
    for number in ["0", "-1", "many", "1.5"] {
        let ran = uneven().run(&[&format!("--runs={number}")]);
        assert_eq!(ran.code, Some(1), "{number}: {ran:?}");
        ran.complains(&["--runs"]);
    }
}
