#!/usr/bin/env python3
"""Breaks every agent in every way, and prints which suites notice.

    interop/verdict/mutations.py [--agents A,B] [--mutations M,N] [--jobs N] [--timeout SECONDS] [--agentci PATH] [--details]

Prints a Markdown table with a row for each mutation and a column for each agent. Unbroken agents must pass; broken agents must
fail with a finding that names the mutation's effect. The exit code is 1 if one of them does not.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
UNBROKEN = "unbroken"
PROVIDERS = ("OPENAI_", "ANTHROPIC_", "AZURE_", "GEMINI_", "GOOGLE_", "OLLAMA_")

AGENTS = {
    "openai-sdk": FOLDER.parent / "sdk_agents" / "openai",
    "anthropic-sdk": FOLDER.parent / "sdk_agents" / "anthropic",
    "azure-sdk": FOLDER.parent / "sdk_agents" / "azure",
    "gemini-sdk": FOLDER.parent / "sdk_agents" / "gemini",
    "ollama-sdk": FOLDER.parent / "sdk_agents" / "ollama",
    "openai-agents": FOLDER / "openai-agents",
    "langgraph": FOLDER / "langgraph",
    "pydantic-ai": FOLDER / "pydantic-ai",
    "ai-sdk": FOLDER / "ai-sdk",
    "openai-node": FOLDER / "openai-node",
    "http-agent": FOLDER / "http-agent",
}

# The mutations, and the findings that reveal them: names of checks and limits, or causes.
MUTATIONS = {
    "argument-changed": {"tool_called", "tool_result", "stub_miss"},
    "not-executed": {"tool_called", "tool_result"},
    "faked": {"tool_called"},
    "executed-twice": {"tool_called"},
    "error-swallowed": {"tool_called", "model_called"},
    # Some SDKs then send an empty list of tools, which providers refuse.
    "no-tools": {"tool_not_offered", "model_called", "provider_would_refuse"},
    "tool-added": {"model_called"},
    "tool-renamed": {"tool_not_offered", "model_called"},
    "argument-optional": {"model_called"},
    "argument-retyped": {"arguments_do_not_fit", "model_called"},
    "prompt-deleted": {"model_called"},
    "prompt-inverted": {"model_called"},
    "other-customer-in-prompt": {"not model_called"},
    "other-customer-in-result": {"not model_called"},
    "model-changed": {"model_called"},
    "wrong-ids": {"provider_would_refuse"},
    "result-dropped": {"provider_would_refuse"},
    "results-swapped": {"tool_called"},
    "history-lost": {"model_miss", "model_called"},
    "asked-twice": {"max_model_calls"},
}

# Mutations that are visible only outside the agent and its model: here, on the server that its tools call.
NEEDS_REMOTE_TOOLS = {"faked", "executed-twice"}
HAS_REMOTE_TOOLS = {"http-agent"}
# openai-agents offers strict schemas, which require every argument, so an optional argument makes no difference.
# Ollama's results have no ids.
NO_CHANGE = {("openai-agents", "argument-optional"), ("ollama-sdk", "wrong-ids"), ("ollama-sdk", "results-swapped")}
# Mutations that these providers are not known to refuse; the call then has no result.
NOT_REFUSED = {("gemini-sdk", "wrong-ids"), ("ollama-sdk", "result-dropped")}


@dataclass
class Outcome:
    """The outcome of one run: `findings` are pairs of a name and a message; if there is no report, `trouble` is the reason."""

    agent: str
    mutation: str
    findings: list
    trouble: str = ""

    @property
    def problem(self):
        """The problem with this outcome; empty if there is none."""
        if self.trouble:
            return self.trouble
        if self.mutation == UNBROKEN:
            return f"failed although nothing is broken: {self.words}" if self.findings else ""
        if not self.findings:
            return "passed although it is broken"
        if not self.names & self.expected:
            return f"failed for another reason: {self.words}"
        return ""

    @property
    def expected(self):
        """The findings that reveal the mutation."""
        if (self.agent, self.mutation) in NOT_REFUSED:
            return {"tool_called"}
        return MUTATIONS[self.mutation]

    @property
    def names(self):
        return {name for name, _ in self.findings}

    @property
    def words(self):
        return "; ".join(f"`{name}`: {message}" for name, message in self.findings)

    @property
    def cell(self):
        if self.trouble:
            return "**no report**"
        if not self.findings:
            return "green" if self.mutation == UNBROKEN else "**green**"
        if self.problem:
            return "**red**: " + ", ".join(sorted(self.names))
        return "red: " + ", ".join(sorted(self.names & self.expected))


def applies(agent, mutation):
    if (agent, mutation) in NO_CHANGE:
        return False
    return mutation not in NEEDS_REMOTE_TOOLS or agent in HAS_REMOTE_TOOLS


def environment(mutation, folder):
    """Returns the environment: with the installed packages, without real keys and addresses, with temporary files in `folder`."""
    home = os.environ.get("INTEROP_HOME", str(ROOT / "target" / "interop"))
    variables = {name: value for name, value in os.environ.items() if not name.startswith(PROVIDERS)}
    variables |= {
        "PATH": f"{home}/venv/bin:{os.environ['PATH']}",
        "INTEROP_HOME": home,
        "NODE_OPTIONS": f"--import {(FOLDER / 'modules.mjs').as_uri()}",
        "NO_PROXY": "127.0.0.1",
        "TMPDIR": folder,
    }
    variables.pop("MUTATION", None)
    return variables if mutation == UNBROKEN else {**variables, "MUTATION": mutation}


def run(agentci, agent, mutation, timeout):
    """Runs the suite of an agent that is broken in this way, up to the first case that fails."""
    with tempfile.TemporaryDirectory(prefix="agentci-mutations-") as folder:
        command = [agentci, "run", str(AGENTS[agent]), "--json", "--fail-fast", "--parallel", "1", "--output-dir", f"{folder}/runs"]
        process = subprocess.Popen(
            command, cwd=folder, env=environment(mutation, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            return Outcome(agent, mutation, [], f"timed out after {timeout} s")
    try:
        cases = json.loads(output)["cases"]
    except (ValueError, KeyError):
        return Outcome(agent, mutation, [], f"exit code {process.returncode} and no report: {errors.strip()[-2000:]}")
    findings = [
        (finding["name"], f"{finding['message']} (case `{case['id']}`)")
        for case in cases
        if case["status"] in ("fail", "error")
        for finding in case["findings"]
    ]
    if (process.returncode == 0) == bool(findings):
        return Outcome(agent, mutation, [], f"exit code {process.returncode} with {len(findings)} findings")
    return Outcome(agent, mutation, findings)


def table(outcomes):
    agents = [agent for agent in AGENTS if any(outcome.agent == agent for outcome in outcomes)]
    cells = {(outcome.mutation, outcome.agent): outcome.cell for outcome in outcomes}
    rows = [["mutation", *agents], ["---"] * (len(agents) + 1)]
    for mutation in [UNBROKEN, *MUTATIONS]:
        if any(outcome.mutation == mutation for outcome in outcomes):
            rows.append([mutation, *(cells.get((mutation, agent), "") for agent in agents)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def chosen(known, named, parser):
    """Splits a comma-separated list of names. Default: all names."""
    if named is None:
        return list(known)
    names = named.split(",")
    for name in names:
        if name not in known:
            parser.error(f"unknown name {name!r}; the names are {', '.join(known)}")
    return names


def main():
    parser = argparse.ArgumentParser(description="Break every agent in every way, and print which suites notice.")
    parser.add_argument("--agents", help="comma-separated agents [default: all]")
    parser.add_argument("--mutations", help=f"comma-separated mutations, or `{UNBROKEN}` [default: all]")
    parser.add_argument("--jobs", type=int, default=2, help="number of runs in parallel [default: 2]")
    parser.add_argument("--timeout", type=float, default=600, help="time limit of one run in seconds [default: 600]")
    parser.add_argument("--agentci", default=os.environ.get("AGENTCI", str(ROOT / "target" / "debug" / "agentci")), help="the binary")
    parser.add_argument("--details", action="store_true", help="print every finding below the table")
    options = parser.parse_args()
    agentci = shutil.which(options.agentci)
    if agentci is None:
        parser.error(f"`{options.agentci}` does not exist: build it, or pass another path with --agentci")
    agents = chosen(AGENTS, options.agents, parser)
    mutations = chosen([UNBROKEN, *MUTATIONS], options.mutations, parser)
    pairs = [(agent, mutation) for mutation in mutations for agent in agents if applies(agent, mutation)]
    if not pairs:
        parser.error("none of these mutations applies to these agents")

    def run_pair(pair):
        outcome = run(os.path.abspath(agentci), *pair, options.timeout)
        print(f"{outcome.agent}, {outcome.mutation}: {outcome.cell}", file=sys.stderr)
        return outcome

    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(run_pair, pairs))
    print(table(outcomes))
    problems = [outcome for outcome in outcomes if outcome.problem]
    if options.details:
        print("\n" + "\n".join(f"- {outcome.agent}, {outcome.mutation}: {outcome.words or 'passed'}" for outcome in outcomes))
    if problems:
        print("\n" + "\n".join(f"- {outcome.agent}, {outcome.mutation}: {outcome.problem}" for outcome in problems))
    print(f"\n{len(outcomes) - len(problems)} of {len(outcomes)} runs had the expected result.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
