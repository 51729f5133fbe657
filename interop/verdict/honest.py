#!/usr/bin/env python3
"""Runs the honest agents of `honest/` repeatedly. None of them does anything wrong, so every run must pass.

    python3 interop/verdict/honest.py --runs 20 --others 2

Prints a Markdown table: for each agent, the number of runs that were green, and the first finding or warning. The exit code is 1 if
any run was red. The SDKs are expected in `target/interop`, where `interop/run` installs them.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Variables that could point an agent at a real provider or change how `agentci` runs.
DROPPED = re.compile(r"^(OPENAI|ANTHROPIC|AZURE_OPENAI|GEMINI|GOOGLE|LANGSMITH|LANGCHAIN|AGENTCI)_|^NODE_OPTIONS$")

# At least one agent of each kind: the ones that differ most.
REPRESENTATIVES = [
    "agent_as_tool/ai-sdk",
    "cancelled_stream/ai-sdk",
    "conversation/langchain-anthropic",
    "denied_call/ai-sdk-responses",
    "denied_call/openai-agents",
    "edited_history/openai-agents",
    "ends_on_a_tool/ai-sdk",
    "ends_on_a_tool/openai-agents",
    "failing_tool/pydantic-ai-chat",
    "functions/langchain",
    "guard/openai-sdk-answers",
    "handoff/openai-agents-filtered",
    "many_calls/anthropic-sdk-runner",
    "misbehaving_model/unknown-tool-ai-sdk-anthropic",
    "output_tool/pydantic-ai-chat",
    "previous_response/openai-sdk",
    "provider_tool/openai-sdk",
    "retries/openai-sdk-node",
    "rich_arguments/ai-sdk",
    "silent_conversation/light",
    "silent_turn/own-tool",
    "structured_output/langchain",
    "two_models/anthropic-sdk",
]


@dataclass
class Agent:
    """A case of a suite, and the results of its runs."""

    folder: str
    case: str
    runs: int = 0
    green: int = 0
    warned: int = 0
    finding: str = ""
    warning: str = ""

    @property
    def name(self):
        return f"{self.folder}/{self.case}" if self.case else self.folder

    def fits(self, pattern):
        # The cases of a suite that cannot be read are unknown.
        pattern = pattern if self.case else pattern.split("/")[0]
        return any(fnmatchcase(name, pattern) for name in (self.name, self.folder, self.case))

    def count(self, verdict):
        self.runs += 1
        self.green += verdict.green
        self.warned += bool(verdict.warning)
        self.finding = self.finding or verdict.finding
        self.warning = self.warning or verdict.warning


@dataclass
class Verdict:
    green: bool
    finding: str = ""
    warning: str = ""


class Bench:
    """A copy of the agents in the folder of the SDKs, where Node finds the packages, and the server that some agents need."""

    def __init__(self, options):
        self.options = options
        home = options.home.resolve()
        self.environment = {name: value for name, value in os.environ.items() if not DROPPED.match(name)}
        self.environment["PATH"] = f"{home / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "NO_COLOR": "1"}
        # openai-agents would send traces to a service, and waiting for it takes longer than the run.
        self.environment["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
        self.python = home / "venv" / "bin" / "python"
        self.server = None
        self.home = home

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="honest-", dir=self.home)
        self.folder = Path(self.temporary.name) / "agents"
        shutil.copytree(self.options.folder, self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        return self

    def __exit__(self, *_):
        if self.server:
            self.server.terminate()
            self.server.wait(timeout=10)
        self.temporary.cleanup()

    def start_server(self, agents):
        """Starts the AG-UI server if one of the agents uses it: `agentci` does not start AG-UI servers."""
        files = [path for agent in agents for path in (self.folder / agent.folder).glob("*.yaml")]
        if any("ENV.AGENT_URL" in path.read_text() for path in files):
            command = [self.python, self.folder / "agui_server.py"]
            self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment)
            self.environment["AGENT_URL"] = json.loads(self.server.stdout.readline())["url"]

    def call(self, folder, *flags):
        """Runs `agentci` in the folder of a suite; on a timeout, ends it with all its child processes."""
        command = [self.options.agentci, "run", ".", "--color", "never", *flags]
        process = subprocess.Popen(
            command,
            cwd=self.folder / folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            end(process)
            return None, "", f"timed out after {self.options.timeout:g} s"
        return process.returncode, output, errors

    def agents(self):
        """Returns the cases of all suites. A suite that cannot be read counts as one agent that is red in every run."""
        found = []
        for folder in sorted(path.name for path in self.folder.iterdir() if path.is_dir()):
            status, output, _ = self.call(folder, "--dry-run", "--json")
            cases = json.loads(output) if status == 0 else [{"id": ""}]
            found += [Agent(folder, case["id"]) for case in cases]
        return found

    def run(self, agent):
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.temporary.name) as runs:
            flags = ["--case", agent.case] if agent.case else []
            status, output, errors = self.call(agent.folder, "--output-dir", runs, *flags)
        text = f"{output}\n{errors}"
        warning = first(r"^\s*warning: (.*)", text)
        # The case must have been run: a run without cases proves nothing.
        if status == 0 and re.search(r"^1 case: 1 passed,", text, re.MULTILINE):
            return Verdict(True, warning=warning)
        reason = first(r"^(?:FAIL|ERROR) .*?\): (.*)", text) or first(r"^error: (.*)", text)
        # The details of a failed check are in its notes.
        if reason.startswith("check "):
            reason = f"{reason}: {first(r'^   = (.*)', text)}"
        return Verdict(False, reason or last_line(text) or f"status {status}", warning)


def end(process):
    """Terminates `agentci`, which then ends its agents; kills it if it does not."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, kind)
        try:
            process.communicate(timeout=10)
            return
        except subprocess.TimeoutExpired:
            continue


