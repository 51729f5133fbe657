//! Full disks, folders that are not writable, and limits on open files: the run continues and reports what is missing.
//! Signals are tested in `signals`, processes left behind by agents in `descendants`, and a killed run in `killed`.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::ran::Ran;
use crate::suite::Suite;

/// Runs `agentci` in a shell that first sets a limit.
fn limited(suite: &Suite, limit: &str, arguments: &[&str]) -> Ran {
    let program = suite.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(program.get_program()).args(arguments);
    command.current_dir(suite.root());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let started = Instant::now();
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_fails_only_the_affected_report() {
    let suite = Suite::new();
    let ran = suite.run(&["--report", "markdown=/dev/full", "--report", "csv=fine.csv"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error: the report /dev/full could not be written: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("No space left on device"), "{}", ran.stderr);
    assert_eq!(ran.case("good")["status"], "pass");
    assert!(ran.junit().trim_end().ends_with("</testsuites>"));
    assert!(fs::read_to_string(suite.path("fine.csv")).unwrap().contains("good"));
}

#[test]
fn run_survives_file_size_limit_and_keeps_earlier_output() {
    let long = "x".repeat(3000);
    let script =
        format!("say '{{\"type\":\"log\",\"level\":\"info\",\"message\":\"{long}\"}}'\nfinish '{{\"ok\":true}}'");
    let suite = (0..20).fold(Suite::new(), |suite, number| suite.case(&format!("long{number}"), "", &script));
    // 16 blocks of 512 or 1024 bytes, depending on the shell.
    let ran = limited(&suite, "ulimit -f 16", &["run", "suite", "--parallel", "1"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["21 cases: 21 passed"]);
    assert!(ran.stderr.contains("`run.jsonl` is incomplete: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("the report report.html could not be written: "), "{}", ran.stderr);
    let folder = ran.run_folder();
    // A report that could not be written completely does not exist, and its temporary file was removed.
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(!names.iter().any(|name| name == "report.html" || name.contains(".tmp")), "{names:?}");
    let again = suite.agentci(&["report", folder.to_str().unwrap(), "--report", "json=again.json"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stderr.contains("incomplete") || again.stderr.contains("end of the run"), "{again:?}");
}

#[test]
fn run_does_not_start_without_its_run_folder() {
    let suite = Suite::new().case("seen", "", "echo > seen; finish '{}'").file("file", "");
    let mut places = vec!["file", "file/below"];
    if cfg!(target_os = "linux") {
        // Even root cannot create anything there.
        places.push("/proc/agentci-runs");
    }
    for place in places {
        let ran = suite.run(&["--output-dir", place]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("error: the run folder cannot be created: "), "{}", ran.stderr);
        assert!(ran.stderr.contains(place) && ran.stderr.contains("help: choose another with `--output-dir`"));
        assert!(!suite.path("seen").exists(), "an agent was started");
    }
}

#[test]
fn unwritable_report_folder_fails_only_that_report() {
    let suite = Suite::new().file("file", "");
    let ran = suite.run(&["--report", "junit=file/junit.xml", "-o", "fine.md"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error: the report file/junit.xml could not be written: "), "{}", ran.stderr);
    assert_eq!(ran.case("good")["status"], "pass");
    assert!(suite.path("fine.md").exists());
}

#[test]
fn parallelism_is_reduced_to_the_open_file_limit() {
    let cases: Vec<String> = (0..1000).map(|number| format!("  - {{ id: c{number}, input: {{}} }}\n")).collect();
    let cases = cases.concat();
    let agent = "read -r task\nprintf '{\"type\":\"final_output\",\"output\":{\"ok\":true}}\\n'\n";
    let yaml = format!("suite: suite\ntarget: {{ process: {{ command: [sh, few.sh] }} }}\ncases:\n{cases}");
    let suite = Suite::empty().file("suite/agentci.yaml", yaml).file("suite/few.sh", agent);
    let ran = limited(&suite, "ulimit -n 256", &["run", "suite", "--parallel", "1000"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["1000 cases: 1000 passed"]);
    assert!(ran.stderr.contains("note: running 24 cases in parallel instead of 1000"), "{}", ran.stderr);
    assert!(ran.stderr.contains("help: raise the limit with `ulimit -n`"), "{}", ran.stderr);
}

#[test]
fn open_file_limit_does_not_apply_to_mock_cases() {
    let target = "target: { mock: { model_name: m, responses: [] } }";
    let cases: Vec<String> =
        (0..100).map(|number| format!("  - {{ id: c{number}, turns: [{{ user: hi }}] }}\n")).collect();
    let cases = cases.concat();
    let suite = Suite::empty().file("suite/agentci.yaml", format!("suite: suite\n{target}\ncases:\n{cases}"));
    let ran = limited(&suite, "ulimit -n 64", &["run", "suite", "--parallel", "100"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}
