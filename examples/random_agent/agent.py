"""An agent that is random like a real model, without one: it answers each question right in a share of its runs.

It is random only if AGENT_RANDOM is set. AGENT_BROKEN names a case that it never answers right. For reproducible runs,
AGENT_STATE is a directory in which it counts its runs: each choice then depends only on the case and this count.
"""

import json
import os
import sys
import zlib

RIGHT = {"greeting": 0.99, "refund": 0.95, "poem": 0.8}


def choice(case):
    """Returns a number from 0 to 1."""
    state = os.environ.get("AGENT_STATE")
    if not state:
        return int.from_bytes(os.urandom(4), "big") / 2**32
    path = os.path.join(state, case)
    run = os.path.getsize(path) if os.path.exists(path) else 0
    with open(path, "a", encoding="utf-8") as counted:
        counted.write(".")
    return zlib.crc32(f"run {run * 7919} of {case}".encode()) / 2**32


def is_right(case):
    if os.environ.get("AGENT_BROKEN") == case:
        return False
    return not os.environ.get("AGENT_RANDOM") or choice(case) < RIGHT[case]


case = json.loads(sys.stdin.readline())["task_id"]
answer = f"the answer about {case}" if is_right(case) else "I am not sure."
print(json.dumps({"type": "final_output", "output": {"answer": answer}}), flush=True)
