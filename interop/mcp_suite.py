"""Writes and runs suites that call the tools of MCP servers, and starts the servers."""

import json
import os
import subprocess
import textwrap
from pathlib import Path

from conversation import Suite
from harness import FOLDER

HOME = Path(os.environ["INTEROP_MCP_HOME"])
PYTHON = [str(HOME / "venv" / "bin" / "python"), str(FOLDER / "mcp" / "server.py")]
NODE = str(HOME / "node_modules" / "node" / "bin" / "node")
EVERYTHING = HOME / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"


def stdio(*command, **env):
    """The keys of a config for a server over stdio."""
    return f"transport: stdio\ncommand: {json.dumps([str(part) for part in command])}\nenv: {json.dumps(env)}"


def script(text):
    """A server in a few lines of shell, with a 2025 protocol version: it answers the handshake; the first call is request 3."""
    greeting = """\
    read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}'
    read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}'
    read initialized
    """
    return stdio("sh", "-c", textwrap.dedent(greeting) + textwrap.dedent(text))


class Listening:
    """A server over HTTP, for the duration of a `with` block. It prints its address first."""

    def __init__(self, *command):
        self.command = command

    def __enter__(self):
        environment = {**os.environ, "INTEROP_HOME": str(HOME)}
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.found = f'transport: sse\nendpoint: "{self.process.stdout.readline().strip()}"'
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)


class McpSuite(Suite):
    """Like a suite for an AG-UI server; `found` has the keys with the address of the server."""

    def __init__(self, found, tests, target="", config=""):
        super().__init__("", tests, target, config)
        self.found = found

    def __enter__(self):
        super().__enter__()
        self.reached(self.found)
        return self

    def reached(self, found):
        """Writes the config again, with another server."""
        target = textwrap.indent(f"type: mcp\n{found}\n{self.target}", "  ")
        (self.folder / "ananke.config.yaml").write_text(f'version: "1.2"\ntarget:\n{target}\n{self.config}')

    def events(self):
        """Returns the events of the latest run."""
        newest = max((self.root / "runs").rglob("run.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        return [json.loads(line) for line in newest.read_text().splitlines()]


def written(*turns):
    """A test with these turns: each has a type, its arguments, and its assertions."""
    lines = ['version: "1.2"', "name: flow", "turns:"]
    for kind, arguments, *asserts in turns:
        lines.append(f"  - type: {kind}")
        lines += [f"    {key}: {json.dumps(value)}" for key, value in arguments.items()]
        if asserts:
            lines += ["    assert:", textwrap.indent(textwrap.dedent(asserts[0]).strip("\n"), "      ")]
    return "\n".join(lines) + "\n"


def call(tool, asserts="", answers=None, errors=None, **args):
    """One turn that calls a tool."""
    more = {key: value for key, value in [("answers", answers), ("errors", errors)] if value is not None}
    return ("mcp:call", {"tool": tool, "args": args, **more}, *([asserts] if asserts else []))


def said(pattern):
    return f"text: {{ must_match: {json.dumps(pattern)} }}"


def answered(tool, pattern):
    return f"tools: {{ require: [{{ name: {tool}, result_match: {json.dumps(pattern)} }}] }}"


def run(found, turns, target="", flags=(), environment=None):
    """Runs a suite with one test."""
    with McpSuite(found, written(*turns), target) as suite:
        return suite.run(*flags, environment=environment)


def traced(events):
    """Returns the events of each test, without their times and without the definition, which names the server."""
    kept = [event for event in events if event["type"] in TRACED]
    kept.sort(key=lambda event: event["case_id"])
    varying = ("timestamp", "definition")
    return [{key: value for key, value in event.items() if key not in varying} for event in kept]


TRACED = {"task_start", "turn_start", "tool_call", "tool_result", "text", "log", "violation", "final_output"}
