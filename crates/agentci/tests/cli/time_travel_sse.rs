//! `agentci replay --until N --then live` with an MCP server over the SSE transport of 2024: the agent listens to a
//! stream that was opened before the fork, and the live server's answers arrive on it.

use std::fs;

use serde_json::Value;

use crate::python_server::PythonServer;
use crate::ran::Ran;
use crate::recorded_agent::ran;
use crate::suite::Suite;

/// A server that counts the calls of each session, and sends its client a request before it answers the last call.
/// Files in its folder change its behaviour.
const SERVER: &str = r#"
import http.server, json, os, queue, threading

STREAMS, CALLS, REPLIES = {}, {}, queue.Queue()

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass

    def status(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self):
        if os.path.exists("closed"):
            return self.status(503)
        self.session = f"session-{len(STREAMS) + 1}"
        STREAMS[self.session], CALLS[self.session] = queue.Queue(), []
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            if os.path.exists("silent"):
                return
            if os.path.exists("flood"):
                return self.wfile.write(b"data: " + b"x" * (2 << 20))
            at = "http://elsewhere.test" if os.path.exists("elsewhere") else ""
            self.say("endpoint", f"{at}/messages?session={self.session}")
            while True:
                message = STREAMS[self.session].get(timeout=30)
                if message is None:
                    return
                self.say("message", json.dumps(message))
        except (OSError, queue.Empty):
            pass

    def say(self, event, data):
        self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
        self.wfile.flush()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        session = self.path.split("=")[1]
        if session not in STREAMS:
            return self.status(404)
        method, calls = message.get("method"), CALLS[session]
        if method and "id" not in message:
            # Noted first: once it is acknowledged, the next call may come, and be noted by another thread.
            calls.append(method)
            return self.status(202)
        self.status(202)
        if method is None:
            REPLIES.put(message["result"])
        elif method == "initialize":
            version = open("version").read() if os.path.exists("version") else "2024-11-05"
            STREAMS[session].put({"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": version}})
        else:
            threading.Thread(target=answer, args=(session, calls, message), daemon=True).start()

