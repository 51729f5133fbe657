//! Prints suites of other formats, and unusual numbers, in the native dialect.

use std::path::PathBuf;
use std::sync::Arc;

use agentci_formats::{load, print_native};
use agentci_plan::{Check, Dialect, FormatConventions, Suite};
use agentci_source::{Content, MemoryFiles, Node, Scalar, Spanned};
use serde_json::json;

use crate::without_places;

#[test]
fn runledger_suite_prints_as_native() {
    let files = MemoryFiles::default()
        .with("s/agent.py", "")
        .with(
            "s/suite.yaml",
            "suite_name: refunds\nagent_command: [python3, agent.py]\nmode: replay\ncases_path: cases\n\
             tool_registry: [pay]\nassertions: [{ type: must_not_call, tools: [drop] }]\nbudgets: { max_wall_ms: -1 }\n",
        )
        .with("s/cases/a.yaml", "id: a\ninput: { ok: yes, price: '${X}' }\ncassette: tapes/a.jsonl\n");
    let loaded = load(&files, &["s".into()]);
    let text = print_native(&loaded.plan.suites[0], Some("../s"));
    assert_eq!(
        text,
        "suite: refunds\nfolder: ../s\ncases:\n  - id: a\n    target:\n      process:\n        command:\n          - python3\n          \
         - agent.py\n    world:\n      tools:\n        cassette: tapes/a.jsonl\n        allow:\n          - pay\n    input:\n      \
         ok: true\n      price: $${X}\n    checks:\n      - not:\n          tool_called:\n            any:\n              - drop\n    \
         limits:\n      wall: \"-1ms\"\n    timeout: none\n"
    );
    let again = load(&files.with("t/agentci.yaml", text), &["t".into()]);
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    let (first, again) = (&loaded.plan.suites[0], &again.plan.suites[0]);
    assert_eq!((&again.folder, &again.name), (&first.folder, &first.name));
    assert_eq!(without_places(again).matches("s/agent.py").count(), 1);
    assert_eq!(again.cases[0].turns[0].said, first.cases[0].turns[0].said);
}

