//! A suite that was converted to the native format is equivalent to the original.

use std::fs;

use crate::suite::Suite;

const TAPE: &str = r#"{"tool":"search","args":{"q":"a: b"},"ok":true,"result":1}"#;

fn mixed() -> Suite {
    let call = "call search '{\"q\":\"a: b\"}' || exit 0";
    Suite::new()
        .setting("assertions: [{ type: json_schema, schema_path: schema.json }]\nbudgets: { max_tool_calls: 2, max_wall_ms: 20000 }")
        .file("suite/schema.json", r#"{"required":["ok"]}"#)
        .case("fails", "assertions: [{ type: must_call, tools: [search, create] }, { type: must_not_call, tools: search }]", &format!("{call}\nfinish '{{\"ok\":1}}'"))
        .tape("fails", TAPE)
        .case("schema", "", "finish '{}'")
        .case("limit", "budgets: { max_tool_calls: 0 }", call)
        .tape("limit", TAPE)
        .case("slow", "budgets: { max_wall_ms: 300 }", "sleep 600")
        .case("misses", "", "call search '{\"q\":1}' || exit 0")
        .case("strays", "", "call delete '{}' || exit 0")
        .case("odd-input", "input: { price: '$${x} ${y}', on: yes, due: 2024-01-31, n: 010, big: 12345678901234567890 }\nassertions: [{ type: call_order, order: [] }]", "finish \"{\\\"ok\\\":true,\\\"task\\\":$task}\"")
}

#[test]
fn conversion_keeps_verdicts() {
    let suite = mixed();
    let original = suite.run(&[]);
    assert_eq!(original.code, Some(1));
    let statuses: Vec<_> =
        original.verdicts().into_iter().map(|verdict| format!("{} {}", verdict.0, verdict.2)).collect();
    assert_eq!(
        statuses,
        [
            "fails check",
            "good ",
            "limit limit",
            "misses replay_miss",
            "odd-input ",
            "schema check",
            "slow limit",
            "strays tool_not_allowed"
        ]
    );
    let converted = suite.agentci(&["convert", "suite", "-o", "elsewhere/agentci.yaml"]);
    assert_eq!((converted.code, converted.stdout.as_str()), (Some(0), ""), "{converted:?}");
    converted.complains(&["wrote elsewhere/agentci.yaml"]);
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    let again = suite.agentci(&["run", "elsewhere"]);
    assert_eq!((again.code, again.verdicts()), (original.code, original.verdicts()), "{again:?}");
}

#[test]
fn conversion_keeps_agent_input() {
    let suite = mixed();
    let sent = |path: &str| {
        let ran = suite.agentci(&["run", path, "--case", "odd-input"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let task = ran.final_output("odd-input")["task"].to_string();
        fs::remove_dir_all(suite.path(".agentci")).unwrap();
        task
    };
    let before = sent("suite");
    assert_eq!(suite.agentci(&["convert", "suite", "-o", "suite/native.yaml"]).code, Some(0));
    assert_eq!(sent("suite/native.yaml"), before);
    assert!(
        before.contains(r#""price":"$${x} ${y}","on":true,"due":"2024-01-31","n":8,"big":12345678901234567890"#),
        "{before}"
    );
}

#[test]
fn native_suite_converts_to_identical_suite() {
    let suite = mixed();
    assert_eq!(suite.agentci(&["convert", "suite", "-o", "elsewhere/agentci.yaml"]).code, Some(0));
    assert_eq!(suite.agentci(&["convert", "elsewhere", "-o", "elsewhere/again.yaml"]).code, Some(0));
    let read = |path: &str| fs::read_to_string(suite.path(path)).unwrap();
    assert_eq!(read("elsewhere/again.yaml"), read("elsewhere/agentci.yaml"));
    let printed = suite.agentci(&["convert", "elsewhere/agentci.yaml"]);
    assert_eq!(printed.code, Some(0));
    printed.says(&["# Paths are relative to `suite`: save this file there.\n", "\nsuite: suite\n"]);
}

#[test]
fn refuses_to_overwrite_existing_file_without_force() {
    let suite = Suite::new().file("kept.yaml", "mine");
    let ran = suite.agentci(&["convert", "suite", "-o", "kept.yaml"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["`kept.yaml` already exists", "help: use `--force` to overwrite it"]);
    assert_eq!(fs::read_to_string(suite.path("kept.yaml")).unwrap(), "mine");
    assert_eq!(suite.agentci(&["convert", "suite", "-o", "kept.yaml", "--force"]).code, Some(0));
    assert!(fs::read_to_string(suite.path("kept.yaml")).unwrap().contains("suite: suite"));
}

#[test]
fn refuses_to_convert_invalid_suite() {
    let suite = Suite::new().file("suite/cases/bad.yaml", "id: bad\n");
    let ran = suite.agentci(&["convert", "suite", "-o", "out.yaml"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["the case needs `input`"]);
    assert!(!suite.path("out.yaml").exists());
}
