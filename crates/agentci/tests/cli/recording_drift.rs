//! `agentci recording drift`: sends recorded requests to the live world again and reports answers whose shape changed.
//! Nothing is sent without consent, and a key is sent only to its own host.

use std::fs;
use std::process::Command;

use agentci_recorder::load;

use crate::ran::Ran;
use crate::recorded_agent::{MODEL_KEY, SHOP_KEY, ran, shop};
use crate::suite::Suite;
use crate::terminal::typed;
use crate::upstream::Upstream;

const FILE: &str = "recordings/agent.jsonl";

/// A recorded agent: two model calls with a tool call between them.
fn recorded() -> (Upstream, Suite) {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let mut command = suite.command(&["record", "--", "python3", "agent.py"]);
    command.env("OPENAI_API_KEY", MODEL_KEY).env("SHOP_API_KEY", SHOP_KEY);
    let recorded = ran(&suite, &mut command);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    assert_eq!(upstream.asked(), 3);
    (upstream, suite)
}

fn drift(suite: &Suite, more: &[&str]) -> Ran {
    drift_with(suite, more, |_| {})
}

fn drift_with(suite: &Suite, more: &[&str], change: impl FnOnce(&mut Command)) -> Ran {
    let mut command = suite.command(&[&["recording", "drift", FILE], more].concat());
    command.env("OPENAI_API_KEY", MODEL_KEY);
    change(&mut command);
    ran(suite, &mut command)
}

fn text(suite: &Suite) -> String {
    fs::read_to_string(suite.path(FILE)).unwrap()
}

#[test]
fn sends_nothing_without_consent() {
    let (upstream, suite) = recorded();
    let before = text(&suite);
    let refused = drift(&suite, &["--update"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""), "{refused:?}");
    // The cost is reported first.
    refused.complains(&["2 of 3 calls can be repeated", "2 calls, about $0.0090, `authorization` from OPENAI_API_KEY"]);
    refused.complains(&["without a terminal", "`--yes`"]);
    assert!(!refused.stderr.contains(MODEL_KEY), "{refused:?}");
    let in_ci = drift_with(&suite, &[], |command| {
        command.env("CI", "true");
    });
    assert_eq!(in_ci.code, Some(1), "{in_ci:?}");
    in_ci.complains(&["while `CI` is set"]);
    for answer in ["n", "", "maybe", "^D"] {
        let (shown, code) = typed(&suite, &[answer], &["recording", "drift", FILE, "--update"]);
        assert!(code == 1 && shown.contains("no calls were made"), "{shown}");
    }
    assert_eq!(upstream.asked(), 3);
    assert_eq!(text(&suite), before);
}

