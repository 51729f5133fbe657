//! Agents that violate the protocol.

use crate::suite::Suite;

#[test]
fn quotes_invalid_stdout_line_with_number_and_help() {
    let script = "say '{\"type\":\"log\",\"level\":\"info\",\"message\":\"ok\"}'\necho 'Loading model...'\nfinish '{}'";
    let ran = Suite::new().case("noisy", "", script).run(&[]);
    ran.only_wrong("noisy", "error", "protocol");
    ran.says(&[
        "line 2 of the agent's standard output is not a message: it is not JSON",
        "the line: Loading model...",
        "help: standard output is reserved for the protocol: print logs to standard error; or, if the agent prints its \
         answer as plain text, set `speaks: text` in a native suite",
    ]);
}

#[test]
fn refuses_invalid_utf8_immediately() {
    let ran = Suite::new().case("binary", "", r"printf '\377\376 caf\351\n'; sleep 600").run(&[]);
    ran.only_wrong("binary", "error", "protocol");
    ran.says(&["line 1 of the agent's standard output is not a message: it is not UTF-8 text", "the line: \u{fffd}"]);
    ran.ended_soon_after(0);
}

#[test]
fn strips_agent_control_characters_from_terminal_and_xml() {
    let ran = Suite::new().case("colourful", "", r"printf '\033[2J\033[31mred\n'; printf '\033]0;x\007' >&2").run(&[]);
    ran.only_wrong("colourful", "error", "protocol");
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'), "{ran:?}");
    assert!(!ran.junit().chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{}", ran.junit());
}

#[test]
fn reports_task_error_message_from_agent() {
    let script = r#"say '{"type":"task_error","message":"the model said no","data":{"code":7}}'; sleep 600"#;
    let ran = Suite::new().case("gives-up", "", script).run(&[]);
    ran.only_wrong("gives-up", "error", "agent_error");
    ran.says(&["the agent reported an error: the model said no (agent_error)"]);
    let event = ran.events().into_iter().find(|event| event["type"] == "task_error").unwrap();
    assert_eq!((&event["message"], &event["data"]["code"]), (&"the model said no".into(), &7.into()));
    ran.ended_soon_after(0);
}

#[test]
fn refuses_malformed_messages() {
    for (line, why) in [
        (r#"{"type":"tool_cal","name":"search"}"#, "unknown type `tool_cal`"),
        (r#"{"name":"search"}"#, "it has no `type`"),
        ("[1]", "it is JSON, but not an object"),
        (r#"{"type":"final_output","output":"text"}"#, "`output` of `final_output` must be an object"),
        (r#"{"type":"final_output","output":{},"usage":{}}"#, "unknown field `usage` in `final_output`"),
        (r#"{"type":"tool_call","name":"search","call_id":"1"}"#, "`tool_call` needs a field `args`"),
        (r#"{"type":"tool_call","name":"search","call_id":1,"args":{}}"#, "`call_id` of `tool_call` must be a string"),
        (r#"{"type":"tool_result","call_id":"1"}"#, "`tool_result` is sent by agentci, not by the agent"),
        (r#"{"type":"final_output","output":{"x":NaN}}"#, "it is not JSON"),
        (r#"{"type":"final_output","output":{"x":"\ud800"}}"#, "it is not JSON"),
    ] {
        let script = format!("cat <<'END'\n{line}\nEND");
        let ran = Suite::new().case("odd", "", &script).run(&[]);
        ran.only_wrong("odd", "error", "protocol");
        ran.says(&["line 1 of the agent's standard output is not a message: ", why, &format!("the line: {line}")]);
    }
}

#[test]
fn ignores_blank_lines_between_messages() {
    let script = "echo; printf '  \\r\\n'\nfinish '{\"ok\":true}'";
    Suite::new().case("airy", "", script).run(&[]).all_passed();
}

#[test]
fn tool_outside_registry_fails_the_case() {
    let suite = Suite::new().case("strays", "", "call serch '{}'; finish '{}'");
    let ran = suite.run(&[]);
    ran.only_wrong("strays", "fail", "tool_not_allowed");
    ran.says(&[
        "tool not allowed: serch. Allowed tools: create, search (tool_not_allowed)",
        "--> suite/suite.yaml:5:17",
        "help: the agent may have meant `search`",
    ]);
    assert_eq!(ran.case("strays")["tool_calls"], 1);
}

#[test]
fn empty_registry_allows_no_tools() {
    let suite = Suite::new().setting("tool_registry: []").case("strays", "", "call search '{}'; finish '{}'");
    let ran = suite.run(&[]);
    ran.only_wrong("strays", "fail", "tool_not_allowed");
    ran.says(&["tool not allowed: search. Allowed tools: <none>"]);
}
