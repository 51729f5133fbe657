"""Agents built on the official packages for Python and TypeScript, against the MCP servers that `world.mcp` of a suite starts.

    AGENTCI=target/debug/agentci world.py

Each agent runs once correctly and in several broken ways. The last line is `N passed, M failed`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

AGENTCI = os.path.abspath(os.environ["AGENTCI"])
HERE = Path(__file__).parent / "world"

SUITE = """suite: world
target: {{ process: {{ command: [{agent}, {by}, "${{HOW}}"], speaks: text, env: {{ ORDERS_SSE: "${{MCP.orders.sse_url}}" }} }} }}
world: {{ mcp: {{ orders: {{ {source} }} }} }}
variables: {{ HOW: right }}
checks:
  - tool_called: {{ name: find_order, args: {{ id: A-17 }}, count: 1 }}
  - not: {{ tool_called: lose_order }}
  - contains: "60"
cases:
  - {{ id: right, turns: [{{ user: Hi }}] }}
  - {{ id: wrong-tool, variables: {{ HOW: wrong-tool }}, turns: [{{ user: Hi }}] }}
  - {{ id: missing-tool, variables: {{ HOW: missing-tool }}, turns: [{{ user: Hi }}] }}
  - {{ id: skips, variables: {{ HOW: skips }}, turns: [{{ user: Hi }}] }}
  - {{ id: other-arguments, variables: {{ HOW: other-arguments }}, turns: [{{ user: Hi }}] }}
  - id: broken-tool
    turns: [{{ user: Hi }}]
    world: {{ faults: [{{ tool: find_order, error: down }}] }}
"""

SCRIPTED = {
    "right": ("pass", None),
    "wrong-tool": ("fail", "check"),
    "missing-tool": ("fail", "stub_miss"),
    "skips": ("fail", "check"),
    "other-arguments": ("fail", "check"),
    "broken-tool": ("fail", "check"),
}
# A request that is not in the recording is a miss.
RECORDED = SCRIPTED | {"wrong-tool": ("fail", "stub_miss"), "other-arguments": ("fail", "stub_miss")}


def judged(folder, agent, by, source):
    """Runs the suite; returns the status and cause of each case, and the finished process."""
    (folder / "agentci.yaml").write_text(SUITE.format(agent=agent, by=by, source=source))
    ran = subprocess.run([AGENTCI, "run", ".", "--output-dir", "runs"], cwd=folder, capture_output=True, text=True, timeout=300)
    summaries = sorted((folder / "runs").rglob("summary.json"))
    assert summaries, ran
    summary = json.loads(summaries[-1].read_text())
    shutil.rmtree(folder / "runs")
    return {case["id"]: (case["status"], case["cause"]) for case in summary["cases"]}, ran


def record(folder):
    """Records the correct agent with a separately started server."""
    server = subprocess.Popen([AGENTCI, "serve", "mcp", "orders.mcp.yaml"], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(server.stdout.readline())["url"]
        command = [AGENTCI, "record", "-o", "orders.jsonl", "--", sys.executable, "agent.py", "variable", "right"]
        environment = os.environ | {"AGENTCI_MCP_ORDERS_URL": url}
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, timeout=120)
    finally:
        server.terminate()
        server.wait(timeout=10)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(HERE, folder, dirs_exist_ok=True)
        record(folder)
        ways = [(by, "scripted: orders.mcp.yaml", SCRIPTED) for by in ("variable", "config", "sse")]
        ways.append(("variable", "recording: orders.jsonl", RECORDED))
        for agent in (f'"{sys.executable}", agent.py', "node, agent.mjs"):
            for by, source, expected in ways:
                found, ran = judged(folder, agent, by, source)
                name = f"{agent.rsplit(', ', 1)[1]} {by}, {source}"
                if found == expected:
                    print(f"ok {name}")
                    passed += 1
                else:
                    print(f"FAILED {name}: {found}\n{ran.stdout}{ran.stderr}")
                    failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
