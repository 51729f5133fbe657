//! Results of tool calls.

use serde_json::json;

use crate::trial::{Story, check, failure, holds};

#[test]
fn result_needs_only_the_listed_fields() {
    let story = Story::default()
        .called("find", json!({}), json!({"id": "A-17", "status": "paid", "lines": [{"sku": "x", "n": 2.0}]}))
        .called("note", json!({}), json!("{\"ok\": true}"))
        .calls("refund", json!({}))
        .fails("no money", json!(null))
        .calls("server__ship", json!({}))
        .told();
    for (asked, fits) in [
        (json!({"name": "find"}), true),
        (json!({"name": "find", "result": {"status": "paid"}}), true),
        (json!({"name": "find", "result": {"status": "open"}}), false),
        (json!({"name": "find", "result": {"id": "regex:^A-\\d+$"}}), true),
        (json!({"name": "find", "result": {"id": "regex:^B"}}), false),
        (json!({"name": "find", "result": "regex:\"status\":\"paid\""}), true),
        (json!({"name": "find", "result": {"lines": [{"n": 2}]}}), true),
        (json!({"name": "find", "result": {"lines": []}}), false),
        (json!({"name": "find", "result": {"missing": null}}), false),
        (json!({"name": "note", "result": {"ok": true}}), true),
        (json!({"name": "note", "result": "{\"ok\": true}"}), true),
        (json!({"name": "refund"}), false),
        (json!({"name": "refund", "result": "regex:no m"}), true),
        (json!({"name": "refund", "result": "regex:null"}), false),
        (json!({"name": "server__ship"}), false),
        (json!({"name": "never"}), false),
        (json!({"name": "ind"}), false),
    ] {
        assert_eq!(holds("tool_result", &asked, false, &story), fits, "{asked}");
        assert_eq!(holds("tool_result", &asked, true, &story), !fits, "not {asked}");
    }
}

#[test]
fn text_result_is_parsed_when_data_is_expected() {
    let story = Story::default()
        .called("dict", json!({}), json!("{'id': 'A-17', 'amount': 20.0, 'paid': True, 'lines': ('x', None)}"))
        .called("total", json!({}), json!("123.45"))
        .called("paid", json!({}), json!("True"))
        .called("words", json!({}), json!("paid 20"))
        .called("nested", json!({}), json!({"amount": "20"}))
        .told();
    for (asked, fits) in [
        (json!({"name": "dict", "result": {"amount": 20, "paid": true}}), true),
        (json!({"name": "dict", "result": {"lines": ["x", null]}}), true),
        (json!({"name": "dict", "result": {"amount": 200}}), false),
        (json!({"name": "dict", "result": "regex:'paid': True"}), true),
        (json!({"name": "total", "result": 123.45}), true),
        (json!({"name": "total", "result": "123.45"}), true),
        (json!({"name": "total", "result": 123.4}), false),
        (json!({"name": "paid", "result": true}), true),
        (json!({"name": "paid", "result": false}), false),
        (json!({"name": "words", "result": 20}), false),
        // Inside data, a string is not parsed.
        (json!({"name": "nested", "result": {"amount": 20}}), false),
    ] {
        assert_eq!(holds("tool_result", &asked, false, &story), fits, "{asked}");
        assert_eq!(holds("tool_result", &asked, true, &story), !fits, "not {asked}");
    }
    let shown = |name: &str| {
        let asked = json!({"name": name, "result": {"amount": 7}});
        failure("tool_result", &asked, false, &story, &["result"]).notes.pop().unwrap()
    };
    assert_eq!(shown("words"), "call 1 of 1: its text is neither JSON nor a Python literal");
    assert!(shown("dict").starts_with(r#"call 1 of 1: its text was parsed as {"id":"A-17","amount":20.0,"paid":true"#));
}

#[test]
fn suffix_matches_qualified_tool_names() {
    let story = Story::default().called("shop.find", json!({}), json!(1)).called("a__pay", json!({}), json!(1)).told();
    for (name, suffix, found) in [
        ("find", true, true),
        ("find", false, false),
        ("pay", true, true),
        ("shop.find", true, true),
        ("ind", true, false),
        ("ay", true, false),
    ] {
        for kind in ["tool_result", "tool_called"] {
            let asked = json!({"name": name, "suffix": suffix});
            assert_eq!(holds(kind, &asked, false, &story), found, "{kind} {asked}");
        }
        let one_of = json!({"any": ["never", name], "suffix": suffix});
        assert_eq!(holds("tool_called", &one_of, false, &story), found, "{one_of}");
        assert_eq!(holds("tool_called", &one_of, true, &story), !found, "not {one_of}");
    }
}

#[test]
fn failure_shows_the_actual_result() {
    let story = Story::default().called("find", json!({"q": 1}), json!({"status": "open"})).told();
    let other =
        failure("tool_result", &json!({"name": "find", "result": {"status": "paid"}}), false, &story, &["result"]);
    assert_eq!(other.message, "no call of `find` returned the expected result: it returned {\"status\":\"open\"}");
    assert_eq!(other.notes, ["turn 1, call 1 of 1: find(q=1) -> {\"status\":\"open\"}"]);
    let never = failure("tool_result", &json!({"name": "pay"}), false, &story, &["name"]);
    assert_eq!(
        (never.message.as_str(), never.notes),
        ("`pay` was never called", vec!["the agent called find".to_owned()])
    );
    let wrong = check("tool_result", &json!({"name": "find", "result": {"id": "regex:("}}), true);
    assert!(wrong.problem().message.starts_with("this pattern cannot be used"));
}
