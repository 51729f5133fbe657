"""The tools of both agents."""

TOTALS = {"A-17": 60, "A-18": 35}


def find_order(id):
    return {"id": id, "total": TOTALS[id]}


def refund_order(id, amount):
    return {"order": id, "refunded": amount}


TOOLS = {"find_order": find_order, "refund_order": refund_order}
PARAMETERS = {
    "find_order": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    "refund_order": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["id", "amount"],
    },
}
