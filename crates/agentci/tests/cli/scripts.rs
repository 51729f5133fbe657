//! Checks that call functions defined by the suite.

use std::fmt::Write as _;

use serde_json::json;

use crate::suite::Suite;

const FUNCTIONS: &str = r#"
interface Verdict { pass: boolean; message?: string }
enum Mood { Good = "good" }

export function polite(output: string): boolean { return output.includes("please") }
function greets(output: string, input: { prompt: string }, expected: string): Verdict {
    const seen = [output, input.prompt, expected, Mood.Good].join("|");
    return { pass: seen === "hello there|hi|hello there|good", message: seen };
}
function loops() { for (;;); }
function allocates() { const all: unknown[] = []; for (;;) all.push(new Array(1000).fill(all.length)); }
function throws(output: string): never {
    throw new Error("not " + output);
}
function wrong() { return "yes" }
function fetches() { return fetch("http://localhost/") }
function reads() { return require("fs").readFileSync("/etc/passwd") }
"#;

/// A suite whose agent answers `hello there` to `hi`; each case has one check.
fn suite(cases: &[(&str, &str)]) -> Suite {
    let mock = "target: { mock: { model_name: m, responses: [{ content: hello there, model: m, tokens_used: 2, latency_ms: 1 }] } }";
    let mut yaml = format!("suite: suite\n{mock}\ncases:\n");
    for (id, check) in cases {
        write!(yaml, "  - id: {id}\n    input: {{ prompt: hi }}\n    checks:\n      - {check}\n").unwrap();
    }
    Suite::empty().file("suite/agentci.yaml", yaml).file("suite/checks/talk.ts", FUNCTIONS)
}

fn call(function: &str) -> String {
    format!("script: {{ file: checks/talk.ts, function: {function} }}")
}

const GOOD: (&str, &str) = ("good", "script: { file: checks/talk.ts, function: greets, value: hello there }");

#[test]
fn function_receives_output_input_and_value() {
    let ran = suite(&[GOOD]).run(&[]);
    ran.all_passed();
    let check = ran.events().into_iter().find(|event| event["type"] == "check").unwrap();
    let returned = json!({"pass": true, "message": "hello there|hi|hello there|good"});
    assert_eq!(check["evidence"], json!({ "returned": returned }), "{check}");
}

#[test]
fn function_returning_false_fails_its_case() {
    let ran = suite(&[GOOD, ("wrong", &call("polite"))]).run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "`script` failed: `polite` rejected the output",
        "--> suite/agentci.yaml:11:51",
        "^^^^^^ rejected the output",
    ]);
    suite(&[GOOD, ("negated", &format!("not: {{ {} }}", call("polite")))]).run(&[]).all_passed();
}

#[test]
fn broken_function_fails_only_its_own_check() {
    for (function, said) in [
        ("loops", "error in `loops`: it timed out after 5s"),
        ("allocates", "error in `allocates`: it exceeded the memory limit of 64 MB"),
        ("throws", "error in `throws`: Error: not hello there (suite/checks/talk.ts:13:"),
        ("wrong", "`wrong` returned \"yes\", which is of type `string`"),
        ("fetches", "`fetch` is not available: functions have no access to the network (suite/checks/talk.ts:16:"),
        ("reads", "`require` is not available: functions have no access to other files (suite/checks/talk.ts:17:"),
    ] {
        let check = call(function);
        let ran = suite(&[GOOD, ("wrong", &check)]).run(&[]);
        ran.only_wrong("wrong", "fail", "check");
        ran.says(&[said]);
        ran.ended_soon_after(6);
        if function != "loops" {
            let ran = suite(&[GOOD, ("wrong", &format!("not: {{ {check} }}"))]).run(&[]);
            ran.only_wrong("wrong", "fail", "check");
        }
    }
}

#[test]
fn hanging_functions_time_out_concurrently() {
    let check = call("loops");
    let suite = suite(&[GOOD, ("a", &check), ("good2", GOOD.1), ("b", &check), ("good3", GOOD.1)]);
    let ran = suite.run(&["--parallel", "5"]);
    let passed = |id: &str| ran.case(id)["status"] == "pass";
    assert!(["good", "good2", "good3"].into_iter().all(passed) && !passed("a") && !passed("b"), "{ran:?}");
}

#[test]
fn function_with_oversized_result_fails_its_case() {
    let source = "export function much() { return { pass: true, message: 'x'.repeat(70000) } }\n";
    let check = "script: { file: checks/much.ts, function: much }";
    let ran = suite(&[GOOD, ("much", check)]).file("suite/checks/much.ts", source).run(&[]);
    ran.only_wrong("much", "fail", "check");
    ran.says(&["it returned more than 64 KB"]);
}

#[test]
fn script_errors_are_reported_before_the_run() {
    let broken = "type A = string;\nfunction f() {\n  return (;\n}\n";
    let ran = suite(&[GOOD, ("wrong", "script: { file: checks/broken.ts, function: f }")])
        .file("suite/checks/broken.ts", broken)
        .agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["this script cannot be parsed", "--> suite/checks/broken.ts:3:11", "return (;"]);
    for check in [call("gretes"), format!("not: {{ {} }}", call("gretes"))] {
        let suite = suite(&[GOOD, ("wrong", &check)]);
        let ran = suite.agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["`suite/checks/talk.ts` has no function `gretes`", "did you mean `greets`?"]);
        suite.run(&[]).only_wrong("wrong", "error", "config");
    }
    let missing = suite(&[GOOD, ("wrong", "not: { script: { file: checks/none.ts, function: f } }")]);
    missing.run(&[]).only_wrong("wrong", "error", "config");
    let imports = suite(&[GOOD, ("wrong", "script: { file: checks/imports.ts, function: f }")]).file(
        "suite/checks/imports.ts",
        "import { readFileSync } from 'fs';\nfunction f() { return !!readFileSync }\n",
    );
    imports.agentci(&["check", "suite"]).complains(&["they have no access to files", "imports.ts:1:1"]);
}

#[test]
fn equals_type_and_json_path_checks_apply_to_output() {
    let cases = [
        ("a", "equals: hello there"),
        ("b", "not: { equals: hello }"),
        ("c", "type: string"),
        ("d", "not: { json_path: { path: a, value: 1 } }"),
        ("e", "contains: { text: hello, of: output }"),
    ];
    suite(&cases).run(&[]).all_passed();
    let ran = suite(&[GOOD, ("wrong", "equals: { a: 1 }")]).run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&["the final output is \"hello there\", expected {\"a\":1}"]);
}
