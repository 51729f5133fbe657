//! `agentci replay`: what makes it fail, and what does not.

use std::fs;

use crate::recorded_agent::{MODEL_KEY, PYTHON, ran, replayed_elsewhere, shop};
use crate::suite::Suite;
use crate::upstream::Upstream;

#[test]
fn unrecorded_request_fails_even_if_the_agent_handles_it() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"])).code, Some(0));
    let forgiving = PYTHON.replace(
        "message = ask(messages)\nwhile",
        "try: message = ask(messages)\nexcept Exception: message = {\"content\": \"sorry\"}\nwhile",
    );
    let (fresh, _) = replayed_elsewhere(&suite, &mut upstream, &[]);
    fs::write(fresh.path("agent.py"), forgiving).unwrap();
    let missed =
        ran(&fresh, &mut fresh.command(&["replay", "agent.jsonl", "--", "python3", "agent.py", "Where is A-18?"]));
    assert_eq!((missed.code, missed.stdout.as_str()), (Some(1), "sorry\n"), "{missed:?}");
    missed.complains(&[
        "error: call 1 is not in agent.jsonl (replay_miss)",
        "/messages/0/content",
        "A-17",
        "A-18",
        "help: ",
        "agentci record --update -o agent.jsonl -- python3 agent.py 'Where is A-18?'",
    ]);
    let silent = ran(&fresh, &mut fresh.command(&["replay", "agent.jsonl", "--", "true"]));
    assert_eq!(silent.code, Some(1), "{silent:?}");
    silent.complains(&["the agent sent none of the 3 recorded requests"]);
}

#[test]
fn unused_recorded_calls_fail_only_on_request() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"])).code, Some(0));
    let hasty = PYTHON.replace("while message.get(\"tool_calls\"):", "while False:");
    fs::write(suite.path("agent.py"), hasty).unwrap();
    for (more, code, word) in [(&[][..], 0, "warning: "), (&["--strict"][..], 1, "error: ")] {
        let arguments = [&["replay", "recordings/agent.jsonl"], more].concat();
        let replayed = ran(&suite, &mut suite.command(&arguments));
        assert_eq!(replayed.code, Some(code), "{replayed:?}");
        replayed.complains(&[&format!("{word}2 of 3 recorded calls were not made: 2, 3")]);
    }
    assert_eq!(
        ran(&suite, &mut suite.command(&["recording", "clean", "recordings/agent.jsonl", "--id", "3"])).code,
        Some(0)
    );
    let one = ran(&suite, &mut suite.command(&["replay", "recordings/agent.jsonl"]));
    one.complains(&["1 of 2 recorded calls was not made: 2"]);
}

#[test]
fn allowed_live_calls_are_counted_and_not_errors() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py", "one"])).code, Some(0));
    let file = "recordings/agent.jsonl";
    let before = fs::read_to_string(suite.path(file)).unwrap();
    let replayed = |how: &str| {
        let arguments = ["replay", file, "--on-miss", how, "--", "python3", "agent.py", "hello"];
        ran(&suite, &mut suite.command(&arguments))
    };
    let asked = upstream.asked();
    let live = replayed("live");
    assert_eq!(live.code, Some(0), "{live:?}");
    live.complains(&["1 call answered by the live world, and not recorded"]);
    assert_eq!(fs::read_to_string(suite.path(file)).unwrap(), before);
    let added = replayed("record");
    assert_eq!(added.code, Some(0), "{added:?}");
    added.complains(&["1 call answered by the live world, and added to recordings/agent.jsonl"]);
    assert_eq!(upstream.asked() - asked, 2);
    let again = replayed("fail");
    assert_eq!((again.code, upstream.asked() - asked), (Some(0), 2), "{again:?}");
}

#[test]
fn recording_is_checked_with_its_redaction_rules() {
    let upstream = Upstream::start();
    // Log probabilities contain a key `token`, which is not a secret.
    let tells =
        PYTHON.replace("\"messages\": messages}", "\"messages\": messages, \"logprobs\": [{\"token\": \"Hello\"}]}");
    let suite = shop(&upstream).file("agent.py", tells);
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"])).code, Some(0));
    let file = suite.path("recordings/agent.jsonl");
    let checked = |suite: &Suite| ran(suite, &mut suite.command(&["check", "--secrets", "recordings"]));
    let clean = checked(&suite);
    assert_eq!((clean.code, clean.stdout.as_str()), (Some(0), "1 recording: no problems found\n"), "{clean:?}");
    let one = ran(&suite, &mut suite.command(&["check", "--secrets", "recordings/agent.jsonl"]));
    assert_eq!(one.code, Some(0), "{one:?}");
    let unasked = ran(&suite, &mut suite.command(&["check", "recordings"]));
    assert_eq!(unasked.code, Some(1), "{unasked:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("Where is A-17?"));
    fs::write(&file, text.replace("Where is A-17?", &format!("Where is A-17? {MODEL_KEY}"))).unwrap();
    let dirty = checked(&suite);
    assert_eq!(dirty.code, Some(1), "{dirty:?}");
    assert!(format!("{dirty:?}").contains("contains a secret"), "{dirty:?}");
}
