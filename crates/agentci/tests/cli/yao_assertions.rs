//! Every assertion of the yao format: passed, failed, negated, with its own message, and invalid.

use serde_json::{Value, json};

use crate::suite::Suite;

const TESTS: &str = "assistants/keyword/tests/inputs.jsonl";

const MODEL: &str = r#"rules:
- when: { user: json }
  reply: "Here:\n```json\n{\"need\": true, \"list\": [1, {\"name\": \"x\"}]}\n```"
- when: { user: refund, tool_result: true }
  reply: It is on its way.
- when: { user: refund }
  tool_calls: [{ name: shop__find_order, args: { order: A-17, count: 1 } }]
- when: { user: '"criteria":"polite"' }
  reply: '{"passed": true, "reason": "it greets"}'
- when: { user: '"criteria":"rude"' }
  reply: '{"passed": false, "reason": "it greets"}'
- when: { user: '"criteria":"unclear"' }
  reply: I would rather not say.
default: Hello, world 42!
"#;

const SCRIPT: &str = "function Yes() { return true }\n\
    function No() { return { pass: false, message: 'so it is' } }\n\
    function Throws() { throw new Error('oh') }\n\
    function Three() { return 3 }\n";

/// The inputs to test an assertion type with.
struct Kind {
    name: &'static str,
    input: &'static str,
    holds: Value,
    fails: Value,
    /// A part of the failure message.
    words: &'static str,
    /// Assertions that cannot be evaluated, each with a part of its message.
    broken: Vec<(Value, &'static str)>,
}

fn kind(name: &'static str, input: &'static str, holds: Value, fails: Value, words: &'static str) -> Kind {
    Kind { name, input, holds, fails, words, broken: Vec::new() }
}

impl Kind {
    fn broken(mut self, assertion: Value, words: &'static str) -> Self {
        self.broken.push((assertion, words));
        self
    }
}

fn kinds() -> Vec<Kind> {
    plain_kinds().into_iter().chain(asking_kinds()).collect()
}

/// Types that only use the answer.
fn plain_kinds() -> Vec<Kind> {
    vec![
        kind("equals", "Hi", json!({"value": "Hello, world 42!"}), json!({"value": "hello"}), "expected \"hello\""),
        kind("contains", "Hi", json!({"value": "world"}), json!({"value": "World"}), "does not contain `World`"),
        kind("not_contains", "Hi", json!({"value": "World"}), json!({"value": "world"}), "contains `world`"),
        kind(
            "json_path",
            "json",
            json!({"path": "$.list[1].name", "value": "x"}),
            json!({"path": "need", "value": false}),
            "`need` is true, expected false",
        )
        .broken(json!({"path": "$[", "value": 1}), "not a JSONPath"),
        kind("regex", "Hi", json!({"value": r"\d+"}), json!({"value": r"^\d+"}), "does not match")
            .broken(json!({"value": "(["}), "cannot be used")
            .broken(json!({}), "needs a pattern"),
        kind("type", "json", json!({"value": "object"}), json!({"value": "array"}), "expected `array`")
            .broken(json!({"value": "list"}), "needs one of"),
    ]
}

/// Types that use scripts, tool calls, schemas, embeddings or judges.
fn asking_kinds() -> Vec<Kind> {
    vec![
        kind("script", "Hi", json!({"script": "scripts.t.Yes"}), json!({"script": "scripts.t.No"}), "so it is")
            .broken(json!({"script": "scripts.t.Nobody"}), "has no function `Nobody`")
            .broken(json!({"script": "scripts.none.Yes"}), "none.ts` does not exist")
            .broken(json!({"script": "scripts.bad.Yes"}), "cannot be parsed")
            .broken(json!({"script": "scripts.t.Throws"}), "Error: oh")
            .broken(json!({"script": "scripts.t.Three"}), "a score is from 0 to 1")
            .broken(json!({}), "needs `script`"),
        kind(
            "tool_called",
            "refund",
            json!({"value": {"name": "find_order", "arguments": {"count": 1}}}),
            json!({"value": "order"}),
            "`order` was called 0 times",
        )
        .broken(json!({"value": 3}), "needs a tool's name"),
        kind(
            "tool_result",
            "refund",
            json!({"value": {"tool": "find_order", "result": {"state": "open"}}}),
            json!({"value": {"tool": "find_order", "result": {"state": "lost"}}}),
            "returned the expected result",
        )
        .broken(json!({"value": {}}), "needs `tool`"),
        kind(
            "json_schema",
            "json",
            json!({"value": {"type": "object", "required": ["need"]}}),
            json!({"value": {"type": "object", "required": ["more"]}}),
            "more",
        )
        .broken(json!({"value": {"type": "thing"}}), "not a valid JSON Schema")
        .broken(json!({"value": "none.json"}), "cannot be read")
        .broken(json!({}), "needs a schema"),
        kind("semantic", "Hi", json!({"value": "Hello, world 42!"}), json!({"value": "The cat sleeps"}), "similarity")
            .broken(json!({"value": "x", "threshold": "high"}), "`threshold` must be")
            .broken(json!({}), "needs the expected answer"),
        kind(
            "agent",
            "Hi",
            json!({"use": "agents:judge", "value": "polite"}),
            json!({"use": "agents:judge", "value": "rude"}),
            "it greets",
        )
        .broken(json!({"use": "agents:judge", "value": "unclear"}), "did not answer with a boolean `passed`")
        .broken(json!({"use": "agents:nobody", "value": "polite"}), "the judging assistant `nobody` does not exist")
        .broken(json!({"value": "polite"}), "needs `use`"),
    ]
}

/// A test and its expected result: status, and a part of its error.
struct Expected {
    id: String,
    line: String,
    status: &'static str,
    words: &'static str,
}

fn expected(
    kind: &Kind,
    what: &str,
    assertion: &Value,
    more: &Value,
    status: &'static str,
    words: &'static str,
) -> Expected {
    let id = format!("{} {what}", kind.name);
    let mut assertion = assertion.clone();
    let fields = assertion.as_object_mut().unwrap();
    fields.insert("type".into(), kind.name.into());
    fields.extend(more.as_object().unwrap().clone());
    // The model's tool has a scripted answer.
    let tools = json!({"tools": {"shop__find_order": {"reply": {"state": "open", "paid": true}}}});
    let line = json!({"id": id, "input": kind.input, "assert": assertion, "options": tools}).to_string();
    Expected { id, line, status, words }
}

fn table() -> Vec<Expected> {
    let (plain, negate) = (json!({}), json!({"negate": true}));
    let said = json!({"message": "in my words"});
    let said_negated = json!({"message": "in my words", "negate": true});
    let mut table = Vec::new();
    for kind in &kinds() {
        let mut add = |what: &str, assertion: &Value, more: &Value, status, words| {
            table.push(expected(kind, what, assertion, more, status, words));
        };
        add("holds", &kind.holds, &plain, "passed", "");
        add("fails", &kind.fails, &plain, "failed", kind.words);
        add("holds, negated", &kind.holds, &negate, "failed", "");
        add("fails, negated", &kind.fails, &negate, "passed", "");
        add("fails with a message", &kind.fails, &said, "failed", "in my words");
        add("fails negated with a message", &kind.holds, &said_negated, "failed", "in my words");
        for (number, (broken, words)) in kind.broken.iter().enumerate() {
            add(&format!("broken {number}"), broken, &plain, "failed", words);
            add(&format!("broken {number}, negated"), broken, &negate, "failed", words);
            add(&format!("broken {number} with a message"), broken, &said, "failed", "in my words");
        }
    }
    table
}

fn app() -> Suite {
    Suite::empty()
        .file("app.yao", "{}")
        .file("model.yaml", MODEL)
        .file("scripts/t.js", SCRIPT)
        .file("scripts/bad.js", "function Yes( { return true }")
        .file("assistants/keyword/package.yao", r#"{ "connector": "mock" }"#)
        .file("assistants/judge/package.yao", r#"{ "connector": "mock" }"#)
}

/// Asserts that each result of a report has the expected status and error.
fn compare(table: &[Expected], report: &Value) {
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), table.len());
    for (row, result) in table.iter().zip(results) {
        assert_eq!((&result["id"], &result["status"]), (&json!(row.id), &json!(row.status)), "{}: {result}", row.line);
        let error = result["error"].as_str().unwrap_or_default();
        assert!(error.contains(row.words), "{}: {error}", row.line);
        assert_eq!(error.is_empty(), row.status == "passed", "{}: {error}", row.line);
        if row.words == "in my words" {
            assert_eq!(error, "in my words", "{}", row.line);
        }
    }
}

#[test]
fn every_assertion_row_has_the_expected_result() {
    let table = table();
    let lines: Vec<&str> = table.iter().map(|row| row.line.as_str()).collect();
    let suite = app().file(TESTS, lines.join("\n"));
    let ran = suite.agentci(&["run", "-i", TESTS, "-o", "report.json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(suite.path("report.json")).unwrap()).unwrap();
    compare(&table, &report);
    assert_eq!((&report["summary"]["errors"], &report["summary"]["timeouts"]), (&json!(0), &json!(0)));
}

#[test]
fn converted_native_suite_gives_the_same_results() {
    let table = table();
    let lines: Vec<&str> = table.iter().map(|row| row.line.as_str()).collect();
    let suite = app().file(TESTS, lines.join("\n"));
    let converted = suite.agentci(&["convert", "-i", TESTS]);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    let suite = suite.file("assistants/keyword/tests/agentci.yaml", &converted.stdout);
    let ran = suite.agentci(&["run", "assistants/keyword/tests/agentci.yaml"]);
    let verdicts = ran.verdicts();
    assert_eq!(verdicts.len(), table.len(), "{ran:?}");
    for row in &table {
        let found = verdicts.iter().find(|verdict| verdict.0 == row.id).map(|verdict| verdict.1.as_str());
        let status = if row.status == "passed" { "pass" } else { "fail" };
        assert_eq!(found, Some(status), "{}", row.line);
    }
}
