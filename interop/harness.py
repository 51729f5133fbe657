"""Starts servers and runs the functions of a file whose names begin with `test_`."""

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
    """A scripted model on a free port, for the duration of a `with` block."""

    def __init__(self, script="model.yaml"):
        self.script = script

    def __enter__(self):
        command = [os.environ["AGENTCI"], "serve", "llm", str(FOLDER / self.script)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        address = json.loads(self.process.stdout.readline())
        self.url = address["url"]
        self.openai = address["openai_base_url"]
        self.anthropic = address["anthropic_base_url"]
        self.azure = address["azure_endpoint"]
        self.gemini = address["gemini_base_url"]
        self.ollama = address["ollama_host"]
        self.control = {"Authorization": "Bearer " + address["control_token"]}
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(timeout=10) == 0

    def journal(self):
        request = urllib.request.Request(self.url + "/__agentci/journal", headers=self.control)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["requests"]


class Agent:
    """An agent's server on a free port, for the duration of a `with` block."""

    def __init__(self, *command):
        self.command = command

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.addresses = json.loads(self.process.stdout.readline())
        self.url = self.addresses["url"]
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)

    def journal(self):
        """Returns the bodies of the received requests, oldest first."""
        with urllib.request.urlopen(self.url + "/journal") as answer:
            return [json.loads(request["body"]) for request in json.load(answer)]


def raises(kind, action):
    """Returns the exception that the action raises, which must be of exactly this class."""
    try:
        action()
    except kind as error:
        assert type(error) is kind, f"{type(error).__name__} rather than {kind.__name__}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def main(tests, start=Server):
    """Runs every test with a new result of `start`, by default a server, and counts the results."""
    passed = failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or not inspect.isfunction(test):
            continue
        started = time.monotonic()
        try:
            with start() as server:
                test(server)
            passed += 1
            print(f"ok {name} ({(time.monotonic() - started) * 1000:.0f} ms)")
        except Exception:  # noqa: BLE001 - a test may fail in any way
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
