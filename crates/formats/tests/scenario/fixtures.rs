//! Tool fixtures and the requests they match, in any indentation.

use std::path::Path;
use std::time::Duration;

use agentci_plan::FixtureAnswer;
use agentci_source::Severity;
use serde_json::{Value, json};

use crate::project::{answers, good, load, messages, project, routes, scenario, wrong};

/// A scenario whose tool has these answers, which start in the first column.
fn with_answers(yaml: &str) -> String {
    scenario("a", &format!("tool_fixtures:\n  slips:\n    {}\n", yaml.replace('\n', "\n    ")))
}

fn request(yaml: &str) -> Option<Value> {
    answers(&good(&with_answers(yaml)))[0].request.clone()
}

fn file(name: &str) -> FixtureAnswer {
    let case = good(&with_answers(&format!("- response_file: {name}")));
    answers(&case)[0].answer.clone()
}

fn path(answer: &FixtureAnswer) -> &Path {
    let FixtureAnswer::File(file) = answer else { panic!("no file: {answer:?}") };
    &file.value
}

#[test]
fn request_keys_can_be_nested_or_siblings() {
    for (yaml, expected) in [
        ("- request: { id: 1, region: US }\n  response_file: slips/1.json", Some(json!({ "id": 1, "region": "US" }))),
        ("- request:\n    id: 1\n  response_file: slips/1.json", Some(json!({ "id": 1 }))),
        ("- request:\n  id: 1\n  region: NO\n  response_file: slips/1.json", Some(json!({ "id": 1, "region": "NO" }))),
        ("- id: [1]\n  response_file: slips/1.json", Some(json!({ "id": [1] }))),
        ("- request: {}\n  response_file: slips/1.json", Some(json!({}))),
        ("- request: [1, 2]\n  response: ok", Some(json!([1, 2]))),
        ("- request: ping\n  response: ok", Some(json!("ping"))),
        ("- request: { response: 1, status: open }\n  response: ok", Some(json!({ "response": 1, "status": "open" }))),
        ("- request:\n  response_file: slips/1.json", None),
        ("- response: {}", None),
    ] {
        assert_eq!(request(yaml), expected, "{yaml}");
    }
}

#[test]
fn response_keys_inside_the_request_are_moved_out() {
    let text = with_answers("- request:\n    id: 1\n    status: open\n    response_file: slips/1.json");
    let loaded = load(&project(&text), &["tests"]);
    let [problem] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!(problem.severity, Severity::Warning);
    assert_eq!(problem.message, "`response_file` is inside the request; it is read as the answer instead");
    assert_eq!((problem.span.line, problem.span.column), (9, 9));
    assert!(problem.help.as_ref().unwrap().contains("`status` stays part of the request"));
    let case = &loaded.plan.suites[0].cases[0];
    assert_eq!(answers(case)[0].request, Some(json!({ "id": 1, "status": "open" })));
    assert_eq!(path(&answers(case)[0].answer), Path::new("tests/us/__files/slips/1.json"));
}

#[test]
fn refuses_request_with_both_nested_and_sibling_keys() {
    for (yaml, has) in [
        ("- request: { id: 1 }\n  region: US\n  response: {}", "keys below it"),
        ("- request: 7\n  region: US\n  response: {}", "a value"),
    ] {
        let loaded = load(&project(&with_answers(yaml)), &["tests"]);
        let [problem] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{:?}", loaded.diagnostics) };
        assert_eq!(problem.message, format!("ambiguous request: `region` is beside `request`, which also has {has}"));
        let help = problem.help.as_deref().unwrap();
        assert!(help.contains("indent `region` below `request:`") && help.contains("remove `region`"), "{help}");
        assert_eq!(problem.span.line, 7);
    }
}

#[test]
fn warns_about_misspelled_options() {
    let text = with_answers("- request:\n  id: 1\n  stauts: 404\n  response: {}");
    let loaded = load(&project(&text), &["tests"]);
    assert_eq!(messages(&loaded), ["`stauts` is read as part of the request"]);
    assert!(!loaded.diagnostics.has_errors());
    let text = with_answers("- request:\n  id: 1\n  respons_file: slips/1.json");
    let loaded = load(&project(&text), &["tests"]);
    let helps: Vec<_> = loaded.diagnostics.iter().filter_map(|problem| problem.help.as_deref()).collect();
    assert!(helps.iter().any(|help| help.contains("is `respons_file` misspelt?")), "{helps:?}");
}

#[test]
fn loads_response_status_headers_delay_and_method() {
    let case = good(&with_answers(
        "- request: { id: 1 }\n  response: [1, 1.0]\n  status: 503\n  headers: { Retry-After: 3, x-a: 'b c' }\n  \
         delay_ms: 250\n  method: get\n  name: busy\n- response: null",
    ));
    let [busy, nothing] = answers(&case) else { panic!("two answers") };
    assert_eq!((busy.status, busy.delay), (503, Duration::from_millis(250)));
    assert_eq!((busy.method.as_deref(), busy.name.as_deref()), (Some("GET"), Some("busy")));
    assert_eq!(busy.headers, [("Retry-After".into(), "3".into()), ("x-a".into(), "b c".into())]);
    assert_eq!(busy.answer, FixtureAnswer::Inline("[1,1.0]".parse().unwrap()));
    assert_eq!((nothing.status, &nothing.answer), (200, &FixtureAnswer::Inline(Value::Null)));
}

