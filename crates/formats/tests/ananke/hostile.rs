//! A project with any value at any place is accepted, or rejected with an error.

use agentci_source::MemoryFiles;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::project::load;

fn config() -> Value {
    json!({
        "version": "1.2", "inherit": "all", "recordings": "kept",
        "target": {
            "type": "agui", "endpoint": "http://a", "agentId": "b", "threadId": "${T}", "timeout_ms": 5,
            "headers": { "A": "b" }, "forwardedProps": { "a": 1 }, "state": {}, "wire": "agui", "protocol": "off",
            "tools": [{ "name": "t", "description": "d", "parameters": {}, "replies": [1, 2] }],
            "assert": { "extends": ["calm"], "inherit": "all", "timing": { "max_idle_ms": false } },
        },
        "assertions": { "calm": { "extends": ["quiet"], "text": { "must_match": ["a"] } }, "quiet": {} },
    })
}

fn test() -> Value {
    json!({
        "version": "1.0", "name": "n", "tags": ["x"], "skip": false,
        "hooks": [{ "cmd": ["sh", "x"], "timeout_ms": 3, "env": { "A": "b" } }],
        "tools": [{ "name": "t", "error": "no" }],
        "turns": [
            { "user": "hi", "assert": { "tools": {
                "forbid": ["f"],
                "require": [{ "name": "r", "count": { "min": 1, "max": 2 }, "args_match": { "a": "b" }, "after": "q" }],
                "forbid_calls": [{ "name": "c", "result_match": "/x/i" }],
            } } },
            { "type": "agui:resume", "resume": { "i": { "status": "resolved", "payload": 1 } } },
            { "type": "agui:connect" },
        ],
        "assert": { "timing": { "max_duration_ms": 5 }, "text": { "must_not_match": "x" } },
        "assertions": { "own": { "extends": ["calm"] } },
    })
}

/// Replaces the value that is reached after `left` others with `other`.
fn replace(value: &mut Value, left: &mut usize, other: &Value) {
    if *left == 0 {
        *value = other.clone();
    }
    *left = left.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, left, other)),
        Value::Object(map) => map.values_mut().for_each(|item| replace(item, left, other)),
        _ => {}
    }
}

fn odd() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-1.5),
        json!(1e300),
        json!(""),
        json!("x"),
        json!("${A}"),
        json!("own"),
        json!("a2a"),
        json!("mcp:call"),
        json!([]),
        json!({}),
        json!([[]]),
        json!(["calm"]),
        json!({ "a": {} }),
    ])
}

fn project(config: &Value, test: &Value) -> MemoryFiles {
    let files = MemoryFiles::default().with("p/ananke.config.yaml", config.to_string());
    files.with("p/a.test.yaml", test.to_string())
}

#[test]
fn unmodified_project_loads_without_diagnostics() {
    let loaded = load(&project(&config(), &test()), &["p"]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

proptest! {
    #[test]
    fn any_value_anywhere_is_accepted_or_rejected(place in 0_usize..60, of_test in any::<bool>(), other in odd()) {
        let (mut config, mut test) = (config(), test());
        replace(if of_test { &mut test } else { &mut config }, &mut place.clone(), &other);
        let loaded = load(&project(&config, &test), &["p"]);
        let run = loaded.plan.suites.iter().flat_map(|suite| &suite.cases).filter(|case| case.broken.is_none()).count();
        prop_assert!(run == 1 || loaded.diagnostics.has_errors(), "left out without a word: {config} {test}");
        prop_assert!(run == 0 || !loaded.diagnostics.has_errors(), "run though it is wrong: {config} {test}");
    }
}
