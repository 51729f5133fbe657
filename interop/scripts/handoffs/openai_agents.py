"""openai-agents: a router hands off to billing, which hands off to shipping."""

import sys

from agents import Agent, Runner, function_tool


@function_tool
def refund_order(id: str, amount: float) -> dict:
    """Refunds a part of an order, in euros."""
    return {"order": id, "refunded": amount}


@function_tool
def track_parcel(id: str) -> dict:
    """Says when the parcel of an order arrives."""
    return {"order": id, "arrives": "Friday"}


shipping = Agent(name="Shipping", model="gpt-4.1", instructions="You do the shipping.", tools=[track_parcel])
billing = Agent(
    name="Billing",
    model="gpt-4.1",
    instructions="You do the billing.",
    tools=[refund_order],
    handoffs=[shipping],
)
router = Agent(name="Router", model="gpt-4.1", instructions="You route customers.", handoffs=[billing, shipping])
print(Runner.run_sync(router, sys.argv[1]).final_output)
