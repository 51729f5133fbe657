//! Properties of any input from an agent.

use proptest::prelude::*;

use super::*;

fn json() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        Just("t"),
        Just("task"),
        Just("TASK_STATE_WORKING"),
        Just("TASK_STATE_COMPLETED"),
        Just("TASK_STATE_INPUT_REQUIRED"),
        Just("TASK_STATE_FAILED"),
        Just("status-update"),
        Just(""),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "kind",
        "task",
        "message",
        "statusUpdate",
        "artifactUpdate",
        "id",
        "taskId",
        "contextId",
        "status",
        "state",
        "artifact",
        "artifacts",
        "artifactId",
        "parts",
        "text",
        "data",
        "file",
        "append",
    ]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..5).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

/// Items that are mostly valid.
fn item() -> impl Strategy<Value = Value> {
    let states = ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_FAILED"];
    let state = prop::sample::select(states.to_vec());
    prop_oneof![
        3 => (state.clone(), "[ab]?").prop_map(|(state, words)| status(state, &words)),
        3 => ("[xy]", "[ab]", any::<bool>()).prop_map(|(id, text, append)| artifact(&id, &json!({ "text": text }), append)),
        1 => state.prop_map(|state| task(state, &json!([]))),
        1 => Just(json!({ "message": { "parts": [{ "text": "m" }] } })),
        1 => json(),
    ]
}

proptest! {
    /// The text does not depend on how it is split into pieces.
    #[test]
    fn chunked_artifact_equals_concatenated_text(pieces in prop::collection::vec("[a-z ]{0,5}", 1..20)) {
        let mut items = vec![task("TASK_STATE_WORKING", &json!([]))];
        let piece = |(number, text): (usize, &String)| artifact("a", &json!({ "text": text }), number > 0);
        items.extend(pieces.iter().enumerate().map(piece));
        items.push(status("TASK_STATE_COMPLETED", ""));
        let (left, ending) = read(&items, MODERN, &mut A2aConversation::new(None));
        prop_assert_eq!((left.text, ending), (pieces.concat(), TurnStanding::Done));
        prop_assert!(left.violations.is_empty());
    }

    /// No input makes a reader panic, and a task is only continued if the agent named it and it waits.
    #[test]
    fn never_panics_on_arbitrary_items(answers in prop::collection::vec(prop::collection::vec(item(), 0..6), 1..4)) {
        let mut conversation = A2aConversation::new(None);
        for items in answers {
            let next = conversation.say(user("hi"), &[]);
            if let Some(task) = &next.task {
                prop_assert!(conversation.task.as_ref().is_some_and(|known| known.id == *task && known.state.is_interrupted()));
            }
            let mut reader = A2aReader::default();
            for item in &items {
                let _ = reader.item(item, MODERN, &mut conversation);
            }
            let ending = reader.ending(&conversation);
            let over = reader.is_over(&conversation);
            prop_assert_eq!(over, !matches!(ending, TurnStanding::Silent | TurnStanding::Working { .. }));
            let states = reader.end(&mut conversation).into_iter().filter(|kind| matches!(kind, EventKind::State(_))).count();
            prop_assert!(states <= 1);
        }
    }
}
