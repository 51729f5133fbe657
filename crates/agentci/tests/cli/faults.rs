//! Injected faults in tool answers.

use crate::suite::Suite;

const TAPE: &str = r#"{"tool":"search","args":{},"ok":true,"result":{"n":1}}"#;

/// Calls `search` three times and reports whether each call succeeded.
const THREE: &str = r#"
seen=; for i in 1 2 3; do call search '{}'; case $answer in *'"ok":true'*) seen="$seen+";; *'"ok":false'*) seen="$seen-";; *) seen="$seen?";; esac; done
finish "{\"seen\":\"$seen\"}"
"#;

fn seen(yaml: &str, script: &str, tape: &str, flags: &[&str]) -> String {
    let ran = Suite::new().case("faulty", yaml, script).tape("faulty", tape).run(flags);
    ran.all_passed();
    ran.final_output("faulty")["seen"].as_str().unwrap().to_owned()
}

#[test]
fn injected_error_does_not_consume_a_recorded_result() {
    let fault = "faults: [{ tool: search, call: 2, error: upstream timeout }]";
    assert_eq!(seen(fault, THREE, TAPE, &[]), "+-+");
    let ran = Suite::new().case("faulty", fault, THREE).tape("faulty", TAPE).run(&[]);
    let errors: Vec<_> = ran.events().into_iter().filter(|event| event["error"] == "upstream timeout").collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(ran.case("faulty")["tool_errors"], 1);
}

#[test]
fn injects_malformed_and_truncated_results() {
    assert_eq!(seen("faults: [{ tool: search, call: 1, malformed: yes }]", THREE, TAPE, &[]), "?++");
    let echo = r#"call search '{}'; printf '%s' "$answer" > got; finish '{}'"#;
    let suite = Suite::new().case("faulty", "faults: [{ truncated: true }]", echo).tape("faulty", TAPE);
    suite.run(&[]).all_passed();
    let got = std::fs::read_to_string(suite.path("got")).unwrap();
    assert!(got.starts_with("{\"type\":\"tool_result\"") && !got.ends_with('}'), "{got}");
}

#[test]
fn injected_hang_exceeds_the_time_limit() {
    let yaml = "faults: [{ tool: search, hang: true }]\nbudgets: { max_wall_ms: 700 }";
    let ran = Suite::new().case("faulty", yaml, THREE).tape("faulty", TAPE).run(&[]);
    ran.only_wrong("faulty", "fail", "limit");
    ran.says(&["the fault `hang` was injected into the answer to `search`"]);
    assert!(ran.events().iter().any(|event| event["type"] == "tool_result" && event["fault"] == "hang"));
    ran.ended_soon_after(1);
}

#[test]
fn injects_delay_before_result() {
    let ran = Suite::new().case("faulty", "faults: [{ call: 1, delay: 300ms }]", THREE).tape("faulty", TAPE).run(&[]);
    ran.all_passed();
    assert!(ran.case("faulty")["wall_ms"].as_u64().unwrap() >= 300);
}

#[test]
fn cassette_entry_can_contain_a_fault() {
    let tape = r#"{"tool":"search","args":{},"ok":true,"result":1}
{"tool":"search","args":{},"ok":true,"result":2,"fault":{"error":"torn"}}
{"tool":"search","args":{},"ok":true,"result":3}"#;
    assert_eq!(seen("", THREE, tape, &[]), "+-+");
}

#[test]
fn fault_rate_depends_only_on_the_seed() {
    let fault = "faults: [{ tool: search, rate: 0.5, error: flaky }]";
    let at = |seed: &str, parallel: &str| seen(fault, THREE, TAPE, &["--seed", seed, "--parallel", parallel]);
    for seed in ["1", "2", "3"] {
        assert_eq!(at(seed, "1"), at(seed, "4"));
    }
    let differing = ["1", "2", "3", "4", "5", "6", "7", "8"].map(|seed| at(seed, "1"));
    assert!(differing.iter().any(|seen| *seen != differing[0]), "{differing:?}");
}

#[test]
fn random_seed_is_printed_and_recorded() {
    let fault = "faults: [{ tool: search, rate: 0.5, error: flaky }]";
    let ran = Suite::new().case("faulty", fault, THREE).tape("faulty", TAPE).run(&[]);
    let seed = ran.events()[0]["seed"].as_u64().unwrap();
    ran.says(&[&format!("2 cases, seed {seed})")]);
    assert!(!Suite::new().run(&[]).stdout.contains("seed"));
}

#[test]
fn unused_fault_is_a_warning_with_its_location() {
    let yaml = "faults:\n  - { tool: serch, error: down }\n  - { tool: search, call: 9, error: down }\n  - { tool: search, rate: 0.0, error: down }\n  - { tool: search, call: 2, error: down }";
    let ran = Suite::new().case("faulty", yaml, THREE).tape("faulty", TAPE).run(&[]);
    ran.all_passed();
    ran.says(&[
        "warning: the fault `error` at suite/cases/faulty.yaml:5:5 never happened: `serch` was never called; did you mean `search`?",
        "warning: the fault `error` at suite/cases/faulty.yaml:6:5 never happened: it is for call 9 of `search`, which was called 3 times at most",
    ]);
    assert_eq!(ran.stdout.matches("never happened").count(), 2, "{}", ran.stdout);
}

#[test]
fn suite_fault_is_used_if_any_case_triggers_it() {
    let two = |tool: &str| {
        let faults = format!("faults: [{{ tool: {tool}, error: down }}]");
        Suite::new().setting(&faults).case("faulty", "", THREE).tape("faulty", TAPE)
    };
    assert!(!two("search").run(&[]).stdout.contains("never happened"));
    // A case that was not selected might have triggered the fault.
    assert!(!two("search").run(&["--case", "good"]).stdout.contains("never happened"));
    let ran = two("find").run(&["--runs", "2"]);
    assert_eq!(ran.stdout.matches("never happened: `find` was never called").count(), 1, "{}", ran.stdout);
}

#[test]
fn check_command_reports_fault_of_unavailable_tool() {
    let suite = Suite::native(
        "world: { tools: { allow: [search] }, faults: [{ tool: serch, error: down }] }\ncases: [{ id: a, input: {} }]\n",
    );
    let checked = suite.agentci(&["check", "suite"]);
    checked.complains(&[
        "warning: the fault `error` never happens: `serch` is not an available tool",
        "did you mean `search`?",
    ]);
}
