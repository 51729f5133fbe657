//! The agent gets exactly what the author wrote in YAML.

use std::fmt::Write as _;

use crate::ran::Ran;
use crate::suite::Suite;

/// An agent that returns its input.
const ECHO: &str = r#"input=${task#*'"input":'}; finish "{\"input\":${input%?}}""#;

fn echoed(input: &str) -> String {
    let ran = Suite::new().case("echo", &format!("input: {input}"), ECHO).run(&[]);
    ran.all_passed();
    ran.final_output("echo")["input"].to_string()
}

fn refused(file: &str) -> Ran {
    let suite = Suite::new().file("suite/cases/bad.yaml", file);
    let ran = suite.run(&[]);
    ran.only_wrong("bad", "error", "config");
    ran.ended_soon_after(0);
    ran
}

#[test]
fn runledger_input_parses_yaml_1_1_booleans() {
    let sent = echoed("{ a: yes, b: NO, c: on, d: 'NO', e: true, f: y }");
    assert_eq!(sent, r#"{"a":true,"b":false,"c":true,"d":"NO","e":true,"f":"y"}"#);
}

#[test]
fn dates_stay_strings() {
    let sent = echoed("{ due: 2024-01-31, at: 2024-01-31T10:00:00Z }");
    assert_eq!(sent, r#"{"due":"2024-01-31","at":"2024-01-31T10:00:00Z"}"#);
}

#[test]
fn merge_keys_are_expanded() {
    let sent = echoed("{ base: &b { x: 1, y: 2 }, more: { <<: *b, y: 3 } }");
    assert_eq!(sent, r#"{"base":{"x":1,"y":2},"more":{"y":3,"x":1}}"#);
}

#[test]
fn native_input_is_parsed_as_yaml_1_2() {
    let cases = "cases:\n  - { id: echo, input: { a: yes, b: NO, c: true, n: 010, e: 1e+3 } }\n";
    let ran = Suite::native(cases).agent("echo", ECHO).run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("echo")["input"].to_string(), r#"{"a":"yes","b":"NO","c":true,"n":10,"e":1e+3}"#);
}

#[test]
fn duplicate_key_is_refused_with_both_locations() {
    let ran = refused("id: bad\ninput: { a: 1, a: 2 }\ncassette: cassettes/good.jsonl\n");
    ran.says(&["the key `a` is written twice", "--> suite/cases/bad.yaml:2:16", "first written at line 2"]);
}

#[test]
fn refuses_exponential_alias_expansion() {
    let mut text = String::from("id: bad\ncassette: x\ninput:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "  a{level}: &a{level} [{aliases}]").unwrap();
    }
    refused(&text).says(&["aliases expand to more than 100000 nodes", "help: "]);
}

/// Few nodes, but long ones.
#[test]
fn refuses_repeated_aliases_of_long_strings() {
    let long = "x".repeat(1_000_000);
    let aliases = vec!["*a"; 70].join(", ");
    let repeated = format!("id: bad\ncassette: x\ninput:\n  a: &a {long}\n  all: [{aliases}]\n");
    refused(&repeated).says(&["aliases expand to more than 64 MiB of text", "help: "]);
    // The value kept for a possible alias is a copy, too.
    let nested = (0..70).map(|level| format!("&n{level} [")).collect::<Vec<_>>().concat();
    let text = format!("id: bad\ncassette: x\ninput:\n  a: {nested}{long}, {long}{}\n  b: *n0\n", "]".repeat(70));
    refused(&text).says(&["aliases expand to more than 64 MiB of text", "help: "]);
}

#[test]
fn refuses_deeply_nested_unclosed_brackets() {
    let ran = refused(&format!("id: bad\ncassette: x\ninput: {}", "[".repeat(20_000)));
    ran.says(&["suite/cases/bad.yaml:3:"]);
    assert!(ran.stdout.len() < 5_000, "the line is quoted whole");
}

#[test]
fn unicode_and_escapes_reach_the_agent() {
    let sent = echoed(r#"{ a: "é \u2028 🦀", b: 'naïve "quotes"', c: "tab\there" }"#);
    assert_eq!(sent, "{\"a\":\"é \u{2028} 🦀\",\"b\":\"naïve \\\"quotes\\\"\",\"c\":\"tab\\there\"}");
}
