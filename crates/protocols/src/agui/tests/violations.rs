//! A violation of each rule.

use serde_json::json;

use super::super::reader::AnswerLimits;
use super::*;

fn violations(events: &[Value]) -> Vec<String> {
    let (steps, _) = read(events, &mut conversation()).unwrap();
    let words = |step: AguiStep| match step.kind {
        EventKind::Violation(words) => Some(words),
        _ => None,
    };
    steps.into_iter().filter_map(words).collect()
}

#[test]
fn reports_violations_of_run_order() {
    let error = event("RUN_ERROR", json!({"message": "x"}));
    for (events, expected) in [
        (vec![started(), finished()], None),
        (vec![error.clone()], None),
        (vec![started(), finished(), error.clone()], None),
        (vec![started(), finished(), started(), finished(), started(), error.clone()], None),
        (
            vec![text_start("m"), text_end("m"), finished()],
            Some("event 1, `TEXT_MESSAGE_START`: the first event must be `RUN_STARTED` or `RUN_ERROR`"),
        ),
        (
            vec![started(), started(), finished()],
            Some("event 2, `RUN_STARTED`: a run is still in progress: `RUN_FINISHED` or `RUN_ERROR` must come first"),
        ),
        (
            vec![started(), finished(), finished()],
            Some("event 3, `RUN_FINISHED`: it follows `RUN_FINISHED`, after which only a new run may begin"),
        ),
        (
            vec![started(), error.clone(), finished()],
            Some("event 3, `RUN_FINISHED`: it follows `RUN_ERROR`, after which only a new run may begin"),
        ),
        (
            vec![event("RUN_STARTED", json!({"threadId": "x", "runId": "r"})), finished()],
            Some("event 1, `RUN_STARTED`: `threadId` is `x`, expected `t`"),
        ),
        (
            vec![event("RUN_STARTED", json!({"threadId": "t", "runId": "x"})), finished()],
            Some("event 1, `RUN_STARTED`: `runId` is `x`, expected `r`"),
        ),
        (
            vec![event("RUN_STARTED", json!({"threadId": "t"})), finished()],
            Some("event 1, `RUN_STARTED`: the field `runId` is missing"),
        ),
        (vec![started(), event("WHO_KNOWS", json!({})), finished()], Some("event 2, `WHO_KNOWS`: unknown event type")),
    ] {
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(violations(&events), expected, "{events:?}");
    }
}

