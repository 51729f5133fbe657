//! Every check on small traces: which pass, which fail, and with which message.

use std::path::Path;
use std::sync::Arc;

use agentci_checks::{compile, names};
use agentci_plan::{
    Case, Check, Dialect, FormatConventions, Mode, OutputRule, Plan, ProcessTarget, Speech, Suite, Target, World,
};
use agentci_source::{Diagnostics, MemoryFiles, Node, Sources, Span};
use agentci_trace::{Event, EventKind, Moment, Observer, ToolCall, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"n":{"maximum":3}}}"#;

/// One check with JSON arguments, compiled and evaluated.
fn outcome(kind: &str, arguments: &Value, negate: bool, trace: &Trace) -> Result<Outcome, Diagnostics> {
    let mut sources = Sources::default();
    let file = sources.add(Path::new("s/agentci.yaml"), "");
    let span = Span { file, line: 1, column: 1, width: 1 };
    let mut check = Check::new(kind, span, Node::from_value(arguments, span));
    check.negate = negate;
    let target = ProcessTarget {
        command: Vec::new(),
        folder: None,
        environment: Vec::new(),
        speaks: Speech::Protocol,
        output: OutputRule::Required,
        span,
    };
    let target = Arc::new(Target::Process(target));
    let checks = [Arc::new(check)].into();
    let case = Case { checks, ..Case::new("c", span, target, Arc::new(World::default())) };
    let suite = Suite {
        agent_folder: None,
        prices: std::collections::BTreeMap::new(),
        agents: Vec::new(),
        embedder: None,
        name: "s".into(),
        dialect: Dialect::Native,
        conventions: FormatConventions::USUAL,
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
        push(EventKind::ToolCall(ToolCall {
            call_id,
            name,
            args: args.clone().into(),
            observer: Observer::Protocol,
            begun: None,
        }));
    }
    if let Some(output) = output {
        push(EventKind::FinalOutput(output.into()));
    }
    trace
}

fn called(names: &[&str]) -> Trace {
    trace(&names.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>(), Some(json!({})))
}

/// The message of a failure; empty if the check passed.
fn said(kind: &str, arguments: &Value, negate: bool, trace: &Trace) -> String {
    match outcome(kind, arguments, negate, trace) {
        Ok(Outcome::Passed) => String::new(),
        Ok(Outcome::Failed(failure)) => failure.message,
        other => panic!("{kind} {arguments}: {other:?}"),
    }
}

#[test]
fn missing_output_fails_data_checks_even_negated() {
    for (kind, arguments) in [
        ("equals", json!("a")),
        ("json_path", json!({"path": "a", "value": 1})),
        ("type", json!("string")),
        ("json_schema", json!({"schema": {"type": "object"}})),
        ("json_schema", json!({"schema": {"type": "object"}, "of": "text"})),
        ("required_fields", json!(["a"])),
    ] {
        for negate in [false, true] {
            assert_eq!(
                said(kind, &arguments, negate, &trace(&[], None)),
                "the agent gave no output",
                "{kind} {negate}"
            );
        }
    }
    for (kind, arguments) in [("contains", json!("a")), ("matches", json!("a"))] {
        assert!(matches!(outcome(kind, &arguments, false, &trace(&[], None)), Ok(Outcome::Failed(_))));
        assert_eq!(outcome(kind, &arguments, true, &trace(&[], None)), Ok(Outcome::Passed));
    }
}

#[test]
fn required_fields_counts_null_as_present() {
    let output = trace(&[], Some(json!({"a": null, "c": 1})));
    assert_eq!(said("required_fields", &json!(["a"]), false, &output), "");
    assert_eq!(said("required_fields", &json!(["a", "b", "d"]), false, &output), "the final output lacks `b`, `d`");
    assert!(matches!(outcome("required_fields", &json!(["a"]), false, &called(&[])), Ok(Outcome::Failed(_))));
    for text in [r#"{"a": null}"#, "Here:\n```json\n{\"a\": 1}\n```"] {
        assert_eq!(said("required_fields", &json!(["a"]), false, &words(text)), "");
        assert_eq!(said("required_fields", &json!(["b"]), false, &words(text)), "the final output lacks `b`");
        assert!(!said("required_fields", &json!(["a"]), true, &words(text)).is_empty());
    }
}

