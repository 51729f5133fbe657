//! Cases with a scripted model: the agent is pointed at it, and the observed requests are checked.

use crate::ran::Ran;
use crate::suite::Suite;

/// Sends `$1` to the model over a plain socket; the answer is in `$answer`.
const ASK: &str = r#"
ask() {
  answer=$(python3 - "$1" <<'PY'
import json, os, sys, urllib.request
address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(address, sys.argv[1].encode(), {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
try:
    answer = urllib.request.urlopen(request).read()
except urllib.error.HTTPError as error:
    answer = error.read()
print(json.dumps(json.loads(answer)))
PY
)
}
"#;

/// An agent that runs one tool call of its model, and then reports the answer.
const LOOP: &str = r#"
tools='"model":"m","tools":[{"type":"function","function":{"name":"find_order"}}]'
ask '{'"$tools"',"messages":[{"role":"user","content":"find A-17"}]}'
id=$(printf '%s' "$answer" | sed 's/.*"id": "\(call_[0-9]*\)".*/\1/')
ask '{'"$tools"',"messages":[{"role":"user","content":"find A-17"},{"role":"assistant","content":null,"tool_calls":[{"id":"'"$id"'","type":"function","function":{"name":"find_order","arguments":"{}"}}]},{"role":"tool","tool_call_id":"'"$id"'","content":"{\"found\":true}"}]}'
finish '{"answer":"done"}'
"#;

const MODEL: &str = "rules:\n- when: { tool_result: true }\n  reply: done\n- when: { user: find }\n  \
                     tool_calls: [{ name: find_order, args: { id: A-17 } }]\n  usage: { input: 5, output: 7 }\n";

fn suite(world: &str, checks: &str) -> Suite {
    let cases = format!("world: {world}\ncases:\n  - id: wire\n    input: {{}}\n    {checks}\n");
    Suite::native(&cases).file("suite/model.yaml", MODEL).agent("wire", &format!("{ASK}{LOOP}"))
}

fn kinds(ran: &Ran) -> Vec<String> {
    let kinds = ran.events().into_iter().map(|event| event["type"].as_str().unwrap().to_owned());
    kinds
        .filter(|kind| ["model_call", "usage", "tool_call", "tool_result", "final_output"].contains(&kind.as_str()))
        .collect()
}

#[test]
fn tool_calls_seen_on_the_wire_are_checked_and_limited() {
    let checks = "checks: [{ tool_called: { name: find_order, args: { id: A-17 }, count: 1 } }]";
    let ran = suite("{ model: { script: model.yaml } }", checks).run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(kinds(&ran), ["model_call", "usage", "tool_call", "tool_result", "model_call", "usage", "final_output"]);
    let call = ran.events().into_iter().find(|event| event["type"] == "tool_result").unwrap();
    assert_eq!((&call["ok"], &call["result"]["found"]), (&true.into(), &true.into()));
    let limited = suite("{ model: { script: model.yaml } }", "limits: { tokens_out: 6 }").run(&[]);
    assert_eq!(limited.code, Some(1));
    limited.says(&["budget exceeded: tokens_out limit=6 actual=7"]);
}

/// The agent runs the tool itself and sends the result to its model: that counts as a call, even though the agent could
/// have reported it.
#[test]
fn tool_results_sent_to_the_model_count_as_calls() {
    let world = "{ model: { script: model.yaml }, tools: { allow: [find_order] } }";
    let ran = suite(world, "checks: [{ tool_called: { name: find_order, count: 1 } }]").run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(kinds(&ran), ["model_call", "tool_call", "tool_result", "model_call", "final_output"]);
    // The agent reports no usage, so the usage that the model reports counts.
    for (limit, told) in [
        ("tokens_in: 4", "budget exceeded: tokens_in limit=4"),
        ("model_calls: 1", "budget exceeded: model_calls limit=1 actual=2"),
    ] {
        let limited = suite(world, &format!("limits: {{ {limit} }}")).run(&[]);
        assert_eq!(limited.code, Some(1), "{limited:?}");
        limited.says(&[told]);
    }
    suite(world, "limits: { tokens_in: 1000, model_calls: 2 }").run(&[]).all_passed();
    let other = "{ model: { script: model.yaml }, tools: { allow: [convert] } }";
    let ran = suite(other, "checks: []").run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["tool not allowed: find_order. Allowed tools: convert"]);
}

#[test]
fn each_attempt_has_a_separate_model() {
    let script = "api_key: sk-scripted\nrules:\n- reply: [first, second]\n";
    let agent = format!(
        "{ASK}ask '{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"x\"}}]}}'\n\
         text=$(printf '%s' \"$answer\" | sed 's/.*\"content\": \"\\([a-z]*\\)\".*/\\1/')\nfinish \"{{\\\"said\\\":\\\"$text\\\"}}\""
    );
    let cases = "world: { model: { script: m.yaml } }\nruns: 2\nchecks: [{ contains: first }]\n\
                 cases: [{ id: a, input: {} }, { id: b, input: {} }]\n";
    let suite = Suite::native(cases).file("suite/m.yaml", script).agent("a", &agent).agent("b", &agent);
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn invalid_script_is_reported_before_the_run() {
    let cases = "world: { model: { script: model.yaml } }\ncases: [{ id: a, input: {} }, { id: b, input: {}, world: { model: { script: none.yaml } } }]\n";
    let suite = Suite::native(cases).file("suite/model.yaml", "rules:\n- reply: x\n  finsh: stop\n");
    for command in ["check", "run"] {
        let ran = suite.agentci(&[command, "suite"]);
        assert_eq!(ran.code, Some(1));
        let told = format!("{}{}", ran.stdout, ran.stderr);
        for part in [
            "unknown key `finsh` in a rule",
            "model.yaml:3:3",
            "did you mean `finish`?",
            "cannot read `suite/none.yaml`: no such file",
            "agentci.yaml:4:",
        ] {
            assert!(told.contains(part), "{command}: {part}: {told}");
        }
    }
}

#[test]
fn convert_prints_the_model_script() {
    let suite = suite("{ model: { script: model.yaml } }", "tags: [x]");
    let converted = suite.agentci(&["convert", "suite"]);
    assert!(converted.stdout.contains("world:\n      model:\n        script: model.yaml\n"), "{}", converted.stdout);
}

#[test]
fn unmatched_model_request_is_reported_with_its_failed_case() {
    let ask = r#"ask '{"model":"m","messages":[{"role":"user","content":"refund it"}]}'"#;
    let agent = |end: &str| format!("{ASK}{ask}\n{ask}\n{end}");
    let refused = "no rule of the script matches this request (turn 1, user: `refund it`); the closest rule is on line";
    let wrong = suite("{ model: { script: model.yaml } }", "checks: [{ contains: refunded }]")
        .agent("wire", &agent("finish '{\"answer\":\"HTTP Error 400\"}'"))
        .run(&[]);
    assert_eq!(wrong.verdicts()[0].2, "model_miss", "{wrong:?}");
    // Two requests cause one finding, shown in the line of the case and with its place.
    assert_eq!(wrong.stdout.matches(refused).count(), 2, "{wrong:?}");
    let left = suite("{ model: { script: model.yaml } }", "").agent("wire", &agent("exit 1")).run(&[]);
    assert_eq!(left.verdicts()[0].2, "model_miss", "{left:?}");
    left.says(&[refused, "after that, the agent"]);
}

/// A server that sends each question to its model and runs a tool for it.
const SERVER: &str = r#"
import json, os, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
def model(messages):
    tools = [{"type": "function", "function": {"name": "find_order"}}]
    body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
    headers = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]
class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = [{"role": "user", "content": asked["question"]}]
        answer = model(messages)
        for call in answer.get("tool_calls") or []:
            messages += [answer, {"role": "tool", "tool_call_id": call["id"], "content": '{"found": true}'}]
            answer = model(messages)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"answer": answer["content"], "server": os.getpid()}).encode())
    def log_message(self, *words):
        pass
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Agent).serve_forever()
"#;

