//! The SSE transport of 2024: the results of calls arrive on the stream that the host opens first.

use std::time::Instant;

use crate::python_server::PythonServer;
use crate::ran::Ran;
use crate::suite::Suite;

/// A server whose tool declines. `/quiet` accepts calls and never answers them.
const SERVER: &str = r#"
import http.server, json, queue, sys, threading

STREAMS = {}

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass

    def do_GET(self):
        session = str(len(STREAMS) + 1)
        STREAMS[session] = queue.Queue()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            self.say("endpoint", f"/messages?session={session}")
            while True:
                self.say("message", json.dumps(STREAMS[session].get(timeout=30)))
        except (OSError, queue.Empty):
            pass

    def say(self, event, data):
        self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
        self.wfile.flush()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        quiet = message.get("params", {}).get("name") == "quiet"
        if "id" in message and not quiet:
            text = {"content": [{"type": "text", "text": "declined: " + json.dumps(message.get("params"))}], "isError": True}
            # The answer may come before the request is accepted.
            STREAMS[self.path.split("=")[1]].put({"jsonrpc": "2.0", "id": message["id"], "result": text})
        # The official SDK for Java says nothing but 200.
        status, body = (200, b"") if "--java" in sys.argv else (202, b"Accepted")
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// A host that calls `refund` and prints the result; it does not wait for the result of `quiet`.
const HOST: &str = r#"
import http.client, json, os, urllib.request

base = "http://127.0.0.1:" + os.environ["PORT"]

def event():
    data = ""
    for line in stream:
        line = line.decode().rstrip("\n")
        if not line:
            return data
        if line.startswith("data: "):
            data = line[6:]
    raise EOFError("the stream is over")

