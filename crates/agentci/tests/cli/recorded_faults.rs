//! Faults in a recorded world: an agent that retries passes, one that gives up does not.

use std::fs;
use std::time::Instant;

use crate::live_world::LiveWorld;
use crate::ran::Ran;
use crate::suite::Suite;

/// Calls its model, refunds an order, and calls the model again. Each request is tried up to `TRIES` times.
const AGENT: &str = r#"
import http.client, json, os, sys, urllib.request

BASE, TRIES = os.environ["LIVE"], int(os.environ.get("TRIES", "2"))

def post(path, body):
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), {"content-type": "application/json"})
    for left in reversed(range(TRIES)):
        try:
            return json.loads(urllib.request.urlopen(request, timeout=3).read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            if not left:
                if os.environ.get("SWALLOWS"):
                    print("done: all well")
                    sys.exit(0)
                sys.exit("gave up: %s" % error)

def chat(messages):
    return post("/v1/chat/completions", {"model": os.environ.get("MODEL", "m-1"), "messages": messages})["choices"][0]["message"]

messages = [{"role": "user", "content": "refund A-17"}]
answer = chat(messages)
messages.append(answer)
for call in answer["tool_calls"]:
    result = post("/refunds", json.loads(call["function"]["arguments"]))
    messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
print(chat(messages)["content"])
"#;

/// A recorded suite with faults; faults are not injected during recording.
fn recorded(live: &LiveWorld, faults: &str) -> Suite {
    let shop = live.url().replace("http://", "");
    let faults = faults.replace("SHOP", &shop);
    let yaml = format!(
        "suite: suite\ntarget:\n  process: {{ speaks: text, command: [python3, agent.py], env: {{ LIVE: \"{}\", TRIES: \"${{ENV.TRIES:-2}}\", \
         MODEL: \"${{ENV.MODEL:-m-1}}\", SWALLOWS: \"${{ENV.SWALLOWS:-}}\" }} }}\n\
         world:\n  recording: \"recordings/{{case}}.jsonl\"\n  faults:\n{faults}\n\
         cases:\n  - id: refund\n    input: {{ user_input: refund A-17 }}\n    checks: [{{ contains: \"done\" }}]\n",
        live.url()
    );
    let suite = Suite::empty().file("suite/agentci.yaml", yaml).file("suite/agent.py", AGENT);
    let done = agentci(&suite, &["record", "suite"], &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    suite
}

fn agentci(suite: &Suite, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let started = Instant::now();
    let _ = fs::remove_dir_all(suite.path(".agentci"));
    let output = suite.command(arguments).envs(environment.iter().copied()).output().unwrap();
    suite.ran(&output, started.elapsed())
}

#[test]
fn agent_passes_with_retries_and_fails_without() {
    for (fault, forgiving) in [
        ("    - { tool: \"POST SHOP/refunds\", call: 1, error: upstream timeout }", false),
        ("    - { tool: \"POST SHOP/refunds\", call: 1, malformed: true }", false),
        ("    - { tool: \"POST SHOP/refunds\", call: 1, truncated: true }", false),
        ("    - { call: 1, hang: true }", false),
        ("    - { call: 1, delay: 400ms }", true),
        ("    - { model: true, call: 2, error: overloaded }", false),
        ("    - { model: true, call: 1, truncated: true }", false),
    ] {
        let live = LiveWorld::start();
        let suite = recorded(&live, fault);
        live.shut_down();
        let asked = live.asked().len();
        let before = fs::read(suite.path("suite/recordings/refund.jsonl")).unwrap();
        let patient = agentci(&suite, &["run", "suite"], &[]);
        assert_eq!(patient.code, Some(0), "{fault}: {patient:?}");
        assert!(!patient.shown().contains("never happened"), "{fault}: {patient:?}");
        let hasty = agentci(&suite, &["run", "suite"], &[("TRIES", "1")]);
        assert_eq!(hasty.code, Some(i32::from(!forgiving)), "{fault}: {hasty:?}");
        assert_eq!(live.asked().len(), asked);
        assert_eq!(fs::read(suite.path("suite/recordings/refund.jsonl")).unwrap(), before);
    }
}

#[test]
fn injected_fault_is_reported_with_its_call() {
    let live = LiveWorld::start();
    let suite = recorded(&live, "    - { tool: \"POST SHOP/refunds\", call: 1, error: upstream timeout }");
    let run = agentci(&suite, &["run", "suite"], &[]);
    let results = run.events().into_iter().filter(|event| event["type"] == "tool_result");
    let faults: Vec<String> = results.map(|event| event["fault"].as_str().unwrap_or("none").to_owned()).collect();
    assert!(faults.contains(&"error".to_owned()) && faults.contains(&"none".to_owned()), "{faults:?}");
}

#[test]
fn permanent_fault_fails_and_unused_fault_is_reported() {
    let live = LiveWorld::start();
    let suite = recorded(&live, "    - { tool: \"POST SHOP/refunds\", error: down }");
    assert_eq!(agentci(&suite, &["run", "suite"], &[("TRIES", "5")]).code, Some(1));
    let suite = recorded(
        &live,
        "    - { tool: refund, error: down }\n    - { tool: \"POST SHOP/refunds\", call: 9, error: down }\n    - { model: true, call: 7, hang: true }",
    );
    let run = agentci(&suite, &["run", "suite"], &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    run.says(&[
        "never happened: `refund` was never called",
        "/refunds`, which was called once at most",
        "never happened: it is for call 7 of the recorded model, which was called 2 times at most",
    ]);
}

#[test]
fn failed_request_counts_as_sent() {
    let live = LiveWorld::start();
    let suite = recorded(&live, "    - { model: true, call: 2, error: overloaded }");
    let graceful = agentci(&suite, &["run", "suite"], &[("TRIES", "1"), ("SWALLOWS", "1")]);
    assert_eq!(graceful.code, Some(0), "{graceful:?}");
    // The recorded request that would follow is still missing.
    let suite = recorded(&live, "    - { tool: \"POST SHOP/refunds\", call: 1, error: upstream timeout }");
    let idle = agentci(&suite, &["run", "suite"], &[("TRIES", "1"), ("SWALLOWS", "1")]);
    assert_eq!(idle.verdicts(), [("refund".to_owned(), "fail".to_owned(), "replay_miss".to_owned())], "{idle:?}");
    idle.says(&["1 of 3 recorded requests was never sent"]);
}

#[test]
fn fault_does_not_hide_an_unrecorded_request() {
    let live = LiveWorld::start();
    let suite = recorded(&live, "    - { model: true, call: 1, error: overloaded }");
    let run = agentci(&suite, &["run", "suite"], &[("MODEL", "m-2"), ("TRIES", "1"), ("SWALLOWS", "1")]);
    assert_eq!(run.verdicts(), [("refund".to_owned(), "fail".to_owned(), "replay_miss".to_owned())], "{run:?}");
}

#[test]
fn check_reports_only_faults_of_unrecorded_models() {
    let live = LiveWorld::start();
    let suite =
        recorded(&live, "    - { model: true, error: down }\n    - { tool: \"POST SHOP/refunds\", error: down }");
    let checked = suite.agentci(&["check", "suite"]);
    assert!(!checked.shown().contains("never happens"), "{checked:?}");
    let suite = Suite::native("world: { faults: [{ model: true, error: down }] }\ncases: [{ id: a, input: {} }]\n");
    suite.agentci(&["check", "suite"]).complains(&[
        "warning: the fault `error` never happens: it needs a recorded model",
        "a scripted model fails with `fail`",
    ]);
    let both =
        Suite::native("world: { faults: [{ tool: x, model: true, error: down }] }\ncases: [{ id: a, input: {} }]\n");
    both.agentci(&["check", "suite"]).complains(&["a fault has either `tool` or `model`, not both"]);
}
