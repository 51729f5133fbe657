//! Replaces the agent of an example: the suite passes while the agent behaves as the example's agent does, and fails
//! for each way to break it.

use std::fs;

use crate::ran::Ran;
use crate::suite::Suite;

/// Calls its model, runs its tool and answers; `BREAK` selects what it does wrong.
const AGENT: &str = r#"
import json, os, sys, urllib.request
wrong = os.environ.get("BREAK", "")
def find_order(id):
    return {"id": id, "state": "shipped"} if id == "A-17" else {"error": "there is no order " + id}
def ask(messages):
    function = {"name": "find_order", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}
    body = {"model": "m", "messages": messages, "tools": [{"type": "function", "function": function}]}
    if wrong == "no-tools":
        del body["tools"]
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    answer = urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers))
    return json.load(answer)["choices"][0]["message"]
def answer(question):
    if wrong == "never-asks":
        return "Your order is on its way." if "order" in question else "Hello! How can I help you?"
    messages = [{"role": "user", "content": "Hello" if wrong == "other-question" else question}]
    said = ask(messages)
    if not said.get("tool_calls"):
        return said["content"]
    if wrong == "not-executed":
        return "Your order is on its way."
    messages.append(said)
    for call in said["tool_calls"]:
        given = json.loads(call["function"]["arguments"])
        if wrong == "wrong-argument":
            given["id"] = given["id"][::-1]
        result = "done" if wrong == "made-up" else json.dumps(find_order(**given))
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    said = ask(messages)["content"]
    return "It is lost." if wrong == "ignores-model" else said
"#;

/// The same agent with the JSON Lines protocol.
const LINES: &str = r#"
question = json.loads(sys.stdin.readline())["input"]["question"]
print(json.dumps({"type": "final_output", "output": {"answer": answer(question)}}), flush=True)
"#;

/// The same agent as an HTTP server.
const SERVER: &str = r#"
from http.server import BaseHTTPRequestHandler, HTTPServer
class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = json.dumps({"answer": answer(asked["question"])}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(said)
    def log_message(self, *_):
        pass
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Agent).serve_forever()
"#;

/// The example of a kind, with its agent replaced by ours.
fn example(kind: &str, builtin: &str, front: &str) -> Suite {
    let suite = Suite::empty().file("agent.py", format!("{AGENT}{front}"));
    assert_eq!(suite.agentci(&["init", "t", "--kind", kind]).code, Some(0));
    let yaml = suite.path("t/agentci.yaml");
    let text = fs::read_to_string(&yaml).unwrap();
    let script = fs::read_to_string(suite.path("t/model.yaml")).unwrap();
    assert!(!script.contains("default:"), "{script}");
    let command = format!("[\"${{ENV.AGENTCI}}\", demo-agent, {builtin}]");
    assert!(text.contains(&command), "{text}");
    fs::write(&yaml, text.replace(&command, "[python3, ../agent.py]")).unwrap();
    suite
}

fn run(suite: &Suite, wrong: &str) -> Ran {
    let started = std::time::Instant::now();
    let output = suite.command(&["run", "t"]).env("BREAK", wrong).output().unwrap();
    suite.ran(&output, started.elapsed())
}

fn every_breakage_is_seen(suite: &Suite) {
    let honest = run(suite, "");
    assert_eq!(honest.code, Some(0), "{honest:?}");
    for (wrong, words) in [
        ("not-executed", "`tool_called`"),
        ("wrong-argument", "`tool_result`"),
        ("made-up", "`tool_result`"),
        ("never-asks", "`model_called`"),
        ("no-tools", "find_order"),
        ("other-question", "`model_called`"),
        ("ignores-model", "`contains`"),
    ] {
        let broken = run(suite, wrong);
        assert_eq!(broken.code, Some(1), "{wrong}: {broken:?}");
        assert!(broken.stdout.contains(words), "{wrong}: no {words} in {}", broken.stdout);
    }
}

#[test]
fn sdk_example_detects_every_breakage() {
    every_breakage_is_seen(&example("sdk", "--model", LINES));
}

#[test]
fn http_example_detects_every_breakage() {
    every_breakage_is_seen(&example("http", "--http", SERVER));
}
