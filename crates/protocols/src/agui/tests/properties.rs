//! Properties of any stream.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The events of some calls, as one list per call.
fn calls() -> impl Strategy<Value = Vec<Vec<Value>>> {
    let pieces = prop::collection::vec("[a-z\"\\\\{}é ]{0,6}", 0..4);
    prop::collection::vec((pieces, any::<bool>()), 1..5).prop_map(|calls| {
        let of = |(index, (pieces, answered)): (usize, (Vec<String>, bool))| {
            let id = format!("c{index}");
            let whole = json!({ "n": index, "text": pieces.concat() }).to_string();
            let mut events = vec![call_start(&id, &format!("tool{index}"))];
            let cuts: Vec<char> = whole.chars().collect();
            let size = cuts.len() / (pieces.len() + 1) + 1;
            events.extend(cuts.chunks(size).map(|piece| args(&id, &piece.iter().collect::<String>())));
            events.push(call_end(&id));
            if answered {
                events.push(result(&id, &format!("{index}")));
            }
            events
        };
        calls.into_iter().enumerate().map(of).collect()
    })
}

/// Interleaves the lists, keeping the order within each.
fn interleaved(lists: &[Vec<Value>], choices: &[usize]) -> Vec<Value> {
    let mut rest: Vec<_> = lists.iter().map(|list| list.iter().cloned().peekable()).collect();
    let mut all = Vec::new();
    let mut choices = choices.iter().cycle();
    loop {
        rest.retain_mut(|list| list.peek().is_some());
        if rest.is_empty() {
            return all;
        }
        let choice = choices.next().unwrap() % rest.len();
        all.extend(rest[choice].next());
    }
}

type ById = Vec<(String, Value)>;

fn traced(steps: &[AguiStep]) -> (ById, ById) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for step in steps {
        match &step.kind {
            EventKind::ToolCall(call) => calls.push((call.call_id.clone(), Value::clone(&call.args))),
            EventKind::ToolResult(result) => {
                assert!(calls.iter().any(|(id, _)| *id == result.call_id), "an answer before its call");
                results.push((result.call_id.clone(), Value::clone(&result.result)));
            }
            other => panic!("{other:?}"),
        }
    }
    (calls, results)
}

proptest! {
    #[test]
    fn interleaved_parallel_calls_keep_their_start_order(
        lists in calls(),
        choices in prop::collection::vec(0..8_usize, 1..40),
    ) {
        let events = interleaved(&lists, &choices);
        let begun: Vec<String> = events
            .iter()
            .filter(|event| event["type"] == "TOOL_CALL_START")
            .map(|event| event["toolCallId"].as_str().unwrap().to_owned())
            .collect();
        let (steps, _) = read(&run(&events), &mut conversation()).unwrap();
        let (calls, mut results) = traced(&steps);
        prop_assert_eq!(calls.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), begun);
        let (steps, _) = read(&run(&lists.concat()), &mut conversation()).unwrap();
        let (mut expected, expected_results) = traced(&steps);
        let mut calls = calls;
        calls.sort_by(|a, b| a.0.cmp(&b.0));
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        results.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(calls, expected);
        prop_assert_eq!(results, expected_results);
    }

    #[test]
    fn chunk_events_equal_start_content_end_events(parts in prop::collection::vec(part(), 0..8)) {
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (index, part) in parts.iter().enumerate() {
            part.spell(&format!("x{index}"), &mut long, &mut short);
        }
        let (mut one, mut other) = (conversation(), conversation());
        let kinds = |events: &[Value], talk: &mut AguiThread| -> Vec<EventKind> {
            let (steps, _) = read(&run(events), talk).unwrap();
            steps.into_iter().map(|step| match step.kind {
                EventKind::ToolCall(mut call) => {
                    call.begun = None;
                    EventKind::ToolCall(call)
                }
                kind => kind,
            }).collect()
        };
        prop_assert_eq!(kinds(&long, &mut one), kinds(&short, &mut other));
        prop_assert_eq!(one.messages(), other.messages());
    }

    #[test]
    fn never_panics_on_arbitrary_events(frames in prop::collection::vec(any_event(), 0..30)) {
        let mut talk = conversation();
        let mut reader = AguiReader::new(AguiMethod::Run, "r", &mut talk);
        for (index, frame) in frames.iter().enumerate() {
            if reader.event(frame, moment(index), &mut talk).is_err() {
                break;
            }
        }
        reader.end(moment(frames.len()), &mut talk);
        let input = talk.run_input("r", None);
        prop_assert!(input["messages"].as_array().unwrap().iter().all(|message| message["id"].is_string()));
    }
}

