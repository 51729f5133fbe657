#!/usr/bin/env python3
"""Replays clients with a changed prompt, and checks that both the client and the replay report the miss at once.

    interop/recorder/misses.py [--only NAMES] [--jobs N]

The agent catches every error and ends with exit code 0. Still the replay must fail with exit code 1, after a single request of the
client, and the client must show what is wrong. Prints a Markdown table; the exit code is 1 if a client fails.
"""

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from bench import World, fresh_folder, record, replay, tally
from clients import ALL
from matrix import Row

CLIENTS = [
    "openai 3",
    "openai 2",
    "anthropic 2",
    "anthropic 0",
    "google-genai",
    "litellm, openai",
    "langchain-openai",
    "pydantic-ai, openai",
    "openai-agents",
    "mistralai",
    "cohere",
    "boto3, bedrock",
    "aiohttp",
    "requests",
    "openai (node)",
    "ai, @ai-sdk/openai (node)",
    "@anthropic-ai/sdk (node 20)",
    "@google/genai (node 20)",
    "@mistralai/mistralai (node 20)",
    "cohere-ai (node 20)",
    "@langchain/openai (node 20)",
    "net/http (go)",
]
QUICK = ["openai 3", "anthropic 2", "aiohttp", "openai (node)", "ai, @ai-sdk/openai (node)"]
# The time that a miss may add to the agent's own: a constant, and a fraction for a busy machine.
SECONDS = 3
NOISE = 0.5


def missed(client):
    """Records a client, and replays it with another question."""
    row = Row(client.name)
    with fresh_folder(client.modules) as work:
        with World(0) as world:
            recorded = record(client, world, work)
        recording = work / "recording.jsonl"
        if recorded.code != 0:
            row.problems.append(f"not recorded: {recorded}")
            return row
        # A replay without a miss measures the time of the agent itself.
        whole, _ = replay(client, recording)
        ran, visits = replay(client, recording, QUESTION="What is the weather in Rome?", SWALLOW="1")
    answered, row.requests = tally(ran)
    row.problems += problems(ran, whole, answered, row.requests)
    if visits:
        row.problems.append(f"the replay connected to a proxy: {visits}")
    return row


def problems(ran, whole, answered, asked):
    if ran.code != 1:
        yield f"exit code {ran.code}, expected 1: {ran}"
    # LiteLLM first requests its list of prices, which is in the recording.
    if asked - answered != 1 or answered > 1:
        yield f"{asked} requests, {answered} answered: {ran}"
    # Some clients print the provider's error on separate lines.
    if not re.search(r"^error: .*not in the recording", ran.stdout, re.MULTILINE | re.DOTALL):
        yield f"the client does not show what is wrong: {ran.stdout!r}"
    if "replay_miss" not in ran.stderr or "Rome" not in ran.stderr or "Paris" not in ran.stderr:
        yield f"the difference is not shown: {ran.stderr[-1000:]}"
    if ran.seconds > whole.seconds * (1 + NOISE) + SECONDS:
        yield f"took {ran.seconds:.1f} s, but {whole.seconds:.1f} s without a miss"


def main():
    parser = argparse.ArgumentParser(description="Change the prompt of clients, and print whether their replay fails.")
    parser.add_argument("--only", help="comma-separated parts of client names [default: all]")
    parser.add_argument("--jobs", type=int, default=2, help="number of clients in parallel [default: 2]")
    options = parser.parse_args()
    clients = [client for client in ALL if client.name in CLIENTS]
    if options.only:
        clients = [client for client in clients if any(part in client.name for part in options.only.split(","))]
    if not clients:
        parser.error("no such client")

    def run(client):
        row = missed(client)
        print(row.line, file=sys.stderr, flush=True)
        return row

    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(run, clients))
    lines = [row.line.replace("| equal |", "| red |") for row in rows]
    print("\n".join(["| client | requests | replay |", "|---|---|---|", *lines]))
    good = sum(not row.problems for row in rows)
    print(f"\n{good} of {len(rows)} clients failed at once and showed the reason")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