#[test]
fn refuses_invalid_responses() {
    for (yaml, message) in [
        ("- request: {}", "an answer needs either `response_file` or `response`"),
        ("- { response_file: slips/1.json, response: 1 }", "an answer needs either `response_file` or `response`"),
        ("- { response_file: slips/1.json, response: }", "an answer needs either `response_file` or `response`"),
        ("- { response: 1, status: 99 }", "`status` must be from 200 to 599, found 99"),
        ("- { response: 1, status: ok }", "`status` must be an integer, found the string `ok`"),
        ("- { response: 1, delay_ms: -1 }", "`delay_ms` must be 0 or more, found -1"),
        ("- { response: 1, delay_ms: 900000 }", "`delay_ms` must be ten minutes or less, found the number 900000"),
        ("- { response: 1, method: 'GET /' }", "`method` must be an HTTP method, found the string `GET /`"),
        ("- { response: 1, headers: { 'a b': c } }", "`a b` cannot be the name of a header"),
        (
            "- { response: 1, headers: { a: \"b\\r\\nc: d\" } }",
            "the header `a` must be a string on one line, found the string `b\\r\\nc: d`",
        ),
        ("- { response: .nan }", "`response` contains a number that JSON cannot represent"),
        ("- slips/1.json", "an answer must be a mapping, found the string `slips/1.json`"),
    ] {
        assert_eq!(wrong(&with_answers(yaml)), [message], "{yaml}");
    }
    let map = scenario("a", "tool_fixtures: { slips: { request: 1, response: 2 } }\n");
    assert_eq!(wrong(&map), ["the answers of `slips` must be a list, found a mapping"]);
}

#[test]
fn tool_name_must_be_a_valid_path() {
    for id in ["/slips", "slips/", "\"a\\tb\"", "a/../b", "a//b", "__misses", "''"] {
        let text = scenario("a", &format!("tool_fixtures: {{ {id}: [] }}\n"));
        let [message] = wrong(&text).try_into().unwrap_or_else(|all| panic!("{all:?}"));
        assert!(message.contains("cannot be the name of a tool"), "{message}");
    }
    for id in ["paySlips", "pay-slips.v2", "payroll/slips", "lohnübersicht", "pay slips"] {
        let case = good(&scenario("a", &format!("tool_fixtures: {{ {id}: [{{ response: 1 }}] }}\n")));
        assert_eq!(routes(&case).tools[0].id.value, id);
    }
}

#[test]
fn warns_about_tool_without_responses() {
    for none in ["[]", ""] {
        let loaded = load(&project(&scenario("a", &format!("tool_fixtures:\n  slips: {none}\n"))), &["tests"]);
        assert_eq!(messages(&loaded), ["`slips` has no answers, so every call of it is a miss"]);
        assert!(!loaded.diagnostics.has_errors());
    }
}

#[test]
fn response_files_resolve_against_agent_then_scenario_folder() {
    let text = with_answers("- response_file: x.json");
    let at = |places: &[&str]| {
        let files = project(&scenario("other", "")).with("tests/us/deep/b.yaml", text.as_str());
        let files = places.iter().fold(files, |files, place| files.with(*place, "{}"));
        let loaded = load(&files, &["tests"]);
        assert_eq!(messages(&loaded), Vec::<&str>::new());
        path(&answers(&loaded.plan.suites[0].cases[1])[0].answer).to_path_buf()
    };
    let places = ["tests/us/__files/x.json", "tests/us/deep/__files/x.json", "tests/us/deep/x.json"];
    for first in 0..places.len() {
        assert_eq!(at(&places[first..]), Path::new(places[first]));
    }
}

#[test]
fn response_file_must_be_inside_the_tests_folder() {
    assert_eq!(path(&file("./slips\\1.json")), Path::new("tests/us/__files/slips/1.json"));
    let other = |written: &str| {
        let files = project(&with_answers(&format!("- response_file: {written}")));
        let files = files.with("tests/uk/__files/x.json", "{}").with("secret.json", "{}");
        load(&files, &["tests/us"])
    };
    let loaded = other("../../uk/__files/x.json");
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    for (written, message) in [
        ("../../../secret.json", "`../../../secret.json` points outside `tests`"),
        ("../../secret.json", "answer file `../../secret.json` does not exist"),
        ("/etc/passwd", "`response_file` must be a relative path, found `/etc/passwd`"),
        ("..", "answer file `..` does not exist"),
    ] {
        assert_eq!(messages(&other(written)), [message]);
    }
}

#[test]
fn missing_response_file_error_lists_searched_paths_and_suggestion() {
    let loaded = load(&project(&with_answers("- response_file: slip/1.json")), &["tests"]);
    let [problem] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!(problem.message, "answer file `slip/1.json` does not exist");
    assert_eq!((problem.span.line, problem.span.column), (6, 22));
    assert_eq!(
        problem.help.as_deref(),
        Some("did you mean `slips/1.json`? agentci looked for `tests/us/__files/slip/1.json`, `tests/us/slip/1.json`")
    );
}
