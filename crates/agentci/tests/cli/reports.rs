//! Reports by name, by extension and from a stored run; annotations and summaries on GitHub.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::filter::filter;
use crate::ran::Ran;
use crate::suite::Suite;

/// A suite with one case that passes and one that fails.
fn two_cases() -> Suite {
    let yaml =
        "assertions:\n  - { type: json_schema, schema_path: schema.json }\n  - { type: must_call, tools: [search] }\n";
    let script = "say '{\"type\":\"log\",\"level\":\"info\",\"message\":\"thinking\"}'; \
        printf 'oh no\\n::warning::forged\\n' >&2; finish '{\"said\":\"<b>\"}'";
    Suite::new().file("suite/schema.json", r#"{"type":"object"}"#).case("bad", yaml, script)
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// `agentci run suite` as in a GitHub Actions job.
fn in_github(suite: &Suite, summary: &Path, more: &[&str]) -> Ran {
    let started = Instant::now();
    let mut command = suite.command(&["run", "suite"]);
    command.args(more).env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", summary);
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// The lines of a log that GitHub would interpret as commands, without those in sections where commands are stopped.
pub(crate) fn commands(log: &str) -> Vec<&str> {
    let mut stopped: Option<String> = None;
    let mut found = Vec::new();
    for line in log.lines().map(str::trim_start).filter(|line| line.starts_with("::")) {
        match &stopped {
            Some(token) if line == format!("::{token}::") => stopped = None,
            Some(_) => {}
            None => match line.strip_prefix("::stop-commands::") {
                Some(token) => stopped = Some(token.to_owned()),
                None => found.push(line),
            },
        }
    }
    assert_eq!(stopped, None, "commands were stopped for good");
    found
}

#[test]
fn every_report_has_a_file_in_the_run_folder() {
    let suite = two_cases();
    let ran = suite.run(&["--report", "markdown", "--report", "jsonl", "--report", "summary"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let folder = ran.run_folder();
    assert_eq!(names(&folder), ["events.jsonl", "junit.xml", "report.html", "report.md", "run.jsonl", "summary.json"]);
    assert_eq!(read(folder.join("events.jsonl")), read(folder.join("run.jsonl")));
    let text = read(folder.join("report.md"));
    // Which case is the slowest differs from run to run.
    let (text, _) = text.split_once("### Slowest cases").unwrap();
    insta::assert_snapshot!(filter(text, suite.root()));
    let page = read(folder.join("report.html"));
    assert!(page.starts_with("<!doctype html>") && page.contains("&lt;b&gt;") && !page.contains("<b>&quot;"), "{page}");
}

#[test]
fn writes_report_to_the_requested_path() {
    let suite = two_cases();
    let ran = suite.run(&["--report", "junit=out/deep/results.xml", "--report", "html=page"]);
    assert_eq!(read(suite.path("out/deep/results.xml")), ran.junit());
    assert_eq!(read(suite.path("page")), read(ran.run_folder().join("report.html")));
}

#[test]
fn file_extension_selects_the_report_format() {
    let suite = two_cases();
    let ran = suite.run(&["-o", "a.json", "--out", "b.xml", "-o", "c.md", "-o", "d.HTM", "-o", "e.jsonl"]);
    let folder = ran.run_folder();
    let pairs =
        [("a.json", "summary.json"), ("b.xml", "junit.xml"), ("d.HTM", "report.html"), ("e.jsonl", "run.jsonl")];
    for (wanted, usual) in pairs {
        assert_eq!(read(suite.path(wanted)), read(folder.join(usual)), "{wanted}");
    }
    assert!(read(suite.path("c.md")).starts_with("## ❌ `suite`: failed\n"));
}

#[test]
fn report_on_stdout_moves_other_output_to_stderr() {
    let suite = two_cases();
    let ran = suite.run(&["--report", "junit=-"]);
    assert_eq!(ran.stdout, ran.junit());
    ran.complains(&["suite suite (", "FAIL bad (", "artifacts: "]);
    let ran = suite.agentci(&["run", "suite", "--json", "--report", "junit=-"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["error: only one report can be written to standard output", "help: set a path for the others"]);
}

#[test]
fn refuses_unknown_report_with_a_suggestion() {
    let suite = two_cases();
    for (arguments, complaint) in [
        (["--report", "junti"], "unknown report; did you mean `junit`?"),
        (
            ["--report", "pdf"],
            "unknown report; expected one of summary, json, junit, markdown, html, jsonl, csv, console, github",
        ),
        (
            ["-o", "report.pdf"],
            "no report has this extension; expected one of .json, .xml, .md, .markdown, .html, .htm, .jsonl, .csv, .txt",
        ),
        (["-o", "report"], "no report has this extension"),
        (["--report", "html="], "the path after `=` is missing"),
    ] {
        let ran = suite.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        ran.complains(&["error: ", complaint]);
        assert!(!suite.path(".agentci").exists(), "nothing was run");
    }
}

#[test]
fn unwritable_report_does_not_prevent_other_reports() {
    let suite = Suite::new().file("taken", "");
    let ran = suite.run(&["-o", "taken/a.md", "-o", "b.md"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["error: the report taken/a.md could not be written: cannot write the markdown report: ", "taken"]);
    assert!(read(suite.path("b.md")).starts_with("## ✅ `suite`: passed\n"));
    assert!(ran.run_folder().join("report.html").is_file());
}

#[test]
fn multiple_suites_require_separate_report_paths() {
    let native = |name: &str| {
        format!(
            "suite: {name}\ntarget: {{ process: {{ command: [sh, suite/agent.sh] }} }}\ncases: [{{ id: good, input: {{}} }}]\n"
        )
    };
    let suite = Suite::new().file("other/agentci.yaml", native("../other")).file("suite/agentci.yaml", "");
    fs::remove_file(suite.path("suite/agentci.yaml")).unwrap();
    let run = |more: &[&str]| suite.agentci(&[&["run", "suite", "other"], more].concat());
    let ran = run(&["-o", "all.md"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    ran.complains(&["error: 2 suites would all write their report to `all.md`", "help: put `{suite}` into the path"]);
    run(&["--report", "html=-"]).complains(&["2 suites cannot share one html report on standard output"]);
    assert!(!suite.path(".agentci").exists(), "nothing was run");
    run(&["-o", "out/{suite}.md"]);
    let written = names(&suite.path("out"));
    assert_eq!(written.len(), 2, "{written:?}");
    assert!(written.contains(&"suite.md".to_owned()), "{written:?}");
    let ran = run(&["--report", "markdown=-"]);
    assert_eq!(ran.stdout.matches("## ").count(), 2 + ran.stdout.matches("### ").count(), "{ran:?}");
}

/// A finished run, its folder, and a copy of the files in it.
fn stored(suite: &Suite) -> (Ran, PathBuf, Vec<(String, String)>) {
    let ran = suite.run(&["--report", "markdown", "--report", "jsonl"]);
    let folder = ran.run_folder();
    let files = names(&folder).into_iter().map(|name| (name.clone(), read(folder.join(name)))).collect();
    (ran, folder, files)
}

#[test]
fn regenerated_reports_are_identical() {
    let suite = two_cases();
    let (ran, folder, before) = stored(&suite);
    for name in names(&folder).iter().filter(|name| *name != "run.jsonl") {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let place = folder.to_str().unwrap();
    let again = suite.agentci(&["report", place]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(names(&folder), ["junit.xml", "report.html", "run.jsonl", "summary.json"]);
    let (console, _) = ran.stdout.split_once("artifacts: ").unwrap();
    assert_eq!(again.stdout, console);
    assert!(again.stderr.ends_with(&format!("wrote {place}/report.html\n")), "{again:?}");
    let more = suite.agentci(&["report", &format!("{place}/run.jsonl"), "--report", "markdown", "--report", "jsonl"]);
    assert_eq!(more.code, Some(0), "{more:?}");
    let after: Vec<(String, String)> =
        names(&folder).into_iter().map(|name| (name.clone(), read(folder.join(name)))).collect();
    assert_eq!(after, before);
    let printed = suite.agentci(&["report", place, "--report", "summary=-", "-o", "{suite}.xml"]);
    assert_eq!(printed.stdout, read(folder.join("summary.json")));
    assert_eq!(read(suite.path("suite.xml")), read(folder.join("junit.xml")));
}

/// Requests every report of every dialect that can be run here, all at once, and again from the stored run.
#[test]
fn every_report_of_every_dialect_is_regenerated_identically() {
    let aumai =
        "name: greets\ninput_messages: [{ role: user, content: hi }]\nexpected_behavior: { contains_text: nowhere }\n";
    let mock = "model_name: m\nresponses: [{ content: hello, model: m, tokens_used: 3, latency_ms: 1 }]\n";
    // Nothing listens at this address.
    let config = "version: '1.0'\ntarget: { type: agui, endpoint: 'http://127.0.0.1:9/', agentId: a }\n";
    let conversation = "version: '1.0'\nname: =1+1\nturns: [{ user: hi }]\n";
    let native =
        "cases:\n  - { id: good, input: {}, runs: 2 }\n  - { id: bad, input: {}, checks: [{ contains: nowhere }] }\n";
    let agent = |suite: Suite| suite.agent("good", "finish '{}'").agent("bad", "finish '{\"text\":\"=1+1\"}'");
    let suites = [
        ("runledger", two_cases(), "suite"),
        ("native", agent(Suite::native(native)), "suite"),
        ("aumai", Suite::empty().file("tests/mock_config.yaml", mock).file("tests/greets.yaml", aumai), "tests"),
        (
            "ananke",
            Suite::empty().file("shop/ananke.config.yaml", config).file("shop/a.test.yaml", conversation),
            "shop",
        ),
        (
            "yao",
            Suite::empty()
                .file("app.yao", "{}")
                .file("assistants/keyword/package.yao", "{ \"name\": \"=1+1\", \"connector\": \"mock\" }")
                .file(
                    "assistants/keyword/tests/inputs.jsonl",
                    "{\"id\":\"=1+1\",\"input\":\"hi\",\"expected\":\"nowhere\"}\n",
                ),
            "assistants",
        ),
    ];
    let kinds = ["summary", "json", "junit", "markdown", "html", "jsonl", "csv", "console", "github"];
    for (dialect, suite, path) in suites {
        let flags: Vec<String> = kinds.iter().flat_map(|kind| ["--report".to_owned(), (*kind).to_owned()]).collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let ran = suite.agentci(&[&["run", path], &flags[..]].concat());
        assert_eq!(ran.code, Some(1), "{dialect}: {ran:?}");
        let folder = ran.run_folder();
        let files = || -> Vec<(String, String)> {
            names(&folder).into_iter().map(|name| (name.clone(), read(folder.join(name)))).collect()
        };
        let live = files();
        assert_eq!(live.len(), kinds.len() + 1, "{dialect}: {:?}", names(&folder));
        assert!(read(folder.join("run.jsonl")).contains(&format!("\"dialect\":\"{dialect}\"")), "{dialect}");
        for (name, _) in live.iter().filter(|(name, _)| name != "run.jsonl") {
            fs::remove_file(folder.join(name)).unwrap();
        }
        let again = suite.agentci(&[&["report", folder.to_str().unwrap()], &flags[..]].concat());
        assert_eq!(again.code, Some(0), "{dialect}: {again:?}");
        assert_eq!(files(), live, "{dialect}");
        let (console, _) = ran.stdout.split_once("artifacts: ").unwrap();
        assert_eq!(read(folder.join("report.txt")), console, "{dialect}");
        assert_eq!(read(folder.join("report.csv")).lines().count(), 1 + ran.verdicts().len(), "{dialect}");
        assert!(read(folder.join("annotations.log")).starts_with("::error "), "{dialect}");
    }
}

#[test]
fn reports_of_killed_run_are_marked_incomplete() {
    let suite = two_cases();
    let (_, folder, _) = stored(&suite);
    let record = read(folder.join("run.jsonl"));
    let lines: Vec<&str> = record.lines().collect();
    let cut = lines[..lines.len() - 2].join("\n") + "\nnot json\n" + &lines[lines.len() - 2][..20];
    fs::write(folder.join("run.jsonl"), cut).unwrap();
    let again = suite.agentci(&["report", folder.to_str().unwrap()]);
    assert_eq!(again.code, Some(0), "{again:?}");
    again.complains(&[
        &format!("run.jsonl:{}: not a run event: ", lines.len() - 1),
        "warning: damaged lines are left out of the reports\n",
        "warning: the last line is cut off: the run was killed, and its reports are incomplete\n",
    ]);
    assert!(read(folder.join("report.html")).contains("This report is incomplete"));
    fs::write(folder.join("run.jsonl"), lines[..lines.len() - 1].join("\n") + "\n").unwrap();
    suite.agentci(&["report", folder.to_str().unwrap()]).complains(&["warning: the last event is missing: "]);
}

#[test]
fn refuses_path_that_is_not_a_run() {
    let suite = Suite::empty().file("empty/run.jsonl", "").file("other/notes.txt", "");
    for (place, complaint) in [
        ("nowhere", "error: the run cannot be read: "),
        ("other", "error: `other` is not a run folder: it has no `run.jsonl`"),
        ("empty", "error: `empty/run.jsonl` contains no run events"),
    ] {
        let ran = suite.agentci(&["report", place]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        ran.complains(&[complaint]);
    }
    assert_eq!(suite.agentci(&["report"]).code, Some(2));
}

#[test]
fn writes_github_summary_and_annotations() {
    let suite = two_cases().file("summary.md", "# Before\n\n");
    let ran = in_github(&suite, &suite.path("summary.md"), &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let summary = read(suite.path("summary.md"));
    assert!(summary.starts_with("# Before\n\n## ❌ `suite`: failed\n"), "{summary}");
    let commands = commands(&ran.stdout);
    assert_eq!(
        commands,
        ["::error file=suite/cases/bad.yaml,line=6,col=32,title=agentci%3A suite/bad::`must_call` failed: \
             `search` was never called%0Athe agent called no tool"],
        "{ran:?}"
    );
    let console = ran.stdout.find("2 cases: ").unwrap();
    assert!(ran.stdout.find("::error ").unwrap() > console, "annotations come after the report");
}

#[test]
fn annotations_move_to_stderr_if_stdout_has_a_report() {
    let suite = two_cases();
    let ran = in_github(&suite, &suite.path("no/such/folder/summary.md"), &["--report", "summary=-"]);
    assert_eq!(ran.stdout, read(ran.run_folder().join("summary.json")));
    assert_eq!(commands(&ran.stderr).len(), 1, "{ran:?}");
    ran.complains(&["warning: the report for GITHUB_STEP_SUMMARY could not be written: "]);
    let passed = Suite::new();
    let ran = in_github(&passed, &passed.path("no/such/folder/summary.md"), &[]);
    assert_eq!(ran.code, Some(0), "a summary that nobody can write fails nothing: {ran:?}");
}

#[test]
fn github_summary_stays_within_the_size_limit() {
    let suite = two_cases();
    let summary = suite.path("summary.md");
    fs::write(&summary, "x".repeat(999_000)).unwrap();
    let ran = in_github(&suite, &summary, &[]);
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.len() > 999_000 && text.len() < 1 << 20, "{} bytes: {ran:?}", text.len());
    assert!(text.contains("left out** to limit the size"), "{}", &text[999_000..]);
}

#[test]
fn outside_github_no_summary_or_annotations_are_written() {
    let suite = two_cases();
    let mut command = suite.command(&["run", "suite"]);
    let output = command.env("GITHUB_STEP_SUMMARY", suite.path("summary.md")).output().unwrap();
    assert!(!suite.path("summary.md").exists());
    assert!(!String::from_utf8(output.stdout).unwrap().contains("::error"));
}

#[test]
fn annotation_paths_are_relative_to_the_checkout() {
    let suite = Suite::new().case("bad", "assertions: [{ type: must_call, tools: [pay] }]", "finish '{}'");
    for report in [&["--report", "github=-"][..], &[]] {
        let mut command = suite.command(&["run", "."]);
        command.args(report).current_dir(suite.path("suite"));
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", suite.root());
        let log = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(log.contains("::error file=suite/cases/bad.yaml,line="), "{log}");
    }
}
