//! Assistants of the yao format, run through the real binary with a scripted model.

use std::fs;
use std::path::Path;

use crate::suite::Suite;
use crate::terminal::typed;

const TESTS: &str = "assistants/keyword/tests/inputs.jsonl";

/// An application whose model chooses its answer by a word in the input.
fn app() -> Suite {
    Suite::empty()
        .file("app.yao", "{}")
        .file("assistants/keyword/package.yao", "// it\n{ \"name\": \"Keywords\", \"connector\": \"mock\", }")
        .file(
            "model.yaml",
            "rules:\n- when: { user: json }\n  reply: '{\"a\": [1, 2]}'\n- when: { user: fail }\n  fail: { status: 400, message: no }\n\
             - when: { user: slow }\n  reply: late\n  latency: 20s\n\
             - when: { user: colour }\n  reply: \"\\e[31mred\"\ndefault: Hello!\n",
        )
        .file("scripts/t.js", "function Yes(o, i, v) { return { pass: o === v, message: 'got ' + o }; }\nfunction Throws() { throw new Error('no'); }")
}

fn tests(lines: &str) -> Suite {
    app().file(TESTS, lines)
}

fn line(id: &str, input: &str, assertion: &str) -> String {
    format!("{{\"id\": \"{id}\", \"input\": \"{input}\", \"assert\": {assertion}}}\n")
}

