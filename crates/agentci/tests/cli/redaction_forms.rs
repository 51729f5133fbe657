//! No secret appears in the output of a run, in any encoding.

use serde_json::json;

use crate::leaks::{assert_no_leak, run_with_every_report};
use crate::suite::Suite;

/// A secret with all characters that encodings change. Its parts occur in every encoding that keeps letters.
const ODD: &str = "zqPartA\"zqPartB/zqPartC\\zqPartD+zqPartE zqPartF";
const LINES: &str = "zqLineA-first\nzqLineB-second\nzqLineC-third";

/// Texts that must not occur: the parts of both secrets, and fragments of `ODD` in encodings that do not keep letters.
const FORBIDDEN: [&str; 14] = [
    "zqPartA",
    "zqPartB",
    "zqPartC",
    "zqPartD",
    "zqPartE",
    "zqPartF",
    "zqLineA",
    "zqLineB",
    "zqLineC",
    // Hexadecimal, lower and upper case.
    "50617274422f7a71",
    "50617274422F7A71",
    // Base64 at the three possible byte offsets, from the middle of the secret.
    "InpxUGFydEIv",
    "cVBhcnRCL3px",
    "enFQYXJ0Qi96",
];

/// `ODD` and `LINES` in every encoding.
fn forms() -> Vec<String> {
    let once = json!(ODD).to_string();
    let twice = json!(once).to_string();
    let windows = LINES.replace('\n', "\r\n");
    let mut forms = vec![
        ODD.to_owned(),
        once,
        twice.clone(),
        json!(twice).to_string(),
        json!({"deep": json!({"deeper": ODD}).to_string()}).to_string(),
        // Percent-encoded, as in URLs and forms.
        "zqPartA%22zqPartB%2FzqPartC%5CzqPartD%2BzqPartE%20zqPartF".into(),
        "zqPartA%22zqPartB%2fzqPartC%5czqPartD%2bzqPartE%20zqPartF".into(),
        "zqPartA%22zqPartB/zqPartC%5CzqPartD%2BzqPartE%20zqPartF".into(),
        "zqPartA%22zqPartB%2FzqPartC%5CzqPartD%2BzqPartE+zqPartF".into(),
        "zqPartA%22zqPartB%2fzqPartC%5czqPartD%2bzqPartE+zqPartF".into(),
        // Hexadecimal.
        "7a715061727441227a7150617274422f7a7150617274435c7a7150617274442b7a715061727445207a715061727446".into(),
        "7A715061727441227A7150617274422F7A7150617274435C7A7150617274442B7A715061727445207A715061727446".into(),
        // Base64 of `user:ODD`, `us:ODD` and `use:ODD`.
        "dXNlcjp6cVBhcnRBInpxUGFydEIvenFQYXJ0Q1x6cVBhcnREK3pxUGFydEUgenFQYXJ0Rg==".into(),
        "dXM6enFQYXJ0QSJ6cVBhcnRCL3pxUGFydENcenFQYXJ0RCt6cVBhcnRFIHpxUGFydEY=".into(),
        "dXNlOnpxUGFydEEienFQYXJ0Qi96cVBhcnRDXHpxUGFydEQrenFQYXJ0RSB6cVBhcnRG".into(),
        json!(LINES).to_string(),
        json!(windows).to_string(),
        json!(json!(windows).to_string()).to_string(),
        json!(LINES.split('\n').collect::<Vec<_>>()).to_string(),
    ];
    forms.extend(LINES.split('\n').map(str::to_owned));
    forms
}

#[test]
fn no_encoding_of_a_secret_is_printed_or_written() {
    let forms = forms();
    let checks = concat!(
        "cases:\n  - id: forms\n    input: {}\n    checks:\n",
        "      - equals: { said: nothing }\n      - contains: absent\n",
        "      - json_path: { path: $.all, value: other }\n      - json_path: { path: '$.each[4]', value: other }\n",
        "      - not: { contains: Part }\n",
    );
    let output = json!({"all": forms.join("\n"), "each": forms, "quoted": json!({"all": forms}).to_string()});
    let call = json!({"type": "log", "level": "info", "message": forms.join(" "), "data": {"each": forms}});
    // Lines of standard error so long that they are cut within the secret, at every position.
    let long: Vec<String> = (1..20).map(|kept| format!("{}{ODD}", "x".repeat(2_000 - kept))).collect();
    let suite = Suite::native(&format!("stop: never\n{checks}"))
        .file("suite/output.json", output.to_string())
        .file("suite/log.json", call.to_string())
        .file("suite/stderr.txt", format!("{}\r\n{}\n{LINES}\n", long.join("\n"), forms.join("\n")))
        .agent("forms", "cat suite/stderr.txt >&2\nsay \"$(cat suite/log.json)\"\nfinish \"$(cat suite/output.json)\"");
    let variables = [("MY_SERVICE_TOKEN", ODD), ("OTHER_SERVICE_SECRET", LINES)];
    let (ran, texts) = run_with_every_report(&suite, &["run", "suite"], &variables);
    assert_eq!(ran.verdicts(), [("forms".into(), "fail".into(), "check".into())], "{ran:?}");
    assert_no_leak(&texts, &FORBIDDEN);
    // The agent did send all encodings.
    let events = ran.events();
    let said = events.iter().find(|event| event["type"] == "final_output").unwrap();
    for each in said["output"]["each"].as_array().unwrap() {
        assert!(each.as_str().unwrap().contains("[REDACTED]"), "{each}");
    }
    let tail = events.iter().find(|event| event["type"] == "case_end").unwrap()["stderr_tail"].to_string();
    assert!(tail.matches("[REDACTED]").count() >= long.len() + forms.len(), "{tail}");
    assert!(tail.contains("[REDACTED] [cut]"), "{tail}");
}

/// Text that only resembles a part or an encoding of a secret is not redacted.
#[test]
fn text_resembling_a_secret_is_not_redacted() {
    let suite = Suite::native("cases: [{ id: plain, input: { token: abc123, password: '12345678' } }]\n")
        .agent("plain", r#"finish '{"said":"YWJj abc12 1234567 3132333435363 the end [cut]"}'"#);
    let ran = suite.run(&[]);
    ran.all_passed();
    let events = ran.events();
    let output = events.iter().find(|event| event["type"] == "final_output").unwrap();
    assert_eq!(output["output"]["said"], "YWJj abc12 1234567 3132333435363 the end [cut]");
}
