//! Requests to a model, and calls by the system prompt of the request that led to them.

use agentci_trace::{EventKind, Trace};
use serde_json::{Value, json};

use crate::trial::{Story, check, failure, holds};

fn asked(system: &str, user: &str) -> EventKind {
    let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": user}]);
    EventKind::ModelCall { request: json!({"model": "m", "messages": messages}).into(), response: Value::Null.into() }
}

fn two() -> Trace {
    Story::default().push(asked("You are A.", "one")).push(asked("You are B.", "two")).told()
}

#[test]
fn all_conditions_must_match_the_same_request() {
    for (arguments, good) in [
        (json!({"system": "A", "user": "one"}), true),
        (json!({"system": "A", "user": "two"}), false),
        (json!({"system": "You", "of": "all"}), true),
        (json!({"system": "A", "of": "all"}), false),
        (json!({"system": "A", "of": "first"}), true),
        (json!({"system": "A", "of": "last"}), false),
        (json!({"system": "B", "of": "last"}), true),
        (json!({"system": "You", "count": 2}), true),
        (json!({"system": "A", "count": 2}), false),
        (json!({"system": "C", "count": 0}), true),
        (json!({"system": "A", "count": 0}), false),
        (json!({"system": "You", "of": "all", "count": {"max": 1}}), false),
        (json!({"messages": "A", }), false),
        (json!({"messages": {"equals": "two"}}), true),
        (json!({"model": "m", "of": "all"}), true),
        (json!({"model": {"matches": "."}}), true),
    ] {
        assert_eq!(holds("model_called", &arguments, false, &two()), good, "{arguments}");
        assert_eq!(holds("model_called", &arguments, true, &two()), !good, "not {arguments}");
    }
}

#[test]
fn failure_shows_closest_request_and_first_difference() {
    let missing = failure("model_called", &json!({"system": "You are C", "user": "two"}), false, &two(), &["system"]);
    assert_eq!(missing.message, "no request to the model has a system prompt that contains `You are C`");
    assert_eq!(missing.label, "the system prompt of request 2 of 2 is `You are B.`");
    assert_eq!(missing.notes[0], "turn 1, request 1 of 2 offers no tools; model `m`, a system prompt, user `one`");
    let mixed = failure("model_called", &json!({"system": "A", "user": "two"}), false, &two(), &["user"]);
    assert_eq!(mixed.message, "no request to the model meets all conditions");
    assert_eq!(mixed.label, "the last user message of request 1 of 2 is `one`");
    let lines = Story::default().push(asked("You are A.\nBe brief.\nBe kind.", "x")).told();
    let wanted = json!({"system": "Be brief.\nBe exact.\n"});
    let missing = failure("model_called", &wanted, false, &lines, &["system"]);
    assert_eq!(missing.label, "the system prompt of request 1 of 1 lacks `Be exact.`");
    let wanted = json!({"system": {"equals": "You are A.\nBe exact.\nBe kind."}});
    let missing = failure("model_called", &wanted, false, &lines, &["system", "equals"]);
    assert_eq!(missing.label, "the system prompt of request 1 of 1 has `Be brief.` in line 2, expected `Be exact.`");
    let long = Story::default().push(asked(&"word ".repeat(100), "x")).told();
    let missing = failure("model_called", &json!({"system": "shop"}), false, &long, &["system"]);
    assert!(
        missing.label.starts_with("the system prompt of request 1 of 1 begins with `word word"),
        "{}",
        missing.label
    );
}

/// A request whose answer requests a call with this id.
fn asks(system: &str, id: &str) -> EventKind {
    let EventKind::ModelCall { request, .. } = asked(system, "go") else { unreachable!() };
    let response = json!({"choices": [{"message": {"tool_calls": [{"id": id, "function": {"name": "pay"}}]}}]});
    EventKind::ModelCall { request, response: response.into() }
}

#[test]
fn only_calls_requested_under_the_prompt_count() {
    // The id of a call in a story is its number.
    let trace = Story::default()
        .push(asks("You are triage.", "1"))
        .called("look", json!({}), json!("ok"))
        .called("pay", json!({"amount": 20}), json!("paid"))
        .push(asks("You are billing.", "3"))
        .called("pay", json!({"amount": 30}), json!("paid"))
        .told();
    let by = |system: &str, more: Value| {
        let mut asked = json!({"name": "pay", "by": {"system": system}});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    for (asked, good) in [
        (by("billing", json!({})), true),
        (by("billing", json!({"args": {"amount": 30}, "count": 1})), true),
        (by("billing", json!({"args": {"amount": 20}})), false),
        (by("billing", json!({"after": "look"})), true),
        (by("nobody", json!({})), false),
        (json!({"name": "pay", "count": 2}), true),
    ] {
        assert_eq!(holds("tool_called", &asked, false, &trace), good, "{asked}");
    }
    // It is unknown whose call the other one is: no answer requested `2`.
    let untold = failure("tool_called", &by("triage", json!({})), false, &trace, &["name"]);
    let notes = untold.notes.join("\n");
    assert!(
        notes.contains("1 call of `pay` not counted: requested under another system prompt, `You are billing.`"),
        "{notes}"
    );
    assert!(notes.contains("1 call of `pay` not counted: no observed answer of a model requested `2`"), "{notes}");
}

#[test]
fn negated_fails_when_calling_agent_is_unknown() {
    let never = json!({"name": "pay", "by": {"system": "triage"}});
    let pays = |story: Story| story.called("pay", json!({"amount": 20}), json!("paid")).told();
    let elsewhere = pays(Story::default().push(asks("You are triage.", "other-id")));
    let doubt = failure("tool_called", &never, true, &elsewhere, &["by", "system"]);
    assert_eq!(doubt.message, "`pay` was called, and it is unknown which agent called it");
    // A call that no model requested, or only one with another prompt, does not count.
    assert!(holds("tool_called", &never, true, &pays(Story::default())));
    assert!(holds("tool_called", &never, true, &pays(Story::default().push(asks("You are billing.", "other-id")))));
    assert!(holds("tool_called", &never, true, &pays(Story::default().push(asks("You are billing.", "1")))));
    assert!(!holds("tool_called", &never, true, &pays(Story::default().push(asks("You are triage.", "1")))));
    let other = json!({"name": "pay", "args": {"amount": 30}, "by": {"system": "triage"}});
    assert!(holds("tool_called", &other, true, &elsewhere));
}

#[test]
fn refuses_invalid_conditions() {
    for arguments in
        [json!({"tools": [{"parameters": {}}]}), json!({"of": "some"}), json!({"tools": {"only": []}}), json!("x")]
    {
        assert!(check("model_called", &arguments, false).ready.is_err(), "{arguments}");
    }
    assert!(check("tool_called", &json!({"name": "a", "by": {}}), false).ready.is_err());
    assert!(check("tool_called", &json!({"name": "a", "by": "triage"}), false).ready.is_err());
}
