"""openai-agents: an agent that is a tool of another agent (`as_tool`)."""

import sys

from agents import Agent, Runner, function_tool


@function_tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    return f"{amount} euros of order {id} were refunded."


clerk = Agent(name="Clerk", instructions="You refund orders.", model="gpt-4.1-mini", tools=[refund_order])
shop = Agent(
    name="Shop",
    instructions="You help customers of a shop.",
    model="gpt-4.1",
    tools=[clerk.as_tool("ask_clerk", "Asks the clerk who refunds orders.")],
)
print(Runner.run_sync(shop, sys.argv[1]).final_output)
