"""MCP servers between official packages, recorded and replayed: over standard input and output, Streamable HTTP, and SSE.

    AGENTCI=target/debug/agentci recorded.py

Each host is recorded with a server. Then the server is stopped and its program deleted, and the host is replayed in another
folder. It must print the same, and fail when it asks or answers something else. The last line is `N passed, M failed`.
"""

import json
import os
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
# A package with a program of its own, which `npx` starts.
PACKAGE = {"name": "shop-server", "version": "1.0.0", "bin": {"shop-server": "start.sh"}}


def agentci(folder, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "GITHUB_ACTIONS")}
    # `python3` is the one with the package.
    environment["PATH"] = f"{Path(PYTHON).parent}:{environment['PATH']}"
    line = [AGENTCI, *words]
    return subprocess.run(line, cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=120)


def started_server(folder, transport):
    """A server over HTTP, and its address."""
    server = subprocess.Popen([PYTHON, "server.py", transport], cwd=folder, stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().strip()


def settings(folder, way):
    """How the host finds its server, and the server if one had to be started."""
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
        # Where `npx` is, its package is looked for before anything is started.
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


def main():
    passed = failed = 0
    wanted = sys.argv[1:]
    for host in HOSTS:
        for way in ("python3", "absolute", "npx", "http", "sse"):
            if wanted and f"{host}/{way}" not in wanted:
                continue
            try:
                holds(host, way)
                print(f"ok {host} {way}", flush=True)
                passed += 1
            except Exception:  # noqa: BLE001
                traceback.print_exc()
                print(f"FAILED {host} {way}", flush=True)
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