#[test]
fn finish_reason_checks_last_response_and_negated_checks_all() {
    let ended = |reasons: &[&str]| {
        let mut trace = Trace::default();
        for reason in reasons {
            let response = json!({ "finish_reason": reason }).into();
            let kind = EventKind::ModelCall { request: Value::Null.into(), response };
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        trace
    };
    let (whole, cut) = (ended(&["tool_calls", "stop"]), ended(&["length", "stop"]));
    assert_eq!(said("finish_reason", &json!("stop"), false, &whole), "");
    assert_eq!(said("finish_reason", &json!(["length", "stop"]), false, &whole), "");
    let last = "the model's last answer ended with `stop`, expected `length`";
    assert_eq!(said("finish_reason", &json!("length"), false, &cut), last);
    assert_eq!(said("finish_reason", &json!("length"), true, &whole), "");
    assert_eq!(
        said("finish_reason", &json!("length"), true, &cut),
        "an answer of the model ended with `length`, which `not` forbids"
    );
    for negate in [false, true] {
        let unknown = outcome("finish_reason", &json!("stop"), negate, &trace(&[], None));
        assert!(matches!(unknown, Ok(Outcome::Error(_))), "{unknown:?}");
    }
    assert!(outcome("finish_reason", &json!([]), false, &whole).is_err());
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
fn json_schema_refuses_invalid_schemas_before_the_run() {
    for (arguments, why) in [
        (json!("none.json"), "the schema `s/none.json` cannot be read: no such file"),
        (json!("broken.json"), "the schema `s/broken.json` is not JSON"),
        (json!("wrong.json"), "`s/wrong.json` is not a valid JSON Schema: at /type"),
        (json!({"path": "schema.json", "schema": {}}), "`json_schema` needs either `path` or `schema`"),
        (json!(["schema.json"]), "`json_schema` must be a string, found a list"),
    ] {
        let problems = outcome("json_schema", &arguments, false, &called(&[])).unwrap_err();
        let message = &problems.iter().next().unwrap().message;
        assert!(message.starts_with(why), "{arguments}: {message}");
    }
}

#[test]
fn tool_called_accepts_one_name_or_a_list() {
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
    assert_eq!(said("tool_called", &json!(["pay", "fetch"]), true, &calls), "`fetch` was called, which `not` forbids");
    let both = said("tool_called", &json!({"any": ["fetch", "search"]}), true, &calls);
    assert_eq!(both, "`fetch`, `search` were called, which `not` forbids");
}

#[test]
fn tool_called_compares_arguments_by_value() {
    let calls = trace(&[("pay", json!({"amount": 20, "to": {"id": 1, "name": "x"}}))], None);
    let with = |args: Value| json!({"name": "pay", "args": args});
    assert_eq!(said("tool_called", &with(json!({"amount": 20})), false, &calls), "");
    assert_eq!(said("tool_called", &with(json!({"to": {"id": 1}})), false, &calls), "");
    assert_eq!(said("tool_called", &with(json!({"amount": 20.0})), false, &calls), "");
    for other in [json!("20"), json!(20.5), json!([20])] {
        assert_eq!(
            said("tool_called", &with(json!({"amount": other})), false, &calls),
            format!("no call of `pay` has `amount` = {other}: the agent sent 20")
        );
    }
    let Ok(Outcome::Failed(failure)) = outcome("tool_called", &with(json!({"amount": 200})), false, &calls) else {
        panic!("it must fail")
    };
    assert_eq!(failure.label, "the agent sent 20");
    assert_eq!(failure.notes, [r#"turn 1, call 1 of 1: pay(amount=20, to={"id":1,"name":"x"}) -> no result"#]);
    assert_eq!(said("tool_called", &with(json!({"amount": 7})), true, &calls), "");
}

#[test]
fn tool_called_checks_the_count() {
    let calls = called(&["poll", "poll", "pay"]);
    let count = |count: Value| json!({"name": "poll", "count": count});
    assert_eq!(said("tool_called", &count(json!(2)), false, &calls), "");
    assert_eq!(said("tool_called", &count(json!({"min": 1, "max": 2})), false, &calls), "");
    assert_eq!(
        said("tool_called", &count(json!(1)), false, &calls),
        "`poll` was called 2 times, expected exactly once"
    );
    assert_eq!(
        said("tool_called", &count(json!({"min": 3})), false, &calls),
        "`poll` was called 2 times, expected at least 3 times"
    );
    assert_eq!(said("tool_called", &json!({"name": "ship", "count": 0}), false, &calls), "");
    assert!(outcome("tool_called", &count(json!({"min": 3, "max": 2})), false, &calls).is_err());
    assert!(outcome("tool_called", &count(json!(-1)), false, &calls).is_err());
    assert!(outcome("tool_called", &json!({"nam": "poll"}), false, &calls).is_err());
}

#[test]
fn call_order_rejects_missing_late_and_early_calls() {
    let calls = called(&["a", "x", "b", "a"]);
    for good in [json!(["a", "b"]), json!(["a", "b", "a"]), json!(["x", "b"])] {
        assert_eq!(said("call_order", &good, false, &calls), "", "{good}");
    }
    assert_eq!(said("call_order", &json!(["b", "x"]), false, &calls), "`x` was not called after `b`");
    assert_eq!(said("call_order", &json!(["a", "b", "b"]), false, &calls), "`b` was not called after `b`");
    assert_eq!(said("call_order", &json!(["z"]), false, &calls), "`z` was not called");
    for early in [json!(["x", "a"]), json!({"order": ["x", "a"]}), json!(["x", "a", "b"])] {
        let message = if early[2] == "b" { "`b` was not called after `a`" } else { "`a` was called before `x`" };
        assert_eq!(said("call_order", &early, false, &calls), message, "{early}");
    }
    for anywhere in [json!(["x", "a"]), json!(["x", "b", "a"]), json!(["a", "b"])] {
        assert_eq!(said("call_order", &json!({"order": anywhere, "anywhere": true}), false, &calls), "");
    }
    let retried = called(&["find", "find", "refund", "find", "refund"]);
    assert_eq!(said("call_order", &json!(["find", "refund", "refund"]), false, &retried), "");
}

#[test]
fn call_order_negated_forbids_the_order_anywhere() {
    let calls = called(&["mail", "read_secret", "mail"]);
    let message = "the tools were called in the order `read_secret`, `mail`, which `not` forbids";
    assert_eq!(said("call_order", &json!(["read_secret", "mail"]), true, &calls), message);
    assert_eq!(said("call_order", &json!({"order": ["read_secret", "mail"], "anywhere": true}), true, &calls), message);
    assert_eq!(said("call_order", &json!(["mail", "mail", "read_secret"]), true, &calls), "");
}

#[test]
fn contains_searches_the_answer() {
    let output = trace(&[], Some(json!({"answer": "It was refunded."})));
    assert_eq!(said("contains", &json!("refunded"), false, &output), "");
    assert_eq!(
        said("contains", &json!(["refunded", "Refunded"]), false, &output),
        "the answer does not contain `Refunded`"
    );
    assert_eq!(
        said("contains", &json!(["sorry", "refunded"]), true, &output),
        "the answer contains `refunded`, which `not` forbids"
    );
    assert_eq!(said("contains", &json!(["sorry"]), true, &output), "");
}

#[test]
fn contains_ignores_one_trailing_newline_of_expected_text() {
    let said_both = words("refunded\nin full");
    for (text, held) in [("in full\n", true), ("in full\r\n", true), ("in full\n\n", false), ("refunded\nin\n", true)] {
        assert_eq!(said("contains", &json!(text), false, &said_both).is_empty(), held, "{text:?}");
        assert_eq!(said("contains", &json!([text]), true, &said_both).is_empty(), !held, "{text:?}");
    }
}

#[test]
fn unknown_check_is_refused_with_a_suggestion() {
    let problems = outcome("tool_caled", &json!("x"), false, &called(&[])).unwrap_err();
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.message, "unknown check `tool_caled`");
    assert_eq!(problem.help.as_deref(), Some("did you mean `tool_called`?"));
}

#[test]
fn every_check_refuses_unknown_keys() {
    // Any argument is the expected value.
    for name in names().filter(|name| *name != "equals") {
        let result = outcome(name, &json!({"no_such_key": 1}), false, &called(&[]));
        assert!(result.is_err(), "{name} took a mapping it cannot know");
    }
}

/// A trace in which the answer of the agent is this text.
fn words(text: &str) -> Trace {
    trace(&[], Some(json!(text)))
}

#[test]
fn contains_can_ignore_case() {
    let asked = json!({"text": ["WORLD", "hello"], "ignore_case": true});
    assert_eq!(outcome("contains", &asked, false, &words("Hello World")), Ok(Outcome::Passed));
    assert!(matches!(
        outcome("contains", &json!({"text": "WORLD"}), false, &words("Hello World")),
        Ok(Outcome::Failed(_))
    ));
    assert!(matches!(outcome("contains", &asked, true, &words("Hello World")), Ok(Outcome::Failed(_))));
    assert!(outcome("contains", &json!({"txt": "a"}), false, &words("a")).is_err());
}

#[test]
fn valid_json_is_strict() {
    for (text, good) in
        [(r#" {"ok": true} "#, true), ("NaN", false), ("[Infinity]", false), ("", false), ("1 2", false)]
    {
        let held = outcome("valid_json", &Value::Null, false, &words(text)) == Ok(Outcome::Passed);
        assert_eq!(held, good, "{text}");
    }
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    assert_eq!(outcome("valid_json", &json!(true), false, &words(&deep)), Ok(Outcome::Passed));
    assert!(outcome("valid_json", &json!("yes"), false, &words("1")).is_err());
}

#[test]
fn json_schema_parses_json_in_text() {
    let schema = json!({"type": "object", "required": ["status"]});
    let automatic = json!({ "schema": schema });
    assert_eq!(outcome("json_schema", &automatic, false, &words(r#"{"status": "ok"}"#)), Ok(Outcome::Passed));
    assert!(matches!(outcome("json_schema", &automatic, false, &words("hello")), Ok(Outcome::Failed(_))));
    let text = json!({"schema": {"type": "integer"}, "of": "text"});
    assert_eq!(outcome("json_schema", &text, false, &words("42")), Ok(Outcome::Passed));
    let Ok(Outcome::Failed(failure)) = outcome("json_schema", &text, false, &words("forty")) else { panic!("held") };
    assert!(failure.message.starts_with("the answer is not JSON"), "{}", failure.message);
    let output = json!({"schema": {"type": "string"}, "of": "output"});
    assert_eq!(outcome("json_schema", &output, false, &words("[1]")), Ok(Outcome::Passed));
}

#[test]
fn json_schema_enforces_formats_unless_annotations() {
    let fits = |schema: Value, format: Option<&str>, value: Value| {
        let mut asked = json!({ "schema": schema });
        if let Some(format) = format {
            asked["format"] = format.into();
        }
        outcome("json_schema", &asked, false, &trace(&[], Some(value))) == Ok(Outcome::Passed)
    };
    let mail = json!({"properties": {"to": {"format": "email"}}});
    let mail_of_7 =
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"to": {"format": "email"}}});
    let (good, bad) = (json!({"to": "ann@example.com"}), json!({"to": "ann"}));
    for (format, enforced) in [(None, true), (Some("enforce"), true), (Some("annotate"), false), (Some("warn"), false)]
    {
        assert!(fits(mail.clone(), format, good.clone()) && fits(mail_of_7.clone(), format, good.clone()));
        assert_eq!(fits(mail.clone(), format, bad.clone()), !enforced, "{format:?}");
        assert_eq!(fits(mail_of_7.clone(), format, bad.clone()), format == Some("annotate"), "{format:?}");
    }
    assert!(fits(json!({"format": "int32"}), None, json!("words")), "the standard knows no such format");
}

#[test]
fn tokens_and_latency_are_limited() {
    let mut answered = words("hi");
    let usage = agentci_trace::Usage { tokens_out: Some(60), ..Default::default() };
    let response = json!({"latency_ms": 150.5});
    for kind in
        [EventKind::Usage(usage), EventKind::ModelCall { request: Value::Null.into(), response: response.into() }]
    {
        answered.push(Event { at: Moment::default(), turn: 0, kind });
    }
    assert_eq!(outcome("tokens", &json!({"max": 60}), false, &answered), Ok(Outcome::Passed));
    assert_eq!(said("tokens", &json!({"max": 50}), false, &answered), "the model wrote 60 tokens, the limit is 50");
    assert_eq!(outcome("latency", &json!({"max_ms": 150.5}), false, &answered), Ok(Outcome::Passed));
    assert_eq!(
        said("latency", &json!({"max_ms": 100}), false, &answered),
        "the answer took 150.5 ms, the limit is 100 ms"
    );
    assert_eq!(said("tokens", &json!({"max": 50}), false, &words("hi")), "the agent did not report its tokens");
    assert!(outcome("tokens", &json!({"max": "many"}), false, &answered).is_err());
}

#[test]
fn personal_data_is_reported_with_its_location() {
    assert_eq!(outcome("no_pii", &Value::Null, false, &words("The answer is 42.")), Ok(Outcome::Passed));
    assert_eq!(
        said("no_pii", &Value::Null, false, &words("Contact: alice@example.com")),
        "the answer contains an e-mail address at line 1, column 10: a***@***.com"
    );
}

#[test]
fn tool_evidence_finds_calls_in_the_answer() {
    let output = words(r#"{"tool_calls": [{"function": {"name": "search_web"}}]}"#);
    assert_eq!(outcome("tool_evidence", &json!("search_web"), false, &output), Ok(Outcome::Passed));
    assert_eq!(
        said("tool_evidence", &json!("calculator"), false, &output),
        "the answer does not show a call of `calculator`"
    );
    assert_eq!(
        said("tool_evidence", &json!("search_web"), true, &output),
        "the answer shows a call of `search_web`, which `not` forbids"
    );
    assert!(outcome("tool_evidence", &json!(""), false, &output).is_err());
}
