"""Deliberately broken agents: part of the table of `verdict/mutations.py`, and its output if a broken agent passes."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import FOLDER, main

TABLE = FOLDER / "verdict" / "mutations.py"


def table(*flags):
    done = subprocess.run([sys.executable, TABLE, *flags], capture_output=True, text=True, timeout=1200, check=False)
    return done.returncode, done.stdout + done.stderr


def noticed(agent, *mutations):
    status, words = table("--agents", agent, *(["--mutations", ",".join(mutations)] if mutations else []))
    assert status == 0, words


def test_unbroken_agents_pass(_):
    status, words = table("--mutations", "unbroken")
    assert status == 0, words


def test_detects_every_mutation_of_one_agent(_):
    noticed("openai-node")


def test_detects_mutations_visible_to_tool_server(_):
    noticed("http-agent", "argument-changed", "faked", "executed-twice", "error-swallowed")


def test_detects_mismatched_tool_results_in_every_protocol(_):
    noticed("ai-sdk", "wrong-ids", "result-dropped", "results-swapped")
    noticed("anthropic-sdk", "wrong-ids", "result-dropped", "results-swapped")


def test_detects_mutations_with_every_provider(_):
    for agent in ("azure-sdk", "gemini-sdk", "ollama-sdk"):
        noticed(agent, "not-executed", "prompt-inverted", "argument-retyped", "result-dropped")


def agentci_that_reports(folder, status, findings):
    """Writes a program that reports this result for every suite."""
    report = {"cases": [{"id": "refund", "status": "fail" if findings else "pass", "findings": findings}]}
    program = Path(folder) / "agentci"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(report)}'\nexit {status}\n")
    program.chmod(0o755)
    return str(program)


def test_table_fails_when_broken_agent_passes(folder):
    program = agentci_that_reports(folder, 0, [])
    status, words = table("--agentci", program, "--agents", "ai-sdk", "--mutations", "unbroken,no-tools")
    assert status == 1, words
    assert "| unbroken | green |" in words, words
    assert "| no-tools | **green** |" in words, words
    assert "ai-sdk, no-tools: passed although it is broken" in words, words


def test_table_fails_on_unexpected_failure_reason(folder):
    program = agentci_that_reports(folder, 1, [{"name": "contains", "message": "the answer is another"}])
    status, words = table("--agentci", program, "--agents", "ai-sdk", "--mutations", "unbroken,no-tools")
    assert status == 1, words
    assert "ai-sdk, unbroken: failed although nothing is broken" in words, words
    assert "ai-sdk, no-tools: failed for another reason: `contains`: the answer is another (case `refund`)" in words, words


def test_table_fails_when_exit_code_contradicts_report(folder):
    program = agentci_that_reports(folder, 0, [{"name": "model_called", "message": "no tools"}])
    status, words = table("--agentci", program, "--agents", "ai-sdk", "--mutations", "no-tools")
    assert status == 1, words
    assert "exit code 0 with 1 findings" in words, words


main(globals(), tempfile.TemporaryDirectory)