#[test]
fn runledger_fractions_become_percentages() {
    let files = MemoryFiles::default()
        .with(
            "s/suite.yaml",
            "suite_name: s\nagent_command: [a]\nmode: replay\ncases_path: cases\ntool_registry: []\n\
             baseline_path: ../baselines/s.json\n\
             regression: { min_success_rate: 0.9, max_avg_wall_ms_delta_pct: 0.07, no_new_failures: yes, mine: 1 }\n",
        )
        .with("s/cases/a.yaml", "id: a\ninput: {}\ncassette: a.jsonl\n");
    let loaded = load(&files, &["s".into()]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let text = print_native(&loaded.plan.suites[0], None);
    let gates = "gates:\n  baseline: ../baselines/s.json\n  min_pass_rate: 0.9\n  max_avg_wall_ms_delta_pct: 7\n  \
        no_new_failures: true\n";
    assert!(text.contains(gates), "{text}");
    let again = load(&MemoryFiles::default().with("s/agentci.yaml", text), &["s".into()]);
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    let (old, new) = (&loaded.plan.suites[0].gates, &again.plan.suites[0].gates);
    let value = |time: &Option<Spanned<f64>>| time.as_ref().map(|time| time.value);
    assert_eq!(value(&old.max_avg_wall_ms_delta_pct), Some(0.07));
    assert_eq!(value(&new.max_avg_wall_ms_delta_pct), Some(0.07));
    assert_eq!(
        old.written,
        json!({"min_success_rate": 0.9, "max_avg_wall_ms_delta_pct": 0.07, "no_new_failures": true, "mine": 1})
    );
}

#[test]
fn scalars_in_arguments_keep_their_source_notation() {
    let text = "suite: s\ncases:\n  - id: a\n    target: { process: { command: [a] } }\n    input: {}\n    \
        checks: [{ equals: [+7, 0x1F, .5, True, ] }]\n";
    let files = MemoryFiles::default().with("s/agentci.yaml", text);
    let printed = print_native(&load(&files, &["s".into()]).plan.suites[0], None);
    let again = load(&MemoryFiles::default().with("s/agentci.yaml", printed), &["s".into()]);
    let arguments = &again.plan.suites[0].cases[0].checks[0].arguments;
    let texts: Vec<_> = arguments.items().unwrap().iter().map(|item| item.content.clone()).collect();
    let plain = |text: &str| Content::Scalar(Scalar::plain(text));
    assert_eq!(texts, [plain("+7"), plain("0x1F"), plain(".5"), plain("True")]);
}

#[test]
fn yao_suite_round_trips_through_native_format() {
    let files = MemoryFiles::default()
        .with("app/app.yao", "{}")
        .with("app/.env", "KEY=1\n")
        .with("app/agent/prompts.yml", "- { role: system, content: Global }\n")
        .with("app/connectors/gpt.conn.yao", r#"{"type": "openai", "options": {"model": "m", "key": "$ENV.KEY"}}"#)
        .with("app/assistants/a/package.yao", r#"{"name": "A", "connector": "gpt", "options": {"temperature": 0.5}}"#)
        .with("app/assistants/a/prompts.yml", "- { role: system, content: 'Hi ${x} $CTX.USER_ID' }\n")
        .with("app/assistants/a/src/index.ts", "function Next() {}")
        .with("app/assistants/judge/package.yao", r#"{"connector": "mock"}"#)
        .with("app/assistants/judge/tests/model.yaml", "default: hi\n")
        .with("app/scripts/t.ts", "function Check() { return true }")
        .with(
            "app/assistants/a/tests/in.jsonl",
            r#"{"id": "one", "input": "a ${x}", "expected": {"a": 1}, "metadata": {"k": "v"}, "user": "bob"}
{"id": "two", "input": [{"role": "user", "content": [{"type": "text", "text": "x"}], "name": "n"}], "timeout": "7s", "skip": true}
{"id": "three", "input": {"content": "x"}, "assert": [{"type": "regex", "value": "a${b}", "negate": true, "message": "no"},
  {"type": "script", "script": "scripts.t.Check"}, {"type": "agent", "use": "agents:judge", "value": "ok"}, {"type": "nope"},
  {"type": "nope", "message": "own words"},
  {"type": "tool_called", "value": "x"}, {"type": "equals", "value": null}]}"#,
        );
    let loaded = load(&files, &["app".into()]);
    assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
    let first = &loaded.plan.suites[0];
    let text = print_native(first, Some("../app/assistants/a/tests"));
    let files = files.with("t/agentci.yaml", text.as_str());
    let again = load(&files, &["t".into()]);
    assert!(again.diagnostics.is_empty(), "{text}\n{:?}", again.diagnostics);
    let again = &again.plan.suites[0];
    // Labels of checks are not printed.
    let plain = |suite: &Suite| {
        let mut suite = Suite {
            dialect: Dialect::Native,
            conventions: FormatConventions::USUAL,
            agent_folder: None,
            prices: std::collections::BTreeMap::new(),
            path: PathBuf::new(),
            ..suite.clone()
        };
        for case in &mut suite.cases {
            let checks = case.checks.iter().map(|check| Check::clone(check).with_label(None));
            case.checks = checks.map(|check| Arc::new(if check.invalid { never(&check) } else { check })).collect();
        }
        without_places(&suite)
    };
    assert_eq!(plain(again), plain(first), "{text}");
    assert!(text.contains("message: \"own words (unknown assertion type `nope`"), "{text}");
}

/// The printed form of an invalid check: a check that no output passes, with the reason in its message.
fn never(check: &Check) -> Check {
    let reason = check.arguments.scalar().map(|reason| reason.text.to_string()).unwrap_or_default();
    let message = check.message().map_or_else(|| reason.clone(), |own| format!("{own} ({reason})"));
    let nothing = Node::from_value(&json!({ "schema": false }), check.kind.span);
    Check::new("json_schema", check.kind.span, nothing).with_message(Some(message))
}
