"""Writes and runs suites for A2A agents, and starts the agents."""

import json
import os
import sys
import textwrap
import urllib.request
from pathlib import Path

from conversation import Suite, turns
from harness import FOLDER, Agent


class A2aSuite(Suite):
    """Like a suite for an AG-UI server; `found` has the keys with the address of the agent."""

    def __init__(self, found, tests, target="", config=""):
        super().__init__("", tests, target, config)
        self.found = textwrap.dedent(found)

    def __enter__(self):
        super().__enter__()
        target = textwrap.indent(f"type: a2a\n{self.found}\n{self.target}", "  ")
        (self.folder / "ananke.config.yaml").write_text(f'version: "1.1"\ntarget:\n{target}\n{self.config}')
        return self

    def trace(self):
        """Returns the events of the latest run."""
        newest = sorted((self.root / "runs").rglob("run.jsonl"), key=lambda path: path.stat().st_mtime_ns)[-1]
        return [json.loads(line) for line in newest.read_text().splitlines()]


class Shop(Agent):
    """The agents built on the latest `a2a-sdk`."""

    def __init__(self, *arguments):
        super().__init__(sys.executable, FOLDER / "a2a" / "server.py", *arguments)

    def card(self, name):
        return f'agentCardUrl: "{self.url}/{name}/card.json"'

    def asked(self, name, since=0):
        """Returns the requests to one agent, without those for its card: path, headers and the body as JSON."""
        with urllib.request.urlopen(self.url + "/journal") as answer:
            entries = json.load(answer)
        entries = [entry for entry in entries if entry["path"].startswith(f"/{name}/")]
        entries = [entry for entry in entries if not entry["path"].endswith("card.json")]
        return [{**entry, "body": json.loads(entry["body"] or "null")} for entry in entries][since:]


class OldShop(Agent):
    """The agent built on `a2a-sdk` 0.3."""

    def __init__(self):
        python = os.environ.get("A2A_OLD_PYTHON") or Path(os.environ["INTEROP_HOME"]) / "a2a-0.3" / "bin" / "python"
        super().__init__(python, FOLDER / "a2a" / "old_server.py")


def said(*words, asserts="", test=""):
    """A test with these user messages, in version 1.1."""
    return turns(*words, asserts=asserts, test=test).replace('"1.0"', '"1.1"')


def run(found, test, target="", flags=(), environment=None):
    """Runs a suite with one test."""
    with A2aSuite(found, test, target) as suite:
        return suite.run(*flags, environment=environment)


def methods(asked):
    return [entry["body"]["method"] for entry in asked]