def first(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1).strip() if found else ""


def last_line(text):
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def table(agents):
    lines = ["| agent | green | first finding |", "|---|---|---|"]
    for agent in agents:
        finding = agent.finding or (agent.warning and f"warning in {agent.warned} of {agent.runs}: {agent.warning}")
        finding = finding.replace("|", "\\|")
        lines.append(f"| {agent.name} | {agent.green} of {agent.runs} | {finding} |")
    green = sum(agent.green for agent in agents)
    runs = sum(agent.runs for agent in agents)
    lines.append(f"\n{green} of {runs} runs of {len(agents)} agents were green")
    return "\n".join(lines)


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="runs of each agent [default: 20]")
    parser.add_argument("--others", type=int, help="runs of agents that do not represent their kind [default: as --runs]")
    parser.add_argument("--agents", default="*", help="comma-separated patterns for folder/case, folder or case [default: all]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of runs in parallel [default: number of cores]")
    parser.add_argument("--timeout", type=float, default=120, help="time limit of one run in seconds [default: 120]")
    parser.add_argument("--agentci", default=os.environ.get("AGENTCI") or ROOT / "target/debug/agentci", help="the program")
    home = os.environ.get("INTEROP_HOME") or ROOT / "target/interop"
    parser.add_argument("--home", type=Path, default=Path(home), help="the folder with the SDKs [default: target/interop]")
    parser.add_argument("--folder", type=Path, default=HERE / "honest", help="the suites [default: honest, next to this file]")
    chosen = parser.parse_args(arguments)
    chosen.agentci = shutil.which(chosen.agentci)
    if not chosen.agentci:
        parser.error("agentci not found: build it (`cargo build --locked -p agentci`) or pass its path with --agentci")
    chosen.agentci = Path(chosen.agentci).resolve()
    if not (chosen.home / "venv").is_dir():
        parser.error(f"no SDKs in {chosen.home}: install them with `interop/run`, or pass another folder with --home")
    if min(chosen.runs, chosen.jobs, chosen.others or 1) < 1:
        parser.error("--runs, --others and --jobs must be at least 1")
    return chosen


def main(arguments=None):
    chosen = options(arguments)
    with Bench(chosen) as bench:
        known = bench.agents()
        for pattern in chosen.agents.split(","):
            if not any(agent.fits(pattern) for agent in known):
                print(f"no agent matches {pattern!r}; the agents are {', '.join(agent.name for agent in known)}", file=sys.stderr)
                return 2
        agents = [agent for agent in known if any(agent.fits(pattern) for pattern in chosen.agents.split(","))]
        bench.start_server(agents)
        # Round by round, so that all agents have about the same number of runs after an interrupt.
        others = chosen.runs if chosen.others is None else chosen.others
        runs = {agent.name: chosen.runs if agent.name in REPRESENTATIVES else others for agent in agents}
        plan = [agent for number in range(max(runs.values())) for agent in agents if number < runs[agent.name]]
        with ThreadPoolExecutor(chosen.jobs) as pool:
            try:
                for agent, verdict in zip(plan, pool.map(bench.run, plan)):
                    agent.count(verdict)
                    if not verdict.green:
                        print(f"red: {agent.name}: {verdict.finding}", file=sys.stderr, flush=True)
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
    print(table(agents))
    return 0 if all(agent.green == agent.runs > 0 for agent in agents) else 1


if __name__ == "__main__":
    sys.exit(main())