#[test]
fn server_agent_uses_the_model_of_each_case() {
    let cases = r#"suite: s
target: { http: { url: "http://127.0.0.1:${PORT}/ask", command: [python3, server.py] } }
world: { model: { script: model.yaml } }
cases:
  - id: finds
    input: { question: find A-17 }
    checks: [{ contains: done }, { tool_called: { name: find_order, args: { id: A-17 }, count: 1 } }]
  - id: greets
    input: { question: hello }
    world: { model: { script: other.yaml } }
    checks: [{ contains: hi there }, { not: { tool_called: find_order } }]
  - id: wrong
    input: { question: find A-17 }
    checks: [{ not: { tool_called: find_order } }]
"#;
    let suite = Suite::empty()
        .file("suite/agentci.yaml", cases)
        .file("suite/model.yaml", MODEL)
        .file("suite/other.yaml", "rules: [{ reply: hi there }]\n")
        .file("suite/server.py", SERVER);
    for parallel in ["1", "3"] {
        let ran = suite.agentci(&["run", "suite", "--parallel", parallel, "--output-dir", parallel]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let (passed, failed) = (["PASS finds", "PASS greets"], ["FAIL wrong"]);
        ran.says(&[passed, [failed[0], "2 passed, 1 failed, 0 errors"]].concat());
    }
}

/// A plain program has no protocol for reporting its calls.
#[test]
fn tool_calls_of_plain_program_are_observed() {
    let asks = format!("{ASK}{}", LOOP.replace("finish '{\"answer\":\"done\"}'", "echo done"));
    let run = |tools: &str, checks: &str| {
        let text = format!(
            "suite: s\ntarget: {{ process: {{ command: [sh, asks.sh], speaks: text }} }}\n\
             world: {{ model: {{ script: model.yaml }}, tools: {{ {tools} }} }}\n\
             cases: [{{ id: a, input: {{}}, {checks} }}]\n"
        );
        let suite = Suite::empty().file("suite/agentci.yaml", &text).file("suite/model.yaml", MODEL);
        suite.file("suite/asks.sh", &asks).agentci(&["run", "suite"])
    };
    let ran = run("allow: [find_order]", "checks: [{ tool_called: find_order }]");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = run("allow: [convert]", "checks: []");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["tool not allowed: find_order. Allowed tools: convert"]);
    let ran = run("allow: [find_order]", "limits: { tool_calls: 0 }");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["budget exceeded: tool_calls limit=0 actual=1"]);
}

