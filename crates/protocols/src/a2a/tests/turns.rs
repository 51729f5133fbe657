//! The results of the items of a turn.

use super::*;
use crate::a2a::TaskState;

#[test]
fn message_parts_become_the_text() {
    let mut conversation = A2aConversation::new(None);
    let message =
        json!({ "message": { "messageId": "m", "contextId": "c", "parts": [{ "text": "a" }, { "text": "b" }] } });
    let (left, ending) = read(&[message], MODERN, &mut conversation);
    assert_eq!((left.text.as_str(), ending), ("ab", TurnStanding::Done));
    assert_eq!(left.state, None);
    let next = conversation.say(user("hi"), &[]);
    assert_eq!((next.context.as_deref(), next.task), (Some("c"), None));
}

#[test]
fn text_contains_artifacts_but_not_working_messages() {
    let items = [
        task("TASK_STATE_SUBMITTED", &json!([])),
        status("TASK_STATE_WORKING", "thinking"),
        artifact("plan", &json!({ "text": "Fly " }), false),
        artifact("price", &json!({ "data": { "total": 4.0 } }), false),
        artifact("plan", &json!({ "text": "home" }), true),
        status("TASK_STATE_COMPLETED", "Done."),
    ];
    let (left, ending) = read(&items, MODERN, &mut A2aConversation::new(None));
    assert_eq!((left.text.as_str(), ending), ("Fly home\nDone.", TurnStanding::Done));
    assert_eq!((left.logs, left.violations), (vec!["thinking".to_owned()], Vec::new()));
    assert_eq!(left.output.unwrap().to_string(), r#"{"total":4.0}"#);
    let state = json!({ "id": "t", "state": "completed", "artifacts": [
        { "name": "plan", "parts": [{ "text": "Fly " }, { "text": "home" }] },
        { "name": "price", "parts": [{ "data": { "total": 4.0 } }] },
    ] });
    assert_eq!(left.state, Some(state));
}

#[test]
fn final_message_equal_to_artifact_is_not_repeated() {
    let items = [
        task("TASK_STATE_WORKING", &json!([])),
        artifact("a", &json!({ "text": "Done." }), false),
        status("TASK_STATE_COMPLETED", "Done."),
    ];
    assert_eq!(read(&items, MODERN, &mut A2aConversation::new(None)).0.text, "Done.");
}

#[test]
fn continues_waiting_task_until_completion() {
    let mut conversation = A2aConversation::new(None);
    let offer = json!([{ "artifactId": "offer", "parts": [{ "text": "An offer." }] }]);
    let asks = [task("TASK_STATE_WORKING", &offer), status("TASK_STATE_INPUT_REQUIRED", "Where to?")];
    let (left, ending) = read(&asks, MODERN, &mut conversation);
    assert_eq!((left.text.as_str(), ending), ("An offer.\nWhere to?", TurnStanding::Waits));
    let next = conversation.say(user("Rome"), &[]);
    assert_eq!((next.context.as_deref(), next.task.as_deref()), (Some("c"), Some("t")));
    // Artifacts of the previous turn are not returned again.
    let both = json!([offer[0], { "artifactId": "ticket", "parts": [{ "text": "Booked." }] }]);
    let (left, ending) = read(&[task("TASK_STATE_COMPLETED", &both)], MODERN, &mut conversation);
    assert_eq!((left.text.as_str(), ending), ("Booked.", TurnStanding::Done));
    assert_eq!(left.state.unwrap()["artifacts"].as_array().unwrap().len(), 2);
    let after = conversation.say(user("thanks"), &[]);
    assert_eq!((after.context.as_deref(), after.task), (Some("c"), None));
}

#[test]
fn failure_contains_status_message() {
    for (state, wanted) in [
        ("TASK_STATE_FAILED", TaskState::Failed),
        ("TASK_STATE_REJECTED", TaskState::Rejected),
        ("TASK_STATE_CANCELED", TaskState::Canceled),
    ] {
        let items = [task("TASK_STATE_WORKING", &json!([])), status(state, "no flights")];
        let (left, ending) = read(&items, MODERN, &mut A2aConversation::new(None));
        assert_eq!(ending, TurnStanding::Failed { state: wanted, words: "no flights".into() });
        assert_eq!(left.text, "");
    }
}

#[test]
fn reports_stream_that_ends_while_task_is_working() {
    let mut conversation = A2aConversation::new(None);
    let items = [task("TASK_STATE_SUBMITTED", &json!([])), status("TASK_STATE_WORKING", "")];
    let (_, ending) = read(&items, MODERN, &mut conversation);
    assert_eq!(ending, TurnStanding::Working { task: "t".into(), state: TaskState::Working });
    assert_eq!(read(&[], MODERN, &mut conversation).1, TurnStanding::Silent);
}

#[test]
fn polling_does_not_repeat_messages() {
    let mut working = task("TASK_STATE_WORKING", &json!([]));
    working["task"]["status"]["message"] = json!({ "parts": [{ "text": "counting" }] });
    let (left, _) = read(&[working.clone(), working], MODERN, &mut A2aConversation::new(None));
    assert_eq!(left.logs, ["counting"]);
}

#[test]
fn reads_stream_of_previous_version() {
    let items = [
        json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "submitted" } }),
        json!({ "kind": "status-update", "taskId": "t", "contextId": "c", "final": false,
            "status": { "state": "working", "message": { "kind": "message", "parts": [{ "kind": "text", "text": "hm" }] } } }),
        json!({ "kind": "artifact-update", "taskId": "t", "contextId": "c",
            "artifact": { "artifactId": "a", "parts": [{ "kind": "text", "text": "Fly" }] } }),
        json!({ "kind": "artifact-update", "taskId": "t", "contextId": "c", "append": true, "lastChunk": true,
            "artifact": { "artifactId": "a", "parts": [{ "kind": "text", "text": " home" }] } }),
        json!({ "kind": "status-update", "taskId": "t", "contextId": "c", "final": true, "status": { "state": "completed" } }),
    ];
    let (left, ending) = read(&items, OLD, &mut A2aConversation::new(None));
    assert_eq!((left.text.as_str(), ending), ("Fly home", TurnStanding::Done));
    assert_eq!((left.logs, left.violations), (vec!["hm".to_owned()], Vec::new()));
}

