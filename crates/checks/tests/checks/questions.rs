//! Checks that call a function or an agent: their questions, and their verdicts on the answers.

use std::path::Path;

use agentci_checks::{Evaluator, EvidenceQuestion, ReadyCheck, single};
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Node, Sources, Span};
use agentci_trace::{EventKind, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

use crate::trial::Story;

fn ready(kind: &str, arguments: &Value, negate: bool) -> Result<ReadyCheck, String> {
    let span = Span::whole(Sources::default().add(Path::new("s"), ""));
    let check = Check { negate, ..Check::new(kind, span, Node::from_value(arguments, span)) };
    let files = MemoryFiles::default().with("suite/checks/a.ts", "function f() {}");
    single(check, &files, Path::new("suite")).map_err(|all| all.iter().map(|one| one.message.clone()).collect())
}

fn trace() -> Trace {
    let given = EventKind::TurnStart(json!({"question": 7}).into());
    Story::default().push(given).push(EventKind::FinalOutput(json!({"a": 1}).into())).told()
}

fn conclude(kind: &str, arguments: &Value, negate: bool, answer: &Value) -> String {
    let ready = ready(kind, arguments, negate).unwrap_or_else(|why| panic!("{why}"));
    match ready.conclude(&trace(), answer) {
        Outcome::Passed => String::new(),
        Outcome::Failed(failure) => failure.message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn script_receives_output_input_and_value() {
    let asked = |arguments: Value| match ready("script", &arguments, false).unwrap().question(&trace()) {
        Some(EvidenceQuestion::Script { file, function, arguments }) => {
            (file.path.display().to_string(), file.source.clone(), function, arguments)
        }
        other => panic!("{other:?}"),
    };
    let (path, source, function, arguments) = asked(json!({"file": "checks/a.ts", "function": "f", "value": [3]}));
    assert_eq!((path.as_str(), source.as_str(), function.as_str()), ("suite/checks/a.ts", "function f() {}", "f"));
    assert_eq!(arguments, [json!({"a": 1}), json!({"question": 7}), json!([3])]);
    let (.., arguments) = asked(json!({"file": "checks/a.ts", "function": "f", "input": "mine"}));
    assert_eq!(arguments, [json!({"a": 1}), json!("mine"), json!(null)]);
    let ready = ready("script", &json!({"file": "checks/a.ts", "function": "f"}), false).unwrap();
    assert_eq!(ready.script().unwrap().function.value, "f");
    assert_eq!(ready.question(&Trace::default()), None);
    assert!(matches!(ready.evaluate(&Trace::default()), Outcome::Failed(_)));
}

#[test]
fn script_result_decides_the_check() {
    let call = json!({"file": "checks/a.ts", "function": "f"});
    let said = |negate, returned: Value| conclude("script", &call, negate, &json!({"returned": returned}));
    assert_eq!(said(false, json!(true)), "");
    assert_eq!(said(true, json!(false)), "");
    assert_eq!(said(false, json!(false)), "`f` rejected the output");
    assert_eq!(said(true, json!(true)), "`f` accepted the output, which `not` forbids");
    assert_eq!(said(false, json!({"pass": true, "message": "fine"})), "");
    assert_eq!(said(false, json!({"pass": false, "message": "too low"})), "`f` rejected the output: too low");
    assert_eq!(
        said(true, json!({"pass": true, "message": "fine"})),
        "`f` accepted the output, which `not` forbids: fine"
    );
    // An error in the function also fails the negated check.
    for negate in [false, true] {
        assert_eq!(said(negate, json!(1)), "`f` returned the score 1, but the check has no `threshold`");
        let forgot = r#"`f` returned {"message":"forgot"}, which has no `pass` and no `score`; expected a boolean, `{ pass: boolean }` or a score"#;
        assert_eq!(said(negate, json!({"message": "forgot"})), forgot);
        assert_eq!(
            said(negate, json!({"pass": 1})),
            r#"`f` returned {"pass":1}, whose `pass` is not a boolean; expected a boolean, `{ pass: boolean }` or a score"#
        );
        assert_eq!(
            said(negate, json!({"pass": null})),
            r#"`f` returned {"pass":null}, whose `pass` is not a boolean; expected a boolean, `{ pass: boolean }` or a score"#
        );
        assert_eq!(
            said(negate, json!(null)),
            "`f` returned null, which is of type `null`; expected a boolean, `{ pass: boolean }` or a score"
        );
        assert_eq!(
            said(negate, json!([true])),
            "`f` returned [true], which is of type `array`; expected a boolean, `{ pass: boolean }` or a score"
        );
        let thrown = json!({"thrown": "TypeError: no", "place": {"line": 3, "column": 9}});
        let message = conclude("script", &call, negate, &thrown);
        assert_eq!(message, "error in `f`: TypeError: no (suite/checks/a.ts:3:9)");
        let message = conclude("script", &call, negate, &json!({"thrown": "too long"}));
        assert_eq!(message, "error in `f`: too long (suite/checks/a.ts)");
    }
}

#[test]
fn missing_script_is_reported_before_the_run() {
    for (arguments, why) in [
        (json!({"file": "no.ts", "function": "f"}), "the script `suite/no.ts` cannot be read: no such file"),
        (json!({"file": "checks/a.ts"}), "`script` needs `function`"),
        (json!({"file": "checks/a.ts", "function": "f", "valeu": 1}), "unknown key `valeu` in `script`"),
    ] {
        for negate in [false, true] {
            let message = ready("script", &arguments, negate).unwrap_err();
            assert!(message.contains(why), "{arguments}: {message}");
        }
    }
}

#[test]
fn judge_agent_gets_all_fields_and_returns_verdict() {
    let asked = json!({"agent": "judge", "criteria": "polite", "metadata": {"language": "en", "output": "mine"}});
    let Some(EvidenceQuestion::Agent { agent, message }) = ready("agent", &asked, false).unwrap().question(&trace())
    else {
        panic!("no condition")
    };
    let message: Value = serde_json::from_str(&message).unwrap();
    assert_eq!(agent, "judge");
    let told = json!({"output": {"a": 1}, "input": {"question": 7}, "criteria": "polite", "language": "en"});
    assert_eq!(message, told);
    let said = |negate, output: Value| conclude("agent", &asked, negate, &json!({"output": output}));
    for good in [
        json!({"passed": true, "reason": "fine"}),
        json!({"pass": true}),
        json!(r#"{"passed": true}"#),
        json!("I think:\n```json\n{\"passed\": true, \"reason\": \"x\"}\n```"),
    ] {
        assert_eq!(said(false, good.clone()), "", "{good}");
        assert!(said(true, good.clone()).starts_with("`judge` accepted the answer, which `not` forbids"), "{good}");
    }
    let bad = json!({"passed": false, "reason": "rude"});
    assert_eq!(said(false, bad.clone()), "`judge` rejected the answer: rude");
    assert_eq!(said(true, bad), "");
    for odd in [json!("yes"), json!(null), json!({"passed": "true"}), json!([true]), json!(true)] {
        for negate in [false, true] {
            assert!(said(negate, odd.clone()).contains("did not answer with a boolean `passed`"), "{odd}");
        }
    }
}

fn outputting(output: Value) -> Trace {
    Story::default().push(EventKind::FinalOutput(output.into())).told()
}

/// The answer of a worker to a task.
fn answered(question: Option<EvidenceQuestion>) -> Value {
    let Some(EvidenceQuestion::Bounded(task)) = question else { panic!("no task: {question:?}") };
    let lines = task.lines();
    let [kind, subject, value] = lines.lines().collect::<Vec<_>>()[..] else { panic!("{lines}") };
    let answer = Evaluator::default().answer(kind, subject, value);
    serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn worker_and_in_process_results_are_equal() {
    let tree = json!({
        "$defs": { "node": { "properties": { "name": { "type": "string" }, "in": { "items": { "$ref": "#/$defs/node" } } }, "required": ["name"] } },
        "$ref": "#/$defs/node",
    });
    let schema = json!({ "schema": tree });
    let path = |path: &str, value: Value| json!({ "path": path, "value": value });
    for (kind, arguments) in [
        ("json_schema", &schema),
        ("json_path", &path("$..[?match(@.name, @.name)].name", json!("b"))),
        ("json_path", &path("$.in[?match(@.name, @.name)].name", json!("b"))),
        ("json_path", &path("$..[?match(@.name, @.none)].name", json!("b"))),
        ("json_path", &path("$['in'][?search(@.name, @.name)]", json!({ "name": "b" }))),
    ] {
        for output in [
            json!({ "name": "a", "in": [{ "name": "b" }] }),
            json!({ "name": 1, "in": [{}, { "name": 2.50 }, { "name": "it's" }] }),
            json!("```json\n{\"in\": [{\"name\": \"b\"}]}\n```"),
        ] {
            let trace = outputting(output);
            for negate in [false, true] {
                let ready = ready(kind, arguments, negate).unwrap();
                let answer = answered(ready.question(&trace));
                assert_eq!(ready.conclude(&trace, &answer), ready.evaluate(&trace), "{arguments} {negate}");
            }
        }
    }
}

#[test]
fn ordinary_schemas_and_paths_need_no_worker() {
    let schema = json!({
        "$defs": { "Item": { "properties": { "sku": { "type": "string" }, "price": { "type": "number" } }, "required": ["sku"] } },
        "properties": { "items": { "items": { "$ref": "#/$defs/Item" } }, "total": { "anyOf": [{ "type": "number" }, { "type": "null" }] } },
    });
    let item = json!({ "sku": "A-17", "price": 20.5 });
    let order = json!({ "items": vec![item; 50], "total": 1025 });
    let said = format!("Here you are:\n```json\n{order}\n```");
    for output in [order, said.into()] {
        let trace = outputting(output);
        for (kind, arguments) in [
            ("json_schema", json!({ "schema": schema })),
            ("json_path", json!({ "path": "$.items[?@.price > 10].sku", "value": "A-17" })),
            ("json_path", json!({ "path": "$..sku", "value": "A-17" })),
            ("json_path", json!({ "path": "items[0].sku", "value": "A-17" })),
        ] {
            assert_eq!(ready(kind, &arguments, false).unwrap().question(&trace), None, "{arguments}");
        }
    }
}

#[test]
fn worker_reports_failed_requests_and_continues() {
    let mut evaluator = Evaluator::default();
    assert!(evaluator.answer("schema enforce", r#"{"type": 7}"#, "7").starts_with(r#"{"unusable":"#));
    assert!(evaluator.answer("path", "\"$[\"", "7").starts_with(r#"{"unusable":"#));
    let long = json!(vec!["x".repeat(1000); 1000]).to_string();
    let places = format!("\"$[{}]\"", vec!["*"; 20].join(","));
    assert_eq!(evaluator.answer("path", &places, &long), r#"{"exceeded":"8 MB of matches"}"#);
    for (value, count) in [("7", 1), ("\"a\"", 0), ("8", 1)] {
        let answer: Value =
            serde_json::from_str(&evaluator.answer("schema enforce", r#"{"type": "string"}"#, value)).unwrap();
        assert_eq!(answer["misfits"]["count"], count);
    }
}
