//! Tool calls by count and by order.

use serde_json::json;

use crate::tool_called::pay;
use crate::trial::{Story, failure, holds};

#[test]
fn call_count_must_be_within_limits() {
    let calls = |number: usize| {
        let story = Story::default().called("ask", json!({}), json!(1));
        (0..number).fold(story, |story, id| story.called("pay", json!({ "id": id }), json!("ok"))).told()
    };
    for (count, made, good) in [
        (json!(0), 0, true),
        (json!(0), 1, false),
        (json!(2), 1, false),
        (json!(2), 2, true),
        (json!(2), 3, false),
        (json!({"min": 2}), 1, false),
        (json!({"min": 2}), 9, true),
        (json!({"max": 2}), 0, true),
        (json!({"max": 2}), 2, true),
        (json!({"max": 2}), 3, false),
        (json!({"min": 1, "max": 2}), 0, false),
        (json!({"min": 0}), 0, true),
        (json!({"max": 0}), 1, false),
        (json!({}), 0, true),
    ] {
        let asked = pay("count", count.clone());
        assert_eq!(holds("tool_called", &asked, false, &calls(made)), good, "{count} of {made}");
        assert_eq!(holds("tool_called", &asked, true, &calls(made)), !good, "not {count} of {made}");
        // The same for calls that meet conditions.
        let chosen = json!({"name": "pay", "args_match": {"id": "^[02468]$"}, "count": count});
        assert_eq!(holds("tool_called", &chosen, false, &calls(made * 2)), good, "{chosen} of {made}");
    }
    for (asked, made, message, label) in [
        (pay("count", json!(0)), 1, "`pay` was called once, but must not be", "called once"),
        (pay("count", json!({"max": 2})), 3, "`pay` was called 3 times, expected at most 2 times", "called 3 times"),
        (pay("count", json!({"max": 1})), 3, "`pay` was called 3 times, expected at most once", "called 3 times"),
        (pay("count", json!({"min": 2})), 0, "`pay` was called 0 times, expected at least 2 times", "never called"),
        (
            json!({"name": "pay", "args_match": {"id": ""}, "count": 1}),
            2,
            "`pay` was called 2 times with `id` matching ``, expected exactly once",
            "called 2 times with `id` matching ``",
        ),
        (
            json!({"name": "pay", "result_match": "ok", "count": 1}),
            2,
            "`pay` was called 2 times with a result matching `ok`, expected exactly once",
            "called 2 times with a result matching `ok`",
        ),
    ] {
        let failed = failure("tool_called", &asked, false, &calls(made), &["count"]);
        assert_eq!((failed.message.as_str(), failed.label.as_str()), (message, label), "{asked}");
        assert_eq!(failed.details[0].actual, json!(made));
    }
    let negated = failure("tool_called", &pay("count", json!(2)), true, &calls(2), &["count"]);
    assert_eq!(negated.message, "`pay` was called 2 times, but `not` forbids that it is called exactly 2 times");
}

#[test]
fn first_calls_must_be_in_order() {
    let calls = |names: &[&str]| {
        names.iter().fold(Story::default(), |story, name| story.called(name, json!({}), json!("ok"))).told()
    };
    for (names, good) in [
        (["check", "pay"].as_slice(), true),
        (&["pay", "check"], false),
        (&["check", "pay", "check", "pay"], true),
        (&["pay", "check", "pay"], false),
        (&["pay"], false),
    ] {
        assert_eq!(holds("tool_called", &pay("after", json!("check")), false, &calls(names)), good, "{names:?}");
    }
    assert!(holds("tool_called", &pay("after", json!("pay")), false, &calls(&["check", "pay"])));
    // Tools whose names end in these names are in order as well.
    let suffix = json!({"name": "pay", "suffix": true, "after": "check"});
    for (names, good) in [
        (["shop__check", "shop__pay"].as_slice(), true),
        (&["shop__pay", "shop__check"], false),
        (&["pay", "shop.check"], false),
        (&["shop__check", "pay"], true),
        (&["shop__pay"], false),
        (&["recheck", "shop__pay"], false),
    ] {
        assert_eq!(holds("tool_called", &suffix, false, &calls(names)), good, "{names:?}");
    }
    // If the tool was not called, only the count matters.
    for names in [["check"].as_slice(), &[]] {
        let none = json!({"name": "pay", "after": "check", "count": 0});
        assert!(holds("tool_called", &none, false, &calls(names)), "{names:?}");
        let one = failure("tool_called", &pay("after", json!("check")), false, &calls(names), &["name"]);
        assert_eq!(one.message, "`pay` was called 0 times, expected at least once");
    }
    let early =
        failure("tool_called", &pay("after", json!("check")), false, &calls(&["pay", "ask", "check"]), &["after"]);
    assert_eq!(
        (early.message.as_str(), early.label.as_str()),
        ("`pay` was called before `check`", "first called later")
    );
    assert_eq!(early.notes, [r#"turn 1, call 1 of 2: pay() -> "ok""#, r#"turn 1, call 2 of 2: check() -> "ok""#]);
    let alone = failure("tool_called", &pay("after", json!("check")), false, &calls(&["pay"]), &["after"]);
    assert_eq!(
        (alone.message.as_str(), alone.label.as_str()),
        ("`pay` was called, but `check` was never called", "never called")
    );
    let both = json!({"name": "pay", "after": "check", "count": 2});
    let both = failure("tool_called", &both, false, &calls(&["pay"]), &["count"]);
    assert_eq!(both.notes.last().unwrap(), "`pay` was called, but `check` was never called");
}

#[test]
fn order_considers_all_calls_regardless_of_conditions() {
    // The matching call comes after `check`, the first call of the tool does not.
    let trace = Story::default()
        .called("pay", json!({"amount": 1}), json!("declined"))
        .called("check", json!({}), json!("ok"))
        .called("pay", json!({"amount": 2}), json!("ok"))
        .told();
    let asked = json!({"name": "pay", "args": {"amount": 2}, "result_match": "ok", "after": "check"});
    failure("tool_called", &asked, false, &trace, &["after"]);
    // A call without a result counts for the order too.
    let trace = Story::default().calls("check", json!({})).called("pay", json!({}), json!("ok")).told();
    assert!(holds("tool_called", &pay("after", json!("check")), false, &trace));
}

#[test]
fn earlier_turns_count_only_for_the_order() {
    let trace = Story::default()
        .called("check", json!({}), json!("ok"))
        .next_turn()
        .called("pay", json!({}), json!("ok"))
        .called("check", json!({}), json!("ok"))
        .next_turn()
        .called("ship", json!({}), json!("ok"))
        .told();
    let asked = pay("after", json!("check"));
    assert!(holds("tool_called", &asked, false, &trace));
    assert!(holds("tool_called", &asked, false, &trace.of_turn(1)));
    assert!(!holds("tool_called", &asked, false, &trace.of_turn(0)));
    let earlier = Story::default().called("shop__check", json!({}), json!("ok")).next_turn();
    let earlier = earlier.called("shop__pay", json!({}), json!("ok")).told();
    let suffix = |after: &str| json!({"name": "pay", "suffix": true, "after": after});
    assert!(holds("tool_called", &suffix("check"), false, &earlier.of_turn(1)));
    assert!(!holds("tool_called", &suffix("find"), false, &earlier.of_turn(1)));
    assert!(!holds("tool_called", &json!({"name": "pay", "after": "ship"}), false, &trace.of_turn(1)));
    // Calls of earlier turns do not count for the number of calls.
    assert!(!holds("tool_called", &json!({"name": "check", "count": 1}), false, &trace.of_turn(2)));
}