def post(message):
    request = urllib.request.Request(endpoint, json.dumps({"jsonrpc": "2.0", **message}).encode(), {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=20).read()

def ask(id, method, params):
    post({"id": id, "method": method, "params": params})
    while True:
        message = json.loads(event())
        if message.get("id") == id:
            return message["result"]

def connect():
    global stream, endpoint
    stream = urllib.request.urlopen(base + "/sse", timeout=20)
    endpoint = base + event()
    ask(1, "initialize", {})
    post({"method": "notifications/initialized"})

def call(id):
    return ask(id, "tools/call", {"name": "refund", "arguments": {"order": "A-17"}})["content"][0]["text"]

connect()
first = int(os.environ.get("FIRST", "2"))
for id in range(first, first + int(os.environ.get("CALLS", "1"))):
    try:
        print(call(id))
    except (EOFError, http.client.HTTPException):
        if not os.environ.get("RECONNECTS"):
            raise
        connect()
        print(call(id))
if os.environ.get("QUIET"):
    post({"id": 90, "method": "tools/call", "params": {"name": "quiet", "arguments": {}}})
"#;

/// A recorded case with the verdict of the recording; replays run without the server.
struct Recorded {
    suite: Suite,
    port: String,
    verdict: Option<i32>,
    shown: String,
}

impl Recorded {
    fn new(case: &str, faults: &str, variable: Option<(&str, &str)>) -> Self {
        Self::with(case, faults, variable, "")
    }

    /// Records with a server that has this flag.
    fn with(case: &str, faults: &str, variable: Option<(&str, &str)>, flag: &str) -> Self {
        let variable = variable.map(|(name, value)| format!(", {name}: \"{value}\"")).unwrap_or_default();
        let yaml = format!(
            "suite: shop\ntarget: {{ process: {{ speaks: text, command: [python3, host.py], env: {{ PORT: \"${{ENV.PORT}}\", \
             FIRST: \"${{ENV.FIRST:-2}}\", CALLS: \"${{ENV.CALLS:-1}}\"{variable} }} }} }}\n\
             world: {{ recording: r.jsonl{faults} }}\ncases: [{{ id: a, input: {{ user_input: go }}, {case} }}]\n"
        );
        let suite = Suite::empty().file("agentci.yaml", yaml).file("host.py", HOST).file("server.py", SERVER);
        let server = PythonServer::start(&suite, &[flag]);
        let mut recorded = Self { suite, port: server.port.clone(), verdict: None, shown: String::new() };
        let ran = recorded.agentci(&["record", "."], &[]);
        recorded.verdict = ran.code;
        recorded.shown = ran.shown();
        recorded
    }

    fn agentci(&self, words: &[&str], variables: &[(&str, &str)]) -> Ran {
        let started = Instant::now();
        let _ = std::fs::remove_dir_all(self.suite.path(".agentci"));
        let mut command = self.suite.command(words);
        let output = command.env("PORT", &self.port).envs(variables.iter().copied()).output().unwrap();
        self.suite.ran(&output, started.elapsed())
    }

    fn replay(&self, variables: &[(&str, &str)]) -> Ran {
        self.agentci(&["run", "."], variables)
    }
}

#[test]
fn result_is_taken_from_the_stream_not_the_acknowledgement() {
    let declined = "checks: [{ tool_called: { name: refund, result_not_match: declined } }]";
    let recorded = Recorded::new(declined, "", None);
    assert_eq!(recorded.verdict, Some(1), "{}", recorded.shown);
    assert_eq!(recorded.replay(&[]).code, Some(1));
    let seen = "limits: { tool_calls: 1 }, checks: [{ tool_called: { name: refund, result_match: A-17 } }, \
                { not: { tool_result: { name: refund } } }]";
    let recorded = Recorded::new(seen, "", None);
    assert_eq!(recorded.verdict, Some(0), "{}", recorded.shown);
    // A client may number its messages in any way.
    for first in ["2", "7"] {
        let replayed = recorded.replay(&[("FIRST", first)]);
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
        assert!(!replayed.shown().contains("was not observed"), "{replayed:?}");
    }
}

#[test]
fn missing_result_is_reported_as_not_observed() {
    let positive = "checks: [{ tool_called: { name: quiet, result_match: '.' } }]";
    let recorded = Recorded::new(positive, "", Some(("QUIET", "1")));
    assert_eq!(recorded.verdict, Some(1), "{}", recorded.shown);
    let negative = "checks: [{ tool_called: { name: quiet, result_not_match: declined } }]";
    let recorded = Recorded::new(negative, "", Some(("QUIET", "1")));
    for shown in [recorded.shown.clone(), recorded.replay(&[]).shown()] {
        assert!(shown.contains("the result of `quiet` was not observed"), "{shown}");
        assert!(!shown.contains("the result of `refund`"), "{shown}");
    }
}

#[test]
fn faults_are_injected_into_the_stream() {
    let check = |words: &str| format!("checks: [{{ contains: {words} }}, {{ tool_called: {{ name: refund }} }}]");
    let error = ", faults: [{ tool: refund, call: 1, error: out of order }]";
    let recorded = Recorded::new(&check("out of order"), error, None);
    assert_eq!(recorded.verdict, Some(1), "nothing goes wrong while it is recorded: {}", recorded.shown);
    let replayed = recorded.replay(&[]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    // A host that retries gets the recorded answer; the trace distinguishes the two results.
    let again = Recorded::new(&check("declined"), error, None);
    assert_eq!(again.verdict, Some(0), "{}", again.shown);
    assert_eq!(again.replay(&[]).code, Some(1));
    let twice = again.replay(&[("CALLS", "2")]);
    assert_eq!(twice.code, Some(0), "{twice:?}");
    let events = twice.events();
    let faults: Vec<_> = events.iter().filter(|it| it["type"] == "tool_result").map(|it| it["fault"].clone()).collect();
    assert_eq!(faults, [serde_json::json!("error"), serde_json::Value::Null]);
    // A truncated stream fails a host that does not reconnect, and only such a host.
    let truncated = ", faults: [{ tool: refund, call: 1, truncated: true }]";
    for (reconnects, code) in [("", Some(1)), ("1", Some(0))] {
        let cut = Recorded::new(&check("declined"), truncated, Some(("RECONNECTS", reconnects)));
        let replayed = cut.replay(&[]);
        assert_eq!((cut.verdict, replayed.code), (Some(0), code), "{replayed:?}");
    }
    // The server may accept calls in another way.
    let java = Recorded::with(&check("out of order"), error, None, "--java");
    let replayed = java.replay(&[]);
    assert_eq!((java.verdict, replayed.code), (Some(1), Some(0)), "{replayed:?}");
}
