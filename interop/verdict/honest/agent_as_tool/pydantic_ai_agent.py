"""pydantic-ai: a tool that asks another agent."""

import sys

from pydantic_ai import Agent

clerk = Agent("openai-chat:gpt-4.1-mini", instructions="You refund orders.")
shop = Agent("openai-chat:gpt-4.1", instructions="You help customers of a shop.")


@clerk.tool_plain
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    return f"{amount} euros of order {id} were refunded."


@shop.tool_plain
async def ask_clerk(input: str) -> str:
    """Asks the clerk who refunds orders."""
    return (await clerk.run(input)).output


print(shop.run_sync(sys.argv[1]).output)
