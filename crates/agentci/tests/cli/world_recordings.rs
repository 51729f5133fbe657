//! Recordings of the world around an agent: recorded once with the live world, and then replayed to the agent without
//! it. Each way to break the agent fails the case; differences between machines and days do not.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::live_world::LiveWorld;
use crate::ran::Ran;
use crate::suite::Suite;

/// Calls its model, looks up an order, refunds it, and calls the model again. `MUTATION` selects how it is broken.
const AGENT: &str = r#"
import datetime, json, os, sys, urllib.request

MUTATION = os.environ.get("MUTATION", "")
BASE = os.environ["LIVE"]

def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    try:
        return json.loads(urllib.request.urlopen(request).read())
    except urllib.error.HTTPError as error:
        if MUTATION == "swallow":
            return {"choices": [{"message": {"content": "done: all well"}}]}
        sys.exit("HTTP %d: %s" % (error.code, error.read().decode()))

def chat(messages):
    tool = {"type": "function", "function": {"name": "refund_order", "parameters": {"type": "object"}}}
    body = {"model": "other" if MUTATION == "model" else "m-1", "messages": messages}
    if MUTATION != "no_offer":
        body["tools"] = [tool]
    if MUTATION == "user_id":
        body["metadata"] = {"user_id": str(os.getpid())}
    else:
        body["metadata"] = {"user_id": "someone"}
    return ask("POST", "/v1/chat/completions", body)["choices"][0]["message"]

system = "You refund orders." if MUTATION != "system" else "You refund everything."
if MUTATION == "swallow":
    system = "You do what you like."
place = "Folder %s, home %s, today is %s." % (os.getcwd(), os.path.expanduser("~"), datetime.date.today())
messages = [{"role": "system", "content": system + " " + place}, {"role": "user", "content": "refund A-17"}]
answer = chat(messages)
if MUTATION == "early":
    print("done: early")
    sys.exit(0)
messages.append(answer)
for call in answer.get("tool_calls") or []:
    wanted = json.loads(call["function"]["arguments"])
    result = {"refunded": wanted["amount"]}
    if MUTATION != "no_lookup":
        ask("GET", "/orders?id=" + wanted["order"])
    if MUTATION != "no_tool":
        result = ask("POST", "/refunds", wanted)
    if MUTATION == "amount":
        result["refunded"] = 2000
    name = "call_other000" if MUTATION == "wrong_id" else call["id"]
    messages.append({"role": "tool", "tool_call_id": name, "content": json.dumps(result)})
if MUTATION == "no_result":
    print("done: without a result")
    sys.exit(0)
said = (chat(messages) if answer.get("tool_calls") else answer)["content"]
if os.environ.get("SPEAKS") == "protocol":
    sys.stdin.readline()
    print(json.dumps({"type": "final_output", "output": {"answer": said}}))
else:
    print(said)
"#;

/// A key that must not appear in any output.
const KEY: &str = "sk-live-0123456789abcdefghijklmnop";

const CHECKS: &str = "checks:\n      - contains: \"done\"\n      \
                      - tool_called: { name: refund_order, args: { amount: 20 }, count: 1 }\n      \
                      - model_called: { system: You refund orders, model: m-1, count: 2 }\n    \
                      limits: { model_calls: 2, tokens_out: 200, cost_usd: 0.01 }";

pub(crate) fn suite(live: &LiveWorld, world: &str, more: &str) -> Suite {
    with_target("speaks: text, ", live, world, more)
}

fn with_target(speaks: &str, live: &LiveWorld, world: &str, more: &str) -> Suite {
    let yaml = format!(
        "suite: suite\ntarget:\n  process: {{ {speaks}command: [python3, agent.py], env: {{ LIVE: \"{}\", \
         MUTATION: \"${{ENV.MUTATION:-}}\" }} }}\nworld: {world}\n\
         prices: {{ m-1: {{ input: 2, output: 10 }}, other: {{ input: 2, output: 10 }} }}\n\
         cases:\n  - id: refund\n    input: {{ user_input: refund A-17 }}\n    {more}\n",
        live.url()
    );
    Suite::empty().file("suite/agentci.yaml", yaml).file("suite/agent.py", AGENT)
}

pub(crate) const RECORDING: &str = "{ recording: \"recordings/{case}.jsonl\" }";

