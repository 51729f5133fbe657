//! Discovery of scenarios: which files are found, and with which flags, before anything runs.

use crate::suite::Suite;

const SETTINGS: &str = "targets: { us: { url: 'http://127.0.0.1:9/' } }\n";

fn scenario(name: &str) -> String {
    format!("test_name: {name}\nuser_input: Why?\nexpected_answer: Because.\n")
}

fn project() -> Suite {
    Suite::empty()
        .file("agentci.yaml", SETTINGS)
        .file("tests/us/net.yaml", scenario("net"))
        .file("tests/us/deep/tax.yml", scenario("tax"))
        .file("tests/us/__files/never.yaml", scenario("never"))
        .file("tests/uk/code.yaml", scenario("code"))
}

#[test]
fn finds_one_agent_or_all_agents() {
    let suite = project();
    for (arguments, listed) in [
        (&["list"][..], "uk/code\nus/tax\nus/net\n"),
        (&["list", "tests/us"], "us/tax\nus/net\n"),
        (&["list", "--agent", "us"], "us/tax\nus/net\n"),
        (&["list", "-n", "uk"], "uk/code\n"),
        (&["list", "--tests", "tests", "--agent", "uk"], "uk/code\n"),
        (&["list", ".", "--agent", "uk"], "uk/code\n"),
        (&["list", "tests/us/net.yaml"], "us/net\n"),
    ] {
        let ran = suite.agentci(arguments);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), listed, ""), "{arguments:?}");
    }
    let within = suite.command(&["list", "."]).current_dir(suite.path("tests/us/deep")).output().unwrap();
    assert_eq!(String::from_utf8(within.stdout).unwrap(), "us/tax\n");
    let checked = suite.agentci(&["check", "--agent", "us"]);
    assert_eq!(
        (checked.code, checked.stdout.as_str()),
        (Some(0), "1 suite, 2 cases: no problems found\n"),
        "{checked:?}"
    );
}

#[test]
fn refuses_unknown_agent() {
    for command in ["run", "list", "check", "convert"] {
        let ran = project().agentci(&[command, "--agent", "usa"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["unknown agent `usa` in `tests`", "did you mean `us`?"]);
        let ran = Suite::empty().file("tests/us/readme.md", "").agentci(&[command, "--agent", "us"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["no scenario found in `tests/us`"]);
    }
}

#[test]
fn reports_scenario_file_that_contains_a_list() {
    let listed = "- test_name: a\n  user_input: Why?\n  expected_answer: Because.\n";
    let ran = project().file("tests/us/many.yaml", listed).agentci(&["check", "--agent", "us"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["the scenario must be a mapping, found a list", "tests/us/many.yaml:1:1"]);
}

#[test]
fn reports_only_the_actual_error() {
    let ran = project().agentci(&["run", "--tests", "test", "-o", "out"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.stderr.contains("extension"), "{ran:?}");
    let ran = project().agentci(&["run", "--agent", "us", "--semantic-timeout", "0s"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["--semantic-timeout", "must be greater than zero"]);
}

#[test]
fn scenario_flags_require_scenario_suites() {
    let native = Suite::native("cases: [{ id: a, input: {} }]\n");
    for (flag, value, formats) in [
        ("--agent", "us", "scenario and yao formats"),
        ("--tests", "tests", "scenario format"),
        ("--agent-url", "http://127.0.0.1:9/", "scenario format"),
        ("--stub-miss", "warn", "scenario format"),
    ] {
        for command in ["run", "check", "list", "convert"] {
            let ran = native.agentci(&[command, "suite", flag, value]);
            assert_eq!(ran.code, Some(1), "{ran:?}");
            ran.complains(&[&format!("`{flag}` applies to suites in the {formats}, but there are none")]);
        }
    }
    for (flag, value) in [("--agent-url", "localhost:8081"), ("--stub-miss", "ignore")] {
        let ran = project().agentci(&["run", flag, value]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&[flag, "expected"]);
    }
}

#[test]
fn converted_scenarios_are_equivalent() {
    let suite = project().file("tests/us/__files/a.json", "{}").file(
        "tests/us/slips.yaml",
        scenario("slips") + "tool_fixtures: { slips: [{ request: { id: 1 }, response_file: a.json }] }\n",
    );
    let converted = suite.agentci(&["convert", "--agent", "us", "-o", "native/agentci.yaml"]);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    let listed = suite.agentci(&["list", "native"]);
    assert_eq!((listed.code, listed.stdout.as_str()), (Some(0), "us/tax\nus/net\nus/slips\n"), "{listed:?}");
    let text = std::fs::read_to_string(suite.path("native/agentci.yaml")).unwrap();
    for part in ["folder: ../tests/us", "response_file: __files/a.json", "url: http://127.0.0.1:9/", "facts: warn"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
