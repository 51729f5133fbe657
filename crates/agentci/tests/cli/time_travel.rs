//! `agentci replay --until N --then WHAT`: the beginning from a recording, the rest live or scripted.

use std::fs;

use crate::ran::Ran;
use crate::recorded_agent::{NODE, PYTHON, ran, shop};
use crate::suite::Suite;
use crate::upstream::{TEN_STEPS, Upstream};

const FILE: &str = "recordings/agent.jsonl";
const FORK: &str = "recordings/agent.fork.jsonl";

/// Continues after three orders: requests one more order, then gives the final answer.
const SCRIPT: &str = "rules:
  - when: { turn: 4 }
    tool_calls: [{ name: find_order, args: { order: A-4 } }]
    misbehaves: true
  - when: { turn: 5 }
    reply: The third order is lost.
";

const LOST: &str = r#"/calls/6/result={"shipped": null, "lost": true}"#;

/// An agent whose ten calls and final answer are recorded, and its live world.
fn recorded(agent: &str) -> (Suite, Upstream) {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("agent.py", agent).file("script.yaml", SCRIPT);
    let done = ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py", TEN_STEPS]));
    assert_eq!(done.code, Some(0), "{done:?}");
    (suite, upstream)
}

fn forked(suite: &Suite, more: &[&str]) -> Ran {
    ran(suite, &mut suite.command(&[&["replay", FILE], more].concat()))
}

fn diff(suite: &Suite) -> String {
    ran(suite, &mut suite.command(&["recording", "diff", FILE, FORK])).stdout
}

#[test]
fn diff_starts_at_the_changed_result() {
    let (suite, mut upstream) = recorded(PYTHON);
    let before = fs::read(suite.path(FILE)).unwrap();
    upstream.close();
    let done = forked(&suite, &["--until", "6", "--then", "script.yaml", "--set", LOST]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "The third order is lost.\n"), "{done:?}");
    done.complains(&[
        "6 of 6 calls answered from recordings/agent.jsonl, 6 exact\nchanged /calls/6/result\n",
        "then 2 calls answered by script.yaml, 1 call by the rest of the recording\n",
        "wrote recordings/agent.fork.jsonl (",
        "next: agentci recording diff recordings/agent.jsonl recordings/agent.fork.jsonl\n",
    ]);
    assert_eq!(fs::read(suite.path(FILE)).unwrap(), before, "the original is as it was");
    // Of the calls after the sixth, the tool call for the fourth order is equal.
    let shown = diff(&suite);
    assert!(shown.starts_with("6 exchanges are equal\nthe first difference is at call 6\n6 | 6"), "{shown}");
    assert!(shown.contains("  answer /0/caller:") || shown.contains("  answer /0/shipped:"), "{shown}");
    // The fork is a recording like any other.
    let again = ran(&suite, &mut suite.command(&["replay", FORK]));
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "The third order is lost.\n"), "{again:?}");
    again.complains(&["9 of 9 answered, 9 exact; 9 recorded"]);
}

