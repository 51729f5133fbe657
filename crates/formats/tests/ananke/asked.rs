//! The content of assertion blocks.

use crate::project::{CONFIG, asked, good, indented, test, wrong_test};

fn block(lines: &str) -> String {
    test("a", &format!("assert:\n{}", indented(lines)))
}

fn whole(lines: &str) -> Vec<String> {
    asked(&good(CONFIG, &block(lines))).1
}

#[test]
fn every_item_becomes_a_check() {
    assert_eq!(
        whole(
            "tools:\n  forbid: [a, b]\n  require:\n  - { name: c, count: { min: 1, max: 3 }, args_match: { 'x.0.y': ^1$, z: /a/i } }\n  \
             - { name: d, count: {}, result_match: ok, result_not_match: '/no/g', after: c }\n  \
             - { name: e, count: { max: 0 } }\n  \
             forbid_calls:\n  - { name: f, args_match: { x: y }, result_match: z, result_not_match: w }\n\
             text: { must_match: /^Done/m, must_not_match: [sorry] }\n\
             task: { state: [completed], artifacts: { min: 1, match: [Rome, /oslo/i] } }\n\
             timing: { max_duration_ms: 1.5, max_idle_ms: 0 }\n"
        ),
        [
            r#"tools.forbid: not tool_called "a""#,
            r#"tools.forbid: not tool_called "b""#,
            r#"tools.require: tool_called {"name":"c","args_match":{"x.0.y":"^1$","z":"(?i)a"},"count":{"min":1,"max":3}}"#,
            r#"tools.require: tool_called {"name":"d","result_match":"ok","result_not_match":"no","count":{},"after":"c"}"#,
            r#"tools.require: tool_called {"name":"e","count":{"max":0}}"#,
            r#"tools.forbid_calls: not tool_called {"name":"f","args_match":{"x":"y"},"result_match":"z","result_not_match":"w"}"#,
            r#"timing.max_duration_ms: duration {"max":"1.5ms"}"#,
            r#"timing.max_idle_ms: duration {"idle":"0ms"}"#,
            r#"task: task {"state":["completed"],"artifacts":{"min":1,"match":["Rome","(?i)oslo"]}}"#,
            r#"text.must_match: matches {"pattern":"(?m)^Done","of":"conversation"}"#,
            r#"text.must_not_match: not matches "sorry""#,
        ]
    );
}

#[test]
fn only_checks_with_variables_are_templated() {
    assert_eq!(
        whole("text: { must_match: ['/^${WHO}/i', 'cost ${a-b}', 'a $${B}'] }\ntools: { forbid: ['${TOOL}'] }\n"),
        [
            r#"tools.forbid: $ not tool_called "${TOOL}""#,
            r#"text.must_match: $ matches {"pattern":"(?i)^${WHO}","of":"conversation"}"#,
            r#"text.must_match: matches {"pattern":"cost $\\{a-b}","of":"conversation"}"#,
            r#"text.must_match: matches {"pattern":"a $\\{B}","of":"conversation"}"#,
        ]
    );
}

#[test]
fn reports_all_problems() {
    for (lines, found) in [
        (
            "tool: {}\ntools: { forbids: [a] }",
            vec!["unknown key `tool` in `assert`", "unknown key `forbids` in `tools`"],
        ),
        ("tools: { forbid: a }", vec!["`forbid` must be a list, found the string `a`"]),
        (
            "tools: { forbid: ['', 7] }",
            vec!["`forbid[]` must not be empty", "`forbid[]` must be a string, found the number 7"],
        ),
        ("tools: { require: [{ after: b }] }", vec!["a required call needs `name`"]),
        ("tools: { require: [a] }", vec!["a required call must be a mapping, found the string `a`"]),
        ("tools: { require: [{ name: a, count: 2 }] }", vec!["`count` must be a mapping, found the number 2"]),
        (
            "tools: { require: [{ name: a, count: { exact: 1, min: 1 } }] }",
            vec!["`exact` cannot be combined with `min` or `max`"],
        ),
        ("tools: { require: [{ name: a, count: { min: 3, max: 2 } }] }", vec!["`max` is less than `min`"]),
        ("tools: { require: [{ name: a, count: { exact: -1 } }] }", vec!["`exact` must be 0 or more, found -1"]),
        ("tools: { require: [{ name: a, args_match: { b: 7 } }] }", vec!["`b` must be a string, found the number 7"]),
        (
            "tools: { require: [{ name: a, args_match: b }] }",
            vec!["`args_match` must be a mapping, found the string `b`"],
        ),
        ("tools: { forbid_calls: [{ name: a, count: {} }] }", vec!["unknown key `count` in a forbidden call"]),
        (
            "timing: { max_duration_ms: -1, max_idle_ms: 'false' }",
            vec![
                "`max_duration_ms` must be a number of milliseconds, or false, found the number -1",
                "`max_idle_ms` must be a number of milliseconds, or false, found the string `false`",
            ],
        ),
        (
            "timing: { max_duration_ms: true, max_idle_ms: 1e300 }",
            vec![
                "`max_duration_ms` must be a number of milliseconds, or false, found the boolean true",
                "`max_idle_ms` must be a number of milliseconds, or false, found the number 1e300",
            ],
        ),
        ("text: { must_match: { a: b } }", vec!["`must_match` must be a string or a list of strings, found a mapping"]),
        ("text: { must_match: [/a/ix, /usr/bin/x] }", vec!["the pattern has an unknown flag `x`"]),
        ("task: { artifacts: { match: [/a/i, /b/k] } }", vec!["the pattern has an unknown flag `k`"]),
        (
            "tools: { forbid_calls: [{ name: a, args_match: { '${A}': b } }] }",
            vec!["a path in `args_match` cannot contain a variable"],
        ),
        ("extends: calm", vec!["unknown block `calm`"]),
        ("extends: { a: b }", vec!["`extends` must be a string or a list of strings, found a mapping"]),
    ] {
        assert_eq!(wrong_test(&block(lines)), found, "{lines}");
    }
}

#[test]
fn call_without_a_name_produces_no_check() {
    let wrong = test("a", "assert: { tools: { require: [{ after: b }], forbid_calls: [{ result_match: c }] } }\n");
    let loaded = crate::project::loaded(CONFIG, &wrong);
    let case = &loaded.plan.suites[0].cases[0];
    assert!(case.broken.is_some() && case.checks.is_empty(), "{:?}", case.checks);
}

#[test]
fn broken_test_keeps_its_checks() {
    let wrong = test("a", "nmae: b\nassert: { text: { must_match: '(' } }\n");
    let loaded = crate::project::loaded(CONFIG, &wrong);
    let case = &loaded.plan.suites[0].cases[0];
    assert!(case.broken.is_some() && case.turns.is_empty());
    assert_eq!(
        crate::project::shown(case.checks.iter().map(|check| &**check)),
        [r#"text.must_match: matches {"pattern":"(","of":"conversation"}"#]
    );
}
