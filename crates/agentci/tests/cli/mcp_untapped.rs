//! MCP servers without a tap, because their host is native or clears its environment: they are named in a warning,
//! while other programs that communicate over pipes are not.

use crate::ran::Ran;
use crate::recorded_agent::ran;
use crate::suite::Suite;
use crate::upstream::Upstream;

/// Sends a request that is recorded, and then runs the command in its arguments.
const AGENT: &str = r#"
import subprocess, sys, urllib.request
print(urllib.request.urlopen(open("base").read() + "/x").status, flush=True)
words = [sys.executable if word == "PYTHON" else word for word in sys.argv[1:]]
subprocess.run(words, stdin=subprocess.DEVNULL, check=True)
"#;

/// A host that, started with `env -i` and `-I`, is reached by neither variables nor hooks, like a native program. It
/// keeps its server running for some time, as hosts do.
const HOST: &str = r#"
import json, subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    return server.stdout.readline()
me = {"name": "host", "version": "1"}
ask({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me}})
order = {"name": "get_order", "arguments": {"order": "A-17"}}
print(json.loads(ask({"id": 2, "method": "tools/call", "params": order}))["result"]["content"][0]["text"], flush=True)
time.sleep(2)
"#;

const NATIVE: [&str; 6] = ["env", "-i", "PYTHON", "-I", "native.py", "PYTHON"];

fn shop(upstream: &Upstream) -> Suite {
    let server = include_str!("mcp_server.py");
    Suite::empty()
        .file("agent.py", AGENT)
        .file("native.py", HOST)
        .file("server.py", server)
        .file("orders.json", r#"{"A-17": "A-17 is shipped"}"#)
        .file("base", &upstream.url)
}

fn record(suite: &Suite, words: &[&str]) -> Ran {
    let python = python();
    let line = [&["record", "-o", "r.jsonl", "--", &python, "agent.py"], words].concat();
    let recorded = ran(suite, &mut suite.command(&line));
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    recorded
}

/// The program behind `python3`: with pyenv, `python3` is a script that puts its folders before those of the shims.
fn python() -> String {
    let say = std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(say.stdout).unwrap().trim().to_owned()
}

fn replay(suite: &Suite) -> Ran {
    let replayed = ran(suite, &mut suite.command(&["replay", "r.jsonl", "--strict"]));
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    replayed
}

/// The warnings about servers that were not reached.
fn named(ran: &Ran) -> Vec<&str> {
    ran.stderr.lines().filter(|line| line.contains("MCP")).collect()
}

#[test]
fn reports_unrecorded_server_of_native_host() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let recorded = record(&suite, &[&NATIVE[..], &["server.py", "--api-key", "a-secret-of-ours"]].concat());
    assert!(recorded.stdout.contains("A-17 is shipped"), "{recorded:?}");
    let told = named(&recorded);
    assert_eq!(told.len(), 1, "{recorded:?}");
    for part in ["python3", "server.py --api-key '[REDACTED]'`", "it was not recorded", "put `agentci tap --` before"] {
        assert!(told[0].contains(part), "{part}: {told:?}");
    }
    assert!(!recorded.stderr.contains("a-secret-of-ours"), "{recorded:?}");
    let replayed = replay(&suite);
    assert!(replayed.stdout.contains("A-17 is shipped"), "{replayed:?}");
    let told = named(&replayed);
    assert_eq!(told.len(), 1, "{replayed:?}");
    assert!(told[0].contains("it ran live and was not replayed"), "{told:?}");
    assert!(!replayed.stderr.contains("a-secret-of-ours"), "{replayed:?}");
}

/// Its code does not show that it is a server, and it starts slowly, like a server with an SDK.
#[test]
fn recognises_server_by_its_pending_first_message() {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("shop.py", "import time\ntime.sleep(2)\nimport server\n");
    let recorded = record(&suite, &[&NATIVE[..], &["shop.py"]].concat());
    let told = named(&recorded);
    assert_eq!(told.len(), 1, "{recorded:?}");
    assert!(told[0].contains("shop.py` was sent the first message of an MCP host"), "{told:?}");
}

