"""pydantic-ai: a supervisor whose specialists are called as tools, in parallel."""

import sys

from pydantic_ai import Agent

MODEL = "anthropic:claude-sonnet-4-5"
billing = Agent(MODEL, instructions="You do the billing.")
shipping = Agent(MODEL, instructions="You do the shipping.")
supervisor = Agent(MODEL, instructions="You supervise the specialists of a shop.")


@billing.tool_plain
def refund_order(id: str, amount: float) -> dict:
    """Refunds a part of an order, in euros."""
    return {"order": id, "refunded": amount}


@shipping.tool_plain
def track_parcel(id: str) -> dict:
    """Says when the parcel of an order arrives."""
    return {"order": id, "arrives": "Friday"}


@supervisor.tool_plain
async def ask_billing(question: str) -> str:
    """Asks the billing specialist."""
    return (await billing.run(question)).output


@supervisor.tool_plain
async def ask_shipping(question: str) -> str:
    """Asks the shipping specialist."""
    return (await shipping.run(question)).output


print(supervisor.run_sync(sys.argv[1]).output)
