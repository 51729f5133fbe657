"""Calls tools of third-party MCP servers with `agentci run`: both transports, both protocol eras, and all failures."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from harness import FOLDER, main
from mcp_suite import (
    EVERYTHING, NODE, PYTHON, Listening, McpSuite, answered, call, run, said, script, stdio, traced, written,
)

LOCAL = stdio(*PYTHON, "stdio")
OLD_LOCAL = stdio(NODE, EVERYTHING, "stdio")


def helped(outcome, words):
    """Asserts that the help text is printed as well."""
    assert words in outcome.talk, outcome.shown()


def test_official_package_on_every_transport(_):
    turns = [
        call("add", answered("add", '^\\{"result":5\\}$') + "\n" + said("^5$"), a=2, b=3),
        call("count", said("counted to 2"), to=2),
        ("mcp:read", {"uri": "note://today"}, said("^Buy bread\\.$")),
        ("mcp:prompt", {"name": "review", "args": {"text": "this"}}, said("Please review: this")),
        ("mcp:list", {}, said('"prompts":\\[.*"name":"review"')),
    ]
    run(LOCAL, turns).passed()
    for transport in ["http", "http-json", "sse"]:
        with Listening(*PYTHON, transport) as server:
            run(server.found, turns).passed()


def test_2025_protocol_server_on_every_transport(_):
    turns = [
        call("echo", said("Echo: hello"), message="hello"),
        call("get-structured-content", answered("get-structured-content", '"temperature":'), location="Chicago"),
        ("mcp:list", {}, said('"name":"get-sum"')),
    ]
    run(OLD_LOCAL, turns).passed()
    for transport in ["streamableHttp", "sse"]:
        with Listening(NODE, FOLDER / "mcp" / "everything.mjs", transport) as server:
            run(server.found, turns).passed()


def test_failed_assertions_are_reported(_):
    run(LOCAL, [call("add", answered("add", "6"), a=2, b=3)]).failed("add", at="name: add")
    run(LOCAL, [call("add", said("6"), a=2, b=3)]).failed("6", at="must_match")


def test_trace_contains_structured_data_and_progress(_):
    with McpSuite(OLD_LOCAL, written(call("get-structured-content", location="Chicago"))) as suite:
        suite.run().passed()
        (output,) = [event for event in suite.events() if event["type"] == "final_output"]
        assert isinstance(output["output"]["temperature"], (int, float)), output
    with McpSuite(LOCAL, written(call("count", to=2))) as suite:
        suite.run().passed()
        shown = json.dumps(suite.events())
        assert "progress: 2" in shown, shown


def test_tool_error_is_recorded_and_can_fail_test(_):
    turn = call("divide", said("divide"), a=1, b=0)
    with McpSuite(LOCAL, written(turn)) as suite:
        suite.run().passed()
        (result,) = [event for event in suite.events() if event["type"] == "tool_result"]
        assert result["ok"] is False and "divide" in result["error"], result
    run(LOCAL, [call("divide", errors="fail", a=1, b=0)]).failed("the tool `divide` failed")


def test_invalid_arguments_and_unknown_tool_are_reported(_):
    run(LOCAL, [call("add", said("(?i)valid|int"), a="two")]).passed()
    run(LOCAL, [call("add", errors="fail", a="two")]).failed("the tool `add` failed")
    run(LOCAL, [call("no_such_tool", errors="fail")]).failed("no_such_tool")
    run(OLD_LOCAL, [call("no_such_tool", errors="fail")]).failed("no_such_tool")
    run(LOCAL, [("mcp:read", {"uri": "note://never"})]).failed("note://never|code")
    reply = """read call; echo '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: x"}}'; cat >/dev/null"""
    helped(run(script(reply), [call("x")]).failed("Unknown tool: x", "-32602"), "mcp:list")


def test_non_protocol_output_is_tolerated_and_reported(_):
    reply = """read call; echo 'starting up'; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"fine"}]}}'; cat >/dev/null"""
    outcome = run(script(reply), [call("x", said("fine"))]).passed()
    assert "starting up" in outcome.talk, outcome.shown()
    silent = "read call; echo 'starting up'; cat >/dev/null"
    outcome = run(script(silent), [call("x")], target="timeout_ms: 800").failed("starting up")
    helped(outcome, "log to standard error")


def test_server_that_exits_or_fails_to_start_is_reported(_):
    run(LOCAL, [call("leave", code=3)]).failed("stopped with exit code 3", "leaving on purpose")
    run(stdio("no-such-server"), [call("x")]).failed("could not be started", "no-such-server")
    run(stdio("sh", "-c", "echo nothing works >&2; exit 9"), [call("x")]).failed("stopped with exit code 9", "nothing works")
    run('transport: http\nendpoint: "http://127.0.0.1:9/mcp"', [call("x")]).failed("127.0.0.1:9")


def test_slow_call_times_out(_):
    run(LOCAL, [call("wait", seconds=30)], target="timeout_ms: 2500").failed("did not finish within 2.?5")


