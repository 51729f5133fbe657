//! Test files: accepted and rejected content, with the location of errors.

use std::time::Duration;

use agentci_plan::{Dialect, Mode, StopRule, TurnInput};
use agentci_source::Severity;
use serde_json::json;

use super::{load_tests, one_case, told};

#[test]
fn test_file_loads_as_a_suite() {
    let loaded = load_tests(
        "// a note\n\n{\"id\": \"T001\", \"input\": \"Hi\"} {\"id\": \"T002\", \"input\": {\"content\": \"Ho\"}}\n{\n  \"id\": \"T003\",\n  \
         \"input\": [{\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"assistant\", \"content\": \"b\"}],\n  \"skip\": true,\n  \
         \"timeout\": \"1m30s\", \"metadata\": {\"team\": \"x\"}, \"expected\": {\"a\": 1}\n}\n",
    );
    assert_eq!(told(&loaded), Vec::<String>::new());
    let suite = &loaded.plan.suites[0];
    assert_eq!((suite.name.as_str(), suite.dialect, suite.mode), ("keyword", Dialect::Yao, Mode::Live));
    let ids: Vec<_> = suite.cases.iter().map(|case| (case.id.as_str(), case.span.line)).collect();
    assert_eq!(ids, [("T001", 3), ("T002", 3), ("T003", 5)]);
    let [first, second, third] = suite.cases.as_slice() else { panic!("three") };
    assert_eq!((first.timeout, first.stop, first.runs), (Some(Duration::from_mins(5)), StopRule::Never, 1));
    assert_eq!(first.asked.as_deref(), Some(&json!("Hi")));
    assert_eq!(second.asked.as_deref(), Some(&json!({"content": "Ho"})));
    assert!(first.checks.is_empty());
    assert!(matches!(&third.turns[0].said, TurnInput::Messages(messages) if messages.len() == 2));
    assert_eq!((third.timeout, third.skip.is_some()), (Some(Duration::from_secs(90)), true));
    assert_eq!(third.metadata.as_deref(), Some(&json!({"team": "x"})));
    assert_eq!(third.expected.as_deref(), Some(&json!({"a": 1})));
    assert_eq!(third.checks[0].name(), "expected");
}

#[test]
fn reports_every_error_with_its_location() {
    let loaded = load_tests(
        "{\"id\": \"a\"}\n{\"input\": \"x\"}\n{\"id\": \"\", \"input\": \"x\"}\n{\"id\": \"a\", \"input\": null}\n\
         {\"id\": 7, \"input\": \"x\"}\n{\"id\": \"b\", \"input\": \"x\", \"timeout\": \"30\"}\n\
         {\"id\": \"c\", \"input\": \"x\", \"timeout\": 30}\n{\"id\": \"b\", \"input\": \"x\", \"skip\": \"yes\"}\n\
         [1]\n{\"id\": \"d\", \"input\": \"x\", \"assert\": 7}\n{\"id\": \"e\", \"input\": \"x\", \"assert\": [\"equals\"]}\n{\"id\"\n",
    );
    assert_eq!(loaded.plan.suites.len(), 0);
    assert_eq!(
        told(&loaded),
        [
            "1:1 the test `a` needs `input`",
            "2:1 a test needs `id`",
            "3:8 `id` must not be empty",
            "4:13 the test `a` needs `input`",
            "5:8 `id` must be a string, found the number 7",
            "6:38 `timeout` must be a duration, found the string `30`",
            "7:38 `timeout` must be a string, found the number 30",
            "8:8 the case id `b` is used twice",
            "8:35 `skip` must be a boolean, found the string `yes`",
            "9:1 a test must be a mapping, found a list",
            "10:37 `assert` must be an assertion or a list, found the number 7",
            "11:38 an assertion must be a mapping, found the string `equals`",
            "12:1 `{` is never closed",
        ]
    );
}

#[test]
fn refuses_file_without_tests() {
    assert_eq!(told(&load_tests("// nothing\n")), [format!("0:0 `{}` contains no tests", super::TESTS)]);
}

#[test]
fn unsupported_input_breaks_only_its_own_test() {
    let loaded = load_tests("{\"id\": \"a\", \"input\": 7}\n{\"id\": \"b\", \"input\": \"x\"}\n");
    assert_eq!(told(&loaded), ["1:22 `input` must be a string, a message or a list of messages, found the number 7"]);
    let cases = &loaded.plan.suites[0].cases;
    assert_eq!(cases.iter().map(|case| case.broken.is_some()).collect::<Vec<_>>(), [true, false]);
    let loaded =
        load_tests("{\"id\": \"a\", \"input\": \"x\", \"simulator\": {\"use\": \"b\"}, \"before\": \"x.Y\"}\n");
    let problems = loaded.plan.suites[0].cases[0].broken.as_ref().unwrap();
    let told: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(told, ["tests with `simulator` are not supported", "tests with `before` are not supported"]);
}

#[test]
fn unknown_field_is_reported_once() {
    let loaded = load_tests(
        "{\"id\": \"a\", \"input\": \"x\", \"asserts\": []}\n{\"id\": \"b\", \"input\": \"x\", \"asserts\": [], \"zzz\": 1}\n\
         {\"id\": \"c\", \"input\": \"x\", \"assert\": {\"type\": \"equals\", \"values\": 1}, \"options\": {\"conector\": \"x\"}}\n",
    );
    assert_eq!(
        told(&loaded),
        [
            "1:27 unknown field `asserts` in a test",
            "2:42 unknown field `zzz` in a test",
            "3:56 unknown field `values` in an assertion",
            "3:82 unknown field `conector` in `options`",
        ]
    );
    assert_eq!(loaded.diagnostics.count(Severity::Warning), 4);
    assert_eq!(loaded.diagnostics.iter().next().unwrap().help.as_deref(), Some("did you mean `assert`?"));
}

#[test]
fn variable_syntax_of_other_formats_is_literal() {
    let loaded = load_tests("{\"id\": \"${A}\", \"input\": \"${B}\", \"expected\": \"${C}\"}");
    let case = one_case(&loaded);
    assert!(
        matches!(&case.turns[0].said, TurnInput::Messages(m) if m[0].content == agentci_plan::Text::Literal("${B}".into()))
    );
    assert!(!case.checks[0].templated);
}