/// The warning names the command from the settings, once, and not the program that this command starts.
#[test]
fn reports_configured_server_by_its_command() {
    let upstream = Upstream::start();
    let model = r#"
import json, urllib.request
tools = [{"name": "mcp__orders__get_order"}]
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools}).encode()
request = urllib.request.Request(open("base").read() + "/v1/messages", body, {"content-type": "application/json"})
try: urllib.request.urlopen(request).read()
except Exception: pass
"#;
    let suite = shop(&upstream).file("shop.py", "import server\n").file("agent.py", format!("{model}{AGENT}"));
    let program = suite.path("orders").display().to_string();
    let suite = suite
        .file("orders", "#!/bin/sh\npython3 shop.py\nexit 0\n")
        .file(".mcp.json", format!(r#"{{"mcpServers": {{"orders": {{"command": "{program}", "args": ["-x"]}}}}}}"#));
    let words = ["env", "-i", "PATH=/usr/bin:/bin:/usr/local/bin", "PYTHON", "-I", "native.py", "sh", &program, "-x"];
    let recorded = record(&suite, &words);
    let told = named(&recorded);
    assert_eq!(told.len(), 1, "{recorded:?}");
    assert!(told[0].contains("orders -x` "), "{told:?}");
}

/// Records and replays a server behind a tap.
fn tapped(way: &[&str]) {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    let recorded = record(&suite, way);
    recorded.complains(&["stdio:python server.py  2 calls"]);
    assert_eq!(named(&recorded), [""; 0], "{recorded:?}");
    let replayed = replay(&suite);
    assert_eq!(named(&replayed), [""; 0], "{replayed:?}");
}

#[test]
fn does_not_report_server_recorded_by_hook() {
    tapped(&["PYTHON", "native.py", "PYTHON", "server.py"]);
}

#[test]
fn does_not_report_server_wrapped_with_tap() {
    tapped(&["PYTHON", "-I", "native.py", env!("CARGO_BIN_EXE_agentci"), "tap", "--", "python3", "server.py"]);
}

/// The shell above the tap has the same streams, in which the first message of the host is waiting.
#[test]
fn does_not_report_server_recorded_by_shim_below_shell() {
    tapped(&["PYTHON", "-I", "native.py", "sh", "-c", "python3 server.py; exit 0"]);
}

/// Long-running programs that communicate over pipes: a language server, a JSON-RPC server, `cat`, workers, an agent
/// that is itself a host and is driven over pipes, and MCP servers that an agent runs in a shell and in a pipeline.
#[test]
fn does_not_report_other_programs_with_pipes() {
    const DRIVER: &str = r#"
import json, multiprocessing, subprocess, sys, time
def start(*words): return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lsp = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"processId": 1, "capabilities": {}}})
acp = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
slow = "import time; time.sleep(1); import sys; sys.stdin.read()"
children = [start(sys.executable, "worker.py"), start(sys.executable, "agent_below.py"), start("cat"),
            start(sys.executable, "-c", slow), start(sys.executable, "-c", slow), start("sleep", "60"),
            start("sh", "-c", "grep FastMCP server.py; sleep 60; exit 0"), start("sh")]
typed = f"'{sys.executable}' -I server.py"
for child, text in zip(children, [acp, acp, acp, f"Content-Length: {len(lsp)}\r\n\r\n{lsp}", acp, acp, acp, typed]):
    child.stdin.write(text.encode() + b"\n")
    child.stdin.flush()
worker = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(2,))
worker.start()
worker.join()
for child in children: child.kill()
"#;
    let upstream = Upstream::start();
    let suite = shop(&upstream)
        .file("driver.py", format!("if __name__ == '__main__':\n{}", DRIVER.replace('\n', "\n    ")))
        .file("worker.py", "import sys\nfor line in sys.stdin: print('{\"serverInfo\": {}}', flush=True)\n")
        .file("agent_below.py", "# from mcp.client.stdio import stdio_client; FastMCP\nimport sys\nsys.stdin.read()\n");
    for way in [
        &["PYTHON", "driver.py"][..],
        &["env", "-i", "PYTHON", "-I", "driver.py"],
        // No process has both ends of the pipes.
        &["env", "-i", "sh", "-c", "(/bin/sleep 2; echo) | \"$0\" -I server.py | /bin/cat", "PYTHON"],
    ] {
        let _ = std::fs::remove_file(suite.path("r.jsonl"));
        let recorded = record(&suite, way);
        assert_eq!(named(&recorded), [""; 0], "{way:?}: {recorded:?}");
    }
}

/// agentci itself communicates with the agent of a suite over pipes, so the agent may look like a server.
#[test]
fn reports_server_of_suite_agent_but_not_the_agent() {
    const SUITE: &str = "suite: shop\ntarget:\n  process: { speaks: text, command: [sh, -c, \"COMMAND\"] }\n\
        world: { recording: \"recordings/{case}.jsonl\" }\ncases:\n  - id: ship\n    input: { question: x }\n    \
        checks:\n      - contains: \"200\"\n";
    let agent = "# mcp.server, FastMCP\nimport time; time.sleep(1)\n";
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("served.py", format!("{agent}{AGENT}time.sleep(1)\n"));
    for (command, count) in [
        ("python3 served.py true; exit 0", 0),
        ("python3 agent.py env -i PYTHON -I native.py PYTHON server.py; exit 0", 1),
    ] {
        let suite = suite_with(&suite, &SUITE.replace("COMMAND", command));
        for words in [&["record", "--update"][..], &["run"]] {
            let done = ran(suite, &mut suite.command(words));
            assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
            let text = format!("{}{}", done.stdout, done.stderr);
            assert_eq!(text.matches("but it bypassed the recorder").count(), count, "{words:?}: {text}");
        }
    }
}

fn suite_with<'s>(suite: &'s Suite, text: &str) -> &'s Suite {
    std::fs::write(suite.path("agentci.yaml"), text).unwrap();
    suite
}
