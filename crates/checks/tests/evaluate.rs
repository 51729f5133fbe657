//! Every check over small traces: what holds, what does not, and what is said then.

use std::path::Path;
use std::sync::Arc;

use agentci_checks::{compile, names};
use agentci_plan::{
    Case, Check, Diagnostics, Dialect, MemoryFiles, Mode, Node, Outcome, Plan, ProcessTarget, Sources, Span, Speech,
    Suite, Target, World,
};
use agentci_trace::{Event, Kind, Moment, Observer, ToolCall, Trace};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"n":{"maximum":3}}}"#;

/// One check with JSON arguments, compiled and evaluated.
fn outcome(kind: &str, arguments: &Value, negate: bool, trace: &Trace) -> Result<Outcome, Diagnostics> {
    let mut sources = Sources::default();
    let file = sources.add(Path::new("s/agentci.yaml"), "");
    let span = Span { file, line: 1, column: 1, width: 1 };
    let mut check = Check::new(kind, span, Node::from_value(arguments, span));
    check.negate = negate;
    let target =
        ProcessTarget { command: Vec::new(), folder: None, environment: Vec::new(), speaks: Speech::Protocol, span };
    let target = Arc::new(Target::Process(target));
    let checks = [Arc::new(check)].into();
    let case = Case { checks, ..Case::new("c", span, target, Arc::new(World::default())) };
    let suite = Suite {
        agents: Vec::new(),
        embedder: None,
        name: "s".into(),
        dialect: Dialect::Native,
        path: "s/agentci.yaml".into(),
        folder: "s".into(),
        span,
        mode: Mode::Replay,
        output_dir: None,
        gates: agentci_plan::Gates::default(),
        exclude: Vec::new(),
        redact: agentci_plan::Redaction::default(),
        cases: vec![Box::new(case)],
    };
    let plan = Plan { sources, suites: vec![suite] };
    let files = MemoryFiles::default()
        .with("s/schema.json", SCHEMA)
        .with("s/broken.json", "{")
        .with("s/wrong.json", r#"{"type":7}"#);
    let (ready, problems) = compile(&plan, &files);
    match ready.suites[0].cases[0].checks.first() {
        Some(check) => Ok(check.evaluate(trace)),
        None => Err(problems),
    }
}

fn trace(calls: &[(&str, Value)], output: Option<Value>) -> Trace {
    let mut trace = Trace::default();
    let mut push = |kind| trace.push(Event { at: Moment::default(), turn: 0, kind });
    for (number, (name, args)) in calls.iter().enumerate() {
        let (call_id, name) = (format!("c{number}"), (*name).to_owned());
        push(Kind::ToolCall(ToolCall {
            call_id,
            name,
            args: args.clone().into(),
            observer: Observer::Protocol,
            begun: None,
        }));
    }
    if let Some(output) = output {
        push(Kind::FinalOutput(output.into()));
    }
    trace
}

fn called(names: &[&str]) -> Trace {
    trace(&names.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>(), Some(json!({})))
}

/// The sentence of a failure; empty when the check held.
fn said(kind: &str, arguments: &Value, negate: bool, trace: &Trace) -> String {
    match outcome(kind, arguments, negate, trace) {
        Ok(Outcome::Held) => String::new(),
        Ok(Outcome::Failed(failure)) => failure.message,
        other => panic!("{kind} {arguments}: {other:?}"),
    }
}

#[test]
fn required_fields_counts_null_as_present() {
    let output = trace(&[], Some(json!({"a": null, "c": 1})));
    assert_eq!(said("required_fields", &json!(["a"]), false, &output), "");
    assert_eq!(said("required_fields", &json!(["a", "b", "d"]), false, &output), "the final output lacks `b`, `d`");
    assert!(matches!(outcome("required_fields", &json!(["a"]), false, &called(&[])), Ok(Outcome::Failed(_))));
    assert!(matches!(
        outcome("required_fields", &json!(["a"]), false, &trace(&[], None)),
        Ok(Outcome::NotEvaluated(_))
    ));
}

#[test]
fn json_schema_lists_every_error_with_path_expected_and_actual() {
    let output = trace(&[], Some(json!({"a": 7, "n": 9})));
    let Ok(Outcome::Failed(failure)) = outcome("json_schema", &json!("schema.json"), false, &output) else {
        panic!("it must fail")
    };
    let found: Vec<(&str, &Value, &Value)> =
        failure.details.iter().map(|detail| (detail.path.as_str(), &detail.expected, &detail.actual)).collect();
    assert_eq!(
        found,
        [
            ("", &json!({"required": ["a", "b"]}), &json!(["a", "n"])),
            ("/a", &json!({"type": "string"}), &json!(7)),
            ("/n", &json!({"maximum": 3}), &json!(9)),
        ]
    );
    assert_eq!(failure.notes.len(), 3);
    let good = trace(&[], Some(json!({"a": "x", "b": 1})));
    assert_eq!(said("json_schema", &json!("schema.json"), false, &good), "");
    assert_eq!(said("json_schema", &json!({"path": "schema.json"}), false, &good), "");
    assert_eq!(said("json_schema", &json!({"schema": {"required": ["b"]}}), false, &good), "");
}

#[test]
fn json_schema_finds_wrong_schemas_before_anything_runs() {
    for (arguments, why) in [
        (json!("none.json"), "the schema `s/none.json` can not be read: no such file"),
        (json!("broken.json"), "the schema `s/broken.json` is not JSON"),
        (json!("wrong.json"), "`s/wrong.json` is not a valid JSON Schema: at /type"),
        (json!({"path": "schema.json", "schema": {}}), "`json_schema` needs either `path` or `schema`"),
        (json!(["schema.json"]), "`json_schema` must be text, found a list"),
    ] {
        let problems = outcome("json_schema", &arguments, false, &called(&[])).unwrap_err();
        let message = &problems.iter().next().unwrap().message;
        assert!(message.starts_with(why), "{arguments}: {message}");
    }
}

#[test]
fn tool_called_takes_one_name_or_all_of_a_list() {
    let calls = called(&["search", "fetch"]);
    assert_eq!(said("tool_called", &json!("search"), false, &calls), "");
    assert_eq!(said("tool_called", &json!(["fetch", "search"]), false, &calls), "");
    assert_eq!(said("tool_called", &json!(["fetch", "pay", "ship"]), false, &calls), "`pay`, `ship` were never called");
    assert_eq!(said("tool_called", &json!({"any": ["pay", "fetch"]}), false, &calls), "");
    assert_eq!(
        said("tool_called", &json!({"any": ["pay", "ship"]}), false, &calls),
        "none of `pay`, `ship` was called"
    );
}

#[test]
fn tool_called_negated_forbids_each_name() {
    let calls = called(&["search", "fetch"]);
    assert_eq!(said("tool_called", &json!({"any": ["pay", "ship"]}), true, &calls), "");
    assert_eq!(said("tool_called", &json!(["pay", "fetch"]), true, &calls), "`fetch` was called, and must not be");
    let both = said("tool_called", &json!({"any": ["fetch", "search"]}), true, &calls);
    assert_eq!(both, "`fetch`, `search` were called, and must not be");
}

#[test]
fn tool_called_compares_arguments_without_coercion() {
    let calls = trace(&[("pay", json!({"amount": 20, "to": {"id": 1, "name": "x"}}))], None);
    let with = |args: Value| json!({"name": "pay", "args": args});
    assert_eq!(said("tool_called", &with(json!({"amount": 20})), false, &calls), "");
    assert_eq!(said("tool_called", &with(json!({"to": {"id": 1}})), false, &calls), "");
    assert_eq!(
        said("tool_called", &with(json!({"amount": 20.0})), false, &calls),
        "no call of `pay` has `amount` as asked"
    );
    let Ok(Outcome::Failed(failure)) = outcome("tool_called", &with(json!({"amount": 200})), false, &calls) else {
        panic!("it must fail")
    };
    assert_eq!(failure.label, "the agent sent 20");
    assert_eq!(failure.notes, [r#"turn 1, call 1 of 1: pay(amount=20, to={"id":1,"name":"x"}) -> no result"#]);
    assert_eq!(said("tool_called", &with(json!({"amount": 7})), true, &calls), "");
}

#[test]
fn tool_called_counts() {
    let calls = called(&["poll", "poll", "pay"]);
    let count = |count: Value| json!({"name": "poll", "count": count});
    assert_eq!(said("tool_called", &count(json!(2)), false, &calls), "");
    assert_eq!(said("tool_called", &count(json!({"min": 1, "max": 2})), false, &calls), "");
    assert_eq!(said("tool_called", &count(json!(1)), false, &calls), "`poll` was called 2 times, not exactly once");
    assert_eq!(
        said("tool_called", &count(json!({"min": 3})), false, &calls),
        "`poll` was called 2 times, not at least 3 times"
    );
    assert_eq!(said("tool_called", &json!({"name": "ship", "count": 0}), false, &calls), "");
    assert!(outcome("tool_called", &count(json!({"min": 3, "max": 2})), false, &calls).is_err());
    assert!(outcome("tool_called", &count(json!(-1)), false, &calls).is_err());
    assert!(outcome("tool_called", &json!({"nam": "poll"}), false, &calls).is_err());
}

#[test]
fn call_order_is_a_subsequence_and_repeats_need_repeats() {
    let calls = called(&["a", "x", "b", "a"]);
    for good in [json!([]), json!(["a", "b"]), json!(["a", "b", "a"]), json!(["x", "a"])] {
        assert_eq!(said("call_order", &good, false, &calls), "", "{good}");
    }
    assert_eq!(said("call_order", &json!(["b", "x"]), false, &calls), "`x` was not called after `b`");
    assert_eq!(said("call_order", &json!(["a", "b", "b"]), false, &calls), "`b` was not called after `b`");
    assert_eq!(said("call_order", &json!(["z"]), false, &calls), "`z` was not called");
}

#[test]
fn contains_looks_at_what_was_said() {
    let output = trace(&[], Some(json!({"answer": "It was refunded."})));
    assert_eq!(said("contains", &json!("refunded"), false, &output), "");
    assert_eq!(said("contains", &json!(["refunded", "Refunded"]), false, &output), "the agent did not say `Refunded`");
    assert_eq!(said("contains", &json!(["sorry", "refunded"]), true, &output), "the agent said `refunded`");
    assert_eq!(said("contains", &json!(["sorry"]), true, &output), "");
}

#[test]
fn an_unknown_check_is_refused_with_a_suggestion() {
    let problems = outcome("tool_caled", &json!("x"), false, &called(&[])).unwrap_err();
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.message, "unknown check `tool_caled`");
    assert_eq!(problem.help.as_deref(), Some("did you mean `tool_called`?"));
}

#[test]
fn every_check_refuses_arguments_of_no_use() {
    // Whatever it is given is the value that it asks for.
    for name in names().filter(|name| *name != "equals") {
        let result = outcome(name, &json!({"no_such_key": 1}), false, &called(&[]));
        assert!(result.is_err(), "{name} took a mapping it can not know");
    }
}

/// A trace in which the agent said this.
fn words(text: &str) -> Trace {
    trace(&[], Some(json!(text)))
}

#[test]
fn letters_may_count_as_the_same() {
    let asked = json!({"text": ["WORLD", "hello"], "ignore_case": true});
    assert_eq!(outcome("contains", &asked, false, &words("Hello World")), Ok(Outcome::Held));
    assert!(matches!(
        outcome("contains", &json!({"text": "WORLD"}), false, &words("Hello World")),
        Ok(Outcome::Failed(_))
    ));
    assert!(matches!(outcome("contains", &asked, true, &words("Hello World")), Ok(Outcome::Failed(_))));
    assert!(outcome("contains", &json!({"txt": "a"}), false, &words("a")).is_err());
}

#[test]
fn json_is_strict() {
    for (text, good) in
        [(r#" {"ok": true} "#, true), ("NaN", false), ("[Infinity]", false), ("", false), ("1 2", false)]
    {
        let held = outcome("valid_json", &Value::Null, false, &words(text)) == Ok(Outcome::Held);
        assert_eq!(held, good, "{text}");
    }
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    assert_eq!(outcome("valid_json", &json!(true), false, &words(&deep)), Ok(Outcome::Held));
    assert!(outcome("valid_json", &json!("yes"), false, &words("1")).is_err());
}

#[test]
fn a_text_that_holds_json_is_read_for_its_schema() {
    let schema = json!({"type": "object", "required": ["status"]});
    let automatic = json!({ "schema": schema });
    assert_eq!(outcome("json_schema", &automatic, false, &words(r#"{"status": "ok"}"#)), Ok(Outcome::Held));
    assert!(matches!(outcome("json_schema", &automatic, false, &words("hello")), Ok(Outcome::Failed(_))));
    let text = json!({"schema": {"type": "integer"}, "of": "text"});
    assert_eq!(outcome("json_schema", &text, false, &words("42")), Ok(Outcome::Held));
    let Ok(Outcome::Failed(failure)) = outcome("json_schema", &text, false, &words("forty")) else { panic!("held") };
    assert!(failure.message.starts_with("the agent's answer is not JSON"), "{}", failure.message);
    let output = json!({"schema": {"type": "string"}, "of": "output"});
    assert_eq!(outcome("json_schema", &output, false, &words("[1]")), Ok(Outcome::Held));
}

#[test]
fn tokens_and_latency_have_limits() {
    let mut answered = words("hi");
    let usage = agentci_trace::Usage { tokens_out: Some(60), ..Default::default() };
    let response = json!({"latency_ms": 150.5});
    for kind in [Kind::Usage(usage), Kind::ModelCall { request: Value::Null.into(), response: response.into() }] {
        answered.push(Event { at: Moment::default(), turn: 0, kind });
    }
    assert_eq!(outcome("tokens", &json!({"max": 60}), false, &answered), Ok(Outcome::Held));
    assert_eq!(said("tokens", &json!({"max": 50}), false, &answered), "60 tokens are more than 50");
    assert_eq!(outcome("latency", &json!({"max_ms": 150.5}), false, &answered), Ok(Outcome::Held));
    assert_eq!(said("latency", &json!({"max_ms": 100}), false, &answered), "150.5 ms are more than 100 ms");
    assert_eq!(said("tokens", &json!({"max": 50}), false, &words("hi")), "the agent did not report its tokens");
    assert!(outcome("tokens", &json!({"max": "many"}), false, &answered).is_err());
}

#[test]
fn personal_data_is_named_with_its_place() {
    assert_eq!(outcome("no_pii", &Value::Null, false, &words("The answer is 42.")), Ok(Outcome::Held));
    assert_eq!(
        said("no_pii", &Value::Null, false, &words("Contact: alice@example.com")),
        "the agent said an e-mail address at line 1, column 10: a***@***.com"
    );
}

#[test]
fn evidence_of_a_call_is_told() {
    let output = words(r#"{"tool_calls": [{"function": {"name": "search_web"}}]}"#);
    assert_eq!(outcome("tool_evidence", &json!("search_web"), false, &output), Ok(Outcome::Held));
    assert_eq!(
        said("tool_evidence", &json!("calculator"), false, &output),
        "nothing shows that `calculator` was called"
    );
    assert_eq!(said("tool_evidence", &json!("search_web"), true, &output), "the answer shows a call of `search_web`");
    assert!(outcome("tool_evidence", &json!(""), false, &output).is_err());
}
