//! `agentci replay --until N --then live` with an MCP server over Streamable HTTP with sessions: the recorded session
//! has ended, so the rest continues in a new one.

use std::fs;

use serde_json::Value;

use crate::python_server::PythonServer;
use crate::ran::Ran;
use crate::recorded_agent::ran;
use crate::suite::Suite;

/// A server that counts the calls of each session, and announces each call on a stream. If the file `closed` exists, it
/// starts no session.
const SERVER: &str = r#"
import http.server, json, os, queue, sys

SESSIONS, STREAMS, BEGUN = {}, {}, []

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass

    def answer(self, status, body=b"", session=None):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if session:
            self.send_header("mcp-session-id", session)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        session = self.headers["mcp-session-id"]
        if session not in SESSIONS or os.path.exists("deaf"):
            return self.answer(404)
        STREAMS[session] = queue.Queue()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            # To keep the connection, as many servers do.
            self.wfile.write(b": ping\n\n")
            self.wfile.flush()
            while True:
                message = {"jsonrpc": "2.0", "method": "notifications/message", "params": STREAMS[session].get(timeout=30)}
                self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())
                self.wfile.flush()
        except (OSError, queue.Empty):
            pass

    def do_DELETE(self):
        self.answer(200 if SESSIONS.pop(self.headers["mcp-session-id"], None) is not None else 404)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        session = self.headers["mcp-session-id"]
        if message["method"] == "initialize":
            if os.path.exists("closed"):
                return self.answer(503)
            BEGUN.append(message)
            if os.path.exists("flood"):
                return self.answer(200, b" " * (2 << 20), "flooded")
            session = f"session-{len(BEGUN)}"
            SESSIONS[session] = []
            result = {"protocolVersion": open("version").read() if os.path.exists("version") else "2025-06-18"}
        elif session not in SESSIONS:
            return self.answer(404)
        elif "id" not in message:
            SESSIONS[session].append(message["method"])
            return self.answer(202)
        else:
            order = message["params"]["arguments"]["order"]
            SESSIONS[session].append(order)
            if session in STREAMS and not os.path.exists("quiet"):
                STREAMS[session].put(f"{session} looks for {order}")
            result = {"content": [{"type": "text", "text": f"{session}: {' '.join(SESSIONS[session])}"}]}
        self.answer(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode(), session)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// A host that requests orders in one session, and ends it.
const HOST: &str = r#"
import json, os, urllib.error, urllib.request

url = "http://127.0.0.1:" + os.environ["PORT"] + "/mcp"
headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

def send(message, method="POST"):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode() if message else None
    answer = urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=60)
    if "mcp-session-id" not in headers:
        headers["mcp-session-id"] = answer.headers["mcp-session-id"]
    return json.loads(answer.read() or b"null")

def event():
    for line in stream:
        if line.startswith(b"data: "):
            return json.loads(line[6:])["params"]

send({"id": 1, "method": "initialize", "params": {}})
send({"method": "notifications/initialized"})
stream = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) if os.environ.get("STREAM") else None
for id, order in enumerate(["A-17", "A-18", "A-19"], 2):
    answer = send({"id": id, "method": "tools/call", "params": {"name": "find", "arguments": {"order": order}}})
    print(answer["result"]["content"][0]["text"])
    if stream and order in os.environ.get("LISTENS", "").split():
        print("heard:", event())
send(None, "DELETE")
"#;

/// The recorded host, with a server that is still running.
struct Recorded {
    suite: Suite,
    server: PythonServer,
    /// Whether the host opens a stream for unsolicited messages of the server.
    stream: &'static str,
}

impl Recorded {
    fn new() -> Self {
        Self::with(Suite::empty(), "", "")
    }

    /// Records with a stream, on which the host listens after these orders.
    fn with(suite: Suite, stream: &'static str, listens: &str) -> Self {
        let suite = suite.file("host.py", HOST).file("server.py", SERVER);
        let server = PythonServer::start(&suite, &[]);
        let recorded = Self { suite, server, stream };
        let done = recorded.agentci_with(&["record", "-o", "r.jsonl", "--", "python3", "host.py"], listens);
        assert_eq!(done.code, Some(0), "{done:?}");
        recorded
    }

    fn agentci(&self, words: &[&str]) -> Ran {
        self.agentci_with(words, "")
    }

    fn agentci_with(&self, words: &[&str], listens: &str) -> Ran {
        let mut command = self.suite.command(words);
        command.env("PORT", &self.server.port).env("STREAM", self.stream).env("LISTENS", listens);
        ran(&self.suite, &mut command)
    }

    /// Forks after this order.
    fn fork(&self, order: &str) -> Ran {
        self.fork_with(order, "")
    }

