//! Budgets: a case ends as soon as it exceeds one.

use crate::ran::Ran;
use crate::suite::Suite;

const TAPE: &str = r#"{"tool":"search","args":{},"ok":true,"result":1}
{"tool":"create","args":{},"ok":false,"error":"no"}
"#;

/// Runs a case under a budget. After `script` the agent would hang, so the budget must end it.
fn exceed(budgets: &str, script: &str) -> Ran {
    let script = format!("{script}\necho reached > end\nsleep 600");
    let suite = Suite::new().case("greedy", &format!("budgets: {{ {budgets} }}"), &script).tape("greedy", TAPE);
    let ran = suite.run(&["--timeout", "60s"]);
    ran.only_wrong("greedy", "fail", "limit");
    ran.ended_soon_after(1);
    let name = budgets.split(':').next().unwrap();
    ran.says(&[&format!("budget exceeded: {name} limit="), "--> suite/cases/greedy.yaml:4:", budgets, "^ "]);
    assert!(ran.case("greedy")["findings"][0]["name"] == name, "{ran:?}");
    ran
}

#[test]
fn tool_call_over_budget_gets_no_result() {
    let call = "call search '{}' || exit 0\n";
    let ran = exceed("max_tool_calls: 2", &call.repeat(3));
    ran.says(&[
        "budget exceeded: max_tool_calls limit=2 actual=3 (limit)",
        "= the agent called search(), 3 times in a row\n",
    ]);
    assert_eq!(ran.case("greedy")["tool_calls"], 3);
    let answers = ran.events().iter().filter(|event| event["type"] == "tool_result").count();
    assert_eq!(answers, 2);
}

#[test]
fn tool_error_over_budget_ends_the_case() {
    let ran = exceed("max_tool_errors: 0", "call search '{}'; call create '{}'; read -r never || exit 0");
    ran.says(&["budget exceeded: max_tool_errors limit=0 actual=1 (limit)"]);
    let case = ran.case("greedy");
    assert_eq!((&case["tool_calls"], &case["tool_errors"]), (&2.into(), &1.into()));
}

#[test]
fn reported_tokens_count_toward_budget() {
    let usage = r#"say '{"type":"usage","tokens_in":5,"tokens_out":60}'"#;
    let ran = exceed("max_tokens_out: 100", &format!("{usage}\n{usage}\nread -r never || exit 0"));
    ran.says(&["budget exceeded: max_tokens_out limit=100 actual="]);
    assert_eq!(ran.case("greedy")["tokens_out"], 120);
}

#[test]
fn reported_cost_counts_toward_budget() {
    let usage = r#"say '{"type":"usage","cost_usd":0.03}'"#;
    let ran = exceed("max_cost_usd: 0.05", &format!("{usage}\n{usage}\nread -r never || exit 0"));
    ran.says(&["budget exceeded: max_cost_usd limit=0.05 actual=0.06 (limit)"]);
}

#[test]
fn wall_time_over_budget_ends_the_case() {
    exceed("max_wall_ms: 500", "sleep 600");
}

#[test]
fn usage_equal_to_budget_passes() {
    let script = r#"
call search '{}'; call create '{}'
say '{"type":"usage","tokens_out":100,"cost_usd":0.05}'
finish '{"ok":true}'"#;
    let budgets = "budgets: { max_tool_calls: 2, max_tool_errors: 1, max_tokens_out: 100, max_cost_usd: 0.05 }";
    Suite::new().case("modest", budgets, script).tape("modest", TAPE).run(&[]).all_passed();
}

#[test]
fn case_overrides_suite_budgets_individually() {
    let script = "call search '{}'; call search '{}'; call create '{}'; finish '{\"ok\":true}'";
    let suite = |of_case: &str| {
        let budgets = "budgets: { max_tool_calls: 1, max_tool_errors: 0, max_wall_ms: 60000 }";
        Suite::new().setting(budgets).case("own", of_case, script).tape("own", TAPE)
    };
    let ran = suite("").run(&[]);
    ran.only_wrong("own", "fail", "limit");
    ran.says(&["max_tool_calls limit=1 actual=2", "--> suite/suite.yaml:6:"]);
    let ran = suite("budgets: { max_tool_calls: 3, max_tool_errors: null }").run(&[]);
    ran.only_wrong("own", "fail", "limit");
    ran.says(&["max_tool_errors limit=0 actual=1", "--> suite/suite.yaml:6:"]);
    suite("budgets: { max_tool_calls: 3, max_tool_errors: 1 }").run(&[]).all_passed();
}

#[test]
fn native_suite_limits_apply() {
    let cases = "world: { tools: { cassette: tape.jsonl } }\nlimits: { tool_calls: 1 }\ncases:\n  \
        - { id: good, input: {}, limits: { tool_calls: 2 } }\n  - { id: greedy, input: {} }\n";
    let script = "call search '{}'; call search '{}' || exit 0; finish '{\"ok\":true}'";
    let suite = Suite::native(cases).file("suite/tape.jsonl", TAPE).agent("good", script).agent("greedy", script);
    let ran = suite.run(&[]);
    ran.only_wrong("greedy", "fail", "limit");
    ran.says(&["tool_calls limit=1 actual=2", "--> suite/agentci.yaml:4:", "limits: { tool_calls: 1 }"]);
}
