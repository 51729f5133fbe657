//! Answers from recordings, and the messages when there is none.

use crate::suite::Suite;

const TAPE: &str = r#"{"tool":"search","args":{"q":"something else entirely"},"ok":true,"result":1}
{"tool":"search","args":{"q":"reset","page":{"size":10,"from":0}},"ok":true,"result":2}
"#;

#[test]
fn miss_shows_closest_entry_and_first_difference() {
    let script = r#"call search '{"q":"reset","page":{"size":10.0,"from":0}}'; finish '{}'"#;
    let ran = Suite::new().case("misses", "", script).tape("misses", TAPE).run(&[]);
    ran.only_wrong("misses", "fail", "replay_miss");
    ran.says(&[
        "no recorded call of `search` with these arguments in `suite/cassettes/misses.jsonl` (replay_miss)",
        "--> suite/cases/misses.yaml:3:11",
        r#"requested: search {"page":{"from":0,"size":10.0},"q":"reset"}"#,
        "first difference from the closest entry: at /page/size the recording has 10, the agent sent 10.0",
        r#"closest: search {"page":{"from":0,"size":10},"q":"reset"} (line 2,"#,
        "help: ",
    ]);
    assert!(ran.junit_case("misses").contains("first difference"));
    assert!(ran.events().iter().any(|event| event["type"] == "tool_call"));
    assert!(!ran.events().iter().any(|event| event["type"] == "tool_result"));
}

#[test]
fn miss_ends_the_agent() {
    let script = "call search '{}' && echo answered > answered\nsleep 600";
    let suite = Suite::new().case("misses", "", script);
    let ran = suite.run(&[]);
    ran.only_wrong("misses", "fail", "replay_miss");
    ran.says(&["the recording is empty"]);
    ran.ended_soon_after(0);
    assert!(!suite.path("answered").exists());
}

#[test]
fn identical_calls_replay_in_order_and_repeat_the_last() {
    let entry = |result: &str| format!("{{\"tool\":\"search\",\"args\":{{}},\"ok\":true,\"result\":{result}}}\n");
    let script = r#"
call search '{}'; one=$answer; call search '{}'; two=$answer; call search '{}'
finish "{\"answers\":[$one,$two,$answer]}""#;
    let suite = Suite::new().case("polls", "", script).tape("polls", &[entry("1"), entry("2")].concat());
    let ran = suite.run(&[]);
    ran.all_passed();
    let output = ran.final_output("polls");
    let results: Vec<_> = output["answers"].as_array().unwrap().iter().map(|answer| &answer["result"]).collect();
    assert_eq!(results, [1, 2, 2]);
    let second = r#"{"type":"tool_result","call_id":"c2","ok":true,"result":2,"error":null}"#;
    assert_eq!(output["answers"][1].to_string(), second);
}

#[test]
fn recorded_error_reaches_the_agent_as_error() {
    let tape = r#"{"tool":"search","args":{},"ok":false,"error":"quota exceeded","result":"ignored"}"#;
    let script = r#"call search '{}'; finish "{\"answer\":$answer}""#;
    let ran = Suite::new().case("fails", "", script).tape("fails", tape).run(&[]);
    ran.all_passed();
    let answer = r#"{"type":"tool_result","call_id":"c1","ok":false,"result":null,"error":"quota exceeded"}"#;
    assert_eq!(ran.final_output("fails")["answer"].to_string(), answer);
    assert_eq!(ran.case("fails")["tool_errors_by_name"]["search"], 1);
}

#[test]
fn missing_cassette_fails_only_its_case() {
    let suite = Suite::new().case("bare", "", "finish '{}'");
    std::fs::remove_file(suite.path("suite/cassettes/bare.jsonl")).unwrap();
    let ran = suite.run(&[]);
    ran.only_wrong("bare", "error", "config");
    ran.says(&[
        "the cassette `suite/cassettes/bare.jsonl` cannot be read",
        "--> suite/cases/bare.yaml:3:11",
        "3 | cassette: cassettes/bare.jsonl",
        "help: ",
    ]);
}

#[test]
fn invalid_cassette_line_is_located_and_fails_its_case() {
    let tape = "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n\n{\"tool\":\"search\",\"args\":[],\"ok\":true}\n";
    let ran = Suite::new().case("torn", "", "finish '{}'").tape("torn", tape).run(&[]);
    ran.only_wrong("torn", "error", "config");
    ran.says(&["line 3 of the cassette `suite/cassettes/torn.jsonl` is invalid: `args` must be an object"]);
}

/// The closest entry is found without comparing every character of every entry.
#[test]
fn miss_in_large_recording_is_reported_quickly() {
    let long = "x".repeat(200);
    let entry = |number: usize| {
        let fields: Vec<String> = (0..60).map(|field| format!("\"f{field}\":\"{number} {field} {long}\"")).collect();
        format!("{{\"tool\":\"search\",\"args\":{{{}}},\"ok\":true}}", fields.join(","))
    };
    let tape: Vec<String> = (0..200).map(entry).collect();
    let suite =
        Suite::new().case("lost", "", "call search '{\"f1\":\"y\"}'; finish '{}'").tape("lost", &tape.join("\n"));
    let ran = suite.run(&[]);
    ran.only_wrong("lost", "fail", "replay_miss");
    ran.ended_soon_after(5);
}

/// Both `run` and `record` explain how to make a recording for an agent that calls a tool.
#[test]
fn explains_how_to_record_a_missing_cassette() {
    let agent = "call stock '{}' || { echo Traceback >&2; exit 1; }; finish '{}'";
    let suite = Suite::native("cases: [{ id: only, input: {} }]\n").agent("only", agent);
    let steps = "add `world: { tools: { cassette: \"cassettes/{case}.jsonl\", live: {";
    let ran = suite.run(&[]);
    assert_eq!(ran.verdicts()[0].2, "replay_miss", "{ran:?}");
    ran.says(&["the agent called `stock`, but there is no recording", steps, "stock: { command: [..] }"]);
    ran.says(&["then `agentci record`"]);
    assert!(!ran.stdout.contains("Traceback"), "{ran:?}");
    let recorded = suite.agentci(&["record", "suite"]);
    recorded.says(&["the case has no `cassette` to record to", steps, "then `agentci record`"]);
}