/// Text, reasoning or a call.
#[derive(Debug, Clone)]
enum Part {
    Text(Vec<String>),
    Thought(Vec<String>),
    Call(String, bool),
}

fn part() -> impl Strategy<Value = Part> {
    let words = || prop::collection::vec("[a-zé]{0,3}", 0..4);
    prop_oneof![
        words().prop_map(Part::Text),
        words().prop_map(Part::Thought),
        ("[{}\":1a]{0,4}|\\{\"a\":1\\}", any::<bool>()).prop_map(|(args, answered)| Part::Call(args, answered)),
    ]
}

impl Part {
    /// The events of a part, with start and end events and in chunks.
    fn spell(&self, id: &str, long: &mut Vec<Value>, short: &mut Vec<Value>) {
        match self {
            Part::Text(words) => {
                long.push(text_start(id));
                long.extend(words.iter().map(|word| text(id, word)));
                long.push(text_end(id));
                short.push(event("TEXT_MESSAGE_CHUNK", json!({"messageId": id})));
                short.extend(words.iter().map(|word| event("TEXT_MESSAGE_CHUNK", json!({"delta": word}))));
            }
            Part::Thought(words) => {
                long.push(event("REASONING_MESSAGE_START", json!({"messageId": id})));
                long.extend(
                    words
                        .iter()
                        .map(|word| event("REASONING_MESSAGE_CONTENT", json!({"messageId": id, "delta": word}))),
                );
                long.push(event("REASONING_MESSAGE_END", json!({"messageId": id})));
                short.push(event("REASONING_MESSAGE_CHUNK", json!({"messageId": id})));
                short.extend(words.iter().map(|word| event("REASONING_MESSAGE_CHUNK", json!({"delta": word}))));
            }
            Part::Call(arguments, answered) => {
                // The violation for invalid arguments names the event that ends the call, which differs between the two
                // forms.
                let sound = super::super::content::arguments(arguments).1;
                let arguments = if sound { arguments.as_str() } else { "{}" };
                long.extend([call_start(id, "one"), args(id, arguments), call_end(id)]);
                short.push(event("TOOL_CALL_CHUNK", json!({"toolCallId": id, "toolCallName": "one"})));
                short.push(event("TOOL_CALL_CHUNK", json!({"delta": arguments})));
                if *answered {
                    long.push(result(id, arguments));
                    short.push(result(id, arguments));
                }
            }
        }
    }
}

/// An event of any type with some fields of any kind.
fn any_event() -> impl Strategy<Value = String> {
    let kinds = [
        "RUN_STARTED",
        "RUN_FINISHED",
        "RUN_ERROR",
        "STEP_STARTED",
        "STEP_FINISHED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_CHUNK",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_CHUNK",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "MESSAGES_SNAPSHOT",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "RAW",
        "CUSTOM",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_MESSAGE_CHUNK",
        "REASONING_END",
        "REASONING_ENCRYPTED_VALUE",
        "SUBAGENT_STARTED",
        "SUBAGENT_FINISHED",
        "SUBAGENT_ERROR",
        "THINKING_START",
        "THINKING_END",
        "THINKING_TEXT_MESSAGE_START",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
    ];
    let lane = prop_oneof![Just(None), Just(Some("s"))];
    (prop::sample::select(kinds.to_vec()), "[ab]", "[ab]", lane, 0..4_usize).prop_map(|(kind, id, other, lane, dropped)| {
        let mut fields = json!({
            "messageId": id, "toolCallId": other, "parentMessageId": id, "toolCallName": "pick", "delta": "x",
            "stepName": id, "content": "1", "message": "m", "name": "on_interrupt", "value": 1, "snapshot": {"a": 1},
            "activityType": "P", "patch": [{"op": "copy", "from": "", "path": "/a"}], "event": 1, "entityId": id,
            "encryptedValue": "z", "subtype": "message", "threadId": "t", "runId": "r", "subagentRunId": lane,
            "messages": [{"id": id, "role": "assistant", "toolCalls": [{"id": other, "function": 5}, 7]}]
        });
        match kind {
            "STATE_DELTA" => fields["delta"] = json!([{"op": "copy", "from": "", "path": "/a"}]),
            "ACTIVITY_SNAPSHOT" => fields["content"] = json!({"a": 1}),
            _ => {}
        }
        if dropped == 1 {
            fields["messageId"] = Value::Null;
            fields["toolCallId"] = Value::Null;
        }
        event(kind, fields).to_string()
    })
}
