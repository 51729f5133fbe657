//! The content of scenarios.

use std::path::Path;

use agentci_plan::{Data, Dialect, FaultKind, Mode, StopRule, TurnInput};
use agentci_source::{Reading, Severity};
use serde_json::json;

use crate::project::{good, good_suite, load, messages, project, routes, scenario, wrong};

/// The sample of the format's documentation, with its indentation.
const SAMPLE: &str = "test_name: why_net_lower  \n  \nvariables:  \n  currentPayDetailsId: 999999  \n  \
    employeeId:      123456  \n  \nuser_input: \"Why is my net pay lower this month?\"\n\nexpected_answer: |\n  \
    Your net pay dropped because a one-time bonus\n  was taxed at the 22 % supplemental federal rate.\n\n\
    semantic_threshold: 0.88\n\ntool_fixtures:\n  paySlips:          # tool_id\n    - request:\n      \
    payDetailsIds: [999999]\n      region: US\n      response_file: slips/1.json\n\n    - request:        # second call\n      \
    payDetailsIds: [999998]\n      region: US\n      response_file: slips/2.json\n\n  paySlipsSummary:\n    - request:\n      \
    payDetailsIds: [999999]\n      region: US\n      response_file: slips/1.json\n";

#[test]
fn loads_the_sample_scenario() {
    let suite = good_suite(&project(SAMPLE));
    assert_eq!((suite.name.as_str(), suite.dialect, suite.mode), ("us", Dialect::Scenario, Mode::Replay));
    assert_eq!((suite.folder.as_path(), suite.embedder), (Path::new("tests/us"), None));
    let [case] = suite.cases.as_slice() else { panic!("one case") };
    assert_eq!((case.id.as_str(), case.span.line, case.timeout, case.runs), ("why_net_lower", 1, None, 1));
    assert_eq!(case.stop, StopRule::default());
    let question = json!({
        "user_input": "Why is my net pay lower this month?",
        "variables": { "currentPayDetailsId": 999_999, "employeeId": 123_456 },
    });
    assert_eq!(case.turns[0].said, TurnInput::Input(Data::literal(&question)));
    let [check] = &*case.checks else { panic!("one check") };
    assert_eq!((check.kind.value.as_str(), check.kind.span.line, check.templated), ("semantic", 9, false));
    assert_eq!(
        check.arguments.value(Reading::Core).unwrap(),
        json!({
            "expected": "Your net pay dropped because a one-time bonus\nwas taxed at the 22 % supplemental federal rate.\n",
            "threshold": 0.88,
            "facts": "warn",
            "contradictions": "warn",
        })
    );
    let routes = routes(case);
    let tools: Vec<_> = routes.tools.iter().map(|tool| (tool.id.value.as_str(), tool.fixtures.len())).collect();
    assert_eq!(tools, [("paySlips", 2), ("paySlipsSummary", 1)]);
    assert_eq!(routes.tools[0].fixtures[1].request, Some(json!({ "payDetailsIds": [999_998], "region": "US" })));
    let record = routes.record.as_ref().unwrap();
    assert_eq!(record.suite, Path::new("tests/us/a.yaml"));
    assert_eq!(record.folder, Path::new("tests/us/__files"));
    assert_eq!(record.block.map(|span| (span.line, span.column)), Some((15, 1)));
}

#[test]
fn variables_and_tools_are_optional() {
    let case = good(&scenario("plain", ""));
    assert_eq!(case.turns[0].said, TurnInput::Input(Data::literal(&json!({ "user_input": "Why?", "variables": {} }))));
    assert_eq!(
        case.checks[0].arguments.value(Reading::Core).unwrap(),
        json!({ "expected": "Because.", "facts": "warn", "contradictions": "warn" })
    );
    assert!(routes(&case).tools.is_empty());
    assert_eq!(routes(&case).record.as_ref().unwrap().block, None);
}

#[test]
fn yaml_1_1_booleans_and_times_stay_strings() {
    let case = good(&scenario(
        "types",
        "variables: { land: NO, on: on, time: 12:30, id: 0123, day: 2024-01-31, n: 1.50, big: 12345678901234567890123, none: ~ }\n",
    ));
    let TurnInput::Input(data) = &case.turns[0].said else { panic!("no input") };
    let input = data.as_literal().unwrap();
    assert_eq!(
        input["variables"].to_string(),
        r#"{"land":"NO","on":"on","time":"12:30","id":123,"day":"2024-01-31","n":1.50,"big":12345678901234567890123,"none":null}"#
    );
}