#[test]
fn every_assertion_type_passes_and_fails_as_expected() {
    let holding = [
        ("equals", "Hi", r#"{"type": "equals", "value": "Hello!"}"#),
        ("parsed", "json", r#"{"type": "equals", "value": {"a": [1.0, 2]}}"#),
        ("contains", "Hi", r#"[{"type": "contains", "value": "Hell"}, {"type": "not_contains", "value": "sorry"}]"#),
        ("path", "json", r#"{"type": "json_path", "path": "$.a", "value": [1, 2]}"#),
        ("regex", "Hi", r#"{"type": "regex", "value": "(?i)^hello"}"#),
        ("type", "json", r#"{"type": "type", "value": "object"}"#),
        ("script", "Hi", r#"{"type": "script", "script": "scripts.t.Yes", "value": "Hello!"}"#),
        ("negated", "Hi", r#"{"type": "regex", "value": "^bye", "negate": true}"#),
        ("nothing", "Hi", "[]"),
    ];
    let failing = [
        ("not-equal", "Hi", r#"{"type": "equals", "value": "Hello"}"#),
        ("not-contained", "Hi", r#"{"type": "contains", "value": "bye"}"#),
        ("no-path", "Hi", r#"{"type": "json_path", "path": "a", "value": 1}"#),
        ("no-type", "Hi", r#"{"type": "type", "value": "array"}"#),
        ("no-script", "Hi", r#"{"type": "script", "script": "scripts.t.Yes", "value": "x"}"#),
        ("throws", "Hi", r#"{"type": "script", "script": "scripts.t.Throws", "negate": true}"#),
        ("no-file", "Hi", r#"{"type": "script", "script": "scripts.none.X", "negate": true}"#),
        ("no-pattern", "Hi", r#"{"type": "regex", "value": "(", "negate": true}"#),
        ("unknown", "Hi", r#"{"type": "equal", "negate": true}"#),
        ("holds", "Hi", r#"{"type": "contains", "value": "Hello", "negate": true, "message": "say no hello"}"#),
    ];
    let lines: String =
        holding.iter().chain(&failing).map(|(id, input, assertion)| line(id, input, assertion)).collect();
    let ran = tests(&lines).agentci(&["run", "."]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let verdicts = ran.verdicts();
    for (id, status) in holding.iter().map(|case| (case.0, "pass")).chain(failing.iter().map(|case| (case.0, "fail"))) {
        let found = verdicts.iter().find(|verdict| verdict.0 == id).map(|verdict| verdict.1.as_str());
        assert_eq!(found, Some(status), "{id}: {ran:?}");
    }
    assert!(ran.stdout.contains("say no hello"), "{ran:?}");
}

#[test]
fn example_passes_and_replies_to_a_message() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let suite = Suite::empty();
    let run = |arguments: &[&str]| {
        let output = suite.command(arguments).current_dir(project).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let folder = suite.path("runs");
    let (code, stdout, stderr) = run(&["run", "examples/yao", "--output-dir", folder.to_str().unwrap()]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    assert!(stdout.contains("6 cases: 5 passed") && stdout.contains("2 cases: 2 passed"), "{stdout}");
    let (code, stdout, _) = run(&["run", "-i", "plan", "-n", "planner", "-a", "examples/yao"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, answer), (Some(0), serde_json::json!({"steps": ["buy bread", "call Ann"], "count": 2})));
}

#[test]
fn message_reply_goes_to_stdout_without_writing_files() {
    let suite = app();
    let asked = |message: &str| suite.agentci(&["run", "-i", message, "-n", "keyword"]);
    let ran = asked("Hi");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "Hello!\n", ""));
    assert!(!suite.path(".agentci").exists());
    let failed = asked("fail");
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""), "{failed:?}");
    assert!(failed.stderr.starts_with("error: "), "{failed:?}");
    let kept = suite.agentci(&["test", "--input", "Hi", "--name", "keyword", "--output", "out.json"]);
    assert_eq!((kept.code, kept.stdout.as_str()), (Some(0), ""), "{kept:?}");
    assert!(fs::read_to_string(suite.path("out.json")).unwrap().contains("Hello!"));
}

#[test]
fn reply_is_escaped_only_on_a_terminal() {
    let suite = app();
    let asked = ["run", "-i", "colour", "-n", "keyword"];
    assert_eq!(suite.agentci(&asked).stdout, "\u{1b}[31mred\n");
    assert_eq!(typed(&suite, &[], &asked), ("\\u{1b}[31mred\n".to_owned(), 0));
}

#[test]
fn structured_replies_are_printed_as_json() {
    let suite = app().file(
        "assistants/keyword/src/index.ts",
        "export function Next(ctx: any, payload: any): any { return { data: JSON.parse(payload.completion.content) } }",
    );
    let ran = suite.agentci(&["run", "-i", "json", "-n", "keyword"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n"), "{ran:?}");
}

#[test]
fn test_timeout_overrides_the_flag() {
    let suite = tests("{\"id\": \"own\", \"input\": \"slow\", \"timeout\": \"100ms\"}\n");
    let ran = suite.agentci(&["run", ".", "--timeout", "1m30s"]);
    assert_eq!(ran.verdicts(), [("own".to_owned(), "error".to_owned(), "timeout".to_owned())], "{ran:?}");
    let suite = tests("{\"id\": \"flag\", \"input\": \"slow\"}\n");
    let ran = suite.agentci(&["run", ".", "--timeout", "100ms"]);
    assert_eq!(ran.verdicts(), [("flag".to_owned(), "error".to_owned(), "timeout".to_owned())], "{ran:?}");
}

#[test]
fn reports_invalid_run_arguments() {
    let suite = tests("{\"id\": \"a\", \"input\": \"Hi\"}\n");
    for (arguments, told) in [
        (vec!["run", "-i", "none.jsonl"], "file `none.jsonl` does not exist"),
        (vec!["run", "-i", "Hi"], "no `package.yao` found in `.` or its parent folders"),
        (vec!["run", "-i", "Hi", "-n", "keywords"], "did you mean `keyword`?"),
        (vec!["run", "-i", TESTS, "-c", "mok"], "did you mean `mock`?"),
        (vec!["run", "-i", TESTS, "-e", "none"], "cannot read `none`"),
    ] {
        let ran = suite.agentci(&arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(told), "{told}: {ran:?}");
    }
    let native = Suite::native("cases: [{ id: a, input: {} }]\n");
    let ran = native.agentci(&["run", "suite", "-u", "bob"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("`--user` applies to suites in the yao format, but there are none"), "{ran:?}");
}

#[test]
fn secrets_from_env_file_are_redacted() {
    let suite = tests("{\"id\": \"a\", \"input\": \"Hi\", \"assert\": {\"type\": \"equals\", \"value\": \"x\"}}\n")
        .file(".env", "API_KEY=very-secret-value\n")
        .file("model.yaml", "default: the key is very-secret-value\n");
    let ran = suite.agentci(&["run", "."]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let folder = &ran.run_folders()[0];
    let journal = fs::read_to_string(folder.join("run.jsonl")).unwrap();
    assert!(!journal.contains("very-secret-value") && !ran.stdout.contains("very-secret-value"), "{journal}");
}

#[test]
fn server_only_features_are_reported_as_unsupported() {
    let suite = tests(&line("a", "Hi", "[]"));
    for input in ["agents:tests.writer?count=3", "scripts:tests.orders", "scripts.tests.orders"] {
        let ran = suite.agentci(&["run", "-i", input, "-n", "keyword"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&[input, "generates tests", "a file of JSON lines"]);
    }
    let ran = suite.agentci(&["run", TESTS, "-c", "use::light"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["unknown connector `use::light`", "`use::` names a role", "known connectors are `mock`"]);
}