def test_elicitation_is_answered(_):
    for place in [nullcontext(None), Listening(*PYTHON, "http")]:
        with place as server:
            found = server.found if server else LOCAL
            accept = [{"action": "accept", "content": {"name": "Ann", "seats": 2}}]
            run(found, [call("reserve", said("2 for Ann on Monday"), answers=accept, day="Monday")]).passed()
            helped(run(found, [call("reserve", day="Monday")]).failed("Who is it for\\?"), "`answers`")
    accept = [{"action": "accept", "content": {"name": "Ann"}}]
    run(OLD_LOCAL, [call("trigger-elicitation-request", said("Ann"), answers=accept)]).passed()


def test_twenty_megabyte_result(_):
    for place in [nullcontext(None), Listening(*PYTHON, "http")]:
        with place as server:
            run(server.found if server else LOCAL, [call("big", said("^x{50}"), megabytes=20)]).passed()


def test_environment_is_passed_and_redacted(_):
    reply = """read call; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"'$API_TOKEN'"}]}}'; cat >/dev/null"""
    found = script(reply).replace("env: {}", 'env: { API_TOKEN: "${ENV.TOKEN}" }')
    with McpSuite(found, written(call("x", said("open-sesame-4711")))) as suite:
        suite.run(environment={"TOKEN": "open-sesame-4711"}).passed()
        assert "open-sesame" not in suite.artifacts()


SEARCH = """\
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("drift", log_level="WARNING")

@server.tool()
def search(query: {kind}{more}) -> str:
    "Searches."
    return str(query)

server.run("stdio")
"""


def test_changed_tool_schema_is_reported(_):
    with McpSuite("", written(("mcp:list", {"snapshot": "tools.json"}))) as suite:
        suite.reached(stdio(PYTHON[0], suite.folder / "server.py"))

        def served(kind, more=""):
            (suite.folder / "server.py").write_text(SEARCH.format(kind=kind, more=more))

        served("str")
        outcome = suite.run("--mode", "live")
        assert outcome.status != 0 and "does not exist: create it with" in outcome.shown(), outcome.shown()
        suite.run("--mode", "record").passed()
        suite.run("--mode", "live").passed()
        suite.run("--mode", "replay").passed()
        served("int")
        outcome = suite.run("--mode", "live").failed("the tool `search` changed", "/inputSchema/properties/query/type")
        helped(outcome, "delete the snapshot")
        served("str", ", limit: int = 3")
        suite.run("--mode", "live").failed("/inputSchema/properties/limit")
        (suite.folder / "tools.json").unlink()
        suite.run("--mode", "record").passed()
        suite.run("--mode", "live").passed()


def test_recording_is_replayed_without_server(_):
    accept = [{"action": "accept", "content": {"name": "Ann", "seats": 2}}]
    tests = {
        "fine": [call("add", answered("add", "5"), a=2, b=3), call("reserve", said("Ann"), answers=accept, day="Monday")],
        "listed": [("mcp:list", {}), ("mcp:read", {"uri": "note://today"}), ("mcp:prompt", {"name": "review", "args": {"text": "x"}})],
        "told": [call("count", said("counted"), to=3)],
        "broken": [call("divide", errors="fail", a=1, b=0)],
        "asked": [call("reserve", day="Monday")],
        "wrong": [call("add", said("6"), a=2, b=3)],
        "dead": [call("leave", code=3)],
        "large": [call("big", said("^x"), megabytes=2)],
    }
    passing = {"fine", "listed", "told", "large"}
    tests = {f"{name}.test.yaml": written(*turns).replace("name: flow", f"name: {name}") for name, turns in tests.items()}
    for place in [nullcontext(None), Listening(*PYTHON, "http")]:
        with place as server:
            # Over HTTP the server would be gone for the other tests.
            chosen = {name: text for name, text in tests.items() if not (server and name.startswith("dead"))}
            with McpSuite(server.found if server else LOCAL, chosen) as suite:
                recorded = suite.run("--mode", "record")
                assert {name for name, passed in recorded.verdicts().items() if passed} == passing, recorded.shown()
                before = traced(suite.events())
                if server:
                    server.stop()
                suite.reached(server.found if server else stdio("no-such-server"))
                again = suite.run("--mode", "replay")
                assert reasons(again) == reasons(recorded), f"{recorded.shown()}\n{again.shown()}"
                assert before and traced(suite.events()) == before
                assert not any(suite.run("--mode", "live").verdicts().values())


def reasons(outcome):
    return {test["name"]: [test["passed"], test.get("error"), test.get("failures")] for test in outcome.report["tests"]}


AGENT = """\
import json, sys

def send(message):
    print(json.dumps(message), flush=True)

task = json.loads(sys.stdin.readline())
results = []
for number, (tool, args) in enumerate(task["input"]["calls"]):
    send({"type": "tool_call", "name": tool, "call_id": f"c{number}", "args": args})
    answer = json.loads(sys.stdin.readline())
    results.append(answer["result"] if answer["ok"] else answer["error"])
send({"type": "final_output", "output": {"results": results}})
"""

