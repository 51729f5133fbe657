//! The library for tests of model answers: every documented example, the limits of every model, and a row in the docs
//! for every documented name.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::fs;
use std::path::Path;

use agentci::mock::{InvalidModelError, LoadError, MAX_YAML_SIZE, SimulatedError, mock_openai};
use agentci::{
    AgentTestCase, AgentTestConfig, AgentTestResult, AgentTestRunner, ConsoleReporter, JsonReporter, JunitReporter,
    MockLlmConfig, MockLlmProvider, MockLlmResponse, SuiteReporter, TestSuiteResult, assert_calls_tool,
    assert_contains_text, assert_matches_schema, assert_max_latency, assert_max_tokens, assert_no_pii,
    assert_valid_json, create_mock_anthropic, create_mock_openai, load_test_suite,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Every name of the reference whose Rust counterpart the docs must list.
const REFERENCE: [&str; 61] = [
    "MockLLMResponse",
    "MockLLMResponse.content",
    "MockLLMResponse.model",
    "MockLLMResponse.tokens_used",
    "MockLLMResponse.latency_ms",
    "MockLLMResponse.finish_reason",
    "MockLLMConfig",
    "MockLLMConfig.model_name",
    "MockLLMConfig.responses",
    "MockLLMConfig.default_latency_ms",
    "MockLLMConfig.failure_rate",
    "AgentTestCase",
    "AgentTestCase.name",
    "AgentTestCase.description",
    "AgentTestCase.input_messages",
    "AgentTestCase.expected_behavior",
    "AgentTestCase.tags",
    "AgentTestResult",
    "AgentTestResult.test_case_name",
    "AgentTestResult.passed",
    "AgentTestResult.actual_output",
    "AgentTestResult.assertions_passed",
    "AgentTestResult.assertions_failed",
    "AgentTestResult.duration_ms",
    "AgentTestResult.tokens_used",
    "TestSuiteResult",
    "TestSuiteResult.suite_name",
    "TestSuiteResult.results",
    "TestSuiteResult.total",
    "TestSuiteResult.passed",
    "TestSuiteResult.failed",
    "TestSuiteResult.duration_ms",
    "TestSuiteResult.model_validate_json",
    "AgentTestConfig",
    "AgentTestConfig.test_dir",
    "AgentTestConfig.mock_config",
    "AgentTestConfig.timeout_seconds",
    "AgentTestConfig.parallel",
    "MockLLMProvider",
    "MockLLMProvider.complete",
    "MockLLMProvider.call_count",
    "MockLLMProvider.reset",
    "AgentTestRunner",
    "AgentTestRunner.load_tests",
    "AgentTestRunner.load_yaml_file",
    "AgentTestRunner.run_test",
    "AgentTestRunner.run_suite",
    "assert_contains_text",
    "assert_calls_tool",
    "assert_no_pii",
    "assert_max_tokens",
    "assert_max_latency",
    "assert_valid_json",
    "assert_matches_schema",
    "create_mock_openai",
    "create_mock_anthropic",
    "load_test_suite",
    "BaseReporter",
    "ConsoleReporter",
    "JSONReporter",
    "JUnitReporter",
];

fn response(content: &str) -> MockLlmResponse {
    MockLlmResponse::new(content, "m", 12, 10.0).unwrap()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn test(name: &str, expected: &str) -> String {
    format!("name: {name}\ninput_messages: [{{ role: user, content: hi }}]\nexpected_behavior: {expected}\n")
}

#[test]
fn every_reference_name_is_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/library.md");
    let text = fs::read_to_string(page).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    let missing: Vec<&str> = REFERENCE
        .into_iter()
        .filter(|name| !rows.iter().any(|row| row.starts_with(&format!("| `{name}` |"))))
        .collect();
    assert!(missing.is_empty(), "no row in docs/reference/library.md for {missing:?}");
}

#[test]
fn models_have_defaults_and_refuse_out_of_range_values() {
    let made: MockLlmResponse =
        serde_json::from_value(json!({"content": "a", "model": "m", "tokens_used": 1, "latency_ms": 0})).unwrap();
    assert_eq!((made.finish_reason.as_str(), made.latency_ms), ("stop", 0.0));
    assert!(matches!(
        MockLlmResponse::new("a", "m", 1, -0.1),
        Err(InvalidModelError::OutOfRange { field: "latency_ms", .. })
    ));
    let config: MockLlmConfig = serde_json::from_value(json!({"model_name": "m"})).unwrap();
    assert_eq!((config.responses().len(), config.default_latency_ms(), config.failure_rate()), (0, 50.0, 0.0));
    for (rate, good) in [(0.0, true), (1.0, true), (-0.1, false), (1.1, false), (f64::NAN, false)] {
        assert_eq!(MockLlmConfig::new("m").with_failure_rate(rate).is_ok(), good, "{rate}");
    }
    assert!(serde_json::from_value::<MockLlmConfig>(json!({"model_name": "m", "failure_rate": 2})).is_err());
    assert!(MockLlmConfig::new("m").with_default_latency_ms(-1.0).is_err());
    let config: AgentTestConfig = serde_json::from_value(json!({"test_dir": "t"})).unwrap();
    assert_eq!((config.timeout_seconds(), config.parallel(), config.mock_config()), (30.0, false, None));
    assert!(serde_json::from_value::<AgentTestConfig>(json!({"test_dir": "t", "timeout_seconds": 0})).is_err());
    assert!(
        serde_json::from_value::<TestSuiteResult>(
            json!({"suite_name": "s", "total": 0, "passed": 0, "failed": 0, "duration_ms": -1})
        )
        .is_err()
    );
}

#[test]
fn test_case_refuses_unknown_or_invalid_expectations() {
    let test = AgentTestCase::new("a").unwrap();
    assert_eq!((test.description(), test.input_messages().len(), test.tags().len()), ("", 0, 0));
    let unknown = test.clone().expecting(json!({"tone": "friendly"})).unwrap_err().to_string();
    assert!(unknown.contains("`tone`") && unknown.contains("`matches_schema`"), "{unknown}");
    for wrong in [json!({"no_pii": "true"}), json!({"max_tokens": "plenty"}), json!({"matches_schema": {"type": 7}})] {
        assert!(test.clone().expecting(wrong.clone()).is_err(), "{wrong}");
    }
    assert!(AgentTestCase::new(" ").is_err());
    assert!(serde_json::from_value::<AgentTestCase>(json!({"name": 7})).is_err());
    let whole = test.with_description("d").message("user", "hi").tag("t").expecting(json!({"max_tokens": 5})).unwrap();
    let written = serde_json::to_value(&whole).unwrap();
    assert_eq!(serde_json::from_value::<AgentTestCase>(written).unwrap(), whole);
}

#[test]
fn provider_cycles_through_responses_and_counts_calls() {
    let model = MockLlmProvider::new(MockLlmConfig::new("m").with_responses(["a", "b"].map(response)));
    let said = |model: &MockLlmProvider| model.complete(&[], None).unwrap().content;
    assert_eq!([said(&model), said(&model), said(&model)], ["a", "b", "a"]);
    assert_eq!(model.call_count(), 3);
    model.reset();
    assert_eq!((model.call_count(), said(&model).as_str()), (0, "a"));
    let empty = MockLlmProvider::new(MockLlmConfig::new("m").with_default_latency_ms(7.0).unwrap());
    let made = empty.complete(&[], None).unwrap();
    assert_eq!((made.content.as_str(), made.model.as_str(), made.tokens_used, made.latency_ms), ("", "m", 0, 7.0));
}

#[test]
fn seed_gives_the_same_outcome_in_every_call() {
    let model = |rate| {
        let config = MockLlmConfig::new("m").with_responses(["a", "b"].map(response));
        MockLlmProvider::new(config.with_failure_rate(rate).unwrap())
    };
    // Seed 42 gives 0.639.., seed 1 gives 0.134..
    let half = model(0.5);
    assert!(half.complete(&[], Some(42)).is_ok());
    let failed: SimulatedError = half.complete(&[], Some(1)).unwrap_err();
    assert_eq!(failed.to_string(), "Simulated LLM API failure (failure_rate=0.50, call #2)");
    assert!(half.complete(&[], Some(-1)).is_err());
    assert_eq!(half.complete(&[], Some(42)).unwrap().content, "b", "a failed call takes no answer");
    assert_eq!(half.call_count(), 4);
    let drawn = |seed| {
        let model = model(0.5).with_seed(seed);
        (0..40).map(|_| model.complete(&[], None).is_ok()).collect::<Vec<_>>()
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}

#[test]
fn assertions_behave_as_documented() {
    assert!(assert_contains_text("Hello World", "world") && !assert_contains_text("Hello World", "bye"));
    assert!(assert_contains_text("anything", ""));
    let output = r#"{"tool_calls": [{"function": {"name": "search_web"}}]}"#;
    assert!(assert_calls_tool(output, "search_web") && !assert_calls_tool(output, "calculator"));
    assert!(assert_calls_tool(r#"{"type": "tool_use", "name": "calculator"}"#, "calculator"));
    assert!(!assert_calls_tool("research(x)", "search") && !assert_calls_tool("text", ""));
    assert!(assert_no_pii("The answer is 42."));
    assert!(!assert_no_pii("Contact: alice@example.com") && !assert_no_pii("Call 555-867-5309 for support"));
    assert!(assert_max_tokens(50, 50) && !assert_max_tokens(51, 50));
    assert!(assert_max_latency(100.0, 100.0) && !assert_max_latency(100.1, 100.0));
    assert!(assert_valid_json(r#"{"ok": true}"#) && assert_valid_json(" 1\n"));
    assert!(!assert_valid_json("not json") && !assert_valid_json("NaN") && !assert_valid_json(""));
    let schema = json!({"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}});
    assert!(assert_matches_schema(r#"{"status": "ok"}"#, &schema));
    assert!(!assert_matches_schema(r#"{"code": 200}"#, &schema));
    for wrong in [json!({"type": "objekt"}), json!(7), Value::Null, json!({"$ref": "http://x.test/"})] {
        assert!(!assert_matches_schema("{}", &wrong), "{wrong}");
    }
    assert!(!assert_matches_schema("not json", &json!({})));
}

#[test]
fn built_in_models_return_text_json_and_tool_calls() {
    for (model, tool) in [(create_mock_openai(), "search_web"), (create_mock_anthropic(), "calculator")] {
        let said: Vec<String> = (0..3).map(|_| model.complete(&[], None).unwrap().content).collect();
        assert_eq!(said.iter().map(|text| assert_valid_json(text)).collect::<Vec<_>>(), [false, true, true]);
        assert!(assert_calls_tool(&said[2], tool));
        assert!(said.iter().all(|text| assert_no_pii(text)));
    }
    let config = mock_openai().with_responses([]).with_failure_rate(1.0).unwrap();
    assert!(MockLlmProvider::new(config).complete(&[], None).is_err());
}

#[test]
fn test_result_lists_passed_and_failed_assertions() {
    let model = MockLlmProvider::new(MockLlmConfig::new("m").with_responses([response("hello, search(x)")]));
    let test = AgentTestCase::new("t")
        .and_then(|test| {
            test.expecting(json!({
                "contains_text": "HELLO", "calls_tools": ["search", "pay"], "max_tokens": 11, "max_latency_ms": 100,
                "no_pii": true, "valid_json": true, "matches_schema": {"type": "object"},
            }))
        })
        .unwrap();
    let result = AgentTestRunner::new().run_test(&test, &model);
    assert_eq!(
        result.assertions_passed,
        ["contains_text: 'HELLO'", "calls_tool: 'search'", "max_latency_ms: 10.0 <= 100.0", "no_pii: no PII detected"]
    );
    assert_eq!(
        result.assertions_failed,
        [
            "calls_tool: 'pay' not found in output",
            "max_tokens: 12 exceeds limit 11",
            "valid_json: output is not valid JSON",
            "matches_schema: output does not conform to schema",
        ]
    );
    assert_eq!((result.passed, result.tokens_used, result.actual_output.as_str()), (false, 12, "hello, search(x)"));
    let failing = MockLlmProvider::new(MockLlmConfig::new("m").with_failure_rate(1.0).unwrap());
    let failed = AgentTestRunner::new().run_test(&AgentTestCase::new("t").unwrap(), &failing);
    let words = "Simulated LLM API failure (failure_rate=1.00, call #1)";
    assert_eq!(failed.actual_output, format!("ERROR: {words}"));
    assert_eq!((failed.passed, failed.assertions_failed), (false, vec![format!("provider_error: {words}")]));
}

#[test]
fn tests_are_loaded_from_file_or_directory() {
    let list = format!("- {}", test("b", "{ no_pii: yes }").replace('\n', "\n  "));
    let files = [
        ("sub/a.yaml", test("a", "{}")),
        ("b.yml", list),
        ("c.yaml", format!("tests:\n- {}", test("c", "{ max_tokens: 5 }").replace('\n', "\n  "))),
        ("mock_config.yaml", "model_name: m\n".to_owned()),
        ("empty.yaml", String::new()),
    ];
    let folder = folder(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let names = |tests: Vec<AgentTestCase>| tests.iter().map(|test| test.name().to_owned()).collect::<Vec<_>>();
    let runner = AgentTestRunner::new();
    assert_eq!(names(runner.load_tests(folder.path()).unwrap()), ["b", "c", "a"]);
    assert_eq!(names(load_test_suite(folder.path()).unwrap()), ["b", "c", "a"]);
    let loaded = load_test_suite(folder.path().join("b.yml")).unwrap();
    assert_eq!(loaded[0].expected_behavior()["no_pii"], true);
    let none = folder.path().join("none");
    assert_eq!(runner.load_tests(&none), Err(LoadError::NotFound(none.clone())));
    assert_eq!(load_test_suite(&none), Err(LoadError::NotFound(none)));
    let path = folder.path().join("c.yaml");
    let size = fs::metadata(&path).unwrap().len();
    assert!(runner.load_yaml_file(&path, size).is_ok());
    let Err(LoadError::Invalid(message)) = runner.load_yaml_file(&path, size - 1) else { panic!("taken") };
    assert!(message.contains(&format!("the file has {size} bytes, the limit is {}", size - 1)), "{message}");
    assert_eq!(MAX_YAML_SIZE, 10 * 1024 * 1024);
    for (text, reason) in [
        ("name: [", "`[` is never closed"),
        ("just text", "a file of tests must be a mapping or a list, found the string"),
        ("name: a\nexpected_behavior: { tone: x }", "unknown key `tone`"),
        ("name: a\nexpected_behavior: { matches_schema: { type: x } }", "not a valid JSON Schema"),
    ] {
        fs::write(&path, text).unwrap();
        let Err(LoadError::Invalid(message)) = runner.load_tests(folder.path()) else { panic!("taken: {text}") };
        assert!(message.contains(reason) && message.contains("c.yaml"), "{message}");
    }
}

fn three() -> (TempDir, AgentTestConfig) {
    let files: Vec<(String, String)> = (0..9)
        .map(|at| (format!("t{at}.yaml"), test(&format!("t{at}"), "{ contains_text: a, max_latency_ms: 50 }")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = folder(&files);
    let script = MockLlmConfig::new("m").with_responses(["a", "b", "c"].map(response)).with_failure_rate(0.3).unwrap();
    let config = AgentTestConfig::new(folder.path()).with_mock_config(script);
    (folder, config)
}

/// The result of a test, without its duration.
type Told<'s> = (&'s str, bool, &'s str, &'s [String]);

fn told(suite: &TestSuiteResult) -> Vec<Told<'_>> {
    fn each(result: &AgentTestResult) -> Told<'_> {
        (&result.test_case_name, result.passed, &result.actual_output, &result.assertions_failed)
    }
    suite.results.iter().map(each).collect()
}

#[test]
fn parallel_and_serial_suites_give_the_same_results() {
    let (folder, config) = three();
    let runner = AgentTestRunner::new().with_seed(5);
    let serial = runner.run_suite(folder.path(), &config).unwrap();
    let parallel = runner.run_suite(folder.path(), &config.clone().in_parallel(true)).unwrap();
    assert_eq!(told(&serial), told(&parallel));
    assert_eq!((serial.total, serial.passed + serial.failed), (9, 9));
    // One provider, called repeatedly with the same seed, gives the same answers.
    let model = MockLlmProvider::new(config.mock_config().unwrap().clone()).with_seed(5);
    let tests = runner.load_tests(folder.path()).unwrap();
    let by_hand = tests.iter().map(|test| runner.run_test(test, &model)).collect();
    assert_eq!(told(&TestSuiteResult::new("", by_hand, 0.0)), told(&serial));
    let other = AgentTestConfig::new(folder.path());
    let usual = runner.run_suite(folder.path(), &other).unwrap();
    assert_eq!(usual.results[0].actual_output, "Mock response: task completed successfully.");
}

#[test]
fn suite_runs_inside_a_tokio_runtime() {
    let (folder, config) = three();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let inside = runtime.block_on(async { AgentTestRunner::new().run_suite(folder.path(), &config).unwrap() });
    assert_eq!(inside.total, 9);
}

#[test]
fn suite_timeout_still_returns_results() {
    let (folder, config) = three();
    let config = config.with_timeout_seconds(1e-9).unwrap();
    let suite = AgentTestRunner::new().run_suite(folder.path(), &config).unwrap();
    assert_eq!((suite.total, suite.passed), (9, 0));
    assert!(suite.results[8].assertions_failed[0].starts_with("timeout: "), "{suite:?}");
    assert!(AgentTestRunner::new().run_suite(folder.path().join("none"), &config).is_err());
}

#[test]
fn results_are_reported_as_json_junit_and_console_text() {
    let good = AgentTestResult {
        test_case_name: "good".into(),
        passed: true,
        actual_output: "hi".into(),
        assertions_passed: vec!["contains_text: 'hi'".into()],
        duration_ms: 2.0,
        tokens_used: 3,
        ..AgentTestResult::default()
    };
    let bad = AgentTestResult {
        test_case_name: "bad <&>".into(),
        passed: false,
        actual_output: "a\u{1b}[31mb\u{0}".into(),
        assertions_failed: vec!["max_tokens: 60 exceeds limit 50".into(), "no_pii: PII detected in output".into()],
        ..good.clone()
    };
    let suite = TestSuiteResult::new("tests", vec![good, bad], 5.0);
    let text = JsonReporter::default().report(&suite);
    assert!(text.starts_with("{\n  \"suite_name\": \"tests\",\n  \"results\"") && text.ends_with("}\n"), "{text}");
    assert_eq!(serde_json::from_str::<TestSuiteResult>(&text).unwrap(), suite);
    insta::assert_snapshot!("junit", JunitReporter.report(&suite));
    insta::assert_snapshot!("console", ConsoleReporter::default().report(&suite));
    assert!(ConsoleReporter::default().with_color(true).report(&suite).contains("\u{1b}["));
    let mut written = Vec::new();
    JunitReporter.write_to(&suite, &mut written).unwrap();
    assert_eq!(written, JunitReporter.report(&suite).into_bytes());
}
