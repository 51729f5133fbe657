//! Requests.

use serde_json::json;

use super::super::{AguiMethod, envelope};
use super::*;

fn ids() -> impl FnMut() -> String {
    let mut count = 0;
    move || {
        count += 1;
        format!("id-{count}")
    }
}

#[test]
fn run_input_has_all_fields_and_no_null() {
    let talk = AguiThread::new("t".into(), None, vec![], None);
    let expected = json!({
        "threadId": "t", "runId": "r1", "protocolVersion": "1.0", "messages": [], "state": {}, "tools": [], "context": [],
        "forwardedProps": {}
    });
    assert_eq!(talk.run_input("r1", None), expected);
    let mut talk = AguiThread::new("t".into(), Some(json!({"a": 1})), vec![], Some(json!({"k": "v"})));
    read(&run(&[event("STATE_SNAPSHOT", json!({"snapshot": null}))]), &mut talk).unwrap();
    assert_eq!((talk.run_input("r", None)["state"].clone(), talk.state.clone()), (json!({}), json!(null)));
    assert_eq!(
        envelope(AguiMethod::Connect, "agent", json!({"x": 1})),
        json!({"method": "agent/connect", "params": {"agentId": "agent"}, "body": {"x": 1}})
    );
}

#[test]
fn a_client_tool_is_answered_in_the_next_run() {
    let (mut talk, mut fresh) = (conversation(), ids());
    let said = [json!({"role": "user", "content": "pick one", "name": null})];
    talk.say(&said, &mut fresh).unwrap();
    let first = talk.identity(AguiMethod::Run, None);
    assert_eq!(
        first,
        json!({"method": "agent/run", "messages": [{"role": "user", "content": "pick one"}], "tools": ["pick"]})
    );
    read(&run(&[call_start("c", "pick"), args("c", "{\"n\":1}"), call_end("c")]), &mut talk).unwrap();
    talk.answer("c", &json!({"picked": 7}), None, &mut fresh);
    talk.answer("d", &Value::Null, Some("no such thing"), &mut fresh);
    let input = talk.run_input("r2", None);
    assert_eq!(
        input["messages"],
        json!([
            {"id": "id-1", "role": "user", "content": "pick one"},
            {"id": "c", "role": "assistant", "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "pick", "arguments": "{\"n\":1}"}}
            ]},
            {"id": "id-2", "role": "tool", "toolCallId": "c", "content": "{\"picked\":7}"},
            {"id": "id-3", "role": "tool", "toolCallId": "d", "content": "no such thing", "error": "no such thing"}
        ])
    );
    assert_eq!(talk.connect_input("r2")["messages"], json!([]));
    assert_eq!(
        talk.identity(AguiMethod::Run, None)["messages"],
        json!([
            {"role": "tool", "content": "{\"picked\":7}", "toolCallId": "c"},
            {"role": "tool", "content": "no such thing", "toolCallId": "d", "error": "no such thing"}
        ])
    );
}