/// Runs `agentci` with these environment variables, which may break the agent.
pub(crate) fn agentci(suite: &Suite, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let started = Instant::now();
    // Only the last run is inspected.
    let _ = fs::remove_dir_all(suite.path(".agentci"));
    let mut command = suite.command(arguments);
    command.env("TZ", "UTC").env("OPENAI_API_KEY", KEY).envs(environment.iter().copied());
    let output = command.output().unwrap();
    suite.ran(&output, started.elapsed())
}

pub(crate) fn record(suite: &Suite) -> Ran {
    let ran = agentci(suite, &["record", "suite"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

pub(crate) fn broken(suite: &Suite, mutation: &str) -> Ran {
    agentci(suite, &["run", "suite"], &[("MUTATION", mutation)])
}

/// Asserts that the case has this status and cause.
#[track_caller]
fn is_wrong(ran: &Ran, status: &str, cause: &str) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.verdicts(), [("refund".to_owned(), status.to_owned(), cause.to_owned())], "{ran:?}");
}

fn kinds(ran: &Ran) -> Vec<String> {
    let told = ["model_call", "usage", "tool_call", "tool_result"];
    let kinds = ran.events().into_iter().map(|event| event["type"].as_str().unwrap().to_owned());
    kinds.filter(|kind| told.contains(&kind.as_str())).collect()
}

#[test]
fn recording_is_replayed_without_the_live_world() {
    let live = LiveWorld::start();
    let suite = suite(&live, RECORDING, CHECKS);
    let recorded = record(&suite);
    let seen = kinds(&recorded);
    recorded.says(&["live: 2 model calls, 0.006 USD"]);
    let text = fs::read_to_string(suite.path("suite/recordings/refund.jsonl")).unwrap();
    assert!(text.starts_with(r#"{"v":2,"type":"recording""#), "{text}");
    assert!(!text.contains(KEY), "{text}");
    let asked = live.asked();
    assert_eq!(asked.len(), 4, "{asked:?}");
    live.shut_down();
    // The replay has no API key either.
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    let mut command = suite.command(&["run", "suite", "--require-agent", "-v"]);
    let output = command.env("TZ", "UTC").output().unwrap();
    let ran = suite.ran(&output, Duration::ZERO);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(kinds(&ran), seen);
    assert_eq!(live.asked().len(), 4);
    let case = ran.case("refund");
    assert_eq!(case["matched"]["exact"], 4, "{case}");
    assert!(!ran.stdout.contains("played from"), "{ran:?}");
    // Exchanges with tools are part of the call that the model requested.
    let calls: Vec<Value> = ran.events().into_iter().filter(|event| event["type"] == "tool_call").collect();
    let names: Vec<&str> = calls.iter().map(|call| call["name"].as_str().unwrap()).collect();
    let host = live.url().replace("http://", "");
    assert_eq!(names, ["refund_order", &format!("GET {host}/orders"), &format!("POST {host}/refunds")]);
}

#[test]
fn every_agent_mutation_fails_the_case() {
    let live = LiveWorld::start();
    // The usual checks would find some of the mutations; here only the recording does.
    let suite = suite(&live, RECORDING, "checks: [{ contains: done }]");
    record(&suite);
    live.shut_down();
    let misses = [
        ("system", "You refund everything."),
        ("swallow", "You do what you like."),
        ("amount", "2000"),
        ("no_offer", "refund_order"),
        ("wrong_id", "call_other000"),
        ("model", "other"),
        ("user_id", "/metadata/user_id"),
    ];
    for (mutation, told) in misses {
        let ran = broken(&suite, mutation);
        is_wrong(&ran, "fail", "replay_miss");
        ran.says(&[told, "agentci record --update suite/agentci.yaml --case refund"]);
    }
    // Of the three requests that an early end leaves out, only the two that could have side effects count.
    for (mutation, told) in [
        ("early", "2 of 4 recorded requests were never sent"),
        ("no_result", "1 of 4 recorded requests was never sent"),
        ("no_tool", "1 of 4 recorded requests was never sent"),
    ] {
        let ran = broken(&suite, mutation);
        is_wrong(&ran, "fail", "replay_miss");
        ran.says(&[told]);
    }
    // A missing request that only reads is a warning.
    let ran = broken(&suite, "no_lookup");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["1 of 4 recorded requests was never sent"]);
}

#[test]
fn different_directory_home_and_date_still_match() {
    let live = LiveWorld::start();
    let suite = suite(&live, RECORDING, CHECKS);
    record(&suite);
    live.shut_down();
    let text = fs::read_to_string(suite.path("suite/recordings/refund.jsonl")).unwrap();
    let moved = with_target("speaks: text, ", &live, RECORDING, CHECKS);
    let moved = moved.file("suite/recordings/refund.jsonl", &text);
    let ran = agentci(&moved, &["run", "suite"], &[("HOME", moved.path("home").to_str().unwrap())]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let matched = &ran.case("refund")["matched"];
    assert!(matched["folders"].as_u64() > Some(0), "{matched}");

    let head: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let (now, day) = (head["now_ms"].as_u64().unwrap(), 86_400_000);
    let date = |ms: u64| {
        let (year, month, day) = agentci::plan::civil_date(ms / day);
        format!("{year}-{month:02}-{day:02}")
    };
    let (today, yesterday) = (date(now), date(now - day));
    let older = text.replace(&today, &yesterday).replace(&now.to_string(), &(now - day).to_string());
    fs::write(suite.path("suite/recordings/refund.jsonl"), &older).unwrap();
    let ran = agentci(&suite, &["run", "suite"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // A date that was not the current date when it was recorded must be equal.
    fs::write(suite.path("suite/recordings/refund.jsonl"), text.replace(&today, "1999-12-31")).unwrap();
    is_wrong(&agentci(&suite, &["run", "suite"], &[]), "fail", "replay_miss");
}

#[test]
fn ignored_differences_are_counted() {
    let live = LiveWorld::start();
    let world = "{ recording: \"recordings/{case}.jsonl\", match: { ignore: [/metadata/user_id], system: false } }";
    let suite = suite(&live, world, "checks: [{ contains: done }]");
    record(&suite);
    live.shut_down();
    for mutation in ["user_id", "system"] {
        let ran = broken(&suite, mutation);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.says(&["ignored 2 differences between requests and their recording"]);
        assert_eq!(ran.case("refund")["matched"]["ignored"], 2);
    }
    is_wrong(&broken(&suite, "model"), "fail", "replay_miss");
}

#[test]
fn update_calls_live_world_only_for_misses() {
    let live = LiveWorld::start();
    let suite = suite(&live, RECORDING, "checks: [{ contains: done }]");
    record(&suite);
    assert_eq!(live.asked().len(), 4);
    let update = ["record", "--update", "suite", "--case", "refund"];
    let ran = agentci(&suite, &update, &[("MUTATION", "system")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let again = live.asked().split_off(4);
    assert_eq!(again, ["POST /v1/chat/completions", "POST /v1/chat/completions"]);
    live.shut_down();
    assert_eq!(broken(&suite, "system").code, Some(0));
    is_wrong(&broken(&suite, ""), "fail", "replay_miss");
}

#[test]
fn missing_recording_error_suggests_record_command() {
    let live = LiveWorld::start();
    let suite = suite(&live, RECORDING, CHECKS);
    let ran = agentci(&suite, &["run", "suite"], &[]);
    is_wrong(&ran, "error", "config");
    ran.says(&["cannot be read", "help: record it with `agentci record suite/agentci.yaml --case refund`"]);
    assert!(live.asked().is_empty());
    // In live mode the agent works as well, and nothing is recorded.
    let ran = agentci(&suite, &["run", "suite", "--mode", "live"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!suite.path("suite/recordings").exists());
}

#[test]
fn protocol_agent_is_recorded_and_replayed() {
    let live = LiveWorld::start();
    let suite = with_target("", &live, RECORDING, CHECKS);
    let speaks = [("SPEAKS", "protocol")];
    let ran = agentci(&suite, &["record", "suite"], &speaks);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    live.shut_down();
    let ran = agentci(&suite, &["run", "suite"], &speaks);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.final_output("refund")["answer"], "done: {\"refunded\": 20}");
}

/// The agent with the protocol, which prints `said` before its final output.
fn saying(said: &str, checks: &str) -> (LiveWorld, Suite) {
    let live = LiveWorld::start();
    let agent = AGENT.replace(
        "    print(json.dumps({\"type\": \"final_output\"",
        &format!("    print('{said}')\n    print(json.dumps({{\"type\": \"final_output\""),
    );
    assert_ne!(agent, AGENT);
    let suite = with_target("", &live, RECORDING, checks).file("suite/agent.py", agent);
    (live, suite)
}

#[test]
fn recorded_usage_overrides_reported_usage_and_counts_once() {
    let speaks = [("SPEAKS", "protocol")];
    let own = r#"{"type":"usage","tokens_in":7,"tokens_out":7,"cost_usd":99}"#;
    let (live, suite) = saying(own, CHECKS);
    for arguments in [["record", "suite"], ["run", "suite"]] {
        let ran = agentci(&suite, &arguments, &speaks);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let case = ran.case("refund");
        assert_eq!((&case["tokens_in"], &case["tokens_out"]), (&2000.into(), &200.into()), "{case}");
        assert_eq!(kinds(&ran).iter().filter(|kind| *kind == "usage").count(), 2);
        live.shut_down();
    }
}

#[test]
fn usage_reported_by_agent_counts_without_model_calls() {
    let speaks = [("SPEAKS", "protocol")];
    let live = LiveWorld::start();
    let agent = "import json, os, sys, urllib.request\nsys.stdin.readline()\n\
                 urllib.request.urlopen(os.environ['LIVE'] + '/orders?id=A-17').read()\n\
                 print(json.dumps({'type': 'usage', 'tokens_out': 7, 'cost_usd': 99}))\n\
                 print(json.dumps({'type': 'final_output', 'output': {'answer': 'done'}}))\n";
    let suite = with_target("", &live, RECORDING, "checks: [{ contains: done }]").file("suite/agent.py", agent);
    let ran = agentci(&suite, &["record", "suite"], &speaks);
    assert_eq!((ran.code, &ran.case("refund")["tokens_out"]), (Some(0), &7.into()), "{ran:?}");
    let limited = with_target("", &live, RECORDING, "limits: { cost_usd: 1 }").file("suite/agent.py", agent);
    is_wrong(&agentci(&limited, &["record", "suite"], &speaks), "fail", "limit");
}

#[test]
fn cost_and_time_limits_stop_recording() {
    let live = LiveWorld::start();
    let two = "checks: []\n  - id: second\n    input: { user_input: again }";
    let suite = suite(&live, RECORDING, two);
    let ran = agentci(&suite, &["record", "suite", "--parallel", "1", "--max-cost", "0.004"], &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["0.006 USD"]);
    ran.complains(&["the run was stopped: `--max-cost` of 0.004 USD reached: 0.006 USD so far"]);
    assert_eq!(live.asked().len(), 4);
    assert!(!suite.path("suite/recordings/second.jsonl").exists());
    let ran = agentci(&suite, &["record", "suite", "--max-wall", "0s"], &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["`--max-wall` of 0s reached"]);
    assert_eq!(live.asked().len(), 4);
}

#[test]
fn recording_in_ci_requires_confirmation() {
    let live = LiveWorld::start();
    let suite = suite(&live, RECORDING, CHECKS);
    for arguments in [["record", "suite", "-v"], ["run", "suite", "--mode=record"]] {
        let ran = agentci(&suite, &arguments, &[("CI", "true")]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["nothing was recorded: `CI` is set, and `refund` would call", "add `--yes`"]);
    }
    assert!(live.asked().is_empty());
    let ran = agentci(&suite, &["record", "suite", "--yes"], &[("CI", "true")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn recording_without_requests_is_an_error() {
    let live = LiveWorld::start();
    let suite = suite(&live, RECORDING, "checks: []").file("suite/agent.py", "print('done')\n");
    let ran = agentci(&suite, &["record", "suite"], &[]);
    is_wrong(&ran, "error", "config");
    ran.says(&["nothing was recorded: no request from the agent reached the recorder"]);
    assert!(!suite.path("suite/recordings/refund.jsonl").exists());
}

#[test]
fn records_only_the_model_when_tools_are_stubbed() {
    let live = LiveWorld::start();
    let world = "{ model: { recording: \"models/{case}.jsonl\" }, tools: { routes: { orders: [{ response: { total: 20 } }], \
                 refunds: [{ response: { refunded: 20 } }] }, bases: [SHOP] } }";
    let agent = AGENT.replace("BASE + path", "(BASE if path.startswith('/v1') else os.environ['SHOP']) + path");
    let suite = suite(&live, world, "checks: [{ contains: done }]").file("suite/agent.py", agent);
    record(&suite);
    assert_eq!(live.asked(), ["POST /v1/chat/completions", "POST /v1/chat/completions"]);
    live.shut_down();
    let ran = agentci(&suite, &["run", "suite"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    is_wrong(&broken(&suite, "amount"), "fail", "replay_miss");
}

/// A server that runs the agent above for every question.
const SERVER: &str = r#"
import http.server, os, subprocess, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        done = subprocess.run([sys.executable, "agent.py"], capture_output=True, text=True)
        answer = (done.stdout or done.stderr).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"#;

#[test]
fn started_server_has_one_recording_for_all_turns() {
    let live = LiveWorld::start();
    let yaml = format!(
        "suite: suite\ntarget:\n  http: {{ url: \"http://127.0.0.1:${{PORT}}/\", command: [python3, server.py], folder: ., \
         env: {{ LIVE: \"{}\", MUTATION: \"${{ENV.MUTATION:-}}\" }} }}\nworld: {RECORDING}\n\
         cases:\n  - id: refund\n    turns: [{{ user: refund }}, {{ user: again }}]\n    checks: [{{ contains: done }}]\n",
        live.url()
    );
    let suite =
        Suite::empty().file("suite/agentci.yaml", yaml).file("suite/agent.py", AGENT).file("suite/server.py", SERVER);
    record(&suite);
    assert_eq!(live.asked().len(), 8);
    live.shut_down();
    let ran = agentci(&suite, &["run", "suite", "--require-agent"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for mutation in ["system", "swallow", "early", "no_tool"] {
        is_wrong(&broken(&suite, mutation), "fail", "replay_miss");
    }
}

/// A suite with this server and one case with these settings.
fn served(live: &LiveWorld, server: &str, case: &str) -> Suite {
    let yaml = format!(
        "suite: suite\ntarget:\n  http: {{ url: \"http://127.0.0.1:${{PORT}}/\", command: [python3, server.py], folder: ., \
         env: {{ LIVE: \"{}\", MUTATION: \"${{ENV.MUTATION:-}}\" }} }}\nworld: {RECORDING}\n\
         cases:\n  - id: refund\n    {case}\n",
        live.url()
    );
    Suite::empty().file("suite/agentci.yaml", yaml).file("suite/agent.py", AGENT).file("suite/server.py", server)
}

#[test]
fn case_without_model_calls_warns_unless_declared() {
    let live = LiveWorld::start();
    // The server answers without a model, unless `MUTATION` is set.
    let greets = SERVER.replace(
        "done = subprocess",
        "done = subprocess.run(['echo', 'done'], capture_output=True, text=True) if not os.environ.get('MUTATION') else subprocess",
    );
    let turns = "turns: [{ user: hello }]\n    checks: [{ contains: done }]";
    for (limits, is_warned) in [("", true), ("limits: { model_calls: 0 }\n    ", false)] {
        let suite = served(&live, &greets, &format!("{limits}{turns}"));
        let recorded = record(&suite);
        assert_eq!(recorded.stdout.contains("nothing was recorded"), is_warned, "{recorded:?}");
        let ran = agentci(&suite, &["run", "suite"], &[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        is_wrong(&broken(&suite, "asks"), "fail", "replay_miss");
    }
    assert!(live.asked().is_empty());
}

#[test]
fn declared_absence_of_model_calls_is_accepted() {
    let live = LiveWorld::start();
    for said in [
        "limits: { model_calls: 0 }\n    checks: [{ contains: done }]",
        "checks: [{ contains: done }, { not: model_called }]",
        "world: { model: { optional: true } }\n    checks: [{ contains: done }]",
    ] {
        let suite = suite(&live, RECORDING, said).file("suite/agent.py", "print('done')\n");
        record(&suite);
        let ran = agentci(&suite, &["run", "suite"], &[]);
        assert_eq!(ran.code, Some(0), "{said}: {ran:?}");
        let suite = suite.file("suite/agent.py", AGENT);
        is_wrong(&agentci(&suite, &["run", "suite"], &[]), "fail", "replay_miss");
    }
    let suite = suite(&live, RECORDING, "checks: [{ contains: done }]").file("suite/agent.py", "print('done')\n");
    let ran = agentci(&suite, &["record", "suite"], &[]);
    ran.says(&["nothing was recorded", "`not: model_called`"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

#[test]
fn unused_recording_fails_unless_model_is_optional() {
    let live = LiveWorld::start();
    let optional = "world: { model: { optional: true } }\n    checks: [{ contains: done }]";
    for (case, code) in [(optional, 0), ("checks: [{ contains: done }]", 1)] {
        let suite = suite(&live, r#"{ model: { recording: "recordings/{case}.jsonl" } }"#, case);
        record(&suite);
        let suite = suite.file("suite/agent.py", "print('done')\n");
        let ran = agentci(&suite, &["run", "suite"], &[]);
        assert_eq!(ran.code, Some(code), "{case}: {ran:?}");
        ran.says(&["recorded requests"]);
    }
}

#[test]
fn pending_request_does_not_delay_the_turn() {
    let live = LiveWorld::start();
    let beside = SERVER.replace(
        "        done = subprocess",
        "        import threading, urllib.request\n        \
         threading.Thread(target=urllib.request.urlopen, args=(os.environ['LIVE'] + '/never',), daemon=True).start()\n        \
         done = subprocess",
    );
    let suite = served(&live, &beside, "turns: [{ user: refund }, { user: again }]\n    checks: [{ contains: done }]");
    let ran = record(&suite);
    assert_eq!(live.asked().iter().filter(|asked| *asked == "GET /never").count(), 2, "{ran:?}");
    live.shut_down();
    let ran = agentci(&suite, &["run", "suite"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn refuses_conflicting_or_ineffective_settings_with_location() {
    let live = LiveWorld::start();
    let checked = |world: &str| {
        let suite = suite(&live, world, "checks: [{ contains: done }]").file("suite/m.yaml", "default: x\n");
        let ran = agentci(&suite, &["check", "suite"], &[]);
        assert_eq!(ran.code, Some(1), "{world}: {ran:?}");
        ran.stderr
    };
    for (world, told, at) in [
        ("{ match: { system: false } }", "`match` has no effect: nothing is compared with a recording", ":4:17"),
        (
            "{ recording: a.jsonl, match: { ignore: [metadata] } }",
            "`metadata` does not point into a request body",
            ":4:48",
        ),
        (
            "{ recording: a.jsonl, model: { script: m.yaml } }",
            "`model.script` has no effect: `recording` contains the answers of the model",
            ":4:47",
        ),
        ("{ model: { recording: a.jsonl, strict: true } }", "a model has `recording` or `strict`, not both", ":4:30"),
    ] {
        let stderr = checked(world);
        assert!(stderr.contains(told) && stderr.contains(&format!("suite/agentci.yaml{at}")), "{world}\n{stderr}");
    }
}

#[test]
fn resumed_recording_keeps_what_was_recorded() {
    let live = LiveWorld::start();
    let two = "checks: []\n  - id: second\n    input: { user_input: again }";
    let suite = suite(&live, RECORDING, two);
    let cut =
        agentci(&suite, &["record", "suite", "--parallel", "1", "--max-cost", "0.004", "--output-dir", "runs"], &[]);
    assert_eq!(cut.code, Some(1), "{cut:?}");
    cut.says(&[
        "run the rest: agentci record suite --parallel 1 --max-cost 0.004 --output-dir runs --resume=runs/suite/",
    ]);
    let first = fs::read(suite.path("suite/recordings/refund.jsonl")).unwrap();
    let resumed = agentci(&suite, &["record", "suite", "--output-dir", "runs", "--resume"], &[]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    resumed.complains(&["1 case kept, 1 case to run"]);
    assert_eq!(fs::read(suite.path("suite/recordings/refund.jsonl")).unwrap(), first);
    assert!(suite.path("suite/recordings/second.jsonl").exists());
    let refused = agentci(&suite, &["run", "suite", "--output-dir", "runs", "--resume"], &[]);
    refused.complains(&["the last run of every suite is complete"]);
}