#[test]
fn unchanged_api_has_no_drift_and_writes_are_skipped() {
    let (upstream, suite) = recorded();
    let same = drift(&suite, &["--yes"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert_eq!(same.stdout, "2 calls were repeated, for about $0.0090: none changed\n");
    same.complains(&["not repeated: call 2 POST", "/orders/A-17", "`--include-writes` repeats it too"]);
    let asked = upstream.requests.lock().unwrap().split_off(3);
    assert_eq!(asked.len(), 2, "{asked:?}");
    for request in &asked {
        assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1"), "{request}");
        assert!(request.contains(&format!("authorization: Bearer {MODEL_KEY}")), "{request}");
    }
    // The body equals the recorded one, byte for byte.
    assert!(
        asked[0].ends_with(r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Where is A-17?"}]}"#),
        "{asked:?}"
    );
    let (shown, code) = typed(&suite, &["y"], &["recording", "drift", FILE]);
    assert!(code == 0 && shown.contains("none changed"), "{shown}");
}

#[test]
fn renamed_field_is_reported_with_request_path_and_cost() {
    let (upstream, suite) = recorded();
    upstream.rewrites("\"finish_reason\"", "\"ended_by\"");
    let changed = drift(&suite, &["--yes"]);
    assert_eq!(changed.code, Some(1), "{changed:?}");
    let url = &upstream.url;
    for id in [1, 3] {
        let line = format!(
            "call {id} POST {url}/v1/chat/completions: /choices/*/finish_reason is gone, /choices/*/ended_by is new \
             (recording it again costs about $0.0045)\n"
        );
        assert!(changed.stdout.contains(&line), "{changed:?}");
    }
    assert!(changed.stdout.ends_with("for about $0.0090: 2 changed\n"), "{changed:?}");
}

#[test]
fn update_replaces_only_changed_responses_without_secrets() {
    let (upstream, suite) = recorded();
    let before = load(&suite.path(FILE)).unwrap();
    upstream.rewrites("\"shipped\"", "\"sent\"");
    let header = format!("{}: x-api-key: $SHOP_API_KEY", upstream.url.trim_start_matches("http://"));
    // The path of the tool contained its key, which is redacted in the recording.
    let no_key = drift(&suite, &["--yes", "--include-writes", "--header", &header]);
    no_key.complains(&["`SHOP_API_KEY`, which is unset or empty"]);
    let lost = drift_with(&suite, &["--yes", "--include-writes", "--header", &header], |command| {
        command.env("SHOP_API_KEY", SHOP_KEY);
    });
    lost.complains(&["not repeated: call 2", "its address contained a secret"]);
    // Remove the redacted key from the recording.
    let without = text(&suite).replace("?key=[REDACTED]", "");
    fs::write(suite.path(FILE), without).unwrap();
    let updated = drift_with(&suite, &["--yes", "--include-writes", "--update", "--header", &header], |command| {
        command.env("SHOP_API_KEY", SHOP_KEY);
    });
    assert_eq!(updated.code, Some(0), "{updated:?}");
    assert!(
        updated.stdout.contains("/shipped is gone, /sent is new (recording it again calls no model)"),
        "{updated:?}"
    );
    updated
        .complains(&["replaced 1 answer in recordings/agent.jsonl: call 2", "agentci replay recordings/agent.jsonl"]);
    let after = load(&suite.path(FILE)).unwrap();
    assert_eq!((&after.exchanges[0], &after.exchanges[2]), (&before.exchanges[0], &before.exchanges[2]));
    assert_eq!((after.exchanges[1].id, after.exchanges[1].after), (2, before.exchanges[1].after));
    // The tool's answer contains the key that it was called with.
    let stored = text(&suite);
    assert!(stored.contains(r#"\"sent\":\"2024-05-03\""#) && !stored.contains(SHOP_KEY), "{stored}");
    assert!(!updated.stdout.contains(SHOP_KEY) && !updated.stderr.contains(SHOP_KEY), "{updated:?}");
    let again = drift_with(&suite, &["--yes", "--include-writes"], |_| {});
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn does_not_update_without_consent() {
    let (upstream, suite) = recorded();
    let before = text(&suite);
    upstream.rewrites("\"finish_reason\"", "\"ended_by\"");
    let (shown, code) = typed(&suite, &["y", "n"], &["recording", "drift", FILE, "--update"]);
    assert_eq!(code, 1, "{shown}");
    assert!(
        shown.contains("replace 2 answers in recordings/agent.jsonl") && shown.contains("nothing was replaced"),
        "{shown}"
    );
    assert_eq!(text(&suite), before);
    let (shown, code) = typed(&suite, &["y", "y"], &["recording", "drift", FILE, "--update"]);
    assert_eq!(code, 0, "{shown}");
    assert_ne!(text(&suite), before);
}

#[test]
fn fails_if_responses_cannot_be_compared() {
    let (mut upstream, suite) = recorded();
    // Answers that exceed the timeout.
    let slow = text(&suite).replacen(
        "\"model\":\"gpt-4o\",\"messages\"",
        "\"pause_ms\":3000,\"model\":\"gpt-4o\",\"messages\"",
        1,
    );
    fs::write(suite.path(FILE), slow).unwrap();
    let late = drift(&suite, &["--yes", "--timeout", "500ms"]);
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(late.stdout.contains("not compared: no complete answer within 0.5 s"), "{late:?}");
    upstream.close();
    let gone = drift(&suite, &["--yes"]);
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert!(gone.stdout.contains("call 1") && gone.stdout.contains("2 were not compared"), "{gone:?}");
    let nobody = drift(&suite, &["--yes", "--only", "elsewhere.example"]);
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    nobody.complains(&["no call in `recordings/agent.jsonl` can be repeated", "its host is not in `--only`"]);
}

#[test]
fn provider_key_is_required_and_not_sent_elsewhere() {
    let (upstream, suite) = recorded();
    let to = |host: &str| text(&suite).replace(&format!("\"to\":\"{}\"", upstream.url), &format!("\"to\":\"{host}\""));
    fs::write(suite.path("provider.jsonl"), to("https://api.openai.com")).unwrap();
    fs::write(suite.path("stranger.jsonl"), to("https://gateway.invalid")).unwrap();
    let arguments = |file: &str| ["recording", "drift", file, "--yes"].map(str::to_owned);
    let missing = ran(&suite, &mut suite.command(&arguments("provider.jsonl").each_ref().map(String::as_str)));
    assert_eq!(missing.code, Some(1), "{missing:?}");
    missing.complains(&["needs a key: set `OPENAI_API_KEY`", "no call in `provider.jsonl` can be repeated"]);
    let mut command = suite.command(&["recording", "drift", "stranger.jsonl"]);
    let stranger = ran(&suite, command.env("OPENAI_API_KEY", MODEL_KEY));
    stranger.complains(&["gateway.invalid: 2 calls, about $0.0090\n"]);
}