#[test]
fn refuses_scripted_model_for_agent_that_is_already_running() {
    for target in [
        "http: { url: 'http://127.0.0.1:1/ask' }",
        "agui: { endpoint: 'http://127.0.0.1:1/' }",
        "a2a: { endpoint: 'http://127.0.0.1:1/' }",
        "chat: { connector: { script: model.yaml }, prompts: [Be brief.] }",
    ] {
        let cases = "cases: [{ id: a, turns: [{ user: hi }] }, { id: b, turns: [{ user: hi }] }]";
        let text = format!("suite: s\ntarget: {{ {target} }}\nworld: {{ model: {{ script: model.yaml }} }}\n{cases}\n");
        let suite = Suite::empty().file("suite/agentci.yaml", &text).file("suite/model.yaml", MODEL);
        let ran = suite.agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{target}: {ran:?}");
        ran.complains(&[
            "a scripted model needs an agent that agentci starts",
            "agentci.yaml:3:",
            "this model would never be called",
        ]);
        assert_eq!(ran.stderr.matches("needs an agent that agentci starts").count(), 1, "{target}: {ran:?}");
    }
}

#[test]
fn fault_of_tool_run_by_agent_has_no_effect() {
    let world = "{ model: { script: model.yaml }, faults: [{ tool: find_order, error: down }] }";
    let ran = suite(world, "").run(&[]);
    ran.all_passed();
    ran.says(&["never happened: the agent gets the answers of `find_order` from elsewhere"]);
}