#[test]
fn generated_ids_are_not_a_difference() {
    let agent = PYTHON
        .replace("import json,", "import uuid, json,")
        .replace("\"messages\": messages}", "\"messages\": messages, \"metadata\": {\"session\": SESSION}}");
    let agent = agent.replace("KEY = os", "SESSION = str(uuid.uuid4())\nKEY = os");
    let (suite, _upstream) = recorded(&agent);
    let done = forked(&suite, &["--until", "6", "--then", "script.yaml", "--set", LOST]);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.complains(&["6 of 6 calls answered from recordings/agent.jsonl, 3 exact, 3 with holes (3 id)"]);
    let shown = diff(&suite);
    let head =
        "6 exchanges are equal, 3 of them except for ids, times and folders\nthe first difference is at call 6\n";
    assert!(shown.starts_with(head), "{shown}");
    let again = ran(&suite, &mut suite.command(&["replay", FORK]));
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn continues_live_after_fork_and_records_it() {
    let (suite, upstream) = recorded(PYTHON);
    let asked = upstream.asked();
    let done = forked(&suite, &["--until", "6", "--then", "live", "--set", LOST, "-o", "other.jsonl"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.complains(&["then 5 calls to the live world\n", "wrote other.jsonl ("]);
    assert_eq!(upstream.asked() - asked, 5);
    assert!(upstream.requests.lock().unwrap()[asked].contains("lost"), "the model is told of the changed answer");
    let again = ran(&suite, &mut suite.command(&["replay", "other.jsonl"]));
    assert_eq!((again.code, again.stdout), (Some(0), done.stdout), "11 calls replay");
    let refused = forked(&suite, &["--until", "6", "--then", "live", "-o", "other.jsonl"]);
    assert_eq!((refused.code, upstream.asked() - asked), (Some(2), 5), "{refused:?}");
    refused.complains(&["`other.jsonl` already exists", "help: choose another name, such as `-o other.fork.jsonl`"]);
}

#[test]
fn divergence_before_fork_fails_without_live_calls() {
    let (suite, upstream) = recorded(PYTHON);
    let asked = upstream.asked();
    // It sends different messages from its second request on, and ignores errors.
    let diverging = PYTHON.replace(
        "    message = ask(messages)\nprint",
        "    messages[0][\"content\"] = \"never mind\"\n    try: message = ask(messages)\n    except Exception: message = {\"content\": \"fine\"}\nprint",
    );
    fs::write(suite.path("agent.py"), diverging).unwrap();
    for then in ["live", "script.yaml"] {
        let lost = forked(&suite, &["--until", "6", "--then", then]);
        assert_eq!((lost.code, lost.stdout.as_str()), (Some(1), "fine\n"), "{lost:?}");
        lost.complains(&[
            "error: the agent did not reach call 6 of recordings/agent.jsonl as recorded; calls not made: 3, 4, 5, 6",
            "never mind",
            "help: fork before that, with `--until 2`; nothing was written",
            "2 of 6 calls answered",
        ]);
    }
    // An agent that stops early sends nothing that could miss.
    fs::write(suite.path("agent.py"), PYTHON.replace("while message.get(\"tool_calls\"):", "while False:")).unwrap();
    let hasty = forked(&suite, &["--until", "6", "--then", "live"]);
    assert_eq!(hasty.code, Some(1), "{hasty:?}");
    hasty.complains(&["the agent exited before call 6; calls not made: 2, 3, 4, 5, 6"]);
    assert_eq!(upstream.asked(), asked);
    assert!(!suite.path(FORK).exists());
}

#[test]
fn agent_that_diverged_once_never_reaches_live_world() {
    let (suite, upstream) = recorded(PYTHON);
    let asked = upstream.asked();
    // One extra call before the fork, whose failure it ignores.
    let extra = PYTHON.replace(
        "message = ask(messages)\nwhile",
        "message = ask(messages)\ntry: post(\"/audit\", {}, {})\nexcept Exception: pass\nwhile",
    );
    fs::write(suite.path("agent.py"), extra).unwrap();
    let lost = forked(&suite, &["--until", "6", "--then", "live"]);
    assert_eq!((lost.code, upstream.asked()), (Some(1), asked), "{lost:?}");
    lost.complains(&[
        "the agent did not reach call 6",
        "/audit",
        "check why it makes this call",
        "nothing was written",
    ]);
    assert!(!suite.path(FORK).exists());
}

#[test]
fn early_divergence_suggests_an_until_value() {
    let (suite, _upstream) = recorded(PYTHON);
    let lost = forked(&suite, &["--until", "6", "--then", "script.yaml", "--set", "/calls/2/result={\"lost\": 1}"]);
    assert_eq!(lost.code, Some(1), "{lost:?}");
    lost.complains(&["help: after the change to call 2 the agent sends a request that is not recorded", "`--until 2`"]);
}

#[test]
fn script_miss_and_new_tool_request_fail() {
    let forgiving = PYTHON.replace(
        "    message = ask(messages)\nprint",
        "    try: message = ask(messages)\n    except Exception: message = {\"content\": \"fine\"}\nprint",
    );
    let (suite, _upstream) = recorded(&forgiving);
    fs::write(suite.path("none.yaml"), "rules: [{ when: { turn: 9 }, reply: Never. }]\n").unwrap();
    let unanswered = forked(&suite, &["--until", "6", "--then", "none.yaml"]);
    assert_eq!((unanswered.code, unanswered.stdout.as_str()), (Some(1), "fine\n"), "{unanswered:?}");
    unanswered.complains(&["error: none.yaml does not match the agent's requests (model_miss)"]);
    let other = SCRIPT.replace("A-4", "Z-9");
    fs::write(suite.path("other.yaml"), other).unwrap();
    let careless = forgiving.replace("        result = post(", "        result = safe(").replace(
        "def ask(",
        "def safe(*given):\n    try: return post(*given)\n    except Exception: return {}\ndef ask(",
    );
    fs::write(suite.path("agent.py"), careless).unwrap();
    let new = forked(&suite, &["--until", "6", "--then", "other.yaml"]);
    assert_eq!(new.code, Some(1), "{new:?}");
    new.complains(&["error: call 8 has no answer after the fork", "/orders/Z-9", "need `--then live`"]);
}

#[test]
fn invalid_arguments_run_nothing() {
    let (suite, upstream) = recorded(PYTHON);
    let asked = upstream.asked();
    fs::write(suite.path("wrong.yaml"), "rules:\n  - replies: x\n").unwrap();
    for (more, code, said) in [
        (&["--until", "6", "--then", "live", "--set", "/calls/7/result=1"][..], 2, "comes after `--until 6`"),
        (&["--until", "6", "--then", "live", "--set", "/calls/6/result=lost"], 2, r#"'/calls/6/result="lost"'"#),
        (&["--until", "6", "--then", "live", "--set", "/calls/6/result/x=1"], 2, "`shipped`, `caller`"),
        (&["--until", "12", "--then", "live"], 2, "has 11 calls"),
        (&["--until", "6"], 2, "--then"),
        (&["--then", "live"], 2, "--until"),
        (&["--until", "6", "--then", "live", "--on-miss", "fail"], 2, "--on-miss"),
        (&["--until", "6", "--then", "wrong.yaml"], 1, "wrong.yaml:2:"),
        (&["--until", "6", "--then", "no.yaml"], 1, "no.yaml"),
    ] {
        let refused = forked(&suite, more);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(code), ""), "{refused:?}");
        refused.complains(&[said]);
    }
    let mut in_ci = suite.command(&["replay", FILE, "--until", "6", "--then", "live"]);
    let refused = ran(&suite, in_ci.env("CI", "true"));
    assert_eq!(refused.code, Some(1), "{refused:?}");
    refused.complains(&["`--then live` calls real models and tools", "help: continue with a script"]);
    assert_eq!(upstream.asked(), asked);
    assert!(!suite.path(FORK).exists());
    // A script costs nothing.
    let mut in_ci = suite.command(&["replay", FILE, "--until", "6", "--then", "script.yaml"]);
    assert_eq!(ran(&suite, in_ci.env("CI", "true")).code, Some(0));
}

#[test]
fn replaced_model_text_keeps_the_api_format() {
    let (suite, _upstream) = recorded(PYTHON);
    let said =
        forked(&suite, &["--until", "1", "--then", "script.yaml", "--set", r#"/calls/1/result="No orders, {{x}}.""#]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "No orders, {{x}}.\n"), "{said:?}");
    let streamed = Upstream::start();
    let suite = shop(&streamed).file("agent.cjs", NODE).file("script.yaml", SCRIPT);
    let done = ran(&suite, &mut suite.command(&["record", "-o", FILE, "--", "node", "agent.cjs"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = forked(&suite, &["--until", "1", "--then", "script.yaml", "--set", r#"/calls/1/result="Not today.""#]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "Not today.\n"), "{said:?}");
    let failing = forked(&suite, &["--until", "1", "--then", "script.yaml", "--set", "/calls/1/status=503"]);
    assert_eq!(failing.stdout, "\n", "the agent reads no words from an error: {failing:?}");
}

#[test]
fn concurrent_calls_may_arrive_in_any_order() {
    let agent = r#"
import json, sys, threading, time, urllib.request
BASE = open("base").read()
def post(path, after):
    time.sleep(after)
    request = urllib.request.Request(BASE + path, b"{}", {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=20).read()
first = open("first").read()
calls = [threading.Thread(target=post, args=("/orders/" + order, 0 if order == first else 0.3)) for order in "AB"]
[call.start() for call in calls]
[call.join() for call in calls]
"#;
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("agent.py", agent).file("first", "A");
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"])).code, Some(0));
    fs::write(suite.path("first"), "B").unwrap();
    let done = forked(&suite, &["--until", "1", "--then", "live"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.complains(&["1 of 1 call answered", "then 1 call to the live world"]);
}
