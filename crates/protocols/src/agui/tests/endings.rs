//! How answers end.

use serde_json::json;

use super::super::{CutShort, RunOutcome};
use super::*;

fn ending(events: &[Value]) -> AnswerEnding {
    read(events, &mut conversation()).unwrap().1
}

fn outcome(events: &[Value]) -> RunOutcome {
    match ending(events) {
        AnswerEnding::Finished { outcome, .. } => outcome,
        other => panic!("{other:?}"),
    }
}

fn finished_with(outcome: &Value) -> Value {
    event("RUN_FINISHED", json!({"threadId": "t", "runId": "r", "outcome": outcome}))
}

fn pending(events: &[Value]) -> Vec<String> {
    match outcome(events) {
        RunOutcome::Success { pending } => pending.iter().map(|call| format!("{} {}", call.name, call.args)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn reports_outcome_of_finished_run() {
    let result = event("RUN_FINISHED", json!({"threadId": "t", "runId": "r", "outcome": null, "result": {"a": 1}}));
    let expected =
        AnswerEnding::Finished { outcome: RunOutcome::Success { pending: vec![] }, result: Some(json!({"a": 1})) };
    assert_eq!(ending(&[started(), result]), expected);
    assert_eq!(outcome(&[started(), finished_with(&json!({"type": "cancelled"}))]), RunOutcome::Cancelled);
    assert_eq!(pending(&[started(), finished_with(&json!({"type": "brand-new"}))]), [""; 0]);
}

#[test]
fn run_error_after_run_finished_is_a_failure() {
    let error = event("RUN_ERROR", json!({"message": "boom", "code": "E7", "usage": [{"outputTokens": 2}]}));
    let (steps, ending) = read(&[started(), finished(), error], &mut conversation()).unwrap();
    assert_eq!(ending, AnswerEnding::Failed { message: "boom".into(), code: Some("E7".into()) });
    assert_eq!(lines(&steps), ["3 usage None Some(2)", "3 error boom"]);
}

#[test]
fn run_error_is_final_regardless_of_later_events() {
    let error = |words: &str| event("RUN_ERROR", json!({ "message": words }));
    let failed = |words: &str| AnswerEnding::Failed { message: words.into(), code: None };
    for after in [vec![started(), finished()], vec![finished()], vec![started()], vec![started(), error("again")]] {
        let events = [vec![started(), error("boom")], after].concat();
        assert_eq!(ending(&events), failed("boom"), "{events:?}");
    }
    // A joined thread starts with earlier runs.
    let joined = |events: &[Value]| {
        let mut talk = conversation();
        let mut reader = AguiReader::new(AguiMethod::Connect, "r", &mut talk);
        for event in events {
            reader.event(&event.to_string(), moment(1), &mut talk).unwrap();
        }
        reader.end(moment(2), &mut talk).1
    };
    assert!(matches!(joined(&[started(), error("boom"), started(), finished()]), AnswerEnding::Finished { .. }));
    assert_eq!(joined(&[started(), error("boom")]), failed("boom"));
    assert_eq!(joined(&[started(), error("boom"), finished()]), failed("boom"));
}

#[test]
fn a_truncated_stream_is_distinguished_from_a_complete_one() {
    let cut = [started(), text_start("m"), text("m", "half a"), call_start("c", "one"), args("c", "{\"a")];
    let (steps, ending) = read(&cut, &mut conversation()).unwrap();
    assert_eq!(
        lines(&steps),
        [
            "3 text half a",
            "6 violation event 5, `TOOL_CALL_ARGS`: the arguments of call `c` are not a JSON object",
            r#"5 call c one "{\"a" begun 4"#
        ]
    );
    let AnswerEnding::CutShort(cut) = ending else { panic!("{ending:?}") };
    assert_eq!(
        cut.words().0,
        "the stream ended after 5 events without `RUN_FINISHED` or `RUN_ERROR`; the last was `TOOL_CALL_ARGS`\n\
         left open: message `m`, call `c`"
    );
    assert_eq!(super::endings::ending(&[]), AnswerEnding::CutShort(CutShort::Silent));
    let again = super::endings::ending(&[started(), finished(), started()]);
    let cut = CutShort::Truncated { events: 3, last: "RUN_STARTED".into(), open: vec![] };
    assert_eq!(again, AnswerEnding::CutShort(cut));
}

#[test]
fn client_tool_calls_without_result_are_pending() {
    let calls = [
        call_start("a", "pick"),
        args("a", r#"{"n":1}"#),
        call_end("a"),
        call_start("b", "pick"),
        call_end("b"),
        result("b", "done"),
        call_start("c", "not_ours"),
        call_end("c"),
    ];
    assert_eq!(pending(&run(&calls)), [r#"pick {"n":1}"#]);
    let with = |ids: Value| {
        let mut events = vec![started()];
        events.extend(calls.clone());
        events.push(finished_with(&json!({"type": "success", "pendingToolCallIds": ids})));
        pending(&events)
    };
    assert_eq!(with(json!(["c"])), ["not_ours {}"], "what the server names counts");
    assert_eq!(with(json!([])), [r#"pick {"n":1}"#]);
    let unknown = [started(), finished_with(&json!({"type": "success", "pendingToolCallIds": ["x"]}))];
    let (steps, _) = read(&unknown, &mut conversation()).unwrap();
    assert_eq!(
        lines(&steps),
        ["2 violation event 2, `RUN_FINISHED`: call `x` is listed as pending but was never started"]
    );
}

#[test]
fn only_last_run_of_stream_has_pending_calls() {
    let mut events = run(&[call_start("a", "pick"), call_end("a")]);
    events.extend(run(&[result("a", "late")]));
    assert_eq!(pending(&events), [""; 0]);
}

#[test]
fn reads_interrupts_from_outcome_and_custom_event() {
    let asked = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "tool_call", "message": "May I?"}]});
    let mut talk = conversation();
    let (steps, ending) = read(&[started(), finished_with(&asked)], &mut talk).unwrap();
    assert_eq!(lines(&steps), [r#"2 info interrupt `i`: May I? {"id":"i","reason":"tool_call","message":"May I?"}"#]);
    let AnswerEnding::Finished { outcome: RunOutcome::Interrupted(open), .. } = ending else { panic!("{ending:?}") };
    assert_eq!((open.as_slice(), open[0].id.as_str(), open[0].custom), (talk.interrupts.as_slice(), "i", false));

    let custom = event("CUSTOM", json!({"name": "on_interrupt", "value": "{\"message\":\"Sure?\"}"}));
    let (_, ending) = read(&run(&[custom.clone(), custom.clone()]), &mut talk).unwrap();
    let AnswerEnding::Finished { outcome: RunOutcome::Interrupted(open), .. } = ending else { panic!("{ending:?}") };
    let seen: Vec<_> = open.iter().map(|open| (open.id.as_str(), open.reason.as_str(), open.custom)).collect();
    assert_eq!(seen, [("on_interrupt", "Sure?", true), ("on_interrupt-2", "Sure?", true)]);

    let (_, ending) = read(&[started(), custom, finished_with(&asked)], &mut talk).unwrap();
    let AnswerEnding::Finished { outcome: RunOutcome::Interrupted(open), .. } = ending else { panic!("{ending:?}") };
    assert_eq!((open.len(), open[0].custom), (1, false), "told both ways it is one interrupt");
    read(&run(&[]), &mut talk).unwrap();
    assert!(talk.interrupts.is_empty(), "a run that is done has none open");
}
