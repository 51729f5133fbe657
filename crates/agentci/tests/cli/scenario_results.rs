//! The output files of a run of scenarios: the table of results and the log.

use std::path::Path;
use std::time::Instant;

use crate::embeddings::{Embeddings, Reply};
use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

/// A scenario that expects an answer similar to `Paid in full.`.
fn scenario(name: &str, question: &str, more: &str) -> String {
    format!(
        "test_name: {name}\nuser_input: {question}\nexpected_answer: Paid in full.\nsemantic_threshold: 0.75\n{more}"
    )
}

/// An agent that echoes its input, hangs on `hang` and fails on `break`.
fn agent() -> String {
    listen(|asked| match asked.body["user_input"].as_str().unwrap() {
        "hang" => None,
        "break" => Some(Answer(500, "", "it broke".into())),
        words => Some(Answer(200, "content-type: text/plain\r\n", words.to_owned())),
    })
}

fn suite() -> Suite {
    Suite::empty()
        .file("tests/us_payroll/a_good.yaml", scenario("good", "Nearly paid.", ""))
        .file("tests/us_payroll/b_far.yaml", scenario("=far", "Something else", ""))
        .file("tests/us_payroll/c_slow.yaml", scenario("slow", "hang", ""))
        .file("tests/us_payroll/d_key.yaml", scenario("key", "Refused", ""))
        .file("tests/us_payroll/e_broken.yaml", scenario("broken", "break", ""))
        .file("tests/us_payroll/f_wrong.yaml", "test_name: wrong\nuser_inputs: hello\n")
        .file("tests/us_payroll/g_silent.yaml", scenario("silent", "' '", ""))
}

fn run(suite: &Suite, arguments: &[&str]) -> Ran {
    let service = Embeddings::new(|_, texts| {
        if texts.iter().any(|text| text == "Refused") { Reply::Say(401, "", "{}") } else { Reply::Vectors }
    });
    let started = Instant::now();
    let mut command = suite.command(&[&["run"], arguments].concat());
    command.env("OPENAI_API_KEY", "sk-1234567890").env("OPENAI_BASE_URL", service.url());
    let output = command.args(["--agent-url", &agent()]).output().unwrap();
    suite.ran(&output, started.elapsed())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

#[test]
fn results_have_a_line_for_every_status() {
    let suite = suite();
    let ran = run(&suite, &["-agent", "us_payroll", "-out", "out", "--timeout", "2s", "--stable-name"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let written = names(&suite.path("out"));
    let [results, log, stamped] = &written[..] else { panic!("{written:?}") };
    assert_eq!((results.as_str(), log.as_str()), ("results.csv", "runner.log"));
    let pattern = regex::Regex::new(r"^us_payroll_results_\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.csv$").unwrap();
    assert!(pattern.is_match(stamped), "{stamped}");
    ran.says(&[&format!("results: out/{stamped}\n"), "artifacts: .agentci/runs/us_payroll/"]);
    let table = std::fs::read_to_string(suite.path("out/results.csv")).unwrap();
    assert_eq!(table, std::fs::read_to_string(suite.path("out").join(stamped)).unwrap());
    let lines: Vec<&str> = table.split_terminator("\r\n").collect();
    assert_eq!(lines[0], "test_name,status,similarity,error");
    for (line, start) in lines[1..].iter().zip([
        "good,PASS,0.8000,",
        "'=far,FAIL,0.0000,",
        "slow,TIMEOUT,,",
        "key,EMBEDDING_ERROR,,",
        "broken,FAIL,,",
        "wrong,FAIL,,",
        "silent,FAIL,,",
    ]) {
        assert!(line.starts_with(start), "{start}:\n{table}");
        assert_eq!(line.len() == start.len(), start.contains("PASS"), "an error unless it passed: {line}");
    }
    assert_eq!(lines.len(), 8);
    let log = std::fs::read_to_string(suite.path("out/runner.log")).unwrap();
    for said in [
        "run --agent us_payroll --out out",
        "us_payroll/f_wrong.yaml:2:1",
        "PASS good (",
        "check `semantic` passed: expected: Paid in full., threshold: 0.75, facts: warn, contradictions: warn; similarity 0.8000 (threshold 0.7500, openai:text-embedding-3-small)",
        "it broke",
        "help: check the API key, or use the embedder `builtin`",
        "artifacts: .agentci/runs/us_payroll/",
    ] {
        assert!(log.contains(said), "{said} is not in:\n{log}");
    }
    assert!(!log.contains('\u{1b}') && !log.contains("sk-1234567890"), "{log}");
    // The stored run yields the same table.
    let folder = ran.run_folder();
    let again = suite.agentci(&["report", folder.to_str().unwrap(), "--report", "csv=again.csv"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(std::fs::read_to_string(suite.path("again.csv")).unwrap(), table);
}

#[test]
fn report_and_results_folder_can_be_combined() {
    let suite = Suite::empty()
        .file("tests/uk/a.yaml", scenario("a", "Nearly paid.", ""))
        .file("tests/uk/b.yaml", scenario("b", "Paid.", "skip: later\n"));
    let ran = run(&suite, &["--agent", "uk", "-o", "out/", "-o", "mine.csv", "-o", "junit.xml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(names(&suite.path("out")).len(), 2, "the table and the log");
    // A skipped scenario has no line.
    assert_eq!(
        std::fs::read_to_string(suite.path("mine.csv")).unwrap(),
        "test_name,status,similarity,error\r\na,PASS,0.8000,\r\n"
    );
    assert!(suite.path("junit.xml").is_file());
}

#[test]
fn unwritable_results_folder_is_reported_before_the_run() {
    let suite = Suite::empty().file("tests/uk/a.yaml", scenario("a", "Nearly paid.", "")).file("taken", "");
    let ran = run(&suite, &["--agent", "uk", "-o", "taken/out"]);
    assert_eq!((ran.code, ran.run_folders().len()), (Some(1), 0), "{ran:?}");
    ran.complains(&["error: the results cannot be written: ", "help: choose another folder with `--out`"]);
}

#[test]
fn results_flags_require_scenario_suites() {
    let suite = Suite::new();
    let ran = suite.run(&["--stable-name"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["`--stable-name` applies to suites in the scenario format, but there are none"]);
    let ran = suite.run(&["-o", "folder"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["no report has this extension", "help: only suites in the scenario format"]);
    let two = Suite::empty()
        .file("tests/uk/a.yaml", scenario("a", "Paid.", ""))
        .file("tests/us/a.yaml", scenario("a", "Paid.", ""));
    let ran = run(&two, &["tests", "--stable-name"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["`--stable-name` applies to a single suite, but 2 would run"]);
}
