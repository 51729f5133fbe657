//! `assert` is lowered to checks.

use agentci_formats::LoadOptions;
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Reading};
use serde_json::{Value, json};

use super::{TESTS, app, load_from, load_tests, told};

/// The name, arguments and negation of the checks of one test.
fn checks(files: MemoryFiles, assertion: &str) -> (Vec<(String, Value, bool)>, Vec<String>) {
    let text =
        format!("{{\"id\": \"a\", \"input\": [{{\"content\": \"hi\"}}], \"expected\": 5, \"assert\": {assertion}}}");
    let loaded = load_from(&files.with(TESTS, text), &LoadOptions::default());
    let Some(suite) = loaded.plan.suites.first() else { return (vec![], told(&loaded)) };
    let shown = |check: &Check| {
        (check.kind.value.to_string(), check.arguments.value(Reading::Core).unwrap_or_default(), check.negate)
    };
    (suite.cases[0].checks.iter().map(|check| shown(check)).collect(), told(&loaded))
}

fn one(assertion: &str) -> (String, Value, bool) {
    let (mut checks, problems) = checks(app(), assertion);
    assert_eq!((checks.len(), problems), (1, vec![]), "{assertion}");
    checks.remove(0)
}

fn is(kind: &str, arguments: Value, negate: bool) -> (String, Value, bool) {
    (kind.to_owned(), arguments, negate)
}