#[test]
fn repeated_client_result_is_not_counted_twice() {
    let mut talk = conversation();
    read(&run(&[call_start("c", "pick"), call_end("c")]), &mut talk).unwrap();
    talk.answer("c", &json!("yes"), None, &mut ids());
    let (steps, _) = read(&run(&[result("c", "yes")]), &mut talk).unwrap();
    assert_eq!(lines(&steps), ["2 debug the agent repeats the result of call `c`"]);
    assert_eq!(talk.messages().len(), 2);
    let again = [call_start("c", "pick"), call_end("c"), result("c", "other")];
    let (steps, _) = read(&run(&again), &mut talk).unwrap();
    assert_eq!(lines(&steps)[1], r#"4 result c "other""#, "under the same id this is another call");
}

#[test]
fn accepts_tool_result_in_later_run() {
    let mut talk = conversation();
    read(&run(&[call_start("c", "slow"), call_end("c")]), &mut talk).unwrap();
    let (steps, _) = read(&run(&[result("c", "at last")]), &mut talk).unwrap();
    assert_eq!(lines(&steps), [r#"2 result c "at last""#]);
}

fn interrupted(interrupts: &Value, custom: &[Value]) -> AguiThread {
    let mut talk = AguiThread::new("t".into(), None, vec![], Some(json!({"k": 1, "command": {"x": 2}})));
    let mut events = vec![started()];
    events.extend_from_slice(custom);
    let mut end = finished();
    if custom.is_empty() {
        end["outcome"] = json!({"type": "interrupt", "interrupts": interrupts});
    }
    events.push(end);
    read(&events, &mut talk).unwrap();
    talk
}

#[test]
fn all_interrupts_are_resumed_in_one_request() {
    let mut talk =
        interrupted(&json!([{"id": "a", "reason": "ask", "message": "May I?"}, {"id": "b", "reason": "ask"}]), &[]);
    let refused = talk.say(&[json!({"role": "user", "content": "hello"})], &mut ids()).unwrap_err();
    assert_eq!(
        refused,
        "the agent is waiting for an answer to `a` (May I?), `b` (ask): add an `agui:resume` turn before any other message"
    );
    let resume =
        talk.resume(&json!({"resume": {"b": {"status": "cancelled"}, "a": {"payload": {"ok": true}}}})).unwrap();
    let entries = json!([
        {"interruptId": "a", "status": "resolved", "payload": {"ok": true}},
        {"interruptId": "b", "status": "cancelled"}
    ]);
    assert_eq!(talk.run_input("r", Some(&resume))["resume"], entries);
    assert_eq!(talk.run_input("r", Some(&resume))["forwardedProps"], json!({"k": 1, "command": {"x": 2}}));
    assert_eq!(talk.identity(AguiMethod::Run, Some(&resume))["resume"], entries);
    let all = talk.resume(&json!({"payload": 1})).unwrap();
    assert_eq!(all.entries[1], json!({"interruptId": "b", "status": "resolved", "payload": 1}));
    read(&run(&[]), &mut talk).unwrap();
    assert!(talk.say(&[json!({"content": "hello"})], &mut ids()).is_ok());
}

#[test]
fn refuses_invalid_resume() {
    let talk = interrupted(&json!([{"id": "a", "reason": "x"}, {"id": "b", "reason": ""}]), &[]);
    for (arguments, why) in [
        (json!({"resume": {"a": {}}}), "every open interrupt needs an answer; missing: `b`"),
        (json!({"resume": {"a": {}, "b": {}, "c": {}}}), "interrupt `c` is not open; open: `a` (x), `b`"),
        (
            json!({"resume": {"a": {"pay": 1}, "b": {}}}),
            "unknown key `pay` in the answer to `a`; known keys: `payload`, `status`",
        ),
        (json!({"resume": {"a": true, "b": {}}}), "the answer to `a` must be a mapping with `payload` or `status`"),
        (
            json!({"resume": {}, "payload": 1}),
            "`resume` must be a mapping by interrupt id, without other keys next to it",
        ),
        (json!({"status": "done"}), "the status of `a` must be `resolved` or `cancelled`"),
        (json!({"payloads": 1}), "unknown key `payloads` in `agui:resume`; known keys: `resume`, `payload`, `status`"),
        (json!([]), "`agui:resume` takes `resume`, a mapping by interrupt id, or one `payload` for all"),
    ] {
        assert_eq!(talk.resume(&arguments).unwrap_err(), why);
    }
    let nothing = conversation().resume(&json!({})).unwrap_err();
    assert_eq!(nothing, "no interrupt is open: resume only after a run that ended with one");
}

#[test]
fn custom_interrupts_are_resumed_by_command() {
    let custom = |id: &str| event("CUSTOM", json!({"name": "on_interrupt", "value": "Sure?", "rawEvent": {"id": id}}));
    let talk = interrupted(&json!(null), &[custom("x")]);
    let resume = talk.resume(&json!({"payload": "yes"})).unwrap();
    let input = talk.run_input("r", Some(&resume));
    assert_eq!(input["forwardedProps"], json!({"k": 1, "command": {"x": 2, "resume": "yes"}}));
    assert_eq!(input.get("resume"), None);
    assert_eq!(talk.identity(AguiMethod::Run, Some(&resume))["command"], "yes");
    assert!(talk.resume(&json!({"status": "cancelled"})).unwrap_err().contains("only be answered with a `payload`"));
    let talk = interrupted(&json!(null), &[custom("x"), custom("y")]);
    let resume = talk.resume(&json!({"resume": {"x": {"payload": 1}, "y": {"payload": 2}}})).unwrap();
    assert_eq!(resume.command, Some(json!({"x": 1, "y": 2})));
}