LIVE = """\
suite: live
target: { process: { command: [python3, agent.py] } }
world:
  tools:
    cassette: "cassettes/{case}.jsonl"
    allow: [plus, divide, echo]
    live:
      plus: { mcp: { command: COMMAND, tool: add } }
      divide: { mcp: { command: COMMAND } }
      echo: { mcp: { url: "URL", headers: { x-test: "1" } } }
cases:
  - id: sums
    input: { calls: [[plus, { a: 2, b: 3 }], [divide, { a: 1, b: 0 }], [echo, { message: hello }]] }
    checks:
      - contains: '{"result":5}'
      - contains: divide
      - contains: "Echo: hello"
"""

RUNLEDGER = """\
suite_name: live
agent_command: [python3, agent.py]
mode: replay
cases_path: cases
tool_registry: [plus]
tools:
  plus: { mcp: { command: COMMAND, tool: add } }
"""

RUNLEDGER_CASE = """\
id: sums
input: { calls: [[plus, { a: 2, b: 3 }]] }
cassette: cassettes/sums.jsonl
assertions:
  - { type: required_fields, fields: [results] }
"""


def test_agent_replays_recorded_mcp_tools(_):
    with McpSuite("", {}) as suite, Listening(NODE, FOLDER / "mcp" / "everything.mjs", "streamableHttp") as server:
        (suite.folder / "ananke.config.yaml").unlink()
        (suite.folder / "agent.py").write_text(AGENT)
        url = server.found.split('"')[1]
        live = LIVE.replace("COMMAND", json.dumps([*PYTHON, "stdio"])).replace("URL", url)
        (suite.folder / "agentci.yaml").write_text(live)
        assert suite.run("--mode", "record").status == 0
        cassette = (suite.folder / "cassettes" / "sums.jsonl").read_text()
        assert '"result":{"result":5}' in cassette.replace(": ", ":"), cassette
        server.stop()
        (suite.folder / "agentci.yaml").write_text(live.replace(PYTHON[0], "no-such-server"))
        assert suite.run("--mode", "replay").status == 0
        assert suite.run("--mode", "live").status == 1


def test_runledger_suite_with_mcp_tool(_):
    with McpSuite("", {}) as suite:
        (suite.folder / "ananke.config.yaml").unlink()
        (suite.folder / "cases").mkdir()
        (suite.folder / "cassettes").mkdir()
        (suite.folder / "agent.py").write_text(AGENT)
        (suite.folder / "cases" / "sums.yaml").write_text(RUNLEDGER_CASE)
        suite_file = RUNLEDGER.replace("COMMAND", json.dumps([*PYTHON, "stdio"]))
        (suite.folder / "suite.yaml").write_text(suite_file)
        assert suite.run("--mode", "record").status == 0
        (suite.folder / "suite.yaml").write_text(suite_file.replace(PYTHON[0], "no-such-server"))
        assert suite.run("--mode", "replay").status == 0


NATIVE = """\
suite: native
target: { mcp: { command: COMMAND } }
world: { recording: "recordings/{case}.jsonl" }
cases:
  - id: sums
    turns:
      - mcp:call: { tool: add, args: { a: 2, b: 3 } }
        checks: [{ tool_called: { name: add, args: { a: 2 } } }, { contains: "5" }]
      - mcp:list: { snapshot: kept/tools.json }
"""


def test_native_suite(_):
    with McpSuite("", {}) as suite:
        (suite.folder / "ananke.config.yaml").unlink()
        native = NATIVE.replace("COMMAND", json.dumps([*PYTHON, "stdio"]))
        (suite.folder / "agentci.yaml").write_text(native)
        assert suite.run("--mode", "record").status == 0
        tools = json.loads((suite.folder / "kept" / "tools.json").read_text())
        assert "add" in [tool["name"] for tool in tools], tools
        (suite.folder / "agentci.yaml").write_text(native.replace(PYTHON[0], "no-such-server"))
        assert suite.run("--mode", "replay").status == 0
        assert suite.run("--mode", "live").status == 1


def test_example_suite_passes(_):
    with tempfile.TemporaryDirectory(prefix="agentci-interop-") as root:
        shutil.copytree(FOLDER.parent / "examples" / "mcp", Path(root) / "mcp")
        for mode in ["replay", "live", "record"]:
            command = [os.environ["AGENTCI"], "run", "mcp", "--output-dir", "runs", "--mode", mode]
            subprocess.run(command, cwd=root, check=True, capture_output=True, timeout=60)


def test_server_requiring_authentication(_):
    turns = [call("whoami", said("you are ci"))]
    secured = Path(__file__).parent / "mcp" / "secured.py"
    with Listening(sys.executable, secured) as server:
        base = re.search(r"http://[0-9.:]+", server.found)[0]
        client = f"auth: {{ scheme: oauth2, tokenUrl: '{base}/token', clientId: ci, clientSecret: %s }}"
        for good in [client % "s3cret-of-the-client", "auth: { scheme: bearer, token: token-of-the-server-17 }"]:
            run(f"{server.found}\n{good}", turns).passed()
        run(f"{server.found}\n{client % 'another-secret-here'}", turns).failed("(?i)authorized|401")
        run(server.found, turns).failed("401")


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


main(globals(), Nothing)
