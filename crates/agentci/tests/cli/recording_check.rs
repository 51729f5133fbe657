//! `agentci recording check`: the problems that it finds in recordings.

use std::fs;

use serde_json::{Value, json};

use crate::live_world::LiveWorld;
use crate::ran::Ran;
use crate::recorded_agent::{MODEL_KEY, SHOP_KEY, ran, shop};
use crate::suite::Suite;
use crate::upstream::Upstream;
use crate::world_recordings::{RECORDING, agentci, broken, record};

const FILE: &str = "recordings/agent.jsonl";
const CHECKS: &str = "checks: [{ contains: done }]";

/// A recording of these calls, made this many days ago. A call has method, path, status, content type and body of the
/// answer.
fn recording(days: u64, command: &[&str], calls: &[(&str, &str, u16, &str, &str)]) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now_ms = u64::try_from(now.as_millis()).unwrap() - days * 86_400_000;
    let head =
        json!({"v": 2, "type": "recording", "command": command, "now_ms": now_ms, "roots": {"cwd": "/w"}, "keys": []});
    let mut text = format!("{head}\n");
    for (id, (method, path, status, kind, answer)) in (1..).zip(calls) {
        for line in [
            json!({"type": "request", "id": id, "at_us": 1, "to": "https://shop.example", "method": method, "path": path}),
            json!({"type": "response", "id": id, "at_us": 2, "status": status, "headers": {"content-type": kind}}),
            json!({"type": "frame", "id": id, "at_us": 3, "text": answer}),
            json!({"type": "end", "id": id, "at_us": 4, "how": "closed"}),
        ] {
            text = format!("{text}{line}\n");
        }
    }
    text
}

const JSON: &str = "application/json";
const FINE: (&str, &str, u16, &str, &str) = ("GET", "/orders/1", 200, JSON, "{}");

fn check(suite: &Suite, more: &[&str]) -> Ran {
    suite.agentci(&[&["recording", "check"], more].concat())
}

fn findings(suite: &Suite, more: &[&str]) -> Vec<(String, String, Option<u64>)> {
    let ran = check(suite, &[more, &["--json"]].concat());
    let told: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = told["findings"].as_array().unwrap().iter();
    all.map(|found| (text(&found["severity"]), text(&found["kind"]), found["line"].as_u64())).collect()
}

#[test]
fn new_recording_has_no_problems() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let mut command = suite.command(&["record", "--", "python3", "agent.py"]);
    command.env("OPENAI_API_KEY", MODEL_KEY).env("SHOP_API_KEY", SHOP_KEY);
    assert_eq!(ran(&suite, &mut command).code, Some(0));
    for path in [FILE, "recordings"] {
        let well = check(&suite, &[path, "--strict"]);
        assert_eq!(well.code, Some(0), "{well:?}");
        assert!(well.stdout.ends_with("1 recording: no problems found\n"), "{well:?}");
        // What cannot be determined is a note, which does not fail the check.
        assert!(
            well.stdout.contains("note: recordings/agent.jsonl: cannot tell whether all its calls are still used"),
            "{well:?}"
        );
    }
    assert_eq!(upstream.asked(), 3);
}