#[test]
fn reports_violations_within_a_run() {
    let step = |kind: &str| event(kind, json!({"stepName": "p"}));
    let of_subagent = event("STEP_STARTED", json!({"stepName": "p", "subagentRunId": "s"}));
    let chunk = |fields| event("TEXT_MESSAGE_CHUNK", fields);
    let call_chunk = |fields| event("TOOL_CALL_CHUNK", fields);
    for (events, expected) in [
        (vec![text("m", "x"), text("m", "y")], vec!["event 2, `TEXT_MESSAGE_CONTENT`: message `m` is not open"]),
        (vec![text_end("m")], vec!["event 2, `TEXT_MESSAGE_END`: message `m` is not open"]),
        (
            vec![text_start("m"), text_start("m"), text_end("m")],
            vec!["event 3, `TEXT_MESSAGE_START`: message `m` is already open"],
        ),
        (vec![args("c", "{}")], vec!["event 2, `TOOL_CALL_ARGS`: call `c` is not open"]),
        (vec![call_end("c")], vec!["event 2, `TOOL_CALL_END`: call `c` is not open"]),
        (
            vec![call_start("c", "one"), call_start("c", "one"), call_end("c")],
            vec!["event 3, `TOOL_CALL_START`: call `c` is already open"],
        ),
        (
            vec![call_start("c", "one"), call_end("c"), call_start("c", "one"), call_end("c")],
            vec!["event 4, `TOOL_CALL_START`: call `c` was already started in this run"],
        ),
        (
            vec![call_start("c", "one"), call_end("c"), result("c", "ok"), result("c", "declined")],
            vec!["event 5, `TOOL_CALL_RESULT`: call `c` already has a result, and gets another: declined"],
        ),
        (vec![result("c", "1")], vec!["event 2, `TOOL_CALL_RESULT`: call `c` was never started"]),
        (
            vec![call_start("c", "one"), args("c", "{\"a\":"), call_end("c")],
            vec!["event 4, `TOOL_CALL_END`: the arguments of call `c` are not a JSON object"],
        ),
        (
            vec![text_start("m"), call_start("c", "one"), step("STEP_STARTED")],
            vec![
                "event 5, `RUN_FINISHED`: message `m` is still open",
                "event 5, `RUN_FINISHED`: call `c` is still open",
                "event 5, `RUN_FINISHED`: step `p` is still open",
            ],
        ),
        (
            vec![step("STEP_STARTED"), step("STEP_STARTED"), step("STEP_FINISHED")],
            vec!["event 3, `STEP_STARTED`: step `p` is already open"],
        ),
        (
            vec![step("STEP_STARTED"), of_subagent.clone(), step("STEP_FINISHED")],
            vec!["event 5, `RUN_FINISHED`: step `p` of subagent `s` is still open"],
        ),
        (vec![step("STEP_FINISHED")], vec!["event 2, `STEP_FINISHED`: step `p` is not open"]),
        (
            vec![event("SUBAGENT_FINISHED", json!({"subagentRunId": "s"}))],
            vec!["event 2, `SUBAGENT_FINISHED`: subagent `s` is not open"],
        ),
        (
            vec![event("REASONING_START", json!({"messageId": "h"}))],
            vec!["event 3, `RUN_FINISHED`: reasoning `h` is still open"],
        ),
        (
            vec![chunk(json!({"delta": "x"}))],
            vec!["event 2, `TEXT_MESSAGE_CHUNK`: it has no id, and no message is open to continue"],
        ),
        (
            vec![chunk(json!({"messageId": "m", "delta": "x"})), chunk(json!({"role": "user", "delta": "y"}))],
            vec!["event 3, `TEXT_MESSAGE_CHUNK`: `role` of `m` differs from its first chunk"],
        ),
        (
            vec![call_chunk(json!({"toolCallId": "c", "delta": "{}"}))],
            vec!["event 2, `TOOL_CALL_CHUNK`: the first chunk of call `c` has no `toolCallName`"],
        ),
        (
            vec![
                call_chunk(json!({"toolCallId": "c", "toolCallName": "one"})),
                call_chunk(json!({"toolCallName": "two", "delta": "{}"})),
            ],
            vec!["event 3, `TOOL_CALL_CHUNK`: `toolCallName` of `c` differs from its first chunk"],
        ),
        (vec![event("CUSTOM", json!({"name": "n"}))], vec!["event 2, `CUSTOM`: the field `value` of `n` is missing"]),
        (
            vec![
                call_start("c", "one"),
                call_end("c"),
                event("TOOL_CALL_RESULT", json!({"toolCallId": "c", "result": 1})),
            ],
            vec!["event 4, `TOOL_CALL_RESULT`: the result of call `c` has no `messageId`"],
        ),
        (
            vec![event("ACTIVITY_DELTA", json!({"messageId": "p", "activityType": "X", "patch": []}))],
            vec!["event 2, `ACTIVITY_DELTA`: unknown activity `p`"],
        ),
    ] {
        assert_eq!(violations(&run(&events)), expected, "{events:?}");
    }
}

