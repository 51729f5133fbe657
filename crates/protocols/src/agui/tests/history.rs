//! The history after a run.

use serde_json::json;

use super::*;

fn after(events: &[Value]) -> Vec<Value> {
    let mut talk = conversation();
    read(&run(events), &mut talk).unwrap();
    talk.messages().to_vec()
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

#[test]
fn calls_join_parent_message_or_create_one() {
    let within = event("TOOL_CALL_START", json!({"toolCallId": "a", "toolCallName": "one", "parentMessageId": "m"}));
    let later = event("TOOL_CALL_START", json!({"toolCallId": "b", "toolCallName": "two", "parentMessageId": "n"}));
    let events = [
        text_start("m"),
        text("m", "I look."),
        text_end("m"),
        within,
        args("a", "{\"x\": 1}"),
        call_end("a"),
        later,
        call_end("b"),
        call_start("c", "three"),
        call_end("c"),
    ];
    assert_eq!(
        after(&events),
        [
            json!({"id": "m", "role": "assistant", "content": "I look.", "toolCalls": [call("a", "one", "{\"x\": 1}")]}),
            json!({"id": "n", "role": "assistant", "toolCalls": [call("b", "two", "{}")]}),
            json!({"id": "c", "role": "assistant", "toolCalls": [call("c", "three", "{}")]}),
        ]
    );
}

#[test]
fn accepts_call_before_text_of_its_message() {
    let first = event("TOOL_CALL_START", json!({"toolCallId": "a", "toolCallName": "one", "parentMessageId": "m"}));
    let events = [first, call_end("a"), text_start("m"), text("m", "Done."), text_end("m")];
    assert_eq!(
        after(&events),
        [json!({"id": "m", "role": "assistant", "toolCalls": [call("a", "one", "{}")], "content": "Done."})]
    );
}

#[test]
fn tool_results_follow_their_calls() {
    let events = [
        call_start("a", "one"),
        call_end("a"),
        call_start("b", "two"),
        call_end("b"),
        text_start("m"),
        text_end("m"),
        result("a", "1"),
        event(
            "TOOL_CALL_RESULT",
            json!({"toolCallId": "b", "messageId": "x", "content": [{"type": "text", "text": "2"}]}),
        ),
        result("a", "1"),
    ];
    let order: Vec<_> = after(&events).iter().map(|message| message["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(order, ["a", "m-a", "b", "x", "m"], "the same answer again is not a second one");
    assert_eq!(after(&events)[1], json!({"id": "m-a", "role": "tool", "toolCallId": "a", "content": "1"}));
    assert_eq!(after(&events)[3]["content"], json!([{"type": "text", "text": "2"}]));
}

#[test]
fn reasoning_and_activities_are_kept_and_thinking_is_not() {
    let events = [
        event("REASONING_MESSAGE_START", json!({"messageId": "h", "role": "reasoning"})),
        event("REASONING_MESSAGE_CONTENT", json!({"messageId": "h", "delta": "hm"})),
        event("REASONING_ENCRYPTED_VALUE", json!({"subtype": "message", "entityId": "h", "encryptedValue": "zz"})),
        event("REASONING_MESSAGE_END", json!({"messageId": "h"})),
        event("THINKING_TEXT_MESSAGE_START", json!({})),
        event("THINKING_TEXT_MESSAGE_CONTENT", json!({"delta": "hm"})),
        event("THINKING_TEXT_MESSAGE_END", json!({})),
        event("ACTIVITY_SNAPSHOT", json!({"messageId": "p", "activityType": "PLAN", "content": {"n": 1}})),
        event(
            "ACTIVITY_SNAPSHOT",
            json!({"messageId": "p", "activityType": "PLAN", "content": {"n": 2}, "replace": false}),
        ),
        event(
            "ACTIVITY_DELTA",
            json!({"messageId": "p", "activityType": "PLAN", "patch": [{"op": "add", "path": "/m", "value": 3}]}),
        ),
    ];
    let mut talk = conversation();
    read(&run(&events), &mut talk).unwrap();
    let reasoning = json!({"id": "h", "role": "reasoning", "content": "hm", "encryptedValue": "zz"});
    let activity = json!({"id": "p", "role": "activity", "activityType": "PLAN", "content": {"n": 1, "m": 3}});
    assert_eq!(talk.messages(), [reasoning.clone(), activity]);
    assert_eq!(talk.run_input("r", None)["messages"], json!([reasoning]), "activities are not sent");
}

#[test]
fn merges_event_metadata_into_messages_and_calls() {
    let events = [
        event("TEXT_MESSAGE_START", json!({"messageId": "m", "metadata": {"a": 1, "b": 1}})),
        event("TEXT_MESSAGE_CONTENT", json!({"messageId": "m", "delta": "x", "metadata": {"b": 2}})),
        text_end("m"),
        event("TOOL_CALL_START", json!({"toolCallId": "c", "toolCallName": "one", "metadata": {"c": 3}})),
        call_end("c"),
        event("REASONING_ENCRYPTED_VALUE", json!({"subtype": "tool-call", "entityId": "c", "encryptedValue": "zz"})),
    ];
    let messages = after(&events);
    assert_eq!(messages[0]["metadata"], json!({"a": 1, "b": 2}));
    assert_eq!(messages[1]["toolCalls"][0]["metadata"], json!({"c": 3}));
    assert_eq!(messages[1]["toolCalls"][0]["encryptedValue"], "zz");
}

#[test]
fn snapshot_replaces_messages_but_keeps_unlisted_reasoning() {
    let start = [
        event("REASONING_MESSAGE_CHUNK", json!({"messageId": "h", "delta": "hm"})),
        text_start("m"),
        text("m", "streamed"),
        text_end("m"),
        text_start("gone"),
        text_end("gone"),
    ];
    let snapshot = |messages: Value| {
        let mut events = start.to_vec();
        events.push(event("MESSAGES_SNAPSHOT", json!({"messages": messages})));
        after(&events)
    };
    let told = json!({"id": "m", "role": "assistant", "content": "told", "name": null, "toolCalls": null});
    let kept = json!({"id": "m", "role": "assistant", "content": "told"});
    let new = json!({"id": "n", "role": "user", "content": "hi"});
    let local = json!({"id": "h", "role": "reasoning", "content": "hm"});
    assert_eq!(snapshot(json!([new, told])), [local, kept.clone(), new]);
    let reasoned = json!({"id": "other", "role": "reasoning", "content": "hm"});
    assert_eq!(snapshot(json!([reasoned, told])), [kept, reasoned]);
}

#[test]
fn replayed_events_do_not_change_the_thread() {
    let mut talk = conversation();
    talk.say(&[json!({"content": "hi"})], &mut || "u".into()).unwrap();
    let events =
        [text_start("m"), text("m", "Hello"), text_end("m"), call_start("c", "one"), call_end("c"), result("c", "1")];
    read(&run(&events), &mut talk).unwrap();
    let before = talk.messages().to_vec();
    assert_eq!(before.len(), 4);
    let mut replay = run(&events);
    replay[0]["input"] =
        json!({"threadId": "t", "runId": "r", "messages": [{"id": "u", "role": "user", "content": "hi"}]});
    let (steps, _) = read(&replay, &mut talk).unwrap();
    assert_eq!(talk.messages(), before);
    assert_eq!(lines(&steps).len(), 3, "and what is told again is in the trace again");
    let (steps, _) = read(&run(&[text_start("m"), text("m", "Other"), text_end("m")]), &mut talk).unwrap();
    assert_eq!(talk.messages().last().unwrap()["content"], "Other");
    assert!(lines(&steps)[1].ends_with("message `m` has the id of an earlier one"));
}
