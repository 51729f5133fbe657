//! `agentci check` warns about settings that cannot fail or have no effect, but not about similar ones that do.

use crate::ran::Ran;
use crate::suite::Suite;

const MODEL: &str = "rules:\n- when: { user: order }\n  reply: found\n";

/// Runs `check --strict` on a suite with these additions to its world and its cases, and with this model script.
fn check(world: &str, case: &str, model: &str) -> Ran {
    let text = format!(
        "suite: s\ntarget: {{ process: {{ command: [sh, -c, 'echo done'], speaks: text }} }}\n\
         world: {{ model: {{ script: model.yaml }}{world} }}\ncases: [{{ id: a, input: {{}}{case} }}, {{ id: b, input: {{}}{case} }}]\n"
    );
    let suite = Suite::empty().file("suite/agentci.yaml", text).file("suite/model.yaml", model);
    suite.agentci(&["check", "suite", "--strict"])
}

/// Asserts that there is exactly one warning, and that it contains these parts.
#[track_caller]
fn warns(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(parts);
    assert_eq!(ran.stderr.matches("warning:").count(), 1, "{ran:?}");
    assert!(ran.stderr.contains("\nhelp: "), "{ran:?}");
}

#[track_caller]
fn clean(ran: &Ran) {
    assert!(ran.code == Some(0) && !ran.stderr.contains("warning:"), "{ran:?}");
}

#[test]
fn checks_without_effect_are_reported_with_location() {
    let one = |check_text: &str| check("", &format!(", checks: [{check_text}]"), MODEL);
    let before = "cases: [{ id: a, input: {}, checks: [".len();
    for (text, at, told) in [
        ("{ tool_called: { name: x, count: { min: 0 } } }", "{ min", "any number of calls"),
        ("{ model_called: { count: { min: 0 } } }", "{ min", "any number of requests"),
        ("{ model_called: { system: { matches: '.*' } } }", "'.*", "`system` has no effect"),
        ("{ tool_called: { name: x, after: x } }", "x } }", "`x` always comes after itself"),
        ("{ model_called: { tools: [{ name: x, parameters: {} }] } }", "{} }", "`parameters` has no effect"),
    ] {
        let ran = one(text);
        let column = before + text.find(at).unwrap() + 1;
        ran.complains(&[told, &format!("suite/agentci.yaml:4:{column}\n")]);
        assert_eq!(ran.stderr.matches(told).count(), 2, "each of the two cases has its own check: {ran:?}");
    }
    for text in [
        "{ tool_called: { name: x, count: { min: 1 } } }",
        "{ tool_called: { name: x, count: { min: 0, max: 3 } } }",
        "{ tool_called: { name: x, count: { min: 0 }, after: y } }",
        "{ model_called: { system: { matches: '.+' }, count: { min: 0 }, of: all } }",
        "{ not: { model_called: { tools: [x] } } }",
    ] {
        clean(&one(text));
    }
}

#[test]
fn refusal_pattern_matching_any_text_is_reported_once() {
    let world = |pattern: &str| check(&format!(", tools: {{ refusals: ['{pattern}'] }}"), "", MODEL);
    warns(&world(".*"), &["every tool result counts as a refusal: `.*` matches any text", "suite/agentci.yaml:3:"]);
    clean(&world("^NO:"));
}

#[test]
fn reports_rule_shadowed_by_an_earlier_rule() {
    let wide = "rules:\n- when: { user: order }\n  reply: found\n- when: { user: my order }\n  reply: yours\n";
    let ran = check("", "", wide);
    warns(&ran, &["this rule is never used: the rule on line 2 matches every request it matches", "model.yaml:4:3"]);
    let narrow = "rules:\n- when: { user: my order }\n  reply: yours\n- when: { user: order }\n  reply: found\n";
    clean(&check("", "", narrow));
    let busy =
        "rules:\n- when: { user: order }\n  fail: { status: 429, times: 1 }\n- when: { user: order }\n  reply: found\n";
    clean(&check("", "", busy));
}

#[test]
fn reports_empty_model_script_unless_no_requests_are_expected() {
    warns(&check("", "", "rules: []\n"), &["this model answers no request", "suite/agentci.yaml:3:27"]);
    for case in [
        ", checks: [{ not: model_called }]",
        ", checks: [{ model_called: { count: 0 } }]",
        ", limits: { model_calls: 0 }",
        ", world: { model: { optional: true } }",
    ] {
        clean(&check("", case, "rules: []\n"));
    }
    clean(&check("", "", "rules: []\ndefault: Hello.\n"));
}

#[test]
fn reports_unreachable_rule_in_script_of_chat_target() {
    let suite = |rules: &str| {
        let text = "suite: s\ntarget: { chat: { connector: { script: model.yaml } } }\ncases: [{ id: a, turns: [{ user: hi }] }]\n";
        let suite = Suite::empty().file("suite/agentci.yaml", text);
        suite.file("suite/model.yaml", rules).agentci(&["check", "suite", "--strict"])
    };
    warns(&suite("rules:\n- reply: a\n- when: { user: hi }\n  reply: b\n"), &["never used", "model.yaml:3:3"]);
    clean(&suite("rules:\n- when: { user: hi }\n  reply: b\n- reply: a\n"));
}

#[test]
fn empty_not_check_is_reported_only_in_native_suites() {
    let one = |check_text: &str| check("", &format!(", checks: [{{ not: {{ {check_text} }} }}]"), MODEL);
    for text in [
        "contains: []",
        "contains: { text: [] }",
        "matches: []",
        "matches: { pattern: [] }",
        "tool_called: []",
        "tool_called: { any: [] }",
        "tool_evidence: []",
    ] {
        let ran = one(text);
        let name = text.split(':').next().unwrap();
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&[&format!("`not {name}` forbids nothing: the list is empty"), "suite/agentci.yaml:4:"]);
    }
    for text in ["contains: [x]", "contains: { text: [], of: output }", "matches: [x]", "tool_called: [x]"] {
        clean(&one(text));
    }
    let inherited = Suite::empty()
        .file(
            "ananke.config.yaml",
            "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:9/\", agentId: shop }\n",
        )
        .file(
            "tests/nothing.test.yaml",
            "version: \"1.0\"\nname: nothing forbidden\nturns: [{ user: Hi }]\n\
             assert: { tools: { forbid: [] }, text: { must_not_match: [] } }\n",
        );
    clean(&inherited.agentci(&["check", ".", "--strict"]));
}

#[test]
fn reports_checks_that_only_repeat_the_model_script() {
    let one = |check_text: &str, model: &str| check("", &format!(", checks: [{{ {check_text} }}]"), model);
    let first = "rules:\n- when: { user: order }\n  reply: It is found.\n";
    let later = "rules:\n- when: { user: order, tool_result: true }\n  reply: It is found.\n";
    let second = "rules:\n- when: { user: order, turn: 2 }\n  reply: It is found.\n";
    for text in [
        "contains: found",
        "contains: { text: FOUND, ignore_case: true }",
        "matches: 'It .+ found'",
        "matches: { pattern: [IT], ignore_case: true }",
        "equals: It is found.",
    ] {
        let ran = one(text, first);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["only repeats the script", "text of the script", "suite/agentci.yaml:4:"]);
        clean(&one(text, later));
        clean(&one(text, second));
    }
    // The agent derives these from the model's text.
    for text in
        ["matches: '^Answer: It is found'", "equals: { answer: It is found. }", "equals: 'Answer: It is found.'"]
    {
        clean(&one(text, first));
    }
}
