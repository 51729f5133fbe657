#!/usr/bin/env python3
"""Records every client in a world of servers, stops that world, and replays the recording in another folder.

    interop/recorder/matrix.py [--only NAMES] [--quick] [--jobs N] [--gap SECONDS]

Prints a Markdown table with a row for each client. The replay has no API key, no upstream server, another folder and another home
folder; its output must be the same as in the recording. The exit code is 1 if a client fails.
"""

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from bench import World, fresh_folder, record, replay, secrets_in, tally
from clients import ALL, QUICK


@dataclass
class Row:
    """The result of a client."""

    client: str
    requests: int = 0
    problems: list = field(default_factory=list)

    @property
    def line(self):
        said = "; ".join(problem.replace("\n", " ").replace("|", "\\|")[:600] for problem in self.problems)
        return f"| {self.client} | {self.requests} | {said or 'equal'} |"


def fares(client, gap=0.1):
    """Records a client and replays it."""
    row = Row(client.name)
    with fresh_folder(client.modules) as work:
        with World(gap) as world:
            recorded = record(client, world, work)
            row.requests = len(world.requests())
        recording = work / "recording.jsonl"
        if recorded.code != 0 or not recording.exists():
            row.problems.append(f"not recorded: {recorded}")
            return row
        # The world is stopped.
        row.problems += problems_of_recording(recorded, recording, row.requests)
        replayed, visits = replay(client, recording)
    row.problems += problems_of_replay(recorded, replayed, visits)
    return row


def problems_of_recording(recorded, recording, requests):
    if "Answer" not in recorded.stdout:
        yield f"the agent printed no answer: {recorded}"
    if requests == 0:
        yield "the world received no request"
    if re.search(r"^warning: ", recorded.stderr, re.MULTILINE):
        yield f"warning: {recorded.stderr[-500:]}"
    for name in secrets_in(recording):
        yield f"the recording contains the value of {name}"


def problems_of_replay(recorded, replayed, visits):
    if replayed.code != 0:
        yield f"replay: {replayed}"
        return
    if replayed.stdout != recorded.stdout:
        yield f"another answer: {replayed.stdout!r}, expected {recorded.stdout!r}"
    answered, asked = tally(replayed)
    if answered != asked or asked == 0:
        yield f"{answered} of {asked} answered"
    if visits:
        yield f"the replay connected to a proxy: {visits}"


def main():
    parser = argparse.ArgumentParser(description="Record and replay every client, and print the results.")
    parser.add_argument("--only", help="comma-separated parts of client names [default: all]")
    parser.add_argument("--quick", action="store_true", help="only the clients that the tests include")
    parser.add_argument("--jobs", type=int, default=2, help="number of clients in parallel [default: 2]")
    parser.add_argument("--gap", type=float, default=0.1, help="seconds between the frames of a stream [default: 0.1]")
    options = parser.parse_args()
    clients = QUICK if options.quick else ALL
    if options.only:
        clients = [client for client in clients if any(part in client.name for part in options.only.split(","))]
    missing = [client.name for client in clients if not client.installed]
    if not clients or missing:
        parser.error(f"not installed: {', '.join(missing)}; see interop/recorder/install and interop/recorder/runtimes" if missing else "no such client")

    def run(client):
        row = fares(client, options.gap)
        print(row.line, file=sys.stderr, flush=True)
        return row

    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(run, clients))
    print("\n".join(["| client | requests | replay |", "|---|---|---|", *(row.line for row in rows)]))
    good = sum(not row.problems for row in rows)
    print(f"\n{good} of {len(rows)} clients were recorded and replayed")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
