"""A small shop for the Python agents: their instructions, models and tools."""

import mutation
from pydantic import TypeAdapter

OPENAI_MODEL = "gpt-4o"
ANTHROPIC_MODEL = "claude-sonnet-4-5"
GEMINI_MODEL = "gemini-2.5-flash"
OLLAMA_MODEL = "llama3.2"
INSTRUCTIONS = """\
You help customers of a small shop.
Look an order up before you refund it. Never refund more than the order cost."""

ORDERS = {
    "A-17": {"id": "A-17", "total": 60, "paid": True},
    "A-18": {"id": "A-18", "total": 35, "paid": True},
}


def find_order(id: str) -> dict:
    """Finds an order by its id."""
    if id not in ORDERS:
        raise LookupError(f"no order {id}")
    return ORDERS[id]


def refund_order(id: str, amount: float) -> dict:
    """Refunds a part of an order, in euros."""
    return {"order": id, "refunded": amount}


TOOLS = [find_order, refund_order]
KNOWN = {tool.__name__: tool for tool in TOOLS}


def parameters(tool):
    """Returns the schema of a tool's arguments."""
    return TypeAdapter(tool).json_schema()


mutation.apply(globals())
