"""The tools of both agents, and the two lines they exchange with agentci."""

import json
import sys

ORDERS = {"A-17": {"id": "A-17", "total": 60, "paid": True}}


def find_order(id):
    return ORDERS[id]


def refund_order(id, amount):
    return {"id": id, "refunded": amount}


TOOLS = {"find_order": find_order, "refund_order": refund_order}
PARAMETERS = {
    "find_order": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    "refund_order": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["id", "amount"],
    },
}


def question():
    return json.loads(sys.stdin.readline())["input"]["question"]


def finish(answer):
    print(json.dumps({"type": "final_output", "output": {"answer": answer}}), flush=True)
