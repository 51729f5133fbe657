//! Checks of the value of the final output: `equals`, `json_path`, `type`, and strings in a value.

use std::path::Path;

use agentci_checks::single;
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Sources, Span};
use agentci_trace::{EventKind, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

use crate::trial::{Story, check, failure, holds};

fn gave(output: &Value) -> Trace {
    Story::default().push(EventKind::FinalOutput(output.clone().into())).told()
}

#[test]
fn invalid_check_never_passes() {
    let story = Story::default().told();
    let span = Span::whole(Sources::default().add(Path::new("s"), ""));
    for negate in [false, true] {
        let check = Check { negate, ..Check::invalid(span, "there is no such assertion", span) };
        let ready = single(check, &MemoryFiles::default(), Path::new("")).unwrap();
        let Outcome::Failed(failure) = ready.evaluate(&story) else { panic!("it passed") };
        assert_eq!(failure.message, "there is no such assertion");
    }
}

#[test]
fn equals_compares_whole_values() {
    let fenced = json!("Here you are:\n```json\n{\"b\": [1, 2], \"a\": null}\n```");
    for (asked, output, equal) in [
        (json!("Paris"), json!("Paris"), true),
        (json!("Paris"), json!("paris"), false),
        (json!("Paris"), json!("Paris "), false),
        (json!("1"), json!(1), false),
        (json!(1), json!("1"), false),
        (json!(1), json!(1.0), true),
        (json!(true), json!(true), true),
        (json!(null), json!(null), true),
        (json!(null), json!("null"), false),
        (json!({"a": 1, "b": {"c": [1]}}), json!({"b": {"c": [1.0]}, "a": 1}), true),
        (json!({"a": 1}), json!({"a": 1, "b": null}), false),
        (json!([1, 2]), json!([2, 1]), false),
        (json!({"a": null, "b": [1, 2]}), json!("{\"a\":null,\"b\":[1,2]}"), true),
        (json!({"a": null, "b": [1, 2]}), fenced.clone(), true),
        (json!({"a": null, "b": [1, 3]}), fenced, false),
        (json!({"a": 1}), json!("no JSON"), false),
    ] {
        assert_eq!(holds("equals", &asked, false, &gave(&output)), equal, "{asked} {output}");
        assert_eq!(holds("equals", &asked, true, &gave(&output)), !equal, "not {asked} {output}");
    }
}

#[test]
fn equals_reports_difference_and_json_parsing() {
    let asked = json!({"a": {"b": 1}});
    let plain = failure("equals", &asked, false, &gave(&json!({"a": {"b": 2}})), &[]);
    assert_eq!(plain.message, "the final output at /a/b is 2, expected 1");
    assert_eq!((plain.details[0].path.as_str(), &plain.details[0].actual), ("/a/b", &json!(2)));
    let read = failure("equals", &asked, false, &gave(&json!(r#"{"a":{"b":2}}"#)), &[]);
    assert_eq!(read.message, "the final output (parsed as JSON) at /a/b is 2, expected 1");
    let said = Story::default().says("Par").says("is").told();
    assert!(holds("equals", &json!("Paris"), false, &said), "what was said stands for a final output");
}

#[test]
fn json_path_finds_a_value() {
    let output = json!({"need_search": false, "items": [{"k": "x"}, {"k": "y"}], "n": 1.0, "none": null, "list": [1]});
    for (asked, found) in [
        (json!({"path": "need_search", "value": false}), true),
        (json!({"path": "$.need_search", "value": false}), true),
        (json!({"path": "need_search", "value": "false"}), false),
        (json!({"path": "items[1].k", "value": "y"}), true),
        (json!({"path": "items[1].k", "value": ["x", "y"]}), true),
        (json!({"path": "items[1].k", "value": ["a", "b"]}), false),
        (json!({"path": "list", "value": [1]}), true),
        (json!({"path": "list", "value": [1, 2]}), false),
        (json!({"path": "list", "value": [[1]]}), false),
        (json!({"path": "n", "value": 1}), true),
        (json!({"path": "none"}), true),
        (json!({"path": "items[1].k"}), true),
        (json!({"path": "missing"}), false),
        (json!({"path": "none", "value": null}), true),
        (json!({"path": "n", "value": null}), false),
        (json!({"path": "missing", "value": null}), false),
        (json!({"path": "missing", "value": null, "optional": true}), true),
        (json!({"path": "n", "value": null, "optional": true}), false),
        (json!({"path": "missing", "value": ""}), false),
        (json!({"path": "items[-1].k", "value": ["x", "y"]}), true),
        (json!({"path": "items[*].k", "value": ["x", "y"]}), true),
        (json!({"path": "items[*].k", "value": ["y", "x"]}), false),
        (json!({"path": "items[?@.k == 'y'].k", "value": ["x", "y"]}), false),
        (json!({"path": "items[?@.k == 'y'].k", "value": ["y"]}), true),
        (json!({"path": "items[?@.k == 'z'].k", "value": []}), true),
        (json!({"path": "items[?@.k == 'z'].k"}), false),
        (json!({"path": "$[?@[0] == 1]", "value": [1]}), true),
        (json!({"path": "$.items[*].k", "value": ["x", "y"]}), true),
        (json!({"path": "$.items[?@.k=='y'].k", "value": "y"}), true),
        (json!({"path": "$", "value": output}), true),
    ] {
        assert_eq!(holds("json_path", &asked, false, &gave(&output)), found, "{asked}");
        assert_eq!(holds("json_path", &asked, true, &gave(&output)), !found, "not {asked}");
        let text = gave(&json!(format!("Sure!\n```json\n{output}\n```")));
        assert_eq!(holds("json_path", &asked, false, &text), found, "{asked} in a text");
    }
}

#[test]
fn json_path_negated_forbids_a_value_at_every_match() {
    let output = gave(&json!({"items": [{"k": "x"}, {"k": "y"}]}));
    let not = |value: Value| holds("json_path", &json!({"path": "items[*].k", "value": value}), true, &output);
    assert!(!not(json!("x")) && !not(json!("y")) && !not(json!(["x", "y"])));
    assert!(not(json!("z")) && not(json!(["x"])));
    let among = failure("json_path", &json!({"path": "items[*].k", "value": "y"}), true, &output, &["value"]);
    assert_eq!(among.message, r#"`items[*].k` is "y" (one of ["x","y"]), which `not` forbids"#);
    let there = failure("json_path", &json!({"path": "items[0].k"}), true, &output, &[]);
    assert_eq!(there.message, "`items[0].k` is \"x\", which `not` forbids");
}

#[test]
fn json_path_failure_shows_the_actual_value() {
    let output = gave(&json!({"a": 2}));
    let other = failure("json_path", &json!({"path": "a", "value": 1}), false, &output, &["value"]);
    assert_eq!(other.message, "`a` is 2, expected 1");
    let missing = failure("json_path", &json!({"path": "b.c", "value": [1, 2]}), false, &output, &["value"]);
    assert_eq!(missing.message, "`b.c` does not exist in the final output, expected one of [1,2]");
    for (output, kind) in [(json!("words"), "string"), (json!(7), "number"), (json!(null), "null")] {
        let none = failure("json_path", &json!({"path": "a"}), false, &gave(&output), &["path"]);
        assert_eq!(none.message, format!("the final output has no `a`: it is of type `{kind}` and contains no JSON"));
        assert!(holds("json_path", &json!({"path": "a"}), true, &gave(&output)));
    }
    let nothing = failure("json_path", &json!({"path": "b"}), false, &output, &[]);
    assert_eq!(nothing.message, "`b` does not exist in the final output");
    for path in ["$.a[?", "a[x]", "a[", "order-lines[*].sku"] {
        let wrong = check("json_path", &json!({"path": path, "value": 1}), true);
        assert!(wrong.problem().message.contains("a JSONPath"), "{:?}", wrong.problem());
    }
    let vain = check("json_path", &json!({"path": "a", "optional": true}), false);
    assert!(vain.problem().message.starts_with("`optional` needs `value`"), "{:?}", vain.problem());
}

#[test]
fn type_accepts_json_type_names() {
    for (output, names) in [
        (json!("text"), vec!["string"]),
        (json!(1), vec!["number"]),
        (json!(false), vec!["boolean"]),
        (json!([]), vec!["array"]),
        (json!({}), vec!["object"]),
        (json!(null), vec!["null"]),
        (json!("{\"a\": 1}"), vec!["string", "object"]),
        (json!("```json\n[1]\n```"), vec!["string", "array"]),
        (json!("17"), vec!["string"]),
    ] {
        for name in ["string", "number", "boolean", "array", "object", "null"] {
            assert_eq!(holds("type", &json!(name), false, &gave(&output)), names.contains(&name), "{output} {name}");
        }
    }
    let other = failure("type", &json!("object"), false, &gave(&json!("words")), &[]);
    assert_eq!(other.message, "the final output is of type `string`, expected `object`");
    assert!(check("type", &json!("text"), false).problem().message.contains("must be one of"));
}

#[test]
fn structured_output_is_searched_as_text() {
    let output = gave(&json!({"b": 1, "a": {"d": "<x>", "c": [true]}}));
    let of = |text: Value| json!({"text": text, "of": "output"});
    for (asked, contained) in [
        (of(json!(r#"{"a":{"c":[true],"d":"<x>"},"b":1}"#)), true),
        (of(json!({"d": "<x>", "c": [true]})), true),
        (of(json!({"b": 1})), false),
        (of(json!("")), true),
        (of(json!(true)), true),
        (of(json!("B")), false),
        (json!({"text": "B", "of": "output", "ignore_case": true}), true),
    ] {
        assert_eq!(holds("contains", &asked, false, &output), contained, "{asked}");
        assert_eq!(holds("contains", &asked, true, &output), !contained, "not {asked}");
    }
    let pattern = json!({"pattern": r#"^\{"a""#, "of": "output"});
    assert!(holds("matches", &pattern, false, &output));
    let both = Story::default().says("words").push(EventKind::FinalOutput(json!(null).into())).told();
    assert!(holds("matches", &json!({"pattern": "^$", "of": "output"}), false, &both));
    assert!(holds("matches", &json!("words"), false, &both));
}