    fn fork_with(&self, order: &str, listens: &str) -> Ran {
        let recording = fs::read_to_string(self.suite.path("r.jsonl")).unwrap();
        let mut lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let until = lines.find(|line| line["type"] == "request" && line["json"].to_string().contains(order)).unwrap();
        let until = until["id"].to_string();
        let words = ["replay", "r.jsonl", "--timeout", "60s", "--until", &until, "--then", "live", "-o", "f.jsonl"];
        self.agentci_with(&words, listens)
    }
}

#[test]
fn continues_in_a_new_live_session_after_fork() {
    let recorded = Recorded::new();
    let fork = recorded.fork("A-17");
    assert_eq!(fork.code, Some(0), "{fork:?}");
    // The first order is replayed. The live session has not seen it, and was started once.
    let of_first = "session-1: notifications/initialized A-17\n";
    let of_rest = "session-2: notifications/initialized A-18\nsession-2: notifications/initialized A-18 A-19\n";
    assert_eq!(fork.stdout, format!("{of_first}{of_rest}"));
    fork.complains(&["then 3 calls to the live world\n", "warning: a new session with http://127.0.0.1:"]);
    // The client ended the live session under the id that it knows.
    let shown = recorded.agentci(&["recording", "show", "f.jsonl"]);
    assert!(shown.stdout.lines().any(|line| line.contains(" DELETE ") && line.contains("  200  ")), "{shown:?}");
}

/// The messages that the host received on the stream.
fn heard(fork: &Ran) -> Vec<&str> {
    fork.stdout.lines().filter_map(|line| line.strip_prefix("heard: ")).collect()
}

#[test]
fn live_notifications_arrive_on_the_open_stream() {
    let all = "A-17 A-18 A-19";
    let recorded = Recorded::with(Suite::empty(), "1", all);
    let fork = recorded.fork_with("A-17", all);
    assert_eq!(fork.code, Some(0), "{fork:?}");
    assert_eq!(heard(&fork), ["session-1 looks for A-17", "session-2 looks for A-18", "session-2 looks for A-19"]);
    // The fork contains all messages.
    let Recorded { suite, server, stream } = recorded;
    let port = server.port.clone();
    drop(server);
    let mut command = suite.command(&["replay", "f.jsonl", "--timeout", "60s"]);
    command.env("PORT", &port).env("STREAM", stream).env("LISTENS", all);
    let replayed = ran(&suite, &mut command);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &fork.stdout), "{replayed:?}");
}

#[test]
fn live_notifications_arrive_on_stream_recorded_as_silent() {
    let recorded = Recorded::with(Suite::empty().file("quiet", ""), "1", "");
    fs::remove_file(recorded.suite.path("quiet")).unwrap();
    let fork = recorded.fork_with("A-17", "A-18 A-19");
    assert_eq!(fork.code, Some(0), "{fork:?}");
    assert_eq!(heard(&fork), ["session-2 looks for A-18", "session-2 looks for A-19"]);
}

#[test]
fn live_session_without_stream_still_responds() {
    let recorded = Recorded::with(Suite::empty(), "1", "");
    fs::write(recorded.suite.path("deaf"), "").unwrap();
    let fork = recorded.fork("A-17");
    assert_eq!(fork.code, Some(0), "{fork:?}");
    assert!(fork.stdout.contains("session-2: notifications/initialized A-18 A-19\n"), "{fork:?}");
}

/// Forks with a server whose behaviour a file in its folder has changed since the recording.
fn changed(file: &str, content: &str) -> Ran {
    let recorded = Recorded::new();
    fs::write(recorded.suite.path(file), content).unwrap();
    let fork = recorded.fork("A-17");
    assert_eq!(fork.code, Some(1), "{fork:?}");
    assert_eq!(fork.stdout, "session-1: notifications/initialized A-17\n");
    assert!(!fork.stderr.contains("a new session"), "{fork:?}");
    fork
}

#[test]
fn failed_session_start_is_reported_with_reason() {
    changed("closed", "")
        .complains(&["has no answer after the fork", "its MCP server did not start a session: status 503"]);
    changed("version", "2026-07-28")
        .complains(&["its MCP server uses protocol version \"2026-07-28\", the recorded one used \"2025-06-18\""]);
}

#[test]
fn oversized_initialize_response_starts_no_session() {
    changed("flood", "").complains(&["its MCP server did not answer `initialize`"]);
}

#[test]
fn ending_the_recorded_session_starts_no_new_session() {
    let recorded = Recorded::new();
    let fork = recorded.fork("A-19");
    assert_eq!(fork.code, Some(0), "{fork:?}");
    fork.complains(&["then 0 calls to the live world\n"]);
    assert!(!fork.stderr.contains("a new session"), "{fork:?}");
    // The next session is the second one that the server starts.
    fs::remove_file(recorded.suite.path("f.jsonl")).unwrap();
    let fork = recorded.fork("A-17");
    assert!(fork.stdout.contains("session-2: "), "{fork:?}");
}
