//! Failed checks: the message and the place it points at.

use crate::suite::Suite;

const TAPE: &str = r#"{"tool":"search","args":{},"ok":true,"result":1}
{"tool":"create","args":{},"ok":true,"result":2}
"#;

const SCHEMA: &str = r#"{"type":"object","required":["answer","source"],"properties":{"answer":{"type":"string"}}}"#;

fn suite(assertion: &str, script: &str) -> Suite {
    let yaml = format!("assertions:\n  - {assertion}");
    Suite::new().case("wrong", &yaml, script).tape("wrong", TAPE).file("suite/schema.json", SCHEMA)
}

#[test]
fn missing_schema_field_is_reported_by_name() {
    let suite = suite("{ type: json_schema, schema_path: schema.json }", r#"finish '{"answer":"x"}'"#);
    let ran = suite.run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "FAIL suite/wrong: `json_schema` failed: the final output does not match the schema: at the root: \"source\" is a required property",
        "--> suite/cases/wrong.yaml:5:39",
        "5 |   - { type: json_schema, schema_path: schema.json }",
        "^^^^^^^^^^^ at the root: \"source\" is a required property",
    ]);
    let case = ran.case("wrong");
    assert_eq!(case["failed_assertions"][0]["type"], "json_schema");
    assert_eq!((&case["assertions"]["total"], &case["assertions"]["failed"]), (&1.into(), &1.into()));
}

#[test]
fn nested_schema_error_is_reported_with_its_path() {
    let schema = r#"{"properties":{"items":{"items":{"properties":{"price":{"type":"number"}}}}}}"#;
    let output = r#"finish '{"items":[{"price":1},{"price":"2"}]}'"#;
    let suite = suite("{ type: json_schema, schema_path: deep.json }", output).file("suite/deep.json", schema);
    let ran = suite.run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&["at /items/1/price: "]);
}

#[test]
fn reports_missing_call_with_the_tools_called() {
    let ran = suite("{ type: must_call, tools: [search, create] }", "call search '{}'; finish '{}'").run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "`must_call` failed: `create` was never called",
        "--> suite/cases/wrong.yaml:5:40",
        "^^^^^^ never called",
        "`create` was never called",
        "search",
    ]);
}

#[test]
fn must_not_call_accepts_single_name_or_list() {
    for (tools, column) in [("create", 35), ("[search, create]", 44)] {
        let assertion = format!("{{ type: must_not_call, tools: {tools} }}");
        let ran = suite(&assertion, "call create '{}'; finish '{}'").run(&[]);
        ran.only_wrong("wrong", "fail", "check");
        let place = format!("--> suite/cases/wrong.yaml:5:{column}\n");
        ran.says(&["`must_not_call` failed: `create` was called", &place, "^^^^^^ "]);
    }
    suite("{ type: must_not_call, tools: create }", "call search '{}'; finish '{}'").run(&[]).all_passed();
}

#[test]
fn reports_calls_in_wrong_order() {
    let assertion = "{ type: call_order, order: [search, create] }";
    let ran = suite(assertion, "call create '{}'; call search '{}'; finish '{}'").run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&["`create` was not called after `search`", "--> suite/cases/wrong.yaml:5:41", "^^^^^^"]);
    let between = "call search '{}'; call search '{}'; call create '{}'; finish '{}'";
    suite(assertion, between).run(&[]).all_passed();
}

#[test]
fn reports_missing_field_with_the_fields_present() {
    let assertion = "{ type: required_fields, fields: [answer, source] }";
    let ran = suite(assertion, r#"finish '{"answer":null}'"#).run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "the final output lacks `source`",
        "--> suite/cases/wrong.yaml:5:47",
        "^^^^^^ not in the final output",
        "the final output has `answer`",
    ]);
}

#[test]
fn reports_suite_checks_before_case_checks() {
    let suite = Suite::new()
        .setting("assertions: [{ type: required_fields, fields: [a] }]")
        .agent("good", r#"finish '{"a":1}'"#)
        .case("wrong", "assertions: [{ type: must_call, tools: search }]", "finish '{}'");
    let ran = suite.run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    let of_suite = ran.stdout.find("--> suite/suite.yaml:6:").unwrap();
    let of_case = ran.stdout.find("--> suite/cases/wrong.yaml:4:").unwrap();
    assert!(of_suite < of_case, "{ran:?}");
    assert_eq!(ran.case("wrong")["assertions"].to_string(), r#"{"failed":2,"total":2}"#);
}

#[test]
fn skips_checks_without_final_output() {
    let ran = suite("{ type: must_call, tools: search }", "exit 1").run(&[]);
    ran.only_wrong("wrong", "error", "agent_exited");
    assert!(!ran.stdout.contains("must_call"), "{ran:?}");
}

#[test]
fn native_check_failures_point_at_the_failed_condition() {
    let cases = r"world: { tools: { cassette: tape.jsonl } }
cases:
  - id: good
    input: {}
    checks:
      - contains: fine
      - not: { contains: [error, sorry] }
      - tool_called: { name: refund, args: { amount: 20 }, count: 1 }
  - id: wrong
    input: {}
    checks:
      - tool_called: { name: refund, args: { amount: 20.5 } }
      - tool_called: { name: refund, count: { min: 2 } }
      - not: { tool_called: refund }
        message: money must not move
      - contains: refunded
";
    let script = "call refund '{\"amount\":20,\"order\":\"A\"}'; finish '{\"text\":\"fine\"}'";
    let tape = "{\"tool\":\"refund\",\"args\":{\"amount\":20,\"order\":\"A\"},\"ok\":true}";
    let suite = Suite::native(cases).file("suite/tape.jsonl", tape).agent("good", script).agent("wrong", script);
    let ran = suite.run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    insta::assert_snapshot!(ran.console());
}
