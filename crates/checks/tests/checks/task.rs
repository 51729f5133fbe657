//! The task of an A2A agent.

use agentci_trace::{EventKind, Trace};
use serde_json::{Value, json};

use crate::trial::{Story, check, failure, holds};

fn task(state: &str) -> Trace {
    let artifacts = json!([
        { "name": "itinerary", "parts": [{ "text": "Fly " }, { "text": "home" }] },
        { "parts": [{ "data": { "total": 4.0 } }, { "url": "https://example.com/x.pdf" }, { "raw": "5 bytes" }] },
    ]);
    let stood = |state: &str, artifacts: &Value| {
        EventKind::State(json!({ "task": { "id": "t", "state": state, "artifacts": artifacts } }).into())
    };
    let other = EventKind::State(json!({ "mood": "fine" }).into());
    Story::default().push(stood("input-required", &json!([]))).push(stood(state, &artifacts)).push(other).told()
}

#[test]
fn checks_the_last_task() {
    for (asked, held) in [
        (json!({ "state": "completed" }), true),
        (json!({ "state": ["input-required", "completed"] }), true),
        (json!({ "state": "input-required" }), false),
        (json!({ "artifacts": { "min": 2 } }), true),
        (json!({ "artifacts": { "min": 3 } }), false),
        (json!({ "artifacts": { "names": "itinerary" } }), true),
        (json!({ "artifacts": { "names": ["itinerary", "invoice"] } }), false),
        (json!({ "artifacts": { "match": "^Fly home$" } }), true),
        (json!({ "artifacts": { "match": ["home", r#""total":4"#, r"x\.pdf"] } }), true),
        (json!({ "artifacts": { "match": "home.*total" } }), false),
        (json!({ "state": "completed", "artifacts": { "min": 1, "match": "away" } }), false),
    ] {
        assert_eq!(holds("task", &asked, false, &task("completed")), held, "{asked}");
        assert_eq!(holds("task", &asked, true, &task("completed")), !held, "not {asked}");
    }
}

#[test]
fn response_without_a_task_fails() {
    assert!(!holds("task", &json!({ "state": "completed" }), false, &Story::default().says("done").told()));
}

#[test]
fn failure_points_at_the_unmet_condition() {
    let failed = |asked: &Value, steps: &[&str]| failure("task", asked, false, &task("completed"), steps);
    let state = failed(&json!({ "state": ["working", "failed"] }), &["state", "0"]);
    assert_eq!(state.message, "the task is `completed`, expected working or failed");
    let fewer = failed(&json!({ "artifacts": { "min": 3 } }), &["artifacts", "min"]);
    assert_eq!(fewer.message, "the task produced 2 artifacts, expected at least 3");
    let missing = failed(&json!({ "artifacts": { "names": ["itinerary", "x"] } }), &["artifacts", "names", "1"]);
    assert_eq!(missing.notes, ["it produced `itinerary`, one without a name"]);
    let unmet = failed(&json!({ "artifacts": { "match": "away" } }), &["artifacts", "match"]);
    assert!(unmet.notes.iter().any(|note| note.ends_with("Fly home")), "{:?}", unmet.notes);
}

#[test]
fn refuses_invalid_arguments() {
    for (asked, wanted) in [
        (json!({}), "needs `state` or `artifacts`"),
        (json!({ "state": "complete" }), "`state` must be one of"),
        (json!({ "artifacts": { "min": -1 } }), "`min` must be 0 or more"),
        (json!({ "artifacts": { "match": "(" } }), "pattern cannot be used"),
        (json!({ "artifacts": { "name": "x" } }), "unknown key `name`"),
        (json!("completed"), "must be a mapping"),
    ] {
        let trial = check("task", &asked, false);
        assert!(trial.problem().message.contains(wanted), "{asked}: {}", trial.problem().message);
    }
}
