//! The result of each kind of event.

use serde_json::json;

use super::*;

#[test]
fn message_is_emitted_as_one_text_when_it_ends() {
    let events = [text_start("m"), text("m", "Good "), text("m", "day"), text_end("m")];
    assert_eq!(lines_of(&events), ["5 text Good day"]);
}

#[test]
fn empty_messages_are_ignored() {
    assert!(lines_of(&[text_start("m"), text_end("m"), text_start("n"), text("n", ""), text_end("n")]).is_empty());
}

#[test]
fn only_assistant_messages_become_text() {
    let user = event("TEXT_MESSAGE_START", json!({"messageId": "u", "role": "user"}));
    let nobody = event("TEXT_MESSAGE_START", json!({"messageId": "a", "role": null}));
    let events = [user, text("u", "hi"), text_end("u"), nobody, text("a", "yes"), text_end("a")];
    assert_eq!(
        lines_of(&events),
        [r#"4 info a message with the role `user` {"role":"user","content":"hi"}"#, "7 text yes"]
    );
}

#[test]
fn call_has_its_arguments_and_start_event() {
    let events = [
        call_start("c", "search"),
        args("c", r#"{"q":"#),
        args("c", r#""a","n":1.0}"#),
        call_end("c"),
        result("c", r#"{"hits":[]}"#),
        call_start("d", "now"),
        call_end("d"),
    ];
    assert_eq!(
        lines_of(&events),
        [r#"5 call c search {"q":"a","n":1.0} begun 2"#, r#"6 result c {"hits":[]}"#, "8 call d now {} begun 7"]
    );
}

#[test]
fn parallel_calls_are_emitted_in_start_order() {
    let events = [
        call_start("a", "one"),
        call_start("b", "two"),
        args("b", "{}"),
        call_end("b"),
        result("b", "2"),
        args("a", r#"{"x":1}"#),
        call_end("a"),
        result("a", "1"),
    ];
    assert_eq!(
        lines_of(&events),
        [r#"8 call a one {"x":1} begun 2"#, "5 call b two {} begun 3", "6 result b 2", "9 result a 1"]
    );
}

#[test]
fn tool_result_completes_its_call() {
    let events = [call_start("a", "one"), args("a", "{}"), result("a", "1"), call_end("a")];
    assert_eq!(lines_of(&events), ["3 call a one {} begun 2", "4 result a 1"]);
}

#[test]
fn failed_tool_result_contains_the_error() {
    let failed = event(
        "TOOL_CALL_RESULT",
        json!({"toolCallId": "a", "messageId": "x", "content": "", "error": "no such order"}),
    );
    let events = [call_start("a", "one"), call_end("a"), failed];
    assert_eq!(lines_of(&events), ["3 call a one {} begun 2", r#"4 result a "" error no such order"#]);
}

#[test]
fn reused_call_id_creates_two_calls() {
    let events = [
        call_start("a", "one"),
        call_end("a"),
        result("a", "1"),
        call_start("a", "one"),
        call_end("a"),
        result("a", "2"),
    ];
    assert_eq!(
        lines_of(&events),
        [
            "3 call a one {} begun 2",
            "4 result a 1",
            "5 violation event 5, `TOOL_CALL_START`: call `a` was already started in this run",
            "6 call a one {} begun 5",
            "7 result a 2"
        ]
    );
}

#[test]
fn chunks_open_and_close_streams_implicitly() {
    let chunk = |fields| event("TEXT_MESSAGE_CHUNK", fields);
    let call = |fields| event("TOOL_CALL_CHUNK", fields);
    let thought = |fields| event("REASONING_MESSAGE_CHUNK", fields);
    let events = [
        chunk(json!({"messageId": "m", "delta": "a"})),
        event("RAW", json!({"event": 1})),
        chunk(json!({"delta": "b", "role": "assistant"})),
        chunk(json!({"messageId": "n", "delta": "c"})),
        call(json!({"toolCallId": "x", "toolCallName": "one", "delta": "{"})),
        call(json!({"delta": "}"})),
        result("x", "1"),
        thought(json!({"messageId": "h", "delta": "so"})),
        thought(json!({})),
    ];
    assert_eq!(
        lines_of(&events),
        [
            "3 debug a raw event 1",
            "4 text ab",
            "5 text c",
            "7 call x one {} begun 6",
            "8 result x 1",
            "10 reasoning so"
        ]
    );
}

#[test]
fn subagent_streams_are_kept_separate() {
    let chunk = |fields| event("TEXT_MESSAGE_CHUNK", fields);
    let events = [
        chunk(json!({"messageId": "m", "delta": "a"})),
        chunk(json!({"messageId": "n", "delta": "x", "subagentRunId": "s"})),
        chunk(json!({"delta": "b"})),
        chunk(json!({"delta": "y", "subagentRunId": "s"})),
        event("STEP_STARTED", json!({"stepName": "p", "subagentRunId": "s"})),
        chunk(json!({"delta": "c"})),
        event("STEP_FINISHED", json!({"stepName": "p", "subagentRunId": "s"})),
    ];
    assert_eq!(
        lines_of(&events),
        [
            "5 text xy",
            r#"6 debug step `p` begins {"subagentRunId":"s"}"#,
            r#"8 debug step `p` ends {"subagentRunId":"s"}"#,
            "7 text abc",
        ]
    );
}

#[test]
fn reasoning_and_thinking_events_are_not_text() {
    let events = [
        event("REASONING_START", json!({"messageId": "h"})),
        event("REASONING_MESSAGE_START", json!({"messageId": "h", "role": "reasoning"})),
        event("REASONING_MESSAGE_CONTENT", json!({"messageId": "h", "delta": "hm"})),
        event("REASONING_MESSAGE_END", json!({"messageId": "h"})),
        event("REASONING_END", json!({"messageId": "h"})),
        event("THINKING_START", json!({"title": "old"})),
        event("THINKING_TEXT_MESSAGE_START", json!({})),
        event("THINKING_TEXT_MESSAGE_CONTENT", json!({"delta": "hm, hm"})),
        event("THINKING_TEXT_MESSAGE_END", json!({})),
        event("THINKING_END", json!({})),
    ];
    assert_eq!(lines_of(&events), ["5 reasoning hm", "10 reasoning hm, hm"]);
}

#[test]
fn state_change_is_reported_once() {
    let events = [
        event("STATE_SNAPSHOT", json!({"snapshot": {"n": 1}})),
        event("STATE_DELTA", json!({"delta": [{"op": "replace", "path": "/n", "value": 2}]})),
        event("STATE_DELTA", json!({"delta": [{"op": "remove", "path": "/gone/there"}]})),
    ];
    let mut talk = conversation();
    let (steps, _) = read(&run(&events), &mut talk).unwrap();
    assert_eq!(
        lines(&steps),
        [
            "4 violation event 4, `STATE_DELTA`: the patch does not apply to the state: `/gone/there` does not exist",
            r#"5 state {"n":2}"#
        ]
    );
    let (steps, _) = read(&run(&[event("STATE_SNAPSHOT", json!({"snapshot": {"n": 2}}))]), &mut talk).unwrap();
    assert!(steps.is_empty(), "the same state again is no change: {steps:?}");
}

#[test]
fn other_events_are_logged() {
    let events = [
        event("STEP_STARTED", json!({"stepName": "plan"})),
        event("CUSTOM", json!({"name": "progress", "value": 0.5})),
        event("RAW", json!({"event": {"a": 1}, "source": "openai"})),
        event("ACTIVITY_SNAPSHOT", json!({"messageId": "p", "activityType": "PLAN", "content": {"steps": []}})),
        event(
            "ACTIVITY_DELTA",
            json!({"messageId": "p", "activityType": "PLAN", "patch": [{"op": "add", "path": "/steps/-", "value": 1}]}),
        ),
        event("SUBAGENT_STARTED", json!({"subagentRunId": "s", "name": "critic"})),
        event("SUBAGENT_ERROR", json!({"subagentRunId": "s", "message": "no idea", "code": "E1"})),
        event("STEP_FINISHED", json!({"stepName": "plan"})),
    ];
    assert_eq!(
        lines_of(&events),
        [
            "2 debug step `plan` begins",
            "3 info custom event `progress` 0.5",
            r#"4 debug a raw event from `openai` {"a":1}"#,
            r#"5 info activity `PLAN` {"steps":[]}"#,
            r#"6 info activity `PLAN` changes [{"op":"add","path":"/steps/-","value":1}]"#,
            r#"7 info subagent `critic` begins {"subagentRunId":"s"}"#,
            r#"8 error subagent `s` failed: no idea {"subagentRunId":"s","code":"E1"}"#,
            "9 debug step `plan` ends",
        ]
    );
}

#[test]
fn limits_logged_raw_events() {
    let raw = event("RAW", json!({"event": "x".repeat(4000)}));
    let said = lines_of(&vec![raw; 1000]);
    assert_eq!(said.iter().filter(|line| line.contains("a raw event")).count() + 1, said.len());
    assert!(said.len() < 300, "{}", said.len());
    assert!(said.last().unwrap().ends_with("more raw events follow and are not logged"));
}

#[test]
fn a_large_raw_event_is_checked_and_dropped() {
    let large = event("RAW", json!({"event": "x".repeat(4096)}));
    let said = lines_of(&[large]);
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("2 debug a raw event of 4") && said[0].ends_with(" bytes"), "{said:?}");
}

#[test]
fn usage_is_summed() {
    let mut end = finished();
    end["usage"] = json!([{"inputTokens": 3, "outputTokens": 4}, {"inputTokens": 1}]);
    let (steps, _) = read(&[started(), end], &mut conversation()).unwrap();
    assert_eq!(lines(&steps), ["2 usage Some(4) Some(4)"]);
}
