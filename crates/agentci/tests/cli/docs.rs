//! Runs the README's first command and every suite in `examples/`.

use std::path::{Path, PathBuf};

use crate::ran::Ran;
use crate::suite::Suite;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Runs the binary in the project folder, as a reader would, but writes the artifacts to a temporary folder.
fn in_project(arguments: &[&str]) -> Ran {
    let suite = Suite::empty();
    let started = std::time::Instant::now();
    let mut command = suite.command(arguments);
    command.current_dir(project()).args(["--output-dir", suite.path(".agentci/runs").to_str().unwrap()]);
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// Every folder at or below this one that contains a suite.
fn suite_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let settings = |name: &str| std::fs::read_to_string(folder.join(name)).is_ok_and(|text| !text.contains("cases:\n"));
    let suite = |name: &&str| folder.join(name).is_file() && !(*name == "agentci.yaml" && settings(name));
    if ["agentci.yaml", "suite.yaml", "ananke.config.yaml"].iter().any(suite) {
        found.push(folder.to_path_buf());
    }
    for entry in entries.iter().filter(|entry| entry.is_dir()) {
        suite_folders(entry, found);
    }
}

#[test]
fn every_example_passes() {
    let mut folders = Vec::new();
    suite_folders(&project().join("examples"), &mut folders);
    let names: Vec<&str> =
        folders.iter().map(|folder| folder.strip_prefix(project()).unwrap().to_str().unwrap()).collect();
    assert!(names.contains(&"examples/quickstart") && names.contains(&"examples/evals/demo"), "{names:?}");
    for name in names {
        // Suites that need a server are replayed.
        let ran = in_project(&["run", name, "--mode", "replay"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}: {ran:?}");
        assert!(ran.verdicts().iter().all(|verdict| verdict.1 == "pass"), "{name}: {ran:?}");
    }
}

/// The agent is started, uses stubbed tools, and phrases its answers differently from the expected ones.
#[test]
fn scenarios_of_every_agent_pass() {
    for (agent, ids) in
        [("us_payroll", &["health_premium", "overtime", "why_net_lower"][..]), ("uk_payroll", &["tax_code"])]
    {
        let results = Suite::empty();
        let ran = in_project(&["run", "examples/scenario", "--agent", agent, "-o", results.root().to_str().unwrap()]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        let passed: Vec<_> = ran.verdicts().into_iter().map(|(id, status, _)| (id, status)).collect();
        let expected: Vec<_> = ids.iter().map(|id| ((*id).to_owned(), "pass".to_owned())).collect();
        assert_eq!(passed, expected, "{ran:?}");
    }
}

#[test]
fn runs_single_demo_case() {
    let ran = in_project(&["run", "examples/evals/demo", "--case", "t1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.verdicts(), [("t1".into(), "pass".into(), String::new())]);
}

#[test]
fn quickstart_output_matches_snapshot() {
    let ran = in_project(&["run", "examples/quickstart"]);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn first_readme_command_succeeds() {
    let readme = project().join("README.md");
    let text = std::fs::read_to_string(&readme).unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
    let block =
        text.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the README has a `sh` block");
    let mut commands = block.lines().map(|line| line.trim().trim_start_matches("$ "));
    let command = commands.find(|line| !line.is_empty() && !line.starts_with('#')).expect("a command");
    // Only the arguments are tested here, not how cargo builds and runs the binary.
    let words: Vec<&str> = command.split_whitespace().collect();
    let arguments = match words.as_slice() {
        ["cargo", "run", rest @ ..] => rest.split(|word| *word == "--").nth(1).expect("arguments after `--`"),
        ["agentci", rest @ ..] => rest,
        other => panic!("the first command is {other:?}"),
    };
    assert_eq!(arguments.first(), Some(&"run"), "{command}");
    let ran = in_project(arguments);
    assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
    assert!(!ran.run_folders().is_empty());
}
