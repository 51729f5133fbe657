//! Numbers keep their digits from the suite to the agent, and from the agent to the artifacts.

use std::fs;

use crate::suite::Suite;

const ECHO: &str = r#"input=${task#*'"input":'}; finish "{\"input\":${input%?}}""#;
const INPUT: &str = "{ big: 12345678901234567890, small: 0.1000000000000000000001, one: 1.0, minus: -0.0 }";
const SENT: &str = r#"{"big":12345678901234567890,"small":0.1000000000000000000001,"one":1.0,"minus":-0.0}"#;

#[test]
fn number_precision_is_kept_in_runledger_suite() {
    let ran = Suite::new().case("echo", &format!("input: {INPUT}"), ECHO).run(&[]);
    ran.all_passed();
    let written = fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap();
    assert_eq!(written.matches(SENT).count(), 2, "as sent and as given back: {written}");
}

#[test]
fn number_precision_is_kept_in_native_suite() {
    let ran = Suite::native(&format!("cases: [{{ id: echo, input: {INPUT} }}]\n")).agent("echo", ECHO).run(&[]);
    ran.all_passed();
    let written = fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap();
    assert_eq!(written.matches(SENT).count(), 2, "as sent and as given back: {written}");
}

#[test]
fn number_precision_is_kept_in_replay() {
    let tape = format!(
        "{{\"tool\":\"search\",\"args\":{{\"n\":123456789012345678901234567890}},\"ok\":true,\"result\":{SENT}}}"
    );
    let script = r#"call search '{"n":123456789012345678901234567890}'; finish "{\"answer\":$answer}""#;
    let ran = Suite::new().case("digits", "", script).tape("digits", &tape).run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("digits")["answer"]["result"].to_string(), SENT);
}

#[test]
fn arguments_with_different_number_types_do_not_match() {
    let tape = r#"{"tool":"search","args":{"n":1},"ok":true}"#;
    for (sent, matches) in [("1", true), ("1.0", false), ("true", false), ("\"1\"", false)] {
        let script = format!("call search '{{\"n\":{sent}}}' || exit 0; finish '{{}}'");
        let ran = Suite::new().case("digits", "", &script).tape("digits", tape).run(&[]);
        assert_eq!(ran.code == Some(0), matches, "{sent} {ran:?}");
    }
}
