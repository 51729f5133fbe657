//! Tests in the `aumai` format, answered by its mock model.

use std::fmt::Write as _;

use serde_json::Value;

use crate::ran::Ran;
use crate::suite::Suite;

/// Twelve tests that all expect `first`; every third is tagged, and the mock cycles through three responses.
fn twelve(failure_rate: &str) -> Suite {
    let mut suite = Suite::empty();
    for number in 0..12 {
        let tag = if number % 3 == 1 { "tags: [third]\n" } else { "" };
        let text = format!(
            "name: t{number:02}\n{tag}input_messages: [{{ role: user, content: hi }}]\nexpected_behavior: {{ contains_text: first }}\n"
        );
        suite = suite.file(&format!("tests/{number:02}.yaml"), text);
    }
    let mut mock = format!("model_name: m\nfailure_rate: {failure_rate}\nresponses:\n");
    for content in ["first", "second", "third"] {
        writeln!(mock, "- {{ content: {content}, model: m, tokens_used: 3, latency_ms: 1 }}").unwrap();
    }
    suite.file("tests/mock_config.yaml", mock)
}

fn result(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Name, verdict, answer and failed assertions of every test, in order.
fn verdicts(ran: &Ran) -> Vec<(String, bool, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let results = result(ran)["results"].as_array().unwrap().clone();
    results
        .iter()
        .map(|result| {
            let failed = result["assertions_failed"].to_string();
            (text(&result["test_case_name"]), result["passed"] == true, text(&result["actual_output"]), failed)
        })
        .collect()
}

#[test]
fn parallel_and_selected_runs_match_serial_verdicts() {
    for rate in ["0", "0.4"] {
        let suite = twelve(rate);
        let whole = verdicts(&suite.agentci(&["run", "tests", "--json", "--seed", "7"]));
        assert_eq!(whole.len(), 12);
        let parallel = suite.agentci(&["run", "tests", "--json", "--seed", "7", "--parallel", "4"]);
        assert_eq!(verdicts(&parallel), whole);
        let tagged: Vec<_> = (1..12).step_by(3).map(|at| whole[at].clone()).collect();
        assert_eq!(verdicts(&suite.agentci(&["run", "tests", "--json", "--seed", "7", "--tag", "third"])), tagged);
        for at in [0, 5, 11] {
            let name = format!("t{at:02}");
            let alone = suite.agentci(&["run", "tests", "--json", "--seed", "7", "--case", &name]);
            assert_eq!(verdicts(&alone), [whole[at].clone()]);
            assert_eq!(alone.code, Some(i32::from(!whole[at].1)));
        }
        let failed = whole.iter().filter(|verdict| verdict.2.starts_with("ERROR: Simulated")).count();
        assert_eq!(failed > 0, rate != "0", "{whole:?}");
    }
}

#[test]
fn seed_determines_which_calls_fail() {
    let suite = twelve("0.5");
    let run = |seed: &str| verdicts(&suite.agentci(&["run", "tests", "--json", "--seed", seed]));
    assert_eq!(run("1"), run("1"));
    assert!((2..9).any(|seed| run(&seed.to_string()) != run("1")));
    let failed = run("1").into_iter().find(|verdict| verdict.2.starts_with("ERROR")).unwrap();
    assert!(
        failed.3.starts_with("[\"provider_error: Simulated LLM API failure (failure_rate=0.50, call #"),
        "{failed:?}"
    );
    let ran = suite.agentci(&["run", "tests", "--seed", "1"]);
    assert!(
        ran.stdout.starts_with("suite tests (aumai, replay, 12 cases, seed 1): 12 cases have no agent\n"),
        "{ran:?}"
    );
}

#[test]
fn json_result_has_the_documented_shape() {
    let mock = "model_name: m\nresponses:\n- content: '{\"a\": 1, \"mail\": \"bob@example.com\"}'\n  model: m\n  \
                tokens_used: 60\n  latency_ms: 150.5\n";
    let test = "name: all\ninput_messages: [{ role: user, content: hi }]\nexpected_behavior:\n  contains_text: MAIL\n  \
                calls_tools: [search]\n  max_tokens: 50\n  max_latency_ms: 100\n  no_pii: yes\n  valid_json: true\n  \
                matches_schema: { required: [b] }\n";
    let suite = Suite::empty().file("tests/mock_config.yaml", mock).file("tests/all.yaml", test);
    let ran = suite.agentci(&["run", "tests", "--json", "-o", "out.json"]);
    assert_eq!(ran.code, Some(1));
    let mut found = result(&ran);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(suite.path("out.json")).unwrap()).unwrap();
    assert_eq!(written, found);
    for duration in
        [found.pointer_mut("/duration_ms").unwrap().take(), found.pointer_mut("/results/0/duration_ms").unwrap().take()]
    {
        assert!(duration.as_f64().unwrap() >= 0.0);
    }
    insta::assert_snapshot!(format!("{found:#}"));
    // The run folder contains the same summary as for every dialect.
    assert_eq!(ran.summary()["aggregates"]["cases_fail"], 1);
    insta::assert_snapshot!("console", crate::filter::filter(&ran.stderr, suite.root()));
    let again = suite.agentci(&["report", ran.run_folder().to_str().unwrap(), "-o", "again.json"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let again: Value = serde_json::from_str(&std::fs::read_to_string(suite.path("again.json")).unwrap()).unwrap();
    assert_eq!(again, written);
}

#[test]
fn mock_config_flag_selects_file_and_requires_aumai_suite() {
    let suite = twelve("0").file("other.yaml", "model_name: m\n");
    let ran = suite.agentci(&["run", "tests", "--json", "--mock-config", "other.yaml"]);
    assert_eq!(ran.code, Some(1));
    assert!(verdicts(&ran).iter().all(|verdict| verdict.2.is_empty() && !verdict.1), "{ran:?}");
    for command in ["run", "check", "list"] {
        let missing = suite.agentci(&[command, "tests", "--mock-config", "none.yaml"]);
        assert_eq!(missing.code, Some(1), "{missing:?}");
        assert!(missing.stderr.contains("cannot read `none.yaml`"), "{missing:?}");
        let native = Suite::native("cases: [{ id: a, input: {} }]\n").file("other.yaml", "model_name: m\n");
        let useless = native.agentci(&[command, "suite", "--mock-config", "other.yaml"]);
        assert_eq!(useless.code, Some(1), "{useless:?}");
        assert!(
            useless.stderr.starts_with("error: `--mock-config` applies to suites in the aumai format"),
            "{useless:?}"
        );
    }
}

#[test]
fn init_suite_is_valid_and_passes() {
    let suite = Suite::empty();
    let made = suite.agentci(&["init", "--kind", "answers"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let checked = suite.agentci(&["check", "agent-tests", "--strict"]);
    assert_eq!(
        (checked.code, checked.stdout.as_str()),
        (Some(0), "1 suite, 4 cases: no problems found\n"),
        "{checked:?}"
    );
    let ran = suite.agentci(&["run", "agent-tests"]);
    assert_eq!((ran.code, ran.verdicts().len()), (Some(0), 4), "{ran:?}");
    let path = suite.path("agent-tests/02_json.yaml");
    std::fs::write(&path, "mine").unwrap();
    let again = suite.agentci(&["init", "agent-tests", "--kind", "answers"]);
    assert_eq!((again.code, again.stderr.matches("already exists").count()), (Some(0), 4), "{again:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(suite.agentci(&["init", "agent-tests", "--kind", "answers", "--force"]).code, Some(0));
    assert_ne!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn runs_single_file_or_current_folder_as_suite() {
    let suite = twelve("0");
    let alone = suite.agentci(&["run", "tests/03.yaml", "--json"]);
    assert_eq!((alone.code, verdicts(&alone).len()), (Some(0), 1), "{alone:?}");
    assert_eq!(result(&alone)["suite_name"], "03");
    let mut here = suite.command(&["run", "--json"]);
    let output = here.current_dir(suite.path("tests")).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((found["suite_name"].as_str(), found["total"].as_u64()), (Some("tests"), Some(12)));
}

#[test]
fn timeout_applies_to_the_whole_suite() {
    let ran = twelve("0").agentci(&["run", "tests", "--json", "--timeout", "0"]);
    assert_eq!(ran.code, Some(1));
    let verdicts = verdicts(&ran);
    assert_eq!(verdicts.len(), 12);
    assert!(
        verdicts.iter().all(|verdict| verdict.3 == "[\"timeout: the suite did not finish within 0s\"]"),
        "{verdicts:?}"
    );
}

#[test]
fn conversion_keeps_verdicts() {
    let suite = twelve("0.4");
    let before = suite.agentci(&["run", "tests", "--seed", "3"]).verdicts();
    let converted = suite.agentci(&["convert", "tests", "-o", "native.yaml"]);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    let ran = suite.agentci(&["run", "native.yaml", "--seed", "3", "--output-dir", "out"]);
    let summary = std::fs::read_dir(suite.path("out/tests")).unwrap().next().unwrap().unwrap().path();
    let summary: Value = serde_json::from_slice(&std::fs::read(summary.join("summary.json")).unwrap()).unwrap();
    let after: Vec<_> = summary["cases"].as_array().unwrap().iter().map(|case| case["status"].clone()).collect();
    assert_eq!(after, before.iter().map(|verdict| Value::from(verdict.1.as_str())).collect::<Vec<_>>(), "{ran:?}");
}

#[test]
fn keeps_both_tests_with_a_duplicate_name() {
    let test = |text: &str| {
        format!(
            "- name: same\n  input_messages: [{{ role: user, content: hi }}]\n  expected_behavior: {{ contains_text: {text} }}\n"
        )
    };
    let suite = Suite::empty().file("tests/a.yaml", test("mock") + &test("nothing of it"));
    for arguments in [vec!["run", "tests", "--json"], vec!["run", "tests", "--json", "--parallel", "2"]] {
        let ran = suite.agentci(&arguments);
        let passed: Vec<bool> = verdicts(&ran).iter().map(|verdict| verdict.1).collect();
        assert_eq!(passed, [true, false], "{ran:?}");
        assert!(ran.stderr.contains("warning: the name `same` is used twice"), "{ran:?}");
    }
    assert_eq!(suite.agentci(&["validate", "tests"]).code, Some(0));
    assert_eq!(suite.agentci(&["validate", "tests", "--strict"]).code, Some(1));
    let converted = suite.agentci(&["convert", "tests"]);
    assert!(converted.stdout.contains("id: same-2"), "{converted:?}");
}

#[test]
fn durations_have_sub_millisecond_precision() {
    let suite = twelve("0");
    let ran = suite.agentci(&["run", "tests", "--json"]);
    let found = result(&ran);
    let number = |value: &Value| value["duration_ms"].as_f64().unwrap();
    let tests: Vec<f64> = found["results"].as_array().unwrap().iter().map(number).collect();
    assert!(tests.iter().all(|duration| *duration > 0.0), "{tests:?}");
    let has_fraction = |duration: &f64| duration.fract() > 0.0;
    assert!(tests.iter().filter(|duration| has_fraction(duration)).count() > 6, "{tests:?}");
    assert!(number(&found) >= tests.iter().copied().fold(0.0, f64::max), "{found}");
    // JUnit reports the same times, in seconds.
    let junit = ran.junit();
    let first = format!("name=\"t00\" time=\"{:.6}\"", tests[0] / 1000.0);
    assert!(junit.contains(&first) || !has_fraction(&tests[0]), "no {first} in {junit}");
}

#[test]
fn running_one_test_shows_only_its_warnings() {
    let tests = "tests:\n- name: odd\n  input_messages: []\n- tags: [x]\n  name: mine\n  input_messages: \
        [{ role: user, content: hi }]\n  expected_behavior: { contains_text: '' }\n- expected_behavior: { calls_tools: [] }\n  \
        name: last\n  input_messages: [{ role: user, content: hi }]\n";
    let suite = Suite::empty().file("tests/all.yaml", tests);
    let warned = |arguments: &[&str]| {
        let ran = suite.agentci(&[&["test", "tests"], arguments].concat());
        [("`odd`", "odd"), ("`contains_text` expects", "mine"), ("`calls_tools` expects", "last")]
            .into_iter()
            .filter(|(words, _)| ran.stderr.contains(words))
            .map(|(_, name)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(warned(&[]), ["odd", "mine", "last"]);
    for name in ["odd", "mine", "last"] {
        assert_eq!(warned(&["--case", name]), [name]);
    }
}
