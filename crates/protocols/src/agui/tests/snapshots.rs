//! Content that is only in a snapshot of the messages.

use serde_json::json;

use super::*;

fn snapshot(messages: &[Value]) -> Value {
    event("MESSAGES_SNAPSHOT", json!({ "messages": messages }))
}

fn says(id: &str, words: &str) -> Value {
    json!({"id": id, "role": "assistant", "content": words})
}

fn calls(id: &str, call: &str, name: &str, arguments: &str) -> Value {
    let call = json!({"id": call, "type": "function", "function": {"name": name, "arguments": arguments}});
    json!({"id": id, "role": "assistant", "toolCalls": [call]})
}

fn answers(id: &str, call: &str, content: &str) -> Value {
    json!({"id": id, "role": "tool", "toolCallId": call, "content": content})
}

fn asks(id: &str) -> Value {
    json!({"id": id, "role": "user", "content": "hi"})
}

fn asked(talk: &mut AguiThread, id: &str) {
    talk.say(&[json!({"content": "hi"})], &mut || id.into()).unwrap();
}

#[test]
fn messages_only_in_snapshot_are_traced_in_order() {
    let mut talk = conversation();
    asked(&mut talk, "u");
    let all = [
        asks("u"),
        says("a", "Let me see."),
        calls("b", "c", "delete_order", r#"{"id":7}"#),
        answers("t", "c", r#"{"ok":true}"#),
        says("d", "Done."),
    ];
    let (steps, _) = read(&run(&[snapshot(&all), snapshot(&all)]), &mut talk).unwrap();
    let expected = [
        "2 text Let me see.",
        r#"2 call c delete_order {"id":7} begun 2"#,
        r#"2 result c {"ok":true}"#,
        "2 text Done.",
    ];
    assert_eq!(lines(&steps), expected, "and a second one says nothing new");
    assert_eq!(talk.messages(), all);
    asked(&mut talk, "v");
    let mut more = all.to_vec();
    more.extend([asks("v"), says("e", "Done.")]);
    let (steps, _) = read(&run(&[snapshot(&more)]), &mut talk).unwrap();
    assert_eq!(lines(&steps), ["2 text Done."], "the same words in the next turn are new");
}

#[test]
fn streamed_content_with_new_id_is_not_duplicated() {
    let mut talk = conversation();
    asked(&mut talk, "u");
    let streamed = [
        text_start("m"),
        text("m", "Done."),
        text_end("m"),
        call_start("c", "one"),
        call_end("c"),
        result("c", "1"),
        text_start("open"),
        text("open", "Bye."),
    ];
    let mut events = streamed.to_vec();
    let all = [asks("u"), says("x", "Done."), calls("y", "c", "one", "{}"), answers("z", "c", "1"), says("w", "Bye.")];
    events.extend([snapshot(&all), text_end("open")]);
    let (steps, _) = read(&run(&events), &mut talk).unwrap();
    let expected = ["4 text Done.", "6 call c one {} begun 5", "7 result c 1", "11 text Bye."];
    assert_eq!(lines(&steps), expected);
    asked(&mut talk, "v");
    let renamed =
        [asks("other"), says("x2", "Done."), calls("y2", "c", "one", "{}"), says("w2", "Bye."), says("n", "Hm.")];
    let (steps, _) = read(&run(&[snapshot(&renamed)]), &mut talk).unwrap();
    assert_eq!(lines(&steps), ["2 text Hm."], "nor what an earlier turn said");
}

#[test]
fn snapshot_adds_text_to_message_with_only_calls() {
    let within = event("TOOL_CALL_START", json!({"toolCallId": "c", "toolCallName": "one", "parentMessageId": "m"}));
    let lines = lines_of(&[within, call_end("c"), snapshot(&[says("m", "I look.")])]);
    assert_eq!(lines, ["3 call c one {} begun 2", "4 text I look."]);
}

#[test]
fn messages_before_last_user_message_are_ignored() {
    let mut talk = conversation();
    asked(&mut talk, "u");
    let all = [asks("old"), says("a", "Yesterday."), asks("u"), says("b", "Today.")];
    let (steps, _) = read(&run(&[snapshot(&all)]), &mut talk).unwrap();
    assert_eq!(lines(&steps), ["2 text Today."]);
}

#[test]
fn client_tool_call_in_snapshot_is_pending() {
    let all = [calls("a", "c", "pick", "{}"), calls("b", "d", "pick", "{}"), answers("t", "d", "1")];
    let (_, ending) = read(&run(&[snapshot(&all)]), &mut conversation()).unwrap();
    let AnswerEnding::Finished { outcome: super::super::RunOutcome::Success { pending }, .. } = ending else {
        panic!("{ending:?}")
    };
    assert_eq!(pending.iter().map(|call| call.call_id.as_str()).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn history_of_joined_thread_is_not_traced() {
    let mut talk = conversation();
    let mut reader = AguiReader::new(AguiMethod::Connect, "r", &mut talk);
    let all = [asks("u"), says("a", "Yesterday."), calls("b", "c", "one", "{}")];
    for (index, event) in run(&[snapshot(&all)]).iter().enumerate() {
        let steps = reader.event(&event.to_string(), moment(index), &mut talk).unwrap();
        assert_eq!(lines(&steps), [""; 0]);
    }
    assert_eq!(talk.messages(), all);
}

#[test]
fn reports_violations_in_snapshot() {
    let nameless = json!({"id": "a", "role": "assistant", "toolCalls": [{"id": "c", "function": 5}]});
    let wrong = [nameless, answers("t", "x", "1"), calls("b", "d", "one", "{")];
    let at = "violation event 2, `MESSAGES_SNAPSHOT`:";
    let expected = [
        format!("2 {at} a call `c` has no `id` or no `function.name`"),
        format!("2 {at} call `x` was never started"),
        "2 result x 1".to_owned(),
        format!("2 {at} the arguments of call `d` are not a JSON object"),
        r#"2 call d one "{" begun 2"#.to_owned(),
    ];
    assert_eq!(lines_of(&[snapshot(&wrong)]), expected);
}
