#!/usr/bin/env python3
"""Measures the cost of recording: processor time per exchange, added run time of the agent, and file size.

    interop/recorder/cost.py [--only cpu,start,size] [--cpu-limit MS] [--start-limit MS] [--agentci PATH]

Prints a Markdown table. The exit code is 1 if a limit is exceeded. The limits are for a release build.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time

from bench import ROOT, World, agentci, environment, fresh_folder, record, replay, tally
from clients import MAIN_PYTHON, NODE, Client, python

TURNS = 50
SIZE_LIMIT = 1_000_000


def children():
    """Returns the processor time of all child processes so far, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu():
    """Returns the marginal processor time per exchange in milliseconds, without the agent's own."""

    def spent(count):
        client = python("many", "many", str(count), program=MAIN_PYTHON)
        with fresh_folder() as work, World(0) as world:
            before = children()
            ran = record(client, world, work)
            assert ran.code == 0, ran
            return children() - before - float(ran.stdout)

    few, many = 50, 550
    return (spent(many) - spent(few)) / (many - few) * 1000


def start(command, count=21):
    """Returns how many milliseconds longer a program runs in a replay than alone: the fastest of many runs of each."""
    alone, replayed = [], []
    with fresh_folder() as work, World(0) as world:
        client = Client("start", tuple(command))
        ran = record(client, world, work)
        assert ran.code == 0, ran
        variables = environment(work, world.environment, {"NODE_EXTRA_CA_CERTS": world.certificates})
        quiet = environment(work)
        for _ in range(count):
            began = time.monotonic()
            subprocess.run(command, cwd=work, env=variables, check=True, stdout=subprocess.DEVNULL)
            alone.append(time.monotonic() - began)
            ran = agentci(work, quiet, "replay", "recording.jsonl")
            assert ran.code == 0, ran
            replayed.append(ran.seconds)
    return (min(replayed) - min(alone)) * 1000


def start_python():
    script = "import urllib.request as r; r.urlopen('http://api.weather.example/weather?city=Rome').read()"
    return start([str(MAIN_PYTHON), "-c", script])


def start_node():
    """Measures Node. Node 20 ignores proxy variables: alone, it sends requests to the world directly, as to a proxy."""
    script = (
        "const a = process.env.HTTP_PROXY ?? 'http://x'; require('http').get({ host: new URL(a).hostname, port: new URL(a).port,"
        " path: 'http://api.weather.example/weather?city=Rome', agent: false }, (r) => r.resume())"
    )
    return start([str(NODE), "-e", script])


def size():
    """Returns the size of the recording of a conversation with many turns, in bytes; replays it as well."""
    client = python("long", "long", str(TURNS), program=MAIN_PYTHON)
    with fresh_folder() as work:
        with World(0) as world:
            ran = record(client, world, work)
            assert ran.code == 0, ran
        recording = work / "recording.jsonl"
        replayed, _ = replay(client, recording)
        assert replayed.stdout == ran.stdout and tally(replayed) == (TURNS, TURNS), replayed
        return recording.stat().st_size


def main():
    parser = argparse.ArgumentParser(description="Print what recording costs.")
    parser.add_argument("--only", default="cpu,start,size", help="comma-separated: cpu, start, size [default: all]")
    parser.add_argument("--cpu-limit", type=float, default=1.0, help="milliseconds per exchange [default: 1]")
    parser.add_argument("--start-limit", type=float, default=20.0, help="milliseconds of added run time [default: 20]")
    parser.add_argument("--agentci", default=os.environ.get("AGENTCI", str(ROOT / "target" / "debug" / "agentci")), help="the binary")
    options = parser.parse_args()
    program = shutil.which(options.agentci)
    if program is None:
        parser.error(f"`{options.agentci}` does not exist")
    os.environ["AGENTCI"] = os.path.abspath(program)
    wanted = options.only.split(",")
    rows = []
    if "cpu" in wanted:
        rows.append(("processor time per exchange", cpu(), options.cpu_limit, "ms"))
    if "start" in wanted:
        rows.append(("added run time of a Python agent", start_python(), options.start_limit, "ms"))
        rows.append(("added run time of a Node agent", start_node(), options.start_limit, "ms"))
    if "size" in wanted:
        rows.append((f"file of {TURNS} turns with a prompt of 126 KB", size() / 1000, SIZE_LIMIT / 1000, "KB"))
    print("| what | measured | limit |\n|---|---|---|")
    for name, measured, limit, unit in rows:
        print(f"| {name} | {measured:.2f} {unit} | {limit:g} {unit} |")
    return 0 if all(measured <= limit for _, measured, limit, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