#[test]
fn old_recordings_are_warnings_or_errors_with_strict() {
    let suite = Suite::empty()
        .file("r/old.jsonl", recording(91, &["x"], &[FINE]))
        .file("r/new.jsonl", recording(89, &["x"], &[FINE]));
    let old = check(&suite, &["r"]);
    assert_eq!(old.code, Some(0), "{old:?}");
    assert!(
        old.stdout
            .contains("warning: r/old.jsonl:1: was first recorded 91 days ago; `agentci recording drift r/old.jsonl`"),
        "{old:?}"
    );
    assert!(old.stdout.ends_with("2 recordings: 0 errors, 1 warning\n"), "{old:?}");
    assert_eq!(check(&suite, &["r", "--strict"]).code, Some(1));
    assert_eq!(check(&suite, &["r/new.jsonl", "--strict"]).code, Some(0));
    assert_eq!(check(&suite, &["r", "--strict", "--older-than", "92d"]).code, Some(0));
    let stale = findings(&suite, &["r", "--older-than", "30d"]).into_iter().filter(|(_, kind, _)| kind == "stale");
    assert_eq!(stale.count(), 2);
    let wrong = check(&suite, &["r", "--older-than", "30"]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    wrong.complains(&["such as `30d` or `12h`"]);
}

#[test]
fn error_responses_are_reported_with_their_lines() {
    let broken = "event: error\ndata: {\"message\":\"overloaded\"}\n\n";
    let rpc = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#;
    let calls = [
        FINE,
        ("GET", "/orders/17", 404, JSON, r#"{"error":{"message":"no such order"}}"#),
        ("GET", "/busy", 429, JSON, "{}"),
        ("GET", "/busy", 200, JSON, "{}"),
        ("GET", "/limit", 429, JSON, "{}"),
        ("GET", "/stream", 200, "text/event-stream", broken),
        ("POST", "/mcp", 200, JSON, rpc),
    ];
    let text = recording(0, &["x"], &calls);
    let torn = text.replace(
        r#"{"type":"end","id":1,"at_us":4,"how":"closed"}"#,
        r#"{"type":"end","id":1,"at_us":4,"how":"broken","message":"reset"}"#,
    );
    let suite = Suite::empty().file("r/a.jsonl", text).file("r/torn.jsonl", torn);
    let told = check(&suite, &["r/a.jsonl"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    for line in [
        "warning: r/a.jsonl:7: call 2 GET https://shop.example/orders/17 was answered with status 404",
        "warning: r/a.jsonl:19: call 5 GET https://shop.example/limit was answered with status 429",
        "warning: r/a.jsonl:23: call 6 GET https://shop.example/stream was answered with an error: overloaded; ",
        "warning: r/a.jsonl:27: call 7 POST https://shop.example/mcp was answered with an error: JSON-RPC -32000 no; ",
        "1 answer asked for a retry, which succeeded\n",
        "1 recording: 0 errors, 4 warnings\n",
    ] {
        assert!(told.stdout.contains(line), "{line}\n{told:?}");
    }
    assert_eq!(check(&suite, &["r/a.jsonl", "--strict"]).code, Some(1));
    let torn = check(&suite, &["r/torn.jsonl"]);
    assert!(
        torn.stdout.contains("r/torn.jsonl:5: call 1 GET https://shop.example/orders/1 broke off: reset; "),
        "{torn:?}"
    );
}

#[test]
fn secrets_and_unreadable_recordings_are_errors() {
    let whole = recording(0, &["x"], &[FINE]);
    let cut = whole.split_at(whole.len() - 20).0.to_owned();
    let leaks = recording(0, &["x"], &[FINE, ("GET", "/a", 200, JSON, &format!("{{\"caller\":\"{SHOP_KEY}\"}}"))]);
    let suite = Suite::empty()
        .file("r/cut.jsonl", cut)
        .file("s/leaks.jsonl", leaks)
        .file("t/notes.jsonl", "{\"my\":\"own\"}\n")
        .file("t/fine.jsonl", whole);
    let cut = check(&suite, &["r"]);
    assert_eq!(cut.code, Some(1), "{cut:?}");
    assert!(
        cut.stdout.contains("error: r/cut.jsonl:5: cannot be read: the file ends in the middle of this line"),
        "{cut:?}"
    );
    let mut command = suite.command(&["recording", "check", "s"]);
    let leaks = ran(&suite, command.env("SHOP_API_KEY", SHOP_KEY));
    assert_eq!(leaks.code, Some(1), "{leaks:?}");
    assert!(leaks.stdout.contains("error: s/leaks.jsonl:8: this line contains a secret; "), "{leaks:?}");
    assert!(!leaks.stdout.contains(SHOP_KEY), "{leaks:?}");
    // Other files in a folder are skipped; a file named on the command line must be a recording.
    let others = check(&suite, &["t"]);
    assert!(
        others.code == Some(0)
            && others.stdout.contains("1 other `.jsonl` file was skipped: not a recording of model and tool calls"),
        "{others:?}"
    );
    assert_eq!(findings(&suite, &["t/notes.jsonl"]), [("error".into(), "unreadable".into(), Some(1))]);
    let none = check(&suite, &["t/no.jsonl"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    none.complains(&["`t/no.jsonl` does not exist"]);
    fs::create_dir(suite.path("empty")).unwrap();
    let empty = check(&suite, &["empty"]);
    assert_eq!(empty.code, Some(1), "{empty:?}");
    empty.complains(&["no recordings found"]);
}

#[test]
fn reports_calls_and_recordings_unused_by_newest_run() {
    let live = LiveWorld::start();
    let suite = crate::world_recordings::suite(&live, RECORDING, CHECKS);
    record(&suite);
    let kinds = |more: &[&str]| -> Vec<(String, String)> {
        findings(&suite, &[&["suite"], more].concat()).into_iter().map(|(severity, kind, _)| (severity, kind)).collect()
    };
    let note = [("note".to_owned(), "use_not_known".to_owned())];
    let told = check(&suite, &["suite"]);
    // The run that recorded it replayed nothing.
    assert!(told.stdout.contains("no run of this recording has passed: `agentci run suite/agentci.yaml`"), "{told:?}");
    assert_eq!(broken(&suite, "").code, Some(0));
    assert_eq!(kinds(&[]), []);
    assert_eq!(broken(&suite, "no_lookup").code, Some(0));
    let unused = check(&suite, &["suite/recordings"]);
    assert!(
        unused.stdout.contains("call 2 GET ") && unused.stdout.contains("was not used by the newest run; "),
        "{unused:?}"
    );
    assert_eq!((unused.code, check(&suite, &["suite", "--strict"]).code), (Some(0), Some(1)));
    // A failed case may not have reached its later calls.
    assert_eq!(broken(&suite, "early").code, Some(1));
    assert_eq!(kinds(&[]), note);
    // A recording that changed after the run counts as not run.
    assert_eq!(agentci(&suite, &["run", "suite"], &[("MUTATION", "no_lookup")]).code, Some(0));
    let path = suite.path("suite/recordings/refund.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}\n")).unwrap();
    assert_eq!(kinds(&[]), note);
    // No suite uses these two; the recording of a command is for `agentci replay`.
    let suite = suite
        .file("suite/recordings/left.jsonl", recording(0, &[], &[FINE]))
        .file("suite/recordings/command.jsonl", recording(0, &["x"], &[FINE]));
    let told = check(&suite, &["suite"]);
    assert!(
        told.stdout.contains("warning: suite/recordings/left.jsonl: no case uses this recording; remove it"),
        "{told:?}"
    );
    assert!(told.stdout.contains("note: suite/recordings/command.jsonl: "), "{told:?}");
    // If a suite cannot be read, it is unknown whether the recording is used.
    let suite = suite.file("suite/agentci.yaml", "suite: [");
    let told = check(&suite, &["suite/recordings/left.jsonl"]);
    assert!(told.stdout.contains("a suite cannot be read") && !told.stdout.contains("no case uses"), "{told:?}");
}
