"""pydantic-ai: the agent reports to the model that a tool or an argument does not exist, and the model tries another."""

import sys

from pydantic_ai import Agent

agent = Agent(sys.argv[2], instructions="You help customers of a shop.")


@agent.tool_plain
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


print(agent.run_sync(sys.argv[1]).output)
