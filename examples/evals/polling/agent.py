"""Starts an export and polls its state until it is done."""

import json
import sys


def send(message):
    print(json.dumps(message), flush=True)


def call_tool(name, call_id, args):
    send({"type": "tool_call", "name": name, "call_id": call_id, "args": args})
    return json.loads(sys.stdin.readline())


task = json.loads(sys.stdin.readline())
export = call_tool("start_export", "start", {"report": task["input"]["report"]})["result"]
states = []
while "done" not in states and len(states) < 10:
    answer = call_tool("export_status", f"ask-{len(states)}", {"id": export["id"]})
    states.append(answer["result"]["state"] if answer["ok"] else answer["error"])
send({"type": "final_output", "output": {"states": states}})
