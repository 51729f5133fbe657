"""Records an agent in the world of `world`, and replays it without that world."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIMEOUT = 120

# API keys for the agents. Each is unique, so that it can be searched for.
KEYS = {
    "OPENAI_API_KEY": "sk-proj-Vq81openaiKeyOfTheRecorderTest0000",
    "ANTHROPIC_API_KEY": "sk-ant-api03-Wm42anthropicKeyOfTheRecorderTest",
    "GEMINI_API_KEY": "AIzaSyB7geminiKeyOfTheRecorderTest0000000",
    "GOOGLE_GENERATIVE_AI_API_KEY": "AIzaSyB7geminiKeyOfTheRecorderTest0000000",
    "MISTRAL_API_KEY": "Xk3mistralKeyOfTheRecorderTest00",
    "CO_API_KEY": "Zr9cohereKeyOfTheRecorderTest000000000000",
    "OLLAMA_API_KEY": "Tt5ollamaKeyOfTheRecorderTest00000",
    "AWS_ACCESS_KEY_ID": "AKIARECORDERTEST0000",
    "AWS_SECRET_ACCESS_KEY": "Pq7amazonKeyOfTheRecorderTest00000000000",
}


class World:
    """The world, for the duration of a `with` block."""

    def __init__(self, gap=0.1, model=None):
        self.flags = ["--gap", str(gap), *(["--model", model] if model else [])]

    def __enter__(self):
        command = [sys.executable, "-m", "world", *self.flags]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, cwd=HERE, text=True, **pipes)
        started = json.loads(self.process.stdout.readline())
        self.proxy, self.certificates = started["proxy"], started["certificates"]
        self.log = Path(started["log"])
        # The variables that a user of the recorder would set to reach this world.
        self.environment = {
            "HTTPS_PROXY": self.proxy,
            "HTTP_PROXY": self.proxy,
            "http_proxy": self.proxy,
            "SSL_CERT_FILE": self.certificates,
        }
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(timeout=10)
        shutil.rmtree(Path(self.certificates).parent, ignore_errors=True)

    def requests(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]


class Tripwire:
    """A proxy that counts connections and answers none: a replay must not connect to it."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.visits = []
        threading.Thread(target=self.count, daemon=True).start()
        address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.environment = {"HTTPS_PROXY": address, "HTTP_PROXY": address, "http_proxy": address}
        return self

    def __exit__(self, *_):
        self.listener.close()

    def count(self):
        while True:
            try:
                visitor, _ = self.listener.accept()
            except OSError:
                return
            visitor.settimeout(5)
            try:
                self.visits.append(visitor.recv(200).decode("latin1").split("\r\n")[0])
            except OSError:
                self.visits.append("")
            visitor.close()


@contextmanager
def fresh_folder(modules=None, prefix="recorder-"):
    """A new folder with the agents and a home folder."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        work = folder / "work"
        work.mkdir()
        (folder / "home").mkdir()
        for file in [*(HERE / "agents" / "python").glob("*.py"), *(HERE / "agents" / "node").glob("*.mjs")]:
            shutil.copy(file, work)
        if modules:
            (work / "node_modules").symlink_to(modules / "node_modules")
        yield work


def environment(work, *more):
    """Returns an environment with only these variables."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(work.parent / "home"), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    for others in more:
        variables |= others
    return variables


@dataclass
class Ran:
    """The result of a run of `agentci`."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    def __str__(self):
        return f"exit code {self.code}\n{self.stdout[-2000:]}\n{self.stderr[-4000:]}"


def agentci(work, variables, *arguments, before=()):
    """Runs `agentci` and measures its time; `before` is a command prefix."""
    command = [*before, os.environ.get("AGENTCI", str(ROOT / "target" / "debug" / "agentci")), *arguments]
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=work, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        stdout, stderr = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            stdout, stderr = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
        stderr += f"\ntimed out after {TIMEOUT} s"
    return Ran(process.returncode, stdout, stderr, time.monotonic() - started)


def record(client, world, work, *flags, **variables):
    """Records a client in the world, into `recording.jsonl`."""
    known = environment(work, world.environment, KEYS, variables)
    return agentci(work, known, "record", "-o", "recording.jsonl", *flags, "--", *client.command)


def replay(client, recording, *flags, before=(), **variables):
    """Replays a recording in a new folder, without keys and with a dead proxy; also returns the connections to that proxy."""
    with fresh_folder(client.modules, prefix="elsewhere-") as work, Tripwire() as tripwire:
        shutil.copy(recording, work / "recording.jsonl")
        known = environment(work, tripwire.environment, variables)
        ran = agentci(work, known, "replay", "recording.jsonl", *flags, before=before)
        return ran, list(tripwire.visits)


def tally(ran):
    """Returns the numbers of answered and of all requests of a replay, from its last line."""
    found = re.search(r"^([\d,]+) of ([\d,]+) answered", ran.stderr, re.MULTILINE)
    assert found, f"no tally: {ran}"
    return tuple(int(number.replace(",", "")) for number in found.groups())


def secrets_in(recording):
    """Returns the names of the keys whose values are in a recording."""
    text = Path(recording).read_text()
    return [name for name, value in KEYS.items() if value in text]
