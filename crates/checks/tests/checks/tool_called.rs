//! Tool calls by arguments and by results.

use agentci_trace::Trace;
use serde_json::{Value, json};

use crate::trial::{Story, check, failure, holds};

/// A check of one tool with one more key.
pub(crate) fn pay(key: &str, value: Value) -> Value {
    Value::Object([("name".to_owned(), "pay".into()), (key.to_owned(), value)].into_iter().collect())
}

fn sent(args: Value) -> Trace {
    Story::default().called("pay", args, json!("ok")).told()
}

fn answered(result: Value) -> Trace {
    Story::default().called("pay", json!({}), result).told()
}

#[test]
fn arguments_are_matched_by_path() {
    let args = json!({
        "to": "Ann Lee", "amount": 20, "rate": 0.50, "note": null, "urgent": true, "empty": "",
        "items": [{"sku": "A-17"}, {"sku": "B-2", "tags": ["x", "y"]}],
        "bill.to": "dotted", "bill": {"to": "nested", "net": 7},
    });
    let args: Value = serde_json::from_str(&args.to_string().replace("0.5", "0.50")).unwrap();
    for (path, pattern, found) in [
        ("to", "Lee$", true),
        ("to", "^Lee", false),
        ("to", "\"", false),
        ("amount", "^20$", true),
        ("amount", "^2$", false),
        ("rate", r"^0\.50$", true),
        ("note", "^null$", true),
        ("urgent", "^true$", true),
        ("empty", "^$", true),
        ("missing", ".*", false),
        ("missing", "null|undefined|^$", false),
        ("items.0.sku", "^A-17$", true),
        ("items.1.sku", "^A", false),
        ("items.1.tags.1", "^y$", true),
        ("items.2.sku", ".*", false),
        ("items.x", ".*", false),
        ("items.1.tags", r#"^\["x","y"\]$"#, true),
        ("items.0", r#"^\{"sku":"A-17"\}$"#, true),
        ("bill.to", "^dotted$", true),
        ("bill.net", "^7$", true),
        ("to.length", ".*", false),
    ] {
        let asked = pay("args_match", json!({ path: pattern }));
        assert_eq!(holds("tool_called", &asked, false, &sent(args.clone())), found, "{path} {pattern}");
        assert_eq!(holds("tool_called", &asked, true, &sent(args.clone())), !found, "not {path} {pattern}");
    }
    for args in [json!(null), json!("{\"to\":"), json!([])] {
        assert!(!holds("tool_called", &pay("args_match", json!({"to": ""})), false, &sent(args)));
    }
}

#[test]
fn all_conditions_must_match_the_same_call() {
    let trace = Story::default()
        .called("pay", json!({"to": "Ann", "amount": 20}), json!("declined"))
        .called("pay", json!({"to": "Bob", "amount": 30}), json!("accepted"))
        .called("ask", json!({"to": "Ann"}), json!("accepted"))
        .told();
    for (asked, good) in [
        (json!({"name": "pay", "args_match": {"to": "Ann", "amount": "20"}}), true),
        (json!({"name": "pay", "args_match": {"to": "Ann", "amount": "30"}}), false),
        (json!({"name": "pay", "args": {"amount": 20}, "args_match": {"to": "Ann"}}), true),
        (json!({"name": "pay", "args": {"amount": 20}, "args_match": {"to": "Bob"}}), false),
        (json!({"name": "pay", "args_match": {"to": "Ann"}, "result_match": "accepted"}), false),
        (json!({"name": "pay", "args_match": {"to": "Bob"}, "result_match": "accepted"}), true),
        (json!({"name": "pay", "result_match": "ed$", "result_not_match": "declined"}), true),
        (json!({"name": "pay", "result_match": "declined", "result_not_match": "declined"}), false),
    ] {
        assert_eq!(holds("tool_called", &asked, false, &trace), good, "{asked}");
        assert_eq!(holds("tool_called", &asked, true, &trace), !good, "not {asked}");
    }
}

#[test]
fn results_match_compact_or_spaced_json() {
    let object = json!({"status": "ok", "codes": [1, 2]});
    for (result, pattern, found) in [
        (json!("card declined"), "declined", true),
        (json!("card declined"), "^declined", false),
        (json!("card declined"), "\"", false),
        (json!("a: b"), "a:b", false),
        (object.clone(), r#""status":"ok","codes""#, true),
        (object.clone(), r#""status": "ok", "codes""#, true),
        (object.clone(), r"\[1,2\]", true),
        (object.clone(), r"\[1, 2\]", true),
        (object.clone(), r#""status":  "ok""#, false),
        (object, "declined", false),
        (json!(null), "^null$", true),
        (json!(20), "^20$", true),
        (json!([]), r"^\[\]$", true),
    ] {
        let trace = answered(result.clone());
        assert_eq!(
            holds("tool_called", &pay("result_match", json!(pattern)), false, &trace),
            found,
            "{result} {pattern}"
        );
        let without = pay("result_not_match", json!(pattern));
        assert_eq!(holds("tool_called", &without, false, &trace), !found, "{result} without {pattern}");
    }
}

#[test]
fn call_without_a_result_matches_no_pattern() {
    let trace = Story::default().calls("pay", json!({})).told();
    for pattern in ["", ".*", "null", "undefined"] {
        assert!(!holds("tool_called", &pay("result_match", json!(pattern)), false, &trace), "{pattern}");
        assert!(holds("tool_called", &pay("result_not_match", json!(pattern)), false, &trace), "{pattern}");
    }
    // It was called nevertheless.
    assert!(holds("tool_called", &json!("pay"), false, &trace) && !holds("tool_called", &json!("pay"), true, &trace));
    let unanswered = failure("tool_called", &pay("result_match", json!("ok")), false, &trace, &["result_match"]);
    assert_eq!(unanswered.label, "the call has no result");
    assert_eq!(unanswered.notes, ["turn 1, call 1 of 1: pay() -> no result"]);
}

#[test]
fn failed_call_is_matched_by_its_error() {
    let failed = |result| Story::default().calls("pay", json!({})).fails("card declined", result).told();
    for (result, pattern, found) in [
        (json!(null), "declined", true),
        (json!(null), "null", false),
        (json!({"code": 7}), "declined", true),
        (json!({"code": 7}), "code\": 7", true),
        (json!({"code": 7}), "accepted", false),
    ] {
        let asked = pay("result_match", json!(pattern));
        assert_eq!(holds("tool_called", &asked, false, &failed(result.clone())), found, "{result} {pattern}");
        let without = pay("result_not_match", json!(pattern));
        assert_eq!(
            holds("tool_called", &without, false, &failed(result.clone())),
            !found,
            "{result} without {pattern}"
        );
    }
    let asked = pay("result_not_match", json!("decl"));
    let complaint = failure("tool_called", &asked, false, &failed(json!(null)), &["result_not_match"]);
    assert_eq!(
        complaint.message,
        "no call of `pay` has a result not matching `decl`: the result contains card declined"
    );
    assert_eq!(complaint.label, "the result contains card declined");
    assert_eq!(complaint.notes, ["turn 1, call 1 of 1: pay() -> failed: card declined"]);
    assert_eq!(complaint.details[0].actual, json!("card declined"));
}

#[test]
fn failure_shows_other_calls_when_tool_was_not_called() {
    let trace = Story::default().called("ask", json!({"q": "x"}), json!([1])).told();
    for (asked, steps) in [(json!({"name": "pay"}), ["name"].as_slice()), (json!("pay"), &[])] {
        assert_eq!(
            failure("tool_called", &asked, false, &trace, steps).notes,
            [r#"turn 1, call 1 of 1: ask(q="x") -> [1]"#]
        );
        assert_eq!(failure("tool_called", &asked, false, &Trace::default(), steps).notes, ["the agent called no tool"]);
    }
}

#[test]
fn failure_shows_closest_call_and_unmet_condition() {
    let trace = Story::default()
        .called("pay", json!({"to": "Bob", "amount": 20}), json!("ok"))
        .next_turn()
        .called("pay", json!({"to": "Ann", "amount": 7}), json!({"state": "ok"}))
        .told();
    let asked = json!({"name": "pay", "args": {"to": "Ann"}, "args_match": {"amount": "^20$"}, "result_match": "ok"});
    let near = failure("tool_called", &asked, false, &trace, &["args_match", "amount"]);
    // The first call has the amount.
    assert_eq!(near.message, "no call of `pay` meets all conditions");
    assert_eq!(near.label, "the agent sent 7");
    assert_eq!(
        near.notes,
        [
            "call 2 of 2 comes closest, but does not have `amount` matching `^20$`: the agent sent 7",
            r#"turn 1, call 1 of 2: pay(to="Bob", amount=20) -> "ok""#,
            r#"turn 2, call 2 of 2: pay(to="Ann", amount=7) -> {"state":"ok"}"#,
        ]
    );
    assert_eq!(near.details.len(), 1);
    let detail = &near.details[0];
    assert_eq!((detail.path.as_str(), &detail.expected, &detail.actual), ("/amount", &json!("^20$"), &json!(7)));

    let nowhere = json!({"name": "pay", "args_match": {"items.0.sku": "A"}});
    let lacking = failure("tool_called", &nowhere, false, &trace, &["args_match", "items.0.sku"]);
    assert_eq!(lacking.message, "no call of `pay` has `items.0.sku` matching `A`");
    assert_eq!(lacking.label, "the agent did not send it");
    assert_eq!(lacking.details[0].path, "/items/0/sku");

    // One call matches and two are expected: the failure is about the count.
    let twice = json!({"name": "pay", "args_match": {"to": "Ann"}, "count": 2});
    let few = failure("tool_called", &twice, false, &trace, &["count"]);
    assert_eq!(few.message, "`pay` was called once with `to` matching `Ann`, expected exactly 2 times");
    assert_eq!(
        few.notes[0],
        "call 1 of 2 comes closest, but does not have `to` matching `Ann`: the agent sent \"Bob\""
    );
}

#[test]
fn failure_shows_the_result_that_did_not_match() {
    let asked = pay("result_match", json!("accepted"));
    let other = failure("tool_called", &asked, false, &answered(json!({"state": "declined"})), &["result_match"]);
    assert_eq!(
        other.message,
        "no call of `pay` has a result matching `accepted`: the result is {\"state\":\"declined\"}"
    );
    assert_eq!(other.label, r#"the result is {"state":"declined"}"#);
    let long = json!({"text": "word ".repeat(10_000)});
    let cut = failure("tool_called", &asked, false, &answered(long), &["result_match"]);
    assert!(cut.label.len() < 200 && cut.label.ends_with("..."), "{}", cut.label);
    assert!(cut.notes[0].len() < 250 && cut.notes[0].ends_with("..."), "{}", cut.notes[0]);
    assert!(cut.details[0].actual.as_str().is_some_and(|text| text.len() < 2100));
}

#[test]
fn failure_truncates_long_call_lists() {
    let story = (0..15).fold(Story::default(), |story, id| story.called("pay", json!({ "id": id }), json!("ok")));
    let trace = story.called("pay", json!({"id": 15, "to": "Ann"}), json!("ok")).told();
    let asked = json!({"name": "pay", "args_match": {"to": "Ann", "id": "x"}});
    let near = failure("tool_called", &asked, false, &trace, &["args_match", "id"]);
    assert_eq!(near.notes.len(), 13);
    assert_eq!(near.notes[10], r#"turn 1, call 10 of 16: pay(id=9) -> "ok""#);
    assert_eq!(near.notes[11], r#"turn 1, call 16 of 16: pay(id=15, to="Ann") -> "ok""#);
    assert_eq!(near.notes[12], "and 5 more");
}

#[test]
fn negated_failure_shows_every_matching_call() {
    let trace = Story::default()
        .called("pay", json!({"to": "Ann"}), json!("ok"))
        .called("pay", json!({"to": "Bob"}), json!("ok"))
        .next_turn()
        .calls("pay", json!({"to": "Anna"}))
        .told();
    let asked = pay("args_match", json!({"to": "^Ann"}));
    let found = failure("tool_called", &asked, true, &trace, &["name"]);
    assert_eq!(found.message, "`pay` was called with `to` matching `^Ann`, which `not` forbids");
    assert_eq!(found.label, "the agent called this 2 times");
    assert_eq!(
        found.notes,
        [r#"turn 1, call 1 of 2: pay(to="Ann") -> "ok""#, r#"turn 2, call 2 of 2: pay(to="Anna") -> no result"#,]
    );
    let any = failure("tool_called", &json!({"any": ["ask", "pay"]}), true, &trace, &["any", "1"]);
    assert_eq!(any.notes.len(), 3);
    assert!(holds("tool_called", &pay("args_match", json!({"to": "Carl"})), true, &trace));
}

#[test]
fn refuses_arguments_of_the_wrong_type() {
    for (asked, why) in [
        (json!({"after": "check"}), "`tool_called` needs `name`"),
        (pay("args_match", json!("a")), "`args_match` must be a mapping, found the string `a`"),
        (pay("args_match", json!({"amount": 20})), "`amount` must be a string, found the number 20"),
        (pay("args_match", json!({"amount": null})), "`amount` must be a string, found nothing"),
        (pay("result_match", json!(["a"])), "`result_match` must be a string, found a list"),
        (pay("result_not_match", json!(true)), "`result_not_match` must be a string, found the boolean true"),
        (pay("after", json!("")), "`after` must not be empty"),
        (pay("after", json!(["a"])), "`after` must be a string, found a list"),
        (pay("count", json!({"exact": 1})), "unknown key `exact` in `count`"),
        (pay("result_matches", json!("a")), "unknown key `result_matches` in `tool_called`"),
        (json!({"any": ["a"], "after": "b"}), "unknown key `after` in `tool_called`"),
    ] {
        assert_eq!(check("tool_called", &asked, false).problem().message, why, "{asked}");
    }
}