#[test]
fn reports_protocol_violations_and_continues() {
    let done = [task("TASK_STATE_COMPLETED", &json!([])), status("TASK_STATE_WORKING", "")];
    let other =
        json!({ "statusUpdate": { "taskId": "x", "contextId": "c", "status": { "state": "TASK_STATE_FAILED" } } });
    let elsewhere = json!({ "task": { "id": "t", "contextId": "d", "status": { "state": "TASK_STATE_COMPLETED" } } });
    let message = json!({ "message": { "parts": [{ "text": "by the way" }] } });
    for (items, wanted) in [
        (done.to_vec(), "became working"),
        (vec![task("TASK_STATE_WORKING", &json!([])), other], "another task"),
        (vec![elsewhere], "in the context `d`"),
        (vec![task("TASK_STATE_DREAMING", &json!([]))], "unknown task state `TASK_STATE_DREAMING`"),
        (vec![message.clone(), message.clone()], "second message"),
        (vec![task("TASK_STATE_WORKING", &json!([])), message], "although its answer is a task"),
        (
            vec![task("TASK_STATE_WORKING", &json!([])), artifact("a", &json!({ "text": "x" }), true)],
            "unknown artifact",
        ),
    ] {
        let (left, _) = read(&items, MODERN, &mut A2aConversation::new(Some("c".into())));
        assert!(left.violations.iter().any(|told| told.contains(wanted)), "{wanted}: {left:?}");
    }
}

#[test]
fn refuses_invalid_stream_items() {
    for wrong in [
        json!(null),
        json!({}),
        json!({ "weather": "fine" }),
        json!({ "task": { "id": "t" } }),
        json!({ "task": { "status": { "state": "TASK_STATE_WORKING" } } }),
        json!({ "statusUpdate": { "status": { "state": "TASK_STATE_WORKING" } } }),
        json!({ "artifactUpdate": { "taskId": "t", "artifact": { "parts": [] } } }),
        json!({ "message": { "parts": "hello" } }),
    ] {
        let read = A2aReader::default().item(&wrong, MODERN, &mut A2aConversation::new(None));
        assert!(read.is_err(), "{wrong}");
    }
}

#[test]
fn enforces_limits_on_artifacts_bytes_and_items() {
    fn first_wrong(mut items: impl Iterator<Item = Value>) -> Option<String> {
        let (mut reader, mut conversation) = (A2aReader::default(), A2aConversation::new(None));
        items.find_map(|item| reader.item(&item, MODERN, &mut conversation).err()).map(|broken| broken.0)
    }
    let part = json!({ "text": "x" });
    let artifacts = (0..10_001).map(|number| artifact(&format!("a{number}"), &part, false));
    assert_eq!(first_wrong(artifacts).unwrap(), "the agent created more than 10000 artifacts");
    let mut reader = A2aReader::having(0, 64 << 20);
    let piece = reader.item(&artifact("one", &part, true), MODERN, &mut A2aConversation::new(None));
    assert_eq!(piece.unwrap_err().0, "the agent sent more than 67108864 bytes in one turn");
    let mut reader = A2aReader::having(999_999, 0);
    let mut next = || reader.item(&status("TASK_STATE_WORKING", ""), MODERN, &mut A2aConversation::new(None));
    assert!(next().is_ok());
    assert_eq!(next().unwrap_err().0, "the agent sent more than 1000000 items in one turn");
}