#[test]
fn each_assertion_type_maps_to_a_check() {
    for (assertion, check) in [
        (
            r#"{"type": "equals", "value": {"b": 1.0, "a": null}}"#,
            is("equals", serde_json::from_str(r#"{"b": 1.0, "a": null}"#).unwrap(), false),
        ),
        (r#"{"value": "x"}"#, is("equals", json!("x"), false)),
        (r#""equals""#, is("equals", Value::Null, false)),
        (
            r#"{"type": "contains", "value": "x", "negate": true}"#,
            is("contains", json!({"text": "x", "of": "output"}), true),
        ),
        (
            r#"{"type": "contains", "value": {"a": [1, "b"]}}"#,
            is("contains", json!({"text": {"a": [1, "b"]}, "of": "output"}), false),
        ),
        (r#"{"type": "not_contains", "value": 7}"#, is("contains", json!({"text": 7, "of": "output"}), true)),
        (
            r#"{"type": "not_contains", "value": "x", "negate": true}"#,
            is("contains", json!({"text": "x", "of": "output"}), false),
        ),
        (
            r#"{"type": "regex", "value": "(?i)\\d+", "negate": true}"#,
            is("matches", json!({"pattern": "(?i)[0-9]+", "of": "output"}), true),
        ),
        (r#"{"type": "type", "value": "object"}"#, is("type", json!("object"), false)),
        (
            r#"{"type": "json_path", "path": "$.a.b", "value": true}"#,
            is("json_path", json!({"path": "$.a.b", "value": true}), false),
        ),
        (
            r#"{"type": "json_path", "value": null}"#,
            is("json_path", json!({"path": "", "value": null, "optional": true}), false),
        ),
        (
            r#"{"type": "json_path", "path": "a", "value": ["x", null]}"#,
            is("json_path", json!({"path": "a", "value": ["x", null], "optional": true}), false),
        ),
        (
            r#"{"type": "json_schema", "value": {"type": "object"}}"#,
            is("json_schema", json!({"schema": {"type": "object"}, "format": "warn"}), false),
        ),
        (
            r#"{"type": "json_schema", "value": "schema.json"}"#,
            is("json_schema", json!({"path": "schema.json", "format": "warn"}), false),
        ),
        (
            r#"{"type": "semantic", "value": "x"}"#,
            is("semantic", json!({"expected": "x", "facts": "warn", "contradictions": "warn"}), false),
        ),
        (
            r#"{"type": "tool_called", "value": "pay"}"#,
            is("tool_called", json!({"name": "pay", "suffix": true}), false),
        ),
        (
            r#"{"type": "tool_called", "value": ["a", "b"]}"#,
            is("tool_called", json!({"any": ["a", "b"], "suffix": true}), false),
        ),
        (
            r#"{"type": "tool_called", "value": {"name": "pay", "arguments": {"n": 1}}}"#,
            is("tool_called", json!({"name": "pay", "suffix": true, "args": {"n": 1}}), false),
        ),
        (
            r#"{"type": "tool_result", "value": {"tool": "pay", "result": {"ok": true, "ids": ["regex:^\\d+$", "\\d"]}}}"#,
            is(
                "tool_result",
                json!({"name": "pay", "suffix": true, "result": {"ok": true, "ids": ["regex:^[0-9]+$", "\\d"]}}),
                false,
            ),
        ),
    ] {
        assert_eq!(one(assertion), check, "{assertion}");
    }
}

#[test]
fn assert_overrides_expected_even_when_empty() {
    assert_eq!(checks(app(), "[]"), (vec![], vec![]));
    let (both, _) = checks(app(), r#"[{"type": "contains", "value": "a"}, {"type": "contains", "value": "b"}]"#);
    assert_eq!(both.len(), 2);
    let loaded = load_tests("{\"id\": \"a\", \"input\": \"x\", \"assert\": null, \"expected\": 5}");
    assert_eq!(loaded.plan.suites[0].cases[0].checks[0].arguments.value(Reading::Core), Ok(json!(5)));
}

#[test]
fn invalid_assertion_fails_regardless_of_negate() {
    for (assertion, reason) in [
        (r#"{"type": "equal", "negate": true}"#, "unknown assertion type `equal`; did you mean `equals`?"),
        (r#"{"type": "regex", "value": "("}"#, "this pattern cannot be used: unclosed group"),
        (r#"{"type": "regex", "value": 7}"#, "a `regex` assertion needs a pattern as its `value`"),
        (
            r#"{"type": "type", "value": "text"}"#,
            "a `type` assertion needs one of `string`, `number`, `boolean`, `array`, `object`, `null`",
        ),
        (r#"{"type": "script"}"#, "a `script` assertion needs `script`"),
        (r#"{"type": "script", "script": "scripts.none.Check"}"#, "file `app/scripts/none.ts` does not exist"),
        (
            r#"{"type": "script", "script": "Check"}"#,
            "`Check` is not a function name: expected `scripts.<path>.<Function>`",
        ),
        (
            r#"{"type": "script", "script": "scripts../../x.Check"}"#,
            "`scripts../../x.Check` is not a function name: expected `scripts.<path>.<Function>`",
        ),
        (r#"{"type": "agent", "use": "agents:none", "value": "x"}"#, "the judging assistant `none` does not exist"),
        (
            r#"{"type": "agent", "value": "x"}"#,
            "an `agent` assertion needs `use`, the assistant that judges the answer",
        ),
        (r#"{"type": "contains"}"#, "a `contains` assertion needs a `value`"),
        (r#"{"type": "contains", "value": null}"#, "a `contains` assertion needs a `value`"),
        (r#""contains""#, "a `contains` assertion needs a `value`"),
        (r#"{"type": "not_contains"}"#, "a `not_contains` assertion needs a `value`"),
        (
            r#"{"type": "tool_called"}"#,
            "a `tool_called` assertion needs a tool's name, a list of names, or `name` and `arguments`",
        ),
        (r#"{"type": "tool_result", "value": {}}"#, "a `tool_result` assertion needs `tool` in its `value`"),
        (r#"{"type": "json_path", "path": "a"}"#, "a `json_path` assertion needs `value`, which may be `null`"),
        (r#"{"type": "semantic"}"#, "a `semantic` assertion needs the expected answer as its `value`"),
    ] {
        let (checks, problems) = checks(app(), assertion);
        assert_eq!(checks, [is("unusable", json!(reason), false)], "{assertion}");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].ends_with(&format!("this assertion cannot pass: {reason}")), "{problems:?}");
    }
}

#[test]
fn script_receives_raw_input_and_value_or_expected() {
    let files = || app().with("app/scripts/tests/deep.ts", "").with("app/assistants/keyword/src/check.js", "");
    let asked = json!([{"content": "hi"}]);
    let (own, _) = checks(files(), r#"{"type": "script", "script": "scripts.tests.deep.Check", "value": 1}"#);
    let file = "../../../scripts/tests/deep.ts";
    assert_eq!(own, [is("script", json!({"file": file, "function": "Check", "input": asked, "value": 1}), false)]);
    let (expected, _) = checks(files(), r#"{"type": "script", "script": "agents.keyword.check.Check"}"#);
    assert_eq!(expected[0].1, json!({"file": "../src/check.js", "function": "Check", "input": asked, "value": 5}));
}

#[test]
fn judge_becomes_an_agent_of_the_suite() {
    let files = app()
        .with("app/assistants/tests/judge/package.yao", r#"{"connector": "mock"}"#)
        .with(TESTS, r#"{"id": "a", "input": "x", "assert": {"type": "agent", "use": "agents:tests.judge", "value": "polite", "options": {"metadata": {"m": 1}}}}"#);
    let loaded = load_from(&files, &LoadOptions::default());
    assert_eq!(told(&loaded), Vec::<String>::new());
    let suite = &loaded.plan.suites[0];
    assert_eq!(suite.agents.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["tests.judge"]);
    let arguments = suite.cases[0].checks[0].arguments.value(Reading::Core).unwrap();
    assert_eq!(arguments, json!({"agent": "tests.judge", "criteria": "polite", "input": "x", "metadata": {"m": 1}}));
}

#[test]
fn message_replaces_the_default_failure_message() {
    let loaded =
        load_tests(r#"{"id": "a", "input": "x", "assert": {"type": "contains", "value": "x", "message": "say x"}}"#);
    assert_eq!(loaded.plan.suites[0].cases[0].checks[0].message(), Some("say x"));
}