#[test]
fn events_with_violations_are_still_processed() {
    let events = [text("m", "a"), text("m", "b"), result("x", "7"), text_start("n"), text("n", "left open")];
    let said: Vec<String> = lines_of(&events).into_iter().filter(|line| !line.contains("violation")).collect();
    assert_eq!(said, ["4 result x 7", "3 text ab", "6 text left open"]);
    let events = [call_start("c", "one"), args("c", "{\"a\":")];
    assert_eq!(lines_of(&events)[2], r#"3 call c one "{\"a\":" begun 2"#);
}

#[test]
fn refuses_missing_or_invalid_required_fields() {
    for (bad, why) in [
        (event("TEXT_MESSAGE_START", json!({})), "event 2, `TEXT_MESSAGE_START`: the field `messageId` is missing"),
        (
            event("TEXT_MESSAGE_START", json!({"messageId": "m", "role": 1})),
            "event 2, `TEXT_MESSAGE_START`: the field `role` must be a string, found 1",
        ),
        (
            event("TOOL_CALL_START", json!({"toolCallId": "c"})),
            "event 2, `TOOL_CALL_START`: the field `toolCallName` is missing",
        ),
        (event("STATE_SNAPSHOT", json!({})), "event 2, `STATE_SNAPSHOT`: the field `snapshot` is missing"),
        (
            event("STATE_DELTA", json!({"delta": {}})),
            "event 2, `STATE_DELTA`: the field `delta` must be a list, found {}",
        ),
        (
            event("MESSAGES_SNAPSHOT", json!({"messages": [{"id": "m"}]})),
            "event 2, `MESSAGES_SNAPSHOT`: the field `messages` must be a list of messages with `id` and `role`, found {\"id\":\"m\"}",
        ),
        (event("RUN_ERROR", json!({})), "event 2, `RUN_ERROR`: the field `message` is missing"),
        (
            event("RUN_FINISHED", json!({"outcome": {"type": "interrupt", "interrupts": [{}]}})),
            "event 2, `RUN_FINISHED`: the field `outcome.interrupts[].id` is missing",
        ),
        (
            event("SUBAGENT_STARTED", json!({"name": "x"})),
            "event 2, `SUBAGENT_STARTED`: the field `subagentRunId` is missing",
        ),
        (
            event("TEXT_MESSAGE_CONTENT", json!({"delta": "x"})),
            "event 2, `TEXT_MESSAGE_CONTENT`: the field `messageId` is missing",
        ),
        (
            event("TEXT_MESSAGE_CONTENT", json!({"messageId": "m", "delta": null})),
            "event 2, `TEXT_MESSAGE_CONTENT`: the field `delta` is missing",
        ),
        (
            event("TOOL_CALL_ARGS", json!({"toolCallId": 1, "delta": "x"})),
            "event 2, `TOOL_CALL_ARGS`: the field `toolCallId` must be a string, found 1",
        ),
    ] {
        assert_eq!(read(&[started(), bad], &mut conversation()).unwrap_err().message, why);
    }
}

#[test]
fn enforces_limits_on_events_bytes_and_ids() {
    let limited = |events: &[Value]| {
        let mut talk = conversation();
        let mut reader = AguiReader::new(AguiMethod::Run, "r", &mut talk);
        reader.limits = AnswerLimits { events: 100, bytes: 50, open: 3, entities: 10 };
        let broken = |event: &Value| reader.event(&event.to_string(), moment(1), &mut talk).err();
        events.iter().find_map(broken).map(|broken| broken.message)
    };
    let ids: Vec<String> = (0..12).map(|number| number.to_string()).collect();
    let open = ids.iter().map(|id| call_start(id, "one"));
    let open = limited(&open.collect::<Vec<_>>());
    assert_eq!(open.unwrap(), "more than 3 messages, calls and steps are open at the same time");
    let closed: Vec<Value> = ids.iter().flat_map(|id| [text_start(id), text_end(id)]).collect();
    assert_eq!(limited(&closed).unwrap(), "the thread has more than 10 messages and calls");
    assert_eq!(limited(&closed[..20]), None);
    for piece in
        [text("m", &"x".repeat(26)), args("c", &"x".repeat(26)), event("CUSTOM", json!({"name": "n", "value": 1}))]
    {
        assert_eq!(limited(&[piece.clone(), piece]).unwrap(), "the agent sent more than 50 bytes in one answer");
    }
    let many = limited(&vec![event("STATE_SNAPSHOT", json!({"snapshot": 1})); 101]);
    assert_eq!(many.unwrap(), "the agent sent more than 100 events in one answer");
}