def answer(session, calls, message):
    order = message["params"]["arguments"]["order"]
    calls.append(order)
    if os.path.exists("leaves"):
        return STREAMS[session].put(None)
    if order == "A-19":
        STREAMS[session].put({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
        calls.append(REPLIES.get(timeout=30)["root"])
    result = {"content": [{"type": "text", "text": f"{session}: {' '.join(calls)}"}]}
    STREAMS[session].put({"jsonrpc": "2.0", "id": message["id"], "result": result})
    if order == "A-19" and os.path.exists("closes"):
        STREAMS[session].put(None)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// A host that requests three orders over one stream, and answers the server's request.
const HOST: &str = r#"
import json, os, urllib.request

base = "http://127.0.0.1:" + os.environ["PORT"]
stream = urllib.request.urlopen(base + "/sse", timeout=60)

def event():
    data = ""
    for line in stream:
        line = line.decode().rstrip("\n")
        if not line:
            return data
        if line.startswith("data: "):
            data = line[6:]
    raise EOFError("the stream is over")

endpoint = base + event()

def post(message):
    request = urllib.request.Request(endpoint, json.dumps({"jsonrpc": "2.0", **message}).encode(), {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=60).read()

def ask(id, method, params):
    post({"id": id, "method": method, "params": params})
    while True:
        message = json.loads(event())
        if message.get("method") == "roots/list":
            post({"id": message["id"], "result": {"root": os.environ.get("ROOT", "a root")}})
        elif message.get("id") == id:
            return message["result"]

ask(1, "initialize", {})
post({"method": "notifications/initialized"})
for id, order in enumerate(["A-17", "A-18", "A-19", *os.environ.get("MORE", "").split()], 2):
    answer = ask(id, "tools/call", {"name": "find", "arguments": {"order": order}})
    print(answer["content"][0]["text"], flush=True)
"#;

const FIRST: &str = "session-1: notifications/initialized A-17\n";

/// The recorded host, with a server that is still running.
struct Recorded {
    suite: Suite,
    server: PythonServer,
}

impl Recorded {
    fn new() -> Self {
        Self::of(Suite::empty())
    }

    fn of(suite: Suite) -> Self {
        let suite = suite.file("host.py", HOST).file("server.py", SERVER);
        let server = PythonServer::start(&suite, &[]);
        let recorded = Self { suite, server };
        let done = recorded.agentci(&["record", "-o", "r.jsonl", "--", "python3", "host.py"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        recorded
    }

    fn agentci(&self, words: &[&str]) -> Ran {
        self.agentci_with(words, ("PORT", &self.server.port))
    }

    fn agentci_with(&self, words: &[&str], (name, value): (&str, &str)) -> Ran {
        ran(&self.suite, self.suite.command(words).env("PORT", &self.server.port).env(name, value))
    }

    /// Forks after the request with this text.
    fn fork(&self, text: &str) -> Ran {
        self.fork_with(text, ("PORT", &self.server.port))
    }

    fn fork_with(&self, text: &str, variable: (&str, &str)) -> Ran {
        let recording = fs::read_to_string(self.suite.path("r.jsonl")).unwrap();
        let mut lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let until = lines.find(|line| line["type"] == "request" && line.to_string().contains(text)).unwrap();
        let until = until["id"].to_string();
        let words = ["replay", "r.jsonl", "--timeout", "60s", "--until", &until, "--then", "live", "-o", "f.jsonl"];
        self.agentci_with(&words, variable)
    }
}

#[test]
fn live_responses_arrive_on_the_open_stream() {
    let recorded = Recorded::new();
    let fork = recorded.fork("A-17");
    assert_eq!(fork.code, Some(0), "{fork:?}");
    // The first order is replayed. The live session has not seen it, and was started once.
    let of_rest = "session-2: notifications/initialized A-18\nsession-2: notifications/initialized A-18 A-19 a root\n";
    assert_eq!(fork.stdout, format!("{FIRST}{of_rest}"));
    // Two calls, and the answer to the server's request.
    fork.complains(&["then 3 calls to the live world\n", "warning: a new session with http://127.0.0.1:"]);

    // The fork is a recording like any other; the messages after the fork are on the same stream.
    let Recorded { suite, server } = recorded;
    let port = server.port.clone();
    drop(server);
    let replayed = ran(&suite, suite.command(&["replay", "f.jsonl", "--timeout", "60s"]).env("PORT", &port));
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &fork.stdout), "{replayed:?}");
}

#[test]
fn can_fork_before_the_first_call() {
    let recorded = Recorded::new();
    let all = |session: &str| {
        let of = |calls: &str| format!("{session}: notifications/initialized {calls}\n");
        [of("A-17"), of("A-17 A-18"), of("A-17 A-18 A-19 a root")].concat()
    };
    // Forks after the stream was opened, after `initialize` and after the client's notification, all before any call.
    for (session, text) in
        [("session-2", "/sse"), ("session-3", "\"initialize\""), ("session-4", "notifications/initialized")]
    {
        let fork = recorded.fork(text);
        assert_eq!((fork.code, &fork.stdout), (Some(0), &all(session)), "{text}: {fork:?}");
        fs::remove_file(recorded.suite.path("f.jsonl")).unwrap();
    }
    // After the last call no session is started, although the client still answers the server.
    let fork = recorded.fork("a root");
    assert_eq!((fork.code, &fork.stdout), (Some(0), &all("session-1")), "{fork:?}");
    fork.complains(&["then 0 calls to the live world\n"]);
    assert!(!fork.stderr.contains("a new session"), "{fork:?}");
}

#[test]
fn reply_to_recorded_request_never_reaches_live_server() {
    let recorded = Recorded::new();
    // The server sends its request during the last call before the fork. An equal reply gets the recorded answer.
    let fork = recorded.fork("A-19");
    assert_eq!(fork.code, Some(0), "{fork:?}");
    assert!(fork.stdout.ends_with("session-1: notifications/initialized A-17 A-18 A-19 a root\n"), "{fork:?}");
    fork.complains(&["then 0 calls to the live world\n"]);
    fs::remove_file(recorded.suite.path("f.jsonl")).unwrap();
    // A different reply has no recorded answer, and the host gets an error instead of waiting.
    let fork = recorded.fork_with("A-19", ("ROOT", "another root"));
    assert_eq!(fork.code, Some(1), "{fork:?}");
    fork.complains(&["its MCP server asked for this before the fork", "HTTP Error 400"]);
    assert!(!fork.stderr.contains("a new session"), "{fork:?}");
}

#[test]
fn stream_closed_after_fork_in_recording_stays_open() {
    let recorded = Recorded::of(Suite::empty().file("closes", ""));
    let fork = recorded.fork_with("a root", ("MORE", "A-20"));
    assert_eq!(fork.code, Some(0), "{fork:?}");
    assert!(fork.stdout.ends_with("session-2: notifications/initialized A-20\n"), "{fork:?}");
}

/// Forks with a server whose behaviour a file in its folder has changed since the recording.
fn changed(file: &str, content: &str) -> Ran {
    let recorded = Recorded::new();
    fs::write(recorded.suite.path(file), content).unwrap();
    let fork = recorded.fork("A-17");
    assert_eq!(fork.code, Some(1), "{fork:?}");
    assert_eq!(fork.stdout, FIRST);
    fork
}

#[test]
fn failed_stream_start_is_reported_with_reason() {
    for (file, content, reason) in [
        ("closed", "", "its MCP server did not open a stream: status 503"),
        ("silent", "", "its MCP server did not name an endpoint"),
        ("flood", "", "its MCP server did not name an endpoint"),
        ("elsewhere", "", "its MCP server names an endpoint on another host"),
        (
            "version",
            "2026-07-28",
            "its MCP server uses protocol version \"2026-07-28\", the recorded one used \"2024-11-05\"",
        ),
    ] {
        let fork = changed(file, content);
        // The host gets the error at once, and does not wait for an answer on the stream.
        fork.complains(&["has no answer after the fork", reason, "HTTP Error 400"]);
        assert!(!fork.stderr.contains("a new session"), "{fork:?}");
    }
}

#[test]
fn end_of_live_stream_ends_the_agent_stream() {
    let fork = changed("leaves", "");
    fork.complains(&["EOFError: the stream is over"]);
}
