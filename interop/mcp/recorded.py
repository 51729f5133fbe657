"""Records and replays MCP traffic between the official packages: over stdio, Streamable HTTP and SSE.

    AGENTCI=target/debug/agentci recorded.py

Each host is recorded with a server. Then the server is stopped and its program deleted, and the host is replayed in another
folder. It must print the same, and fail if it sends another request or answer. A suite must see the results of its calls, and a
fork must continue with the live server. The last line is `N passed, M failed`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).parent
HOME = Path(os.environ["INTEROP_HOME"])
AGENTCI = os.path.abspath(os.environ["AGENTCI"])
PYTHON = sys.executable
HOSTS = {"python": [PYTHON, "recorded_host.py"], "node": ["node", "recorded_host.mjs"]}
# A package with a program that `npx` starts.
PACKAGE = {"name": "shop-server", "version": "1.0.0", "bin": {"shop-server": "start.sh"}}


def agentci(folder, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "GITHUB_ACTIONS")}
    # `python3` must be the interpreter that has the package.
    environment["PATH"] = f"{Path(PYTHON).parent}:{environment['PATH']}"
    line = [AGENTCI, *words]
    return subprocess.run(line, cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=120)


def started_server(folder, transport):
    """Starts a server over HTTP; returns it and its address."""
    server = subprocess.Popen([PYTHON, "server.py", transport], cwd=folder, stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().strip()


def settings(folder, way):
    """Returns the host's config for its server, and the server process if it had to be started."""
    if way in ("http", "sse"):
        server, url = started_server(folder, way)
        return {"type": "sse" if way == "sse" else "http", "url": url}, server
    if way == "npx":
        package = folder / "node_modules" / "shop-server"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps(PACKAGE))
        start = package / "start.sh"
        start.write_text(f"#!/bin/sh\nexec {PYTHON} server.py stdio\n")
        start.chmod(0o755)
        (folder / "node_modules" / ".bin").mkdir()
        (folder / "node_modules" / ".bin" / "shop-server").symlink_to(start)
        return {"command": "npx", "args": ["--no-install", "shop-server"]}, None
    if way == "absolute":
        return {"command": PYTHON, "args": ["server.py", "stdio"]}, None
    return {"command": "python3", "args": ["server.py", "stdio"]}, None


def holds(host, way):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        one, other = Path(one), Path(other)
        for folder in (one, other):
            for name in ("recorded_host.py", "recorded_host.mjs"):
                shutil.copy(HERE / name, folder)
        shutil.copy(HERE / "server.py", one)
        shop, server = settings(one, way)
        try:
            (one / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": shop}}))
            recorded = agentci(one, "record", "-o", "r.jsonl", "--", *HOSTS[host])
        finally:
            if server:
                server.terminate()
                server.wait(timeout=10)
        assert recorded.returncode == 0, recorded
        assert "2 for Ann on Monday" in recorded.stdout and "counted to 3" in recorded.stdout, recorded
        assert not any(line.startswith("warning: ") for line in recorded.stderr.splitlines()), recorded.stderr
        # `npx` looks for its package before it starts anything.
        shutil.copy(one / ".mcp.json", other)
        shutil.copy(one / "r.jsonl", other)
        shutil.rmtree(one / "node_modules", ignore_errors=True)
        (one / "server.py").unlink()
        for folder in (one, other):
            replayed = agentci(folder, "replay", "r.jsonl", "--strict")
            assert (replayed.returncode, replayed.stdout) == (0, recorded.stdout), (recorded.stdout, replayed)
        for change in ({"A": "7"}, {"GUEST": "Bob"}):
            changed = agentci(other, "replay", "r.jsonl", **change)
            assert changed.returncode == 1 and "replay_miss" in changed.stderr, (change, changed)


# A suite that checks the same calls: their number, their results, and an injected fault.
SUITE = """
suite: shop
timeout: 60s
target: {{ process: {{ speaks: text, command: {command} }} }}
world: {{ recording: "r-{{case}}.jsonl", faults: [{{ tool: wait, call: 1, error: out of order }}] }}
cases:
  - id: seen
    input: {{ user_input: shop }}
    limits: {{ tool_calls: 7 }}
    checks:
      - tool_called: {{ name: add, count: 3 }}
      - tool_result: {{ name: add, result: {{ result: 8 }} }}
      - not: {{ tool_result: {{ name: divide }} }}
      - tool_called: {{ name: divide, result_match: "Error executing tool" }}
      - contains: {said}
  - id: declined
    input: {{ user_input: shop }}
    checks:
      - tool_called: {{ name: divide, result_not_match: "Error executing tool" }}
"""


def prepared(folder, way):
    """Copies the hosts and their server into a folder; returns the server process if it had to be started."""
    for name in ("recorded_host.py", "recorded_host.mjs", "server.py"):
        shutil.copy(HERE / name, folder)
    shop, server = settings(folder, way)
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": shop}}))
    return server


def judged(host, way):
    """Checks that a suite sees the results of the tools, over any transport."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        server = prepared(folder, way)

        def suite(said):
            (folder / "agentci.yaml").write_text(SUITE.format(command=json.dumps(HOSTS[host]), said=said))

        def verdicts(*words):
            ran = agentci(folder, *words)
            return {case: verdict for verdict, case in re.findall(r"^(PASS|FAIL) (\w+) ", ran.stdout, re.M)}, ran

        try:
            suite("waited")
            told, ran = verdicts("record", ".")
            assert told == {"seen": "PASS", "declined": "FAIL"}, (told, ran)
        finally:
            if server:
                server.terminate()
                server.wait(timeout=10)
        suite("out of order")
        told, ran = verdicts("run", ".")
        assert told == {"seen": "PASS", "declined": "FAIL"}, (told, ran)
        assert "was not seen" not in ran.stdout + ran.stderr, ran


def forked(host, way):
    """Checks that the requests after a fork go to the live server, in a new session."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        server = prepared(folder, way)
        try:
            recorded = agentci(folder, "record", "-o", "r.jsonl", "--", *HOSTS[host])
            assert recorded.returncode == 0, recorded
            lines = [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]
            until = next(str(line["id"]) for line in lines if line["type"] == "request" and "divide" in json.dumps(line))
            fork = agentci(folder, "replay", "r.jsonl", "--until", until, "--then", "live", "-o", "f.jsonl")
        finally:
            if server:
                server.terminate()
                server.wait(timeout=10)
        assert (fork.returncode, fork.stdout) == (0, recorded.stdout), (recorded.stdout, fork)
        live = int(re.search(r"then (\d+) calls to the live world", fork.stderr)[1])
        assert live >= 6 and "at the fork: the calls before it" in fork.stderr, fork
        # The fork is a recording like any other.
        replayed = agentci(folder, "replay", "f.jsonl", "--strict")
        assert (replayed.returncode, replayed.stdout) == (0, recorded.stdout), replayed


def main():
    passed = failed = 0
    wanted = sys.argv[1:]
    ways = [(holds, way) for way in ("python3", "absolute", "npx", "http", "sse")]
    ways += [(test, way) for test in (judged, forked) for way in ("python3", "http", "sse")]
    for host in HOSTS:
        for test, way in ways:
            name = f"{host}/{way}{ {holds: '', judged: '/suite', forked: '/fork'}[test] }"
            if wanted and name not in wanted:
                continue
            try:
                test(host, way)
                print(f"ok {name}", flush=True)
                passed += 1
            except Exception:  # noqa: BLE001
                traceback.print_exc()
                print(f"FAILED {name}", flush=True)
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