#[test]
fn dollar_signs_are_literal() {
    let case = good(&scenario("dollar", "variables: { price: '${PRICE}' }\n"));
    let TurnInput::Input(data) = &case.turns[0].said else { panic!("no input") };
    let input = data.as_literal().expect("filled");
    assert_eq!(input["variables"]["price"], "${PRICE}");
}

#[test]
fn threshold_can_depend_on_the_embedder() {
    let case = good(&scenario("a", "semantic_threshold: { builtin: 0.55, openai: 0.88 }\n"));
    assert_eq!(
        case.checks[0].arguments.get("threshold").unwrap().value(Reading::Core).unwrap(),
        json!({ "builtin": 0.55, "openai": 0.88 })
    );
    for (written, message) in [
        ("88", "`semantic_threshold` must be from 0 to 1, found the number 88"),
        ("-0.1", "`semantic_threshold` must be from 0 to 1, found the number -0.1"),
        ("high", "`semantic_threshold` must be a number, found the string `high`"),
        ("{}", "`semantic_threshold` names no embedder"),
        ("{ builtin: 2 }", "`semantic_threshold.builtin` must be from 0 to 1, found the number 2"),
        ("[0.8]", "`semantic_threshold` must be a number, found a list"),
    ] {
        assert_eq!(wrong(&scenario("a", &format!("semantic_threshold: {written}\n"))), [message]);
    }
}

#[test]
fn loads_tags_skip_description_and_faults() {
    let more = "description: about\ntags: [tax, us]\nskip: later\nfaults: [{ tool: slips, call: 1, error: down }]\n";
    let case = good(&scenario("a", more));
    assert_eq!((case.description.as_deref(), &*case.tags), (Some("about"), &["tax".to_owned(), "us".to_owned()][..]));
    assert_eq!(case.skip.unwrap().reason.as_deref(), Some("later"));
    assert_eq!(case.world.faults[0].kind, FaultKind::Error("down".into()));
}

#[test]
fn reports_every_problem_with_its_location() {
    let text =
        "tests_name: a\nuser_input: ''\nexpected_answer: 7\nvariables: [1]\ntool_fixtures: []\nsemantic_treshold: 1\n";
    let loaded = load(&project(text), &["tests"]);
    let told: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|problem| (problem.span.line, problem.message.as_str(), problem.help.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            (1, "unknown key `tests_name` in the scenario", "did you mean `test_name`?"),
            (2, "`user_input` must not be empty", ""),
            (3, "`expected_answer` must be a string, found the number 7", "put it in quotes: \"7\""),
            (4, "`variables` must be a mapping, found a list", ""),
            (5, "`tool_fixtures` must be a mapping, found a list", ""),
            (6, "unknown key `semantic_treshold` in the scenario", "did you mean `semantic_threshold`?"),
        ]
    );
    assert_eq!(loaded.plan.suites[0].cases[0].id, "a");
}

#[test]
fn invalid_scenario_does_not_affect_others() {
    let files = project(&scenario("good", ""))
        .with("tests/us/deep/b.yml", "test_name: kept\nuser_input: [\n")
        .with("tests/us/c.yaml", "test_name: named\n")
        .with("tests/us/good.yaml", "");
    let loaded = load(&files, &["tests"]);
    let cases: Vec<_> =
        loaded.plan.suites[0].cases.iter().map(|case| (case.id.as_str(), case.broken.is_some())).collect();
    assert_eq!(cases, [("good", false), ("named", true), ("b", true), ("good-2", true)]);
    assert_eq!(
        messages(&loaded),
        [
            "the scenario needs `user_input`",
            "the scenario needs `expected_answer`",
            "the scenario must be a mapping, found nothing",
            "`[` is never closed",
        ]
    );
}

#[test]
fn duplicate_scenario_name_rejects_suite_and_names_both_files() {
    let files = project(&scenario("same", "")).with("tests/us/b.yaml", scenario("same", ""));
    let loaded = load(&files, &["tests"]);
    assert!(loaded.plan.suites.is_empty());
    let [problem] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!(problem.severity, Severity::Error);
    assert_eq!(problem.label, "first used in `tests/us/a.yaml` at line 1");
    assert_eq!(&*problem.place(&loaded.plan.sources).path, "tests/us/b.yaml");
}
