//! No secret appears in the output of a run.

use std::fs;

use crate::leaks::{assert_no_leak, run_with_every_report};
use crate::suite::Suite;

/// Secrets, each used in another place.
const PLANTED: [&str; 9] = [
    "input-secret-1a2b3c",
    "argument-secret-4d5e6f",
    "result-secret-7a8b9c",
    "stderr-secret-0d1e2f",
    "output-secret-3a4b5c",
    "check-secret-6d7e8f",
    "environment-secret-9a0b",
    "sk-proj-pattern0123456789abcd",
    "suite-rule-secret-PX17",
];

/// A suite with a different secret in every place, and a case whose name looks like a secret but is kept.
fn planted() -> Suite {
    let [input, argument, result, stderr, output, check, environment, pattern, rule] = PLANTED;
    let tape = format!(
        r#"{{"tool":"get_token","args":{{"apiKey":"{argument}"}},"ok":true,"result":{{"token":"{result}","note":"it is {result}"}}}}"#
    );
    let script = format!(
        r#"echo "password={stderr} and {input} and $MY_SERVICE_TOKEN" >&2
echo "key {pattern}" >&2
say '{{"type":"log","level":"info","message":"got {input} {pattern}"}}'
call get_token '{{"apiKey":"{argument}"}}'
finish '{{"clientSecret":"{output}","said":"{environment} {result} {rule}"}}'"#
    );
    let yaml = format!(
        "input: {{ password: {input}, question: what }}\nassertions:\n  - {{ type: must_call, tools: [get_token] }}\n  - type: must_not_call\n    tools: [get_token]\n  - type: json_schema\n    schema_path: schema.json\n"
    );
    // The schema expects a secret by value, so the failure message would contain it.
    let schema =
        format!(r#"{{"properties":{{"clientSecret":{{"const":"{check}"}},"said":{{"const":"password: {check}"}}}}}}"#);
    Suite::new()
        .case("auth-flow", &yaml, &script)
        .tape("auth-flow", &tape)
        .file("suite/schema.json", schema)
        .setting("tool_registry: [get_token]")
        .setting("redact: { patterns: ['suite-rule-secret-\\w+'] }")
}

#[test]
fn no_planted_secret_is_printed_or_written() {
    let suite = planted();
    let (ran, texts) = run_with_every_report(&suite, &["run", "suite"], &[("MY_SERVICE_TOKEN", PLANTED[6])]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_no_leak(&texts, &PLANTED);
    let all = format!("{}{}", ran.stdout, fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap());
    assert!(all.contains("[REDACTED]"));
}

#[test]
fn tool_names_and_counts_are_not_redacted() {
    let ran = planted().run(&[]);
    let case = ran.case("auth-flow");
    assert_eq!(case["tool_calls_by_name"]["get_token"], 1);
    assert_eq!(case["tool_steps"][0]["tool"], "get_token");
    ran.says(&["FAIL auth-flow (", "`get_token` was called, which `not` forbids"]);
}

#[test]
fn checks_use_the_unredacted_value() {
    let schema = |value: &str| format!(r#"{{"properties":{{"token":{{"const":"{value}"}}}}}}"#);
    let suite = |value: &str| {
        Suite::new()
            .case(
                "secret",
                "assertions: [{ type: json_schema, schema_path: schema.json }]",
                r#"finish '{"token":"tok-real-value"}'"#,
            )
            .file("suite/schema.json", schema(value))
    };
    let ran = suite("tok-real-value").run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("secret")["token"], "[REDACTED]");
    suite("[REDACTED]").run(&[]).only_wrong("secret", "fail", "check");
}

#[test]
fn redacted_cassette_still_matches_calls() {
    let tape = r#"{"tool":"search","args":{"password":"[REDACTED]","q":"for [REDACTED]"},"ok":true,"result":1}"#;
    let script = r#"call search '{"password":"hunter22x","q":"for hunter22x"}'; finish '{}'"#;
    let suite = Suite::new().case("login", "input: { password: hunter22x }", script).tape("login", tape);
    suite.run(&[]).all_passed();
}

#[test]
fn reports_secrets_in_cassettes_without_printing_them() {
    let tape = "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n{\"tool\":\"search\",\"args\":{\"token\":\"abcdef-123\"},\"ok\":true}\n";
    let suite = Suite::new().tape("good", tape);
    assert_eq!(suite.agentci(&["check", "suite"]).code, Some(0));
    let ran = suite.agentci(&["check", "--secrets", "suite"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["line 2 of `suite/cassettes/good.jsonl` contains a secret"]);
    assert!(!ran.stderr.contains("abcdef-123"));
}

/// Files that were not searched are reported, so that they are not mistaken for clean ones.
#[test]
fn reports_files_that_cannot_be_searched_for_secrets() {
    let dirty = "{\"tool\":\"t\",\"args\":{\"token\":\"abcdef-123\"},\"ok\":true}\n";
    let suite = Suite::new().tape("good", &dirty.repeat(30));
    let large = std::fs::File::create(suite.path("suite/large.jsonl")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let ran = suite.agentci(&["check", "--secrets", "suite"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&[
        "line 20 of `suite/cassettes/good.jsonl` contains a secret",
        "10 more lines of `suite/cassettes/good.jsonl` contain secrets",
        "`suite/large.jsonl` was not searched for secrets: the file has 67108865 bytes, the limit is 67108864",
    ]);
    assert!(!ran.stderr.contains("line 21 of"), "{}", ran.stderr);
}

#[test]
fn search_for_recordings_has_a_depth_limit() {
    let suite = Suite::new();
    let dirty = "{\"token\":\"abcdef-123\"}\n";
    let deep = |levels: usize| format!("deep/{}/tape.jsonl", vec!["a"; levels].join("/"));
    let suite = suite.file(&deep(31), dirty).file(&deep(32), dirty);
    let ran = suite.agentci(&["check", "--secrets", "suite", "deep"]);
    ran.complains(&[&format!("line 1 of `{}` contains a secret", deep(31))]);
    assert!(!ran.stderr.contains(&format!("line 1 of `{}`", deep(32))), "{}", ran.stderr);
}

#[test]
fn fixture_secrets_are_redacted_before_any_request() {
    let suite = Suite::native(concat!(
        "world:\n  tools:\n    bases: [TOOLS]\n    routes:\n      pay:\n",
        "        - { request: { api_key: key-of-a-request }, response: { password: word-of-an-answer } }\n",
        "cases: [{ id: tells, input: {} }]\n",
    ))
    .agent("tells", "finish '{\"said\":\"key-of-a-request, word-of-an-answer\"}'");
    let ran = suite.run(&[]);
    ran.all_passed();
    let output = ran.events().into_iter().find(|event| event["type"] == "final_output").unwrap();
    assert_eq!(output["output"]["said"], "[REDACTED], [REDACTED]", "{output}");
}

/// The same secrets are redacted in recordings as in reports, including those of checks.
#[test]
fn secrets_of_checks_are_redacted_in_cassettes() {
    let suite = Suite::native(concat!(
        "world: { tools: { cassette: kept/tape.jsonl, live: { echo: { command: [cat] } } } }\n",
        "cases: [{ id: tells, input: {}, checks: [{ equals: { password: word-of-a-check } }] }]\n",
    ))
    .agent("tells", "call echo '{\"said\":\"word-of-a-check\"}'; finish '{\"password\":\"word-of-a-check\"}'");
    suite.run(&["--mode", "record"]).all_passed();
    let tape = fs::read_to_string(suite.path("suite/kept/tape.jsonl")).unwrap();
    assert!(tape.contains(r#""said":"[REDACTED]""#) && !tape.contains("word-of-a-check"), "{tape}");
}
