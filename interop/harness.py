"""Starts `agentci serve llm` and runs the functions of a file that begin with `test_`."""

import inspect
import json
import os
import subprocess
import sys
import time
import traceback
import urllib.request
from pathlib import Path

FOLDER = Path(__file__).parent


class Server:
    """A scripted model on a free port, for as long as the `with` block lasts."""

    def __init__(self, script="model.yaml"):
        self.script = script

    def __enter__(self):
        command = [os.environ["AGENTCI"], "serve", "llm", str(FOLDER / self.script)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        address = json.loads(self.process.stdout.readline())
        self.url = address["url"]
        self.openai = address["openai_base_url"]
        self.anthropic = address["anthropic_base_url"]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(timeout=10) == 0

    def journal(self):
        with urllib.request.urlopen(self.url + "/__agentci/journal") as answer:
            return json.load(answer)["requests"]


def raises(kind, action):
    """The exception of exactly this class that the action raises."""
    try:
        action()
    except kind as error:
        assert type(error) is kind, f"{type(error).__name__} rather than {kind.__name__}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def main(tests):
    """Runs every test with a server of its own and counts."""
    passed = failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or not inspect.isfunction(test):
            continue
        started = time.monotonic()
        try:
            with Server() as server:
                test(server)
            passed += 1
            print(f"ok {name} ({(time.monotonic() - started) * 1000:.0f} ms)")
        except Exception:  # noqa: BLE001 - a test may fail in any way
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
