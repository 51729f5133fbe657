#!/usr/bin/env python3
"""The tables of `interop/verdict` with recordings in place of scripts: broken agents must fail, honest ones must pass.

    interop/recorder/verdicts.py mutations [FLAGS of interop/verdict/mutations.py]
    interop/recorder/verdicts.py honest [FLAGS of interop/verdict/honest.py]

Every agent is recorded once in the world of `world`: it sends its requests to the real host names, and the scripted model answers.
After that, only the recording is used. The honest agents are replayed in another folder, with another home folder and, if
`faketime` is installed, on the next day.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from bench import KEYS, ROOT, World
from clients import MAIN

VERDICT = ROOT / "interop" / "verdict"
SDK_AGENTS = ROOT / "interop" / "sdk_agents"
sys.path.insert(0, str(VERDICT))

import honest  # noqa: E402 - they are in another folder
import mutations  # noqa: E402

AGENTCI = os.path.abspath(os.environ.get("AGENTCI", ROOT / "target" / "debug" / "agentci"))
SCRIPT = re.compile(r"model: \{ script: \S+ \}")
# The addresses of the models of these clients, which a scripted model would otherwise set.
ADDRESSES = {"AZURE_OPENAI_ENDPOINT": "https://shop.openai.azure.com", "OLLAMA_HOST": "https://ollama.com"}
# Servers that are already running cannot be recorded: agentci cannot set their environment.
SERVERS = ("silent_turn", "silent_conversation")


class Model:
    """A scripted model."""

    def __init__(self, script):
        self.script = script

    def __enter__(self):
        self.process = subprocess.Popen([AGENTCI, "serve", "llm", str(self.script)], stdout=subprocess.PIPE, text=True)
        return json.loads(self.process.stdout.readline())["url"]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=10)


def scripts(suite):
    """Returns the script of each case."""
    read = yaml.safe_load(suite.read_text())

    def script(world):
        return ((world or {}).get("model") or {}).get("script")

    common = script(read.get("world"))
    return {case["id"]: suite.parent / (script(case.get("world")) or common) for case in read["cases"]}


def record(suite, environment, wanted):
    """Replaces every script of a suite by a recording, and records the selected cases."""
    by_case = scripts(suite)
    text = suite.read_text()
    # Record everything that the agent sends, or only its model if its tools are stubbed.
    alone = "tools:" in text.split("\nchecks:")[0]
    key = 'model: { recording: "recordings/{case}.jsonl" }' if alone else 'recording: "recordings/{case}.jsonl"'
    text = SCRIPT.sub(lambda _: key, text)
    suite.write_text(text.replace("${MODEL.azure_endpoint}", ADDRESSES["AZURE_OPENAI_ENDPOINT"]))
    problems = []
    for case, script in by_case.items():
        if not any(fnmatchcase(f"{suite.parent.name}/{case}", pattern) for pattern in wanted):
            continue
        with Model(script) as model, World(0, model) as world, tempfile.TemporaryDirectory() as runs:
            command = [AGENTCI, "run", ".", "--case", case, "--mode", "record", "--output-dir", runs]
            variables = environment | world.environment | KEYS
            done = subprocess.run(command, cwd=suite.parent, env=variables, capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                problems.append(f"{suite.parent.name}/{case} was not recorded: {(done.stdout + done.stderr)[-3000:]}")
    return problems


def prepared(folder, names, wanted=("*",)):
    """Copies these agents, replaces their scripts by recordings, and returns the problems."""
    for source in (VERDICT, SDK_AGENTS):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__", *SERVERS))
    environment = mutations.environment(mutations.UNBROKEN, str(folder)) | {"OPENAI_AGENTS_DISABLE_TRACING": "1"} | ADDRESSES
    environment.pop("CI", None)
    problems = []
    for suite in sorted(folder.glob("**/agentci.yaml")):
        if any(suite.parent == folder / name for name in names):
            problems += record(suite, environment, wanted)
    return problems


def of_mutations(folder, arguments):
    agents = {name: path.relative_to(ROOT / "interop") for name, path in mutations.AGENTS.items()}
    named = arguments[arguments.index("--agents") + 1].split(",") if "--agents" in arguments else list(agents)
    problems = prepared(folder, [agents[name] for name in named if name in agents])
    mutations.AGENTS.update({name: folder / path for name, path in agents.items()})
    # A broken agent sends different requests, which are not in the recording, even if no provider would refuse them.
    mutations.NOT_REFUSED.clear()
    mutations.MUTATIONS.update({name: known | {"replay_miss"} for name, known in mutations.MUTATIONS.items()})
    scripted = mutations.environment
    mutations.environment = lambda *broken: scripted(*broken) | ADDRESSES
    sys.argv = ["verdicts.py mutations", "--agentci", AGENTCI, *arguments]
    return mutations.main(), problems


def of_honest(folder, arguments):
    named = arguments[arguments.index("--agents") + 1] if "--agents" in arguments else "*"
    wanted = [pattern if "/" in pattern else f"{pattern}/*" for pattern in named.split(",")]
    folders = [path for path in (VERDICT / "honest").iterdir() if path.is_dir() and path.name not in SERVERS]
    chosen = [path for path in folders if any(fnmatchcase(path.name, pattern.split("/")[0]) for pattern in wanted)]
    problems = prepared(folder, [Path("verdict", "honest", path.name) for path in chosen], wanted)
    only = folder / "only"
    only.mkdir()
    for path in chosen:
        shutil.move(folder / "verdict" / "honest" / path.name, only)
    for file in (VERDICT / "honest").glob("*.py"):
        shutil.copy(file, only)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    # `honest.py` copies the agents again, so they run in another folder.
    command = [sys.executable, VERDICT / "honest.py", "--agentci", AGENTCI, "--folder", only, *arguments]
    if tomorrow := shutil.which("faketime"):
        command = [tomorrow, "-f", "+1d", *command]
    return subprocess.run(command, env=os.environ | {"HOME": str(elsewhere)}, check=False).returncode, problems


def main():
    kinds = {"mutations": of_mutations, "honest": of_honest}
    if len(sys.argv) < 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: verdicts.py {'|'.join(kinds)} [FLAGS]")
    # Node finds packages in a parent folder of the agent.
    with tempfile.TemporaryDirectory(prefix="verdicts-", dir=MAIN) as folder:
        status, problems = kinds[sys.argv[1]](Path(folder), sys.argv[2:])
    for problem in problems:
        print(f"- {problem}")
    return 1 if problems else status


if __name__ == "__main__":
    sys.exit(main())
