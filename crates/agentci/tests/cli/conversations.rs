//! Recorded conversations: how they are judged, and the messages when a test diverges from its recording.

use std::fs;
use std::path::Path;

use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

/// A copy of the conversations example with one file changed.
fn shop(file: &str, from: &str, to: &str) -> Suite {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/conversations");
    let mut suite = Suite::empty();
    for path in [
        "ananke.config.yaml",
        "tests/checkout.test.yaml",
        "tests/sold-out.test.yaml",
        "recordings/tests/checkout.test.jsonl",
        "recordings/tests/sold-out.test.jsonl",
    ] {
        let mut text = fs::read_to_string(example.join(path)).unwrap();
        if path == file {
            assert!(text.contains(from), "{path} has no {from}");
            text = text.replace(from, to);
        }
        suite = suite.file(&format!("shop/{path}"), text);
    }
    suite
}

fn unchanged() -> Suite {
    shop("", "", "")
}

#[test]
fn example_replays_without_server_and_hooks() {
    // The copy does not contain the hooks.
    let ran = unchanged().agentci(&["run", "shop", "--mode", "replay"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.verdicts().iter().all(|verdict| verdict.1 == "pass"), "{ran:?}");
    assert!(!ran.stdout.contains("warning"), "{ran:?}");
}

#[test]
fn replay_needs_no_secrets_or_addresses() {
    let live = "endpoint: \"${ENV.NO_SUCH_ADDRESS}/\"\n  headers: { authorization: \"Bearer ${ENV.NO_SUCH_TOKEN}\" }\n  \
                forwardedProps: { tenant: \"${ENV.NO_SUCH_TENANT}\" }";
    let suite = shop("ananke.config.yaml", "endpoint: \"http://127.0.0.1:8123/\"", live);
    let ran = suite.agentci(&["run", "shop", "--mode", "replay"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let suite = suite.file("shop/tests/sold-out.test.yaml", "version: '1.0'\nname: hello\nturns: [{ user: hi }]\n");
    let ran = suite.agentci(&["run", "shop/tests/sold-out.test.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("the variable `ENV.NO_SUCH_"), "{ran:?}");
}

#[test]
fn conversion_keeps_verdicts() {
    let suite = unchanged();
    let native = suite.agentci(&["convert", "shop"]);
    assert_eq!(native.code, Some(0), "{native:?}");
    let suite = suite.file("shop/agentci.yaml", native.stdout.as_bytes());
    let ran = suite.agentci(&["run", "shop/agentci.yaml", "--mode", "replay"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let own = unchanged().agentci(&["run", "shop", "--mode", "replay"]);
    assert_eq!(ran.verdicts(), own.verdicts());
}

#[test]
fn time_limits_apply_to_recorded_durations() {
    // A replay is fast, but the recorded times count.
    let suite = shop(
        "tests/sold-out.test.yaml",
        "version: \"1.0\"",
        "version: \"1.0\"\nassert: { timing: { max_duration_ms: 1 } }",
    );
    let first = suite.agentci(&["run", "shop", "--mode", "replay", "--json"]);
    let second = suite.agentci(&["run", "shop", "--mode", "replay", "--json"]);
    let measured = |ran: &Ran| {
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let test = &document["tests"][1];
        assert_eq!(test["failures"][0]["assertion"], "timing.max_duration_ms", "{ran:?}");
        test["failures"].clone()
    };
    assert_eq!((first.code, second.code), (Some(1), Some(1)), "{first:?}");
    assert_eq!(measured(&first), measured(&second));
}

#[test]
fn reports_turn_that_differs_from_recording() {
    let suite = shop("tests/checkout.test.yaml", "By bicycle, thanks", "By donkey, thanks");
    let ran = suite.agentci(&["run", "shop", "--mode", "replay", "--case", "a basket is bought"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.verdicts()[0].2, "replay_miss", "{ran:?}");
    for words in ["turn 2", "By bicycle, thanks", "By donkey, thanks", "agentci record"] {
        assert!(ran.stdout.contains(words), "no {words} in {ran:?}");
    }
}

#[test]
fn reports_turn_missing_from_recording() {
    let suite = shop("tests/sold-out.test.yaml", "\nturns:\n", "\nturns:\n  - user: Good morning\n");
    let ran = suite.agentci(&["run", "shop", "--mode", "replay", "--case", "what is sold out is not sold"]);
    assert_eq!((ran.code, ran.verdicts()[0].2.as_str()), (Some(1), "replay_miss"), "{ran:?}");
}

#[test]
fn missing_or_invalid_recording_fails_only_its_case() {
    let suite = unchanged();
    fs::remove_file(suite.path("shop/recordings/tests/checkout.test.jsonl")).unwrap();
    let suite = suite.file("shop/recordings/tests/sold-out.test.jsonl", "{\"v\":1,\"type\":\"recording\"}\nnonsense\n");
    let ran = suite.agentci(&["run", "shop", "--mode", "replay"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let causes: Vec<String> = ran.verdicts().into_iter().map(|verdict| verdict.2).collect();
    assert_eq!(causes, ["config", "config"], "{ran:?}");
    for words in ["no such file", "line 2", "agentci record"] {
        assert!(ran.stdout.contains(words), "no {words} in {ran:?}");
    }
}

#[test]
fn unreachable_server_is_reported_and_keeps_old_recording() {
    let suite = shop("ananke.config.yaml", "http://127.0.0.1:8123/", "http://127.0.0.1:9/");
    let suite = suite.file("shop/tests/checkout.test.yaml", "version: \"1.0\"\nname: hello\nturns: [{ user: hi }]\n");
    let ran = suite.agentci(&["run", "shop/tests/checkout.test.yaml"]);
    assert_eq!((ran.code, ran.verdicts()[0].2.as_str()), (Some(1), "unreachable"), "{ran:?}");
    assert!(ran.stdout.contains("127.0.0.1:9") && ran.stdout.contains("ananke.config.yaml:"), "{ran:?}");
    // A recording that could not start does not replace the earlier one.
    let before = fs::read(suite.path("shop/recordings/tests/checkout.test.jsonl")).unwrap();
    let ran = suite.agentci(&["record", "shop/tests/checkout.test.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(fs::read(suite.path("shop/recordings/tests/checkout.test.jsonl")).unwrap(), before);
}

#[test]
fn omits_protocol_version_for_servers_that_reject_it() {
    let address = listen(|asked| {
        if asked.body.get("protocolVersion").is_some() {
            let detail = r#"{"detail":[{"type":"extra_forbidden","loc":["body","protocolVersion"],"msg":"Extra inputs are not permitted"}]}"#;
            return Some(Answer(422, "content-type: application/json\r\n", detail.into()));
        }
        let ids = format!("\"threadId\":{},\"runId\":{}", asked.body["threadId"], asked.body["runId"]);
        let events = format!(
            "data: {{\"type\":\"RUN_STARTED\",{ids}}}\n\n\
             data: {{\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":\"assistant\"}}\n\n\
             data: {{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"hello\"}}\n\n\
             data: {{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"}}\n\n\
             data: {{\"type\":\"RUN_FINISHED\",{ids}}}\n\n"
        );
        Some(Answer(200, "content-type: text/event-stream\r\n", events))
    });
    let config = format!("version: '1.0'\ntarget: {{ type: agui, endpoint: '{address}/', agentId: shop }}\n");
    let test =
        "version: '1.0'\nname: hello\nturns: [{ user: hi, assert: { text: { must_match: hello } } }, { user: ho }]\n";
    let suite = Suite::empty().file("shop/ananke.config.yaml", config).file("shop/hello.test.yaml", test);
    for arguments in [&["run", "shop"][..], &["record", "shop"], &["run", "shop", "--mode", "replay"]] {
        let ran = suite.agentci(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?} {ran:?}");
    }
}
